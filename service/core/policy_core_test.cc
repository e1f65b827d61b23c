// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/policy_core.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "store/memory/memory_store.h"
#include "store/testing/samples.h"

namespace bridgekeeper::service {
namespace {

using store::SamplePolicy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::StatusCode kAborted = absl::StatusCode::kAborted;
constexpr absl::StatusCode kNotFound = absl::StatusCode::kNotFound;

const McpPolicy& PolicyOf(const store::Record& record) {
  return std::get<McpPolicy>(*record.value);
}

class PolicyCoreTest : public ::testing::Test {
 protected:
  PolicyCore::Written MustPut(const McpPolicy& policy, int64_t expected = 0) {
    auto written = core_.Put(policy, expected, by_ada_);
    EXPECT_THAT(written, IsOk());
    return *std::move(written);
  }
  McpPolicy Current(const char* app) {
    auto record = core_.Get(AppId(app), Revision{});
    EXPECT_THAT(record, IsOk());
    return PolicyOf(*record);
  }
  static bool Never() { return false; }

  store::MemoryStore store_;
  Metrics metrics_;
  FakeClock clock_;
  AppCache cache_{store_, {}, clock_, metrics_};
  RecordWriter writer_{store_, cache_, clock_, metrics_};
  PolicyCore core_{store_, writer_};
  const WriteContext by_ada_{.author = "ada", .reason = "test"};
};

TEST_F(PolicyCoreTest, PutAnswersTheRecordAsStored) {
  const auto written = MustPut(SamplePolicy("dockit", Mode::kReadOnly));
  EXPECT_TRUE(written.changed);
  EXPECT_EQ(PolicyOf(written.record).mode, Mode::kReadOnly);
  EXPECT_EQ(written.record.revision.value, 1);
  EXPECT_EQ(written.record.author, "ada");
  EXPECT_EQ(written.record.reason, "test");
  EXPECT_EQ(written.record.time, clock_.Now());
}

TEST_F(PolicyCoreTest, PutOfTheSameChangesNothingWhateverIsExpected) {
  MustPut(SamplePolicy("dockit"));
  const auto again = MustPut(SamplePolicy("dockit"), 77);
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.record.revision.value, 1);
}

TEST_F(PolicyCoreTest, PutOnAnotherRevisionThanReadIsRefused) {
  MustPut(SamplePolicy("dockit", Mode::kReadOnly));
  EXPECT_THAT(core_.Put(SamplePolicy("dockit", Mode::kFullAccess), 0, by_ada_),
              StatusIs(kAborted, HasSubstr("dockit")));
  EXPECT_EQ(Current("dockit").mode, Mode::kReadOnly);
  EXPECT_EQ(metrics_.policy_writes.Sum(static_cast<size_t>(WriteResult::kConflict)), 1u);
}

TEST_F(PolicyCoreTest, GetReadsThePast) {
  MustPut(SamplePolicy("dockit", Mode::kReadOnly));
  MustPut(SamplePolicy("dockit", Mode::kFullAccess), 1);
  EXPECT_EQ(PolicyOf(*core_.Get(AppId("dockit"), Revision{1})).mode, Mode::kReadOnly);
  EXPECT_EQ(PolicyOf(*core_.Get(AppId("dockit"), Revision{2})).mode, Mode::kFullAccess);
  EXPECT_THAT(core_.Get(AppId("dockit"), Revision{3}), StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(core_.Get(AppId("nobody"), Revision{}),
              StatusIs(kNotFound, "app `nobody` has no policy"));
  EXPECT_THAT(core_.Get(AppId("nobody"), Revision{1}),
              StatusIs(kNotFound, "app `nobody` had no policy at revision 1"));
}

TEST_F(PolicyCoreTest, BatchIsOneRevisionOrNone) {
  MustPut(SamplePolicy("b", Mode::kReadOnly));
  const auto failed = core_.PutAll({{SamplePolicy("a"), 0}, {SamplePolicy("b"), 0}}, by_ada_);
  EXPECT_THAT(failed, StatusIs(kAborted));
  EXPECT_THAT(core_.Get(AppId("a"), Revision{}), StatusIs(kNotFound));
  const auto done = core_.PutAll({{SamplePolicy("a"), 0}, {SamplePolicy("b"), 1}}, by_ada_);
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->revision.value, 2);
  EXPECT_EQ(done->changed, 2u);
}

TEST_F(PolicyCoreTest, DeletedPolicyKeepsItsHistoryAndComesBackByRollback) {
  MustPut(SamplePolicy("dockit", Mode::kReadOnly));
  EXPECT_THAT(core_.Delete(AppId("dockit"), 7, by_ada_), StatusIs(kAborted));
  EXPECT_THAT(core_.Delete(AppId("dockit"), 1, by_ada_), IsOkAndHolds(Revision{2}));
  EXPECT_THAT(core_.Get(AppId("dockit"), Revision{}), StatusIs(kNotFound));
  EXPECT_THAT(core_.Get(AppId("dockit"), Revision{2}), StatusIs(kNotFound));
  const auto back = core_.Rollback(AppId("dockit"), Revision{1}, 0, by_ada_);
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->record.revision.value, 3) << "a rollback moves the revision forward";
  EXPECT_EQ(Current("dockit").mode, Mode::kReadOnly);

