// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Admission, ClockMap, DecisionCore, paging, WorkerPool.

#include <atomic>
#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_id_source.h"
#include "service/core/admission.h"
#include "service/core/clock_map.h"
#include "service/core/decision_core.h"
#include "service/core/paging.h"
#include "service/core/record_size.h"
#include "service/core/worker_pool.h"
#include "service/rpc/record_messages.h"
#include "store/memory/memory_store.h"
#include "store/testing/samples.h"

namespace bridgekeeper::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ClockMapTest, KeepsWhatIsFoundAgain) {
  ClockMap<int> map(3);
  int gone = 0;
  EXPECT_FALSE(map.Put("a", 1, gone));
  EXPECT_FALSE(map.Put("b", 2, gone));
  EXPECT_FALSE(map.Put("c", 3, gone));
  ASSERT_NE(map.Find("a"), nullptr);
  EXPECT_TRUE(map.Put("d", 4, gone));
  EXPECT_EQ(gone, 2) << "the first that was not found again";
  EXPECT_NE(map.Find("a"), nullptr);
  EXPECT_EQ(map.Find("b"), nullptr);
  EXPECT_EQ(map.size(), 3u);
}

TEST(ClockMapTest, ReplacesAndTakes) {
  ClockMap<int> map(2);
  int gone = 0;
  map.Put("a", 1, gone);
  EXPECT_FALSE(map.Put("a", 2, gone));
  EXPECT_EQ(gone, 1);
  EXPECT_TRUE(map.Take("a", gone));
  EXPECT_EQ(gone, 2);
  EXPECT_FALSE(map.Take("a", gone));
  map.Put("b", 3, gone);
  map.Put("c", 4, gone);
  EXPECT_EQ(map.size(), 2u) << "the place that was left is used again";
}

