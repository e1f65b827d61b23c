// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The SQLite judge against SQLite itself. Whatever it calls SAFE is run to its end on
// a connection that may write, and must leave the file, its folder and the connection
// as they were. What SQLite's own compiler reports of any statement (functions,
// tables, where the statement ends) must be what the judge saw.
//
// Source: policy/spec.md, clauses G1, G5, G13, G16 and G21 to G24.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "policy/base/strings.h"
#include "policy/guard/guard.h"
#include "policy/guard/sqlite/inventory.h"
#include "tests/integration/guard/sqlite_statements.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kSeed = 20260702;
constexpr int kReads = 3000;
constexpr int kHarmful = 3000;
constexpr int kMutations = 30000;

// What SQLite's compiler says of a statement.
struct Compiled {
  int code = SQLITE_OK;
  bool statement = false;  // false: there is nothing to run
  bool readonly = false;
  bool explains = false;
  bool ends_text = false;  // nothing but space and comments follows
  std::set<std::string> functions;
  std::set<std::string> tables;
};

class SqliteSoundness : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = fs::temp_directory_path() / "guard_sqlite_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    Open();
    // No disk is waited for: what is compared is the file's content.
    ASSERT_EQ(sqlite3_exec(db_, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db_, kSqliteSchema, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db_);
    guard_ = MakeGuard({.pool = {}, .cache_bytes = 0});
  }

  void TearDown() override {
    sqlite3_close(db_);
    fs::remove_all(folder_);
  }

  void Open() {
    ASSERT_EQ(sqlite3_open((folder_ / "main.db").c_str(), &db_), SQLITE_OK);
    sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, 1'000'000);
    sqlite3_progress_handler(
        db_, 1'000,
        [](void* self) { return --static_cast<SqliteSoundness*>(self)->budget_ < 0 ? 1 : 0; },
        this);
    for (const char* name :
         {"my_fn", "left", "offset", "filter", "over", "by", "key", "conflict", "materialized"}) {
      sqlite3_create_function(
          db_, name, -1, SQLITE_UTF8, nullptr,
          [](sqlite3_context* context, int, sqlite3_value**) { sqlite3_result_int(context, 1); },
          nullptr, nullptr);
    }
  }

  Judgement Judge(const std::string& sql, const JudgeOptions& options = {}) const {
    return guard_->JudgeText("sqlite", sql, options);
  }

  static bool IsSafe(const Judgement& judgement) {
    return judgement.error == Judgement::Error::kNone && judgement.risk == Risk::kSafe;
  }

  // Compiles `sql` under an authorizer that notes calls and reads, and denies what
  // would act already. Runs it to its end where `run`.
  Compiled Compile(const std::string& sql, bool run) {
    Compiled compiled;
    struct Notes {
      Compiled* compiled;
      bool run;
    } notes{&compiled, run};
    sqlite3_set_authorizer(
        db_,
        [](void* data, int action, const char* first, const char* second, const char*,
           const char*) {
          const auto& note = *static_cast<Notes*>(data);
          if (action == SQLITE_FUNCTION) note.compiled->functions.insert(AsciiLower(second));
          if (action == SQLITE_READ) note.compiled->tables.insert(AsciiLower(first));
          const bool acts = action == SQLITE_ATTACH || action == SQLITE_DETACH ||
                            (action == SQLITE_PRAGMA && second != nullptr);
          return acts && !note.run ? SQLITE_DENY : SQLITE_OK;
        },
        &notes);
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    compiled.code =
        sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement, &tail);
    compiled.statement = statement != nullptr;
    if (statement != nullptr) {
      compiled.readonly = sqlite3_stmt_readonly(statement) != 0;
      compiled.explains = sqlite3_stmt_isexplain(statement) != 0;
      if (run) {
        budget_ = 200;
        while (sqlite3_step(statement) == SQLITE_ROW) {
        }
      }
      sqlite3_finalize(statement);
      sqlite3_stmt* next = nullptr;
      const int left = static_cast<int>(sql.size() - static_cast<size_t>(tail - sql.data()));
      compiled.ends_text =
          sqlite3_prepare_v2(db_, tail, left, &next, nullptr) == SQLITE_OK && next == nullptr;
      sqlite3_finalize(next);
    }
    sqlite3_set_authorizer(db_, nullptr, nullptr);
    return compiled;
  }

  // The file's bytes, the names in its folder, and what the connection is set to.
  std::string State() {
    std::ifstream file(folder_ / "main.db", std::ios::binary);
    std::string state{std::istreambuf_iterator<char>(file), {}};
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    for (const std::string& name : names) state += "\n" + name;
    budget_ = 1'000;
    for (const char* sql :
         {"SELECT 'a' LIKE 'A', count(*), total_changes() FROM temp.sqlite_master",
          "PRAGMA database_list",
          "PRAGMA writable_schema",
          "PRAGMA query_only",
          "PRAGMA foreign_keys",
          "PRAGMA trusted_schema",
          "PRAGMA recursive_triggers",
          "PRAGMA journal_mode",
          "PRAGMA synchronous",
          "PRAGMA temp_store",
          "PRAGMA cache_size",
          "PRAGMA busy_timeout",
          "PRAGMA hard_heap_limit",
          "PRAGMA soft_heap_limit",
          "PRAGMA locking_mode",
          "PRAGMA secure_delete",
          "PRAGMA ignore_check_constraints",
          "PRAGMA reverse_unordered_selects",
          "PRAGMA analysis_limit",
          "PRAGMA threads",
          "PRAGMA max_page_count",
          "PRAGMA mmap_size",
          "PRAGMA temp_store_directory"}) {
      state += std::string("\n") + sql;
      const int code = sqlite3_exec(
          db_, sql,
          [](void* out, int count, char** values, char**) {
            for (int i = 0; i < count; ++i) {
              *static_cast<std::string*>(out) +=
                  std::string("|") + (values[i] ? values[i] : "NULL");
            }
            return 0;
          },
          &state, nullptr);
      EXPECT_EQ(code, SQLITE_OK) << sql << ": " << sqlite3_errmsg(db_);
    }
    return state + (sqlite3_get_autocommit(db_) != 0 ? "\nfree" : "\nin a transaction");
  }

  // Runs what was judged SAFE and holds it to that.
  Compiled RunSafe(const std::string& sql) {
    const Compiled refused = Compile(sql, false);
    if (refused.code != SQLITE_OK && refused.code != SQLITE_AUTH) return refused;
    const std::string before = State();
    const Compiled compiled = Compile(sql, true);
    EXPECT_TRUE(State() == before) << "judged SAFE, left a trace: " << sql;
    if (compiled.statement) {
      // SQLite counts asking for the journal mode as a write.
      const bool asks_mode = sql.find("journal_mode") != sql.npos;
      EXPECT_TRUE(compiled.readonly || compiled.explains || asks_mode)
          << "judged SAFE, may write: " << sql;
    }
    return compiled;
  }

  // Holds `judgement` against what the compiler saw in the same text.
  static void CheckSeen(const std::string& sql, const Judgement& judgement,
                        const Compiled& compiled) {
    if (compiled.code != SQLITE_OK || !compiled.statement) return;
    if (judgement.error != Judgement::Error::kNone) return;
    EXPECT_TRUE(compiled.ends_text) << "judged as one statement: " << sql;
    const auto found = [&](const std::string& object) {
      return std::any_of(judgement.effects.begin(), judgement.effects.end(),
                         [&](const Effect& effect) { return effect.object == object; });
    };
    // A stored body is not looked into.
    if (found("") || judgement.risk == Risk::kDestructive) return;
    for (const std::string& name : compiled.functions) {
      const auto does = sqlite::FindFunction(name);
      // Whether these two do harm is a matter of their arguments.
      if (does == sqlite::Does::kAllocates || does == sqlite::Does::kFormats) continue;
      if (does == sqlite::Does::kHarmless) continue;
      EXPECT_TRUE(found(name)) << "call of " << name << " not seen: " << sql;
    }
    for (const std::string& name : compiled.tables) {
      const auto does = sqlite::FindTable(name);
      if (!does.has_value() || does == sqlite::Does::kHarmless) continue;
      EXPECT_TRUE(found(name)) << "table " << name << " not seen: " << sql;
    }
  }

  fs::path folder_;
  sqlite3* db_ = nullptr;
  int budget_ = 0;
  std::unique_ptr<PayloadJudge> guard_;
};

