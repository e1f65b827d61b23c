// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Holds four times as many calls at a keeperd as it has places in flight, and sees that
// it serves on: as much in the end as in the beginning, in no more memory, turning the
// rest away with a hint when to come back, and telling a prober that it lives.
//
//   overload_test [--seconds=3]

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/create_channel.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "bridgekeeper/v1/connection_service.grpc.pb.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/clock.h"
#include "tests/e2e/keeperd/keeperd_process.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::HasSubstr;

int seconds = 3;

constexpr char kToken[] = "admin-token-of-the-test";
constexpr int kPlaces = 16;
constexpr int kCallers = 4 * kPlaces;
// Callers that do not wait as they are told to.
constexpr int kRudeCallers = 4;
constexpr int kDeadlineSeconds = 30;

gpr_timespec In(int64_t milliseconds) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
}

void SetUp(grpc::ClientContext& context) {
  context.set_deadline(In(kDeadlineSeconds * 1000));
  context.AddMetadata("authorization", std::string("Bearer ") + kToken);
}

// A statement that takes a while to judge, on a worker (it is too long to be judged in
// place), and that nobody asked before.
std::string Arguments(uint64_t number) {
  std::string sql = "SELECT 1";
  for (int i = 0; i < 400; ++i) absl::StrAppendFormat(&sql, ", t.column_%d + %d", i, number);
  return absl::StrFormat(R"({"sql": "%s FROM t"})", sql);
}

struct Counts {
  std::atomic<int64_t> served = 0;
  std::atomic<int64_t> refused = 0;
  std::atomic<int64_t> without_hint = 0;
  std::atomic<int64_t> other = 0;
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> stop = false;
};

// One caller: a call, and in its callback the next.
class Caller {
 public:
  Caller(v1::DecisionService::Stub& stub, Counts& counts, bool rude, std::latch& done)
      : stub_(stub), counts_(counts), rude_(rude), done_(done) {}

  void Next() {
    if (counts_.stop) return done_.count_down();
    context_.emplace();
    SetUp(*context_);
    v1::ToolCall& call = *request_.mutable_call();
    call.set_app("app");
    call.set_tool("sqlkit__execute_query");
    call.set_connection_id("orders");
    call.set_arguments_json(Arguments(counts_.next++));
    stub_.async()->Decide(&*context_, &request_, &response_,
                          [this](const grpc::Status& status) { Take(status); });
  }

 private:
  void Take(const grpc::Status& status) {
    if (status.ok() && response_.decision().judged()) {
      ++counts_.served;
      return Next();
    }
    if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) {
      if (counts_.other++ == 0) std::printf("%s\n", status.error_message().c_str());
      return Next();
    }
    ++counts_.refused;
    const auto& trailer = context_->GetServerTrailingMetadata();
    const auto hint = trailer.find("grpc-retry-pushback-ms");
    int64_t wait_ms = 0;
    if (hint == trailer.end() ||
        !absl::SimpleAtoi(std::string(hint->second.data(), hint->second.size()), &wait_ms)) {
      ++counts_.without_hint;
    }
    if (rude_) return Next();
    // A fresh one: the last may still be in its callback.
    alarm_.emplace();
    alarm_->Set(In(wait_ms), [this](bool) { Next(); });
  }

  v1::DecisionService::Stub& stub_;
  Counts& counts_;
  const bool rude_;
  std::latch& done_;
  std::optional<grpc::Alarm> alarm_;
  std::optional<grpc::ClientContext> context_;
  v1::DecideRequest request_;
  v1::DecideResponse response_;
};

