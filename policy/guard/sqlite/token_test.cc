// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

namespace bridgekeeper::sqlite {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Spellings(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  std::vector<std::string> out;
  for (const Token& token : tokens.list) out.emplace_back(tokens.Spelling(token));
  if (!tokens.error.empty()) out.push_back("!" + std::to_string(tokens.error_position));
  return out;
}

TEST(SqliteTokens, AreCutWhereSqliteCutsThem) {
  EXPECT_THAT(Spellings("a.b,c->>'$.x'"), ElementsAre("a", ".", "b", ",", "c", "->>", "'$.x'"));
  EXPECT_THAT(Spellings("'it''s' \"a\"\"b\" `c``d` [e]]"),
              ElementsAre("'it''s'", "\"a\"\"b\"", "`c``d`", "[e]", "!25"));
  EXPECT_THAT(Spellings("x'0F' X'' xy"), ElementsAre("x'0F'", "X''", "xy"));
  EXPECT_THAT(Spellings("1.5e-3 .5 1. 0xFf 1_000 1e 2"),
              ElementsAre("1.5e-3", ".5", "1.", "0xFf", "1_000", "!24"));
  EXPECT_THAT(Spellings("$a::b(c;') ?1 :x @y"), ElementsAre("$a::b(c;')", "?1", ":x", "@y"));
  EXPECT_THAT(Spellings("a--b\rc\nd/*e*/f/*/g*/h/*i"), ElementsAre("a", "d", "f", "h"));
  EXPECT_THAT(Spellings("a<=b<>c==d||e!=f<<1"),
              ElementsAre("a", "<=", "b", "<>", "c", "==", "d", "||", "e", "!=", "f", "<<", "1"));
  EXPECT_THAT(Spellings("a/*"), ElementsAre("a", "/", "*"));
  EXPECT_THAT(Spellings(" \va"), ElementsAre("a"));
  EXPECT_THAT(Spellings("\va"), ElementsAre("!0"));
}

TEST(SqliteTokens, NamesHaveNoQuotesAndAreLowerCase) {
  const Tokens tokens = Tokenize("Ab 'It''s' \"A\"\"B\" `C``D` [E F]");
  std::vector<std::string> names;
  for (const Token& token : tokens.list) names.push_back(tokens.Name(token));
  EXPECT_THAT(names, ElementsAre("ab", "it's", "a\"b", "c`d", "e f"));
}

TEST(SqliteTokens, KeywordsAreThoseOfTheLibrary) {
  for (int i = 0; i < sqlite3_keyword_count(); ++i) {
    const char* name = nullptr;
    int size = 0;
    ASSERT_EQ(sqlite3_keyword_name(i, &name, &size), SQLITE_OK);
    const std::string keyword(name, static_cast<size_t>(size));
    EXPECT_NE(FindKeyword(keyword), Keyword::kNone) << keyword;
    EXPECT_EQ(NameOf(FindKeyword(keyword)), keyword);
  }
  EXPECT_EQ(FindKeyword("select"), Keyword::kSelect);
  EXPECT_EQ(FindKeyword("current_timestamps"), Keyword::kNone);
  EXPECT_EQ(FindKeyword(""), Keyword::kNone);
}

// The library takes as the name of a column whatever is not reserved.
TEST(SqliteTokens, ReservedWordsAreThoseOfTheLibrary) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  for (int i = 0; i < sqlite3_keyword_count(); ++i) {
    const char* name = nullptr;
    int size = 0;
    ASSERT_EQ(sqlite3_keyword_name(i, &name, &size), SQLITE_OK);
    const std::string keyword(name, static_cast<size_t>(size));
    const std::string sql = "SELECT 1 AS " + keyword + ", t." + keyword + " FROM (SELECT 1 AS \"" +
                            keyword + "\") AS t";
    sqlite3_stmt* statement = nullptr;
    const bool taken = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK;
    sqlite3_finalize(statement);
    EXPECT_EQ(IsReserved(FindKeyword(keyword)), !taken) << keyword;
  }
  sqlite3_close(db);
}

// Each of these runs on from where SQLite would stop it, and nowhere else.
TEST(SqliteTokens, TextsThatTheLibraryCannotCutAreRefused) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  for (const char* text :
       {"SELECT 'x",    "SELECT \"x",     "SELECT `x",   "SELECT [x", "SELECT x'0'",
        "SELECT x'0g'", "SELECT x'00",    "SELECT 1abc", "SELECT \\", "SELECT ^1",
        "SELECT {",     "SELECT }",       "SELECT ]",    "SELECT $",  "SELECT @",
        "SELECT $a(",   "SELECT $a(b c)", "\vSELECT 1",  "SELECT !1", "SELECT 1.5x"}) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_NE(sqlite3_prepare_v2(db, text, -1, &statement, nullptr), SQLITE_OK) << text;
    EXPECT_THAT(sqlite3_errmsg(db), testing::HasSubstr("unrecognized token")) << text;
    EXPECT_FALSE(Tokenize(text).error.empty()) << text;
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
}

}  // namespace
}  // namespace bridgekeeper::sqlite
