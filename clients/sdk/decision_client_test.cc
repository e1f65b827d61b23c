// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/decision_client.h"

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "clients/sdk/testing/fake_pdp.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/testing/fake_id_source.h"

namespace bridgekeeper::clients {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

AppData Dockit(Mode mode) {
  AppData data;
  data.policy.app = AppId("dockit");
  data.policy.mode = mode;
  data.policy.limits.max_bytes = 4096;
  for (const auto& [tool, risk] : {std::pair{"look", Risk::kSafe}, {"wipe", Risk::kDestructive}}) {
    CatalogEntry entry;
    entry.key.tool = ToolName(tool);
    entry.risk = risk;
    entry.needs_connection = NeedsConnection::kNo;
    data.catalog.push_back(entry);
  }
  data.policy_revision = Revision{4};
  data.catalog_revision = Revision{2};
  return data;
}

class CachedTest : public ::testing::Test {
 protected:
  std::unique_ptr<DecisionClient> Client(CachedDecisionOptions options = {}) {
    return MakeCachedDecisionClient(source_, ids_, options);
  }
  FakePolicySource source_;
  FakeIdSource ids_;
};

TEST_F(CachedTest, AllowsWhatThePolicyAllowsAndHandsItsLimitsOn) {
  source_.SetPolicy(Dockit(Mode::kReadOnly));
  const auto answer = Client()->Decide({.app = "dockit", .tool = "look"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kAllow);
  EXPECT_EQ(answer->reason_code, ReasonCode::kAllowed);
  EXPECT_EQ(answer->effective_risk, Risk::kSafe);
  EXPECT_EQ(answer->policy_revision, Revision{4});
  EXPECT_EQ(answer->catalog_revision, Revision{2});
  EXPECT_EQ(answer->decision_id.size(), 32u);
  ASSERT_TRUE(answer->obligations.has_value());
  EXPECT_EQ(answer->obligations->max_bytes, 4096);
  EXPECT_FALSE(answer->ask_mode.has_value());
}

TEST_F(CachedTest, EveryDecisionHasAnIdOfItsOwn) {
  source_.SetPolicy(Dockit(Mode::kReadOnly));
  const auto client = Client();
  const auto first = client->Decide({.app = "dockit", .tool = "look"});
  const auto second = client->Decide({.app = "dockit", .tool = "look"});
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  EXPECT_NE(first->decision_id, second->decision_id);
}

TEST_F(CachedTest, AsksInThePolicysWay) {
  source_.SetPolicy(Dockit(Mode::kFullAccess));
  const auto answer = Client()->Decide({.app = "dockit", .tool = "wipe"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kAsk);
  EXPECT_EQ(answer->ask_mode, AskMode::kClient);
}

TEST_F(CachedTest, ADenialIsAnAnswerUnderEitherFailureMode) {
  source_.SetPolicy(Dockit(Mode::kReadOnly));
  for (const FailureMode mode : {FailureMode::kDeny, FailureMode::kReturnError}) {
    const auto answer = Client({.failure_mode = mode})->Decide({.app = "dockit", .tool = "wipe"});
    ASSERT_THAT(answer, IsOk());
    EXPECT_EQ(answer->verdict, Verdict::kDeny);
    EXPECT_EQ(answer->reason_code, ReasonCode::kModeTooLow);
    EXPECT_FALSE(answer->reason.empty());
  }
}

// A state of the copy in which nothing can be decided.
struct Undecidable {
  std::string name;
  PolicyView::State state;  // kPresent: with an age above the policy's max_staleness
  ReasonCode reason;
  absl::StatusCode code;
};

class UndecidableTest : public CachedTest, public ::testing::WithParamInterface<Undecidable> {
 protected:
  void SetUp() override {
    if (GetParam().state == PolicyView::State::kPresent) {
      source_.SetPolicy(Dockit(Mode::kFullAccess));
      source_.SetAge(absl::Minutes(5) + absl::Seconds(1));
    } else {
      source_.SetState("dockit", GetParam().state);
    }
  }
};

TEST_P(UndecidableTest, IsDeniedWithItsReason) {
  const auto answer = Client()->Decide({.app = "dockit", .tool = "look"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kDeny);
  EXPECT_EQ(answer->reason_code, GetParam().reason);
}

TEST_P(UndecidableTest, IsAnErrorWhereErrorsAreWanted) {
  EXPECT_THAT(Client({.failure_mode = FailureMode::kReturnError})
                  ->Decide({.app = "dockit", .tool = "look"}),
              StatusIs(GetParam().code, Not(HasSubstr("keeper "))));
}

INSTANTIATE_TEST_SUITE_P(
    Copy, UndecidableTest,
    ::testing::Values(Undecidable{"NotReceived", PolicyView::State::kNotReceived,
                                  ReasonCode::kPolicyMissing, absl::StatusCode::kUnavailable},
                      Undecidable{"NotAuthorized", PolicyView::State::kNotAuthorized,
                                  ReasonCode::kNotAuthorized, absl::StatusCode::kPermissionDenied},
                      Undecidable{"Stale", PolicyView::State::kPresent, ReasonCode::kPolicyStale,
                                  absl::StatusCode::kUnavailable}),
    [](const auto& row) { return row.param.name; });

TEST_F(CachedTest, AnUnknownAppIsADecision) {
  source_.SetState("dockit", PolicyView::State::kUnknownApp);
  const auto answer = Client({.failure_mode = FailureMode::kReturnError})
                          ->Decide({.app = "dockit", .tool = "look"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->reason_code, ReasonCode::kUnknownApp);
}

TEST_F(CachedTest, ItsOwnMaxStalenessLowersThePolicysAndDoesNotRaiseIt) {
  source_.SetPolicy(Dockit(Mode::kReadOnly));
  source_.SetAge(absl::Seconds(30));
  const auto lower = Client({.max_staleness = absl::Seconds(20)});
  EXPECT_EQ(lower->Decide({.app = "dockit", .tool = "look"})->reason_code,
            ReasonCode::kPolicyStale);
  source_.SetAge(absl::Minutes(10));
  const auto higher = Client({.max_staleness = absl::Hours(1)});
  EXPECT_EQ(higher->Decide({.app = "dockit", .tool = "look"})->reason_code,
            ReasonCode::kPolicyStale);
}

TEST_F(CachedTest, AQuestionThatBreaksALimitIsDeniedOrAnError) {
  source_.SetPolicy(Dockit(Mode::kFullAccess));
  const Question bad = {.app = "dockit", .tool = "look", .arguments_json = "{\"a\":1,\"a\":2}"};
  const auto answer = Client()->Decide(bad);
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kDeny);
  EXPECT_EQ(answer->reason_code, ReasonCode::kInvalidRequest);
  EXPECT_THAT(Client({.failure_mode = FailureMode::kReturnError})->Decide(bad),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("arguments_json")));
}

class RemoteTest : public ::testing::Test {
 protected:
  std::unique_ptr<DecisionClient> Client(FailureMode mode,
                                         absl::Duration timeout = absl::Seconds(20)) {
    ChannelOptions options;
    options.address = pdp_.address();
    auto channel = Channel::Create(options);
    EXPECT_THAT(channel, IsOk());
    auto client = MakeRemoteDecisionClient(*channel, timeout, mode);
    EXPECT_THAT(client, IsOk());
    return *std::move(client);
  }
  FakePdp pdp_;
};

TEST_F(RemoteTest, SendsTheWholeQuestionAndReadsTheWholeAnswer) {
  v1::DecideRequest asked;
  pdp_.OnDecide([&asked](const v1::DecideRequest& request, v1::DecideResponse& response) {
    asked = request;
    v1::Decision& decision = *response.mutable_decision();
    decision.set_verdict(v1::VERDICT_ASK);
    decision.set_reason_code(v1::REASON_CODE_CONFIRM_DESTRUCTIVE);
    decision.set_effective_risk(v1::RISK_DESTRUCTIVE);
    decision.set_reason("because");
    decision.set_policy_revision(4);
    decision.set_catalog_revision(2);
    decision.set_decision_id("0123456789abcdef");
    decision.set_judged(true);
    decision.mutable_obligations()->set_max_rows(10);
    decision.set_ask_mode(v1::ASK_MODE_ELICIT);
    return absl::OkStatus();
  });
  const auto answer = Client(FailureMode::kReturnError)
                          ->Decide({.app = "dockit",
                                    .tool = "wipe",
                                    .server = "docker",
                                    .connection = "prod",
                                    .arguments_json = "{}",
                                    .payload_json = "\"x\"",
                                    .declared_risk = Risk::kElevated,
                                    .definition_digest = std::string(64, 'a'),
                                    .read_only_hint = true,
                                    .listed_by_server = true,
                                    .builtin_catalog = true});
  ASSERT_THAT(answer, IsOk());
  const v1::ToolCall& call = asked.call();
  EXPECT_EQ(call.app(), "dockit");
  EXPECT_EQ(call.tool(), "wipe");
  EXPECT_EQ(call.server(), "docker");
  EXPECT_EQ(call.connection_id(), "prod");
  EXPECT_EQ(call.arguments_json(), "{}");
  EXPECT_EQ(call.payload_json(), "\"x\"");
  EXPECT_EQ(call.declared_risk(), v1::RISK_ELEVATED);
  EXPECT_EQ(call.definition_digest(), std::string(64, 'a'));
  EXPECT_TRUE(call.read_only_hint());
  EXPECT_TRUE(call.listed_by_server());
  EXPECT_TRUE(call.builtin_catalog());

  EXPECT_EQ(answer->verdict, Verdict::kAsk);
  EXPECT_EQ(answer->reason_code, ReasonCode::kConfirmDestructive);
  EXPECT_EQ(answer->effective_risk, Risk::kDestructive);
  EXPECT_EQ(answer->reason, "because");
  EXPECT_EQ(answer->policy_revision, Revision{4});
  EXPECT_EQ(answer->catalog_revision, Revision{2});
  EXPECT_EQ(answer->decision_id, "0123456789abcdef");
  EXPECT_TRUE(answer->judged);
  EXPECT_EQ(answer->obligations->max_rows, 10);
  EXPECT_EQ(answer->ask_mode, AskMode::kElicit);
}

TEST_F(RemoteTest, WhatWasNotSaidIsNotSent) {
  v1::DecideRequest asked;
  pdp_.OnDecide([&asked](const v1::DecideRequest& request, v1::DecideResponse& response) {
    asked = request;
    response.mutable_decision()->set_verdict(v1::VERDICT_ALLOW);
    return absl::OkStatus();
  });
  ASSERT_THAT(Client(FailureMode::kReturnError)->Decide({.app = "dockit", .tool = "look"}), IsOk());
  EXPECT_FALSE(asked.call().has_server());
  EXPECT_FALSE(asked.call().has_connection_id());
  EXPECT_FALSE(asked.call().has_arguments_json());
  EXPECT_FALSE(asked.call().has_payload_json());
  EXPECT_FALSE(asked.call().has_definition_digest());
  EXPECT_EQ(asked.call().declared_risk(), v1::RISK_UNSPECIFIED);
}

TEST_F(RemoteTest, AVerdictThatIsNotKnownHereIsADenial) {
  pdp_.OnDecide([](const v1::DecideRequest&, v1::DecideResponse& response) {
    response.mutable_decision()->set_verdict(static_cast<v1::Verdict>(77));
    return absl::OkStatus();
  });
  const auto answer = Client(FailureMode::kReturnError)->Decide({.app = "dockit", .tool = "look"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kDeny);
}

TEST_F(RemoteTest, AnAnswerWithoutADecisionIsNone) {
  pdp_.OnDecide([](const v1::DecideRequest&, v1::DecideResponse&) { return absl::OkStatus(); });
  EXPECT_THAT(Client(FailureMode::kReturnError)->Decide({.app = "dockit", .tool = "look"}),
              StatusIs(absl::StatusCode::kInternal));
}

struct Failure {
  std::string name;
  absl::StatusCode code;
  ReasonCode reason;
};

class FailureTest : public RemoteTest, public ::testing::WithParamInterface<Failure> {
 protected:
  void SetUp() override {
    pdp_.OnDecide([](const v1::DecideRequest&, v1::DecideResponse& response) {
      // Whatever came with a failure is not an answer.
      response.mutable_decision()->set_verdict(v1::VERDICT_ALLOW);
      return absl::Status(GetParam().code, "as the test says");
    });
  }
};

TEST_P(FailureTest, IsDeniedWithItsReason) {
  const auto answer = Client(FailureMode::kDeny)->Decide({.app = "dockit", .tool = "look"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->verdict, Verdict::kDeny);
  EXPECT_EQ(answer->reason_code, GetParam().reason);
  EXPECT_THAT(answer->reason, HasSubstr("as the test says"));
}

TEST_P(FailureTest, IsAnErrorWhereErrorsAreWanted) {
  EXPECT_THAT(Client(FailureMode::kReturnError)->Decide({.app = "dockit", .tool = "look"}),
              StatusIs(GetParam().code, HasSubstr("as the test says")));
}

INSTANTIATE_TEST_SUITE_P(
    Rpc, FailureTest,
    ::testing::Values(
        Failure{"BadQuestion", absl::StatusCode::kInvalidArgument, ReasonCode::kInvalidRequest},
        Failure{"Overload", absl::StatusCode::kResourceExhausted, ReasonCode::kOverloaded},
        Failure{"NoToken", absl::StatusCode::kUnauthenticated, ReasonCode::kNotAuthorized},
        Failure{"NotPermitted", absl::StatusCode::kPermissionDenied, ReasonCode::kNotAuthorized},
        Failure{"Draining", absl::StatusCode::kUnavailable, ReasonCode::kPdpUnreachable},
        Failure{"Fault", absl::StatusCode::kInternal, ReasonCode::kEvaluationFault}),
    [](const auto& row) { return row.param.name; });

TEST_F(RemoteTest, DoesNotWaitLongerThanItsTimeout) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  pdp_.OnDecide([released](const v1::DecideRequest&, v1::DecideResponse&) {
    released.wait_for(std::chrono::seconds(20));
    return absl::OkStatus();
  });
  const auto answer =
      Client(FailureMode::kDeny, absl::Milliseconds(20))->Decide({.app = "dockit", .tool = "look"});
  release.set_value();
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->reason_code, ReasonCode::kPdpUnreachable);
  EXPECT_THAT(answer->reason, HasSubstr("in time"));
}

TEST(RemoteDecisionClient, RefusesATimeoutThatIsNone) {
  auto channel = Channel::Create({});
  ASSERT_THAT(channel, IsOk());
  EXPECT_THAT(MakeRemoteDecisionClient(*channel, absl::ZeroDuration(), FailureMode::kDeny),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want 1ms to 1h")));
}

}  // namespace
}  // namespace bridgekeeper::clients
