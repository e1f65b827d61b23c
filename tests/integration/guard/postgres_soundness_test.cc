// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The PostgreSQL judge against PostgreSQL 15 itself: whatever it calls SAFE is run
// READ ONLY and rolled back, and must neither be refused as a write nor leave
// anything behind.
//
// Source: policy/spec.md, clauses G1 and G5.

#include <gtest/gtest.h>
#include <pg_query.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "policy/base/json.h"
#include "policy/guard/guard.h"
#include "policy/guard/postgres/functions.h"
#include "tests/integration/guard/postgres_statements.h"
#include "tests/integration/guard/postgres_watch.h"
#include "tests/support/postgres_server.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

constexpr uint32_t kSeed = 20260701;
constexpr int kGenerated = 4000;
constexpr int kGeneratedRuns = 1500;

class PostgresSoundness : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = support::PostgresServer::Start(
        {"wal_level=logical", "max_prepared_transactions=10", "max_worker_processes=4",
         "checkpoint_timeout=1d", "max_parallel_workers=0", "bgwriter_delay=10s"});
    if (!started.ok()) {
      reason_ = std::string(started.status().message());
      missing_ = absl::IsNotFound(started.status());
      return;
    }
    server_ = std::move(*started).release();
    auto session = support::PostgresSession::Connect(server_->Dsn());
    ASSERT_TRUE(session.ok()) << session.status();
    MakeSchema(*session);
    functions_ = new std::vector<ServerFunction>(ListFunctions(*session));
    guard_ = MakeGuard().release();
  }

  static void TearDownTestSuite() {
    delete guard_;
    delete functions_;
    delete server_;
  }

  void SetUp() override {
    if (server_ != nullptr) return;
    if (missing_) GTEST_SKIP() << reason_;
    FAIL() << reason_;
  }

  static Judgement Judge(const std::string& sql, const JudgeOptions& options = {}) {
    return guard_->JudgeText("postgres", sql, options);
  }

  static bool IsSafe(const Judgement& judgement) {
    return judgement.error == Judgement::Error::kNone && judgement.risk == Risk::kSafe;
  }

  // Runs what was judged SAFE and holds it to that. Returns its SQLSTATE.
  static std::string RunSafe(ReadOnlyRunner& runner, const std::string& sql) {
    const ReadOnlyRunner::Outcome outcome = runner.Run(sql);
    EXPECT_FALSE(outcome.Wrote()) << "judged SAFE, refused as a write: " << sql;
    EXPECT_FALSE(outcome.left_transaction) << "judged SAFE, left the transaction: " << sql;
    EXPECT_NE(outcome.sqlstate, "connection") << "judged SAFE, ended the session: " << sql;
    if (sql.find("EXPLAIN") == std::string::npos) {
      EXPECT_EQ(outcome.locks, "") << "judged SAFE, locks: " << sql;
    }
    return outcome.sqlstate;
  }

  // The same, and compares the cluster with `state`, which it was in before.
  static void RunSafeAlone(ReadOnlyRunner& runner, const std::string& sql,
                           const std::string& state) {
    std::string wal = runner.WalPosition();
    RunSafe(runner, sql);
    EXPECT_EQ(runner.State(), state) << "judged SAFE, left behind: " << sql;
    // Once may be the server's own doing, or a page tidied up by its first reader.
    for (int again = 0; again < 3 && runner.WalPosition() != wal; ++again) {
      EXPECT_LT(again, 2) << "judged SAFE, writes to the log each time: " << sql;
      wal = runner.WalPosition();
      RunSafe(runner, sql);
    }
  }

  // Runs what was judged SAFE and compares the cluster before and after: of many
  // statements at a time, and one by one where something changed.
  class Watched {
   public:
    explicit Watched(const std::string& user)
        : runner_(*server_, user), state_(runner_.State()), wal_(runner_.WalPosition()) {}
    ~Watched() { Compare(); }

    std::string Run(const std::string& sql) {
      batch_.push_back(sql);
      const std::string sqlstate = RunSafe(runner_, sql);
      if (batch_.size() == 25) Compare();
      return sqlstate;
    }

   private:
    void Compare() {
      if (batch_.empty()) return;
      const std::string now = runner_.State();
      if (now != state_ || runner_.WalPosition() != wal_) {
        EXPECT_EQ(now, state_) << "judged SAFE, one of these left it behind: first "
                               << batch_.front();
        for (const std::string& sql : batch_) RunSafeAlone(runner_, sql, runner_.State());
      }
      state_ = runner_.State();
      wal_ = runner_.WalPosition();
      batch_.clear();
    }

    ReadOnlyRunner runner_;
    std::string state_;
    std::string wal_;
    std::vector<std::string> batch_;
  };

  static inline support::PostgresServer* server_ = nullptr;
  static inline std::vector<ServerFunction>* functions_ = nullptr;
  static inline PayloadJudge* guard_ = nullptr;
  static inline std::string reason_;
  static inline bool missing_ = false;
};

