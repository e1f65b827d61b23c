// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>
#include <unordered_set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/model/enums.h"
#include "policy/model/ids.h"
#include "policy/model/issue.h"
#include "policy/model/policy.h"

namespace bridgekeeper {
namespace {

using ::testing::Eq;
using ::testing::Optional;

// --- ids (clauses I1 to I3) --------------------------------------------------

TEST(Ids, TakeExactlyTheirAlphabet) {
  const std::string allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@/-";
  for (int c = 0; c < 256; ++c) {
    const std::string id(1, static_cast<char>(c));
    EXPECT_EQ(IsValidId(id), allowed.find(static_cast<char>(c)) != std::string::npos) << c;
    EXPECT_EQ(IsValidId("a" + id + "b"), IsValidId(id)) << c;
    EXPECT_EQ(IsValidToolName(id), IsValidId(id)) << c;
  }
}

TEST(Ids, Have1To128Bytes) {
  EXPECT_FALSE(IsValidId(""));
  EXPECT_TRUE(IsValidId(std::string(128, 'x')));
  EXPECT_FALSE(IsValidId(std::string(129, 'x')));
  EXPECT_FALSE(IsValidToolName(""));
  EXPECT_FALSE(IsValidToolName(std::string(129, 'x')));
}

TEST(Ids, RefuseLookAlikes) {
  EXPECT_FALSE(
      IsValidId("pr\xD0\xBE"
                "d"));                          // Cyrillic o
  EXPECT_FALSE(IsValidId("prod\xE2\x80\x8B"));  // zero-width space
  EXPECT_FALSE(IsValidId(std::string_view("a\0", 2)));
  EXPECT_FALSE(IsValidId("*"));
}

TEST(Ids, SayWhatIsWrong) {
  EXPECT_EQ(DescribeInvalidId(""), "got 0 bytes, want 1 to 128");
  EXPECT_EQ(DescribeInvalidId(std::string(300, 'x')), "got 300 bytes, want 1 to 128");
  EXPECT_EQ(DescribeInvalidId("a\tb"), "got `a\\u{0009}b`, want only [A-Za-z0-9._:@/-]");
}

TEST(Ids, CompareByBytes) {
  EXPECT_NE(ConnectionId("Prod"), ConnectionId("prod"));
  EXPECT_LT(ConnectionId("Prod"), ConnectionId("prod"));
  EXPECT_EQ(AppId("a"), AppId(std::string("a")));
  EXPECT_TRUE(AppId().empty());
}

// --- enums -------------------------------------------------------------------

// Every name of an enum reads back, in each spelling, as the value that prints it.
template <typename Enum>
void ExpectNamesReadBack() {
  std::set<std::string_view> names;
  const auto all = NamesOf<Enum>();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(Name(value), all[i]);
    EXPECT_TRUE(names.insert(all[i]).second) << all[i];
    std::string kebab, camel, pascal;
    bool upper = true;
    for (const char c : all[i]) {
      const char low = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      kebab += c == '_' ? '-' : low;
      if (c == '_') {
        upper = true;
        continue;
      }
      pascal += upper ? c : low;
      upper = false;
    }
    camel = pascal;
    camel[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(camel[0])));
    for (const std::string& text : {std::string(all[i]), kebab, camel, pascal}) {
      EXPECT_THAT(ParseEnum<Enum>(text), Optional(Eq(value))) << text;
    }
  }
  for (const char* text : {"", "?", "UNSPECIFIED_X", "0", "READ ONLY", "ALLOW\n"}) {
    EXPECT_EQ(ParseEnum<Enum>(text), std::nullopt) << text;
  }
}

TEST(Enums, NamesReadBack) {
  ExpectNamesReadBack<Verdict>();
  ExpectNamesReadBack<Risk>();
  ExpectNamesReadBack<Action>();
  ExpectNamesReadBack<Mode>();
  ExpectNamesReadBack<AskMode>();
  ExpectNamesReadBack<UnreviewedTools>();
  ExpectNamesReadBack<Pinning>();
  ExpectNamesReadBack<Passage>();
  ExpectNamesReadBack<ReasonCode>();
}

TEST(Enums, NamesOfKeyValuesAreTheOnesOfTheWire) {
  EXPECT_EQ(Name(Mode::kDataReadWrite), "DATA_READ_WRITE");
  EXPECT_EQ(Name(ReasonCode::kModeTooLow), "MODE_TOO_LOW");
  EXPECT_EQ(Name(ReasonCode::kReadOnlyBridge), "READ_ONLY_BRIDGE");
  EXPECT_EQ(Name(ReasonCode::kEvaluationFault), "EVALUATION_FAULT");
  EXPECT_EQ(Name(AskMode::kElicit), "ELICIT");
}

