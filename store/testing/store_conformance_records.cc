// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"
#include "store/testing/store_conformance_util.h"

namespace bridgekeeper::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

}  // namespace

void TakeRecordTests() {}

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

}  // namespace bridgekeeper::store
