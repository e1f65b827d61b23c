// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What holds for all services: who may call, faults, overload, health, reflection,
// metrics, and the stop.

#include <grpc/support/time.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "service/auth/rpc_table.h"
#include "service/core/testing/gated_store.h"
#include "store/memory/memory_store.h"
#include "tests/integration/service/records.h"
#include "tests/integration/service/running_server.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Decisions = v1::DecisionService::Stub;

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToText(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string out;
  for (const grpc::Slice& slice : slices) {
    out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return out;
}

// Calls a unary method by its path with the bytes of a message.
absl::Status CallGeneric(RunningServer& server, const std::string& path, const std::string& request,
                         std::optional<std::string_view> token, std::string* answer) {
  grpc::GenericStub stub(server.channel());
  Context context(token);
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(&context, path, ToBuffer(request), &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  if (status.ok() && answer != nullptr) *answer = ToText(response);
  return ToAbsl(status);
}

absl::Status CallByName(RunningServer& server, const service::RpcRow& row,
                        std::optional<std::string_view> token) {
  return CallGeneric(server,
                     absl::StrFormat("/%s.%s/%s", service::kProtoPackage, row.service, row.method),
                     "", token, nullptr);
}

TEST(AccessTest, OnlyWritesNeedTheTokenAndAllOfThemDo) {
  RunningServer server;
  for (const service::RpcRow& row : service::RpcTable()) {
    if (row.type != service::RpcType::kUnary) continue;
    SCOPED_TRACE(row.method);
    const absl::StatusCode without = CallByName(server, row, std::nullopt).code();
    const absl::StatusCode wrong = CallByName(server, row, "wrong").code();
    const absl::StatusCode with = CallByName(server, row, kToken).code();
    if (row.access == service::Access::kWrite) {
      EXPECT_EQ(without, absl::StatusCode::kUnauthenticated);
      EXPECT_EQ(wrong, absl::StatusCode::kUnauthenticated);
    } else {
      EXPECT_EQ(without, with);
      EXPECT_EQ(wrong, with);
    }
    EXPECT_THAT(with, AnyOf(absl::StatusCode::kOk, absl::StatusCode::kInvalidArgument,
                            absl::StatusCode::kFailedPrecondition));
  }
}

TEST(AccessTest, WithoutATokenWritesAreRefusedAndSayWhatToDo) {
  RunningServerOptions options;
  options.admin_token = std::nullopt;
  RunningServer server(std::move(options));
  v1::PutPolicyResponse response;
  EXPECT_THAT(Call(*server.policies, &v1::PolicyService::Stub::PutPolicy,
                   PutRequest("dockit", Mode::kReadOnly, 0), &response, "anything"),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("KEEPER_TOKEN")));
  EXPECT_EQ(server.store().Token().revision.value, 0);
}

class FaultsTest : public ::testing::Test {
 protected:
  FaultsTest() { Start(absl::Seconds(30)); }

  void Start(absl::Duration drain_timeout) {
    server_.reset();
    auto gated = std::make_unique<service::GatedStore>(memory_);
    store_ = gated.get();
    RunningServerOptions options;
    options.use_store = std::move(gated);
    options.change = [drain_timeout](service::Options& o) {
      o.max_in_flight = 4;
      o.worker_threads = 8;
      o.drain_timeout = drain_timeout;
    };
    server_ = std::make_unique<RunningServer>(std::move(options));
  }

  // Asks something that reads the app's policy on a worker.
  absl::Status Ask(const std::string& app, grpc::ClientContext& context) {
    v1::ExplainRequest request;
    *request.mutable_call() = CallOf(app, "es__search", "prod");
    v1::ExplainResponse response;
    return ToAbsl(server_->decisions->Explain(&context, request, &response));
  }
  absl::Status Ask(const std::string& app) {
    Context context(std::nullopt);
    return Ask(app, context);
  }
  absl::Status Decide(const std::string& app) {
    v1::DecideRequest request;
    *request.mutable_call() = CallOf(app, "es__search", "prod");
    v1::DecideResponse response;
    return Call(*server_->decisions, &Decisions::Decide, request, &response);
  }

  store::MemoryStore memory_;
  service::GatedStore* store_ = nullptr;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(FaultsTest, FaultOfOursIsLoggedWholeAndToldByItsKind) {
  store_->FailReads(absl::StatusCode::kDataLoss, "bad checksum in /var/lib/secret/000042.sst");
  const absl::Status status = Decide("dockit");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, Not(HasSubstr("secret"))));
  const auto events = server_->log().EventsOf("a request failed by a fault of ours");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0].fields.at("error"), HasSubstr("000042.sst"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(events[0].fields.at("mark")));
  store_->Heal();
  EXPECT_THAT(Decide("dockit"), IsOk());
}

