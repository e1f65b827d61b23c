// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The back end against a real server, with no guard before it: what holds here is the
// engine and what we do with it.

#include "clients/bridge/sandbox/postgres/postgres_backend.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/postgres/postgres_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Most memory that this process has had, in bytes.
int64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return atoll(line.c_str() + 6) * 1024;
  }
  return 0;
}

TEST_F(PostgresBackendTest, ReadsEveryTypeWithoutLoss) {
  EXPECT_THAT(
      Read("SELECT 9007199254740993::int8 AS big, 7::int8 AS small, 1.10::numeric AS n,"
           " 'NaN'::float8 AS nan, 1e300::float8 AS f, true AS b, NULL::int AS nothing,"
           " '\\x00ff'::bytea AS bytes, '2020-02-29 12:00:00.123456'::timestamp AS ts,"
           " '1 day 02:00'::interval AS i, '{\"a\":12345678901234567890}'::jsonb AS j,"
           " ARRAY[1,2] AS a, 'd\u00e9j\u00e0 \"vu\"' AS t"),
      HasSubstr(R"("rows":[{"big":"9007199254740993","small":7,"n":"1.10","nan":"NaN","f":1e+300,)"
                R"("b":true,"nothing":null,"bytes":{"$base64":"AP8="},)"
                R"("ts":"2020-02-29 12:00:00.123456","i":"1 day 02:00:00",)"
                R"("j":"{\"a\": 12345678901234567890}","a":"{1,2}","t":"d)"
                "\u00e9j\u00e0"
                R"( \"vu\""}])"));
  EXPECT_THAT(Read("SELECT 1 AS a, 2 AS a"), HasSubstr(R"({"a":1,"a_2":2})"));
  EXPECT_THAT(
      Read("SELECT id, name FROM customer WHERE false"),
      AllOf(HasSubstr(R"("columns":["id","name"],"columnTypes":["bigint","text"],"rows":[])"),
            HasSubstr(R"("truncated":false)")));
}

TEST_F(PostgresBackendTest, StopsAtTheRowsWithoutReadingTheRest) {
  const int64_t before = PeakMemory();
  const std::string answer = Read("SELECT generate_series(1, 100000000) AS i", {.max_rows = 5});
  EXPECT_THAT(answer, AllOf(HasSubstr(R"("rows":[{"i":1},{"i":2},{"i":3},{"i":4},{"i":5}])"),
                            HasSubstr(R"("truncated":true,"truncatedBy":"rows")")));
  EXPECT_LT(PeakMemory() - before, 32 << 20);
  EXPECT_THAT(Read("SELECT generate_series(1, 5) AS i", {.max_rows = 5}),
              HasSubstr(R"("truncated":false)"));
}

TEST_F(PostgresBackendTest, AHugeValueIsNeverTakenIn) {
  const int64_t before = PeakMemory();
  const std::string answer = Read("SELECT 1 AS a, repeat('x', 400000000) AS huge");
  EXPECT_THAT(answer, AllOf(HasSubstr(R"("rows":[])"), HasSubstr(R"("truncatedBy":"bytes")"),
                            HasSubstr(R"("columns":)")));
  EXPECT_LT(PeakMemory() - before, 64 << 20) << "the limit is 1 MiB and one piece";
}

TEST_F(PostgresBackendTest, ValuesOfAnySizeBelowTheLimitComeWhole) {
  for (const int size : {1, 8191, 8192, 16384, 65535, 65536, 100000, 900000}) {
    const std::string answer =
        Read(absl::StrFormat("SELECT repeat('x', %d) AS v, 1 AS after", size));
    EXPECT_THAT(answer, AllOf(HasSubstr(R"("after":1)"), HasSubstr(R"("truncated":false)")));
    EXPECT_GE(answer.size(), static_cast<size_t>(size)) << size;
  }
  EXPECT_THAT(Read("SELECT i, repeat('y', 300) AS v FROM generate_series(1, 900) i"),
              HasSubstr(R"("rowCount":900)"));
}

