// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/text/document.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/model/limits.h"
#include "policy/text/document_test_util.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- what is refused ---------------------------------------------------------------

struct RefusedCase {
  std::string name;
  std::string text;
  std::vector<std::string> want;
};

class RefusedDocument : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedDocument, SaysWhereAndWhy) {
  const auto got = ParsePolicyDocument(GetParam().text);
  EXPECT_EQ(Formatted(got.issues), GetParam().want);
  EXPECT_THAT(got.values, IsEmpty());
}

const RefusedCase kRefused[] = {
    {"UnknownKeyWithItsNearestName",
     "app: a\nmdoe: READ_ONLY\n",
     {"f:2:1: error: got the unknown key `mdoe` (did you mean `mode`?)"}},
    {"CamelCaseKey",
     "app: a\nconfirmDestructive: true\n",
     {"f:2:1: error: got the unknown key `confirmDestructive` (did you mean "
      "`confirm_destructive`?)"}},
    {"UnknownKeyOfAnOverride",
     "app: a\nconnection_overrides:\n  prod:\n    readonly: true\n",
     {"f:4:5: error: connection_overrides.prod: got the unknown key `readonly` (did you mean "
      "`read_only`?)"}},
    {"UnknownEnumWithItsNearestName",
     "app: a\nmode: READ_OLNY",
     {"f:2:7: error: mode: got `READ_OLNY`, want one of READ_ONLY, DATA_READ_WRITE, FULL_ACCESS "
      "(did you mean "
      "`READ_ONLY`?)"}},
    {"TextWhereATruthValueIsWanted",
     "app: a\nsuspended: \"true\"",
     {"f:2:12: error: suspended: got the text `true`, want true or false (write it without "
      "quotes)"}},
    {"YesIsNoTruthValue",
     "app: a\nsuspended: yes",
     {"f:2:12: error: suspended: got `yes`, want true or false"}},
    {"NumberWhereTextIsWanted",
     "app: a\nsuspend_reason: 12",
     {"f:2:17: error: suspend_reason: got the number `12`, want text (put it in quotes)"}},
    {"NumberAsId",
     "app: a\nallowed_connection_ids: [1]",
     {"f:2:26: error: allowed_connection_ids[0]: got the number `1`, want an id (put it in quotes: "
      "\"1\")"}},
    {"NumberAsOverriddenId",
     "app: a\nconnection_overrides: {010: {read_only: true}}",
     {"f:2:24: error: connection_overrides.010: got the number `010`, want an id (put it in "
      "quotes: \"010\")"}},
    {"TruthValueAsId",
     "app: true",
     {"f:1:6: error: app: got `true`, want an id (put it in quotes: \"true\")"}},
    {"NullList",
     "app: a\nallowed_connection_ids: null",
     {"f:2:25: error: allowed_connection_ids: got null, want a list of ids (leave the key out, or "
      "write `[]`: both mean "
      "every connection)"}},
    {"EmptyValueIsNull",
     "app: a\nallowed_connection_ids:\n",
     {"f:2:1: error: allowed_connection_ids: got null, want a list of ids (leave the key out, or "
      "write `[]`: both mean "
      "every connection)"}},
    {"NullActionSet",
     "app: a\nconnection_overrides: {p: {allowed_actions: ~}}",
     {"f:2:45: error: connection_overrides.p.allowed_actions: got null, want a list of READ, "
      "WRITE, DELETE (leave the "
      "key out to let `read_only` decide; `[]` allows nothing)"}},
    {"NullOverride",
     "app: a\nconnection_overrides: {p: }",
     {"f:2:24: error: connection_overrides.p: got null, want a mapping (write `read_only`, "
      "`allowed_actions` or both "
      "below it)"}},
    {"OneIdInsteadOfAList",
     "app: a\nallowed_connection_ids: prod",
     {"f:2:25: error: allowed_connection_ids: got `prod`, want a list of ids"}},
    {"ListOfOverrides",
     "app: a\nconnection_overrides: []",
     {"f:2:23: error: connection_overrides: got a list, want a mapping from connection ids (leave "
      "the key out, or write "
      "`{}` for none)"}},
    {"DuplicateKey",
     "app: a\nmode: READ_ONLY\nmode: FULL_ACCESS\n",
     {"f:3:1: error: mode: got the key `mode` twice (the first is on line 2)"}},
    {"DuplicateKeyInJson",
     R"({"app":"a","mode":"READ_ONLY","\u006dode":"FULL_ACCESS"})",
     {"f:1:31: error: mode: got the key `mode` twice (the first is on line 1)"}},
    {"DuplicateOverride",
     "app: a\nconnection_overrides:\n  p: {read_only: true}\n  p: {}\n",
     {"f:4:3: error: connection_overrides.p: got the key `p` twice (the first is on line 3)"}},
    {"StarInAnId",
     "app: a\nallowed_connection_ids: [\"prod-*\"]",
     {"f:2:26: error: allowed_connection_ids[0]: got `prod-*`, want only [A-Za-z0-9._:@/-] (ids "
      "are compared byte for "
      "byte and there are no patterns: name each one, or leave the list empty for every "
      "connection)"}},
    {"EmptyId", "app: \"\"", {"f:1:6: error: app: got 0 bytes, want 1 to 128"}},
    {"OverLongId",
     "app: " + std::string(129, 'a'),
     {"f:1:6: error: app: got 129 bytes, want 1 to 128"}},
    {"MissingApp",
     "mode: READ_ONLY",
     {"f:1:1: error: `app` is missing (name the app whose tools are guarded)"}},
    {"DurationWithoutUnit",
     "app: a\nmax_staleness: 30",
     {"f:2:16: error: max_staleness: got the number `30`, want a duration from 10s to 24h (write "
      "it with its unit, as in "
      "`30s`, `5m` or `1h30m`)"}},
    {"DurationOutOfRange",
     "app: a\nmax_staleness: 9s",
     {"f:2:16: error: max_staleness: got `9s`, want a duration from 10s to 24h (write it with its "
      "unit, as in `30s`, "
      "`5m` or `1h30m`)"}},
    {"InfiniteDuration",
     "app: a\nlimits: {timeout: inf}",
     {"f:2:19: error: limits.timeout: got `inf`, want a duration from 1ms to 24h (write it with "
      "its unit, as in `30s`, "
      "`5m` or `1h30m`)"}},
    {"DurationFinerThanANanosecond",
     "app: a\nlimits: {timeout: 1000000.3ns}",
     {"f:2:19: error: limits.timeout: got `1000000.3ns`, want a duration from 1ms to 24h (nothing "
      "is finer than a "
      "nanosecond)"}},
    {"NumberOutOfRange",
     "app: a\nlimits: {max_rows: 0}",
     {"f:2:20: error: limits.max_rows: got the number `0`, want a whole number from 1 to "
      "1000000000"}},
    {"NumberBeyondInt64",
     "app: a\nlimits: {max_rows: 99999999999999999999}",
     {"f:2:20: error: limits.max_rows: got the number `99999999999999999999`, want a whole number "
      "from 1 to 1000000000"}},
    {"NumberWithAnExponent",
     "app: a\nlimits: {max_rows: 1e3}",
     {"f:2:20: error: limits.max_rows: got the number `1e3`, want a whole number from 1 to "
      "1000000000"}},
    {"NumberInOctal",
     "app: a\nlimits: {max_rows: 010}",
     {"f:2:20: error: limits.max_rows: got the number `010`, want a whole number from 1 to "
      "1000000000"}},
    {"NullNumber",
     "app: a\nlimits: {max_rows: null}",
     {"f:2:20: error: limits.max_rows: got null, want a whole number from 1 to 1000000000 (leave "
      "the key out for no "
      "limit)"}},
    {"OverLongReason",
     "app: a\nsuspend_reason: " + std::string(513, 'x'),
     {"f:2:17: error: suspend_reason: got 513 bytes, want 0 to 512"}},
    {"MaskThatIsNoPointer",
     "app: a\naudit: {mask: [password]}",
     {"f:2:16: error: audit.mask[0]: got `password`, want a JSON pointer (write it as in "
      "`/params/password`; `~` is `~0` "
      "and `/` in a name is `~1`)"}},
    {"MaskWithABareTilde",
     "app: a\naudit: {mask: [\"/a~\"]}",
     {"f:2:16: error: audit.mask[0]: got `/a~`, want a JSON pointer (write it as in "
      "`/params/password`; `~` is `~0` and "
      "`/` in a name is `~1`)"}},
    {"ListAsKey", "app: a\n? [x]\n: 1\n", {"f:2:3: error: got a list as a key, want text"}},
    {"TextInsteadOfAPolicy", "dockit", {"f:1:1: error: got `dockit`, want a mapping"}},
    {"EmptyText", "", {"f:1:1: error: got an empty document"}},
    {"CommentsOnly", "# nothing\n", {"f:1:1: error: got an empty document"}},
    {"EmptyList", "[]", {"f:1:1: error: got an empty list, want at least one"}},
    {"AppTwice",
     "- app: a\n- app: a\n",
     {"f:2:3: error: [1]: got `a` twice (a document holds each at most once)"}},
    {"SecondDocument",
     "app: a\n---\napp: b\n",
     {"f:3:1: error: got a second document, want one (write the policies as one list)"}},
    {"Anchor",
     "app: &x a\n",
     {"f:1:6: error: got an anchor, want none (write the value out at each place)"}},
    {"Alias",
     "app: &x a\nsuspend_reason: *x\n",
     {"f:1:6: error: got an anchor, want none (write the value out at each place)",
      "f:2:17: error: got an alias, want the value itself (write the value out at each place)",
      "f:2:17: error: suspend_reason: got null, want text"}},
    {"UnknownAlias",
     "app: *nowhere\n",
     {"f:1:6: error: not YAML or JSON: the referenced anchor is not defined (anchors and aliases "
      "are not read: "
      "write the value out at each place)"}},
    {"Tag",
     "app: !!str a\n",
     {"f:1:6: error: got the tag `tag:yaml.org,2002:str`, want none (types follow from the "
      "field)"}},
    {"MergeKey",
     "app: a\n<<: {mode: FULL_ACCESS}\n",
     {"f:2:1: error: got the unknown key `<<` (known: app, mode, allowed_connection_ids, "
      "connection_overrides, "
      "confirm_destructive, ask_mode, suspended, suspend_reason, unreviewed_tools, "
      "trust_read_only_hint, pinning, "
      "limits, max_staleness, resources, prompts, require_proven, audit, requires)"}},
    {"Tab",
     "app: a\nlimits:\n\tmax_rows: 1\n",
     {"f:3:10: error: not YAML or JSON: illegal map value (indent with spaces, not tabs)"}},
    {"Unterminated",
     "{\"app\": \"a\"",
     {"f:1:12: error: not YAML or JSON: end of map flow not found (close the bracket, or check the "
      "indentation)"}},
    {"NulByte",
     std::string("app: a\0b", 8),
     {"f:1:7: error: got the control character U+0000 (remove it, or write it as an escape inside "
      "double quotes)"}},
    // yaml-cpp takes U+0004 for the end of the text: what follows would be unseen.
    {"EndOfTransmission",
     "app: a\nmode: FULL_ACCESS\n\x04\nsuspended: true\n",
     {"f:3:1: error: got the control character U+0004 (remove it, or write it as an escape inside "
      "double quotes)"}},
    {"C1Control",
     "app: a # \xC2\x85 mode\n",
     {"f:1:10: error: got the control character U+0085 (remove it, or write it as an escape inside "
      "double quotes)"}},
    {"CarriageReturnInsideALine",
     "app: a # harmless\rmode: FULL_ACCESS\n",
     {"f:1:18: error: got a carriage return inside a line (end lines with LF or CRLF)"}},
    {"InvalidUtf8",
     "app: a\nsuspend_reason: \"é\xff\"\n",
     {"f:2:19: error: got the byte 0xff, want UTF-8 (save the file as UTF-8)"}},
    {"OverlongUtf8",
     "app: \"\xC0\xAF\"",
     {"f:1:7: error: got the byte 0xc0, want UTF-8 (save the file as UTF-8)"}},
    {"ByteOrderMark",
     "\xEF\xBB\xBF"
     "app: a\n",
     {"f:1:1: error: got a byte order mark, want none (save the file as UTF-8 without one)"}},
    {"ColumnsAreCharacters",
     "app: a\nconnection_overrides: {\"é\": {}, \"b*\": {}}\n",
     {"f:2:24: error: connection_overrides.é: got `é`, want only [A-Za-z0-9._:@/-]",
      "f:2:33: error: connection_overrides.b*: got `b*`, want only [A-Za-z0-9._:@/-] (ids are "
      "compared byte for byte and "
      "there are no patterns: name each one, or leave the list empty for every connection)"}},
    {"ControlsInAKeyAreEscaped",
     "app: a\n\"x\\e[2J\": 1\n",
     {"f:2:1: error: got the unknown key `x\\u{001b}[2J` (known: app, mode, "
      "allowed_connection_ids, connection_overrides, "
      "confirm_destructive, ask_mode, suspended, suspend_reason, unreviewed_tools, "
      "trust_read_only_hint, pinning, "
      "limits, max_staleness, resources, prompts, require_proven, audit, requires)"}},
    {"AllProblemsAtOnce",
     "mode: 3\nallowed_connection_ids: [a b, \"\"]\nlimits: {max_rows: x, timeout: 0s}\nfoo: 1\n",
     {"f:1:1: error: `app` is missing (name the app whose tools are guarded)",
      "f:1:7: error: mode: got `3`, want one of READ_ONLY, DATA_READ_WRITE, FULL_ACCESS",
      "f:2:26: error: allowed_connection_ids[0]: got `a b`, want only [A-Za-z0-9._:@/-]",
      "f:2:31: error: allowed_connection_ids[1]: got 0 bytes, want 1 to 128",
      "f:3:20: error: limits.max_rows: got `x`, want a whole number from 1 to 1000000000",
      "f:3:32: error: limits.timeout: got `0s`, want a duration from 1ms to 24h (write it with its "
      "unit, as in `30s`, "
      "`5m` or `1h30m`)",
      "f:4:1: error: got the unknown key `foo` (known: app, mode, allowed_connection_ids, "
      "connection_overrides, "
      "confirm_destructive, ask_mode, suspended, suspend_reason, unreviewed_tools, "
      "trust_read_only_hint, pinning, "
      "limits, max_staleness, resources, prompts, require_proven, audit, requires)"}},
};