TEST_F(SqliteSoundness, SafeVectorsLeaveNoTrace) {
  int run = 0;
  for (const GuardVector& vector : LoadGuardVectors("sqlite")) {
    const Judgement judgement = Judge(vector.sql, vector.options);
    if (!IsSafe(judgement)) continue;
    const Compiled compiled = RunSafe(vector.sql);
    // The rest name functions and databases of a record, or a table of Debian's shell.
    run += compiled.code == SQLITE_OK;
    if (vector.options == JudgeOptions{}) CheckSeen(vector.sql, judgement, compiled);
  }
  std::printf("%d vectors run\n", run);
  EXPECT_GT(run, 200);
}

// A statement that SQLite compiles has a shape that the judge knows.
TEST_F(SqliteSoundness, NoVectorThatCompilesIsUnknown) {
  for (const GuardVector& vector : LoadGuardVectors("sqlite")) {
    const Judgement judgement = Judge(vector.sql, vector.options);
    const Compiled compiled = Compile(vector.sql, false);
    if (vector.options == JudgeOptions{}) CheckSeen(vector.sql, judgement, compiled);
    for (const Effect& effect : judgement.effects) {
      if (effect.kind == "UNKNOWN" && vector.name != "PragmaUnknown") {
        EXPECT_NE(compiled.code, SQLITE_OK) << vector.sql;
      }
    }
  }
}