TEST_F(PostgresBackendTest, RefusesEveryWriteThatTheEngineCanRefuse) {
  const auto backend = BackendFor("writer");
  for (const char* sql :
       {"INSERT INTO customer VALUES (99)", "DELETE FROM customer", "TRUNCATE customer CASCADE",
        "WITH d AS (DELETE FROM customer RETURNING 1) SELECT * FROM d",
        "SELECT * FROM customer FOR UPDATE", "CREATE TABLE made (a int)",
        "SELECT * INTO made FROM customer", "CREATE TEMP TABLE made (a int)"}) {
    EXPECT_THAT(Run(*backend, sql), HasSubstr("25006: ")) << sql;
  }
  // Once a snapshot is taken the mode of the transaction is fixed.
  EXPECT_THAT(Run(*backend, "SET TRANSACTION READ WRITE"), HasSubstr("25001: "));
  EXPECT_THAT(Run(*backend, "SELECT set_config('transaction_read_only', 'off', false)"),
              HasSubstr("25001: "));
  for (const char* sql : {"SELECT 1; DELETE FROM customer", "COMMIT; DELETE FROM customer",
                          "DELETE FROM customer; SELECT 1"}) {
    EXPECT_THAT(Run(*backend, sql), HasSubstr("42601: cannot insert multiple commands"));
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM customer"), "10");
  EXPECT_EQ(Ask("SELECT to_regclass('made')"), "\\N");
}

TEST_F(PostgresBackendTest, NothingLastsBetweenCalls) {
  const auto backend = BackendFor("writer");
  Run(*backend, "COMMIT");
  Run(*backend, "SET search_path = nowhere");
  Run(*backend, "PREPARE p AS DELETE FROM customer");
  Run(*backend, "SELECT pg_advisory_lock(42)");
  EXPECT_THAT(Run(*backend, "EXECUTE p"), HasSubstr("26000: "));
  EXPECT_THAT(Run(*backend, "SELECT count(*) AS n FROM customer"), HasSubstr(R"([{"n":10}])"));
  EXPECT_EQ(Ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
}

TEST_F(PostgresBackendTest, CopyIsRefusedInBothDirections) {
  EXPECT_THAT(Read("COPY customer TO STDOUT"), HasSubstr("UNSUPPORTED: "));
  EXPECT_THAT(Run(*BackendFor("writer", true), "COPY customer FROM STDIN", true),
              HasSubstr("UNSUPPORTED: "));
  EXPECT_THAT(Read(""), HasSubstr("UNSUPPORTED: there is no statement"));
}

TEST_F(PostgresBackendTest, ErrorsCarryNoData) {
  const std::string answer = Read("SELECT ('id=' || string_agg(name, ','))::int FROM customer");
  EXPECT_THAT(answer, AllOf(HasSubstr("22P02: "), HasSubstr("***"), Not(HasSubstr("name 1"))));
  EXPECT_THAT(Read("SELECT * FROM missing"), HasSubstr("42P01: relation \"missing\""));
}

TEST_F(PostgresBackendTest, EndsAtItsTime) {
  const absl::Duration begin = clock_.SinceBoot();
  EXPECT_THAT(Read("SELECT pg_sleep(60)", {.timeout = absl::Milliseconds(300)}),
              HasSubstr("TIMEOUT: the call took longer than 300ms"));
  EXPECT_LT(clock_.SinceBoot() - begin, absl::Seconds(20));
}

TEST_F(PostgresBackendTest, CancellingEndsTheServersWork) {
  const auto running = [] {
    return Ask(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(61)%'"
        " AND state = 'active'");
  };
  const auto backend = BackendFor("reader");
  std::string answer;
  std::jthread call([&] { answer = Run(*backend, "SELECT pg_sleep(61)"); });
  EXPECT_TRUE(support::WaitUntil([&] { return running() == "1"; }));
  stop_.Raise();
  call.join();
  EXPECT_THAT(answer, HasSubstr("CANCELLED: "));
  EXPECT_TRUE(support::WaitUntil([&] { return running() == "0"; }));
}

TEST_F(PostgresBackendTest, ARoleThatCanDoMoreIsRefusedUnlessThatIsAccepted) {
  struct Row {
    const char* user;
    const char* risk;
  };
  for (const Row& row : {Row{"postgres", "superuser"},
                         {"becomes_boss", "createrole"},
                         {"watcher", "predefined_role"},
                         {"replicator", "replication"},
                         {"bypasser", "bypassrls"},
                         {"owner", "owner"}}) {
    EXPECT_THAT(Run(*BackendFor(row.user), "SELECT 1 AS a"),
                AllOf(HasSubstr("ROLE_RISK: "), HasSubstr(row.risk)))
        << row.user;
    // A predefined role brings rights to functions.
    EXPECT_THAT(Run(*BackendFor(row.user, false, {row.risk, "function_rights"}), "SELECT 1 AS a"),
                HasSubstr(R"([{"a":1}])"))
        << row.user;
  }
  EXPECT_THAT(Run(*BackendFor("reads_all"), "SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
  // A right to run what PUBLIC may not.
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
  ASSERT_TRUE(admin_->Run("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO reader").ok());
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr("function_rights"));
  ASSERT_TRUE(admin_->Run("REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM reader").ok());
}

TEST_F(PostgresBackendTest, WritesOnlyWhereTheConnectionAllowsIt) {
  EXPECT_THAT(Run(*BackendFor("writer"), "INSERT INTO customer VALUES (11)", true),
              HasSubstr("UNSUPPORTED: this connection only reads"));
  const auto backend = BackendFor("writer", /*writes=*/true);
  EXPECT_THAT(Run(*backend, "INSERT INTO customer VALUES (11), (12)", true),
              HasSubstr(R"("rowsAffected":2)"));
  EXPECT_EQ(Ask("SELECT count(*) FROM customer"), "12");
  // The read path of a connection that may write only reads.
  EXPECT_THAT(Run(*backend, "DELETE FROM customer WHERE id > 10"), HasSubstr("25006: "));
  // An error leaves nothing behind, nor does a change that is not finished.
  EXPECT_THAT(Run(*backend,
                  "INSERT INTO customer SELECT 13 + i FROM generate_series(0, 5) i"
                  " UNION ALL SELECT 1",
                  true),
              HasSubstr("23505: "));
  EXPECT_THAT(Run(*backend, "COMMIT", true), HasSubstr("SCOPE: "));
  EXPECT_EQ(Ask("SELECT count(*) FROM customer"), "12");
  // What it returns is cut, not what it does.
  EXPECT_THAT(
      Run(*backend, "DELETE FROM customer WHERE id > 10 RETURNING id", true, {.max_rows = 1}),
      AllOf(HasSubstr(R"("rowCount":1,"rowsAffected":2)"), HasSubstr(R"("truncatedBy":"rows")")));
  EXPECT_THAT(Run(*backend, "UPDATE customer SET name = 'y' RETURNING repeat('x', 30000000)", true),
              HasSubstr("TOO_LARGE: "));
  EXPECT_EQ(Ask("SELECT count(*) FROM customer WHERE name = 'y'"), "0");
}

TEST_F(PostgresBackendTest, NeverSaysACredential) {
  for (const std::string& dsn :
       {server_->Dsn("nobody_known") + " password=hunter2",
        std::string("host=/nowhere user=u password=hunter2"), std::string("hunter2 is no dsn"),
        server_->Dsn("reader") + " password=hunter2 replication=database"}) {
    EXPECT_THAT(Run(*BackendAt(dsn), "SELECT 1"),
                AllOf(HasSubstr("CONNECTION: "), Not(HasSubstr("hunter2"))));
  }
  for (const auto& event : log_.events()) {
    for (const auto& [name, value] : event.fields) EXPECT_THAT(value, Not(HasSubstr("hunter2")));
  }
  EXPECT_EQ(log_.EventsOf("a call on a database did not run").size(), 4U);
}

TEST_F(PostgresBackendTest, AnswersEveryToolOfTheCatalogue) {
  const ToolArguments arguments = {{"table", "customer"},
                                   {"object_name", "customer"},
                                   {"object_type", "table"},
                                   {"session_id", "0"},
                                   {"sql", "SELECT id FROM customer"}};
  const std::map<SandboxTool, const char*> wanted = {
      {SandboxTool::kListDatabases, R"({"data":[{"name":"postgres"}],"truncated":false})"},
      {SandboxTool::kListSchemas, R"({"name":"public"})"},
      {SandboxTool::kListTables, R"("name":"customer","type":"table","comment":"who pays")"},
      {SandboxTool::kListViews, R"("name":"payer","type":"view")"},
      {SandboxTool::kListFunctions,
       R"("name":"twice","arguments":"a integer","returns":"integer")"},
      {SandboxTool::kListProcedures, R"("name":"nothing")"},
      {SandboxTool::kDescribeTable,
       R"("name":"name","type":"text","nullable":false,"default":"'x')"},
      {SandboxTool::kGetTableInfo, R"("name":"customer","type":"table","owner":"postgres")"},
      {SandboxTool::kListIndexes, R"("name":"by_name")"},
      {SandboxTool::kListTriggers, R"("name":"stamped")"},
      {SandboxTool::kListForeignKeys, R"({"data":[],)"},
      {SandboxTool::kGetForeignKeys, R"("columns":"customer","references_table":"customer")"},
      {SandboxTool::kGetSchema, R"(public.customer (id bigint not null, name text not null)"},
      {SandboxTool::kListSessions, R"("session_id":)"},
      {SandboxTool::kGetObjectDdl, R"(CREATE TABLE customer (\n  id bigint NOT NULL,\n)"},
      {SandboxTool::kExplainQuery, R"(Seq Scan on customer)"},
      {SandboxTool::kExecuteQuery, R"({"id":1})"},
  };
  const auto backend = BackendFor("reader");
  for (const auto& [tool, want] : wanted) {
    const auto statement = backend->StatementFor(tool, arguments);
    ASSERT_TRUE(statement) << static_cast<int>(tool);
    EXPECT_THAT(AnswerText(backend->Run(*statement, {}, stop_)), HasSubstr(want));
  }
  struct Row {
    const char* type;
    const char* name;
    const char* want;
  };
  for (const auto& [type, name, want] :
       {Row{"view", "payer", "CREATE VIEW payer AS"},
        {"index", "by_name", "CREATE INDEX by_name"},
        {"function", "twice", "CREATE OR REPLACE FUNCTION public.twice"},
        {"procedure", "nothing", "CREATE OR REPLACE PROCEDURE"},
        {"trigger", "stamped", "CREATE TRIGGER stamped"}}) {
    const auto statement = backend->StatementFor(SandboxTool::kGetObjectDdl,
                                                 {{"object_type", type}, {"object_name", name}});
    ASSERT_TRUE(statement);
    EXPECT_THAT(AnswerText(backend->Run(*statement, {}, stop_)), HasSubstr(want));
  }
  EXPECT_FALSE(backend->StatementFor(SandboxTool::kGetObjectDdl,
                                     {{"object_type", "role"}, {"object_name", "x"}}));
  // A connection covers one database.
  const auto elsewhere =
      backend->StatementFor(SandboxTool::kListTables, {{"database", "template1"}});
  EXPECT_THAT(AnswerText(backend->Run(*elsewhere, {}, stop_)), HasSubstr("UNSUPPORTED: "));
}

TEST_F(PostgresBackendTest, ExplainTakesNoOptionsOutOfTheText) {
  const auto backend = BackendFor("writer");
  for (const char* sql : {"ANALYZE SELECT 1", "(ANALYZE) DELETE FROM customer",
                          "ANALYZE DELETE FROM customer", "EXPLAIN SELECT 1"}) {
    const auto statement = backend->StatementFor(SandboxTool::kExplainQuery, {{"sql", sql}});
    EXPECT_THAT(AnswerText(backend->Run(*statement, {}, stop_)), HasSubstr("42601: ")) << sql;
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM customer"), "10");
}

}  // namespace
}  // namespace bridgekeeper::bridge
