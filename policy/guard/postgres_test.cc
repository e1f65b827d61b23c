// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/postgres.json) cannot say: positions, and
// hostile texts at and beyond the limits.

#include "policy/guard/postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policy/guard/guard.h"
#include "policy/guard/postgres/walk.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using Error = Judgement::Error;

Judgement Judge(std::string_view text, const JudgeOptions& options = {}) {
  // A deadline of its own: a busy machine needs more than 5 s for a text at the limit.
  static const PayloadJudge* const guard =
      MakeGuard({.pool = {}, .cache_bytes = 0, .deadline = absl::Seconds(60)}).release();
  return guard->JudgeText("postgres", text, options);
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

// ---- positions ----

size_t PositionOfFirst(const Judgement& judgement) {
  return judgement.effects.empty() ? std::string::npos
                                   : judgement.effects[0].position.value_or(std::string::npos);
}

TEST(PostgresPositions, AreBytesOfTheText) {
  const std::string call = "SELECT 'é', pg_sleep(1)";
  EXPECT_EQ(PositionOfFirst(Judge(call)), call.find("pg_sleep"));
  const std::string table = "SELECT 'ééé' FROM pg_authid";
  EXPECT_EQ(PositionOfFirst(Judge(table)), table.find("pg_authid"));
}

TEST(PostgresPositions, OfASyntaxErrorIsItsByteToo) {
  const std::string text = "SELECT 'ééé' FROM FROM t";
  const Judgement judgement = Judge(text);
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_EQ(PositionOfFirst(judgement), text.rfind("FROM"));
}

TEST(PostgresPositions, OfAStatementSkipTheSpaceBeforeIt) {
  EXPECT_EQ(PositionOfFirst(Judge("  \n CHECKPOINT")), 4u);
}

TEST(PostgresPositions, AtTheVeryEndIsWithinTheText) {
  const std::string text = "SELECT 1 FROM";
  EXPECT_EQ(PositionOfFirst(Judge(text)), text.size());
}

// ---- hostile texts ----

// A chain of units, which becomes a tree as deep as it is long.
struct Chain {
  std::string_view name;
  std::string_view begin;
  std::string_view unit;
  size_t tokens;  // of one unit
};

constexpr Chain kChains[] = {
    {"Plus", "SELECT 1", "+1", 2},
    {"Casts", "SELECT 1", "::a", 3},
    {"Collations", "SELECT a", " collate b", 2},
    {"Arrows", "SELECT a", "->1", 3},
    {"TimeZones", "SELECT a", " at time zone b", 4},
    {"NullTests", "SELECT a", " isnull", 1},
    {"Calls", "SELECT 1", "+a(1)", 5},
    {"InLists", "SELECT 1", " in (1)", 4},
    {"Operators", "SELECT 1", " operator(a.+) 1", 7},
    {"Unions", "SELECT 1", " union select 1", 3},
    {"Excepts", "SELECT 1", " except all values(1)", 6},
    {"Joins", "SELECT 1 FROM a", " natural join a", 3},
    {"JoinsOn", "SELECT 1 FROM a", " join a on 1", 4},
};

class HostileChain : public testing::TestWithParam<Chain> {};

TEST_P(HostileChain, IsReadWhereItIsShortEnough) {
  const Chain& chain = GetParam();
  const Judgement judgement = Judge(std::string(chain.begin) + Repeat(chain.unit, 5'000));
  EXPECT_EQ(judgement.error, Error::kNone) << judgement.message;
}

TEST_P(HostileChain, AtTheTokenLimitHasAClearError) {
  const Chain& chain = GetParam();
  const size_t count = (kPostgresLimits.max_tokens - 10) / chain.tokens;
  const Judgement judgement = Judge(std::string(chain.begin) + Repeat(chain.unit, count));
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_THAT(judgement.message, testing::AnyOf(HasSubstr("got nesting deeper than 10000"),
                                                HasSubstr("want at most 1048576")));
}

TEST_P(HostileChain, BeyondTheTokenLimitIsNotParsed) {
  const Chain& chain = GetParam();
  const size_t count = kPostgresLimits.max_tokens / chain.tokens + 10;
  const Judgement judgement = Judge(std::string(chain.begin) + Repeat(chain.unit, count));
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, testing::AnyOf(HasSubstr("tokens, want at most 200000"),
                                                HasSubstr("want at most 1048576")));
}

INSTANTIATE_TEST_SUITE_P(Table, HostileChain, testing::ValuesIn(kChains),
                         [](const auto& row) { return std::string(row.param.name); });

// A wide list, flat in the tree, is no attack.
TEST(PostgresHostile, WideStatementsAreRead) {
  for (const std::string& text :
       {"SELECT 1" + Repeat(",1", 90'000), "INSERT INTO t VALUES (1)" + Repeat(",(1)", 45'000),
        "SELECT 1 WHERE a" + Repeat(" OR a", 90'000)}) {
    EXPECT_EQ(Judge(text).error, Error::kNone) << text.substr(0, 40) << Judge(text).message;
  }
}

// Nesting to the right ends in the parser's own stack, which has a limit.
TEST(PostgresHostile, RightNestingHasAClearError) {
  for (const auto& [open, middle, close] : {std::tuple{"(", "1", ")"},
                                            {"not ", "1", ""},
                                            {"f(", "1", ")"},
                                            {"(select ", "1", ")"},
                                            {"array[", "1", "]"},
                                            {"case when ", "1", " then 1 end"},
                                            {"- ", "1", ""}}) {
    for (const size_t depth : {200, 2'000, 20'000, 60'000}) {
      const std::string text = "SELECT " + Repeat(open, depth) + middle + Repeat(close, depth);
      const Judgement judgement = Judge(text);
      if (judgement.error == Error::kNone) continue;
      EXPECT_EQ(judgement.error, Error::kUnreadable);
      EXPECT_GT(depth, 1'000u) << open;
      EXPECT_FALSE(judgement.message.empty());
    }
  }
}

TEST(PostgresHostile, SubqueriesInFromHaveAClearError) {
  const std::string text = "SELECT 1" + Repeat(" from (select 1", 20'000) + Repeat(") a", 20'000);
  EXPECT_EQ(Judge(text).error, Error::kUnreadable);
}

TEST(PostgresHostile, TenMegabytesAreNotParsed) {
  const Judgement judgement = Judge("SELECT '" + std::string(10 << 20, 'x') + "'");
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

TEST(PostgresHostile, ALargeLiteralIsRead) {
  EXPECT_EQ(Judge("SELECT '" + std::string(1'000'000, 'x') + "'").risk, Risk::kSafe);
}

TEST(PostgresHostile, NulAndBadUtf8AreNotParsed) {
  EXPECT_THAT(Judge(std::string("SELECT 1\0; DROP TABLE t", 23)).message, HasSubstr("NUL byte"));
  EXPECT_THAT(Judge("SELECT '\xC3\x28'").message, HasSubstr("invalid UTF-8"));
  EXPECT_THAT(Judge("SELECT \xF8\x88\x80\x80\x80").message, HasSubstr("invalid UTF-8"));
}

TEST(PostgresHostile, ManyEffectsMakeAShortAnswer) {
  std::string text = "SELECT f0()";
  for (int i = 1; i < 20'000; ++i) text += ",f" + std::to_string(i) + "()";
  const Judgement judgement = Judge(text + ", pg_read_file('x')");
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_LE(judgement.effects.size(), 64u);
  EXPECT_EQ(judgement.effects[0].kind, "HOST_FILE");
}

TEST(PostgresHostile, ManyCallsAndManySafeFunctionsAreJudgedInTime) {
  JudgeOptions options;
  for (int i = 0; i < 5'000; ++i) options.safe_functions.insert("app.f" + std::to_string(i) + "()");
  std::string text = "SELECT app.f0()";
  for (int i = 1; i < 20'000; ++i) text += ",app.f" + std::to_string(i % 5'000) + "()";
  EXPECT_EQ(Judge(text, options).risk, Risk::kSafe);
}

TEST(PostgresHostile, ALongNameIsCutInTheAnswer) {
  const Judgement judgement = Judge("SELECT \"" + std::string(10'000, 'x') + "\"()");
  ASSERT_EQ(judgement.effects.size(), 1u);
  EXPECT_LE(judgement.effects[0].object.size(), 256u);
}

TEST(PostgresHostile, OneJudgeAnswersManyTimes) {
  // Memory that a huge tree took is given back, and what follows is judged as ever.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Judge("SELECT 1" + Repeat("+1", 90'000)).error, Error::kUnreadable);
    EXPECT_EQ(Judge("SELECT 1").risk, Risk::kSafe);
    EXPECT_EQ(Judge("SELECT").risk, Risk::kSafe);
    EXPECT_EQ(Judge("SELEC").error, Error::kUnreadable);
  }
}

}  // namespace
}  // namespace bridgekeeper
