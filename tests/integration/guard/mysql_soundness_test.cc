// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The MySQL judge against a MariaDB. Whatever it calls SAFE is run by an account that
// may do anything, in a READ ONLY transaction that is rolled back, in every sql_mode
// that may cut it elsewhere, and must be one statement for the server and leave data,
// settings, sessions, locks, variables and files as they were. What the server does
// not parse is counted apart.
//
// Source: policy/spec.md, clauses G1, G5, G13, G16 and G30 to G33.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/guard/guard.h"
#include "policy/guard/mysql/inventory.h"
#include "policy/guard/mysql/keyword.h"
#include "tests/integration/guard/mysql_statements.h"
#include "tests/support/mariadb_server.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

namespace fs = std::filesystem;
using support::MariadbResult;
using support::MariadbServer;
using support::MariadbSession;

constexpr uint32_t kSeed = 20261130;
constexpr int kReads = 500;
constexpr int kHarmful = 500;
constexpr int kMutations = 4000;
constexpr int kBatch = 100;  // statements between two looks at the whole server

constexpr unsigned kSyntax = 1064;    // ER_PARSE_ERROR
constexpr unsigned kReadOnly = 1792;  // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
constexpr unsigned kNoFunction = 1305;
constexpr unsigned kNoFunctionSpaced = 1630;

constexpr std::string_view kModes[] = {"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES",
                                       "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"};

