// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/testing/store_conformance.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

// The longest that a test waits for what must come.
constexpr absl::Duration kDeadline = absl::Seconds(30);

#define SKIP_WHERE_LEFT_OUT(category)                                            \
  do {                                                                           \
    const auto left_out = GetParam().left_out.find(category);                    \
    if (left_out != GetParam().left_out.end()) GTEST_SKIP() << left_out->second; \
  } while (false)

std::vector<std::string> Apps(const std::vector<Record>& records) {
  std::vector<std::string> out;
  for (const Record& record : records) out.push_back(record.key.app);
  return out;
}

std::vector<int64_t> Revisions(const std::vector<Record>& records) {
  std::vector<int64_t> out;
  for (const Record& record : records) out.push_back(record.revision.value);
  return out;
}

// What happened in one call of Next(): the revision of the event, 0 for none.
absl::StatusOr<int64_t> NextRevision(Watcher& watcher, absl::Duration timeout = kDeadline) {
  auto event = watcher.Next(timeout);
  if (!event.ok()) return event.status();
  return event->has_value() ? (*event)->revision.value : 0;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

StoreKind Conforms(StoreKind kind) { return kind; }

void StoreConformanceTest::SetUp() { Make({}); }

void StoreConformanceTest::Make(const HarnessOptions& options) {
  harness_.reset();
  auto harness = GetParam().make(options);
  ASSERT_THAT(harness, IsOk());
  harness_ = *std::move(harness);
}

Revision StoreConformanceTest::Commit(Mutation mutation) {
  std::vector<Mutation> mutations;
  mutations.push_back(std::move(mutation));
  const auto result = store().Commit(std::move(mutations), By());
  EXPECT_THAT(result, IsOk());
  return result.ok() ? result->revision : Revision{-1};
}

// ---- P1: read your writes ------------------------------------------------------

TEST_P(StoreConformanceTest, P1EveryReadAfterACommitSeesIt) {
  const auto result = store().Commit(
      {Put(SamplePolicy("dockit", Mode::kReadOnly)), Put(SampleEntry("dockit", "es", "search")),
       Put(SampleConnection("dockit", "prod"))},
      By("ada"));
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->revision, Revision{1});
  EXPECT_EQ(result->changed, 3);
  EXPECT_THAT(result->records, ElementsAre(Revision{1}, Revision{1}, Revision{1}));

  const Record want{.key = PolicyKey("dockit"),
                    .revision = Revision{1},
                    .time = By().time,
                    .author = "ada",
                    .reason = "because",
                    .value = SamplePolicy("dockit", Mode::kReadOnly)};
  EXPECT_THAT(store().Get(PolicyKey("dockit")), IsOkAndHolds(Optional(want)));
  EXPECT_THAT(store().GetAt(PolicyKey("dockit"), Revision{1}), IsOkAndHolds(Optional(want)));
  EXPECT_THAT(store().List({}), IsOkAndHolds(ElementsAre(want)));
  EXPECT_THAT(store().History(PolicyKey("dockit"), std::nullopt, 10),
              IsOkAndHolds(ElementsAre(want)));
  EXPECT_EQ(store().Token().revision, Revision{1});
  EXPECT_EQ(store().PolicyCount(), 1);
  const auto app = store().ReadApp(AppId("dockit"));
  ASSERT_THAT(app, IsOk());
  EXPECT_EQ(app->token, store().Token());
  EXPECT_THAT(app->records, SizeIs(3));
}

TEST_P(StoreConformanceTest, P1ValuesComeBackWithEveryField) {
  const McpPolicy policy = FullPolicy("dockit");
  const CatalogEntry entry = FullEntry("dockit", "es", "bulk");
  const ConnectionRecord connection = FullConnection("dockit", "prod/es:1");
  ASSERT_THAT(store().Commit({Put(policy), Put(entry), Put(connection)}, By()), IsOk());

  const auto stored = store().ReadApp(AppId("dockit"));
  ASSERT_THAT(stored, IsOk());
  ASSERT_THAT(stored->records, SizeIs(3));
  EXPECT_EQ(stored->records[0].value, RecordValue(policy));
  EXPECT_EQ(stored->records[1].value, RecordValue(entry));
  EXPECT_EQ(stored->records[2].value, RecordValue(connection));
}

