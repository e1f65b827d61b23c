// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// An MCP server behind a real socket that answers as a test says: by the book where the
// test says nothing. Each connection has a thread; every wait has a deadline.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_FAKE_HTTP_SERVER_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_FAKE_HTTP_SERVER_TEST_UTIL_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "runtime/unique_fd.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {

struct FakeRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;
  int connection = 0;  // counts from 1

  std::string Field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
  // Of the message in the body; empty where it has none.
  std::string rpc_method;
  std::string id;  // as it was written
};

// What a test answers with.
class FakeReply {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit FakeReply(int fd) : fd_(fd) {}

  void Json(std::string_view body, int status = 200, const Fields& fields = {}) {
    Whole(status, "application/json", body, fields);
  }
  void Result(const FakeRequest& request, std::string_view result, const Fields& fields = {}) {
    Json(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":%s})", request.id, result), 200,
         fields);
  }
  void Status(int status, const Fields& fields = {}) { Whole(status, "", "", fields); }
  void Whole(int status, std::string_view type, std::string_view body, const Fields& fields = {}) {
    std::string text = Head(status, type, fields);
    Raw(text + absl::StrFormat("Content-Length: %d\r\n\r\n", body.size()) + std::string(body));
  }
  void BeginEvents(const Fields& fields = {}) {
    Raw(Head(200, "text/event-stream", fields) + "Transfer-Encoding: chunked\r\n\r\n");
  }
  void Event(std::string_view data, std::string_view id = "") {
    std::string text;
    if (!id.empty()) text += absl::StrFormat("id: %s\n", id);
    Chunk(text + absl::StrFormat("data: %s\n\n", data));
  }
  void Chunk(std::string_view bytes) {
    Raw(absl::StrFormat("%x\r\n", bytes.size()) + std::string(bytes) + "\r\n");
  }
  void EndEvents() { Raw("0\r\n\r\n"); }
  // Closes the connection.
  void Cut() { is_cut_ = true; }
  void Raw(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  // True once the client has closed the connection.
  bool WaitGone() const {
    return support::WaitUntil([this] {
      char byte;
      return recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    });
  }
  bool is_cut() const { return is_cut_; }

 private:
  static std::string Head(int status, std::string_view type, const Fields& fields) {
    std::string text = absl::StrFormat("HTTP/1.1 %d X\r\n", status);
    if (!type.empty()) text += absl::StrFormat("Content-Type: %s\r\n", type);
    for (const auto& [name, value] : fields) text += absl::StrFormat("%s: %s\r\n", name, value);
    return text;
  }

  const int fd_;
  bool is_cut_ = false;
};

class FakeHttpServer {
 public:
  // Returns false where it leaves the answer to the server.
  using Handler = std::function<bool(const FakeRequest&, FakeReply&)>;

  explicit FakeHttpServer(Handler handler = nullptr, uint16_t port = 0)
      : handler_(std::move(handler)) {
    Listen(port);
  }
  ~FakeHttpServer() { Close(); }