INSTANTIATE_TEST_SUITE_P(Table, RefusedDocument, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

// ---- hostile size and shape ----------------------------------------------------------

TEST(HostileDocument, OverTheSizeLimitIsRefusedUnread) {
  const std::string text(kMaxDocumentBytes + 1, '{');
  EXPECT_THAT(Formatted(ParsePolicyDocument(text).issues),
              ElementsAre("f:1:1: error: got 8388609 bytes, want at most 8388608 (split it into "
                          "several documents)"));
}

TEST(HostileDocument, TooManyValuesAreReportedOnce) {
  std::string lines;
  std::string json = "[";
  for (size_t i = 0; i <= kMaxDocumentValues; ++i) {
    lines += "-\n";
    json += "1,";
  }
  json += "1]";
  const auto yaml_issues = Formatted(ParsePolicyDocument(lines).issues);
  ASSERT_FALSE(yaml_issues.empty());
  EXPECT_EQ(std::count_if(yaml_issues.begin(), yaml_issues.end(),
                          [](const std::string& issue) {
                            return issue.find("got more than 500000 values") != std::string::npos;
                          }),
            1);
  EXPECT_THAT(Formatted(ParsePolicyDocument(json).issues),
              ElementsAre("f:1:1: error: got more than 500000 values (split it into several "
                          "documents)"));
}

// What can be stored can be printed, and what is printed can be put again.
template <typename T>
void ExpectReadsBack(const T& value,
                     Documents<T> (*parse)(std::string_view, const DocumentOptions&)) {
  for (const std::string& text : {ToYaml(ToValue(value)), ToJson(ToValue(value))}) {
    EXPECT_LE(text.size(), kMaxDocumentBytes);
    const auto got = parse(text, {});
    EXPECT_THAT(Formatted(got.issues), IsEmpty());
    ASSERT_EQ(got.values.size(), 1u);
    EXPECT_TRUE(got.values[0] == value);
  }
}

TEST(LargeDocument, TheLargestPolicyReadsBack) {
  McpPolicy policy;
  // Digits alone are put in quotes.
  policy.app = AppId(std::string(kMaxIdBytes, '7'));
  for (size_t i = 0; i < kMaxPolicyConnections; ++i) {
    const ConnectionId id(absl::StrFormat("%0*d", static_cast<int>(kMaxIdBytes), i));
    policy.allowed_connection_ids.insert(id);
    policy.connection_overrides[id].allowed_actions = {
        {Action::kRead, Action::kWrite, Action::kDelete}};
  }
  policy.suspended = true;
  policy.suspend_reason = std::string(kMaxReasonBytes, '\x01');
  for (size_t i = 0; i < kMaxMaskPointers; ++i) {
    policy.audit.mask.push_back("/" + std::string(kMaxMaskPointerBytes - 1, '\x01'));
  }
  policy.audit.mask.back() = "";  // everything
  for (size_t i = 0; i < kMaxRequires; ++i) {
    policy.requires_features.insert(absl::StrFormat("%0128d", i));
  }
  for (const std::string& text : {PrintPolicyYaml(policy), PrintPolicyJson(policy)}) {
    EXPECT_LE(text.size(), kMaxDocumentBytes);
    const auto got = ParsePolicyDocument(text);
    EXPECT_FALSE(HasErrors(got.issues));  // it warns of the features
    ASSERT_EQ(got.values.size(), 1u);
    EXPECT_TRUE(got.values[0] == policy);
  }
}

TEST(LargeDocument, TheLargestConnectionReadsBack) {
  ConnectionRecord record;
  record.app = AppId("app");
  record.id = ConnectionId("prod");
  record.sql_mode = std::string(kMaxSqlModeBytes, '\x01');
  for (size_t bytes = 0; bytes + 128 <= kMaxSafeFunctionsBytes; bytes += 128) {
    record.safe_functions.insert(absl::StrFormat("%08d", bytes) + std::string(120, '\x01'));
  }
  for (size_t i = 0; i < kMaxDatabases; ++i) {
    record.databases.insert(absl::StrFormat("%08d", i) +
                            std::string(kMaxDatabaseBytes - 8, '\x01'));
  }
  ExpectReadsBack(record, ParseConnectionDocument);
  record.safe_functions.insert(std::string(500, 'x'));
  EXPECT_THAT(Formatted(ParseConnectionDocument(ToYaml(ToValue(record))).issues),
              ElementsAre(HasSubstr("got more than 1048576 bytes in all up to here")));
}

TEST(HostileDocument, DeepNestingIsReportedOnce) {
  const std::string deep = "app: a\nlimits: " + std::string(100, '[') + std::string(100, ']');
  const auto got = ParsePolicyDocument(deep);
  EXPECT_THAT(
      Formatted(got.issues),
      ElementsAre("f:2:9: error: limits: got a list, want a mapping",
                  "f:2:24: error: got more than 16 levels of nesting (a policy needs four)"));
}

TEST(HostileDocument, NestingBeyondTheParsersOwnStackIsRefused) {
  for (const char* open : {"[", "{a: ", "- ", "? ", "- - [{"}) {
    std::string text;
    while (text.size() < 256 << 10) text += open;
    const auto got = ParsePolicyDocument(text);
    EXPECT_TRUE(HasErrors(got.issues)) << open;
    EXPECT_THAT(got.values, IsEmpty()) << open;
  }
}

TEST(HostileDocument, AnAliasBombIsNotExpanded) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += absl::StrFormat("a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
  }
  EXPECT_TRUE(HasErrors(ParsePolicyDocument(bomb).issues));
}

TEST(HostileDocument, ListsAtMostSoManyProblems) {
  std::string text = "app: a\nallowed_connection_ids:\n";
  for (int i = 0; i < 5000; ++i) text += "- \"*\"\n";
  const auto got = ParsePolicyDocument(text);
  ASSERT_THAT(got.issues, SizeIs(kMaxDocumentIssues + 1));
  EXPECT_EQ(FormatIssue(got.issues.back(), "f"), "f: error: 4900 more problems are not listed");
}

TEST(HostileDocument, TooManyConnectionsAreRefused) {
  std::string text = "app: a\nallowed_connection_ids:\n";
  for (int i = 0; i <= 10'000; ++i) text += absl::StrFormat("- c%d\n", i);
  EXPECT_THAT(
      Formatted(ParsePolicyDocument(text).issues),
      ElementsAre("f:3:1: error: allowed_connection_ids: got 10001 items, want at most 10000"));
}

}  // namespace
}  // namespace bridgekeeper
