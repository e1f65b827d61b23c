// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A bridge in a thread, and clients that speak HTTP to it over real sockets. Every wait
// has a deadline.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_TEST_UTIL_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <latch>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/http/bridge_server.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/testing/fake_logger.h"
#include "runtime/unique_fd.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {

inline constexpr int kDeadlineMs = 30'000;

inline std::string FakeServer() {
  const char* folder = getenv("BK_BIN_DIR");
  return std::string(folder == nullptr ? "build/release/bin" : folder) + "/tests/fake_mcp_server";
}

// The text that an answer of a tool carries; the whole answer where it carries none.
inline std::string TextIn(const std::string& answer) {
  const auto document = JsonDocument::Parse(answer);
  if (!document.ok()) return answer;
  const auto result = document->root().Find("result");
  const auto content = result ? result->Find("content") : std::nullopt;
  if (!content || content->size() == 0) return answer;
  return std::string((*content->begin()).Find("text")->string());
}

inline std::string Call(std::string_view tool, std::string_view act = "echo", int n = 0,
                        std::string_view id = "1", std::string_view meta = "{}") {
  return absl::StrFormat(
      R"({"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{"act":"%s","n":%d},"_meta":%s}})",
      id, tool, act, n, meta);
}

inline std::string Request(std::string_view method, std::string_view id = "1",
                           std::string_view params = "{}") {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"method":"%s","params":%s})", id, method,
                         params);
}

inline constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";

struct Reply {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;                           // empty for a stream

  std::string Field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
};

// One connection to the bridge.
class HttpClient {
 public:
  explicit HttpClient(uint16_t port) : port_(port) { Connect(); }

  using Fields = std::vector<std::pair<std::string, std::string>>;

  // Sends a request. `fields` are added to, or take the place of, those that every client
  // sends; an empty value leaves one out.
  void Send(std::string_view method, std::string_view path, std::string_view body = "",
            const Fields& fields = {}) {
    Fields all = {{"Host", absl::StrFormat("127.0.0.1:%d", port_)},
                  {"Accept", "application/json, text/event-stream"}};
    if (method == "POST") {
      all.emplace_back("Content-Type", "application/json");
      all.emplace_back("Content-Length", std::to_string(body.size()));
    }
    std::string head = absl::StrFormat("%s %s HTTP/1.1\r\n", method, path);
    for (const auto& [name, value] : fields) {
      std::erase_if(all, [&, given = name](const auto& known) { return known.first == given; });
    }
    for (const auto* list : {&all, &fields}) {
      for (const auto& [name, value] : *list) {
        if (!value.empty()) head += name + ": " + value + "\r\n";
      }
    }
    SendBytes(head + "\r\n" + std::string(body));
  }

  void SendBytes(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready = {.fd = fd_.get(), .events = POLLOUT, .revents = 0};
      ASSERT_EQ(poll(&ready, 1, kDeadlineMs), 1) << "the bridge does not read";
      const ssize_t n = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;  // it has closed: what it said before is what counts
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }

  // Reads the head of a reply, and its body unless it is a stream.
  Reply Read() {
    Reply reply;
    size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return reply;
    }
    std::string head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    reply.status = atoi(head.substr(9, 3).c_str());
    head.erase(0, head.find("\r\n") + 2);
    while (!head.empty()) {
      const size_t line_end = head.find("\r\n");
      const std::string line = head.substr(0, line_end);
      head.erase(0, line_end + 2);
      const size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      reply.fields[AsciiLower(line.substr(0, colon))] = line.substr(colon + 2);
    }
    if (reply.Field("transfer-encoding") == "chunked") {
      events_.clear();
      return reply;
    }
    const size_t size = strtoul(reply.Field("content-length").c_str(), nullptr, 10);
    while (buffer_.size() < size) {
      if (!Fill()) return reply;
    }
    reply.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return reply;
  }

  Reply Ask(std::string_view method, std::string_view path, std::string_view body = "",
            const Fields& fields = {}) {
    Send(method, path, body, fields);
    return Read();
  }

  struct Event {
    std::string id;
    std::string data;
  };

  // The next event of a stream that has data, comments left out; nullopt: it has ended.
  std::optional<Event> NextEvent() {
    while (true) {
      const auto block = NextBlock();
      if (!block) return std::nullopt;
      Event event;
      for (size_t at = 0; at < block->size();) {
        const size_t end = block->find('\n', at);
        const std::string line = block->substr(at, end - at);
        at = end + 1;
        if (line.starts_with("id: ")) event.id = line.substr(4);
        if (line.starts_with("data: ")) event.data = line.substr(6);
      }
      if (!event.id.empty()) last_event_id = event.id;
      if (!event.data.empty()) return event;
    }
  }

  // The next block of a stream: the lines up to an empty one; nullopt: it has ended.
  std::optional<std::string> NextBlock() {
    while (events_.find("\n\n") == std::string::npos) {
      if (!ReadChunk()) return std::nullopt;
    }
    const size_t end = events_.find("\n\n");
    std::string block = events_.substr(0, end + 1);
    events_.erase(0, end + 2);
    return block;
  }

  // True where the bridge has closed the connection, or does so in time.
  bool IsClosed() {
    while (Fill()) {
    }
    return at_end_;
  }

  void Close() { fd_ = UniqueFd(); }

  std::string last_event_id;

 private:
  void Connect() {
    fd_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  bool Fill() {
    pollfd ready = {.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kDeadlineMs) != 1) {
      ADD_FAILURE() << "nothing came in time; so far: " << buffer_;
      return false;
    }
    char bytes[65536];
    const ssize_t n = recv(fd_.get(), bytes, sizeof bytes, 0);
    if (n <= 0) {
      at_end_ = true;
      return false;
    }
    buffer_.append(bytes, static_cast<size_t>(n));
    return true;
  }

  bool ReadChunk() {
    size_t end;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!Fill()) return false;
    }
    const size_t size = strtoul(buffer_.c_str(), nullptr, 16);
    while (buffer_.size() < end + 2 + size + 2) {
      if (!Fill()) return false;
    }
    events_ += buffer_.substr(end + 2, size);
    buffer_.erase(0, end + 2 + size + 2);
    return size > 0;
  }

  const uint16_t port_;
  UniqueFd fd_;
  std::string buffer_;
  std::string events_;
  bool at_end_ = false;
};