class MysqlSoundness : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server =
        MariadbServer::Start({"performance-schema=1", "secure-file-priv=", "event-scheduler=0",
                              "performance-schema-instrument=wait/lock/metadata/sql/mdl=ON"});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server).release();
    auto root = MariadbSession::Connect(server_->socket(), "root", "");
    ASSERT_TRUE(root.ok()) << root.status();
    for (size_t i = 0; i < kMysqlSchemaSize; ++i) {
      const MariadbResult made = root->Run(std::string(kMysqlSchema[i]));
      ASSERT_EQ(made.code, 0u) << made.message << "\n  in " << kMysqlSchema[i];
    }
    observer_ = std::make_unique<MariadbSession>(std::move(*root)).release();
    guard_ = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  }

  static void TearDownTestSuite() {
    delete observer_;
    delete server_;
    delete guard_;
  }

  void SetUp() override { ASSERT_NE(guard_, nullptr) << "there is no server"; }

  static Judgement Judge(const std::string& sql, const JudgeOptions& options = {}) {
    return guard_->JudgeText("mysql", sql, options);
  }
  static bool IsSafe(const Judgement& judgement) {
    return judgement.error == Judgement::Error::kNone && judgement.risk == Risk::kSafe;
  }

  // A session in database app whose sql_mode is `mode`.
  MariadbSession& Session(std::string_view mode) {
    auto& session = sessions_[std::string(mode)];
    if (!session.has_value()) {
      auto made = MariadbSession::Connect(server_->socket(), "root", "app");
      EXPECT_TRUE(made.ok()) << made.status();
      session.emplace(std::move(*made));
      const std::string set = absl::StrFormat("SET sql_mode = '%s'", mode);
      EXPECT_EQ(session->Run(set).code, 0u);
    }
    return *session;
  }

  // What one session shows of what a read must not do, beside the data: the statements
  // of other kinds that it was given, variables that it sets, locks that it keeps.
  static std::string Probe(MariadbSession& session) {
    const MariadbResult probe = session.Run(
        "SELECT (SELECT SUM(variable_value) FROM information_schema.session_status WHERE "
        "variable_name LIKE 'COM\\_%' AND variable_name NOT LIKE 'COM\\_SHOW%' AND variable_name "
        "NOT IN ('COM_SELECT', 'COM_BEGIN', 'COM_ROLLBACK', 'COM_HELP', 'COM_CHECKSUM', "
        "'COM_EMPTY_QUERY')), "
        "(SELECT GROUP_CONCAT(variable_name) FROM information_schema.user_variables), "
        // Its own: the purge of old rows takes such locks, too.
        "(SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE (lock_duration = 'EXPLICIT' "
        "OR object_type = 'USER LEVEL LOCK') AND owner_thread_id = (SELECT thread_id FROM "
        "performance_schema.threads WHERE processlist_id = CONNECTION_ID())), (SELECT "
        "COALESCE(SUM(trx_rows_locked), 0) FROM "
        "information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()), "
        "@@in_transaction, DATABASE(), @@sql_mode");
    if (probe.rows.empty()) return "no answer: " + probe.message;
    std::string state;
    for (const std::string& value : probe.rows[0]) state += value + "|";
    return state;
  }

  // Runs what was judged SAFE in a mode and holds it to that.
  MariadbResult RunSafe(const std::string& sql, std::string_view mode) {
    MariadbSession& session = Session(mode);
    EXPECT_EQ(session.Run("START TRANSACTION READ ONLY").code, 0u);
    // What one statement left is what the next one finds.
    std::string& before = probes_[std::string(mode)];
    if (before.empty()) before = Probe(session);
    MariadbResult result = session.Run(sql);
    const std::string after = Probe(session);
    session.Run("ROLLBACK");
    // MariaDB counts, and refuses, the plan of a write as one.
    if (result.code == kReadOnly && AsciiLower(sql).find("explain") != sql.npos) {
      const std::string whole = State();
      session.Run("START TRANSACTION");
      result = session.Run(sql);
      session.Run("ROLLBACK");
      EXPECT_EQ(State(), whole) << sql;
      before.clear();
      return result;
    }
    EXPECT_NE(result.code, kReadOnly) << "judged SAFE, wrote: " << sql;
    // Behind `;` a comment is an empty statement.
    const size_t semicolon = sql.rfind(';');
    const bool empty = result.results == 2 && semicolon != sql.npos &&
                       Judge(sql.substr(semicolon + 1)).error == Judgement::Error::kEmpty;
    EXPECT_LE(result.results, empty ? 2 : 1)
        << "judged SAFE, more statements in mode `" << mode << "`: " << sql;
    EXPECT_EQ(after, before) << "judged SAFE, left a trace in mode `" << mode << "`: " << sql
                             << "\n"
                             << result.message;
    return result;
  }

  // The same in every mode in which it may be cut elsewhere. Returns whether the
  // server parsed it in the default.
  bool RunSafeEverywhere(const std::string& sql) {
    const bool cut = sql.find_first_of("\\\"") != sql.npos;
    bool parsed = false;
    for (size_t i = 0; i < (cut ? std::size(kModes) : 1); ++i) {
      const MariadbResult result = RunSafe(sql, kModes[i]);
      if (i == 0) parsed = result.code != kSyntax;
      ran_ += result.code == 0;
    }
    return parsed;
  }

  // Everything that a read must leave as it is, as text.
  std::string State() {
    std::string state;
    const auto add = [&](const std::string& sql) {
      const MariadbResult result = observer_->Run(sql);
      EXPECT_EQ(result.code, 0u) << result.message << "\n  of " << sql;
      for (const auto& row : result.rows) {
        for (const std::string& value : row) state += value + "|";
        state += "\n";
      }
    };
    std::string tables;
    for (const auto& row :
         observer_
             ->Run("SELECT CONCAT('`', table_schema, '`.`', table_name, '`') FROM "
                   "information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema "
                   "IN ('app', 'other', 'mysql') AND engine <> 'CSV' ORDER BY 1")
             .rows) {
      tables += (tables.empty() ? "" : ", ") + row[0];
    }
    add("CHECKSUM TABLE " + tables + " EXTENDED");
    for (const char* sql :
         {"SELECT table_schema, table_name, create_time, auto_increment, table_comment FROM "
          "information_schema.tables WHERE table_schema IN ('app', 'other', 'mysql', 'test') ORDER "
          "BY 1, 2",
          "SELECT * FROM app.s",
          "SELECT routine_schema, routine_name, last_altered FROM "
          "information_schema.routines WHERE routine_schema <> 'sys' ORDER BY 1, 2",
          "SELECT schema_name FROM information_schema.schemata ORDER BY 1",
          "SELECT trigger_name FROM information_schema.triggers ORDER BY 1",
          "SELECT event_name FROM information_schema.events ORDER BY 1",
          "SELECT variable_name, variable_value FROM information_schema.global_variables WHERE "
          "variable_name NOT IN ('TIMESTAMP', 'GTID_BINLOG_POS') ORDER BY 1",
          "SELECT plugin_name, plugin_status FROM information_schema.plugins ORDER BY 1",
          "SELECT COUNT(*) FROM mysql.general_log", "SELECT COUNT(*) FROM mysql.slow_log",
          "SELECT COUNT(*) FROM performance_schema.metadata_locks WHERE lock_duration = 'EXPLICIT' "
          "OR object_type = 'USER LEVEL LOCK'"}) {
      add(sql);
    }
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(server_->folder())) {
      names.insert(entry.path().string());
    }
    for (const std::string& name : names) state += name + "\n";
    return state;
  }

  static MariadbServer* server_;
  static MariadbSession* observer_;
  static const PayloadJudge* guard_;
  // By sql_mode.
  std::map<std::string, std::optional<MariadbSession>> sessions_;
  std::map<std::string, std::string> probes_;
  int ran_ = 0;
};