TEST_F(PostgresSoundness, EveryFunctionOfTheServerIsInTheInventory) {
  ASSERT_GT(functions_->size(), 4000u);
  for (const ServerFunction& function : *functions_) {
    const std::string schema =
        function.extension.empty() || function.schema == "pg_catalog" ? function.schema : "";
    const int most = function.most < 0 ? function.fewest + 3 : function.most;
    for (int count = function.fewest; count <= most; ++count) {
      if (function.most < 0 && count == 0) continue;  // an empty spread is no call
      EXPECT_TRUE(postgres::LookUpCall("", function.name, count).has_value())
          << function.schema << "." << function.name << " with " << count << " arguments";
    }
  }
}

TEST_F(PostgresSoundness, NoVectorThatIsSafeWritesOrLeavesAnything) {
  Watched watched("postgres");
  std::map<std::string, int> states;
  int run = 0;
  for (const GuardVector& vector : LoadGuardVectors("postgres")) {
    if (!IsSafe(Judge(vector.sql, vector.options))) continue;
    // Huge results are the engine's to bound; running them here proves nothing.
    if (vector.too_large_to_run) continue;
    ++run;
    ++states[watched.Run(vector.sql)];
  }
  std::printf("%d vectors judged SAFE were run:", run);
  for (const auto& [state, count] : states) {
    std::printf(" %s %d", state.empty() ? "ran" : state.c_str(), count);
  }
  std::printf("\n");
  EXPECT_GT(states[""], 150) << "too few of them run for the test to mean something";
}

TEST_F(PostgresSoundness, NoHarmlessFunctionWritesOrLeavesAnything) {
  Watched watched("postgres");
  int run = 0;
  int ran = 0;
  for (const ServerFunction& function : *functions_) {
    const std::string sql = "SELECT " + CallOf(function);
    if (!IsSafe(Judge(sql))) continue;
    ++run;
    ran += watched.Run(sql).empty();
  }
  std::printf("%d calls of harmless functions, %d ran\n", run, ran);
  EXPECT_GT(ran, 1000);
}

TEST_F(PostgresSoundness, GeneratedStatementsAreSafeIfAndOnlyIfTheyOnlyRead) {
  std::printf("seed %u\n", kSeed);
  StatementGenerator generator(kSeed, *functions_);
  Watched watched("agent");
  int safe = 0, reads = 0, false_refusals = 0, syntax = 0, ran = 0, runs = 0;
  for (int i = 0; i < kGenerated; ++i) {
    const Generated generated = generator.Next();
    const Judgement judgement = Judge(generated.sql);
    if (judgement.error != Judgement::Error::kNone) {
      ++syntax;
      continue;
    }
    // What the inventory's own rows say of every function of this name.
    bool harmless = true;
    for (const postgres::FunctionRow& row : postgres::FunctionInventory()) {
      if (row.name == generated.function->name && !row.elsewhere) {
        harmless &= row.effect == postgres::FunctionEffect::kHarmless;
      }
    }
    const bool is_safe = IsSafe(judgement);
    if (is_safe) {
      ++safe;
      // By its row for this number of arguments it may be harmless all the same.
      EXPECT_TRUE(generated.reads) << "judged SAFE: " << generated.sql;
      EXPECT_EQ(
          postgres::LookUpCall("", generated.function->name, generated.function->types.size()),
          postgres::FunctionEffect::kHarmless)
          << "judged SAFE: " << generated.sql;
      if (runs < kGeneratedRuns) {
        ++runs;
        ran += watched.Run(generated.sql).empty();
      }
    }
    if (generated.reads && harmless) {
      ++reads;
      false_refusals += !is_safe;
      EXPECT_TRUE(is_safe) << "a read above SAFE: " << generated.sql;
    }
  }
  std::printf(
      "%d generated: %d rejected as syntax, %d reads, %d judged SAFE, %d of %d run to the "
      "end, %d false refusals\n",
      kGenerated, syntax, reads, safe, ran, runs, false_refusals);
  EXPECT_GT(safe, 500);
}

