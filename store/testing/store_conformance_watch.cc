// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"
#include "store/testing/store_conformance_util.h"

namespace bridgekeeper::store {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;

}  // namespace

void TakeWatchTests() {}

// ---- P4: watch -----------------------------------------------------------------

TEST_P(StoreConformanceTest, P4AWatcherFromTheBeginningGetsEveryCommitWhole) {
  Commit(Put(SamplePolicy("a")));
  const auto batch = store().Commit(
      {Put(SampleConnection("a", "c")), Put(SamplePolicy("b")), Put(SamplePolicy("a"))}, By("bob"));
  ASSERT_THAT(batch, IsOk());
  Commit(Delete(PolicyKey("a")));

  auto watcher = store().Watch({.after = Revision{0}});
  ASSERT_THAT(watcher, IsOk());
  EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(1));
  const auto second = (*watcher)->Next(kDeadline);
  ASSERT_THAT(second, IsOk());
  ASSERT_TRUE(second->has_value());
  EXPECT_EQ((*second)->revision, Revision{2});
  // In the order of the batch, without what did not change.
  const auto meta = [](RecordKey key, RecordValue value) {
    return Record{.key = std::move(key),
                  .revision = Revision{2},
                  .time = By().time,
                  .author = "bob",
                  .reason = "because",
                  .value = std::move(value)};
  };
  EXPECT_THAT((*second)->records,
              ElementsAre(meta(RecordKey::Connection(AppId("a"), ConnectionId("c")),
                               SampleConnection("a", "c")),
                          meta(PolicyKey("b"), SamplePolicy("b"))));
  const auto third = (*watcher)->Next(kDeadline);
  ASSERT_THAT(third, IsOk());
  ASSERT_TRUE(third->has_value());
  ASSERT_THAT((*third)->records, SizeIs(1));
  EXPECT_EQ((*third)->records[0].key, PolicyKey("a"));
  EXPECT_EQ((*third)->records[0].value, std::nullopt);
  EXPECT_THAT(NextRevision(**watcher, absl::ZeroDuration()), IsOkAndHolds(0));
}

TEST_P(StoreConformanceTest, P4AWatcherGetsOnlyWhatIsAboveItsRevision) {
  for (int i = 0; i < 5; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app-%d", i))));
  auto watcher = store().Watch({.after = Revision{3}});
  ASSERT_THAT(watcher, IsOk());
  EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(4));
  EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(5));
  EXPECT_THAT(NextRevision(**watcher, absl::ZeroDuration()), IsOkAndHolds(0));
}

TEST_P(StoreConformanceTest, P4AWaitingWatcherIsWokenByACommit) {
  auto watcher = store().Watch({});
  ASSERT_THAT(watcher, IsOk());
  std::jthread writer([&] { Commit(Put(SamplePolicy("a"))); });
  EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(1));
}

TEST_P(StoreConformanceTest, P4CatchingUpWhileOthersCommitLosesDoublesAndReordersNothing) {
  constexpr int kBefore = 40;
  constexpr int kThreads = 2;
  constexpr int kCommits = 40;
  constexpr int64_t kAll = kBefore + kThreads * kCommits;
  for (int i = 0; i < kBefore; ++i) Commit(Put(SamplePolicy(absl::StrFormat("before-%d", i))));

  std::vector<std::vector<int64_t>> seen(3);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kCommits; ++i) {
          EXPECT_THAT(store().Commit({Put(SamplePolicy(absl::StrFormat("app-%d-%d", t, i)))}, By()),
                      IsOk());
        }
      });
    }
    for (std::vector<int64_t>& mine : seen) {
      threads.emplace_back([&] {
        auto watcher = store().Watch({});
        ASSERT_THAT(watcher, IsOk());
        while (mine.empty() || mine.back() < kAll) {
          const auto revision = NextRevision(**watcher);
          ASSERT_THAT(revision, IsOk());
          ASSERT_NE(*revision, 0) << "got no commit within the deadline";
          mine.push_back(*revision);
        }
      });
    }
  }
  std::vector<int64_t> want;
  for (int64_t r = 1; r <= kAll; ++r) want.push_back(r);
  for (const auto& mine : seen) EXPECT_EQ(mine, want);
}

