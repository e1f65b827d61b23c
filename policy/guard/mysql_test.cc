// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/mysql.json) cannot say: positions, readings,
// and hostile texts.

#include "policy/guard/mysql.h"

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
  return guard->JudgeText("mariadb", text, options);
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

TEST(MysqlPositions, AreBytesOfTheText) {
  for (const auto& [text, what] :
       {std::pair<std::string, std::string>{"SELECT 'é', my_fn(1)", "my_fn"},
        {"SELECT 'é' FROM t, mysql.user", "mysql"},
        {"/* é */ DELETE FROM tab", "DELETE"},
        {"SELECT 1 /*!50000 + SLEEP(5) */", "SLEEP"},
        {"SELECT @@datadir", "@@datadir"},
        {"SELECT 1; -- \n 'x", "'x"}}) {
    const Judgement judgement = Judge(text);
    ASSERT_FALSE(judgement.effects.empty()) << text;
    EXPECT_EQ(judgement.effects[0].position, text.find(what)) << text;
  }
}

TEST(MysqlReadings, TheMessageSaysWhichOneIsTheWorst) {
  EXPECT_EQ(Judge("SELECT 'a\\'; DELETE FROM t; -- '").message,
            "got 2 statements with NO_BACKSLASH_ESCAPES, want one");
  EXPECT_EQ(Judge("SELECT \"a\\\"; DELETE FROM t; -- \"").message,
            "got 2 statements with NO_BACKSLASH_ESCAPES, want one");
  EXPECT_EQ(Judge("SELECT 1; SELECT 2").message, "got 2 statements, want one");
}

TEST(MysqlReadings, ThoseThatTheRecordRulesOutDoNotCount) {
  JudgeOptions options;
  options.sql_mode = "ANSI_QUOTES";
  EXPECT_EQ(Judge("SELECT \"f\"(1)", options).risk, Risk::kElevated);
  options.sql_mode = "STRICT_TRANS_TABLES";
  EXPECT_EQ(Judge("SELECT 'a\\'; DELETE FROM t; -- '", options).risk, Risk::kSafe);
  options.sql_mode = "OF_TOMORROW";
  EXPECT_EQ(Judge("SELECT 'a\\'; DELETE FROM t; -- '", options).error, Error::kMultiple);
}

TEST(MysqlReadings, TheirNumberIsBounded) {
  EXPECT_EQ(Judge("SELECT 1" + Repeat(" /*!100100 + 1 */", 3)).risk, Risk::kSafe);
  EXPECT_EQ(Judge("SELECT 1" + Repeat(" /*!100100 + 1 */", 4)).risk, Risk::kDestructive);
  EXPECT_EQ(Judge("SELECT '\\'', \"x\"" + Repeat(" /*!100100 + 1 */", 2)).risk, Risk::kSafe);
}

TEST(MysqlHostile, DeepNestingIsReadWithoutAStack) {
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

TEST(MysqlHostile, WhatIsDeepInsideIsFound) {
  const std::string text =
      "SELECT " + Repeat("(select ", 50'000) + "load_file('x')" + Repeat(")", 50'000);
  EXPECT_EQ(Judge(text).risk, Risk::kDestructive);
}

TEST(MysqlHostile, ChainsAreRead) {
  for (const std::string& text :
       {"SELECT 1" + Repeat("+1", 400'000), "SELECT 1" + Repeat(" UNION ALL SELECT 1", 40'000),
        "WITH a0 AS (SELECT 1)" + Repeat(", a AS (SELECT 1)", 50'000) + " SELECT 1",
        "SELECT * FROM t" + Repeat(" JOIN t", 100'000), "SELECT a" + Repeat(".a", 400'000),
        "SELECT '" + std::string(1'000'000, 'x') + "'", "SELECT 1 " + Repeat("/**/", 200'000)}) {
    EXPECT_EQ(Judge(text).risk, Risk::kSafe) << text.substr(0, 40);
  }
}

TEST(MysqlHostile, EveryReadingOfALongTextIsJudged) {
  const std::string text =
      "SELECT '\\'', \"x\", '" + std::string(900'000, 'x') + "'" + Repeat(" /*!100100 , 1 */", 2);
  EXPECT_EQ(Judge(text).risk, Risk::kSafe);
}

TEST(MysqlHostile, TenMegabytesAreNotCut) {
  const Judgement judgement = Judge("SELECT '" + std::string(10 << 20, 'x') + "'");
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

TEST(MysqlHostile, NulAndBadUtf8AreRefused) {
  EXPECT_THAT(Judge(std::string("SELECT 1\0; DROP TABLE t", 23)).message, HasSubstr("NUL byte"));
  EXPECT_THAT(Judge("SELECT '\xC3\x28'").message, HasSubstr("invalid UTF-8"));
}

TEST(MysqlHostile, EveryPrefixHasAClearAnswer) {
  for (const std::string& whole :
       {std::string("WITH RECURSIVE a(b) AS (SELECT x'00', @v, \"q\", `s`, 'it\\'s' FROM m.t AS u "
                    "JOIN json_table(1, '$' COLUMNS (a INT PATH '$')) j ON (1 IN m.f(2)) FOR "
                    "SYSTEM_TIME AS OF now()) SELECT /*!50003 1 */ INTO OUTFILE 'x' FOR UPDATE"),
        std::string("CREATE TABLE IF NOT EXISTS m.t(a VARCHAR(10) DEFAULT (f(1)), KEY k (a(3))) "
                    "ENGINE=InnoDB PARTITION BY HASH (a) (PARTITION p ENGINE=x)"),
        std::string("CREATE DEFINER=a@b PROCEDURE p() BEGIN SELECT 1; END"),
        std::string("CREATE ALGORITHM=MERGE VIEW v (a) AS SELECT 1"),
        std::string("INSERT IGNORE INTO m.t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 1"),
        std::string("UPDATE (m.t JOIN u ON 1) SET a := 1 WHERE 1"),
        std::string("DELETE QUICK FROM m.t USING t JOIN u"),
        std::string("SHOW FULL COLUMNS FROM m.t FROM m LIKE 'x'"),
        std::string("SHOW VARIABLES WHERE Variable_name IN ('a', 'b')"),
        std::string("EXPLAIN FORMAT=JSON SELECT 1"), std::string("SET @a = 1, @b := 2"),
        std::string("ALTER TABLE m.t ADD COLUMN a INT, ADD b INT"),
        std::string("HANDLER m.t READ FIRST WHERE f(1)"),
        std::string("CREATE INDEX i USING b ON t (a)"),
        std::string("DROP TABLE IF EXISTS m.t, u.v"), std::string("CHECKSUM TABLE m.t, u")}) {
    for (size_t size = 0; size <= whole.size(); ++size) {
      const Judgement judgement = Judge(whole.substr(0, size));
      EXPECT_EQ(judgement.message.empty(), judgement.error == Error::kNone);
      EXPECT_EQ(judgement.statements == 1, judgement.error == Error::kNone)
          << whole.substr(0, size);
    }
  }
}

TEST(MysqlHostile, ManyEffectsMakeAShortAnswer) {
  std::string text = "SELECT f0()";
  for (int i = 1; i < 20'000; ++i) text += ",f" + std::to_string(i) + "()";
  const Judgement judgement = Judge(text + ", load_file('x')");
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_LE(judgement.effects.size(), 64u);
  EXPECT_EQ(judgement.effects[0].kind, "HOST_FILE");
}

}  // namespace
}  // namespace bridgekeeper
