// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Printing and reading are inverse (policy/spec.md, clause T7).

#include <cstdint>
#include <iterator>
#include <random>
#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/model/limits.h"
#include "policy/text/document.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PrintPolicy, WritesEveryFieldButUnsetOptionalOnes) {
  McpPolicy policy;
  policy.app = AppId("dockit");
  policy.allowed_connection_ids = {ConnectionId("prod"), ConnectionId("12")};
  policy.connection_overrides[ConnectionId("prod")].allowed_actions = {Action::kDelete,
                                                                       Action::kRead};
  policy.connection_overrides[ConnectionId("12")].allowed_actions.emplace();
  policy.limits.timeout = absl::Seconds(90);
  EXPECT_EQ(PrintPolicyYaml(policy), R"(app: dockit
mode: DATA_READ_WRITE
allowed_connection_ids:
  - "12"
  - prod
connection_overrides:
  "12":
    read_only: false
    allowed_actions: []
  prod:
    read_only: false
    allowed_actions:
      - READ
      - DELETE
confirm_destructive: true
ask_mode: CLIENT
suspended: false
suspend_reason: ""
unreviewed_tools: DENY
trust_read_only_hint: false
pinning: ENFORCE
limits:
  timeout: 1m30s
  read_only_session: false
max_staleness: 5m
require_proven: false
audit:
  store_arguments: false
  mask: []
  send_statements: false
requires: []
)");
}

