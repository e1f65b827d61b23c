// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/sqlserver.json) cannot say: every way to more
// than one statement and to a text that is not read, positions, and hostile texts.

#include "policy/guard/sqlserver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

#include "policy/guard/guard.h"
#include "policy/guard/sqlserver/parser.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using Error = Judgement::Error;

Judgement Judge(std::string_view text, const JudgeOptions& options = {}) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  return guard->JudgeText("mssql", text, options);
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

struct RefusedText {
  const char* name;
  const char* text;
  Error error;
  const char* message;

  friend void PrintTo(const RefusedText& row, std::ostream* out) { *out << row.text; }
};

class SqlServerRefusedTest : public testing::TestWithParam<RefusedText> {};

TEST_P(SqlServerRefusedTest, HasTheError) {
  const Judgement judgement = Judge(GetParam().text);
  EXPECT_EQ(judgement.error, GetParam().error) << judgement.message;
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_THAT(judgement.message, HasSubstr(GetParam().message));
}

constexpr RefusedText kRefused[] = {
    {"TwoReadsWithoutSemicolon", "SELECT 1 SELECT 2", Error::kMultiple, ""},
    {"SecondStatementBehindAlias", "SELECT a x FROM t y UPDATE t SET a = 1", Error::kMultiple, ""},
    {"SecondStatementBehindParenthesis", "SELECT (1)DELETE FROM t", Error::kMultiple, ""},
    {"SecondStatementBehindString", "SELECT 'x'DROP TABLE t", Error::kMultiple, ""},
    {"SecondStatementBehindComment", "SELECT 1/**/DROP TABLE t", Error::kMultiple, ""},
    {"SecondStatementBehindOrderBy", "SELECT a FROM t ORDER BY a EXEC p", Error::kMultiple, ""},
    {"SecondStatementBehindHint", "SELECT a FROM t OPTION (RECOMPILE) EXEC p", Error::kMultiple,
     ""},
    {"SecondStatementBehindForXml", "SELECT a FROM t FOR XML AUTO TRUNCATE TABLE t",
     Error::kMultiple, ""},
    {"CursorFetchIsNoOffsetFetch", "SELECT a FROM t ORDER BY a OFFSET 1 ROWS FETCH NEXT FROM c",
     Error::kMultiple, ""},
    {"SecondStatementInParentheses", "SELECT 1 (SELECT 2)", Error::kMultiple, ""},
    {"WaitForBehindSelect", "SELECT 1 WAITFOR DELAY '0:0:10'", Error::kMultiple, ""},
    {"ShutdownBehindSelect", "SELECT 1 SHUTDOWN", Error::kMultiple, ""},
    {"DeclareAndSelect", "DECLARE @a int = 1; SELECT @a", Error::kMultiple, ""},
    {"TransactionAndWrite", "BEGIN TRAN DELETE FROM t COMMIT", Error::kMultiple, ""},
    {"TwoBatchesInLowerCase", "SELECT 1\n go \nDELETE FROM t", Error::kMultiple, ""},
    {"BatchBehindComment", "SELECT 1\n/* x */ GO -- y\nDELETE FROM t", Error::kMultiple, ""},
    {"RepeatedBatch", "SELECT 1\nGO 5", Error::kMultiple, ""},
    {"LeadingGoIsAProcedure", "GO\nSELECT 1", Error::kMultiple, ""},
    {"SecondCommonTable", "SELECT 1; WITH a AS (SELECT 1) DELETE FROM t", Error::kMultiple, ""},
    {"ReadAndBlock", "SELECT 1 BEGIN DELETE FROM t END", Error::kMultiple, ""},
    {"ReadAndIf", "SELECT 1 IF 1 = 1 DELETE FROM t", Error::kMultiple, ""},
    {"InsertAndDelete", "INSERT INTO t VALUES (1) DELETE FROM t", Error::kMultiple, ""},
    {"UpdateAndDrop", "UPDATE t SET a = 1 DROP TABLE t", Error::kMultiple, ""},
    {"MergeAndDelete",
     "MERGE t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET a = 1; DELETE FROM t",
     Error::kMultiple, ""},
    {"CreateTableAndDrop", "CREATE TABLE x (a int) DROP TABLE t", Error::kMultiple, ""},
    {"AlterTableAndDelete", "ALTER TABLE x ADD a int DELETE FROM t", Error::kMultiple, ""},
    {"SetAndDelete", "SET NOCOUNT ON DELETE FROM t", Error::kMultiple, ""},
    {"ProcedureAndDelete", "sp_help t DELETE FROM t", Error::kMultiple, ""},
    {"UseAndDelete", "USE x DELETE FROM t", Error::kMultiple, ""},
    {"PrintAndDelete", "PRINT 'x' DELETE FROM t", Error::kMultiple, ""},
    {"FetchCursorAndDelete", "FETCH NEXT FROM c DELETE FROM t", Error::kMultiple, ""},
    {"Empty", "", Error::kEmpty, ""},
    {"OnlyComment", "-- nothing\n/* here */", Error::kEmpty, ""},
    {"OnlyGo", "GO\n", Error::kEmpty, ""},
    {"UnclosedComment", "SELECT 1 /* /* */", Error::kUnreadable, "without its end"},
    {"UnclosedBracket", "SELECT [a", Error::kUnreadable, "without its end"},
    {"UnclosedQuotedName", "SELECT \"a", Error::kUnreadable, "without its end"},
    {"NumberRunsIntoName", "SELECT 1DELETE FROM t", Error::kUnreadable, "runs into a name"},
    {"HexRunsIntoName", "SELECT 0xDEL", Error::kUnreadable, "runs into a name"},
    {"NumberRunsIntoPoint", "SELECT 1.DELETE FROM t", Error::kUnreadable, ""},
    {"BackslashOutsideOfString", "SELECT \\\n1", Error::kUnreadable, "begins no token"},
    {"CarriageReturnInComment", "SELECT 1 -- x\rDELETE FROM t", Error::kUnreadable, "some readers"},
    {"LineSeparatorInComment", "SELECT 1 -- x\u2028DELETE FROM t", Error::kUnreadable,
     "some readers"},
    {"GoInsideOfComment", "SELECT 1 /*\nGO\nDELETE FROM t --*/", Error::kUnreadable, "GO"},
    {"GoInsideOfBrackets", "SELECT [\r\ngo 2\r\nDELETE FROM t--]", Error::kUnreadable, "GO"},
    {"IdeographicSpace", "SELECT\u30001", Error::kUnreadable, "another"},
    {"FullWidthKeyword", "ＤＥＬＥＴＥ FROM t", Error::kUnreadable, "another"},
    {"LongSInKeyword", "\u017felect 1", Error::kUnreadable, "another"},
    {"ZeroWidthSpaceInName", "SELECT a FROM sys.sql_log\u200bins", Error::kUnreadable, "another"},
    {"CurlyQuote", "SELECT ‘a’", Error::kUnreadable, "another"},
    {"ShellEscapeOfClients", "SELECT 1\n!!del x", Error::kUnreadable, ""},
    {"Backtick", "SELECT `a`", Error::kUnreadable, ""},
    {"SqlcmdVariable", "SELECT $(x)", Error::kUnreadable, ""},
};

