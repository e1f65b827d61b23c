// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/watch_copy.h"

#include <atomic>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "clients/sdk/testing/watch_messages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::clients {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using State = PolicyView::State;

const AppId kDockit("dockit");
const AppId kSqlkit("sqlkit");
constexpr absl::Duration kStart = absl::Hours(1);

class WatchCopyTest : public ::testing::Test {
 protected:
  absl::StatusOr<WatchCopy::Applied> Apply(const v1::WatchPoliciesResponse& message) {
    return copy_.Apply(message, now_);
  }
  // Applies what must be applied.
  WatchCopy::Applied Take(const v1::WatchPoliciesResponse& message) {
    absl::StatusOr<WatchCopy::Applied> applied = Apply(message);
    EXPECT_THAT(applied, IsOk());
    return applied.ok() ? *applied : WatchCopy::Applied{};
  }
  PolicySnapshot View(const AppId& app) const { return copy_.View(app.value(), now_); }
  std::optional<Mode> ModeOf(const AppId& app) const {
    const PolicySnapshot snapshot = View(app);
    if (snapshot.policy == nullptr) return std::nullopt;
    return snapshot.policy->policy().mode;
  }

  absl::Duration now_ = kStart;
  WatchCopy copy_{std::vector<AppId>{kDockit, kSqlkit}};
};

TEST_F(WatchCopyTest, KnowsNothingBeforeTheFirstSnapshot) {
  EXPECT_FALSE(copy_.known());
  EXPECT_EQ(View(kDockit).state, State::kNotReceived);
  EXPECT_EQ(View(kDockit).age, absl::InfiniteDuration());
  EXPECT_EQ(copy_.token(), RevisionToken{});
}

TEST_F(WatchCopyTest, ASnapshotIsInForceAtItsLastMessageAndNotBefore) {
  Take(SnapshotPart(7, {.begin = true}, {PolicyChange(3, "dockit", Mode::kReadOnly)}));
  Take(SnapshotPart(7, {}, {EntryChange(5, "dockit", "", "open")}));
  EXPECT_FALSE(copy_.known());
  EXPECT_EQ(View(kDockit).state, State::kNotReceived);

  const WatchCopy::Applied applied =
      Take(SnapshotPart(7, {.end = true}, {ConnectionChange(7, "dockit", "prod")}));
  EXPECT_TRUE(applied.snapshot);
  EXPECT_THAT(applied.changed, UnorderedElementsAre(kDockit, kSqlkit));
  EXPECT_TRUE(copy_.known());
  const PolicySnapshot snapshot = View(kDockit);
  ASSERT_EQ(snapshot.state, State::kPresent);
  EXPECT_EQ(snapshot.policy->policy().mode, Mode::kReadOnly);
  EXPECT_EQ(snapshot.policy->policy_revision(), Revision{3});
  EXPECT_EQ(snapshot.policy->catalog_revision(), Revision{5});
  EXPECT_NE(snapshot.policy->FindConnection("prod"), nullptr);
  EXPECT_NE(snapshot.policy->catalog().Find("open", std::nullopt, false), nullptr);
  EXPECT_EQ(snapshot.token, (RevisionToken{std::string(kThisStore), Revision{7}}));
}

TEST_F(WatchCopyTest, AnAppWithoutAPolicyIsUnknownOnceASnapshotSaidSo) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  EXPECT_EQ(View(kSqlkit).state, State::kUnknownApp);
}

TEST_F(WatchCopyTest, AnAppThatIsNotWatchedIsNeverAnswered) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), PolicyChange(4, "billing-agent")}));
  EXPECT_THAT(Take(Changes(8, {PolicyChange(8, "billing-agent")})).changed, IsEmpty());
  EXPECT_EQ(View(AppId("billing-agent")).state, State::kNotReceived);
}

TEST_F(WatchCopyTest, ASnapshotReplacesTheCopyAndLeavesNothingOfItBehind) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit"),
                    EntryChange(5, "dockit", "", "open")}));
  Take(SnapshotPart(9, {.begin = true}, {}));
  EXPECT_EQ(View(kSqlkit).state, State::kPresent);  // until the end of the new one
  Take(SnapshotPart(9, {.end = true}, {PolicyChange(8, "dockit", Mode::kFullAccess)}));
  EXPECT_EQ(ModeOf(kDockit), Mode::kFullAccess);
  EXPECT_EQ(View(kDockit).policy->catalog().Find("open", std::nullopt, false), nullptr);
  EXPECT_EQ(View(kSqlkit).state, State::kUnknownApp);
}

