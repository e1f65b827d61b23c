// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The inventory against the linked library: whatever it has must be classified.

#include "policy/guard/sqlite/inventory.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "policy/guard/effects.h"

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

TEST(SqliteInventory, KnowsEveryFunctionOfTheLibrary) {
  const auto names = Column("SELECT DISTINCT name FROM pragma_function_list");
  EXPECT_GT(names.size(), 100u);
  for (const std::string& name : names) {
    EXPECT_TRUE(FindFunction(name).has_value()) << "unclassified: " << name;
  }
}

TEST(SqliteInventory, KnowsEveryPragmaOfTheLibrary) {
  const auto names = Column("SELECT name FROM pragma_pragma_list");
  EXPECT_GT(names.size(), 60u);
  for (const std::string& name : names) {
    EXPECT_TRUE(FindPragma(name).has_value()) << "unclassified: " << name;
  }
}

TEST(SqliteInventory, KnowsEveryModuleOfTheLibrary) {
  const auto names = Column("SELECT name FROM pragma_module_list");
  EXPECT_GT(names.size(), 10u);
  for (const std::string& name : names) {
    EXPECT_TRUE(FindTable(name).has_value() || FindModule(name) != ModuleClass::kUnknown)
        << "unclassified: " << name;
  }
}

// A PRAGMA as a table takes a value where it has the hidden column `arg`: only
// those that read whatever their argument, and `optimize`, may.
TEST(SqliteInventory, OnlyReadingPragmasTakeAValueAsTables) {
  for (const std::string& name : Column("SELECT name FROM pragma_pragma_list")) {
    const std::string sql = "SELECT name FROM pragma_table_xinfo('pragma_" + name + "')";
    const auto columns = Column(sql.c_str());
    if (std::find(columns.begin(), columns.end(), "arg") == columns.end()) continue;
    EXPECT_TRUE(FindPragma(name) == PragmaClass::kReads ||
                InfoOf(*FindTable("pragma_" + name)).risk != Risk::kSafe)
        << name;
  }
}

TEST(SqliteInventory, EveryEffectIsInTheVocabulary) {
  for (int i = 0; i <= static_cast<int>(Does::kMaintenance); ++i) {
    const DoesInfo& info = InfoOf(static_cast<Does>(i));
    EXPECT_EQ(info.kind.empty(), info.risk == Risk::kSafe) << i;
    if (info.kind.empty()) continue;
    EXPECT_NE(std::find(std::begin(effect::kAll), std::end(effect::kAll), info.kind),
              std::end(effect::kAll))
        << info.kind;
    EXPECT_FALSE(info.why.empty());
  }
}

TEST(SqliteInventory, TellsWhatIsDangerous) {
  EXPECT_EQ(FindFunction("fts3_tokenizer"), Does::kCodeAddress);
  EXPECT_EQ(FindFunction("load_extension"), Does::kExtension);
  EXPECT_EQ(FindFunction("my_fn"), std::nullopt);
  EXPECT_EQ(FindTable("pragma_table_info"), Does::kHarmless);
  EXPECT_EQ(FindTable("pragma_optimize"), Does::kMaintenance);
  EXPECT_EQ(FindTable("pragma_"), std::nullopt);
  EXPECT_TRUE(IsSystemTable("sqlite_master"));
  EXPECT_FALSE(IsSystemTable("my_sqlite_"));
}

}  // namespace
}  // namespace bridgekeeper::sqlite