// What an unset or unknown value on the wire becomes (clause P3).
TEST(Enums, ZeroIsTheStrictestValue) {
  EXPECT_EQ(Verdict{}, Verdict::kDeny);
  EXPECT_EQ(Risk{}, Risk::kDestructive);
  EXPECT_EQ(Mode{}, Mode::kReadOnly);
  EXPECT_EQ(AskMode{}, AskMode::kApproval);
  EXPECT_EQ(UnreviewedTools{}, UnreviewedTools::kDeny);
  EXPECT_EQ(Pinning{}, Pinning::kEnforce);
  EXPECT_EQ(Passage{}, Passage::kDeny);
  EXPECT_EQ(ReasonCode{}, ReasonCode::kUnspecified);
  EXPECT_EQ(NeedsConnection{}, NeedsConnection::kUnknown);
}

TEST(Risks, AreOrderedByHarm) {
  EXPECT_TRUE(MoreHarmful(Risk::kDestructive, Risk::kElevated));
  EXPECT_TRUE(MoreHarmful(Risk::kElevated, Risk::kSafe));
  EXPECT_FALSE(MoreHarmful(Risk::kSafe, Risk::kSafe));
  EXPECT_FALSE(MoreHarmful(Risk::kSafe, Risk::kDestructive));
  for (const Risk a : {Risk::kSafe, Risk::kElevated, Risk::kDestructive}) {
    EXPECT_EQ(Worst(a, Risk::kSafe), a);
    EXPECT_EQ(Worst(Risk::kDestructive, a), Risk::kDestructive);
    EXPECT_EQ(Worst(a, Risk::kElevated), Worst(Risk::kElevated, a));
  }
}

TEST(Risks, HaveOneActionEach) {
  EXPECT_EQ(ActionOf(Risk::kSafe), Action::kRead);
  EXPECT_EQ(ActionOf(Risk::kElevated), Action::kWrite);
  EXPECT_EQ(ActionOf(Risk::kDestructive), Action::kDelete);
}

// --- policy ------------------------------------------------------------------

TEST(Policy, StandsWithTheDefaultsOfTheSpec) {  // clause P1
  const McpPolicy policy;
  EXPECT_EQ(policy.mode, Mode::kDataReadWrite);
  EXPECT_TRUE(policy.confirm_destructive);
  EXPECT_EQ(policy.ask_mode, AskMode::kClient);
  EXPECT_EQ(policy.unreviewed_tools, UnreviewedTools::kDeny);
  EXPECT_FALSE(policy.trust_read_only_hint);
  EXPECT_EQ(policy.pinning, Pinning::kEnforce);
  EXPECT_EQ(policy.max_staleness, absl::Minutes(5));
  EXPECT_TRUE(policy.limits.empty());
  EXPECT_FALSE(policy.require_proven);
  EXPECT_FALSE(policy.suspended);
}

TEST(Policy, ResourcesAndPromptsPassOnlyWhereNothingIsRestricted) {  // clause P4
  McpPolicy policy;
  EXPECT_EQ(EffectiveResources(policy), Passage::kAllow);
  EXPECT_EQ(EffectivePrompts(policy), Passage::kAllow);

  McpPolicy with_allowlist = policy;
  with_allowlist.allowed_connection_ids.emplace("c1");
  EXPECT_EQ(EffectiveResources(with_allowlist), Passage::kDeny);
  EXPECT_EQ(EffectivePrompts(with_allowlist), Passage::kDeny);

  McpPolicy with_override = policy;
  with_override.connection_overrides[ConnectionId("c1")];
  EXPECT_EQ(EffectiveResources(with_override), Passage::kDeny);

  with_override.resources = Passage::kAllow;
  EXPECT_EQ(EffectiveResources(with_override), Passage::kAllow);
  EXPECT_EQ(EffectivePrompts(with_override), Passage::kDeny);

  policy.prompts = Passage::kDeny;
  EXPECT_EQ(EffectivePrompts(policy), Passage::kDeny);
  EXPECT_EQ(EffectiveResources(policy), Passage::kAllow);
}

TEST(Policy, EveryLimitCounts) {
  EXPECT_TRUE(Limits{}.empty());
  EXPECT_FALSE(Limits{.max_rows = 1}.empty());
  EXPECT_FALSE(Limits{.max_bytes = 1}.empty());
  EXPECT_FALSE(Limits{.timeout = absl::Seconds(1)}.empty());
  EXPECT_FALSE(Limits{.read_only_session = true}.empty());
}

// --- issues ------------------------------------------------------------------

TEST(Issues, AreWrittenWithPlaceAndHelp) {
  Issue issue{.line = 3,
              .column = 5,
              .path = "mode",
              .message = "unknown mode `x`",
              .help = "did you mean `y`?"};
  EXPECT_EQ(FormatIssue(issue, "a.yaml"),
            "a.yaml:3:5: error: mode: unknown mode `x` (did you mean `y`?)");
  issue = {.severity = Issue::Severity::kWarning, .message = "odd"};
  EXPECT_EQ(FormatIssue(issue, "a.yaml"), "a.yaml: warning: odd");
}

TEST(Issues, OnlyErrorsAreErrors) {
  const Issue warning{.severity = Issue::Severity::kWarning};
  EXPECT_FALSE(HasErrors({}));
  EXPECT_FALSE(HasErrors({warning, warning}));
  EXPECT_TRUE(HasErrors({warning, Issue{}}));
}

}  // namespace
}  // namespace bridgekeeper