TEST_F(WatchCopyTest, HalfASnapshotIsForgottenWhereTheWatchBreaks) {
  Take(SnapshotPart(7, {.begin = true}, {PolicyChange(3, "dockit")}));
  copy_.BeginWatch();
  EXPECT_THAT(Apply(SnapshotPart(7, {.end = true}, {})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want its beginning")));
  Take(Snapshot(7, {PolicyChange(4, "sqlkit")}));
  EXPECT_EQ(View(kDockit).state, State::kUnknownApp);
}

TEST_F(WatchCopyTest, ADeltaTouchesOnlyTheAppsThatItNames) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit")}));
  const auto before = View(kSqlkit).policy;
  const WatchCopy::Applied applied = Take(Changes(8, {PolicyChange(8, "dockit", Mode::kReadOnly)}));
  EXPECT_THAT(applied.changed, ElementsAre(kDockit));
  EXPECT_EQ(applied.changes, 1);
  EXPECT_EQ(ModeOf(kDockit), Mode::kReadOnly);
  EXPECT_EQ(View(kDockit).policy->policy_revision(), Revision{8});
  EXPECT_EQ(View(kSqlkit).policy, before);
}

TEST_F(WatchCopyTest, AnEntryForEveryAppTouchesAllOfThem) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit")}));
  const WatchCopy::Applied applied = Take(Changes(8, {EntryChange(8, "", "", "open")}));
  EXPECT_THAT(applied.changed, UnorderedElementsAre(kDockit, kSqlkit));
  EXPECT_NE(View(kSqlkit).policy->catalog().Find("open", std::nullopt, false), nullptr);
}

TEST_F(WatchCopyTest, ATombstoneMakesTheAppUnknown) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  Take(Changes(8, {PolicyDeleted(8, "dockit")}));
  EXPECT_EQ(View(kDockit).state, State::kUnknownApp);
  EXPECT_EQ(View(kDockit).policy, nullptr);
}

TEST_F(WatchCopyTest, DeletedEntriesAndConnectionsAreGone) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), EntryChange(4, "dockit", "files", "open"),
                    EntryChange(5, "dockit", "", "open"), ConnectionChange(6, "dockit", "prod")}));
  Take(Changes(9, {EntryDeleted(8, "dockit", "", "open"), ConnectionDeleted(9, "dockit", "prod")}));
  const auto policy = View(kDockit).policy;
  EXPECT_EQ(policy->catalog().Find("open", std::nullopt, false), nullptr);
  EXPECT_NE(policy->catalog().Find("open", "files", false), nullptr);
  EXPECT_EQ(policy->FindConnection("prod"), nullptr);
  EXPECT_EQ(policy->catalog_revision(), Revision{4});
}

TEST_F(WatchCopyTest, AHeartbeatMovesTheAgeAndTheRevisionAndTouchesNoApp) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  const auto before = View(kDockit).policy;
  now_ += absl::Seconds(30);
  EXPECT_EQ(View(kDockit).age, absl::Seconds(30));
  EXPECT_THAT(Take(Heartbeat(12)).changed, IsEmpty());
  EXPECT_EQ(View(kDockit).age, absl::ZeroDuration());
  EXPECT_EQ(View(kDockit).token.revision, Revision{12});
  EXPECT_EQ(View(kDockit).policy, before);
}

TEST_F(WatchCopyTest, TheSendersOwnAgeIsAddedAndForgottenAgain) {
  v1::WatchPoliciesResponse message = Snapshot(7, {PolicyChange(3, "dockit")});
  message.mutable_source_age()->set_seconds(40);
  Take(message);
  now_ += absl::Seconds(2);
  EXPECT_EQ(View(kDockit).age, absl::Seconds(42));
  Take(Heartbeat(7));
  EXPECT_EQ(View(kDockit).age, absl::ZeroDuration());
}

TEST_F(WatchCopyTest, TheAgeOfASnapshotCountsFromItsBeginning) {
  Take(SnapshotPart(7, {.begin = true}, {PolicyChange(3, "dockit")}));
  now_ += absl::Seconds(20);
  Take(SnapshotPart(7, {.end = true}, {}));
  EXPECT_EQ(View(kDockit).age, absl::Seconds(20));
}

