// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The inventory of DuckDB's functions against the library that is linked.
//
// Source: policy/spec.md, clauses G5 and G26.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "policy/guard/duckdb.h"
#include "policy/guard/duckdb/engine.h"
#include "policy/guard/duckdb/inventory.h"
#include "tests/integration/guard/duckdb_database.h"

namespace bridgekeeper {
namespace {

using duckdb::Find;
using duckdb::InfoOf;
using duckdb::Kind;

class DuckdbLibrary : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const absl::Status loaded = duckdb::LoadEngine(BK_DUCKDB_LIBRARY);
    ASSERT_TRUE(loaded.ok()) << loaded;
  }
  DuckdbDatabase database_{"", ""};
};

TEST_F(DuckdbLibrary, IsTheReviewedRelease) {
  EXPECT_EQ(database_.Rows("SELECT version()")[0], duckdb::kEngineVersion);
}

TEST_F(DuckdbLibrary, EveryFunctionPragmaAndViewIsClassified) {
  const auto check = [&](Kind kind, const char* sql) {
    const std::vector<std::string> names = database_.Rows(sql);
    EXPECT_GT(names.size(), 10u) << sql;
    for (const std::string& name : names) {
      EXPECT_TRUE(Find(kind, name).has_value())
          << name << " has no row in functions.tsv: see `functions.py unclassified`";
    }
  };
  check(Kind::kFunction,
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions() "
        "WHERE function_type IN ('scalar', 'aggregate', 'macro')");
  check(Kind::kTable,
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions() "
        "WHERE function_type NOT IN ('scalar', 'aggregate', 'macro', 'pragma')");
  check(Kind::kPragma,
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions() "
        "WHERE function_type = 'pragma'");
  check(Kind::kView, "SELECT DISTINCT lower(view_name) FROM duckdb_views() WHERE internal");
}

// Bodies that read more than they show: settings of the profiler alone; names of
// databases without their paths.
const std::set<std::string> kShowsLess = {"duckdb_profiling_settings", "pg_database"};

// A macro and a view are as bad as their bodies.
TEST_F(DuckdbLibrary, HarmlessMacrosHaveHarmlessBodies) {
  for (const std::string& row :
       database_.Rows("SELECT function_name || chr(9) || function_type || chr(9) || "
                      "coalesce(macro_definition, 'NULL') FROM duckdb_functions() "
                      "WHERE function_type IN ('macro', 'table_macro')")) {
    const size_t first = row.find('\t');
    const size_t second = row.find('\t', first + 1);
    const std::string name = row.substr(0, first);
    const bool table = row.substr(first + 1, second - first - 1) == "table_macro";
    const auto does = Find(table ? Kind::kTable : Kind::kFunction, name);
    ASSERT_TRUE(does.has_value()) << name;
    const Judgement body = JudgeDuckdb((table ? "" : "SELECT ") + row.substr(second + 1), {});
    ASSERT_EQ(body.error, Judgement::Error::kNone) << row << ": " << body.message;
    EXPECT_EQ(MoreHarmful(body.risk, InfoOf(*does).risk), kShowsLess.contains(name)) << row;
  }
}

TEST_F(DuckdbLibrary, HarmlessViewsHaveHarmlessBodies) {
  int views = 0;
  for (const std::string& row : database_.Rows(
           "SELECT lower(view_name) || chr(9) || sql FROM duckdb_views() WHERE internal")) {
    const std::string name = row.substr(0, row.find('\t'));
    const size_t body = row.find(" AS ");
    ASSERT_NE(body, row.npos) << row;
    std::string query = row.substr(body + 4);
    const Judgement judgement = JudgeDuckdb(query, {});
    ASSERT_EQ(judgement.error, Judgement::Error::kNone) << row << ": " << judgement.message;
    const auto does = Find(Kind::kView, name);
    ASSERT_TRUE(does.has_value()) << name;
    EXPECT_EQ(MoreHarmful(judgement.risk, InfoOf(*does).risk), kShowsLess.contains(name))
        << row << "\n  " << (judgement.effects.empty() ? "" : judgement.effects[0].object);
    ++views;
  }
  EXPECT_GT(views, 40);
}

}  // namespace
}  // namespace bridgekeeper
