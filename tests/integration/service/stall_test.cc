// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Clients that take nothing of what they are sent: they are cut, and what they held is
// free again.

#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"
#include "tests/e2e/keeperd/keeperd_process.h"
#include "tests/integration/service/records.h"
#include "tests/integration/service/running_server.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::HasSubstr;
using Decisions = v1::DecisionService::Stub;

// Far more than a connection's window.
McpPolicy LargePolicy() {
  McpPolicy policy = store::SamplePolicy("dockit");
  for (int i = 0; i < 10'000; ++i) {
    policy.allowed_connection_ids.emplace(absl::StrFormat("%0100d", i));
  }
  return policy;
}

class StallTest : public ::testing::Test {
 protected:
  StallTest()
      : server_({.change = [](service::Options& options) {
          options.stall_timeout = absl::Seconds(1);
          options.max_in_flight = 1;
        }}) {
    EXPECT_THAT(server_.store().Commit({store::Put(LargePolicy())}, store::By()), IsOk());
  }

  absl::Status Decide() {
    v1::DecideRequest request;
    *request.mutable_call() = CallOf("other", "es__search", "prod");
    v1::DecideResponse response;
    return Call(*server_.decisions, &Decisions::Decide, request, &response);
  }

  bool WaitUntilCut() {
    return support::WaitUntil([&] {
      return HttpGet(server_.server().metrics_address(), "/metrics")
                 .find("\nbridgekeeper_stalled_rpcs_total 1\n") != std::string::npos;
    });
  }

  RunningServer server_;
};

TEST_F(StallTest, AnswerThatNobodyTakesGivesItsPlaceBack) {
  grpc::GenericStub stub(server_.channel());
  Context context(std::nullopt);
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, "/bridgekeeper.v1.PolicyService/GetPolicy", &queue);
  const auto wait = [&] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  v1::GetPolicyRequest request;
  request.set_app("dockit");
  const std::string bytes = request.SerializeAsString();
  const grpc::Slice slice(bytes);
  call->StartCall(nullptr);
  ASSERT_TRUE(wait());
  call->WriteLast(grpc::ByteBuffer(&slice, 1), {}, nullptr);
  ASSERT_TRUE(wait());
  // Nothing is read. The call holds the only place, until it is cut.
  EXPECT_TRUE(
      support::WaitUntil([&] { return absl::IsResourceExhausted(Decide()); }, absl::Seconds(10)));
  EXPECT_TRUE(WaitUntilCut());
  EXPECT_TRUE(support::WaitUntil([&] { return Decide().ok(); }));
  // Who does not read does not hear of it either.
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(wait());
  queue.Shutdown();
  EXPECT_FALSE(wait());
}

TEST_F(StallTest, StreamThatIsNotReadEnds) {
  Context context(std::nullopt);
  const auto stream = server_.decisions->DecideStream(&context);
  v1::DecideStreamRequest request;
  *request.mutable_call() = CallOf("other", "es__search", "prod");
  // The server takes no more once nobody takes its answers.
  std::jthread writer([&] {
    while (stream->Write(request)) {
    }
  });
  EXPECT_TRUE(support::WaitUntil([&] { return absl::IsResourceExhausted(Decide()); }));
  EXPECT_TRUE(WaitUntilCut());
  EXPECT_TRUE(support::WaitUntil([&] { return Decide().ok(); }));
  context.TryCancel();
  writer.join();
  (void)stream->Finish();
}

TEST_F(StallTest, WatchThatIsNotReadEnds) {
  Context context(std::nullopt);
  v1::WatchPoliciesRequest request;
  request.add_apps("dockit");
  const auto reader = server_.decisions->WatchPolicies(&context, request);
  EXPECT_TRUE(WaitUntilCut());
  EXPECT_TRUE(support::WaitUntil([&] {
    return HttpGet(server_.server().metrics_address(), "/metrics")
               .find("\nbridgekeeper_watchers 0\n") != std::string::npos;
  }));
  v1::WatchPoliciesResponse message;
  while (reader->Read(&message)) {
  }
  EXPECT_THAT(ToAbsl(reader->Finish()), StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(StallTest, ClientThatReadsSlowlyIsNotCut) {
  Context context(std::nullopt);
  const auto stream = server_.decisions->DecideStream(&context);
  v1::DecideStreamRequest request;
  *request.mutable_call() = CallOf("other", "es__search", "prod");
  v1::DecideStreamResponse response;
  const RealClock clock;
  const absl::Duration begin = clock.SinceBoot();
  // Longer than stall_timeout, with pauses in which nothing is under way.
  ASSERT_TRUE(support::WaitUntil([&] {
    EXPECT_TRUE(stream->Write(request) && stream->Read(&response));
    return clock.SinceBoot() - begin > absl::Milliseconds(2500);
  }));
  stream->WritesDone();
  EXPECT_THAT(ToAbsl(stream->Finish()), IsOk());
}

}  // namespace
}  // namespace bridgekeeper::tests