INSTANTIATE_TEST_SUITE_P(Table, SqlServerRefusedTest, testing::ValuesIn(kRefused),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SqlServerPositions, AreBytesOfTheText) {
  for (const auto& [text, what] :
       {std::pair<std::string, std::string>{"SELECT N'é', dbo.my_fn(1)", "my_fn"},
        {"/* é */ DELETE FROM tab", "tab"},
        {"SELECT a FROM sys.sql_logins", "sql_logins"},
        {"SELECT 'é' FROM t WITH (UPDLOCK)", "UPDLOCK"},
        {"SELECT 1 -- é\n 'x", "'x"}}) {
    const Judgement judgement = Judge(text);
    ASSERT_FALSE(judgement.effects.empty()) << text;
    EXPECT_EQ(judgement.effects[0].position, text.find(what)) << text;
  }
}

TEST(SqlServerHostile, NestingIsReadUpToItsBoundOnASmallStack) {
  // 2 MiB, of the 64 MiB that the guard's threads have (kMaxNesting).
  const auto guard = MakeGuard({.pool = {.threads = 1, .stack_bytes = size_t{2} << 20},
                                .in_place_bytes = 0,
                                .cache_bytes = 0});
  for (const auto& [open, middle, close, levels] : {std::tuple{"(", "1", ")", 1},
                                                    {"abs(", "1", ")", 1},
                                                    {"(select ", "1", ")", 2},
                                                    {"case when ", "1", " then 1 end", 1},
                                                    {"-(", "1", ")", 1},
                                                    {"sum(1) over (order by ", "1", ")", 1},
                                                    {"cast(", "1", " as int)", 1},
                                                    {"{fn abs(", "1", ")}", 2},
                                                    {"(select * from (select ", "1", ") x)", 4}}) {
    const auto depth = static_cast<size_t>(sqlserver::kMaxNesting / levels - 2);
    const std::string text = "SELECT " + Repeat(open, depth) + middle + Repeat(close, depth);
    EXPECT_EQ(guard->JudgeText("sqlserver", text, {}).risk, Risk::kSafe) << open;
    EXPECT_EQ(guard->JudgeText("sqlserver", text + ", dbo.f(1)", {}).risk, Risk::kElevated) << open;
    const std::string deep = "SELECT " + Repeat(open, 30'000) + "dbo.f(1)" + Repeat(close, 30'000);
    const Judgement judgement = guard->JudgeText("sqlserver", deep, {});
    EXPECT_EQ(judgement.error, Error::kUnreadable) << open;
    EXPECT_THAT(judgement.message, HasSubstr("more than 1000 levels")) << open;
  }
}

