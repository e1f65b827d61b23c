// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/testing/store_conformance.h"

#include <atomic>
#include <optional>
#include <set>
#include <string>
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
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

}  // namespace

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

StoreKind Conforms(StoreKind kind) {
  TakeWatchTests();
  TakeRecordTests();
  return kind;
}

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