TEST_F(WatchCopyTest, HalfASnapshotDoesNotMakeTheOldCopyYounger) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  now_ += absl::Seconds(20);
  Take(SnapshotPart(9, {.begin = true}, {}));
  EXPECT_EQ(View(kDockit).age, absl::Seconds(20));
}

TEST_F(WatchCopyTest, AMessageIsAsOldAsTheWaitForIt) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  const absl::Duration before_sleep = now_;
  now_ += absl::Hours(8);  // the lid was closed, the heartbeat lay in a buffer
  ASSERT_THAT(copy_.Apply(Heartbeat(7), before_sleep), IsOk());
  EXPECT_EQ(View(kDockit).age, absl::Hours(8));
}

TEST_F(WatchCopyTest, ASnapshotOfAnotherIncarnationReplacesAllAtALowerRevisionToo) {
  Take(Snapshot(700, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit")}));
  Take(Snapshot(2, {PolicyChange(2, "dockit", Mode::kReadOnly)}, kOtherStore));
  EXPECT_EQ(ModeOf(kDockit), Mode::kReadOnly);
  EXPECT_EQ(View(kSqlkit).state, State::kUnknownApp);
  EXPECT_EQ(copy_.token(), (RevisionToken{std::string(kOtherStore), Revision{2}}));
}

TEST_F(WatchCopyTest, ADroppedCopyAnswersNotAuthorizedAndHasNoToken) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  EXPECT_THAT(copy_.Drop(), UnorderedElementsAre(kDockit, kSqlkit));
  EXPECT_TRUE(copy_.known());
  EXPECT_EQ(View(kDockit).state, State::kNotAuthorized);
  EXPECT_EQ(View(kDockit).policy, nullptr);
  EXPECT_EQ(View(kDockit).age, absl::InfiniteDuration());
  EXPECT_EQ(copy_.token(), RevisionToken{});
  EXPECT_THAT(Apply(Changes(8, {PolicyChange(8, "dockit")})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want a snapshot first")));
  Take(Snapshot(8, {PolicyChange(3, "dockit")}));
  EXPECT_EQ(View(kDockit).state, State::kPresent);
}

TEST_F(WatchCopyTest, AnUnreadablePolicyDeniesItsAppAloneUntilItCanBeRead) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit")}));
  const WatchCopy::Applied applied = Take(Changes(8, {UnreadablePolicy(8, "dockit")}));
  EXPECT_EQ(applied.refused_records, 1);
  EXPECT_EQ(View(kDockit).state, State::kUnreadable);
  EXPECT_EQ(View(kSqlkit).state, State::kPresent);
  Take(Changes(9, {EntryChange(9, "dockit", "", "open")}));  // another record heals nothing
  EXPECT_EQ(View(kDockit).state, State::kUnreadable);
  Take(Changes(10, {PolicyChange(10, "dockit", Mode::kReadOnly)}));
  EXPECT_EQ(ModeOf(kDockit), Mode::kReadOnly);
}

TEST_F(WatchCopyTest, AnUnreadablePolicyInASnapshotDeniesItsAppAlone) {
  const WatchCopy::Applied applied =
      Take(Snapshot(7, {UnreadablePolicy(3, "dockit"), PolicyChange(4, "sqlkit")}));
  EXPECT_EQ(applied.refused_records, 1);
  EXPECT_EQ(View(kDockit).state, State::kUnreadable);
  EXPECT_EQ(View(kSqlkit).state, State::kPresent);
}

TEST_F(WatchCopyTest, AnUnreadableEntryForEveryAppDeniesAllUntilItIsDeleted) {
  Take(Snapshot(7, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit")}));
  v1::Change entry = EntryChange(8, "", "", "open");
  entry.mutable_catalog_entry()->set_pin("not a digest");
  Take(Changes(8, {entry}));
  EXPECT_EQ(View(kDockit).state, State::kUnreadable);
  EXPECT_EQ(View(kSqlkit).state, State::kUnreadable);
  Take(Changes(9, {EntryDeleted(9, "", "", "open")}));
  EXPECT_EQ(View(kDockit).state, State::kPresent);
  EXPECT_EQ(View(kSqlkit).state, State::kPresent);
}

// What is refused: from a copy at revision 7, the messages before the last one are
// taken, the last one is not, and leaves no trace.
struct Refused {
  std::string name;
  std::vector<v1::WatchPoliciesResponse> messages;
  absl::StatusCode code;
  std::string says;
};

class RefusedTest : public WatchCopyTest, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedTest, AndNothingOfItIsApplied) {
  Take(Snapshot(7, {PolicyChange(3, "dockit", Mode::kReadOnly)}));
  const auto before = View(kDockit).policy;
  for (size_t i = 0; i + 1 < GetParam().messages.size(); ++i) Take(GetParam().messages[i]);
  const RevisionToken token = copy_.token();
  now_ += absl::Seconds(5);
  EXPECT_THAT(Apply(GetParam().messages.back()),
              StatusIs(GetParam().code, HasSubstr(GetParam().says)));
  EXPECT_EQ(View(kDockit).policy, before);
  EXPECT_EQ(View(kSqlkit).state, State::kUnknownApp);
  EXPECT_EQ(copy_.token(), token);
  EXPECT_EQ(View(kDockit).age, absl::Seconds(5));
}

v1::WatchPoliciesResponse NegativeSourceAge() {
  v1::WatchPoliciesResponse message = Heartbeat(8);
  message.mutable_source_age()->set_seconds(-1);
  return message;
}

// A change whose record is of a kind that this build does not know.
v1::Change OfUnknownKind(int64_t revision) {
  v1::Change change;
  change.set_revision(revision);
  return change;
}

constexpr absl::StatusCode kBack = absl::StatusCode::kOutOfRange;
constexpr absl::StatusCode kOutside = absl::StatusCode::kInvalidArgument;

INSTANTIATE_TEST_SUITE_P(
    Message, RefusedTest,
    ::testing::Values(
        Refused{"HeartbeatThatGoesBack", {Heartbeat(6)}, kBack, "revision 6 after revision 7"},
        Refused{"HeartbeatThatGoesBackBehindAHeartbeat",
                {Heartbeat(9), Heartbeat(8)},
                kBack,
                "revision 8 after revision 9"},
        Refused{"ChangeThatWasAppliedAlready",
                {Changes(8, {PolicyChange(7, "sqlkit")})},
                kBack,
                "a change of revision 7 after revision 7"},
        Refused{"ChangesOutOfOrder",
                {Changes(9, {PolicyChange(9, "sqlkit"), PolicyChange(8, "dockit")})},
                kBack,
                "revision 8 after revision 9"},
        Refused{"SnapshotThatGoesBack",
                {Snapshot(6, {PolicyChange(4, "sqlkit")})},
                kBack,
                "revision 6 after revision 7"},
        Refused{"ChangeBeyondTheMessage",
                {Changes(8, {PolicyChange(9, "sqlkit")})},
                kOutside,
                "a change of revision 9 in a message of revision 8"},
        Refused{"RecordBeyondTheSnapshot",
                {Snapshot(8, {PolicyChange(9, "sqlkit")})},
                kOutside,
                "a record of revision 9 in a snapshot of revision 8"},
        Refused{"ChangesOfAnotherIncarnation",
                {Changes(8, {PolicyChange(8, "sqlkit")}, kOtherStore)},
                kOutside,
                "want a snapshot first"},
        Refused{"HeartbeatOfAnotherIncarnation",
                {Heartbeat(8, kOtherStore)},
                kOutside,
                "want a snapshot first"},
        Refused{"MiddleOfASnapshot",
                {SnapshotPart(8, {}, {PolicyChange(8, "sqlkit")})},
                kOutside,
                "want its beginning"},
        Refused{
            "EndOfASnapshot", {SnapshotPart(8, {.end = true}, {})}, kOutside, "want its beginning"},
        Refused{"ChangesInsideASnapshot",
                {SnapshotPart(8, {.begin = true}, {}), Changes(8, {PolicyChange(8, "sqlkit")})},
                kOutside,
                "no part of a snapshot"},
        Refused{"SnapshotOfTwoIncarnations",
                {SnapshotPart(8, {.begin = true}, {}),
                 SnapshotPart(8, {.end = true}, {PolicyChange(8, "sqlkit")}, kOtherStore)},
                kOutside,
                "the incarnation changed"},
        Refused{"OneRecordTwiceInASnapshot",
                {Snapshot(8, {PolicyChange(8, "sqlkit"), PolicyChange(8, "sqlkit")})},
                kOutside,
                "one record twice"},
        Refused{"RecordOfAnUnknownKindBehindAGoodOne",
                {Changes(9, {PolicyChange(8, "sqlkit"), OfUnknownKind(9)})},
                kOutside,
                "a kind that is not known"},
        Refused{"RecordWithAnAppThatIsNoId",
                {Changes(8, {PolicyChange(8, "sql kit")})},
                kOutside,
                "app"},
        Refused{"ConnectionWithAnIdThatIsNone",
                {Changes(8, {ConnectionChange(8, "sqlkit", "a b")})},
                kOutside,
                "id"},
        Refused{"ChangeWithoutARevision",
                {Changes(8, {PolicyChange(0, "sqlkit")})},
                kBack,
                "revision 0"},
        Refused{"NoIncarnation", {Heartbeat(8, "")}, kOutside, "want an incarnation"},
        Refused{"NegativeSourceAge", {NegativeSourceAge()}, kOutside, "negative source_age"}),
    [](const auto& row) { return row.param.name; });

TEST_F(WatchCopyTest, ADroppedCopyDoesNotComeBackAtALowerRevision) {
  Take(Snapshot(7, {PolicyChange(3, "dockit")}));
  copy_.Drop();
  EXPECT_THAT(Apply(Snapshot(6, {PolicyChange(3, "dockit")})),
              StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_EQ(View(kDockit).state, State::kNotAuthorized);
}

// Any walk of snapshots and deltas ends where the plain list of records ends.
TEST_F(WatchCopyTest, RandomWalksEndWhereTheRecordsSay) {
  const uint32_t seed = 20260921;
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const auto pick = [&random](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const std::string apps[] = {"dockit", "sqlkit"};
  const Mode modes[] = {Mode::kReadOnly, Mode::kDataReadWrite, Mode::kFullAccess};

  struct Written {
    int64_t revision;
    Mode mode;
  };
  std::map<std::string, Written> records;
  int64_t revision = 0;
  const auto snapshot = [&] {
    std::vector<v1::Change> changes;
    for (const auto& [app, record] : records) {
      changes.push_back(PolicyChange(record.revision, app, record.mode));
    }
    return changes;
  };
  Take(Snapshot(0, {}));
  for (int step = 0; step < 2000; ++step) {
    std::vector<v1::Change> changes;
    for (uint32_t n = pick(4); n > 0; --n) {
      const std::string& app = apps[pick(2)];
      ++revision;
      if (pick(3) == 0) {
        records.erase(app);
        changes.push_back(PolicyDeleted(revision, app));
      } else {
        records[app] = {revision, modes[pick(3)]};
        changes.push_back(PolicyChange(revision, app, records[app].mode));
      }
    }
    if (pick(5) == 0) {
      Take(SnapshotPart(revision, {.begin = true}, {}));
      if (pick(2) == 0) copy_.BeginWatch();  // broken off, and begun again
      Take(Snapshot(revision, snapshot()));
    } else {
      Take(Changes(revision, changes));
    }
    for (const std::string& app : apps) {
      const auto want = records.find(app);
      const PolicySnapshot got = copy_.View(app, now_);
      if (want == records.end()) {
        ASSERT_EQ(got.state, State::kUnknownApp) << "step " << step;
      } else {
        ASSERT_EQ(got.state, State::kPresent) << "step " << step;
        ASSERT_EQ(got.policy->policy().mode, want->second.mode) << "step " << step;
        ASSERT_EQ(got.policy->policy_revision().value, want->second.revision) << "step " << step;
      }
    }
  }
}

TEST_F(WatchCopyTest, ReadersSeeOneStateAtATimeWhileMessagesComeIn) {
  Take(Snapshot(1, {PolicyChange(1, "dockit")}));
  std::atomic<bool> stop = false;
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([this, &stop, &torn] {
      Revision last;
      while (!stop) {
        const PolicySnapshot snapshot = copy_.View("dockit", kStart);
        // Each message carries a policy of its own revision.
        if (snapshot.policy->policy_revision() != snapshot.token.revision) ++torn;
        if (snapshot.token.revision < last) ++torn;
        last = snapshot.token.revision;
      }
    });
  }
  for (int64_t revision = 2; revision < 500; ++revision) {
    if (revision % 10 == 0) {
      Take(Snapshot(revision, {PolicyChange(revision, "dockit")}));
    } else {
      Take(Changes(revision, {PolicyChange(revision, "dockit")}));
    }
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace bridgekeeper::clients
