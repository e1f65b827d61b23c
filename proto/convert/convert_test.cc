// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "proto/convert/convert.h"

#include <cstdlib>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::convert {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// BK_TEST_SEED replays a failed run.
uint32_t Seed() {
  if (const char* text = std::getenv("BK_TEST_SEED")) {
    return static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
  }
  return std::random_device{}();
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  int Below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(engine_); }
  bool Flip() { return Below(2) == 1; }

  template <typename Enum>
  Enum Any(int values) {
    return static_cast<Enum>(Below(values));
  }

  std::string Id() {
    static constexpr std::string_view kBytes =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:@/-";
    std::string out;
    for (int n = 1 + Below(Flip() ? 3 : 128); n > 0; --n) {
      out += kBytes[static_cast<size_t>(Below(static_cast<int>(kBytes.size())))];
    }
    return out;
  }

  std::string Text(int max_parts) {
    static constexpr std::string_view kParts[] = {
        "a", " ", "`", "\n", "é", "漢", "\xF0\x9F\x8C\x89"};
    std::string out;
    for (int n = Below(max_parts); n > 0; --n) out += kParts[Below(7)];
    return out;
  }

  std::string Digest() {
    std::string out;
    for (int i = 0; i < 64; ++i) out += "0123456789abcdef"[Below(16)];
    return out;
  }

 private:
  std::mt19937 engine_;
};