TEST(PrintPolicy, WritesJsonWithBareEnumNames) {
  McpPolicy policy;
  policy.app = AppId("a");
  policy.suspend_reason = "\x1b[2J \xE2\x80\xAE \"quoted\"\n";
  const std::string json = PrintPolicyJson(policy);
  EXPECT_THAT(json,
              ::testing::StartsWith("{\n  \"app\": \"a\",\n  \"mode\": \"DATA_READ_WRITE\",\n"));
  EXPECT_THAT(json,
              ::testing::HasSubstr(R"("suspend_reason": "\u001b[2J \u202e \"quoted\"\u000a")"));
}

// Makes values of every field's whole range, with a bias to the edges.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  McpPolicy Policy() {
    McpPolicy p;
    p.app = AppId(Id());
    p.mode = Any<Mode>();
    for (uint64_t i = Below(4); i > 0; --i) p.allowed_connection_ids.insert(ConnectionId(Id()));
    for (uint64_t i = Below(4); i > 0; --i) {
      ConnectionOverride override;
      if (Flip()) {
        override.read_only = Flip();  // both together read with a warning
      } else {
        override.allowed_actions.emplace();
        for (uint64_t n = Below(4); n > 0; --n) override.allowed_actions->insert(Any<Action>());
      }
      p.connection_overrides.insert_or_assign(ConnectionId(Id()), override);
    }
    p.confirm_destructive = Flip();
    p.ask_mode = Any<AskMode>();
    p.suspended = Flip();
    p.suspend_reason = Text(0, 40);
    p.unreviewed_tools = Any<UnreviewedTools>();
    p.trust_read_only_hint = Flip();
    p.pinning = Any<Pinning>();
    if (Flip()) p.limits.max_rows = Between(1, kMaxRowsLimit);
    if (Flip()) p.limits.max_bytes = Between(1, kMaxBytesLimit);
    if (Flip()) p.limits.timeout = Time(kMinTimeoutLimit, kMaxTimeoutLimit);
    p.limits.read_only_session = Flip();
    p.max_staleness = Time(kMinMaxStaleness, kMaxMaxStaleness);
    if (Flip()) p.resources = Any<Passage>();
    if (Flip()) p.prompts = Any<Passage>();
    p.require_proven = Flip();
    p.audit.store_arguments = Flip();
    for (uint64_t i = Below(3); i > 0; --i)
      p.audit.mask.push_back("/" + Replaced(Text(0, 10), '~', "~0"));
    p.audit.send_statements = Flip();
    return p;
  }

  CatalogEntry Entry() {
    CatalogEntry e;
    if (Flip()) e.key.app = AppId(Id());
    if (Flip()) e.key.server = ServerId(Id());
    e.key.tool = ToolName(Id());
    e.risk = Any<Risk>();
    e.needs_connection = Any<NeedsConnection>();
    e.connection_argument = Text(0, 10);
    if (Flip()) {
      e.payload_rule.emplace();
      e.payload_rule->payload = Text(1, 30);
      e.payload_rule->dialect = Text(0, 10);
      for (uint64_t i = Below(3); i > 0; --i)
        e.payload_rule->harmless_arguments.insert(Text(1, 10));
    }
    if (Flip()) e.cap = Any<Risk>();
    e.raise = Flip();
    e.disabled = Flip();
    e.reviewed = Flip();
    if (Flip()) e.pin = std::string(kPinBytes, "0123456789abcdef"[Below(16)]);
    return e;
  }

  ConnectionRecord Connection() {
    ConnectionRecord r;
    r.app = AppId(Id());
    r.id = ConnectionId(Id());
    r.name = Text(0, 20);
    r.type = Text(0, 20);
    if (Flip()) r.sql_mode = Text(0, 20);
    if (Flip()) r.standard_conforming_strings = Flip();
    for (uint64_t i = Below(3); i > 0; --i) r.safe_functions.insert(Text(1, 20));
    for (uint64_t i = Below(3); i > 0; --i) r.databases.insert(Text(1, 20));
    r.allow_sensitive_reads = Flip();
    return r;
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool Flip() { return Below(2) == 0; }
  int64_t Between(int64_t low, int64_t high) {
    if (Below(4) == 0) return Flip() ? low : high;
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low)));
  }
  absl::Duration Time(absl::Duration low, absl::Duration high) {
    const int64_t unit = Flip() ? 1 : 1'000'000;  // nanoseconds, milliseconds
    const int64_t got =
        Between(absl::ToInt64Nanoseconds(low), absl::ToInt64Nanoseconds(high)) / unit * unit;
    return std::max(low, absl::Nanoseconds(got));
  }
  template <typename E>
  E Any() {
    return static_cast<E>(Below(NamesOf<E>().size()));
  }
  std::string Id() {
    // Ids that some reader of YAML takes for something else, and ordinary ones.
    static constexpr const char* kTricky[] = {
        "12",  "0x1f", "1e3", "true", "null", "no", "yes", "off", "010", "-",   ".", ".inf",
        "a:b", "@a",   "a:",  "-a",   "1.5",  "y",  "N",   "NaN", "---", "...", "/", "1:30"};
    if (Flip()) return kTricky[Below(std::size(kTricky))];
    static constexpr std::string_view kSet = "abcXYZ019._:@/-";
    std::string out;
    for (uint64_t i = 1 + Below(12); i > 0; --i) out += kSet[Below(kSet.size())];
    return out;
  }
  std::string Text(size_t min, size_t max) {
    static constexpr std::string_view kPieces[] = {
        "a",        " ",    "\"",          "\\", "'", "#",    ": ",
        "- ",       "\n",   "\t",          "{",  "}", "é",    "\xE2\x80\xAE",
        "\x1b",     "&a",   "*",           "%",  "🚀", "\x01", "\x7f",
        "\xC2\x85", "true", "~",           "0",  ",", "[",    "\r",
        "|",        ">",    "\xEF\xBB\xBF"};
    std::string out;
    const uint64_t pieces = Below(8);
    for (uint64_t i = 0; i < pieces || out.size() < min; ++i) {
      const std::string_view piece = kPieces[Below(std::size(kPieces))];
      if (out.size() + piece.size() <= max) out += piece;
    }
    return out;
  }
  static std::string Replaced(const std::string& text, char what, std::string_view with) {
    std::string out;
    for (const char c : text) {
      if (c == what) {
        out += with;
      } else {
        out += c;
      }
    }
    return out;
  }

  std::mt19937_64 random_;
};