TEST_P(StoreConformanceTest, P1AnEmptyStoreHasNothing) {
  EXPECT_EQ(store().Token().revision, Revision{0});
  EXPECT_EQ(store().PolicyCount(), 0);
  EXPECT_THAT(store().Get(PolicyKey("dockit")), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(store().GetAt(PolicyKey("dockit"), Revision{0}), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(store().List({}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(store().History(PolicyKey("dockit"), std::nullopt, 10), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(store().WriteHealth(), IsOk());
  const auto app = store().ReadApp(AppId("dockit"));
  ASSERT_THAT(app, IsOk());
  EXPECT_THAT(app->records, IsEmpty());
}

// ---- P2: revisions -------------------------------------------------------------

TEST_P(StoreConformanceTest, P2EachChangeRaisesTheRevisionByOne) {
  EXPECT_EQ(Commit(Put(SamplePolicy("a"))), Revision{1});
  EXPECT_EQ(Commit(Put(SampleEntry("", "", "tool"))), Revision{2});
  EXPECT_EQ(Commit(Put(SampleConnection("a", "c"))), Revision{3});
  EXPECT_EQ(Commit(Delete(PolicyKey("a"))), Revision{4});
  EXPECT_EQ(store().Token().revision, Revision{4});
}

TEST_P(StoreConformanceTest, P2WhatChangesNothingRaisesNothing) {
  Commit(Put(SamplePolicy("a")));
  Commit(Put(SamplePolicy("b")));

  const auto same = store().Commit({Put(SamplePolicy("a"))}, By("bob"));
  ASSERT_THAT(same, IsOk());
  EXPECT_EQ(same->revision, Revision{2});
  EXPECT_EQ(same->changed, 0);
  EXPECT_THAT(same->records, ElementsAre(Revision{1}));

  const auto empty = store().Commit({}, By());
  ASSERT_THAT(empty, IsOk());
  EXPECT_EQ(empty->revision, Revision{2});

  EXPECT_EQ(Commit(Delete(PolicyKey("never"))), Revision{2});
  EXPECT_EQ(store().Token().revision, Revision{2});
  EXPECT_THAT(store().History(PolicyKey("a"), std::nullopt, 10), IsOkAndHolds(SizeIs(1)));
}

TEST_P(StoreConformanceTest, P2ARefusedCommitRaisesNothing) {
  Commit(Put(SamplePolicy("a")));
  EXPECT_THAT(store().Commit({Put(SamplePolicy("a", Mode::kFullAccess), 7)}, By()),
              StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(store().Token().revision, Revision{1});
  EXPECT_EQ(Commit(Put(SamplePolicy("b"))), Revision{2});
}

TEST_P(StoreConformanceTest, P2ConcurrentCommitsLeaveNoGapAndNoTwin) {
  constexpr int kThreads = 4;
  constexpr int kCommits = 25;
  std::vector<std::vector<int64_t>> seen(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kCommits; ++i) {
          const auto result =
              store().Commit({Put(SamplePolicy(absl::StrFormat("app-%d-%d", t, i)))}, By());
          seen[static_cast<size_t>(t)].push_back(result.ok() ? result->revision.value : -1);
        }
      });
    }
  }
  std::set<int64_t> all;
  for (const auto& mine : seen) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_THAT(all, SizeIs(kThreads * kCommits));
  EXPECT_EQ(*all.begin(), 1);
  EXPECT_EQ(*all.rbegin(), kThreads * kCommits);
  EXPECT_EQ(store().Token().revision, Revision{kThreads * kCommits});
  EXPECT_EQ(store().PolicyCount(), kThreads * kCommits);
}

// ---- P3: batches ---------------------------------------------------------------

TEST_P(StoreConformanceTest, P3ABatchIsOneRevision) {
  Commit(Put(SamplePolicy("same")));
  std::vector<Mutation> batch;
  for (int i = 0; i < 500; ++i) batch.push_back(Put(SamplePolicy(absl::StrFormat("app-%03d", i))));
  batch.push_back(Put(SamplePolicy("same")));

  const auto result = store().Commit(std::move(batch), By());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->revision, Revision{2});
  EXPECT_EQ(result->changed, 500);
  ASSERT_THAT(result->records, SizeIs(501));
  EXPECT_EQ(result->records[0], Revision{2});
  EXPECT_EQ(result->records[500], Revision{1});
  EXPECT_EQ(store().PolicyCount(), 501);
}

TEST_P(StoreConformanceTest, P3OneRefusedMutationRefusesTheBatch) {
  Commit(Put(SamplePolicy("a")));
  EXPECT_THAT(store().Commit({Put(SamplePolicy("b")), Put(SamplePolicy("a", Mode::kReadOnly), 9),
                              Put(SamplePolicy("c"))},
                             By()),
              StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(store().Get(PolicyKey("b")), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(store().Get(PolicyKey("c")), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_EQ(store().PolicyCount(), 1);
}

TEST_P(StoreConformanceTest, P3AKeyTwiceInABatchIsRefused) {
  EXPECT_THAT(store().Commit({Put(SamplePolicy("a")), Delete(PolicyKey("a"))}, By()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("policy `a` appears twice")));
}

TEST_P(StoreConformanceTest, P3AValueUnderAnotherKeyIsRefused) {
  EXPECT_THAT(store().Commit({{.key = PolicyKey("a"), .value = SamplePolicy("b")}}, By()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("policy `a`: got the value of policy `b`")));
}

TEST_P(StoreConformanceTest, P3ReadersSeeAllOfABatchOrNoneOfIt) {
  // Each commit writes the same name to every record of the app.
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (int i = 0; i < 50; ++i) {
      const std::string name = absl::StrFormat("v%d", i);
      McpPolicy policy = SamplePolicy("app");
      policy.suspend_reason = name;
      CatalogEntry shared = SampleEntry("", "", "tool");
      shared.connection_argument = name;
      EXPECT_THAT(
          store().Commit({Put(policy), Put(shared), Put(SampleConnection("app", "c", name))}, By()),
          IsOk());
    }
    done = true;
  });
  int64_t last = 0;
  while (!done) {
    const auto app = store().ReadApp(AppId("app"));
    ASSERT_THAT(app, IsOk());
    ASSERT_GE(app->token.revision.value, last);
    last = app->token.revision.value;
    if (last == 0) {
      ASSERT_THAT(app->records, IsEmpty());
      continue;
    }
    ASSERT_THAT(app->records, SizeIs(3));
    const std::string want = absl::StrFormat("v%d", last - 1);
    ASSERT_EQ(std::get<McpPolicy>(*app->records[0].value).suspend_reason, want);
    ASSERT_EQ(std::get<CatalogEntry>(*app->records[1].value).connection_argument, want);
    ASSERT_EQ(std::get<ConnectionRecord>(*app->records[2].value).name, want);
  }
}

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

// ---- P6: durability (the crash tests are tests/robustness) ----------------------

TEST_P(StoreConformanceTest, P6EverythingIsThereAfterAReopen) {
  SKIP_WHERE_LEFT_OUT("P6");
  Commit(Put(SamplePolicy("a")));
  Commit(Put(FullPolicy("b")));
  Commit(Put(SampleConnection("a", "c")));
  Commit(Delete(PolicyKey("a")));
  const auto remembered = store().Commit({Put(SamplePolicy("r"))}, By("ada", "request-1"));
  ASSERT_THAT(remembered, IsOk());
  const RevisionToken token = store().Token();
  const auto policies = store().List({});
  const auto history = store().History(PolicyKey("a"), std::nullopt, 10);

  ASSERT_THAT(harness_->Reopen(), IsOk());
  EXPECT_EQ(store().Token(), token);
  EXPECT_EQ(store().PolicyCount(), 2);
  EXPECT_EQ(store().List({}).value(), policies.value());
  EXPECT_EQ(store().History(PolicyKey("a"), std::nullopt, 10).value(), history.value());
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{3}),
              IsOkAndHolds(Optional(Field(&Record::revision, Revision{1}))));

  auto watcher = store().Watch({.after = Revision{1}});
  ASSERT_THAT(watcher, IsOk());
  for (int64_t r = 2; r <= 5; ++r) EXPECT_THAT(NextRevision(**watcher), IsOkAndHolds(r));

  EXPECT_THAT(store().Commit({Put(SamplePolicy("r", Mode::kFullAccess))}, By("ada", "request-1")),
              IsOkAndHolds(*remembered));
  EXPECT_EQ(Commit(Put(SamplePolicy("next"))), Revision{6});
}

