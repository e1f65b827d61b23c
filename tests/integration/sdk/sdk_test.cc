// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The SDK against a real keeperd: what a copy decides is what keeperd decides.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/sdk/decision_client.h"
#include "clients/sdk/reporter.h"
#include "clients/sdk/watch_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/decision_table.h"
#include "policy/testing/status_matchers.h"
#include "proto/convert/limits.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/sha256.h"
#include "tests/integration/service/records.h"
#include "tests/integration/service/running_server.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using clients::Answer;
using clients::DecisionClient;
using clients::FailureMode;
using clients::Question;
using clients::WatchPolicySource;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Policies = v1::PolicyService::Stub;
using State = PolicyView::State;

class SdkTest : public ::testing::Test {
 protected:
  std::shared_ptr<clients::Channel> Channel() {
    clients::ChannelOptions options;
    options.address = server_.server().grpc_address();
    auto channel = clients::Channel::Create(options);
    EXPECT_THAT(channel, IsOk());
    return *std::move(channel);
  }
  std::unique_ptr<WatchPolicySource> Follow(std::vector<AppId> apps) {
    auto source = WatchPolicySource::Create(Channel(), {.apps = std::move(apps)}, clock_, ids_);
    EXPECT_THAT(source, IsOk());
    EXPECT_TRUE((*source)->WaitForFirst(support::kDeadline)) << (*source)->Stats().last_error;
    return *std::move(source);
  }
  std::unique_ptr<DecisionClient> Remote() {
    auto client =
        MakeRemoteDecisionClient(Channel(), support::kDeadline, FailureMode::kReturnError);
    EXPECT_THAT(client, IsOk());
    return *std::move(client);
  }
  int64_t Put(const std::string& app, Mode mode, int64_t expected) {
    v1::PutPolicyResponse response;
    EXPECT_THAT(
        Call(*server_.policies, &Policies::PutPolicy, PutRequest(app, mode, expected), &response),
        IsOk());
    return response.record().meta().revision();
  }

  RealClock clock_;
  RandomIdSource ids_;
  RunningServer server_;
};

// Everything but the id, which is each decision's own.
void ExpectSame(const Answer& a, const Answer& b, const std::string& name) {
  EXPECT_EQ(a.verdict, b.verdict) << name;
  EXPECT_EQ(a.reason_code, b.reason_code) << name;
  EXPECT_EQ(a.effective_risk, b.effective_risk) << name;
  EXPECT_EQ(a.reason, b.reason) << name;
  EXPECT_EQ(a.policy_revision, b.policy_revision) << name;
  EXPECT_EQ(a.catalog_revision, b.catalog_revision) << name;
  EXPECT_EQ(a.judged, b.judged) << name;
  EXPECT_EQ(a.obligations, b.obligations) << name;
  EXPECT_EQ(a.ask_mode, b.ask_mode) << name;
}

TEST_F(SdkTest, ACopyAnswersEveryRowOfTheDecisionTableAsKeeperdDoes) {
  std::vector<store::Mutation> mutations;
  std::vector<std::vector<AppId>> shares = {{}};  // of one source each
  for (const DecisionRow& row : DecisionTable()) {
    const AppId app(absl::StrFormat("row%d", row.line));
    McpPolicy policy = row.policy;
    policy.app = app;
    CatalogEntry entry = row.entry;
    entry.key.app = app;
    mutations.push_back(store::Put(std::move(policy)));
    mutations.push_back(store::Put(std::move(entry)));
    if (shares.back().size() == convert::kMaxWatchApps) shares.emplace_back();
    shares.back().push_back(app);
  }
  ASSERT_THAT(server_.store().Commit(std::move(mutations), store::By()), IsOk());

  std::map<std::string, DecisionClient*> by_app;
  std::vector<std::unique_ptr<WatchPolicySource>> sources;
  std::vector<std::unique_ptr<DecisionClient>> copies;
  for (const std::vector<AppId>& apps : shares) {
    sources.push_back(Follow(apps));
    copies.push_back(MakeCachedDecisionClient(*sources.back(), ids_, {}));
    for (const AppId& app : apps) by_app[app.value()] = copies.back().get();
  }
  const auto remote = Remote();
  for (const DecisionRow& row : DecisionTable()) {
    Question question;
    question.app = absl::StrFormat("row%d", row.line);
    question.tool = row.entry.key.tool.value();
    question.server = std::string(kDecisionRowServer);
    question.connection = row.connection;
    const auto here = by_app.at(question.app)->Decide(question);
    const auto there = remote->Decide(question);
    ASSERT_THAT(here, IsOk()) << row.name;
    ASSERT_THAT(there, IsOk()) << row.name;
    EXPECT_EQ(here->verdict, row.verdict) << row.name;
    EXPECT_EQ(here->reason_code, row.reason) << row.name;
    ExpectSame(*here, *there, row.name);
    if (HasFailure()) FAIL() << "and perhaps more";
  }
  EXPECT_THAT(DecisionTable(), SizeIs(2052));
}