  // Ends every connection and listens no more.
  void Close() {
    if (closing_.exchange(true)) return;
    shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
      MutexLock lock(mu_);
      for (const auto& connection : connections_) shutdown(connection->fd.get(), SHUT_RDWR);
    }
    // Nothing is added any more.
    for (const auto& connection : connections_) connection->thread.join();
  }

  uint16_t port() const { return port_; }

  std::vector<FakeRequest> requests() const {
    MutexLock lock(mu_);
    return requests_;
  }
  // Those of one method of MCP, or of HTTP.
  std::vector<FakeRequest> RequestsOf(std::string_view method) const {
    std::vector<FakeRequest> found;
    for (FakeRequest& request : requests()) {
      if (request.rpc_method == method || request.method == method) {
        found.push_back(std::move(request));
      }
    }
    return found;
  }
  size_t CountOf(std::string_view method) const { return RequestsOf(method).size(); }
  bool WaitFor(std::string_view method, size_t count = 1) const {
    return support::WaitUntil([&] { return CountOf(method) >= count; });
  }

  std::atomic<bool> is_stateless = false;  // speaks 2026-07-28 alone
  std::atomic<int> sessions = 0;           // begun; the latest is `session-N`
  std::string tools =
      R"([{"name":"do","inputSchema":{"type":"object"}},{"name":"drop","inputSchema":{"type":"object"}}])";

 private:
  struct Connection {
    UniqueFd fd;
    std::thread thread;
  };

  void Listen(uint16_t port) {
    listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(listen(listener_.get(), 64), 0);
    ASSERT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] {
      for (int number = 1;; ++number) {
        UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (fd.get() < 0) return;
        MutexLock lock(mu_);
        if (closing_) return;
        connections_.push_back(std::make_unique<Connection>());
        Connection* connection = connections_.back().get();
        connection->fd = std::move(fd);
        connection->thread =
            std::thread([this, connection, number] { Serve(*connection, number); });
      }
    });
  }

  void Serve(Connection& connection, int number) {
    std::string buffer;
    const int fd = connection.fd.get();
    const auto fill = [&] {
      char bytes[65536];
      const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
      if (n > 0) buffer.append(bytes, static_cast<size_t>(n));
      return n > 0;
    };
    while (true) {
      size_t end;
      while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
        if (!fill()) return;
      }
      FakeRequest request = HeadOf(buffer.substr(0, end + 2));
      request.connection = number;
      buffer.erase(0, end + 4);
      const size_t size = strtoul(request.Field("content-length").c_str(), nullptr, 10);
      while (buffer.size() < size) {
        if (!fill()) return;
      }
      request.body = buffer.substr(0, size);
      buffer.erase(0, size);
      ReadBody(request);
      {
        MutexLock lock(mu_);
        requests_.push_back(request);
      }
      FakeReply reply(fd);
      if (handler_ == nullptr || !handler_(request, reply)) Answer(request, reply);
      if (reply.is_cut()) {
        shutdown(fd, SHUT_RDWR);
        return;
      }
    }
  }

  static FakeRequest HeadOf(std::string head) {
    FakeRequest request;
    const size_t space = head.find(' ');
    request.method = head.substr(0, space);
    request.target = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
    head.erase(0, head.find("\r\n") + 2);
    while (!head.empty()) {
      const size_t line_end = head.find("\r\n");
      const std::string line = head.substr(0, line_end);
      head.erase(0, line_end + 2);
      const size_t colon = line.find(':');
      size_t value = colon + 1;
      while (value < line.size() && line[value] == ' ') ++value;
      request.fields[AsciiLower(line.substr(0, colon))] = line.substr(value);
    }
    return request;
  }

  static void ReadBody(FakeRequest& request) {
    const auto document = JsonDocument::Parse(request.body);
    if (!document.ok()) return;
    const auto method = document->root().Find("method");
    if (method && method->is_string()) request.rpc_method = std::string(method->string());
    const auto id = document->root().Find("id");
    if (id) request.id = std::string(id->raw());
  }

  // By the book.
  void Answer(const FakeRequest& request, FakeReply& reply) {
    if (request.method == "GET") return reply.Status(405);
    if (request.method == "DELETE") return reply.Status(200);
    const bool is_modern = request.Field("mcp-protocol-version") == "2026-07-28";
    if (is_stateless != is_modern) {
      return reply.Json(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"era"}})",
                        400);
    }
    if (request.rpc_method == "initialize") {
      return reply.Result(
          request,
          R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}})",
          {{"Mcp-Session-Id", absl::StrFormat("session-%d", ++sessions)}});
    }
    if (request.rpc_method == "server/discover") {
      return reply.Result(
          request,
          R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"instructions":"be kind"})");
    }
    if (!is_stateless &&
        request.Field("mcp-session-id") != absl::StrFormat("session-%d", sessions.load())) {
      return reply.Status(404);
    }
    if (request.id.empty() || request.rpc_method.empty()) return reply.Status(202);
    if (request.rpc_method == "tools/list") {
      return reply.Result(request, absl::StrFormat(R"({"tools":%s})", tools));
    }
    if (request.rpc_method == "tools/call") {
      return reply.Result(request, R"({"content":[{"type":"text","text":"done"}]})");
    }
    reply.Json(
        absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such"}})",
                        request.id),
        is_stateless ? 404 : 200);
  }

  const Handler handler_;
  UniqueFd listener_;
  uint16_t port_ = 0;
  std::atomic<bool> closing_ = false;
  std::thread acceptor_;
  mutable Mutex mu_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::vector<FakeRequest> requests_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_FAKE_HTTP_SERVER_TEST_UTIL_H_