inline ServerConfig Fake(std::string name, std::vector<std::string> flags = {}) {
  ServerConfig server;
  server.name = name;
  server.app = AppId("app");
  server.command = {FakeServer()};
  server.command.insert(server.command.end(), flags.begin(), flags.end());
  server.prefix = name + "__";
  return server;
}

// A policy of `app` for fake servers of these names: `do` is SAFE, `drop` DESTRUCTIVE,
// `hidden` not reviewed.
inline AppData Policy(const std::vector<std::string>& servers, Mode mode = Mode::kFullAccess) {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = mode;
  for (const std::string& server : servers) {
    for (const auto& [name, risk] :
         {std::pair("do", Risk::kSafe), std::pair("drop", Risk::kDestructive)}) {
      CatalogEntry entry;
      entry.key = {AppId("app"), ServerId(server), ToolName(name)};
      entry.risk = risk;
      entry.needs_connection = NeedsConnection::kNo;
      data.catalog.push_back(entry);
    }
  }
  return data;
}

class TestBridge {
 public:
  explicit TestBridge(std::vector<ServerConfig> servers, std::optional<AppData> policy = {},
                      BridgeServerLimits limits = {}, BridgeConfig config = {})
      : work_(boost::asio::make_work_guard(io_)) {
    std::vector<std::string> names;
    for (const ServerConfig& server : servers) names.push_back(server.name);
    policies.SetPolicy(policy ? *std::move(policy) : Policy(names));
    config.listen = "127.0.0.1:0";
    config.servers = std::move(servers);
    auto bridge = BridgeServer::Create(io_, std::move(config),
                                       {.policies = policies,
                                        .judge = nullptr,
                                        .clock = clock_,
                                        .ids = ids_,
                                        .log = log,
                                        .make_observer = nullptr,
                                        .report_counts = nullptr,
                                        .version = "0.0.0"},
                                       std::move(limits));
    EXPECT_THAT(bridge, IsOk());
    if (!bridge.ok()) abort();
    bridge_ = *std::move(bridge);
    const std::string address = bridge_->address();
    port_ = static_cast<uint16_t>(atoi(address.substr(address.rfind(':') + 1).c_str()));
    thread_ = std::jthread([this] { io_.run(); });
  }

  ~TestBridge() { Stop(); }

  // Returns once the bridge has stopped.
  void Stop() {
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] { bridge_->Stop([this] { io_.stop(); }); });
    thread_.join();
  }

  uint16_t port() const { return port_; }
  HttpClient Client() const { return HttpClient(port_); }

  // Begins a session at `path` and returns the fields that name it.
  HttpClient::Fields Begin(const std::string& path) {
    HttpClient client = Client();
    const Reply reply = client.Ask("POST", path, kInitialize);
    EXPECT_EQ(reply.status, 200) << reply.body;
    HttpClient::Fields fields = {{"Mcp-Session-Id", reply.Field("mcp-session-id")},
                                 {"MCP-Protocol-Version", "2025-11-25"}};
    EXPECT_EQ(
        client
            .Ask("POST", path, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", fields)
            .status,
        202);
    return fields;
  }

  clients::FakePolicySource policies;
  FakeLogger log;

 private:
  RealClock clock_;
  RandomIdSource ids_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<BridgeServer> bridge_;
  uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_TEST_UTIL_H_