McpPolicy RandomPolicy(Random& random) {
  McpPolicy policy;
  policy.app = AppId(random.Id());
  policy.mode = random.Any<Mode>(3);
  for (int n = random.Below(4); n > 0; --n) {
    policy.allowed_connection_ids.insert(ConnectionId(random.Id()));
  }
  for (int n = random.Below(4); n > 0; --n) {
    ConnectionOverride override;
    override.read_only = random.Flip();
    if (random.Flip()) {
      override.allowed_actions.emplace();
      for (int i = random.Below(3); i > 0; --i) {
        override.allowed_actions->insert(random.Any<Action>(3));
      }
    }
    policy.connection_overrides[ConnectionId(random.Id())] = override;
  }
  policy.confirm_destructive = random.Flip();
  policy.ask_mode = random.Any<AskMode>(3);
  policy.suspended = random.Flip();
  policy.suspend_reason = random.Text(40);
  policy.unreviewed_tools = random.Any<UnreviewedTools>(2);
  policy.trust_read_only_hint = random.Flip();
  policy.pinning = random.Any<Pinning>(3);
  if (random.Flip()) policy.limits.max_rows = 1 + random.Below(1'000'000'000);
  if (random.Flip()) policy.limits.max_bytes = 1 + random.Below(1 << 30);
  if (random.Flip()) policy.limits.timeout = absl::Milliseconds(1 + random.Below(86'400'000));
  policy.limits.read_only_session = random.Flip();
  policy.max_staleness = absl::Seconds(10) + absl::Nanoseconds(random.Below(1'000'000'000));
  if (random.Flip()) policy.resources = random.Any<Passage>(2);
  if (random.Flip()) policy.prompts = random.Any<Passage>(2);
  policy.require_proven = random.Flip();
  policy.audit.store_arguments = random.Flip();
  policy.audit.send_statements = random.Flip();
  for (int n = random.Below(3); n > 0; --n) policy.audit.mask.push_back("/a~0b/" + random.Id());
  for (int n = random.Below(3); n > 0; --n) policy.requires_features.insert(random.Id());
  return policy;
}

CatalogEntry RandomEntry(Random& random) {
  CatalogEntry entry;
  if (random.Flip()) entry.key.app = AppId(random.Id());
  if (random.Flip()) entry.key.server = ServerId(random.Id());
  entry.key.tool = ToolName(random.Id());
  entry.risk = random.Any<Risk>(3);
  entry.needs_connection = random.Any<NeedsConnection>(3);
  entry.connection_argument = random.Text(10);
  if (random.Flip()) {
    entry.payload_rule.emplace();
    entry.payload_rule->payload = "{sql}" + random.Text(10);
    entry.payload_rule->dialect = random.Text(5);
    for (int n = random.Below(3); n > 0; --n) {
      entry.payload_rule->harmless_arguments.insert("a" + random.Text(9));
    }
  }
  if (random.Flip()) entry.cap = random.Any<Risk>(3);
  entry.raise = random.Flip();
  entry.disabled = random.Flip();
  entry.reviewed = random.Flip();
  if (random.Flip()) entry.pin = random.Digest();
  return entry;
}

ConnectionRecord RandomConnection(Random& random) {
  ConnectionRecord record;
  record.app = AppId(random.Id());
  record.id = ConnectionId(random.Id());
  record.name = random.Text(20);
  record.type = random.Text(5);
  if (random.Flip()) record.sql_mode = random.Text(10);
  if (random.Flip()) record.standard_conforming_strings = random.Flip();
  for (int n = random.Below(3); n > 0; --n)
    record.safe_functions.insert("public.f(" + random.Text(5) + ")");
  for (int n = random.Below(3); n > 0; --n) record.databases.insert("db" + random.Text(5));
  record.allow_sensitive_reads = random.Flip();
  return record;
}

// Through the bytes, as a store or a peer sees it.
template <typename Message>
Message OverTheWire(const Message& message) {
  Message out;
  EXPECT_TRUE(out.ParseFromString(message.SerializeAsString()));
  return out;
}

TEST(ConvertTest, RandomValuesComeBackAsTheyWere) {
  const uint32_t seed = Seed();
  RecordProperty("seed", static_cast<int>(seed));
  SCOPED_TRACE("BK_TEST_SEED=" + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 500; ++i) {
    const McpPolicy policy = RandomPolicy(random);
    ASSERT_THAT(FromProto(OverTheWire(ToProto(policy))), IsOkAndHolds(policy));
    const CatalogEntry entry = RandomEntry(random);
    ASSERT_THAT(FromProto(OverTheWire(ToProto(entry))), IsOkAndHolds(entry));
    ASSERT_THAT(FromProto(OverTheWire(ToProto(entry.key))), IsOkAndHolds(entry.key));
    const ConnectionRecord record = RandomConnection(random);
    ASSERT_THAT(FromProto(OverTheWire(ToProto(record))), IsOkAndHolds(record));
    const Limits limits = policy.limits;
    ASSERT_EQ(FromProto(OverTheWire(ToProto(limits))), limits);
  }
}

TEST(ConvertTest, EmptyActionSetIsNotAnAbsentOne) {
  McpPolicy policy;
  policy.app = AppId("dockit");
  policy.connection_overrides[ConnectionId("absent")] = {.read_only = true};
  policy.connection_overrides[ConnectionId("empty")] = {.allowed_actions = std::set<Action>{}};
  const v1::Policy wire = OverTheWire(ToProto(policy));
  EXPECT_FALSE(wire.connection_overrides().at("absent").has_allowed_actions());
  EXPECT_TRUE(wire.connection_overrides().at("empty").has_allowed_actions());
  EXPECT_THAT(FromProto(wire), IsOkAndHolds(policy));
}

TEST(ConvertTest, BarePolicyReadsAsTheStrictestWithItsDocumentedDefaults) {
  v1::Policy wire;
  wire.set_app("dockit");
  const absl::StatusOr<McpPolicy> policy = FromProto(wire);
  ASSERT_THAT(policy, IsOk());
  EXPECT_EQ(policy->mode, Mode::kReadOnly);
  EXPECT_TRUE(policy->confirm_destructive);
  EXPECT_EQ(policy->ask_mode, AskMode::kApproval);
  EXPECT_EQ(policy->max_staleness, absl::Minutes(5));
  EXPECT_EQ(policy->limits, Limits{});
}

TEST(ConvertTest, BuiltInIsNotTakenFromTheWire) {
  CatalogEntry entry;
  entry.key.tool = ToolName("es__search");
  entry.builtin = true;
  EXPECT_TRUE(ToProto(entry).builtin());
  EXPECT_FALSE(FromProto(ToProto(entry))->builtin);
}

TEST(ConvertTest, LimitsOutOfRangeReadAsTheNearestAllowedValue) {
  v1::Limits wire;
  wire.set_max_rows(0);
  wire.set_max_bytes(-5);
  wire.mutable_timeout()->set_seconds(-1);
  EXPECT_EQ(FromProto(wire),
            (Limits{.max_rows = 1, .max_bytes = 1, .timeout = absl::Milliseconds(1)}));
  wire.set_max_rows(2'000'000'000);
  wire.set_max_bytes(int64_t{1} << 40);
  wire.mutable_timeout()->set_seconds(100'000);
  EXPECT_EQ(FromProto(wire), (Limits{.max_rows = 1'000'000'000,
                                     .max_bytes = int64_t{1} << 30,
                                     .timeout = absl::Hours(24)}));
}

TEST(ConvertTest, AllProblemsOfAPolicyAreNamedAtOnce) {
  v1::Policy wire;
  wire.set_app("");
  wire.add_allowed_connection_ids("*");
  wire.add_allowed_connection_ids("twin");
  wire.add_allowed_connection_ids("twin");
  (*wire.mutable_connection_overrides())["a b"].set_read_only(true);
  wire.mutable_limits()->set_max_rows(0);
  wire.mutable_max_staleness()->set_seconds(9);
  wire.mutable_audit()->add_mask("no-slash");
  wire.add_requires_features("");
  EXPECT_THAT(
      FromProto(wire),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("app: got 0 bytes, want 1 to 128"),
                     HasSubstr("allowed_connection_ids: got `*`, want only [A-Za-z0-9._:@/-] "
                               "(`*` is no wildcard here: leave it out)"),
                     HasSubstr("allowed_connection_ids: got `twin` twice, want each once"),
                     HasSubstr("connection_overrides: got `a b`"),
                     HasSubstr("limits.max_rows: got 0, want 1 to 1000000000"),
                     HasSubstr("max_staleness: got 9s, want 10s to 24h"),
                     HasSubstr("audit.mask: got `no-slash`, want a JSON pointer (RFC 6901)"),
                     HasSubstr("requires: got 0 bytes"))));
}

TEST(ConvertTest, ActionNamedTwiceIsRefused) {
  v1::Policy wire;
  wire.set_app("dockit");
  auto& set = *(*wire.mutable_connection_overrides())["prod"].mutable_allowed_actions();
  set.add_actions(v1::ACTION_READ);
  set.add_actions(v1::ACTION_READ);
  EXPECT_THAT(
      FromProto(wire),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "connection_overrides.prod.allowed_actions: got `READ` twice, want each once"));
}

TEST(ConvertTest, ManyProblemsAreCountedNotListed) {
  v1::Policy wire;
  wire.set_app("dockit");
  for (int i = 0; i < 5000; ++i) wire.add_allowed_connection_ids("bad id " + std::to_string(i));
  const absl::Status status = FromProto(wire).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("and 4980 more")));
  EXPECT_LT(status.message().size(), 4096u);
}

