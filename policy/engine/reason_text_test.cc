// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Every reason, as a person reads it (section R of policy/spec.md).

#include <cctype>
#include <regex>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/engine/engine.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr bool IsGranted(ReasonCode code) {
  return code == ReasonCode::kUnspecified || code == ReasonCode::kAllowed ||
         code == ReasonCode::kConfirmDestructive;
}

class ReasonTextTest : public ::testing::Test {
 protected:
  ReasonTextTest() {
    AppData data;
    data.policy.app = AppId("app");
    data.policy.connection_overrides[ConnectionId("c1")].read_only = true;
    policy_ = CompiledPolicy::Compile(data);
    call_.tool = "sqlkit__execute_query";
  }

  std::string Text(ReasonCode reason, Risk risk = Risk::kElevated) const {
    Decision decision;
    decision.reason = reason;
    decision.effective_risk = risk;
    decision.connection = "c1";
    return ReasonText(PolicyView::Of(*policy_), call_, decision);
  }

  std::shared_ptr<const CompiledPolicy> policy_;
  ToolCall call_;
};

class EveryReason : public ReasonTextTest, public ::testing::WithParamInterface<ReasonCode> {};

TEST_P(EveryReason, NamesAFieldAndWhatToAskFor) {
  const std::string text = Text(GetParam());
  EXPECT_THAT(text, ::testing::StartsWith("Denied: "));
  EXPECT_THAT(text, HasSubstr("The user may ask an administrator to "));        // R2
  EXPECT_THAT(text, ::testing::EndsWith("do not try to lift this yourself."));  // R4
  EXPECT_LE(text.size(), 1024u);                                                // R5
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_P(EveryReason, HoldsNoCommand) {  // R3
  const std::string text = Text(GetParam());
  for (const char* word :
       {"keeper ", "keeper-bridge", "keeperd", "--", "$", "sudo", "curl", "export "}) {
    EXPECT_THAT(text, Not(HasSubstr(word)));
  }
}

TEST_P(EveryReason, HasATextWithoutPolicyToo) {
  Decision decision;
  decision.reason = GetParam();
  const std::string text = ReasonText({}, call_, decision);
  EXPECT_THAT(text, ::testing::EndsWith("do not try to lift this yourself."));
  EXPECT_LE(text.size(), 1024u);
}

std::vector<ReasonCode> Denials() {
  std::vector<ReasonCode> codes;
  for (size_t i = 0; i < NamesOf<ReasonCode>().size(); ++i) {
    const auto code = static_cast<ReasonCode>(i);
    if (!IsGranted(code)) codes.push_back(code);
  }
  return codes;
}

INSTANTIATE_TEST_SUITE_P(Codes, EveryReason, ::testing::ValuesIn(Denials()),
                         [](const auto& code) { return std::string(Name(code.param)); });

TEST_F(ReasonTextTest, SaysWhatOfTheStatementStoppedTheCall) {
  Decision decision;
  decision.reason = ReasonCode::kStatementExceedsTool;
  decision.effective_risk = Risk::kElevated;
  decision.connection = "c1";
  Judgement judgement;
  judgement.error = Judgement::Error::kNone;
  judgement.effects.push_back({.kind = "FUNCTION",
                               .object = "public.add_tax\x1b",
                               .position = 7,
                               .risk = Risk::kElevated,
                               .why = "what the function does is not known"});
  const auto text = [&] {
    return ReasonText(PolicyView::Of(*policy_), call_, decision, &judgement);
  };
  EXPECT_THAT(text(), HasSubstr(": `public.add_tax\\u{001b}`: what the function does is not known "
                                "(at byte 7). The user may ask an administrator to list the "
                                "function in `safe_functions` of that connection, where it is "
                                "harmless, or to give this app a tool"));
  judgement.effects[0].kind = "DELETE";
  EXPECT_THAT(text(), Not(HasSubstr("safe_functions")));
  judgement.effects[0].why = std::string(5000, 'w');
  EXPECT_LE(text().size(), 1024u);  // R5
  decision.reason = ReasonCode::kStatementUnreadable;
  judgement = {.message = "syntax error at or near \"form\""};
  EXPECT_THAT(text(), HasSubstr("(`payload_rule`): syntax error at or near \"form\". The user"));
}

TEST_F(ReasonTextTest, EachReasonHasItsOwnText) {
  std::set<std::string> texts;
  for (const ReasonCode code : Denials()) {
    EXPECT_TRUE(texts.insert(Text(code)).second) << Name(code) << ": " << Text(code);
  }
}

TEST_F(ReasonTextTest, NamesAField) {
  // Every denial but these few, which nothing in a policy or catalogue causes, names
  // the field that stopped the call in backticks. (The policy here has no `requires`, so
  // what is not supported is a record that could not be read.)
  const std::set<ReasonCode> without = {
      ReasonCode::kInvalidRequest,    ReasonCode::kUnknownApp, ReasonCode::kPolicyMissing,
      ReasonCode::kPolicyUnsupported, ReasonCode::kOverloaded, ReasonCode::kEvaluationFault,
  };
  for (const ReasonCode code : Denials()) {
    EXPECT_NE(Text(code).find('`') != std::string::npos, without.contains(code)) << Text(code);
  }
}

TEST_F(ReasonTextTest, EscapesAndBoundsWhatTheCallerSays) {
  const std::string bad = "x\x1B[2J\n`rm`" + std::string(5000, 'y');
  call_.tool = bad;
  for (const ReasonCode code : Denials()) {
    Decision decision;
    decision.reason = code;
    decision.connection = bad;
    const std::string text = ReasonText(PolicyView::Of(*policy_), call_, decision);
    EXPECT_LE(text.size(), 1024u) << Name(code);
    EXPECT_EQ(text.find('\x1B'), std::string::npos) << Name(code);
    EXPECT_EQ(text.find('\n'), std::string::npos) << Name(code);
    // Backticks set off what is quoted, so what is quoted has none.
    EXPECT_THAT(text, Not(HasSubstr("`rm`"))) << Name(code);
  }
}

TEST_F(ReasonTextTest, EscapesWhatAnAdministratorWrote) {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.suspended = true;
  data.policy.suspend_reason = "see\nticket \xE2\x80\xAE" + std::string(500, 'z');
  const auto policy = CompiledPolicy::Compile(data);
  Decision decision;
  decision.reason = ReasonCode::kSuspended;
  const std::string text = ReasonText(PolicyView::Of(*policy), call_, decision);
  EXPECT_THAT(text, HasSubstr("see\\u{000a}ticket \\u{202e}"));
  EXPECT_LE(text.size(), 1024u);
}

TEST_F(ReasonTextTest, ModeTextNamesTheModeThatReaches) {
  EXPECT_THAT(Text(ReasonCode::kModeTooLow, Risk::kDestructive),
              HasSubstr("set `mode` to FULL_ACCESS"));
  EXPECT_THAT(Text(ReasonCode::kModeTooLow, Risk::kElevated),
              HasSubstr("set `mode` to DATA_READ_WRITE"));
}

TEST_F(ReasonTextTest, SaysWhatAnAllowedCallIs) {
  Decision decision;
  decision.verdict = Verdict::kAllow;
  decision.reason = ReasonCode::kAllowed;
  decision.effective_risk = Risk::kSafe;
  EXPECT_EQ(ReasonText(PolicyView::Of(*policy_), call_, decision),
            "Allowed: `sqlkit__execute_query` is SAFE.");
  decision.verdict = Verdict::kAsk;
  decision.reason = ReasonCode::kConfirmDestructive;
  decision.effective_risk = Risk::kDestructive;
  EXPECT_EQ(ReasonText(PolicyView::Of(*policy_), call_, decision),
            "`sqlkit__execute_query` is DESTRUCTIVE: a person must agree before it runs "
            "(`ask_mode` is CLIENT).");
}

}  // namespace
}  // namespace bridgekeeper