int64_t ResidentKib(pid_t pid) {
  std::ifstream status(absl::StrFormat("/proc/%d/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6);
  }
  return 0;
}

double Metric(const std::string& page, const std::string& name) {
  const size_t at = page.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::atof(page.c_str() + at + name.size() + 2);
}

class OverloadTest : public ::testing::Test {
 protected:
  OverloadTest()
      : keeperd_({.arguments = AnyPorts({"--dev", absl::StrFormat("--max-in-flight=%d", kPlaces),
                                         "--worker-threads=4"}),
                  .environment = {{"KEEPER_TOKEN", kToken}}}) {}

  void SetUp() override {
    ASSERT_TRUE(keeperd_.WaitUntilServing()) << keeperd_.errors();
    channel_ = grpc::CreateChannel(keeperd_.grpc_address(), grpc::InsecureChannelCredentials());
    stub_ = v1::DecisionService::NewStub(channel_);

    v1::PutPolicyRequest policy;
    policy.mutable_policy()->set_app("app");
    policy.mutable_options()->set_expected_revision(0);
    v1::PutPolicyResponse policy_response;
    grpc::ClientContext context;
    tests::SetUp(context);
    ASSERT_TRUE(
        v1::PolicyService::NewStub(channel_)->PutPolicy(&context, policy, &policy_response).ok());
    v1::PutConnectionRequest connection;
    connection.mutable_connection()->set_app("app");
    connection.mutable_connection()->set_id("orders");
    connection.mutable_connection()->set_type("postgres");
    connection.mutable_options()->set_expected_revision(0);
    v1::PutConnectionResponse connection_response;
    grpc::ClientContext other;
    tests::SetUp(other);
    ASSERT_TRUE(v1::ConnectionService::NewStub(channel_)
                    ->PutConnection(&other, connection, &connection_response)
                    .ok());
  }

  KeeperdProcess keeperd_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::DecisionService::Stub> stub_;
};

TEST_F(OverloadTest, ServesOnInBoundedMemoryAndTurnsTheRestAway) {
  Counts counts;
  std::latch done(kCallers);
  std::deque<Caller> callers;
  for (int i = 0; i < kCallers; ++i) callers.emplace_back(*stub_, counts, i < kRudeCallers, done);
  for (Caller& caller : callers) caller.Next();

  // What is seen in each third of the time; the first warms up, too.
  struct Third {
    int64_t served = 0;
    int64_t resident_kib = 0;
    double seconds = 0;
  };
  std::vector<Third> thirds;
  const RealClock clock;
  double most_in_flight = 0;
  for (int third = 0; third < 3; ++third) {
    const absl::Duration begin = clock.SinceBoot();
    const absl::Duration end = begin + absl::Seconds(seconds) / 3;
    const int64_t served = counts.served;
    EXPECT_TRUE(support::WaitUntil([&] {
      EXPECT_THAT(HttpGet(keeperd_.http_address(), "/livez"), HasSubstr("200 OK"));
      most_in_flight =
          std::max(most_in_flight, Metric(HttpGet(keeperd_.metrics_address(), "/metrics"),
                                          "bridgekeeper_requests_in_flight"));
      return clock.SinceBoot() >= end;
    }));
    // A server that turns requests away says so, and stays in rotation.
    const std::string ready = HttpGet(keeperd_.http_address(), "/readyz?verbose");
    EXPECT_THAT(ready, HasSubstr("200 OK"));
    EXPECT_THAT(ready, HasSubstr("[!] requests failed, not required: overloaded"));
    thirds.push_back({counts.served - served, ResidentKib(keeperd_.pid()),
                      absl::ToDoubleSeconds(clock.SinceBoot() - begin)});
  }
  counts.stop = true;
  done.wait();

  for (const Third& third : thirds) {
    std::printf("%lld served in %.1f s, %lld KiB resident\n", static_cast<long long>(third.served),
                third.seconds, static_cast<long long>(third.resident_kib));
  }
  std::printf("%lld refused, at most %.0f in flight\n", static_cast<long long>(counts.refused),
              most_in_flight);
  EXPECT_GT(counts.refused, 0);
  EXPECT_EQ(counts.without_hint, 0);
  EXPECT_EQ(counts.other, 0);
  EXPECT_GT(most_in_flight, 0);
  EXPECT_LE(most_in_flight, kPlaces);
  // The machine may have other things to do, so steady is not equal.
  const auto rate = [](const Third& third) {
    return static_cast<double>(third.served) / third.seconds;
  };
  EXPECT_GT(rate(thirds[0]), 0);
  EXPECT_GT(rate(thirds[2]), rate(thirds[0]) / 3);
  // Judgements that are remembered may take 16 MiB.
  EXPECT_LT(thirds[2].resident_kib - thirds[0].resident_kib, 24 << 10);

  // Once the others are gone there is room at once.
  grpc::ClientContext context;
  tests::SetUp(context);
  v1::DecideRequest request;
  request.mutable_call()->set_app("app");
  request.mutable_call()->set_tool("sqlkit__list_connections");
  v1::DecideResponse response;
  EXPECT_TRUE(stub_->Decide(&context, request, &response).ok());
  keeperd_.Signal(SIGTERM);
  EXPECT_EQ(keeperd_.WaitForEnd().code, 0);
}

}  // namespace
}  // namespace bridgekeeper::tests

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  constexpr std::string_view kSeconds = "--seconds=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (!text.starts_with(kSeconds) || !absl::SimpleAtoi(std::string(text.substr(kSeconds.size())),
                                                         &bridgekeeper::tests::seconds)) {
      std::fprintf(stderr, "got `%s`, want --seconds=N\n", argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