MariadbServer* MysqlSoundness::server_ = nullptr;
MariadbSession* MysqlSoundness::observer_ = nullptr;
const PayloadJudge* MysqlSoundness::guard_ = nullptr;

TEST_F(MysqlSoundness, SafeVectorsLeaveNoTrace) {
  int safe = 0;
  int parsed = 0;
  std::string before = State();
  for (const GuardVector& vector : LoadGuardVectors("mysql")) {
    if (!IsSafe(Judge(vector.sql, vector.options))) continue;
    // The rest say something of a server or a session that this one is not.
    if (vector.options.allow_sensitive_reads || !vector.options.safe_functions.empty()) continue;
    ++safe;
    if (vector.options.sql_mode.has_value()) {
      std::string mode = *vector.options.sql_mode;
      parsed += RunSafe(vector.sql, mode).code != kSyntax;
    } else {
      const bool yes = RunSafeEverywhere(vector.sql);
      parsed += yes;
      if (!yes) std::printf("not MariaDB's: %s\n", vector.name.c_str());
    }
    if (HasFailure()) break;
  }
  EXPECT_EQ(State(), before);
  std::printf("%d SAFE vectors, %d parsed, %d run to an end\n", safe, parsed, ran_);
  EXPECT_GT(parsed, safe * 8 / 10);
}

// What the judge does not call SAFE does act, where the server is asked; so the state
// would show it.
TEST_F(MysqlSoundness, TheProbesSeeWhatActs) {
  for (const char* sql :
       {"SELECT @probe := 1", "SELECT 1 INTO @probe2", "SELECT GET_LOCK('probe', 0)",
        "SELECT * FROM t LIMIT 1 FOR UPDATE", "DELETE FROM w", "SET @probe3 = 1",
        "SELECT 1; SET @probe4 = 1", "USE other", "COMMIT"}) {
    MariadbSession session = *MariadbSession::Connect(server_->socket(), "root", "app");
    session.Run("START TRANSACTION READ ONLY");
    const std::string before = Probe(session);
    const MariadbResult result = session.Run(sql);
    EXPECT_TRUE(Probe(session) != before || result.code == kReadOnly || result.results > 1) << sql;
    EXPECT_FALSE(IsSafe(Judge(sql))) << sql;
    session.Run("ROLLBACK");
  }
  const std::string before = State();
  EXPECT_EQ(observer_->Run("SELECT 1 INTO OUTFILE 'probe.txt'").code, 0u);
  EXPECT_NE(State(), before) << "a file";
}

TEST_F(MysqlSoundness, GeneratedReadsAreSafeAndLeaveNoTrace) {
  MysqlStatements statements(kSeed);
  std::printf("seed %u\n", kSeed);
  int parsed = 0;
  int refused = 0;
  std::string before = State();
  for (int i = 0; i < kReads && !HasFailure(); ++i) {
    const std::string sql = statements.Read();
    const Judgement judgement = Judge(sql);
    if (!IsSafe(judgement)) {
      ++refused;
      ADD_FAILURE() << "a read judged above SAFE: " << sql << "\n  "
                    << (judgement.effects.empty()
                            ? judgement.message
                            : judgement.effects[0].object + ": " + judgement.effects[0].why);
      continue;
    }
    parsed += RunSafeEverywhere(sql);
    if (i % kBatch == 0) {
      EXPECT_EQ(State(), before) << "within " << kBatch << " before " << sql;
    }
  }
  EXPECT_EQ(State(), before);
  std::printf("%d reads, %d parsed, %d run to an end, %d above SAFE\n", kReads, parsed, ran_,
              refused);
  EXPECT_GT(parsed, kReads * 3 / 4);
}