TEST_F(FaultsTest, DecisionsOnWhatIsInMemoryGoOnWithoutTheStore) {
  ASSERT_THAT(Decide("dockit"), IsOk());
  store_->FailWrites(absl::StatusCode::kUnavailable, "no disk");
  v1::PutPolicyResponse response;
  EXPECT_THAT(Call(*server_->policies, &v1::PolicyService::Stub::PutPolicy,
                   PutRequest("dockit", Mode::kReadOnly, 0), &response),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Decide("dockit"), IsOk());
}

TEST_F(FaultsTest, StoreThatHangsHoldsUpNothingThatIsInMemory) {
  ASSERT_THAT(Decide("dockit"), IsOk());
  std::latch hangs(2);
  std::latch go_on(1);
  store_->before_read = [&](int) {
    hangs.count_down();
    go_on.wait();
  };
  std::vector<std::jthread> callers;
  for (const char* app : {"a", "b"}) {
    callers.emplace_back([this, app] { EXPECT_THAT(Decide(app), IsOk()); });
  }
  hangs.wait();
  EXPECT_THAT(Decide("dockit"), IsOk());
  go_on.count_down();
}

TEST_F(FaultsTest, TooManyInFlightAreTurnedAwayWithARetryHint) {
  // Four calls wait for the store; the fifth is one too many.
  std::latch all_wait(4);
  std::latch go_on(1);
  store_->before_read = [&](int) {
    all_wait.count_down();
    go_on.wait();
  };
  std::atomic<int> served = 0;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&, i] { served += Ask(absl::StrFormat("app%d", i)).ok(); });
  }
  all_wait.wait();
  Context context(std::nullopt);
  EXPECT_THAT(Ask("app9", context),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("max_in_flight")));
  EXPECT_EQ(context.GetServerTrailingMetadata().count("grpc-retry-pushback-ms"), 1u);
  go_on.count_down();
  callers.clear();
  EXPECT_EQ(served, 4);
  EXPECT_THAT(Ask("app9"), IsOk()) << "there is room again";
}

TEST_F(FaultsTest, CallWhoseDeadlinePassedIsNotServed) {
  std::latch waits(1);
  std::latch go_on(1);
  store_->before_read = [&](int number) {
    if (number > 1) return;
    waits.count_down();
    go_on.wait();
  };
  {
    Context context(std::nullopt);
    context.set_deadline(
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(2, GPR_TIMESPAN)));
    EXPECT_THAT(Ask("dockit", context), StatusIs(absl::StatusCode::kDeadlineExceeded));
  }
  const bool has_reached_store = waits.try_wait();
  go_on.count_down();
  EXPECT_TRUE(has_reached_store);
  EXPECT_THAT(Ask("dockit"), IsOk());
}

TEST_F(FaultsTest, StopWaitsForCallsInFlight) {
  std::latch waits(1);
  std::latch go_on(1);
  store_->before_read = [&](int number) {
    if (number > 1) return;
    waits.count_down();
    go_on.wait();
  };
  absl::Status answered;
  std::jthread caller([&] { answered = Ask("dockit"); });
  waits.wait();
  std::jthread stopper([&] { EXPECT_TRUE(server_->Stop()); });
  // The stop has begun when nobody new is let in.
  while (Ask("other").ok()) {
  }
  go_on.count_down();
  stopper.join();
  caller.join();
  EXPECT_THAT(answered, IsOk());
}