TEST_P(StoreConformanceTest, P6RetentionGoesOnAfterAReopen) {
  SKIP_WHERE_LEFT_OUT("P6");
  Make({.keep_revisions = 2});
  for (int i = 0; i < 4; ++i)
    Commit(Put(SamplePolicy("a", i % 2 == 0 ? Mode::kReadOnly : Mode::kFullAccess)));
  ASSERT_THAT(harness_->Reopen(), IsOk());
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{1}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the oldest is 2")));
  Commit(Put(SamplePolicy("b")));
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{2}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("the oldest is 3")));
}

// ---- P7: compare and set -------------------------------------------------------

TEST_P(StoreConformanceTest, P7ExpectedRevisionIsComparedWithTheRecordsOwnLastChange) {
  Commit(Put(SamplePolicy("a")));
  Commit(Put(SamplePolicy("b")));
  Commit(Delete(PolicyKey("b")));
  Commit(Put(SamplePolicy("c")));

  struct Row {
    std::string claim;
    Mutation mutation;
    absl::StatusCode want;
    std::string message;
  };
  const auto changed = [](std::string_view app) { return SamplePolicy(app, Mode::kFullAccess); };
  const std::vector<Row> rows = {
      {"another record's revision does not count", Put(changed("a"), 4), absl::StatusCode::kAborted,
       "policy `a`: got expected_revision 4, want 1"},
      {"0 does not match a record that exists", Put(changed("a"), 0), absl::StatusCode::kAborted,
       "got expected_revision 0, want 1"},
      {"a revision does not match a record that never was", Put(changed("x"), 1),
       absl::StatusCode::kAborted, "got expected_revision 1, want 0: it does not exist"},
      {"the revision before its deletion does not match a deleted record", Put(changed("b"), 2),
       absl::StatusCode::kAborted, "want 0: it does not exist"},
      {"deleting what never was, with a revision, is not found", Delete(PolicyKey("x"), 1),
       absl::StatusCode::kNotFound, "policy `x` does not exist"},
      {"deleting what is deleted, with a revision, is not found", Delete(PolicyKey("b"), 3),
       absl::StatusCode::kNotFound, "policy `b` does not exist"},
      {"deleting compares too", Delete(PolicyKey("a"), 3), absl::StatusCode::kAborted,
       "got expected_revision 3, want 1"},
      {"deleting nothing, expecting nothing, is fine", Delete(PolicyKey("x"), 0),
       absl::StatusCode::kOk, ""},
      {"the record's own revision matches", Put(changed("a"), 1), absl::StatusCode::kOk, ""},
      {"0 matches a deleted record", Put(changed("b"), 0), absl::StatusCode::kOk, ""},
      {"0 matches a record that never was", Put(changed("d"), 0), absl::StatusCode::kOk, ""},
      {"the new revision matches after a change", Delete(PolicyKey("a"), 5), absl::StatusCode::kOk,
       ""},
      {"the revision of its deletion matches a deleted record", Put(changed("a"), 8),
       absl::StatusCode::kOk, ""},
  };
  for (const Row& row : rows) {
    const auto result = store().Commit({row.mutation}, By());
    EXPECT_THAT(result, AllOf(StatusIs(row.want, HasSubstr(row.message)))) << row.claim;
  }
  EXPECT_EQ(store().Token().revision, Revision{9});
}