TEST_P(StoreConformanceTest, P4ASlowWatcherIsCutAndGoesOnWhereItWas) {
  auto watcher = store().Watch({.after = Revision{0}, .max_queued = 2});
  ASSERT_THAT(watcher, IsOk());
  for (int i = 0; i < 2; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app-%d", i))));
  EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(1));
  for (int i = 2; i < 4; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app-%d", i))));

  EXPECT_THAT(NextRevision(**watcher), StatusIs(absl::StatusCode::kResourceExhausted,
                                                HasSubstr("watch again after revision 1")));
  EXPECT_THAT(NextRevision(**watcher), StatusIs(absl::StatusCode::kResourceExhausted));

  auto again = store().Watch({.after = Revision{1}, .max_queued = 2});
  ASSERT_THAT(again, IsOk());
  for (int64_t r = 2; r <= 4; ++r) EXPECT_THAT(NextRevision(**again), IsOkAndHolds(r));
}

TEST_P(StoreConformanceTest, P4CommitsFromBeforeTheWatchCutNobody) {
  for (int i = 0; i < 10; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app-%d", i))));
  auto watcher = store().Watch({.after = Revision{0}, .max_queued = 1});
  ASSERT_THAT(watcher, IsOk());
  Commit(Put(SamplePolicy("one-more")));
  for (int64_t r = 1; r <= 11; ++r) EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(r));
}

TEST_P(StoreConformanceTest, P4AWatcherThatWasCancelledSaysSo) {
  Commit(Put(SamplePolicy("a")));
  auto watcher = store().Watch({.after = Revision{1}});
  ASSERT_THAT(watcher, IsOk());
  std::jthread other([&] { (*watcher)->Cancel(); });
  EXPECT_THAT(NextRevision(**watcher), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(NextRevision(**watcher), StatusIs(absl::StatusCode::kCancelled));
}

TEST_P(StoreConformanceTest, P4AWatchFromTheFutureIsRefused) {
  Commit(Put(SamplePolicy("a")));
  EXPECT_THAT(store().Watch({.after = Revision{2}}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the newest is 1")));
}

TEST_P(StoreConformanceTest, P4AQueueOutsideItsRangeIsRefused) {
  EXPECT_THAT(store().Watch({.max_queued = 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("max_queued: got 0")));
  EXPECT_THAT(store().Watch({.max_queued = kMaxQueuedCommits + 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1 to 1000000")));
}

// ---- P5: compaction ------------------------------------------------------------

TEST_P(StoreConformanceTest, P5TheOldestRevisionIsReadAndWatchedAndOlderOnesAreRefused) {
  Make({.keep_revisions = 3});
  for (int i = 0; i < 3; ++i) {
    Commit(Put(SamplePolicy("a", i % 2 == 0 ? Mode::kReadOnly : Mode::kFullAccess)));
    Commit(Put(SamplePolicy(absl::StrFormat("app-%d", i))));
  }
  // Revisions 1, 3, 5 changed `a`; 6 is the newest and 3 the oldest.
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{2}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the oldest is 3")));
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{7}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the newest is 6")));
  const auto at3 = store().GetAt(PolicyKey("a"), Revision{3});
  ASSERT_THAT(at3, IsOkAndHolds(Optional(Field(&Record::revision, Revision{3}))));
  EXPECT_EQ((*at3)->value, RecordValue(SamplePolicy("a", Mode::kFullAccess)));
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{4}),
              IsOkAndHolds(Optional(Field(&Record::revision, Revision{3}))));
  // What changed last before the oldest revision is still its state there.
  EXPECT_THAT(store().GetAt(PolicyKey("app-0"), Revision{3}),
              IsOkAndHolds(Optional(Field(&Record::revision, Revision{2}))));

  EXPECT_THAT(store().Watch({.after = Revision{2}}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the oldest is 3")));
  auto watcher = store().Watch({.after = Revision{3}});
  ASSERT_THAT(watcher, IsOk());
  for (int64_t r = 4; r <= 6; ++r) EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(r));

  const auto history = store().History(PolicyKey("a"), std::nullopt, 10);
  ASSERT_THAT(history, IsOk());
  EXPECT_THAT(Revisions(*history), ElementsAre(5, 3));
}

TEST_P(StoreConformanceTest, P5AWatcherThatFallsBehindWhatIsKeptIsCut) {
  Make({.keep_revisions = 2});
  auto watcher = store().Watch({.max_queued = 1000});
  ASSERT_THAT(watcher, IsOk());
  // More records than a feed holds in memory, so that the store is asked.
  for (int batch = 0; batch < 4; ++batch) {
    std::vector<Mutation> mutations;
    for (int i = 0; i < 7000; ++i) {
      mutations.push_back(Put(SamplePolicy(absl::StrFormat("app-%d-%d", batch, i))));
    }
    ASSERT_THAT(store().Commit(std::move(mutations), By()), IsOk());
  }
  EXPECT_THAT(NextRevision(**watcher), StatusIs(absl::StatusCode::kResourceExhausted,
                                                HasSubstr("watch again after revision 0")));
}

TEST_P(StoreConformanceTest, P5GetAtFindsEveryKeptState) {
  for (int i = 0; i < 4; ++i) {
    Commit(Put(SamplePolicy("a", i % 2 == 0 ? Mode::kReadOnly : Mode::kFullAccess)));
    Commit(Put(SampleConnection("a", absl::StrFormat("c%d", i))));
  }
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{0}), IsOkAndHolds(Eq(std::nullopt)));
  for (int64_t r = 1; r <= 8; ++r) {
    const int64_t want = r % 2 == 1 ? r : r - 1;
    EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{r}),
                IsOkAndHolds(Optional(Field(&Record::revision, Revision{want}))));
  }
}

}  // namespace bridgekeeper::store
