// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A client of an Upstream whose server is behind a URL, over a real socket.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_TRANSPORT_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_TRANSPORT_TEST_UTIL_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/upstream/fake_http_server_test_util.h"
#include "clients/bridge/upstream/http_transport.h"
#include "clients/bridge/upstream/upstream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/testing/fake_logger.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {

inline constexpr std::string_view kChanged =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

inline std::string CallOf(std::string_view id, std::string_view name = "do",
                          std::string_view arguments = "{}", std::string_view more = "") {
  return absl::StrFormat(
      R"({"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s%s}})",
      id, name, arguments, more);
}
inline std::string RequestOf(std::string_view method, std::string_view id = "1") {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"method":"%s"})", id, method);
}

// One client of an Upstream whose server is behind a URL.
class UrlClient : private Upstream::Client {
 public:
  explicit UrlClient(const std::string& url, std::function<void(HttpTransportOptions&)> change = {})
      : work_(boost::asio::make_work_guard(io_)) {
    HttpTransportOptions options{.name = "far",
                                 .url = *ParseServerUrl(url),
                                 .ca_file = "",
                                 .version = "0.0.0",
                                 .fields = nullptr,
                                 .tools_poll = absl::Seconds(3600)};
    if (change) change(options);
    auto transport = MakeHttpTransport(io_, std::move(options), clock_, ids_, log);
    EXPECT_THAT(transport, IsOk());
    upstream_ = std::make_unique<Upstream>(io_, "far", "0.0.0", *std::move(transport), clock_, log);
    id_ = upstream_->Attach(*this);
    upstream_->Start();
    thread_ = std::jthread([this] { io_.run(); });
  }
  explicit UrlClient(const FakeHttpServer& server,
                     std::function<void(HttpTransportOptions&)> change = {})
      : UrlClient(absl::StrFormat("http://127.0.0.1:%d/mcp", server.port()), std::move(change)) {}

  ~UrlClient() override { Stop(); }

  // Returns once the server has been left.
  void Stop() {
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] { upstream_->Stop([this] { io_.stop(); }); });
    thread_.join();
  }

  void Send(std::string line) {
    boost::asio::post(io_, [this, line = std::move(line)] { upstream_->Send(id_, line); });
  }

  // The answer to request `id`; empty where none comes in time.
  std::string Answer(std::string_view id) {
    const std::string mark = absl::StrFormat(R"("id":%s,)", id);
    std::string found;
    EXPECT_TRUE(support::WaitUntil([&] {
      for (const std::string& frame : frames()) {
        if (frame.find(mark) != std::string::npos &&
            frame.find(R"("method")") == std::string::npos) {
          found = frame;
        }
      }
      return !found.empty();
    })) << "no answer to "
        << id;
    return found;
  }
  std::string Ask(std::string line, std::string_view id = "1") {
    Send(std::move(line));
    return Answer(id);
  }
  bool WaitForFrame(std::string_view text) {
    return support::WaitUntil([&] {
      const auto all = frames();
      return std::any_of(all.begin(), all.end(), [&](const std::string& frame) {
        return frame.find(text) != std::string::npos;
      });
    });
  }

  std::vector<std::string> frames() const {
    MutexLock lock(mu_);
    return frames_;
  }
  Upstream::Status status() {
    std::promise<Upstream::Status> status;
    boost::asio::post(io_, [&] { status.set_value(upstream_->status()); });
    return status.get_future().get();
  }
  bool WaitReady(bool ready = true) {
    return support::WaitUntil([&] { return status().ready == ready; });
  }

  FakeLogger log;

 private:
  void OnServerFrame(const Frame& frame, const IdKey&) override {
    MutexLock lock(mu_);
    frames_.emplace_back(frame.text);
  }

  RealClock clock_;
  RandomIdSource ids_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<Upstream> upstream_;
  Upstream::ClientId id_ = 0;
  mutable Mutex mu_;
  std::vector<std::string> frames_ ABSL_GUARDED_BY(mu_);
  std::jthread thread_;
};

// A server that leaves one method of MCP, or of HTTP, to the test.
inline FakeHttpServer::Handler On(std::string method,
                                  std::function<void(const FakeRequest&, FakeReply&)> answer) {
  return [method = std::move(method), answer = std::move(answer)](const FakeRequest& request,
                                                                  FakeReply& reply) {
    if (request.rpc_method != method && request.method != method) return false;
    answer(request, reply);
    return true;
  };
}

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_TRANSPORT_TEST_UTIL_H_
