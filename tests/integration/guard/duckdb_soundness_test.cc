// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The DuckDB judge against DuckDB itself. Whatever it calls SAFE is run on a connection
// where nothing is hardened, and must touch no file, no socket and no setting, and
// leave the database, the folder and the session as they were.
//
// Source: policy/spec.md, clauses G5, G8, G13 and G25 to G29.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "policy/guard/duckdb.h"
#include "policy/guard/duckdb/engine.h"
#include "policy/guard/text_scan.h"
#include "tests/integration/guard/duckdb_database.h"
#include "tests/integration/guard/duckdb_statements.h"
#include "tests/integration/guard/duckdb_watch.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kSeed = 20260704;
constexpr int kReads = 600;
constexpr int kHarmful = 600;

class DuckdbSoundness : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const absl::Status loaded = duckdb::LoadEngine(BK_DUCKDB_LIBRARY);
    ASSERT_TRUE(loaded.ok()) << loaded;
  }

  void SetUp() override {
    std::string folder = fs::temp_directory_path() / "guard_duckdb_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    before_ = fs::current_path();
    fs::current_path(folder_);
    for (const char* name : {"x.csv", "plant.csv", "data.csv"}) {
      std::ofstream(folder_ / name) << "a,b\n1,2\n";
    }
    database_ = std::make_unique<DuckdbDatabase>((folder_ / "lake.db").string(), kDuckdbSchema);
    state_ = State();
  }

  void TearDown() override {
    database_.reset();
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  static Judgement Judge(const std::string& sql, const JudgeOptions& options = {}) {
    if (auto problem = ScanText(sql, kDuckdbLimits)) return *problem;
    return JudgeDuckdb(sql, options);
  }

  static bool IsSafe(const Judgement& judgement) {
    return judgement.error == Judgement::Error::kNone && judgement.risk == Risk::kSafe;
  }

  // The session, the names in the folder, and the bytes of the database.
  std::string State() {
    std::string state = database_->State();
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    for (const std::string& name : names) state += name + "\n";
    std::ifstream file(folder_ / "lake.db", std::ios::binary);
    return state + std::string{std::istreambuf_iterator<char>(file), {}};
  }

  // Runs what was judged SAFE and holds it to that. Returns whether the engine ran it.
  bool RunSafe(const std::string& sql) {
    ArmFileWatch();
    const auto error = database_->Run(sql);
    for (const std::string& touched : DisarmFileWatch()) {
      // Where no table has a qualified name, DuckDB looks whether a file of that name is
      // in its own folder, for the hint in its error. It opens nothing.
      const bool looks =
          error.has_value() && touched.starts_with("access ") && touched.find('/') == touched.npos;
      EXPECT_TRUE(looks) << "judged SAFE, asked for `" << touched << "`: " << sql;
    }
    EXPECT_TRUE(State() == state_) << "judged SAFE, left a trace: " << sql;
    return !error.has_value();
  }

  fs::path folder_;
  fs::path before_;
  std::unique_ptr<DuckdbDatabase> database_;
  std::string state_;
};

TEST_F(DuckdbSoundness, TheWatchSeesFilesAndTheStateSeesSettings) {
  ArmFileWatch();
  EXPECT_EQ(database_->Run("SELECT * FROM x.csv"), std::nullopt);
  EXPECT_FALSE(DisarmFileWatch().empty());
  EXPECT_EQ(database_->Run("SELECT * FROM enable_logging()"), std::nullopt);
  EXPECT_NE(State(), state_);
}

TEST_F(DuckdbSoundness, SafeVectorsLeaveNoTrace) {
  int safe = 0;
  int run = 0;
  for (const GuardVector& vector : LoadGuardVectors("duckdb")) {
    if (!IsSafe(Judge(vector.sql, vector.options))) continue;
    // Its rows and bytes are the engine's to bound; running it here proves nothing.
    if (vector.too_large_to_run) continue;
    ++safe;
    run += RunSafe(vector.sql);
    if (HasFailure()) break;
  }
  // The rest name tables, types and catalogues that are not there.
  std::printf("%d vectors judged SAFE, %d of them ran\n", safe, run);
  EXPECT_GT(run, 100);
}

TEST_F(DuckdbSoundness, GeneratedReadsAreSafeAndLeaveNoTrace) {
  DuckdbStatements statements(kSeed);
  int refused = 0;
  int run = 0;
  int syntax = 0;
  for (int i = 0; i < kReads; ++i) {
    const std::string sql = statements.Read();
    const Judgement judgement = Judge(sql);
    if (judgement.message.find("syntax error") != judgement.message.npos) {
      ++syntax;
      continue;
    }
    if (!IsSafe(judgement)) {
      ++refused;
      ADD_FAILURE() << "a read judged above SAFE: " << sql << "\n  " << judgement.message;
      continue;
    }
    run += RunSafe(sql);
    if (HasFailure()) break;
  }
  std::printf("seed %u: %d reads, %d ran, %d no syntax, %d above SAFE (%.2f %%)\n", kSeed, kReads,
              run, syntax, refused, 100.0 * refused / kReads);
  EXPECT_EQ(syntax, 0);
  EXPECT_GT(run, kReads / 4);
}

TEST_F(DuckdbSoundness, GeneratedHarmIsSeen) {
  DuckdbStatements statements(kSeed + 1);
  for (int i = 0; i < kHarmful; ++i) {
    const std::string sql = statements.Harmful();
    EXPECT_FALSE(IsSafe(Judge(sql))) << sql;
    if (HasFailure()) break;
  }
}

// What has a name that a file may have is a file where no table has it, and the judge
// knows no tables.
TEST_F(DuckdbSoundness, EveryNameThatOpensAFileIsSeen) {
  for (const char* sql : {"FROM x.csv", "FROM 'x.csv'", "FROM main.x.csv", "FROM 'X.CSV'",
                          "FROM 'x.csv?a'", "FROM '*.csv'", "FROM 'lake.db'", "DESCRIBE x.csv",
                          "SUMMARIZE x.csv", "SHOW x.csv", "TABLE x.csv"}) {
    ArmFileWatch();
    (void)database_->Run(sql);
    const bool opens = !DisarmFileWatch().empty();
    if (opens) {
      EXPECT_FALSE(IsSafe(Judge(sql))) << sql;
    }
  }
}

// Each table function that the inventory calls harmless opens nothing when it is bound
// with a path in each place.
TEST_F(DuckdbSoundness, HarmlessTableFunctionsOpenNothing) {
  for (const std::string& name :
       database_->Rows("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type "
                       "IN ('table', 'table_macro') ORDER BY 1")) {
    for (const char* arguments : {"", "'x.csv'", "'x.csv', 'x.csv'"}) {
      const std::string sql = "SELECT * FROM " + name + "(" + arguments + ")";
      if (!IsSafe(Judge(sql))) continue;
      RunSafe(sql);
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace bridgekeeper