TEST_F(SdkTest, AWriteReachesTheCopyAndADeletionTakesItAway) {
  const auto source = Follow({AppId("dockit"), AppId("sqlkit")});
  EXPECT_EQ(source->View("dockit").state, State::kUnknownApp);
  const auto holds = [&](Mode mode) {
    const auto snapshot = source->View("dockit");
    return snapshot.state == State::kPresent && snapshot.policy->policy().mode == mode;
  };
  int64_t revision = Put("dockit", Mode::kReadOnly, 0);
  ASSERT_TRUE(support::WaitUntil([&] { return holds(Mode::kReadOnly); }));
  revision = Put("dockit", Mode::kFullAccess, revision);
  ASSERT_TRUE(support::WaitUntil([&] { return holds(Mode::kFullAccess); }));
  EXPECT_EQ(source->View("dockit").policy->policy_revision().value, revision);
  EXPECT_EQ(source->View("sqlkit").state, State::kUnknownApp);

  v1::DeletePolicyRequest request;
  request.set_app("dockit");
  request.mutable_options()->set_expected_revision(revision);
  v1::DeletePolicyResponse response;
  ASSERT_THAT(Call(*server_.policies, &Policies::DeletePolicy, request, &response), IsOk());
  ASSERT_TRUE(
      support::WaitUntil([&] { return source->View("dockit").state == State::kUnknownApp; }));

  const clients::PolicySourceStats stats = source->Stats();
  EXPECT_EQ(stats.snapshots, 1);
  EXPECT_EQ(stats.changes, 3);
  EXPECT_EQ(stats.refused_revisions + stats.refused_messages + stats.refused_records, 0);
}

TEST_F(SdkTest, TheCopyOutlivesTheServer) {
  Put("dockit", Mode::kReadOnly, 0);
  const auto source = Follow({AppId("dockit")});
  const auto copy = MakeCachedDecisionClient(*source, ids_, {});
  const auto remote = Remote();
  const Question question = {.app = "dockit", .tool = "dockit__list_connections"};
  ASSERT_THAT(remote->Decide(question), IsOk());
  ASSERT_TRUE(server_.Stop());
  ASSERT_TRUE(support::WaitUntil([&] { return source->Stats().failures > 0; }));
  EXPECT_THAT(remote->Decide(question), StatusIs(absl::StatusCode::kUnavailable));
  const auto answer = copy->Decide(question);
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kAllow);
}

TEST_F(SdkTest, WhatIsReportedIsListed) {
  Put("dockit", Mode::kReadOnly, 0);
  const auto source = Follow({AppId("dockit")});
  clients::ReporterOptions options;
  options.bridge = "host/1";
  options.apps = {"dockit"};
  options.version = "1.2.3";
  auto reporter = clients::Reporter::Create(Channel(), options, *source, clock_, ids_);
  ASSERT_THAT(reporter, IsOk());
  (*reporter)->ReportTools("dockit", "docker",
                           {.tools = {{"prune", R"({"name":"prune"})",
                                       Sha256Hex(R"({"name":"prune"})")}}});
  clients::DecisionReport decision;
  decision.time = clock_.Now();
  decision.app = "dockit";
  decision.server = "docker";
  decision.tool = "prune \xff";  // as a hostile client may call it
  decision.decision.reason_code = ReasonCode::kUnknownTool;
  (*reporter)->ReportDecision(decision);
  ASSERT_TRUE((*reporter)->Flush(support::kDeadline)) << (*reporter)->Stats().last_error;
  EXPECT_EQ((*reporter)->Stats().acknowledged, 1) << (*reporter)->Stats().last_error;

  v1::ListReportedToolsResponse tools;
  ASSERT_THAT(Call(*server_.catalog, &v1::CatalogService::Stub::ListReportedTools,
                   v1::ListReportedToolsRequest(), &tools),
              IsOk());
  ASSERT_THAT(tools.tools(), SizeIs(1));
  EXPECT_EQ(tools.tools(0).app(), "dockit");
  EXPECT_EQ(tools.tools(0).server(), "docker");
  EXPECT_EQ(tools.tools(0).tool(), "prune");

  v1::ListBridgesResponse bridges;
  ASSERT_TRUE(support::WaitUntil([&] {
    EXPECT_THAT(Call(*server_.bridges, &v1::BridgeService::Stub::ListBridges,
                     v1::ListBridgesRequest(), &bridges),
                IsOk());
    return bridges.bridges_size() == 1 && bridges.bridges(0).version() == "1.2.3";
  }));
  EXPECT_EQ(bridges.bridges(0).name(), "host/1");
  EXPECT_THAT(bridges.bridges(0).apps(), ElementsAre("dockit"));
  EXPECT_EQ(bridges.bridges(0).token().revision(), 1);
}

}  // namespace
}  // namespace bridgekeeper::tests