TEST_F(MysqlSoundness, GeneratedHarmIsSeen) {
  MysqlStatements statements(kSeed + 1);
  std::printf("seed %u\n", kSeed + 1);
  int parsed = 0;
  for (int i = 0; i < kHarmful && !HasFailure(); ++i) {
    const std::string sql = statements.Harmful();
    EXPECT_FALSE(IsSafe(Judge(sql))) << sql;
    MariadbSession& session = Session("");
    session.Run("START TRANSACTION READ ONLY");
    parsed += session.Run(sql).code != kSyntax;
    session.Run("ROLLBACK");
  }
  std::printf("%d harmful, %d parsed\n", kHarmful, parsed);
  EXPECT_GT(parsed, kHarmful * 3 / 4);
}

TEST_F(MysqlSoundness, MutationsThatAreSafeLeaveNoTrace) {
  MysqlStatements statements(kSeed + 2);
  std::printf("seed %u\n", kSeed + 2);
  std::vector<std::string> texts;
  for (const GuardVector& vector : LoadGuardVectors("mysql")) {
    if (vector.options == JudgeOptions{} && !vector.sql.empty()) texts.push_back(vector.sql);
  }
  int safe = 0;
  int parsed = 0;
  std::string before = State();
  for (int i = 0; i < kMutations && !HasFailure(); ++i) {
    const std::string sql = statements.Mutated(texts[static_cast<size_t>(i) % texts.size()]);
    if (!IsSafe(Judge(sql))) continue;
    ++safe;
    parsed += RunSafeEverywhere(sql);
    if (safe % kBatch == 0) {
      EXPECT_EQ(State(), before) << "within " << kBatch << " before " << sql;
    }
  }
  EXPECT_EQ(State(), before);
  std::printf("%d mutations, %d SAFE, %d of them parsed, %d run to an end\n", kMutations, safe,
              parsed, ran_);
  EXPECT_GT(parsed, kMutations / 40);
}

TEST_F(MysqlSoundness, EveryFunctionOfTheServerIsInTheInventory) {
  int run = 0;
  const std::string before = State();
  for (const auto& row :
       observer_->Run("SELECT function FROM information_schema.sql_functions").rows) {
    const std::string name = AsciiLower(row[0]);
    const auto known = mysql::FindFunction(name);
    EXPECT_TRUE(known.has_value()) << name << " is not reviewed";
    if (!known.has_value() || known->does != mysql::Does::kHarmless) continue;
    for (const char* arguments : {"", "1", "'x', 2", "'2024-01-01', 2, 'z'"}) {
      const std::string sql = absl::StrFormat("SELECT %s(%s)", name, arguments);
      if (!IsSafe(Judge(sql))) continue;
      const MariadbResult result = RunSafe(sql, "");
      run += result.code == 0;
      const bool exists = result.code != kNoFunction && result.code != kNoFunctionSpaced;
      EXPECT_TRUE(exists) << sql << " is called a function of the server: " << result.message;
    }
    // Where the judge takes a quoted or a spaced name for the server's own, it is.
    for (const std::string& sql :
         {absl::StrFormat("SELECT `%s`(1)", name), absl::StrFormat("SELECT %s (1)", name)}) {
      if (!IsSafe(Judge(sql))) continue;
      const unsigned code = RunSafe(sql, "").code;
      EXPECT_TRUE(code != kNoFunction && code != kNoFunctionSpaced) << sql;
    }
    if (HasFailure()) break;
  }
  EXPECT_EQ(State(), before);
  std::printf("%d calls run to an end\n", run);
  EXPECT_GT(run, 200);
}

// A word that the judge takes for reserved is no name for the server.
TEST_F(MysqlSoundness, ReservedWordsAreReserved) {
  int reserved = 0;
  for (const auto& row : observer_->Run("SELECT word FROM information_schema.keywords").rows) {
    const mysql::Keyword keyword = mysql::FindKeyword(row[0]);
    if (!mysql::IsReserved(keyword)) continue;
    ++reserved;
    EXPECT_EQ(observer_->Run("SELECT 1 AS " + row[0]).code, kSyntax) << row[0];
  }
  std::printf("%d reserved words\n", reserved);
  EXPECT_GT(reserved, 200);
}

}  // namespace
}  // namespace bridgekeeper