TEST_P(StoreConformanceTest, P7OfThoseWhoExpectTheSameRevisionOneWins) {
  Commit(Put(SamplePolicy("a")));
  constexpr int kThreads = 4;
  std::atomic<int> won = 0;
  std::atomic<int> lost = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        McpPolicy policy = SamplePolicy("a");
        policy.suspend_reason = absl::StrFormat("thread %d", t);
        const auto result = store().Commit({Put(policy, 1)}, By());
        if (result.ok()) ++won;
        if (absl::IsAborted(result.status())) ++lost;
      });
    }
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, kThreads - 1);
  EXPECT_EQ(store().Token().revision, Revision{2});
}

// ---- P8: idempotence -----------------------------------------------------------

TEST_P(StoreConformanceTest, P8IdenticalContentIsOkWhateverRevisionIsExpected) {
  Commit(Put(SamplePolicy("a")));
  Commit(Put(SamplePolicy("b")));
  const auto result = store().Commit({Put(SamplePolicy("a"), 77)}, By());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->revision, Revision{2});
  EXPECT_THAT(result->records, ElementsAre(Revision{1}));
}

TEST_P(StoreConformanceTest, P8ARepeatedRequestAnswersTheFirstResult) {
  const auto first =
      store().Commit({Put(SamplePolicy("a")), Put(SamplePolicy("b"))}, By("ada", "request-1"));
  ASSERT_THAT(first, IsOk());
  Commit(Put(SamplePolicy("a", Mode::kFullAccess)));

  EXPECT_THAT(
      store().Commit({Put(SamplePolicy("a")), Put(SamplePolicy("b"))}, By("ada", "request-1")),
      IsOkAndHolds(*first));
  EXPECT_EQ(store().Token().revision, Revision{2});
  const auto now = store().Get(PolicyKey("a"));
  ASSERT_THAT(now, IsOk());
  EXPECT_EQ((*now)->value, RecordValue(SamplePolicy("a", Mode::kFullAccess)));
}