TEST(ConvertTest, TextOfTheSenderIsEscapedInProblems) {
  v1::CatalogKey key;
  key.set_tool("evil\x1b[2Jtool");
  EXPECT_THAT(FromProto(key),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("evil\\u{001b}[2Jtool")));
}

TEST(ConvertTest, BadUtf8IsRefusedWithItsPlace) {
  v1::Policy policy;
  policy.set_app("dockit");
  policy.set_suspend_reason("ok\xFF");
  EXPECT_THAT(FromProto(policy),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "suspend_reason: got invalid UTF-8 at byte 2, want UTF-8"));

  v1::Connection connection;
  connection.set_app("dockit");
  connection.set_id("prod");
  connection.set_name("\xC0\xAF");
  connection.add_databases("\xED\xA0\x80");
  EXPECT_THAT(FromProto(connection),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("name: got invalid UTF-8 at byte 0"),
                             HasSubstr("databases: got invalid UTF-8 at byte 0"))));

  v1::ToolCall call;
  call.set_app("dockit");
  call.set_tool("es__search");
  call.set_arguments_json("{\"a\":\"\xFF\"}");
  call.mutable_subject()->set_user("\xFF");
  CheckedCall checked;
  EXPECT_THAT(CheckedCall::Read(call, checked),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("arguments_json: JSON at byte 6: got invalid UTF-8"),
                             HasSubstr("subject.user: got invalid UTF-8 at byte 0"))));
}