TEST(SqlServerHostile, ChainsAreRead) {
  for (const std::string& text :
       {"SELECT 1" + Repeat("+1", 400'000), "SELECT 1" + Repeat(" UNION ALL SELECT 1", 40'000),
        "SELECT a FROM t WHERE a = 1" + Repeat(" OR NOT a = 1", 50'000),
        "WITH a0 AS (SELECT 1)" + Repeat(", a AS (SELECT 1)", 50'000) + " SELECT 1",
        "SELECT * FROM t" + Repeat(" JOIN t ON 1 = 1", 50'000), "SELECT " + Repeat("-", 1) + "1",
        "SELECT a FROM t WHERE a IN (1" + Repeat(",1", 400'000) + ")",
        "SELECT '" + std::string(1'000'000, 'x') + "'",
        Repeat("/*", 200'000) + Repeat("*/", 200'000) + "SELECT 1"}) {
    EXPECT_EQ(Judge(text).risk, Risk::kSafe) << text.substr(0, 40);
  }
}

TEST(SqlServerHostile, ManyStatementsAreCounted) {
  const Judgement judgement = Judge(Repeat("SELECT 1 ", 100'000));
  EXPECT_EQ(judgement.error, Error::kMultiple);
  EXPECT_EQ(judgement.statements, 100'000);
}

TEST(SqlServerHostile, TenMegabytesAreNotCut) {
  const Judgement judgement = Judge("SELECT '" + std::string(10 << 20, 'x') + "'");
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

TEST(SqlServerHostile, NulAndBadUtf8AreRefused) {
  EXPECT_THAT(Judge(std::string("SELECT 1\0; DROP TABLE t", 23)).message, HasSubstr("NUL byte"));
  EXPECT_THAT(Judge("SELECT '\xC3\x28'").message, HasSubstr("invalid UTF-8"));
}

TEST(SqlServerHostile, EveryPrefixHasAClearAnswer) {
  for (const std::string& whole :
       {std::string(
            "WITH a (b) AS (SELECT 0xAB, $1.5, @v, \"q\", [r], N'it''s' FROM s.d.dbo.t AS u "
            "CROSS APPLY OPENJSON(@x) WITH (id int '$.i') j) INSERT TOP (1) INTO dbo.t WITH "
            "(TABLOCK) (a) OUTPUT inserted.a INTO l SELECT 1 UNION SELECT 2 ORDER BY 1 "
            "OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY OPTION (RECOMPILE)"),
        std::string(
            "MERGE t USING (VALUES (1)) s (a) ON t.a = s.a WHEN NOT MATCHED BY SOURCE AND "
            "1 = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET a.WRITE('x', 0, 1) OUTPUT $action;"),
        std::string(
            "CREATE TABLE x (a int IDENTITY(1, 1) DEFAULT (dbo.f(1)) REFERENCES u (b) ON "
            "DELETE SET NULL, PERIOD FOR SYSTEM_TIME (a, b)) WITH (DATA_COMPRESSION = ROW)"),
        std::string("EXEC @r = sys.sp_help @objname = N't' OUTPUT"),
        std::string("DECLARE c SCROLL CURSOR LOCAL FOR SELECT CASE a WHEN 1 THEN 2 END FROM t"),
        std::string("SELECT a FROM t FOR XML PATH ('x'), ROOT ('y')\nGO 2 -- x")}) {
    for (size_t size = 0; size <= whole.size(); ++size) {
      const Judgement judgement = Judge(whole.substr(0, size));
      EXPECT_EQ(judgement.message.empty(), judgement.error == Error::kNone);
      EXPECT_EQ(judgement.error == Error::kNone,
                judgement.statements == 1 && judgement.message.empty());
    }
  }
}

TEST(SqlServerHostile, ManyEffectsMakeAShortAnswer) {
  std::string text = "SELECT dbo.f0()";
  for (int i = 1; i < 20'000; ++i) text += ",dbo.f" + std::to_string(i) + "()";
  const Judgement judgement = Judge(text + " FROM OPENQUERY(s, 'x')");
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_LE(judgement.effects.size(), 64u);
  EXPECT_EQ(judgement.effects[0].kind, "EXTERNAL");
}

}  // namespace
}  // namespace bridgekeeper