// By name, what SQLite calls read-only and the judge does not call SAFE.
TEST_F(SqliteSoundness, ReadOnlyByLabelIsNotSafe) {
  const std::map<std::string, std::string> kLetThrough = {
      {"ATTACH ':memory:' AS m", "HOST_FILE"},
      {"DETACH m", "SESSION"},
      {"BEGIN", "TRANSACTION"},
      {"COMMIT", "TRANSACTION"},
      {"SAVEPOINT x", "TRANSACTION"},
      {"PRAGMA writable_schema = 1", "SETTING"},
      {"PRAGMA query_only = 1", "SETTING"},
      {"PRAGMA hard_heap_limit = 0", "SETTING"},
      {"PRAGMA case_sensitive_like = 1", "SETTING"},
      {"PRAGMA optimize", "MAINTENANCE"},
      {"PRAGMA shrink_memory", "MAINTENANCE"},
      {"DROP TRIGGER IF EXISTS absent", "DROP"},
      {"SELECT optimize(ft3) FROM ft3", "MAINTENANCE"},
      {"SELECT * FROM pragma_optimize", "MAINTENANCE"},
      {"SELECT fts3_tokenizer('simple')", "EXTENSION"},
      {"SELECT load_extension('x')", "EXTENSION"},
      {"SELECT sqlite_log(1, 'x')", "SERVER"},
      {"SELECT my_fn(1)", "FUNCTION"},
      {"SELECT zeroblob(900000000)", "RESOURCE"},
      {"SELECT printf('%.*c', 900000000, 'x')", "RESOURCE"},
      {"SELECT * FROM sqlite_stmt", "SENSITIVE_READ"},
  };
  for (const auto& [sql, kind] : kLetThrough) {
    const Judgement judgement = Judge(sql);
    EXPECT_FALSE(IsSafe(judgement)) << sql;
    EXPECT_TRUE(std::any_of(judgement.effects.begin(), judgement.effects.end(),
                            [&](const Effect& effect) { return effect.kind == kind; }))
        << sql;
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
    EXPECT_NE(sqlite3_stmt_readonly(statement), 0) << sql;
    sqlite3_finalize(statement);
  }
}