  const auto history = core_.History(AppId("dockit"), std::nullopt, 10);
  ASSERT_THAT(history, IsOk());
  ASSERT_EQ(history->records.size(), 3u);
  EXPECT_EQ(history->records[0].revision.value, 3);
  EXPECT_FALSE(history->records[1].value.has_value());
  EXPECT_FALSE(history->more);
}

TEST_F(PolicyCoreTest, RollbackToWhereThereWasNoneIsRefused) {
  MustPut(SamplePolicy("other"));
  MustPut(SamplePolicy("dockit"));
  EXPECT_THAT(core_.Rollback(AppId("dockit"), Revision{1}, 2, by_ada_), StatusIs(kNotFound));
}

TEST_F(PolicyCoreTest, HistoryComesInPages) {
  for (int i = 0; i < 5; ++i) {
    McpPolicy policy = SamplePolicy("dockit");
    policy.suspend_reason = absl::StrFormat("%d", i);
    MustPut(policy, i);
  }
  std::vector<int64_t> revisions;
  std::optional<Revision> before;
  for (bool more = true; more;) {
    const auto page = core_.History(AppId("dockit"), before, 2);
    ASSERT_THAT(page, IsOk());
    for (const store::Record& record : page->records) revisions.push_back(record.revision.value);
    before = page->records.back().revision;
    more = page->more;
  }
  EXPECT_THAT(revisions, ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(core_.History(AppId("nobody"), std::nullopt, 2), StatusIs(kNotFound));
}

TEST_F(PolicyCoreTest, ListComesInPagesOfOnePrefix) {
  for (const char* app : {"a1", "a2", "a3", "b1"}) MustPut(SamplePolicy(app));
  const auto first = core_.List("a", std::nullopt, 2);
  ASSERT_THAT(first, IsOk());
  EXPECT_TRUE(first->more);
  ASSERT_EQ(first->records.size(), 2u);
  const auto second = core_.List("a", AppId(first->records.back().key.app), 2);
  ASSERT_THAT(second, IsOk());
  ASSERT_EQ(second->records.size(), 1u);
  EXPECT_EQ(second->records[0].key.app, "a3");
  EXPECT_FALSE(second->more);
}

TEST_F(PolicyCoreTest, PageOfLargePoliciesEndsEarly) {
  for (int i = 0; i < 4; ++i) {
    McpPolicy policy = SamplePolicy(absl::StrFormat("app%d", i));
    for (int c = 0; c < 5000; ++c) {
      policy.allowed_connection_ids.insert(
          ConnectionId(absl::StrFormat("%s%d", std::string(110, 'c'), c)));
    }
    MustPut(policy);
  }
  const auto page = core_.List("", std::nullopt, 100);
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->records.size(), 1u);
  EXPECT_TRUE(page->more);
}

