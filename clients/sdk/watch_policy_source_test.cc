// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/watch_policy_source.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clients/sdk/testing/fake_pdp.h"
#include "clients/sdk/testing/watch_messages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "runtime/testing/fake_id_source.h"
#include "tests/support/wait.h"

namespace bridgekeeper::clients {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using State = PolicyView::State;

constexpr absl::Duration kSoon = support::kDeadline;

std::string TemporaryFile(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return (folder != nullptr ? std::string(folder) : ::testing::TempDir()) + "/" + name;
}

// Collects what a source tells its listeners.
class ChangeLog {
 public:
  PolicySource::ChangeListener Listener() {
    return [this](std::span<const AppId> apps) {
      MutexLock lock(mu_);
      for (const AppId& app : apps) seen_.push_back(app.value());
    };
  }
  std::vector<std::string> seen() const {
    MutexLock lock(mu_);
    return seen_;
  }

 private:
  mutable Mutex mu_;
  std::vector<std::string> seen_ ABSL_GUARDED_BY(mu_);
};

class WatchPolicySourceTest : public ::testing::Test {
 protected:
  void StartSource(const ChannelOptions& channel_options, WatchOptions options = {}) {
    auto channel = Channel::Create(channel_options);
    ASSERT_THAT(channel, IsOk());
    options.apps = {AppId("dockit"), AppId("sqlkit")};
    options.bridge = "test-bridge";
    options.min_backoff = absl::Milliseconds(1);
    options.max_backoff = absl::Milliseconds(20);
    auto source = WatchPolicySource::Create(*channel, options, clock_, ids_);
    ASSERT_THAT(source, IsOk());
    source_ = *std::move(source);
    subscription_ = source_->Subscribe(changes_.Listener());
  }
  void StartSource() {
    ChannelOptions options;
    options.address = pdp_->address();
    StartSource(options);
  }
  std::shared_ptr<FakePdp::Watch> NextWatch() {
    auto watch = pdp_->NextWatch(kSoon);
    EXPECT_NE(watch, nullptr) << "no watch began in time: " << source_->Stats().last_error;
    return watch;
  }
  bool WaitFor(const std::function<bool()>& condition) { return support::WaitUntil(condition); }
  bool WaitForState(const std::string& app, State state) {
    return WaitFor([&] { return source_->View(app).state == state; });
  }
  bool WaitForRevision(int64_t revision) {
    return WaitFor([&] { return source_->Stats().token.revision.value == revision; });
  }