TEST_P(StoreConformanceTest, P8ARequestThatChangedNothingIsRememberedToo) {
  Commit(Put(SamplePolicy("a")));
  const auto first = store().Commit({Put(SamplePolicy("a"))}, By("ada", "request-1"));
  ASSERT_THAT(first, IsOk());
  Commit(Put(SamplePolicy("a", Mode::kFullAccess)));
  EXPECT_THAT(store().Commit({Put(SamplePolicy("a"))}, By("ada", "request-1")),
              IsOkAndHolds(*first));
  EXPECT_EQ(store().Token().revision, Revision{2});
}

TEST_P(StoreConformanceTest, P8ARefusedRequestIsNotRemembered) {
  EXPECT_THAT(store().Commit({Put(SamplePolicy("a"), 3)}, By("ada", "request-1")),
              StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(store().Commit({Put(SamplePolicy("a"), 0)}, By("ada", "request-1")),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{1})));
}

TEST_P(StoreConformanceTest, P8AnotherAuthorsRequestIdIsAnother) {
  ASSERT_THAT(store().Commit({Put(SamplePolicy("a"))}, By("ada", "request-1")), IsOk());
  EXPECT_THAT(store().Commit({Put(SamplePolicy("b"))}, By("bob", "request-1")),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{2})));
}

TEST_P(StoreConformanceTest, P8ARequestIdIsForgottenAfterAnHour) {
  CommitOptions options = By("ada", "request-1");
  ASSERT_THAT(store().Commit({Put(SamplePolicy("a"))}, options), IsOk());
  options.time += absl::Minutes(59);
  EXPECT_THAT(store().Commit({Put(SamplePolicy("b"))}, options),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{1})));
  options.time += absl::Minutes(1);
  EXPECT_THAT(store().Commit({Put(SamplePolicy("b"))}, options),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{2})));
  // And is remembered anew.
  EXPECT_THAT(store().Commit({Put(SamplePolicy("c"))}, options),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{2})));
}

TEST_P(StoreConformanceTest, P8TheSameRequestAtTheSameTimeIsCommittedOnce) {
  constexpr int kThreads = 4;
  std::vector<int64_t> revisions(kThreads);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        McpPolicy policy = SamplePolicy("a");
        policy.suspend_reason = absl::StrFormat("thread %d", t);
        const auto result = store().Commit({Put(policy)}, By("ada", "request-1"));
        revisions[t] = result.ok() ? result->revision.value : -1;
      });
    }
  }
  EXPECT_THAT(revisions, ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(store().Token().revision, Revision{1});
}

// ---- P9: tombstones ------------------------------------------------------------

TEST_P(StoreConformanceTest, P9ADeletionKeepsTheKeyItsRevisionAndWhoDidIt) {
  Commit(Put(SamplePolicy("a")));
  ASSERT_THAT(store().Commit({Delete(PolicyKey("a"), 1)}, By("bob")),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{2})));

  const Record want{.key = PolicyKey("a"),
                    .revision = Revision{2},
                    .time = By().time,
                    .author = "bob",
                    .reason = "because",
                    .value = std::nullopt};
  EXPECT_THAT(store().Get(PolicyKey("a")), IsOkAndHolds(Optional(want)));
  EXPECT_THAT(store().GetAt(PolicyKey("a"), Revision{2}), IsOkAndHolds(Optional(want)));
  EXPECT_THAT(store().List({}), IsOkAndHolds(IsEmpty()));
  EXPECT_EQ(store().PolicyCount(), 0);
  const auto app = store().ReadApp(AppId("a"));
  ASSERT_THAT(app, IsOk());
  EXPECT_THAT(app->records, IsEmpty());
}

