// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/text/document.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/text/document_test_util.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- what is read -------------------------------------------------------------

TEST(PolicyDocument, ReadsEveryField) {
  const McpPolicy got = OnlyPolicy(R"(
# A comment.
app: dockit
mode: FULL_ACCESS
allowed_connection_ids: [prod, "12"]
connection_overrides:
  prod:
    read_only: true
  "12":
    allowed_actions: [READ, delete]
confirm_destructive: false
ask_mode: Approval
suspended: true
suspend_reason: "too many: drops"
unreviewed_tools: as-destructive
trust_read_only_hint: true
pinning: off
limits:
  max_rows: 1000
  max_bytes: 1048576
  timeout: 1m30s
  read_only_session: true
max_staleness: 30s
resources: ALLOW
prompts: deny
require_proven: true
audit:
  store_arguments: true
  mask: ["/password", "/a~1b"]
  send_statements: true
requires: []
)");

  McpPolicy want;
  want.app = AppId("dockit");
  want.mode = Mode::kFullAccess;
  want.allowed_connection_ids = {ConnectionId("12"), ConnectionId("prod")};
  want.connection_overrides[ConnectionId("prod")].read_only = true;
  want.connection_overrides[ConnectionId("12")].allowed_actions = {Action::kRead, Action::kDelete};
  want.confirm_destructive = false;
  want.ask_mode = AskMode::kApproval;
  want.suspended = true;
  want.suspend_reason = "too many: drops";
  want.unreviewed_tools = UnreviewedTools::kAsDestructive;
  want.trust_read_only_hint = true;
  want.pinning = Pinning::kOff;
  want.limits.max_rows = 1000;
  want.limits.max_bytes = 1048576;
  want.limits.timeout = absl::Seconds(90);
  want.limits.read_only_session = true;
  want.max_staleness = absl::Seconds(30);
  want.resources = Passage::kAllow;
  want.prompts = Passage::kDeny;
  want.require_proven = true;
  want.audit = {.store_arguments = true, .mask = {"/password", "/a~1b"}, .send_statements = true};
  EXPECT_EQ(got, want);
}

TEST(PolicyDocument, HasTheDefaultsOfTheModel) {
  McpPolicy want;
  want.app = AppId("dockit");
  EXPECT_EQ(OnlyPolicy("app: dockit"), want);
  EXPECT_EQ(OnlyPolicy(R"({"app": "dockit"})"), want);
}

TEST(PolicyDocument, KeepsAnEmptyActionSetApartFromAnAbsentOne) {
  const McpPolicy got =
      OnlyPolicy("app: a\nconnection_overrides: {x: {allowed_actions: []}, y: {}}");
  ASSERT_TRUE(got.connection_overrides.at(ConnectionId("x")).allowed_actions.has_value());
  EXPECT_THAT(*got.connection_overrides.at(ConnectionId("x")).allowed_actions, IsEmpty());
  EXPECT_FALSE(got.connection_overrides.at(ConnectionId("y")).allowed_actions.has_value());
}

TEST(PolicyDocument, ReadsEachSpellingOfAnEnum) {
  for (const std::string_view spelling :
       {"READ_ONLY", "read-only", "readOnly", "ReadOnly", "read_only"}) {
    EXPECT_EQ(OnlyPolicy(std::string("app: a\nmode: ") + std::string(spelling)).mode,
              Mode::kReadOnly)
        << spelling;
  }
}

TEST(PolicyDocument, ReadsAList) {
  const auto yaml = ParsePolicyDocument("- app: a\n- app: b\n  mode: READ_ONLY\n");
  ASSERT_THAT(yaml.values, SizeIs(2));
  EXPECT_EQ(yaml.values[1].app.value(), "b");
  EXPECT_EQ(yaml.values[1].mode, Mode::kReadOnly);
  EXPECT_EQ(ParsePolicyDocument(R"([{"app":"a"},{"app":"b","mode":"READ_ONLY"}])").values,
            yaml.values);
}

