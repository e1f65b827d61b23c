// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/sqlite.json) cannot say: positions, and
// hostile texts.

#include "policy/guard/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policy/guard/guard.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using Error = Judgement::Error;

Judgement Judge(std::string_view text, const JudgeOptions& options = {}) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  return guard->JudgeText("sqlite3", text, options);
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

size_t PositionOfFirst(const Judgement& judgement) {
  return judgement.effects.empty() ? std::string::npos
                                   : judgement.effects[0].position.value_or(std::string::npos);
}

TEST(SqlitePositions, AreBytesOfTheText) {
  for (const auto& [text, what] :
       {std::pair<std::string, std::string>{"SELECT 'é', my_fn(1)", "my_fn"},
        {"SELECT 'é' FROM t, fsdir('x')", "fsdir"},
        {"/* é */ DELETE FROM tab", "tab"},
        {"SELECT 1 IN main.pragma_optimize", "pragma_optimize"},
        {"PRAGMA main.query_only = 1", "query_only"},
        {"SELECT 1; -- \n 'x", "'x"}}) {
    EXPECT_EQ(PositionOfFirst(Judge(text)), text.find(what)) << text;
  }
}

TEST(SqliteHostile, DeepNestingIsReadWithoutAStack) {
  for (const auto& [open, middle, close] : {std::tuple{"(", "1", ")"},
                                            {"abs(", "1", ")"},
                                            {"(select ", "1", ")"},
                                            {"case when ", "1", " then 1 end"},
                                            {"-(", "1", ")"}}) {
    for (const size_t depth : {1'000, 40'000}) {
      const std::string text = "SELECT " + Repeat(open, depth) + middle + Repeat(close, depth);
      EXPECT_EQ(Judge(text).risk, Risk::kSafe) << open << depth;
      EXPECT_EQ(Judge(text + ", my_fn(1)").risk, Risk::kElevated) << open << depth;
    }
  }
}

TEST(SqliteHostile, WhatIsDeepInsideIsFound) {
  const std::string text =
      "SELECT " + Repeat("(select ", 50'000) + "load_extension('x')" + Repeat(")", 50'000);
  EXPECT_EQ(Judge(text).risk, Risk::kDestructive);
}

TEST(SqliteHostile, ChainsAreRead) {
  for (const std::string& text :
       {"SELECT 1" + Repeat("+1", 400'000), "SELECT 1" + Repeat(" UNION ALL SELECT 1", 40'000),
        "SELECT CAST(1 AS int)" + Repeat("||CAST(1 AS int)", 50'000),
        "WITH a0 AS (SELECT 1)" + Repeat(", a AS (SELECT 1)", 50'000) + " SELECT 1",
        "SELECT * FROM t" + Repeat(" JOIN t", 100'000),
        "SELECT '" + std::string(1'000'000, 'x') + "'"}) {
    EXPECT_EQ(Judge(text).risk, Risk::kSafe) << text.substr(0, 40);
  }
}

TEST(SqliteHostile, TenMegabytesAreNotCut) {
  const Judgement judgement = Judge("SELECT '" + std::string(10 << 20, 'x') + "'");
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

TEST(SqliteHostile, NulAndBadUtf8AreRefused) {
  EXPECT_THAT(Judge(std::string("SELECT 1\0; DROP TABLE t", 23)).message, HasSubstr("NUL byte"));
  EXPECT_THAT(Judge("SELECT '\xC3\x28'").message, HasSubstr("invalid UTF-8"));
}

TEST(SqliteHostile, EveryPrefixHasAClearAnswer) {
  const std::string text =
      "WITH RECURSIVE a(b) AS MATERIALIZED (SELECT x'00', $v::w(z), \"q\", [r], `s`, 'it''s' "
      "FROM main.t AS u JOIN json_each(1) ON (1 IN main.f(2))) INSERT OR REPLACE INTO main.t AS z "
      "(a, t) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1 RETURNING /* x */ 1";
  for (const std::string& whole :
       {text,
        std::string(
            "CREATE TABLE IF NOT EXISTS main.t(a VARCHAR(10) DEFAULT (f(1)) ON CONFLICT REPLACE)"),
        std::string("CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END;"),
        std::string("CREATE VIRTUAL TABLE t USING fts5(a, content = '')"),
        std::string("EXPLAIN QUERY PLAN PRAGMA main.x(-1)"), std::string("VACUUM main INTO 'x'"),
        std::string("ALTER TABLE main.t ADD COLUMN a DEFAULT (1)")}) {
    for (size_t size = 0; size <= whole.size(); ++size) {
      const Judgement judgement = Judge(whole.substr(0, size));
      EXPECT_EQ(judgement.message.empty(), judgement.error == Error::kNone);
      EXPECT_EQ(judgement.statements, judgement.error == Error::kNone ? 1 : 0);
    }
  }
}

TEST(SqliteHostile, ManyEffectsMakeAShortAnswer) {
  std::string text = "SELECT f0()";
  for (int i = 1; i < 20'000; ++i) text += ",f" + std::to_string(i) + "()";
  const Judgement judgement = Judge(text + ", readfile('x')");
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_LE(judgement.effects.size(), 64u);
  EXPECT_EQ(judgement.effects[0].kind, "HOST_FILE");
}

}  // namespace
}  // namespace bridgekeeper
