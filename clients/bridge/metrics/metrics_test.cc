// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/metrics/metrics.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/metrics/metrics_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// ---- the page --------------------------------------------------------------------

DecidedCall Decided(ReasonCode reason, absl::Duration duration) {
  return {.duration = duration,
          .tool = "tool-of-the-client",
          .connection = "connection-of-the-client",
          .verdict = reason == ReasonCode::kAllowed ? Verdict::kAllow : Verdict::kDeny,
          .reason = reason,
          .client_name = "name-of-the-client"};
}

TEST(BridgeMetrics, PageHoldsWhatWasCounted) {
  BridgeMetrics metrics;
  metrics.OnDecision(Decided(ReasonCode::kAllowed, absl::Microseconds(7)));
  metrics.OnDecision(Decided(ReasonCode::kModeTooLow, absl::Microseconds(30)));
  metrics.OnDecision(Decided(ReasonCode::kModeTooLow, absl::Seconds(1)));
  metrics.CountJudgeFault(JudgeFault::kWorkerDied);
  CoreStats stats;
  stats.messages[0][0] = 11;
  stats.methods_refused = 4;
  clients::PolicySourceStats source;
  source.connected = true;
  source.token.revision = {9};
  source.age = absl::Seconds(2);
  const std::string page = metrics.Page(stats, 5, source, {.reported = 3, .dropped = 1});
  EXPECT_THAT(
      page,
      AllOf(HasSubstr(
                R"(bridgekeeper_bridge_messages_total{sender="client",outcome="forwarded"} 11)"),
            HasSubstr(R"(bridgekeeper_judge_faults_total{reason="worker_died"} 1)"),
            HasSubstr(R"(bridgekeeper_judge_faults_total{reason="late"} 0)"),
            HasSubstr("bridgekeeper_bridge_methods_refused_total 4"),
            HasSubstr("bridgekeeper_bridge_requests_in_flight 5"),
            HasSubstr(R"(bridgekeeper_decisions_total{reason="ALLOWED"} 1)"),
            HasSubstr(R"(bridgekeeper_decisions_total{reason="MODE_TOO_LOW"} 2)"),
            HasSubstr(R"(bridgekeeper_verdicts_total{verdict="DENY"} 2)"),
            HasSubstr(R"(bridgekeeper_decision_seconds_bucket{le="1e-05"} 1)"),
            HasSubstr(R"(bridgekeeper_decision_seconds_bucket{le="0.1"} 2)"),
            HasSubstr(R"(bridgekeeper_decision_seconds_bucket{le="+Inf"} 3)"),
            HasSubstr("bridgekeeper_decision_seconds_count 3")));
  EXPECT_THAT(page, AllOf(HasSubstr("bridgekeeper_policy_connected 1"),
                          HasSubstr("bridgekeeper_policy_revision 9"),
                          HasSubstr("bridgekeeper_policy_age_seconds 2"),
                          HasSubstr("bridgekeeper_reports_dropped_total 1")));
}

// What callers write becomes no series.
TEST(BridgeMetrics, NoTextOfACallerIsALabel) {
  BridgeMetrics metrics;
  const std::string before = metrics.Page({}, 0, {}, {});
  for (int i = 0; i < 1000; ++i) {
    DecidedCall call = Decided(ReasonCode::kUnknownTool, absl::ZeroDuration());
    call.tool += std::to_string(i);
    metrics.OnDecision(call);
  }
  const std::string after = metrics.Page({}, 0, {}, {});
  EXPECT_THAT(after, Not(HasSubstr("of-the-client")));
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'),
            std::count(before.begin(), before.end(), '\n'));
}

// ---- the server --------------------------------------------------------------------

class MetricsServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server =
        MetricsServer::Create(io_, "127.0.0.1:0", [] { return std::string("the page\n"); });
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
    thread_ = std::jthread([this] { io_.run(); });
  }
  void TearDown() override {
    io_.stop();
    thread_.join();
  }

  // The whole answer to `request`.
  std::string Ask(const std::string& request) {
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket socket(io);
    const std::string address = server_->address();
    const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    socket.connect({boost::asio::ip::address_v4::loopback(), port});
    // A request that is refused early is not read to its end.
    boost::system::error_code end;
    boost::asio::write(socket, boost::asio::buffer(request), end);
    std::string answer;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), end);
    return answer;
  }
  std::string Get(const std::string& target, const std::string& headers) {
    return Ask(absl::StrFormat("GET %s HTTP/1.1\r\n%s\r\n", target, headers));
  }

  boost::asio::io_context io_;
  std::unique_ptr<MetricsServer> server_;
  std::jthread thread_;
};

TEST_F(MetricsServerTest, ServesThePage) {
  EXPECT_THAT(Get("/metrics", "Host: localhost\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("version=0.0.4"),
                    HasSubstr("\r\n\r\nthe page\n")));
}

// Pages of other sites.
TEST_F(MetricsServerTest, KeepsTheRulesOfEveryListener) {
  EXPECT_THAT(Get("/metrics", "Host: evil.example\r\n"),
              AllOf(StartsWith("HTTP/1.1 403 "), Not(HasSubstr("the page"))));
  EXPECT_THAT(Get("/metrics", "Host: localhost\r\nOrigin: http://evil.example\r\n"),
              AllOf(StartsWith("HTTP/1.1 403 "), Not(HasSubstr("the page"))));
  EXPECT_THAT(Get("/metrics", ""), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                  "Content-Length: 2\r\n\r\nab"),
              StartsWith("HTTP/1.1 415 "));
}

TEST_F(MetricsServerTest, ServesNothingElse) {
  EXPECT_THAT(Get("/", "Host: localhost\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Ask("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
}

TEST_F(MetricsServerTest, SurvivesWhatIsNoRequest) {
  EXPECT_EQ(Ask("hello\r\n\r\n"), "");
  EXPECT_EQ(Ask("GET /metrics HTTP/1.1\r\nX: " + std::string(100'000, 'x')), "");
  EXPECT_THAT(Get("/metrics", "Host: localhost\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(MetricsServerTest, ManyConnectionsThatSayNothingAreOutlived) {
  boost::asio::io_context io;
  std::vector<boost::asio::ip::tcp::socket> silent;
  const std::string address = server_->address();
  const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  for (size_t i = 0; i < kMaxMetricsConnections; ++i) {
    silent.emplace_back(io).connect({boost::asio::ip::address_v4::loopback(), port});
  }
  silent.pop_back();  // closes it: its place is free again
  EXPECT_THAT(Get("/metrics", "Host: localhost\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(MetricsAddress, MustBeLoopback) {
  using enum absl::StatusCode;
  EXPECT_THAT(CheckMetricsAddress("127.0.0.1:0"), IsOk());
  EXPECT_THAT(CheckMetricsAddress("[::1]:9121"), IsOk());
  for (const char* address : {"", "127.0.0.1", ":1", "127.0.0.1:x", "127.0.0.1:70000", "::1:9121",
                              "localhost:1", "0.0.0.0:1", "10.0.0.1:1", "[::]:1"}) {
    EXPECT_THAT(CheckMetricsAddress(address), StatusIs(kInvalidArgument)) << address;
  }
}

TEST(MetricsAddress, ThatIsInUseIsSaid) {
  boost::asio::io_context io;
  const auto page = [] { return std::string(); };
  const auto first = MetricsServer::Create(io, "127.0.0.1:0", page);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(MetricsServer::Create(io, (*first)->address(), page),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr((*first)->address())));
}

}  // namespace
}  // namespace bridgekeeper::bridge