TEST(PolicyDocument, ReadsJsonWithTabsEscapesAndSurrogatePairs) {
  const McpPolicy got =
      OnlyPolicy("{\n\t\"app\":\"a\",\n\t\"suspend_reason\" : \"\\u00e9 \\ud83d\\ude80 \\/\"\n}\n");
  EXPECT_EQ(got.suspend_reason, "é 🚀 /");
}

TEST(PolicyDocument, ReadsCrLfLines) {
  EXPECT_EQ(OnlyPolicy("app: a\r\nmode: READ_ONLY\r\n").mode, Mode::kReadOnly);
}

TEST(PolicyDocument, TakesTheAppGivenBesideIt) {
  EXPECT_EQ(OnlyPolicy("mode: READ_ONLY", {.default_app = "sqlkit"}).app.value(), "sqlkit");
  EXPECT_EQ(OnlyPolicy("app: sqlkit", {.default_app = "sqlkit"}).app.value(), "sqlkit");
  EXPECT_THAT(Formatted(ParsePolicyDocument("app: dockit", {.default_app = "sqlkit"}).issues),
              ElementsAre("f:1:6: error: app: got `dockit`, want `sqlkit` as given (leave `app` "
                          "out of the document, "
                          "or give the same one)"));
}

// ---- a desktop app's file --------------------------------------------------------

TEST(DesktopConfig, ImportsItsPolicyForTheAppGiven) {
  const auto got = ParsePolicyDocument(R"({
  "port": 9120,
  "auto_start": true,
  "policy": {
    "mode": "FullAccess",
    "allowed_connection_ids": [1, 2],
    "connection_overrides": {"1": {"read_only": false, "allowed_actions": ["read", "write"]},
                             "2": {"read_only": true, "allowed_actions": null}},
    "confirm_destructive": false
  }
})",
                                       {.default_app = "sqlkit"});
  EXPECT_THAT(
      Formatted(got.issues),
      ElementsAre(
          "f:2:3: warning: port: is ignored: it is the desktop app's own and no part of a policy",
          "f:3:3: warning: auto_start: is ignored: it is the desktop app's own and no part of a "
          "policy"));
  ASSERT_THAT(got.values, SizeIs(1));
  McpPolicy want;
  want.app = AppId("sqlkit");
  want.mode = Mode::kFullAccess;
  want.allowed_connection_ids = {ConnectionId("1"), ConnectionId("2")};
  want.connection_overrides[ConnectionId("1")].allowed_actions = {Action::kRead, Action::kWrite};
  want.connection_overrides[ConnectionId("2")].read_only = true;
  want.confirm_destructive = false;
  EXPECT_EQ(got.values[0], want);
}

TEST(DesktopConfig, NeedsAnApp) {
  EXPECT_THAT(
      Formatted(ParsePolicyDocument(R"({"policy": {"mode": "ReadOnly"}})").issues),
      ElementsAre(
          "f:1:1: error: this is a desktop app's mcp-config.json and names no app (say whose "
          "policy it "
          "is with --app)",
          "f:1:12: error: policy: `app` is missing (name the app whose tools are guarded)"));
}

TEST(DesktopConfig, StillRefusesANullAllowlist) {
  EXPECT_THAT(ParsePolicyDocument(R"({"policy": {"allowed_connection_ids": null}})",
                                  {.default_app = "sqlkit"})
                  .values,
              IsEmpty());
}

// ---- warnings ------------------------------------------------------------------------

