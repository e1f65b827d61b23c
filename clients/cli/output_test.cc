// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What people and machines read: tables, messages as values, effects with carets.

#include <sstream>
#include <string>
#include <vector>

#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/context.h"
#include "clients/cli/effects_view.h"
#include "clients/cli/message_value.h"
#include "clients/cli/policy_flow.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Table, AlignsByCharactersAndEscapes) {
  Table table({"TOOL", "WHY"});
  table.Add({"köln", "x"});
  table.Add({"a\x1b[2J\nb", "y"});
  table.Add({"last", ""});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "TOOL                   WHY\n"
            "köln                   x\n"
            "a\\u{001b}[2J\\u{000a}b  y\n"
            "last\n");
}

TEST(MessageValue, WritesBareNamesNumbersAndEveryPlainField) {
  v1::Decision decision;
  decision.set_verdict(v1::VERDICT_ASK);
  decision.set_reason_code(v1::REASON_CODE_CONFIRM_DESTRUCTIVE);
  decision.set_effective_risk(v1::RISK_DESTRUCTIVE);
  decision.set_policy_revision(int64_t{1} << 40);
  decision.set_ask_mode(v1::ASK_MODE_CLIENT);
  decision.mutable_obligations()->mutable_timeout()->set_seconds(90);
  EXPECT_EQ(
      ToJsonLine(MessageValue(decision)),
      R"({"verdict":"ASK","reason_code":"CONFIRM_DESTRUCTIVE","effective_risk":"DESTRUCTIVE","reason":"",)"
      R"("policy_revision":1099511627776,"catalog_revision":0,"decision_id":"","judged":false,)"
      R"("obligations":{"timeout":"1m30s","read_only_session":false},"ask_mode":"CLIENT"})");
}

TEST(MessageValue, LeavesOutWhatIsUnset) {
  v1::ExplainResponse response;
  v1::CheckOutcome& check = *response.add_checks();
  check.set_name("mode");
  check.set_result(v1::CheckOutcome::RESULT_FAILED);
  check.set_reason_code(v1::REASON_CODE_MODE_TOO_LOW);
  EXPECT_EQ(
      ToJsonLine(MessageValue(response)),
      R"({"checks":[{"name":"mode","result":"FAILED","reason_code":"MODE_TOO_LOW","detail":""}]})");
}

TEST(MessageValue, APolicyIsTheDocumentThatCanBePutAgain) {
  McpPolicy policy;
  policy.app = AppId("sqlkit");
  policy.connection_overrides[ConnectionId("x")].allowed_actions.emplace();
  v1::PolicyRecord record;
  *record.mutable_policy() = convert::ToProto(policy);
  record.mutable_meta()->set_revision(3);
  record.mutable_meta()->mutable_time()->set_seconds(1'790'000'000);
  const Value value = MessageValue(record);
  EXPECT_THAT(value.names(), ElementsAre("policy", "meta"));
  EXPECT_THAT(ParsePolicyDocument(ToYaml(value.items()[0])).values, ElementsAre(policy));
  EXPECT_EQ(ToJsonLine(value.items()[1]),
            R"({"revision":3,"time":"2026-09-21T14:13:20Z","author":"","reason":""})");
}

TEST(ChangedFields, NamesEachFieldThatDiffers) {
  McpPolicy before;
  before.app = AppId("a");
  before.connection_overrides[ConnectionId("x")].read_only = true;
  before.limits.max_rows = 5;
  McpPolicy after = before;
  after.mode = Mode::kReadOnly;
  after.connection_overrides.erase(ConnectionId("x"));
  after.connection_overrides[ConnectionId("y")].allowed_actions.emplace();
  after.limits.max_rows.reset();
  after.suspend_reason = "a\x1b";
  EXPECT_THAT(
      ChangedFields(ToValue(before), ToValue(after)),
      ElementsAre("mode: DATA_READ_WRITE -> READ_ONLY",
                  R"(connection_overrides.x: {"read_only":true} -> (unset))",
                  R"(connection_overrides.y: (unset) -> {"read_only":false,"allowed_actions":[]})",
                  "suspend_reason: \"\" -> a\\u{001b}", "limits.max_rows: 5 -> (unset)"));
  EXPECT_THAT(ChangedFields(ToValue(before), ToValue(before)), IsEmpty());
}

std::string Effects(std::string_view text, const std::vector<Effect>& effects) {
  std::ostringstream out;
  PrintEffects(text, effects, out);
  return out.str();
}

TEST(EffectsView, PutsACaretUnderThePlace) {
  EXPECT_EQ(Effects("SELECT 1;\n\tWITH x AS (DELETE FROM t)",
                    {{"DELETE", "t", 22, Risk::kDestructive, "deletes rows"}}),
            "DESTRUCTIVE DELETE t: deletes rows\n"
            "     2 | \\u{0009}WITH x AS (DELETE FROM t)\n"
            "                            ^\n");
}

TEST(EffectsView, CutsALongLineAroundThePlace) {
  const std::string text = std::string(100, 'a') + "X" + std::string(100, 'b');
  EXPECT_EQ(Effects(text, {{"FUNCTION", "", 100, Risk::kElevated, "why"}}),
            "ELEVATED FUNCTION: why\n"
            "     1 | ..." +
                std::string(60, 'a') + "X" + std::string(39, 'b') + "...\n" + std::string(72, ' ') +
                "^\n");
}

TEST(EffectsView, NeverCutsACharacterAndNeverPrintsAControl) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "é";
  text += "DROP\x1b[31m";
  const std::string shown = Effects(text, {{"DROP", "t", 120, Risk::kDestructive, "drops"}});
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find("\\x"), std::string::npos);
}

TEST(EffectsView, SaysThePositionWhereTheTextIsNotAtHand) {
  EXPECT_EQ(Effects("", {{"DELETE", "t", 7, Risk::kDestructive, "deletes rows"}}),
            "DESTRUCTIVE DELETE t: deletes rows (at byte 7)\n");
  EXPECT_EQ(Effects("x", {{"DELETE", "t", std::nullopt, Risk::kDestructive, "deletes rows"}}),
            "DESTRUCTIVE DELETE t: deletes rows\n");
}

}  // namespace
}  // namespace bridgekeeper::cli