TEST_P(StoreConformanceTest, P9ADeletedRecordCanBeMadeAgainAndItsHistoryGoesOn) {
  Commit(Put(SamplePolicy("a")));
  Commit(Delete(PolicyKey("a")));
  Commit(Put(SamplePolicy("a", Mode::kReadOnly)));
  EXPECT_EQ(store().PolicyCount(), 1);
  const auto history = store().History(PolicyKey("a"), std::nullopt, 10);
  ASSERT_THAT(history, IsOk());
  EXPECT_THAT(Revisions(*history), ElementsAre(3, 2, 1));
  EXPECT_EQ((*history)[1].value, std::nullopt);
}

// ---- P10: incarnation ----------------------------------------------------------

TEST_P(StoreConformanceTest, P10TheIncarnationIs32HexadecimalDigitsAndEachStoreHasItsOwn) {
  const std::string first = store().Token().incarnation;
  EXPECT_EQ(first.size(), 32);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos) << first;
  Make({});
  EXPECT_NE(store().Token().incarnation, first);
}

TEST_P(StoreConformanceTest, P10TheIncarnationIsKeptOverARestart) {
  SKIP_WHERE_LEFT_OUT("P6");
  const std::string first = store().Token().incarnation;
  ASSERT_THAT(harness_->Reopen(), IsOk());
  EXPECT_EQ(store().Token().incarnation, first);
}

TEST_P(StoreConformanceTest, P10ARestoredStoreHasTheSameDataAndAnotherIncarnation) {
  SKIP_WHERE_LEFT_OUT("backup");
  Commit(Put(FullPolicy("a")));
  Commit(Put(SampleConnection("a", "c")));
  const char* tmp = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrFormat("%s/conformance-backup", tmp != nullptr ? tmp : "/tmp");
  const auto backup = store().Backup(path);
  ASSERT_THAT(backup, IsOk());
  EXPECT_EQ(backup->token, store().Token());
  EXPECT_GT(backup->bytes, 0);
  EXPECT_THAT(store().Backup(path), StatusIs(absl::StatusCode::kAlreadyExists));
  Commit(Put(SamplePolicy("after-the-backup")));

  const auto restored = harness_->Restore(path);
  ASSERT_THAT(restored, IsOk());
  PolicyStore& copy = (*restored)->store();
  EXPECT_EQ(copy.Token().revision, Revision{2});
  EXPECT_NE(copy.Token().incarnation, store().Token().incarnation);
  EXPECT_EQ(copy.ReadApp(AppId("a"))->records, store().ReadApp(AppId("a"))->records);
  EXPECT_THAT(copy.Get(PolicyKey("after-the-backup")), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(copy.Commit({Put(SamplePolicy("b"))}, By()),
              IsOkAndHolds(Field(&CommitResult::revision, Revision{3})));
}

// ---- P11: integrity ------------------------------------------------------------

TEST_P(StoreConformanceTest, P11ADamagedRecordIsDataLossAndNeverAbsent) {
  SKIP_WHERE_LEFT_OUT("P11");
  for (const char* app : {"a", "b", "c"}) Commit(Put(SamplePolicy(app)));
  ASSERT_THAT(harness_->Damage(PolicyKey("b")), IsOk());

  const auto damaged = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("policy `b`"));
  EXPECT_THAT(store().Get(PolicyKey("b")), damaged);
  EXPECT_THAT(store().ReadApp(AppId("b")), damaged);
  EXPECT_THAT(store().List({}), damaged);
  EXPECT_THAT(store().Commit({Put(SamplePolicy("b", Mode::kReadOnly))}, By()), damaged);
  EXPECT_THAT(store().Commit({Delete(PolicyKey("b"))}, By()), damaged);
  // The others are served as before.
  EXPECT_THAT(store().Get(PolicyKey("a")),
              IsOkAndHolds(Optional(Field(&Record::revision, Revision{1}))));
  EXPECT_THAT(store().ReadApp(AppId("c")), IsOk());
  EXPECT_EQ(Commit(Put(SamplePolicy("d"))), Revision{4});
}

// ---- reads ---------------------------------------------------------------------

