// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A bridge in a thread, with fake servers behind it and a fake policy.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_TEST_UTIL_H_

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <future>
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
#include "clients/bridge/http/http_client_test_util.h"
#include "clients/bridge/http/http_reader.h"
#include "clients/bridge/upstream/fake_http_server_test_util.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/base/mutex.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/testing/fake_logger.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {

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

// What a request is answered with in the end, whether or not as a stream.
inline std::string LastWord(HttpClient& client, Reply reply) {
  std::string last = std::move(reply.body);
  if (reply.Field("content-type") != "text/event-stream") return last;
  while (const auto event = client.NextEvent()) last = event->data;
  return last;
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

inline std::string InitializeWith(std::string_view capabilities) {
  return absl::StrFormat(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"test","version":"1"}}})",
      capabilities);
}
inline const std::string kInitialize = InitializeWith("{}");

inline ServerConfig Fake(std::string name, std::vector<std::string> flags = {}) {
  ServerConfig server;
  server.name = name;
  server.app = AppId("app");
  server.command = {FakeServer()};
  server.command.insert(server.command.end(), flags.begin(), flags.end());
  server.prefix = name + "__";
  return server;
}

// A server behind a URL.
inline ServerConfig Behind(const FakeHttpServer& server, std::string name = "one") {
  ServerConfig config = Fake(std::move(name));
  config.command.clear();
  config.url = absl::StrFormat("http://127.0.0.1:%d/mcp", server.port());
  return config;
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

// The decisions of a bridge, for another thread.
class SeenDecisions {
 public:
  std::vector<DecidedCall> All() const {
    MutexLock lock(mu_);
    return decisions_;
  }
  std::unique_ptr<BridgeObserver> Observer() { return std::make_unique<Eye>(*this); }

 private:
  class Eye : public BridgeObserver {
   public:
    explicit Eye(SeenDecisions& seen) : seen_(seen) {}
    void OnDecision(const DecidedCall& call) override {
      MutexLock lock(seen_.mu_);
      seen_.decisions_.push_back(call);
    }
    void OnToolsListed(const UpstreamToolList&) override {}

   private:
    SeenDecisions& seen_;
  };

  mutable Mutex mu_;
  std::vector<DecidedCall> decisions_ ABSL_GUARDED_BY(mu_);
};

class TestBridge {
 public:
  explicit TestBridge(std::vector<ServerConfig> servers, std::optional<AppData> policy = {},
                      BridgeServerLimits limits = {}, BridgeConfig config = {},
                      const PayloadJudge* judge = nullptr)
      : work_(boost::asio::make_work_guard(io_)) {
    std::vector<std::string> names;
    for (const ServerConfig& server : servers) names.push_back(server.name);
    policies.SetPolicy(policy ? *std::move(policy) : Policy(names));
    config.listen = "127.0.0.1:0";
    config.servers = std::move(servers);
    // On a slow machine, too, an answer stays one object for tests that read it so.
    if (limits.endpoint.json_patience == kJsonPatience) {
      limits.endpoint.json_patience = support::kDeadline;
    }
    auto bridge = BridgeServer::Create(io_, std::move(config), Parts(judge), std::move(limits));
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

  // What this bridge works with; another one may too, while this one is there.
  BridgeServerParts Parts(const PayloadJudge* judge = nullptr) {
    return {.policies = policies,
            .judge = judge,
            .clock = clock_,
            .ids = ids_,
            .log = log,
            .metrics = metrics_,
            .make_observer = [this](const ServerConfig&) { return decisions.Observer(); },
            .report_counts = nullptr,
            .version = "0.0.0"};
  }

  // Puts a configuration with these servers in force, as Reload() has it.
  absl::Status Reload(std::vector<ServerConfig> servers,
                      const std::function<void(BridgeConfig&)>& change = {}) {
    std::promise<absl::Status> done;
    boost::asio::post(io_, [&] {
      BridgeConfig config = bridge_->config();
      config.servers = std::move(servers);
      if (change) change(config);
      done.set_value(bridge_->Reload(std::move(config)));
    });
    return done.get_future().get();
  }

  uint16_t port() const { return port_; }
  HttpClient Client() const { return HttpClient(port_); }

  // Begins a session at `path` and returns the fields that name it.
  HttpClient::Fields Begin(const std::string& path, std::string_view capabilities = "{}") {
    HttpClient client = Client();
    const Reply reply = client.Ask("POST", path, InitializeWith(capabilities));
    EXPECT_EQ(reply.status, 200) << reply.body;
    LastWord(client, reply);
    HttpClient::Fields fields = {{"Mcp-Session-Id", reply.Field("mcp-session-id")},
                                 {"MCP-Protocol-Version", "2025-11-25"}};
    EXPECT_EQ(
        client
            .Ask("POST", path, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", fields)
            .status,
        202);
    return fields;
  }

  // The same with the list of tools read: the server sees the first call at once.
  HttpClient::Fields BeginAndList(const std::string& path) {
    HttpClient::Fields session = Begin(path);
    EXPECT_EQ(Client().Ask("POST", path, Request("tools/list"), session).status, 200);
    return session;
  }

  // Returns once so many requests are in flight.
  void WaitForInFlight(int requests) {
    EXPECT_TRUE(support::WaitUntil([&] {
      return Client()
                 .Ask("GET", "/metrics")
                 .body.find(absl::StrFormat("bridgekeeper_bridge_requests_in_flight %d\n",
                                            requests)) != std::string::npos;
    })) << requests;
  }

  clients::FakePolicySource policies;
  FakeLogger log;
  SeenDecisions decisions;

 private:
  RealClock clock_;
  RandomIdSource ids_;
  BridgeMetrics metrics_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<BridgeServer> bridge_;
  uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_TEST_UTIL_H_