TEST_F(PolicyCoreTest, SuspendAndResumeNeedNoRevision) {
  MustPut(SamplePolicy("dockit"));
  const auto suspended =
      core_.SetSuspended(AppId("dockit"), true, {.author = "ada", .reason = "leak"});
  ASSERT_THAT(suspended, IsOk());
  EXPECT_EQ(suspended->changed, 1);
  EXPECT_TRUE(Current("dockit").suspended);
  EXPECT_EQ(Current("dockit").suspend_reason, "leak");
  EXPECT_EQ(core_.SetSuspended(AppId("dockit"), true, {.author = "ada", .reason = "leak"})->changed,
            0);
  EXPECT_EQ(core_.SetSuspended(AppId("dockit"), false, by_ada_)->changed, 1);
  EXPECT_FALSE(Current("dockit").suspended);
  EXPECT_EQ(Current("dockit").suspend_reason, "");
  EXPECT_THAT(core_.SetSuspended(AppId("nobody"), true, by_ada_), StatusIs(kNotFound));
}

TEST_F(PolicyCoreTest, SuspendAllReachesEveryAppInPieces) {
  std::vector<PolicyCore::BatchItem> items;
  for (int i = 0; i < 2500; ++i) items.push_back({SamplePolicy(absl::StrFormat("app%d", i)), 0});
  ASSERT_THAT(core_.PutAll(std::move(items), by_ada_), IsOk());
  ASSERT_THAT(core_.SetSuspended(AppId("app7"), true, by_ada_), IsOk());

  const auto done = core_.SetAllSuspended(true, by_ada_, Never);
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->changed, 2499) << "one was suspended for the same reason already";
  EXPECT_EQ(done->revision, store_.Token().revision);
  EXPECT_GT(done->revision.value, 3) << "more than one commit";
  EXPECT_TRUE(Current("app0").suspended);
  EXPECT_TRUE(Current("app2499").suspended);
  EXPECT_EQ(core_.SetAllSuspended(false, by_ada_, Never)->changed, 2500);
  EXPECT_EQ(core_.SetAllSuspended(false, by_ada_, Never)->changed, 0);
}

TEST_F(PolicyCoreTest, SuspendAllStopsWhenTheCallerIsGone) {
  MustPut(SamplePolicy("dockit"));
  EXPECT_THAT(core_.SetAllSuspended(true, by_ada_, [] { return true; }),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("0 apps were done before")));
  EXPECT_FALSE(Current("dockit").suspended);
}

TEST_F(PolicyCoreTest, DiffShowsWhatAnotherPolicyWouldAnswer) {
  MustPut(SamplePolicy("dockit", Mode::kReadOnly));
  const auto none =
      core_.Diff(AppId("dockit"), Revision{}, SamplePolicy("dockit", Mode::kReadOnly), 10);
  ASSERT_THAT(none, IsOk());
  EXPECT_THAT(none->cells, IsEmpty());
  const auto diff =
      core_.Diff(AppId("dockit"), Revision{}, SamplePolicy("dockit", Mode::kDataReadWrite), 10'000);
  ASSERT_THAT(diff, IsOk());
  const std::vector<DiffCell>& cells = diff->cells;
  ASSERT_FALSE(cells.empty());
  EXPECT_TRUE(std::all_of(cells.begin(), cells.end(), [](const DiffCell& cell) {
    return cell.loosened && cell.risk == Risk::kElevated && cell.after == Verdict::kAllow;
  }));
  EXPECT_EQ(Current("dockit").mode, Mode::kReadOnly) << "a diff writes nothing";
}

TEST_F(PolicyCoreTest, DiffKnowsTheEntriesOfTheApp) {
  MustPut(SamplePolicy("dockit", Mode::kReadOnly));
  ASSERT_THAT(
      store_.Commit({store::Put(store::SampleEntry("dockit", "", "own_tool", Risk::kElevated))},
                    store::By()),
      IsOk());
  const auto diff =
      core_.Diff(AppId("dockit"), Revision{}, SamplePolicy("dockit", Mode::kDataReadWrite), 10'000);
  ASSERT_THAT(diff, IsOk());
  const std::vector<DiffCell>& cells = diff->cells;
  EXPECT_TRUE(std::any_of(cells.begin(), cells.end(),
                          [](const DiffCell& cell) { return cell.tool == ToolName("own_tool"); }));
}

}  // namespace
}  // namespace bridgekeeper::service