constexpr uint64_t kSeed = 20260717;
constexpr int kRounds = 500;

template <typename T, typename Parse>
void ExpectRoundTrip(const T& value, Parse parse) {
  for (const std::string& text :
       {ToYaml(ToValue(value)), ToJson(ToValue(value)), ToJsonLine(ToValue(value))}) {
    const auto got = parse(text);
    std::string problems;
    for (const Issue& issue : got.issues) problems += FormatIssue(issue, "f") + "\n";
    ASSERT_THAT(got.issues, IsEmpty()) << problems << text;
    ASSERT_THAT(got.values, ElementsAre(value)) << text;
  }
}

TEST(RoundTrip, PoliciesComeBackAsTheyWere) {
  Generator generate(kSeed);
  for (int i = 0; i < kRounds && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(absl::StrFormat("seed %d, round %d", kSeed, i));
    ExpectRoundTrip(generate.Policy(),
                    [](const std::string& text) { return ParsePolicyDocument(text); });
  }
}

TEST(RoundTrip, CatalogueEntriesComeBackAsTheyWere) {
  Generator generate(kSeed);
  for (int i = 0; i < kRounds && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(absl::StrFormat("seed %d, round %d", kSeed, i));
    ExpectRoundTrip(generate.Entry(),
                    [](const std::string& text) { return ParseCatalogDocument(text); });
  }
}

TEST(RoundTrip, ConnectionsComeBackAsTheyWere) {
  Generator generate(kSeed);
  for (int i = 0; i < kRounds && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(absl::StrFormat("seed %d, round %d", kSeed, i));
    ExpectRoundTrip(generate.Connection(),
                    [](const std::string& text) { return ParseConnectionDocument(text); });
  }
}

TEST(Value, WritesIntegersThatReadersRoundAsText) {
  Value list = Value::List();
  list.Add((int64_t{1} << 53) - 1)
      .Add(int64_t{1} << 53)
      .Add(-(int64_t{1} << 53))
      .Add(true)
      .Add(Value());
  EXPECT_EQ(ToJsonLine(list),
            R"([9007199254740991,"9007199254740992","-9007199254740992",true,null])");
}

TEST(Value, QuotesWhatReadersTakeForANumber) {
  for (const char* text : {"0ostgres", "0xmas", "0b1s", "0Xs", "12", "1e3"}) {
    EXPECT_EQ(ToYaml(Value(text)), absl::StrFormat("\"%s\"\n", text));
  }
  for (const char* text : {"0s", "10m", "1h30m", "postgres"}) {
    EXPECT_EQ(ToYaml(Value(text)), absl::StrFormat("%s\n", text));
  }
}

TEST(Value, WritesNestedContainers) {
  Value inner = Value::Object();
  inner.Set("a", 1).Set("empty", Value::List());
  Value list = Value::List();
  list.Add(inner).Add(Value::List().Add("x").Add(Value::Object()));
  EXPECT_EQ(ToYaml(Value::Object().Set("items", list)),
            "items:\n  - a: 1\n    empty: []\n  - - x\n    - {}\n");
  EXPECT_EQ(ToJson(Value::Object().Set("items", list)),
            "{\n  \"items\": [\n    {\n      \"a\": 1,\n      \"empty\": []\n    },\n    [\n      "
            "\"x\",\n      {}\n    ]\n  "
            "]\n}\n");
  EXPECT_EQ(ToJson(Value::Object()), "{}\n");
  EXPECT_EQ(ToYaml(Value::List()), "[]\n");
}

TEST(Value, ReplacesInvalidBytes) { EXPECT_EQ(ToJsonLine(Value("a\xff")), R"("a\ufffd")"); }

}  // namespace
}  // namespace bridgekeeper
