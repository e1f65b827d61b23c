// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/reporter.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clients/sdk/testing/fake_pdp.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_id_source.h"
#include "tests/support/wait.h"

namespace bridgekeeper::clients {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// keeperd's side of the reports.
class Inbox {
 public:
  explicit Inbox(FakePdp& pdp) {
    pdp.OnReportDecisions(
        [this](const v1::ReportDecisionsRequest& request, v1::ReportDecisionsResponse& response) {
          MutexLock lock(mu_);
          batches_.push_back(request);
          if (!answer_.ok()) return answer_;
          const int taken = std::min(request.records_size(), take_);
          response.set_acknowledged(taken == 0 ? 0 : request.records(taken - 1).sequence());
          for (int i = 0; i < taken; ++i) taken_.insert(request.records(i).sequence());
          return absl::OkStatus();
        });
    pdp.OnReportTools([this](const v1::ReportToolsRequest& request, v1::ReportToolsResponse&) {
      MutexLock lock(mu_);
      tools_.push_back(request);
      return answer_;
    });
    pdp.OnHeartbeat([this](const v1::HeartbeatRequest& request, v1::HeartbeatResponse& response) {
      MutexLock lock(mu_);
      heartbeats_.push_back(request);
      response.mutable_interval()->set_nanos(100'000'000);
      return absl::OkStatus();
    });
  }

  void Answer(const absl::Status& status) {
    MutexLock lock(mu_);
    answer_ = status;
  }
  // How many records of a batch are taken in.
  void Take(int count) {
    MutexLock lock(mu_);
    take_ = count;
  }
  std::vector<v1::ReportDecisionsRequest> batches() const {
    MutexLock lock(mu_);
    return batches_;
  }
  std::set<int64_t> taken() const {
    MutexLock lock(mu_);
    return taken_;
  }
  std::vector<v1::ReportToolsRequest> tools() const {
    MutexLock lock(mu_);
    return tools_;
  }
  std::vector<v1::HeartbeatRequest> heartbeats() const {
    MutexLock lock(mu_);
    return heartbeats_;
  }

 private:
  mutable Mutex mu_;
  absl::Status answer_ ABSL_GUARDED_BY(mu_);
  int take_ ABSL_GUARDED_BY(mu_) = 1'000'000;
  std::vector<v1::ReportDecisionsRequest> batches_ ABSL_GUARDED_BY(mu_);
  std::set<int64_t> taken_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::ReportToolsRequest> tools_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::HeartbeatRequest> heartbeats_ ABSL_GUARDED_BY(mu_);
};

DecisionReport Report(std::string tool, Verdict verdict = Verdict::kAllow) {
  DecisionReport report;
  report.time = absl::FromUnixSeconds(1'790'000'000);
  report.app = "dockit";
  report.server = "docker";
  report.tool = std::move(tool);
  report.decision.verdict = verdict;
  return report;
}

class ReporterTest : public ::testing::Test {
 protected:
  ReporterOptions options_ = [] {
    ReporterOptions options;
    options.bridge = "test-bridge";
    options.apps = {"dockit"};
    options.version = "1.2.3";
    options.batch_delay = absl::Milliseconds(1);
    options.min_backoff = absl::Milliseconds(1);
    options.max_backoff = absl::Milliseconds(5);
    return options;
  }();

  void Start() {
    ChannelOptions channel_options;
    channel_options.address = pdp_.address();
    auto channel = Channel::Create(channel_options);
    ASSERT_THAT(channel, IsOk());
    auto reporter = Reporter::Create(*channel, options_, source_, clock_, ids_);
    ASSERT_THAT(reporter, IsOk());
    reporter_ = *std::move(reporter);
  }

  RealClock clock_;
  FakeIdSource ids_;
  FakePolicySource source_;
  FakePdp pdp_;
  Inbox inbox_{pdp_};
  std::unique_ptr<Reporter> reporter_;
};

TEST_F(ReporterTest, SendsEveryDecisionOnceInOrderWithItsRun) {
  Start();
  DecisionReport report = Report("look");
  report.connection = "prod";
  report.decision.reason_code = ReasonCode::kAllowed;
  report.decision.effective_risk = Risk::kSafe;
  report.decision.decision_id = "0123456789abcdef";
  report.subject = {"claude", "2.0", "s1", "me", "here"};
  report.arguments_digest = std::string(64, 'a');
  report.duration = absl::Microseconds(150);
  reporter_->ReportDecision(report);
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  reporter_->ReportDecision(Report("wipe", Verdict::kDeny));
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));