// READ ONLY is no gate: these kinds run in it, or leave it.
TEST_F(PostgresSoundness, WhatReadOnlyLetsThroughIsKnownAndNotSafe) {
  const std::set<std::string> kLetThrough = {
      "CheckPointStmt", "ClosePortalStmt",   "ConstraintsSetStmt", "CopyStmt",
      "DeallocateStmt", "DeclareCursorStmt", "DiscardStmt",        "DoStmt",
      "ExecuteStmt",    "ExplainStmt",       "FetchStmt",          "ListenStmt",
      "LoadStmt",       "LockStmt",          "NotifyStmt",         "PrepareStmt",
      "ReindexStmt",    "SelectStmt",        "TransactionStmt",    "UnlistenStmt",
      "VacuumStmt",     "VariableSetStmt",   "VariableShowStmt",   "CallStmt"};
  // Of these a statement may be SAFE.
  const std::set<std::string> kMayRead = {"SelectStmt", "ExplainStmt", "VariableShowStmt",
                                          "CopyStmt"};
  ReadOnlyRunner superuser(*server_, "postgres");
  std::vector<std::string> statements = {
      "CHECKPOINT", "LOAD 'auto_explain'", "COPY (SELECT 1) TO PROGRAM 'true'", "ANALYZE t",
      "REINDEX TABLE t", "LOCK TABLE t IN ACCESS EXCLUSIVE MODE",
      "PREPARE p AS INSERT INTO t VALUES (1)", "PREPARE TRANSACTION 'x'", "DISCARD PLANS",
      "SET ROLE agent", "SET SESSION AUTHORIZATION agent",
      "DECLARE c CURSOR WITH HOLD FOR SELECT 1", "NOTIFY c", "LISTEN c", "UNLISTEN *",
      "DO $$ BEGIN END $$", "EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1", "COMMIT", "END",
      "ROLLBACK", "COMMIT AND CHAIN", "SET CONSTRAINTS ALL DEFERRED", "SET work_mem = '1MB'",
      "DEALLOCATE ALL", "CLOSE ALL", "SELECT pg_advisory_lock(42)",
      "SELECT pg_logical_emit_message(false, 'p', 'x')", "SELECT txid_current()",
      "SELECT setseed(0.1)", "SHOW search_path",
      // and what it does stop
      "INSERT INTO t (id) VALUES (99)", "UPDATE t SET a = 1", "DELETE FROM t", "TRUNCATE t",
      "DROP TABLE t", "CREATE TABLE made (a int)", "CREATE TEMP TABLE made (a int)",
      "ALTER TABLE t ADD made int", "GRANT SELECT ON t TO agent", "COMMENT ON TABLE t IS 'x'",
      "SELECT 1 INTO made", "SELECT * FROM t FOR UPDATE", "SELECT nextval('s')",
      "REFRESH MATERIALIZED VIEW m", "COPY t FROM STDIN", "CREATE ROLE made",
      "SECURITY LABEL ON TABLE t IS 'x'", "WITH d AS (DELETE FROM t RETURNING 1) SELECT * FROM d"};
  for (const GuardVector& vector : LoadGuardVectors("postgres")) {
    if (vector.error == Judgement::Error::kNone && vector.effects.empty() &&
        !vector.too_large_to_run) {
      statements.push_back(vector.sql);
    }
  }
  std::set<std::string> let_through;
  for (const std::string& sql : statements) {
    const PgQueryParseResult parse = pg_query_parse(sql.c_str());
    ASSERT_EQ(parse.error, nullptr) << sql;
    const auto tree = JsonDocument::Parse(parse.parse_tree);
    ASSERT_TRUE(tree.ok()) << tree.status();
    const auto statement = *(*tree->root().Find("stmts")).begin();
    const std::string kind((*(*statement.Find("stmt")).begin()).key());
    pg_query_free_parse_result(parse);

    const ReadOnlyRunner::Outcome outcome = superuser.Run(sql);
    const Judgement judgement = Judge(sql);
    if (outcome.Wrote() || outcome.left_transaction) {
      EXPECT_FALSE(IsSafe(judgement)) << sql;
    }
    if (outcome.sqlstate.empty()) {
      let_through.insert(kind);
      if (!kMayRead.contains(kind)) {
        EXPECT_FALSE(IsSafe(judgement)) << sql;
      }
    }
  }
  for (const std::string& kind : let_through) {
    EXPECT_TRUE(kLetThrough.contains(kind)) << kind << " runs READ ONLY: list it";
  }
  auto session = support::PostgresSession::Connect(server_->Dsn());
  ASSERT_TRUE(session.ok());
  session->Run("ROLLBACK PREPARED 'x'");
}

}  // namespace
}  // namespace bridgekeeper