TEST(PolicyDocument, WarnsOfWhatHasNoEffectAndStillReads) {
  const auto got = ParsePolicyDocument(
      "app: a\nallowed_connection_ids: [p, p]\nconnection_overrides: {p: {read_only: true, "
      "allowed_actions: [READ]}}\n"
      "requires: [time-travel]\n");
  EXPECT_THAT(Formatted(got.issues),
              ElementsAre("f:2:29: warning: allowed_connection_ids[1]: got `p` twice",
                          "f:3:27: warning: connection_overrides.p: `read_only` is not read where "
                          "`allowed_actions` is "
                          "present (keep one of the two)",
                          "f:4:12: warning: requires[0]: this version does not know the feature "
                          "`time-travel` (a reader "
                          "that does not know it denies every call with POLICY_UNSUPPORTED)"));
  EXPECT_THAT(got.values, SizeIs(1));
}

TEST(PolicyWarnings, NamesWhatAnAdministratorShouldKnow) {
  McpPolicy policy;
  EXPECT_THAT(PolicyWarnings(policy), IsEmpty());

  policy.limits.max_rows = 5;
  policy.limits.max_bytes = 5;  // every bridge honours this one
  policy.limits.read_only_session = true;
  policy.mode = Mode::kFullAccess;
  policy.allowed_connection_ids = {ConnectionId("a")};
  policy.connection_overrides[ConnectionId("b")].read_only = true;
  policy.requires_features = {"time-travel"};
  EXPECT_THAT(
      PolicyWarnings(policy),
      ElementsAre(
          "`limits.max_rows` is honoured by built-in back ends only: behind any other server each "
          "allowed call becomes "
          "DENY OBLIGATION_UNSUPPORTED",
          "`limits.read_only_session` is honoured by built-in back ends only: behind any other "
          "server each allowed call "
          "becomes DENY OBLIGATION_UNSUPPORTED",
          "`ask_mode` CLIENT: destructive calls are confirmed by the agent's own client, within "
          "the agent's reach; only "
          "APPROVAL is outside it",
          "`connection_overrides.b` has no effect: the connection is not in "
          "`allowed_connection_ids`",
          "this version does not know the feature `time-travel`: every call is denied with "
          "POLICY_UNSUPPORTED"));
}

TEST(PolicyWarnings, SaysNothingOfAskingWhereNothingIsAsked) {
  McpPolicy policy;
  policy.mode = Mode::kFullAccess;
  policy.ask_mode = AskMode::kApproval;
  EXPECT_THAT(PolicyWarnings(policy), IsEmpty());
  policy.ask_mode = AskMode::kElicit;
  EXPECT_THAT(PolicyWarnings(policy), SizeIs(1));
  policy.confirm_destructive = false;
  EXPECT_THAT(PolicyWarnings(policy), IsEmpty());
}

// ---- catalogue entries and connections -------------------------------------------------

TEST(CatalogDocument, ReadsEveryField) {
  const auto got = ParseCatalogDocument(R"(
- app: dockit
  server: files
  tool: write_file
  risk: ELEVATED
  needs_connection: no
  connection_argument: conn
  payload_rule: {payload: "GRANT {privilege} ON {object}", dialect: postgres, harmless_arguments: [note]}
  cap: SAFE
  raise: true
  disabled: true
  reviewed: false
  pin: )" + std::string(64, 'a') + R"(
- {tool: read_file, risk: SAFE}
)");
  EXPECT_THAT(Formatted(got.issues), IsEmpty());
  ASSERT_THAT(got.values, SizeIs(2));
  CatalogEntry want;
  want.key = {AppId("dockit"), ServerId("files"), ToolName("write_file")};
  want.risk = Risk::kElevated;
  want.needs_connection = NeedsConnection::kNo;
  want.connection_argument = "conn";
  want.payload_rule = {.payload = "GRANT {privilege} ON {object}",
                       .dialect = "postgres",
                       .harmless_arguments = {"note"}};
  want.cap = Risk::kSafe;
  want.raise = true;
  want.disabled = true;
  want.reviewed = false;
  want.pin = std::string(64, 'a');
  EXPECT_EQ(got.values[0], want);
  CatalogEntry plain;
  plain.key.tool = ToolName("read_file");
  plain.risk = Risk::kSafe;
  EXPECT_EQ(got.values[1], plain);
}