TEST(CheckedCallTest, CarriesEverythingThatTheEngineReads) {
  v1::ToolCall wire;
  wire.set_app("dockit");
  wire.set_tool("es__search");
  wire.set_server("elastic");
  wire.set_connection_id("prod");
  wire.set_arguments_json(R"({"index":"logs"})");
  wire.set_payload_json(R"("SELECT 1")");
  wire.set_declared_risk(v1::RISK_ELEVATED);
  wire.set_definition_digest(std::string(64, 'a'));
  wire.set_read_only_hint(true);
  wire.set_listed_by_server(true);
  wire.set_builtin_catalog(true);
  CheckedCall checked;
  ASSERT_THAT(CheckedCall::Read(wire, checked), IsOk());
  EXPECT_EQ(checked.app(), "dockit");
  const ToolCall& call = checked.call();
  EXPECT_EQ(call.tool, "es__search");
  EXPECT_EQ(call.server, "elastic");
  EXPECT_EQ(call.connection, "prod");
  EXPECT_EQ(call.arguments->Find("index")->string(), "logs");
  EXPECT_EQ(call.payload->string(), "SELECT 1");
  EXPECT_EQ(call.declared_risk, Risk::kElevated);
  EXPECT_EQ(call.definition_digest, std::string(64, 'a'));
  EXPECT_TRUE(call.read_only_hint && call.listed_by_server && call.builtin_catalog);
  EXPECT_FALSE(call.read_only_bridge);
}

TEST(CheckedCallTest, WhatIsNotSaidIsAbsent) {
  v1::ToolCall wire;
  wire.set_app("dockit");
  wire.set_tool("es__search");
  CheckedCall checked;
  ASSERT_THAT(CheckedCall::Read(wire, checked), IsOk());
  const ToolCall& call = checked.call();
  EXPECT_FALSE(call.server || call.connection || call.arguments || call.payload ||
               call.declared_risk || call.definition_digest);
}

TEST(CheckedCallTest, ReadingAgainForgetsTheCallBefore) {
  v1::ToolCall first;
  first.set_app("dockit");
  first.set_tool("es__search");
  first.set_connection_id("prod");
  first.set_arguments_json("{}");
  first.set_listed_by_server(true);
  CheckedCall checked;
  ASSERT_THAT(CheckedCall::Read(first, checked), IsOk());
  v1::ToolCall second;
  second.set_app("sqlkit");
  second.set_tool("x");
  ASSERT_THAT(CheckedCall::Read(second, checked), IsOk());
  EXPECT_FALSE(checked.call().connection || checked.call().arguments ||
               checked.call().listed_by_server);
}

TEST(CheckedCallTest, IllFormedConnectionIsLeftToTheDecision) {
  v1::ToolCall wire;
  wire.set_app("dockit");
  wire.set_tool("es__search");
  wire.set_connection_id("a b");
  CheckedCall checked;
  ASSERT_THAT(CheckedCall::Read(wire, checked), IsOk());
  EXPECT_EQ(checked.call().connection, "a b");
}

TEST(CheckedCallTest, JsonOfTheWrongKindIsRefused) {
  v1::ToolCall wire;
  wire.set_app("dockit");
  wire.set_tool("es__search");
  wire.set_arguments_json("[]");
  wire.set_payload_json("7");
  CheckedCall checked;
  EXPECT_THAT(CheckedCall::Read(wire, checked),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "arguments_json: got an array, want an object; payload_json: got a number, "
                       "want a string or an object"));
}