// The index is rewritten by a statement that SQLite calls read-only.
TEST_F(SqliteSoundness, TheStateShowsWhatTheLabelHides) {
  const std::string before = State();
  Compile("SELECT optimize(ft3) FROM ft3 LIMIT 1", true);
  EXPECT_NE(State(), before);
}

TEST_F(SqliteSoundness, GeneratedReadsAreSafeAndLeaveNoTrace) {
  SqliteStatements statements(kSeed);
  std::printf("seed %u\n", kSeed);
  int compiled_count = 0;
  int refused = 0;
  for (int i = 0; i < kReads; ++i) {
    const std::string sql = statements.Read();
    const Judgement judgement = Judge(sql);
    if (!IsSafe(judgement)) {
      ++refused;
      ADD_FAILURE() << "a read judged above SAFE: " << sql << "\n  "
                    << (judgement.effects.empty() ? judgement.message
                                                  : judgement.effects[0].object);
      continue;
    }
    const Compiled compiled = RunSafe(sql);
    CheckSeen(sql, judgement, compiled);
    compiled_count += compiled.code == SQLITE_OK;
    if (HasFailure()) break;
  }
  std::printf("%d reads, %d compiled and run, %d above SAFE\n", kReads, compiled_count, refused);
  EXPECT_GT(compiled_count, kReads / 4);
}

TEST_F(SqliteSoundness, GeneratedHarmIsSeen) {
  SqliteStatements statements(kSeed + 1);
  std::printf("seed %u\n", kSeed + 1);
  int compiled_count = 0;
  for (int i = 0; i < kHarmful; ++i) {
    const std::string sql = statements.Harmful();
    const Judgement judgement = Judge(sql);
    EXPECT_FALSE(IsSafe(judgement)) << sql;
    const Compiled compiled = Compile(sql, false);
    CheckSeen(sql, judgement, compiled);
    compiled_count += compiled.code == SQLITE_OK;
    if (HasFailure()) break;
  }
  std::printf("%d harmful, %d compiled\n", kHarmful, compiled_count);
  EXPECT_GT(compiled_count, kHarmful / 4);
}

TEST_F(SqliteSoundness, MutationsThatCompileAreSeen) {
  SqliteStatements statements(kSeed + 2);
  std::printf("seed %u\n", kSeed + 2);
  std::vector<std::string> texts;
  for (const GuardVector& vector : LoadGuardVectors("sqlite")) texts.push_back(vector.sql);
  int compiled_count = 0;
  int safe = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string sql = statements.Mutated(texts[static_cast<size_t>(i) % texts.size()]);
    const Judgement judgement = Judge(sql);
    const bool is_safe = IsSafe(judgement);
    const Compiled compiled = is_safe ? RunSafe(sql) : Compile(sql, false);
    CheckSeen(sql, judgement, compiled);
    compiled_count += compiled.code == SQLITE_OK;
    safe += is_safe && compiled.code == SQLITE_OK;
    if (compiled.code == SQLITE_OK && compiled.statement && compiled.ends_text) {
      for (const Effect& effect : judgement.effects) {
        EXPECT_NE(effect.why, "is a word that has no place here") << sql;
        EXPECT_NE(effect.kind, "UNREADABLE") << sql;
      }
    }
    if (HasFailure()) break;
  }
  std::printf("%d mutations, %d compiled, %d of them SAFE\n", kMutations, compiled_count, safe);
  EXPECT_GT(compiled_count, kMutations / 20);
}

}  // namespace
}  // namespace bridgekeeper
