// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The tables of the SQLite judge against the linked library: whatever it has must be
// classified, and cut as the judge cuts it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policy/guard/sqlite/inventory.h"
#include "policy/guard/sqlite/token.h"

namespace bridgekeeper::sqlite {
namespace {

std::vector<std::string> Column(const char* sql) {
  std::vector<std::string> values;
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    values.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return values;
}

TEST(SqliteLibrary, KnowsEveryFunctionOfTheLibrary) {
  const auto names = Column("SELECT DISTINCT name FROM pragma_function_list");
  EXPECT_GT(names.size(), 100u);
  for (const std::string& name : names) {
    EXPECT_TRUE(FindFunction(name).has_value()) << "unclassified: " << name;
  }
}

TEST(SqliteLibrary, KnowsEveryPragmaOfTheLibrary) {
  const auto names = Column("SELECT name FROM pragma_pragma_list");
  EXPECT_GT(names.size(), 60u);
  for (const std::string& name : names) {
    EXPECT_TRUE(FindPragma(name).has_value()) << "unclassified: " << name;
  }
}

TEST(SqliteLibrary, KnowsEveryModuleOfTheLibrary) {
  const auto names = Column("SELECT name FROM pragma_module_list");
  EXPECT_GT(names.size(), 10u);
  for (const std::string& name : names) {
    EXPECT_TRUE(FindTable(name).has_value() || FindModule(name) != ModuleClass::kUnknown)
        << "unclassified: " << name;
  }
}

// A PRAGMA as a table takes a value where it has the hidden column `arg`: only
// those that read whatever their argument, and `optimize`, may.
TEST(SqliteLibrary, OnlyReadingPragmasTakeAValueAsTables) {
  for (const std::string& name : Column("SELECT name FROM pragma_pragma_list")) {
    const std::string sql = "SELECT name FROM pragma_table_xinfo('pragma_" + name + "')";
    const auto columns = Column(sql.c_str());
    if (std::find(columns.begin(), columns.end(), "arg") == columns.end()) continue;
    EXPECT_TRUE(FindPragma(name) == PragmaClass::kReads ||
                InfoOf(*FindTable("pragma_" + name)).risk != Risk::kSafe)
        << name;
  }
}

TEST(SqliteLibrary, KeywordsAreThoseOfTheLibrary) {
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
TEST(SqliteLibrary, ReservedWordsAreThoseOfTheLibrary) {
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
TEST(SqliteLibrary, TextsThatTheLibraryCannotCutAreRefused) {
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