TEST(AdmissionTest, TurnsAwayWhatIsTooMuch) {
  Metrics metrics;
  FakeClock clock;
  Admission admission(2, clock, metrics);
  EXPECT_THAT(admission.Enter(), IsOk());
  EXPECT_THAT(admission.Enter(), IsOk());
  EXPECT_THAT(admission.Enter(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(metrics.overload_rejections.Sum(static_cast<size_t>(Overload::kInFlight)), 1u);
  EXPECT_EQ(admission.in_flight(), 2);
  admission.Leave();
  EXPECT_THAT(admission.Enter(), IsOk());
}

TEST(AdmissionTest, TellsOfOverloadForAWhileAfterIt) {
  Metrics metrics;
  FakeClock clock;
  Admission admission(1, clock, metrics);
  EXPECT_THAT(admission.Health(), IsOk());
  EXPECT_THAT(admission.Enter(), IsOk());
  EXPECT_THAT(admission.Health(), IsOk()) << "full is not overloaded";
  EXPECT_THAT(admission.Enter(), StatusIs(absl::StatusCode::kResourceExhausted));
  clock.Advance(absl::Seconds(3));
  EXPECT_THAT(admission.Health(),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("turned away 3s ago, 1 of at most 1 are in flight")));
  clock.Advance(absl::Seconds(8));
  EXPECT_THAT(admission.Health(), IsOk());
  admission.CountRefusal(Overload::kQueue);
  EXPECT_THAT(admission.Health(), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(AdmissionTest, CloseWaitsForThoseInside) {
  Metrics metrics;
  const RealClock clock;
  Admission admission(2, clock, metrics);
  ASSERT_THAT(admission.Enter(), IsOk());
  EXPECT_FALSE(admission.Close(absl::Milliseconds(1)));
  EXPECT_THAT(admission.Enter(), StatusIs(absl::StatusCode::kUnavailable));
  std::latch closing(1);
  std::jthread leaver([&] {
    closing.wait();
    admission.Leave();
  });
  closing.count_down();
  EXPECT_TRUE(admission.Close(absl::Minutes(1)));
  EXPECT_EQ(metrics.overload_rejections.Sum(static_cast<size_t>(Overload::kInFlight)), 0u);
}

TEST(WorkerPoolTest, RunsWhatWasQueuedBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool({.threads = 2, .max_queued = 100});
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(pool.Submit([&] { ++done; }));
  }
  EXPECT_EQ(done, 50);
}

TEST(WorkerPoolTest, RefusesWhatItCannotQueue) {
  std::latch started(1);
  std::latch go_on(1);
  WorkerPool pool({.threads = 1, .max_queued = 1});
  ASSERT_TRUE(pool.Submit([&] {
    started.count_down();
    go_on.wait();
  }));
  started.wait();
  EXPECT_TRUE(pool.Submit([] {}));
  EXPECT_FALSE(pool.Submit([] {}));
  go_on.count_down();
}

TEST(PagingTest, TokensComeBack) {
  const std::string token = EncodePageToken({"app", "", "a/b.c:d@e-f_g"});
  EXPECT_THAT(DecodePageToken(token, 3), IsOkAndHolds(ElementsAre("app", "", "a/b.c:d@e-f_g")));
}

TEST(PagingTest, WhatIsNoTokenOfOursIsRefused) {
  for (const char* token : {"", "app", "~", "~a~b", "~a~b~c~d", "~a~ ~c", "~a~b~c "}) {
    EXPECT_THAT(DecodePageToken(token, 3), StatusIs(absl::StatusCode::kInvalidArgument)) << token;
  }
}

TEST(PagingTest, PageSizeHasLimits) {
  EXPECT_THAT(PageSize(0, 200), IsOkAndHolds(200u));
  EXPECT_THAT(PageSize(1, 200), IsOkAndHolds(1u));
  EXPECT_THAT(PageSize(1000, 200), IsOkAndHolds(1000u));
  EXPECT_THAT(PageSize(1001, 200), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(PageSize(-1, 200), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(RecordSizeTest, IsCloseToTheMessage) {
  McpPolicy large = store::FullPolicy("dockit");
  for (int i = 0; i < 1000; ++i) {
    large.allowed_connection_ids.insert(ConnectionId(absl::StrFormat("connection-%d", i)));
    large.connection_overrides[ConnectionId(absl::StrFormat("connection-%d", i))].read_only = true;
  }
  const store::RecordValue values[] = {store::FullPolicy("dockit"), large,
                                       store::FullEntry("dockit", "pg", "query"),
                                       store::FullConnection("dockit", "prod")};
  for (const store::RecordValue& value : values) {
    store::Record record;
    record.key = store::KeyOf(value);
    record.revision = Revision{1};
    record.value = value;
    WatchMessage message;
    message.changes = {&record};
    v1::WatchPoliciesResponse wire;
    ToMessage(message, wire);
    const double bytes = static_cast<double>(wire.ByteSizeLong());
    EXPECT_NEAR(static_cast<double>(ApproximateBytes(record)), bytes, 100 + bytes / 10);
  }
}

class DecisionCoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(
        store_.Commit({store::Put(store::SamplePolicy("dockit", Mode::kReadOnly))}, store::By()),
        IsOk());
  }

  store::MemoryStore store_;
  Metrics metrics_;
  FakeClock clock_;
  FakeIdSource ids_;
  AppCache cache_{store_, {}, clock_, metrics_};
  DecisionCore core_{cache_, nullptr, ids_, clock_, metrics_};
};

TEST_F(DecisionCoreTest, DecidesAndCounts) {
  const ToolCall call{.tool = "es__search", .connection = "prod"};
  const auto state = core_.Load("dockit");
  ASSERT_THAT(state, IsOk());
  const DecisionOutcome outcome = core_.Decide(*state, call, Transport::kUnary);
  EXPECT_EQ(outcome.decision.verdict, Verdict::kAllow);
  EXPECT_EQ(outcome.policy_revision().value, 1);
  EXPECT_EQ(metrics_.decisions(Verdict::kAllow, ReasonCode::kAllowed, Transport::kUnary), 1u);
  EXPECT_EQ(metrics_.decision_duration.Read().count, 1u);
}

TEST_F(DecisionCoreTest, UnknownAppIsDeniedNotAnError) {
  const auto state = core_.Load("nobody");
  ASSERT_THAT(state, IsOk());
  const ToolCall call{.tool = "es__search"};
  const DecisionOutcome outcome = core_.Decide(*state, call, Transport::kBatch);
  EXPECT_EQ(outcome.decision.verdict, Verdict::kDeny);
  EXPECT_EQ(outcome.decision.reason, ReasonCode::kUnknownApp);
  EXPECT_EQ(outcome.policy_revision().value, 0);
  EXPECT_EQ(outcome.ask_mode(), AskMode::kApproval);
}

TEST_F(DecisionCoreTest, ExplainEndsAsDecideDoes) {
  const ToolCall call{.tool = "es__delete_index", .connection = "prod"};
  AppState state;
  const auto explanation = core_.Explain("dockit", call, state);
  ASSERT_THAT(explanation, IsOk());
  const DecisionOutcome outcome = core_.Decide(state, call, Transport::kUnary);
  EXPECT_EQ(explanation->decision.verdict, outcome.decision.verdict);
  EXPECT_EQ(explanation->decision.reason, outcome.decision.reason);
}

TEST_F(DecisionCoreTest, ListsEachToolOnce) {
  ASSERT_THAT(
      store_.Commit({store::Put(store::SampleEntry("dockit", "", "es__search", Risk::kSafe)),
                     store::Put(store::SampleEntry("dockit", "pg", "only_pg", Risk::kSafe))},
                    store::By()),
      IsOk());
  const auto any = core_.ListTools("dockit", {});
  ASSERT_THAT(any, IsOk());
  const std::set<std::string> names(any->names.begin(), any->names.end());
  EXPECT_EQ(names.size(), any->names.size());
  EXPECT_TRUE(names.contains("es__search"));
  EXPECT_FALSE(names.contains("only_pg")) << "no server is named";
  const auto pg = core_.ListTools("dockit", {.server = "pg"});
  ASSERT_THAT(pg, IsOk());
  EXPECT_THAT(pg->names, ElementsAre("es__search", "only_pg"))
      << "built-in entries say nothing about a stranger's server";
}

TEST_F(DecisionCoreTest, IdsAreUniqueOverThreadsAndStarts) {
  constexpr int kIds = 2000;
  std::vector<std::vector<std::string>> made(3);
  {
    std::vector<std::jthread> threads;
    for (auto& ids : made) {
      threads.emplace_back([&] {
        for (int i = 0; i < kIds; ++i) ids.push_back(core_.NextId());
      });
    }
  }
  std::set<std::string> all;
  for (const auto& ids : made) all.insert(ids.begin(), ids.end());
  EXPECT_EQ(all.size(), made.size() * kIds);
  DecisionCore other(cache_, nullptr, ids_, clock_, metrics_);
  EXPECT_FALSE(all.contains(other.NextId()));
  EXPECT_EQ(other.NextId().size(), 32u);
}

}  // namespace
}  // namespace bridgekeeper::service