  FakeClock clock_;
  FakeIdSource ids_;
  std::unique_ptr<FakePdp> pdp_ = std::make_unique<FakePdp>();
  ChangeLog changes_;
  std::unique_ptr<WatchPolicySource> source_;
  std::unique_ptr<PolicySource::Subscription> subscription_;
};

TEST_F(WatchPolicySourceTest, TakesASnapshotAndThenChanges) {
  StartSource();
  auto watch = NextWatch();
  EXPECT_THAT(watch->request().apps(), ElementsAre("dockit", "sqlkit"));
  EXPECT_EQ(watch->request().bridge(), "test-bridge");
  EXPECT_FALSE(watch->request().has_resume_after());
  EXPECT_EQ(watch->authorization(), "");
  EXPECT_FALSE(source_->WaitForFirst(absl::ZeroDuration()));

  watch->Send(Snapshot(7, {PolicyChange(3, "dockit", Mode::kReadOnly)}));
  ASSERT_TRUE(source_->WaitForFirst(kSoon));
  EXPECT_EQ(source_->View("dockit").state, State::kPresent);
  EXPECT_EQ(source_->View("dockit").age, absl::ZeroDuration());
  EXPECT_EQ(source_->View("sqlkit").state, State::kUnknownApp);

  watch->Send(Changes(8, {PolicyChange(8, "sqlkit")}));
  ASSERT_TRUE(WaitForState("sqlkit", State::kPresent));
  ASSERT_TRUE(WaitFor([&] { return changes_.seen().size() == 3; }));
  EXPECT_THAT(changes_.seen(), ElementsAre("dockit", "sqlkit", "sqlkit"));

  const PolicySourceStats stats = source_->Stats();
  EXPECT_TRUE(stats.connected);
  EXPECT_EQ(stats.connects, 1);
  EXPECT_EQ(stats.snapshots, 1);
  EXPECT_EQ(stats.changes, 1);
  EXPECT_EQ(stats.failures, 0);
}

TEST_F(WatchPolicySourceTest, KeepsItsCopyThroughAnOutageAndGrowsOlder) {
  StartSource();
  auto watch = NextWatch();
  watch->Send(Snapshot(7, {PolicyChange(3, "dockit")}));
  ASSERT_TRUE(source_->WaitForFirst(kSoon));

  pdp_.reset();
  ASSERT_TRUE(WaitFor([&] { return source_->Stats().failures > 1; }));
  clock_.Advance(absl::Seconds(70));
  EXPECT_EQ(source_->View("dockit").state, State::kPresent);
  EXPECT_EQ(source_->View("dockit").age, absl::Seconds(70));
  EXPECT_FALSE(source_->Stats().connected);
  EXPECT_THAT(source_->Stats().last_error, HasSubstr("cannot reach keeperd"));
}

TEST_F(WatchPolicySourceTest, ResumesAfterTheRevisionThatItHas) {
  StartSource();
  auto watch = NextWatch();
  watch->Send(Snapshot(7, {PolicyChange(3, "dockit")}));
  watch->Send(Heartbeat(11));
  ASSERT_TRUE(WaitForRevision(11));
  watch->End(absl::UnavailableError("draining"));

  watch = NextWatch();
  EXPECT_EQ(watch->request().resume_after().incarnation(), kThisStore);
  EXPECT_EQ(watch->request().resume_after().revision(), 11);
  clock_.Advance(absl::Seconds(30));
  watch->Send(Changes(12, {PolicyDeleted(12, "dockit")}));
  ASSERT_TRUE(WaitForState("dockit", State::kUnknownApp));
  EXPECT_EQ(source_->Stats().snapshots, 1);
  EXPECT_EQ(source_->Stats().connects, 2);
}

TEST_F(WatchPolicySourceTest, ASnapshotOfARestoredStoreReplacesTheCopy) {
  StartSource();
  auto watch = NextWatch();
  watch->Send(Snapshot(700, {PolicyChange(3, "dockit"), PolicyChange(4, "sqlkit")}));
  ASSERT_TRUE(source_->WaitForFirst(kSoon));
  watch->End(absl::UnavailableError("restoring"));
  watch = NextWatch();
  watch->Send(Snapshot(2, {PolicyChange(2, "sqlkit")}, kOtherStore));
  ASSERT_TRUE(WaitForState("dockit", State::kUnknownApp));
  EXPECT_EQ(source_->View("sqlkit").policy->policy_revision(), Revision{2});
}

TEST_F(WatchPolicySourceTest, EndsAWatchThatFallsSilent) {
  StartSource();
  auto watch = NextWatch();
  v1::WatchPoliciesResponse first = Snapshot(7, {PolicyChange(3, "dockit")});
  first.mutable_heartbeat_interval()->set_nanos(100'000'000);
  watch->Send(first);
  ASSERT_TRUE(source_->WaitForFirst(kSoon));
  EXPECT_TRUE(watch->WaitForEnd(kSoon));
  watch = NextWatch();
  EXPECT_EQ(watch->request().resume_after().revision(), 7);
  EXPECT_EQ(source_->Stats().missed_heartbeats, 1);
  EXPECT_THAT(source_->Stats().last_error, HasSubstr("sent nothing for 200ms"));
  EXPECT_EQ(source_->View("dockit").state, State::kPresent);
}

TEST_F(WatchPolicySourceTest, EndsAWatchThatNeverSpeaks) {
  ChannelOptions channel_options;
  channel_options.address = pdp_->address();
  WatchOptions options;
  options.first_message_timeout = absl::Milliseconds(50);
  StartSource(channel_options, options);
  auto watch = NextWatch();
  EXPECT_TRUE(watch->WaitForEnd(kSoon));
  EXPECT_NE(NextWatch(), nullptr);
}

TEST_F(WatchPolicySourceTest, DropsItsCopyAtOnceWhereItIsNotWanted) {
  for (const absl::Status& refusal :
       {absl::UnauthenticatedError("token revoked"), absl::PermissionDeniedError("not this app")}) {
    StartSource();
    auto watch = NextWatch();
    watch->Send(Snapshot(7, {PolicyChange(3, "dockit")}));
    ASSERT_TRUE(source_->WaitForFirst(kSoon));
    watch->End(refusal);
    ASSERT_TRUE(WaitForState("dockit", State::kNotAuthorized)) << refusal;
    EXPECT_EQ(source_->View("dockit").policy, nullptr);

    watch = NextWatch();
    EXPECT_FALSE(watch->request().has_resume_after());
    watch->Send(Snapshot(8, {PolicyChange(3, "dockit")}));
    ASSERT_TRUE(WaitForState("dockit", State::kPresent)) << refusal;
    subscription_.reset();
    source_.reset();
  }
}

TEST_F(WatchPolicySourceTest, CountsAsAnsweredWhereTheFirstAnswerIsARefusal) {
  StartSource();
  NextWatch()->End(absl::UnauthenticatedError("who are you"));
  ASSERT_TRUE(source_->WaitForFirst(kSoon));
  EXPECT_EQ(source_->View("dockit").state, State::kNotAuthorized);
  EXPECT_THAT(source_->Stats().last_error, HasSubstr("KEEPER_TOKEN"));
}

TEST_F(WatchPolicySourceTest, RefusesARevisionThatGoesBackAndAsksForASnapshot) {
  StartSource();
  auto watch = NextWatch();
  watch->Send(Snapshot(7, {PolicyChange(3, "dockit", Mode::kReadOnly)}));
  watch->Send(Heartbeat(6));
  EXPECT_TRUE(watch->WaitForEnd(kSoon));

  watch = NextWatch();
  EXPECT_FALSE(watch->request().has_resume_after());
  EXPECT_EQ(source_->Stats().refused_revisions, 1);
  EXPECT_EQ(source_->View("dockit").state, State::kPresent);
  watch->Send(Snapshot(6, {PolicyChange(3, "dockit", Mode::kFullAccess)}));
  EXPECT_TRUE(watch->WaitForEnd(kSoon));
  EXPECT_NE(NextWatch(), nullptr);
  EXPECT_EQ(source_->Stats().refused_revisions, 2);
  EXPECT_EQ(source_->View("dockit").policy->policy().mode, Mode::kReadOnly);
}

TEST_F(WatchPolicySourceTest, EndsAWatchThatIsOutsideTheProtocol) {
  StartSource();
  auto watch = NextWatch();
  watch->Send(Changes(7, {PolicyChange(7, "dockit")}));
  EXPECT_TRUE(watch->WaitForEnd(kSoon));
  EXPECT_NE(NextWatch(), nullptr);
  EXPECT_EQ(source_->Stats().refused_messages, 1);
  EXPECT_EQ(source_->View("dockit").state, State::kNotReceived);
}

TEST_F(WatchPolicySourceTest, CountsARecordThatItCannotRead) {
  StartSource();
  NextWatch()->Send(Snapshot(7, {UnreadablePolicy(3, "dockit"), PolicyChange(4, "sqlkit")}));
  ASSERT_TRUE(source_->WaitForFirst(kSoon));
  EXPECT_EQ(source_->View("dockit").state, State::kUnreadable);
  EXPECT_EQ(source_->View("sqlkit").state, State::kPresent);
  EXPECT_EQ(source_->Stats().refused_records, 1);
}

TEST_F(WatchPolicySourceTest, SendsTheTokenAndReadsItsFileAnewForEachWatch) {
  const std::string path = TemporaryFile("token");
  std::ofstream(path) << "first\n";
  ChannelOptions options;
  options.address = pdp_->address();
  options.token_file = path;
  StartSource(options);
  auto watch = NextWatch();
  EXPECT_EQ(watch->authorization(), "Bearer first");
  std::ofstream(path) << "second\n";
  watch->End(absl::UnauthenticatedError("expired"));
  EXPECT_EQ(NextWatch()->authorization(), "Bearer second");
}

TEST_F(WatchPolicySourceTest, FindsAServerThatStartsLater) {
  // A socket of our own: nobody else can take its place meanwhile.
  const std::string address = "unix:" + TemporaryFile("later.sock");
  ChannelOptions options;
  options.address = address;
  StartSource(options);
  ASSERT_TRUE(WaitFor([&] { return source_->Stats().failures > 0; }));
  EXPECT_FALSE(source_->WaitForFirst(absl::Milliseconds(1)));
  pdp_ = std::make_unique<FakePdp>(address);
  NextWatch()->Send(Snapshot(1, {PolicyChange(1, "dockit")}));
  EXPECT_TRUE(source_->WaitForFirst(kSoon));
}

TEST_F(WatchPolicySourceTest, EndsWhileItWaitsForAnAnswer) {
  StartSource();
  auto watch = NextWatch();
  subscription_.reset();
  source_.reset();
  EXPECT_TRUE(watch->WaitForEnd(kSoon));
}

TEST_F(WatchPolicySourceTest, TellsASubscriptionNothingAfterItsEnd) {
  StartSource();
  auto watch = NextWatch();
  watch->Send(Snapshot(1, {}));
  ASSERT_TRUE(WaitFor([&] { return changes_.seen().size() == 2; }));
  subscription_.reset();
  watch->Send(Changes(2, {PolicyChange(2, "dockit")}));
  ASSERT_TRUE(WaitForRevision(2));
  EXPECT_EQ(changes_.seen().size(), 2u);
}

TEST_F(WatchPolicySourceTest, ASubscriptionMayEndInsideItsOwnCall) {
  StartSource();
  auto watch = NextWatch();
  std::unique_ptr<PolicySource::Subscription> once;
  std::atomic<int> calls = 0;
  once = source_->Subscribe([&](std::span<const AppId>) {
    ++calls;
    once.reset();
  });
  watch->Send(Snapshot(1, {}));
  ASSERT_TRUE(WaitForRevision(1));
  watch->Send(Changes(2, {PolicyChange(2, "dockit")}));
  ASSERT_TRUE(WaitForState("dockit", State::kPresent));
  watch->Send(Changes(3, {PolicyDeleted(3, "dockit")}));
  ASSERT_TRUE(WaitForState("dockit", State::kUnknownApp));
  EXPECT_EQ(calls, 1);
}

struct BadOption {
  std::string name;
  std::function<void(WatchOptions&)> set;
  std::string says;
};

class BadWatchOptionTest : public ::testing::TestWithParam<BadOption> {};

TEST_P(BadWatchOptionTest, IsNamed) {
  FakeClock clock;
  FakeIdSource ids;
  auto channel = Channel::Create({});
  ASSERT_THAT(channel, IsOk());
  WatchOptions options;
  options.apps = {AppId("dockit")};
  GetParam().set(options);
  EXPECT_THAT(WatchPolicySource::Create(*channel, options, clock, ids),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Option, BadWatchOptionTest,
    ::testing::Values(
        BadOption{"NoApps", [](WatchOptions& o) { o.apps.clear(); }, "`apps`: got 0"},
        BadOption{"TooManyApps", [](WatchOptions& o) { o.apps.assign(1001, AppId("a")); },
                  "`apps`: got 1001, want 1 to 1000"},
        BadOption{"AppThatIsNoId", [](WatchOptions& o) { o.apps = {AppId("a b")}; }, "app"},
        BadOption{"LongName", [](WatchOptions& o) { o.bridge.assign(129, 'a'); },
                  "`bridge`: got 129 bytes"},
        BadOption{"NoBackoff", [](WatchOptions& o) { o.min_backoff = absl::ZeroDuration(); },
                  "`min_backoff`: got 0"},
        BadOption{"BackoffUpsideDown", [](WatchOptions& o) { o.min_backoff = absl::Minutes(1); },
                  "want at most `max_backoff`"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace bridgekeeper::clients