TEST(CatalogDocument, ReadsEachFormOfAPayloadRule) {
  const auto got = ParseCatalogDocument(R"(
- tool: find
  risk: SAFE
  payload_rule: {payload: '{"find": "{collection}", "filter": "{filter?}"}', dialect: mongodb}
- tool: list
  risk: SAFE
  payload_rule: {payload: "", harmless_arguments: [limit]}
)");
  EXPECT_THAT(Formatted(got.issues), IsEmpty());
  ASSERT_THAT(got.values, SizeIs(2));
  EXPECT_EQ(got.values[0].payload_rule->payload,
            R"({"find": "{collection}", "filter": "{filter?}"})");
  EXPECT_FALSE(got.values[1].payload_rule->makes_payload());
}

TEST(CatalogDocument, StarMeansEveryAppEvenBesideADefault) {
  const auto got = ParseCatalogDocument(
      "[{tool: t, risk: SAFE}, {app: \"*\", server: '*', tool: t, risk: SAFE}]",
      {.default_app = "dockit"});
  EXPECT_THAT(Formatted(got.issues), IsEmpty());
  ASSERT_THAT(got.values, SizeIs(2));
  EXPECT_EQ(got.values[0].key.app, AppId("dockit"));
  EXPECT_EQ(got.values[1].key.app, std::nullopt);
  EXPECT_EQ(got.values[1].key.server, std::nullopt);
}

TEST(CatalogDocument, SaysWhatIsWrong) {
  EXPECT_THAT(
      Formatted(ParseCatalogDocument(
                    "- {app: a*, pin: XY}\n- {tool: t, risk: HIGH, payload_rule: {dialect: x}}")
                    .issues),
      ElementsAre("f:1:3: error: [0]: `tool` is missing", "f:1:3: error: [0]: `risk` is missing",
                  "f:1:9: error: [0].app: got `a*`, want only [A-Za-z0-9._:@/-], or `*` for every "
                  "one (ids are compared "
                  "byte for byte and there are no patterns: name each one, or leave the list empty "
                  "for every connection)",
                  "f:1:18: error: [0].pin: got `XY`, want 64 lower-case hexadecimal digits (it is "
                  "the digest that `keeper "
                  "catalog list --unreviewed` shows)",
                  "f:2:19: error: [1].risk: got `HIGH`, want one of DESTRUCTIVE, ELEVATED, SAFE",
                  "f:2:39: error: [1].payload_rule: `payload` is missing"));
}

TEST(ConnectionDocument, ReadsEveryField) {
  const auto got = ParseConnectionDocument(R"(
app: dockit
id: prod
name: Produktion – Köln
type: postgres
sql_mode: ANSI_QUOTES
standard_conforming_strings: false
safe_functions: [public.add_tax(numeric)]
databases: [shop]
allow_sensitive_reads: true
)");
  EXPECT_THAT(Formatted(got.issues), IsEmpty());
  ASSERT_THAT(got.values, SizeIs(1));
  ConnectionRecord want;
  want.app = AppId("dockit");
  want.id = ConnectionId("prod");
  want.name = "Produktion – Köln";
  want.type = "postgres";
  want.sql_mode = "ANSI_QUOTES";
  want.standard_conforming_strings = false;
  want.safe_functions = {"public.add_tax(numeric)"};
  want.databases = {"shop"};
  want.allow_sensitive_reads = true;
  EXPECT_EQ(got.values[0], want);
}

TEST(ConnectionDocument, NeverTakesACredential) {
  EXPECT_THAT(
      Formatted(ParseConnectionDocument("{app: a, id: b, dsn: \"postgres://u:p@h/d\"}").issues),
      ElementsAre("f:1:17: error: got the unknown key `dsn` (a connection record never holds a "
                  "credential or an "
                  "address)"));
}

}  // namespace
}  // namespace bridgekeeper