TEST(CheckedCallTest, TwinKeysAreRefused) {
  v1::ToolCall wire;
  wire.set_app("dockit");
  wire.set_tool("es__search");
  wire.set_arguments_json(R"({"sql":"SELECT 1","sql":"DROP TABLE t"})");
  CheckedCall checked;
  EXPECT_THAT(CheckedCall::Read(wire, checked),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a second member `sql`")));
}

TEST(DecisionTest, AskNamesItsModeAndADenialDoesNot) {
  const Limits limits{.max_rows = 5};
  Decision decision{.verdict = Verdict::kAsk,
                    .reason = ReasonCode::kConfirmDestructive,
                    .effective_risk = Risk::kDestructive,
                    .judged = true,
                    .obligations = &limits};
  v1::Decision wire;
  ToProto(decision, AskMode::kElicit, "ask", Revision{7}, Revision{9}, wire);
  EXPECT_EQ(wire.verdict(), v1::VERDICT_ASK);
  EXPECT_EQ(wire.reason_code(), v1::REASON_CODE_CONFIRM_DESTRUCTIVE);
  EXPECT_EQ(wire.effective_risk(), v1::RISK_DESTRUCTIVE);
  EXPECT_EQ(wire.reason(), "ask");
  EXPECT_EQ(wire.policy_revision(), 7);
  EXPECT_EQ(wire.catalog_revision(), 9);
  EXPECT_TRUE(wire.judged());
  EXPECT_EQ(wire.obligations().max_rows(), 5);
  EXPECT_EQ(wire.ask_mode(), v1::ASK_MODE_ELICIT);

  v1::Decision denied;
  ToProto(Decision{}, AskMode::kElicit, "no", Revision{7}, Revision{9}, denied);
  EXPECT_EQ(denied.verdict(), v1::VERDICT_DENY);
  EXPECT_EQ(denied.ask_mode(), v1::ASK_MODE_UNSPECIFIED);
  EXPECT_FALSE(denied.has_obligations());
}

TEST(DecisionTest, JudgementKeepsItsEffectsAndItsError) {
  Judgement judgement{
      .risk = Risk::kDestructive,
      .effects = {{.kind = "DELETE", .object = "t", .position = 3, .why = "removes rows"},
                  {.kind = "FUNCTION", .risk = Risk::kElevated}},
      .statements = 2,
      .error = Judgement::Error::kMultiple,
      .message = "2 statements"};
  const v1::Judgement wire = ToProto(judgement);
  ASSERT_EQ(wire.effects_size(), 2);
  EXPECT_EQ(wire.effects(0).kind(), "DELETE");
  EXPECT_EQ(wire.effects(0).position(), 3);
  EXPECT_FALSE(wire.effects(1).has_position());
  EXPECT_EQ(wire.effects(1).risk(), v1::RISK_ELEVATED);
  EXPECT_EQ(wire.statements(), 2);
  EXPECT_EQ(wire.error(), v1::REASON_CODE_STATEMENT_MULTIPLE);
  judgement.error = Judgement::Error::kNone;
  EXPECT_EQ(ToProto(judgement).error(), v1::REASON_CODE_UNSPECIFIED);
  judgement.error = Judgement::Error::kEmpty;
  EXPECT_EQ(ToProto(judgement).error(), v1::REASON_CODE_STATEMENT_EMPTY);
  judgement.error = Judgement::Error::kUnreadable;
  EXPECT_EQ(ToProto(judgement).error(), v1::REASON_CODE_STATEMENT_UNREADABLE);
}

TEST(TimeTest, DurationsAndTimesComeBackToTheNanosecond) {
  for (const absl::Duration duration :
       {absl::ZeroDuration(), absl::Nanoseconds(1), -absl::Nanoseconds(1), absl::Milliseconds(1500),
        -absl::Milliseconds(1500), absl::Hours(24)}) {
    EXPECT_EQ(FromProto(ToProto(duration)), duration);
  }
  for (const absl::Time time : {absl::UnixEpoch(), absl::FromUnixNanos(-1), absl::FromUnixNanos(1),
                                absl::FromUnixMicros(1'790'000'000'123'456)}) {
    const google::protobuf::Timestamp wire = ToProto(time);
    EXPECT_GE(wire.nanos(), 0);
    EXPECT_EQ(FromProto(wire), time);
  }
}

TEST(TimeTest, InfinityBecomesTheLargestThatTheMessageHolds) {
  EXPECT_EQ(ToProto(absl::InfiniteDuration()).seconds(), 315'576'000'000);
  EXPECT_EQ(ToProto(-absl::InfiniteDuration()).seconds(), -315'576'000'000);
  EXPECT_EQ(ToProto(absl::InfiniteFuture()).seconds(), 253'402'300'799);
  EXPECT_EQ(ToProto(absl::InfinitePast()).seconds(), -62'135'596'800);
}

}  // namespace
}  // namespace bridgekeeper::convert