TEST_P(StoreConformanceTest, ListGoesInKeyOrderAndPages) {
  for (const char* app : {"b", "a", "ab", "a/b", "a.b", "c"}) Commit(Put(SamplePolicy(app)));
  Commit(Put(SampleConnection("a", "c")));
  Commit(Delete(PolicyKey("ab")));

  std::vector<std::string> got;
  ListOptions options{.limit = 2};
  while (true) {
    const auto page = store().List(options);
    ASSERT_THAT(page, IsOk());
    for (const std::string& app : Apps(*page)) got.push_back(app);
    if (page->size() < 2) break;
    options.after = page->back().key;
  }
  EXPECT_THAT(got, ElementsAre("a", "a.b", "a/b", "b", "c"));
  EXPECT_THAT(store().List({.limit = 0}), IsOkAndHolds(IsEmpty()));
}

TEST_P(StoreConformanceTest, ListByPrefixGivesThoseThatStartWithIt) {
  for (const char* app : {"b", "a", "ab", "abc", "ac"}) Commit(Put(SamplePolicy(app)));
  const auto page = store().List({.app_prefix = "ab"});
  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(Apps(*page), ElementsAre("ab", "abc"));
  const auto rest = store().List({.app_prefix = "a", .after = PolicyKey("ab")});
  ASSERT_THAT(rest, IsOk());
  EXPECT_THAT(Apps(*rest), ElementsAre("abc", "ac"));
  EXPECT_THAT(store().List({.app_prefix = "b", .after = PolicyKey("a")}), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(store().List({.app_prefix = "a", .after = PolicyKey("b")}), IsOkAndHolds(IsEmpty()));
}

TEST_P(StoreConformanceTest, ListAfterWhatIsNoKeyIsRefused) {
  Commit(Put(SamplePolicy("a")));
  for (const RecordKey& after : {RecordKey{RecordKind::kPolicy, "not an id", "", ""},
                                 RecordKey{RecordKind{9}, "a", "", ""}, RecordKey{}}) {
    EXPECT_THAT(store().List({.after = after}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("after: got")));
  }
}

TEST_P(StoreConformanceTest, ListByKindAndAppGivesOnlyThose) {
  Commit(Put(SamplePolicy("a")));
  Commit(Put(SampleEntry("", "", "t0")));
  Commit(Put(SampleEntry("a", "", "t1")));
  Commit(Put(SampleEntry("a", "s", "t1")));
  Commit(Put(SampleEntry("ab", "", "t1")));
  Commit(Put(SampleConnection("a", "c")));

  const auto count = [&](RecordKind kind, std::optional<std::string> app) {
    const auto page = store().List({.kind = kind, .app = std::move(app)});
    EXPECT_THAT(page, IsOk());
    return page.ok() ? page->size() : 0;
  };
  EXPECT_EQ(count(RecordKind::kCatalogEntry, std::nullopt), 4);
  EXPECT_EQ(count(RecordKind::kCatalogEntry, "a"), 2);
  EXPECT_EQ(count(RecordKind::kCatalogEntry, ""), 1);
  EXPECT_EQ(count(RecordKind::kConnection, "a"), 1);
  EXPECT_EQ(count(RecordKind::kConnection, ""), 0);
  EXPECT_EQ(count(RecordKind::kPolicy, "ab"), 0);
}

TEST_P(StoreConformanceTest, ReadAppGivesWhatDecidesItsCallsAndNothingElse) {
  const std::vector<RecordValue> mine = {
      SamplePolicy("a"),
      SampleEntry("", "", "everywhere"),
      SampleEntry("", "es", "everywhere"),
      SampleEntry("a", "", "own"),
      SampleEntry("a", "es", "own"),
      SampleConnection("a", "c1"),
      SampleConnection("a", "c2"),
  };
  const std::vector<RecordValue> others = {SamplePolicy("ab"), SampleEntry("ab", "", "own"),
                                           SampleConnection("ab", "c1"), SamplePolicy("A")};
  for (const RecordValue& value : mine) Commit(Put(value));
  for (const RecordValue& value : others) Commit(Put(value));

  const auto app = store().ReadApp(AppId("a"));
  ASSERT_THAT(app, IsOk());
  EXPECT_EQ(app->token, store().Token());
  std::vector<RecordValue> got;
  for (const Record& record : app->records) got.push_back(*record.value);
  EXPECT_EQ(got, mine);

  // An app without anything of its own still has the entries for every app.
  const auto nobody = store().ReadApp(AppId("nobody"));
  ASSERT_THAT(nobody, IsOk());
  EXPECT_THAT(nobody->records, SizeIs(2));
}

TEST_P(StoreConformanceTest, HistoryGoesFromTheNewestAndPages) {
  for (int i = 0; i < 5; ++i) {
    Commit(Put(SamplePolicy("a", i % 2 == 0 ? Mode::kReadOnly : Mode::kFullAccess)));
    Commit(Put(SamplePolicy(absl::StrFormat("a%d", i))));
  }
  const auto newest = store().History(PolicyKey("a"), std::nullopt, 2);
  ASSERT_THAT(newest, IsOk());
  EXPECT_THAT(Revisions(*newest), ElementsAre(9, 7));
  const auto rest = store().History(PolicyKey("a"), Revision{7}, 10);
  ASSERT_THAT(rest, IsOk());
  EXPECT_THAT(Revisions(*rest), ElementsAre(5, 3, 1));
  EXPECT_THAT(store().History(PolicyKey("a"), Revision{1}, 10), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(store().History(PolicyKey("a"), std::nullopt, 0), IsOkAndHolds(IsEmpty()));
}

TEST_P(StoreConformanceTest, NothingIsEverUnderAnInvalidKey) {
  Commit(Put(SamplePolicy("a")));
  Commit(Put(SampleConnection("a", "c")));
  const std::string nul("a\0c", 3);
  const std::vector<RecordKey> keys = {
      {RecordKind::kPolicy, "", "", ""},
      {RecordKind::kPolicy, "a", "s", ""},
      {RecordKind::kPolicy, "a", "", "c"},
      {RecordKind::kPolicy, nul, "", ""},
      {RecordKind::kPolicy, std::string(129, 'a'), "", ""},
      {RecordKind::kPolicy, "a b", "", ""},
      {RecordKind::kConnection, "a", "", ""},
      {RecordKind::kConnection, nul, "", ""},
      {RecordKind::kConnection, "a", "s", "c"},
      {RecordKind::kCatalogEntry, "a", "s", ""},
      {RecordKind{0}, "a", "", ""},
      {RecordKind{9}, "a", "", ""},
  };
  for (const RecordKey& key : keys) {
    EXPECT_THAT(store().Get(key), IsOkAndHolds(Eq(std::nullopt))) << Describe(key);
    EXPECT_THAT(store().GetAt(key, Revision{1}), IsOkAndHolds(Eq(std::nullopt))) << Describe(key);
    EXPECT_THAT(store().History(key, std::nullopt, 9), IsOkAndHolds(IsEmpty())) << Describe(key);
    EXPECT_THAT(store().Commit({{.key = key}}, By()), StatusIs(absl::StatusCode::kInvalidArgument))
        << Describe(key);
  }
  const auto app = store().ReadApp(AppId(nul));
  ASSERT_THAT(app, IsOk());
  EXPECT_THAT(app->records, IsEmpty());
}

TEST_P(StoreConformanceTest, AuthorReasonAndRequestIdAreBounded) {
  const auto refused = [&](CommitOptions options, std::string_view message) {
    EXPECT_THAT(store().Commit({Put(SamplePolicy("a"))}, options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(message))));
  };
  CommitOptions options = By();
  options.author = std::string(257, 'a');
  refused(options, "author: got 257 bytes, want at most 256");
  options = By();
  options.reason = std::string(513, 'a');
  refused(options, "reason: got 513 bytes, want at most 512");
  options = By();
  options.request_id = std::string(129, 'a');
  refused(options, "request_id: got 129 bytes, want at most 128");
  options = By();
  options.reason = "bad \xff";
  refused(options, "reason: got a byte at 4 that is no UTF-8");

  options = By(std::string(256, 'a'), std::string(128, 'r'));
  options.reason = std::string(512, 'b');
  EXPECT_THAT(store().Commit({Put(SamplePolicy("a"))}, options), IsOk());
}

TEST_P(StoreConformanceTest, TimesAreWholeNanosecondsWhateverWasGiven) {
  CommitOptions options = By();
  options.time = absl::FromUnixNanos(1'790'000'000'000'000'001) + absl::Nanoseconds(1) / 4;
  ASSERT_THAT(store().Commit({Put(SamplePolicy("a"))}, options), IsOk());
  EXPECT_THAT(
      store().Get(PolicyKey("a")),
      IsOkAndHolds(Optional(Field(&Record::time, absl::FromUnixNanos(1'790'000'000'000'000'001)))));
}

}  // namespace bridgekeeper::store