  const auto batches = inbox_.batches();
  ASSERT_THAT(batches, SizeIs(2));
  EXPECT_EQ(batches[0].bridge(), "test-bridge");
  EXPECT_THAT(batches[0].run(), SizeIs(32));
  EXPECT_EQ(batches[1].run(), batches[0].run());
  ASSERT_THAT(batches[0].records(), SizeIs(1));
  const v1::DecisionRecord& record = batches[0].records(0);
  EXPECT_EQ(record.sequence(), 1);
  EXPECT_EQ(record.time().seconds(), 1'790'000'000);
  EXPECT_EQ(record.app(), "dockit");
  EXPECT_EQ(record.server(), "docker");
  EXPECT_EQ(record.tool(), "look");
  EXPECT_EQ(record.connection_id(), "prod");
  EXPECT_EQ(record.decision().verdict(), v1::VERDICT_ALLOW);
  EXPECT_EQ(record.decision().reason_code(), v1::REASON_CODE_ALLOWED);
  EXPECT_EQ(record.decision().effective_risk(), v1::RISK_SAFE);
  EXPECT_EQ(record.decision().decision_id(), "0123456789abcdef");
  EXPECT_EQ(record.subject().client_name(), "claude");
  EXPECT_EQ(record.subject().client_version(), "2.0");
  EXPECT_EQ(record.subject().session(), "s1");
  EXPECT_EQ(record.subject().user(), "me");
  EXPECT_EQ(record.subject().host(), "here");
  EXPECT_EQ(record.arguments_digest(), std::string(64, 'a'));
  EXPECT_EQ(record.duration().nanos(), 150'000);
  EXPECT_EQ(batches[1].records(0).sequence(), 2);
  EXPECT_EQ(batches[1].records(0).decision().verdict(), v1::VERDICT_DENY);

  const ReporterStats stats = reporter_->Stats();
  EXPECT_EQ(stats.decisions, 2);
  EXPECT_EQ(stats.denials, 1);
  EXPECT_EQ(stats.acknowledged, 2);
  EXPECT_EQ(stats.dropped, 0);
  EXPECT_EQ(stats.queued, 0);
}

TEST_F(ReporterTest, GathersDecisionsIntoBatches) {
  options_.batch_delay = absl::Hours(1);
  options_.max_batch = 10;
  Start();
  for (int i = 0; i < 25; ++i) reporter_->ReportDecision(Report("look"));
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  size_t records = 0;
  for (const auto& batch : inbox_.batches()) {
    EXPECT_LE(batch.records_size(), 10);
    records += static_cast<size_t>(batch.records_size());
  }
  EXPECT_EQ(records, 25u);
  EXPECT_LE(inbox_.batches().size(), 4u);
}

TEST_F(ReporterTest, SendsAFullBatchWithoutWaiting) {
  options_.batch_delay = absl::Hours(1);
  options_.max_batch = 3;
  Start();
  for (int i = 0; i < 3; ++i) reporter_->ReportDecision(Report("look"));
  EXPECT_TRUE(support::WaitUntil([&] { return inbox_.taken().size() == 3; }));
}

TEST_F(ReporterTest, SendsAgainWhatWasNotAcknowledged) {
  inbox_.Answer(absl::UnavailableError("away"));
  Start();
  for (int i = 0; i < 5; ++i) reporter_->ReportDecision(Report("look"));
  ASSERT_TRUE(support::WaitUntil([&] { return inbox_.batches().size() > 2; }));
  EXPECT_FALSE(reporter_->Flush(absl::Milliseconds(1)));
  EXPECT_THAT(inbox_.taken(), SizeIs(0));
  inbox_.Answer(absl::OkStatus());
  inbox_.Take(2);  // of each batch
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  EXPECT_THAT(inbox_.taken(), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(reporter_->Stats().acknowledged, 5);
  EXPECT_EQ(reporter_->Stats().dropped, 0);
  EXPECT_THAT(reporter_->Stats().last_error, HasSubstr("away"));
}

TEST_F(ReporterTest, AFullQueueDropsTheNewestAndLeavesAGap) {
  options_.max_queued = 3;
  inbox_.Answer(absl::UnavailableError("away"));
  Start();
  for (int i = 0; i < 5; ++i) reporter_->ReportDecision(Report("look"));
  EXPECT_EQ(reporter_->Stats().dropped, 2);
  EXPECT_EQ(reporter_->Stats().queued, 3);
  inbox_.Answer(absl::OkStatus());
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  reporter_->ReportDecision(Report("look"));
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  EXPECT_THAT(inbox_.taken(), ElementsAre(1, 2, 3, 6));
  EXPECT_EQ(inbox_.batches().back().dropped(), 2);
}

TEST_F(ReporterTest, ABatchThatIsRefusedDoesNotBlockThoseBehindIt) {
  inbox_.Answer(absl::InvalidArgumentError("bad record"));
  Start();
  reporter_->ReportDecision(Report("look"));
  ASSERT_TRUE(support::WaitUntil([&] { return reporter_->Stats().dropped == 1; }));
  inbox_.Answer(absl::OkStatus());
  reporter_->ReportDecision(Report("look"));
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  EXPECT_THAT(inbox_.taken(), ElementsAre(2));
}

TEST_F(ReporterTest, TextFromOutsideLeavesEscapedAndCut) {
  Start();
  DecisionReport report = Report(std::string(500, 'x'));
  report.connection = "\xff\x1b[2J";
  report.decision.reason = std::string(2000, 'r');
  report.subject.user = std::string(300, 'u');
  report.subject.client_version = std::string(100, 'v');
  reporter_->ReportDecision(report);
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  const v1::DecisionRecord record = inbox_.batches()[0].records(0);
  EXPECT_THAT(record.tool(), SizeIs(128));
  EXPECT_EQ(record.connection_id(), "\\xff\\u{001b}[2J");
  EXPECT_THAT(record.decision().reason(), SizeIs(512));
  EXPECT_THAT(record.subject().user(), SizeIs(256));
  EXPECT_THAT(record.subject().client_version(), SizeIs(64));
}

TEST_F(ReporterTest, SendsTheToolsOfAServer) {
  Start();
  reporter_->ReportTools("dockit", "docker",
                         {.tools = {{"look", R"({"name":"look"})", std::string(64, 'a')},
                                    {"big", std::string(17 << 10, 'x'), std::string(64, 'b')}},
                          .builtin_catalog = true});
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  ASSERT_THAT(inbox_.tools(), SizeIs(1));
  const v1::ReportToolsRequest request = inbox_.tools()[0];
  EXPECT_EQ(request.bridge(), "test-bridge");
  EXPECT_EQ(request.app(), "dockit");
  EXPECT_EQ(request.server(), "docker");
  EXPECT_TRUE(request.builtin_catalog());
  ASSERT_THAT(request.tools(), SizeIs(2));
  EXPECT_EQ(request.tools(0).tool(), "look");
  EXPECT_EQ(request.tools(0).definition_json(), R"({"name":"look"})");
  EXPECT_EQ(request.tools(0).digest(), std::string(64, 'a'));
  EXPECT_FALSE(request.tools(0).definition_cut());
  EXPECT_EQ(request.tools(1).definition_json(), "");
  EXPECT_EQ(request.tools(1).digest(), std::string(64, 'b'));
  EXPECT_TRUE(request.tools(1).definition_cut());
}

TEST_F(ReporterTest, AThousandLargeDefinitionsStayBelowTheMessageLimit) {
  Start();
  std::vector<ToolReport> tools;
  for (int i = 0; i < 1001; ++i) {
    tools.push_back({"t" + std::to_string(i), std::string(16 << 10, 'x'), std::string(64, 'a')});
  }
  reporter_->ReportTools("dockit", "docker", {.tools = std::move(tools)});
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  const auto requests = inbox_.tools();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_THAT(requests[0].tools(), SizeIs(1000));
  EXPECT_FALSE(requests[0].tools(0).definition_cut());
  EXPECT_TRUE(requests[0].tools(999).definition_cut());
}

TEST_F(ReporterTest, ToolsAreSentAgainAndTheNewestListWins) {
  inbox_.Answer(absl::UnavailableError("away"));
  Start();
  reporter_->ReportTools("dockit", "docker", {.tools = {{"old", "{}", ""}}});
  ASSERT_TRUE(support::WaitUntil([&] { return inbox_.tools().size() > 1; }));
  reporter_->ReportTools("dockit", "docker", {.tools = {{"new", "{}", ""}}});
  inbox_.Answer(absl::OkStatus());
  ASSERT_TRUE(reporter_->Flush(support::kDeadline));
  EXPECT_EQ(inbox_.tools().back().tools(0).tool(), "new");
}

TEST_F(ReporterTest, TellsThatItLivesAndWhatItDecidesOn) {
  AppData data;
  data.policy.app = AppId("dockit");
  source_.SetPolicy(data);
  source_.SetAge(absl::Seconds(3));
  Start();
  ASSERT_TRUE(support::WaitUntil([&] { return !inbox_.heartbeats().empty(); }));
  const v1::Bridge bridge = inbox_.heartbeats()[0].bridge();
  EXPECT_EQ(bridge.name(), "test-bridge");
  EXPECT_THAT(bridge.apps(), ElementsAre("dockit"));
  EXPECT_EQ(bridge.version(), "1.2.3");
  EXPECT_EQ(bridge.token().revision(), 1);
  EXPECT_EQ(bridge.policy_age().seconds(), 3);

  reporter_->ReportDecision(Report("look"));
  reporter_->ReportDecision(Report("wipe", Verdict::kDeny));
  // Comes after 100 ms, since keeperd asks for that instead of 10 s.
  ASSERT_TRUE(support::WaitUntil([&] { return inbox_.heartbeats().size() > 1; }));
  EXPECT_EQ(inbox_.heartbeats()[1].bridge().decisions(), 2);
  EXPECT_EQ(inbox_.heartbeats()[1].bridge().denials(), 1);
}

TEST_F(ReporterTest, EndsWhileKeeperdIsSilent) {
  Start();
  reporter_->ReportDecision(Report("look"));
  reporter_.reset();
}

struct BadOption {
  std::string name;
  std::function<void(ReporterOptions&)> set;
  std::string says;
};

class BadReporterOptionTest : public ::testing::TestWithParam<BadOption> {};

TEST_P(BadReporterOptionTest, IsNamed) {
  RealClock clock;
  FakeIdSource ids;
  FakePolicySource source;
  auto channel = Channel::Create({});
  ASSERT_THAT(channel, IsOk());
  ReporterOptions options;
  options.bridge = "test-bridge";
  GetParam().set(options);
  EXPECT_THAT(Reporter::Create(*channel, options, source, clock, ids),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Option, BadReporterOptionTest,
    ::testing::Values(
        BadOption{"NoName", [](ReporterOptions& o) { o.bridge.clear(); },
                  "`bridge (bytes)`: got 0"},
        BadOption{"NoBatch", [](ReporterOptions& o) { o.max_batch = 0; }, "`max_batch`: got 0"},
        BadOption{"BatchAboveTheLimit", [](ReporterOptions& o) { o.max_batch = 1001; },
                  "want 1 to 1000"},
        BadOption{"NoQueue", [](ReporterOptions& o) { o.max_queued = 0; }, "`max_queued`: got 0"},
        BadOption{"NoTimeout", [](ReporterOptions& o) { o.rpc_timeout = absl::ZeroDuration(); },
                  "`rpc_timeout`: got 0"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace bridgekeeper::clients