TEST_F(FaultsTest, StopThatTakesTooLongSaysSo) {
  Start(absl::Milliseconds(50));
  std::latch waits(1);
  std::latch go_on(1);
  store_->before_read = [&](int number) {
    if (number > 1) return;
    waits.count_down();
    go_on.wait();
  };
  std::jthread caller([&] { (void)Ask("dockit"); });
  waits.wait();
  std::jthread late([&] {
    const RealClock clock;
    const absl::Duration begin = clock.SinceBoot();
    // Well past drain_timeout.
    EXPECT_TRUE(
        support::WaitUntil([&] { return clock.SinceBoot() - begin > absl::Milliseconds(500); }));
    go_on.count_down();
  });
  EXPECT_FALSE(server_->Stop());
}

// ---- Services that are not ours, whose messages are few enough to be written here.

// Asks grpc.health.v1 for `service`: its status, or the error.
absl::StatusOr<int> Health(RunningServer& server, const std::string& service) {
  std::string request;
  if (!service.empty()) {
    request = "\x0a";  // field 1, a string
    request += static_cast<char>(service.size());
    request += service;
  }
  std::string answer;
  absl::Status status =
      CallGeneric(server, "/grpc.health.v1.Health/Check", request, std::nullopt, &answer);
  if (!status.ok()) return status;
  // Field 1, an enum: 1 is SERVING, 2 is NOT_SERVING.
  EXPECT_EQ(answer.size(), 2u);
  return static_cast<int>(answer.at(1));
}

TEST(HealthTest, AnswersForTheServerAndForEachService) {
  RunningServer server;
  EXPECT_THAT(Health(server, ""), IsOkAndHolds(1));
  EXPECT_THAT(Health(server, "live"), IsOkAndHolds(1));
  for (const service::RpcRow& row : service::RpcTable()) {
    EXPECT_THAT(Health(server, absl::StrFormat("%s.%s", service::kProtoPackage, row.service)),
                IsOkAndHolds(1));
  }
  EXPECT_THAT(Health(server, "nobody"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(FaultsTest, HealthTellsAServerThatDrainsFromOneThatIsDead) {
  std::latch waits(1);
  std::latch go_on(1);
  store_->before_read = [&](int number) {
    if (number > 1) return;
    waits.count_down();
    go_on.wait();
  };
  std::jthread caller([&] { (void)Ask("dockit"); });
  waits.wait();
  EXPECT_THAT(Health(*server_, ""), IsOkAndHolds(1)) << "busy is not dead";
  std::jthread stopper([&] { (void)server_->Stop(); });
  while (Ask("other").ok()) {
  }
  EXPECT_THAT(Health(*server_, ""), IsOkAndHolds(2));
  EXPECT_THAT(Health(*server_, "bridgekeeper.v1.DecisionService"), IsOkAndHolds(2));
  EXPECT_THAT(Health(*server_, "live"), IsOkAndHolds(1));
  go_on.count_down();
}

TEST(ReflectionTest, ListsEveryService) {
  RunningServer server;
  grpc::GenericStub stub(server.channel());
  Context context(std::nullopt);
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  const auto wait = [&] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  call->StartCall(nullptr);
  ASSERT_TRUE(wait());
  call->Write(ToBuffer("\x3a\x01*"), nullptr);  // field 7, list_services
  ASSERT_TRUE(wait());
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  ASSERT_TRUE(wait());
  const std::string text = ToText(answer);
  for (const service::RpcRow& row : service::RpcTable()) {
    EXPECT_THAT(text, HasSubstr(absl::StrFormat("%s.%s", service::kProtoPackage, row.service)));
  }
  EXPECT_THAT(text, HasSubstr("grpc.health.v1.Health"));
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  queue.Shutdown();
  while (wait()) {
  }
}

}  // namespace
}  // namespace bridgekeeper::tests
