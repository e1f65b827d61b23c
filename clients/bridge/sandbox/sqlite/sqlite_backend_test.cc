// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What SQLite's back end answers to reads, and within which limits.

#include "clients/bridge/sandbox/sqlite/sqlite_backend.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "clients/bridge/sandbox/sqlite/sqlite_backend_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(SqliteBackendTest, ReadsEveryTypeWithoutLoss) {
  EXPECT_THAT(Read("SELECT 9007199254740993 AS big, 7 AS small, 0.1 AS f, 9e999 AS inf, NULL AS "
                   "absent, x'00ff' AS bytes, 'd\u00e9j\u00e0 \"vu\"' AS t, 1 AS t"),
              HasSubstr("\"rows\":[{\"big\":\"9007199254740993\",\"small\":7,\"f\":0.1,\"inf\":"
                        "\"inf\",\"absent\":null,\"bytes\":{\"$base64\":\"AP8=\"},\"t\":\"d\u00e9j"
                        "\u00e0 \\\"vu\\\"\",\"t_2\":1}]"));
  EXPECT_THAT(Read("SELECT id, name FROM customer WHERE false"),
              AllOf(HasSubstr(R"("columns":["id","name"],"columnTypes":["INTEGER","TEXT"])"),
                    HasSubstr(R"("rows":[],"rowCount":0,)"), HasSubstr(R"("truncated":false)")));
}

TEST_F(SqliteBackendTest, RunsTheReadsOfAnAnalyst) {
  struct Row {
    const char* sql;
    const char* want;
  };
  const std::string before = Bytes();
  for (const Row& row :
       {Row{"SELECT count(*) AS n, sum(paid) AS s FROM customer;", R"([{"n":10,"s":55}])"},
        {"SELECT max(id) AS m FROM payer", R"([{"m":10}])"},
        {"SELECT id, rank() OVER (ORDER BY paid DESC) AS r FROM customer LIMIT 1",
         R"([{"id":10,"r":1}])"},
        {"WITH t AS (SELECT id FROM customer WHERE name LIKE 'name 1%') SELECT count(*) AS n FROM "
         "t",
         R"([{"n":2}])"},
        {"SELECT c.id, o.id AS o FROM customer c LEFT JOIN \"order\" o ON o.customer = c.id "
         "WHERE c.id = 1",
         R"([{"id":1,"o":null}])"},
        {"SELECT body FROM note WHERE note MATCH 'late'", R"([{"body":"paid late"}])"},
        {"SELECT value AS v FROM json_each('[4,5]')", R"([{"v":4},{"v":5}])"},
        {"SELECT strftime('%Y', '2020-02-29') AS y, lower('A') AS l", R"([{"y":"2020","l":"a"}])"},
        {"PRAGMA user_version", R"([{"user_version":0}])"},
        {"PRAGMA index_info(by_name)", R"("name":"name")"},
        {"SELECT name FROM pragma_table_info('customer') WHERE pk", R"([{"name":"id"}])"},
        {"VALUES (1)", R"([{"column1":1}])"}}) {
    EXPECT_THAT(Read(row.sql), HasSubstr(row.want)) << row.sql;
  }
  EXPECT_EQ(Bytes(), before);
  EXPECT_EQ(Files(), (std::set<std::string>{"shop.db"}));
}

TEST_F(SqliteBackendTest, RefusesWhatIsMoreThanARead) {
  const std::string before = Bytes();
  const std::string out = folder_ / "made.db";
  for (const std::string& sql : std::initializer_list<std::string>{
           "INSERT INTO customer (name) VALUES ('y')",
           "INSERT INTO customer (name) VALUES ('y') RETURNING id",
           "REPLACE INTO customer (id) VALUES (1)",
           "UPDATE customer SET name = 'y'",
           "DELETE FROM customer",
           "WITH t AS (SELECT 1) DELETE FROM customer",
           "CREATE TABLE made (a)",
           "CREATE TEMP TABLE made (a)",
           "CREATE TABLE made AS SELECT * FROM customer",
           "CREATE VIRTUAL TABLE made USING fts5 (a)",
           "CREATE TEMP TRIGGER made AFTER DELETE ON customer BEGIN SELECT 1; END",
           "INSERT INTO note (note) VALUES ('rebuild')",
           "ALTER TABLE customer RENAME TO made",
           "DROP TABLE customer",
           "DROP VIEW payer",
           "REINDEX",
           "ANALYZE",
           "VACUUM",
           "VACUUM INTO '" + out + "'",
           "ATTACH '" + out + "' AS made",
           "ATTACH ':memory:' AS made",
           "BEGIN",
           "BEGIN IMMEDIATE",
           "SAVEPOINT s",
           "PRAGMA user_version = 5",
           "PRAGMA application_id = 5",
           "PRAGMA journal_mode = WAL",
           "PRAGMA writable_schema = ON",
           "PRAGMA query_only = OFF",
           "PRAGMA trusted_schema = ON",
           "PRAGMA temp_store_directory = '/'",
           "PRAGMA hard_heap_limit = 1000000000",
           "PRAGMA database_list",
           "PRAGMA wal_checkpoint",
           "PRAGMA incremental_vacuum",
           "PRAGMA optimize",
           "SELECT * FROM pragma_database_list",
       }) {
    EXPECT_THAT(Read(sql), AnyOf(StartsWith("SQLITE_READONLY: "), StartsWith("SQLITE_AUTH: "),
                                 StartsWith("SQLITE_SCHEMA: not authorized")))
        << sql;
    ASSERT_EQ(Bytes(), before) << sql;
    ASSERT_EQ(Files(), (std::set<std::string>{"shop.db"})) << sql;
    // The text is one that would run.
    const std::filesystem::path copy = folder_ / "before";
    std::filesystem::copy_file(path_, copy);
    EXPECT_EQ(RunPlainly(sql), "") << sql;
    for (const std::string& file : Files()) {
      if (file != "before") std::filesystem::remove(folder_ / file);
    }
    std::filesystem::rename(copy, path_);
  }
}

TEST_F(SqliteBackendTest, RefusesFunctionsThatReachTheProcess) {
  for (const char* sql : {"SELECT load_extension('/lib/x.so')", "SELECT fts3_tokenizer('simple')",
                          "SELECT fts3_tokenizer('simple', x'00')", "SELECT sqlite_log(1, 'x')",
                          "SELECT readfile('/etc/passwd')", "SELECT writefile('/dev/null', 'x')",
                          "SELECT edit('x', 'true')", "SELECT * FROM fsdir('/')",
                          "SELECT * FROM sqlite_dbpage", "SELECT no_such_function()"}) {
    EXPECT_THAT(Read(sql), StartsWith("SQLITE_")) << sql;
  }
  EXPECT_THAT(Read("SELECT load_extension('/lib/x.so')"),
              HasSubstr("not authorized to use function: load_extension"));
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
}

TEST_F(SqliteBackendTest, RunsOneStatement) {
  const std::string before = Bytes();
  for (const char* sql : {"SELECT 1; DELETE FROM customer", "SELECT 1; SELECT 2",
                          "SELECT 1;; /* */ DROP TABLE customer", "SELECT 1; nonsense"}) {
    EXPECT_THAT(Read(sql), HasSubstr("UNSUPPORTED: got more than one statement")) << sql;
  }
  EXPECT_THAT(Read("DELETE FROM customer; SELECT 1"),
              HasSubstr("UNSUPPORTED: got more than one statement"));
  for (const char* sql : {"", ";", "-- nothing"}) {
    EXPECT_THAT(Read(sql), HasSubstr("UNSUPPORTED: there is no statement")) << sql;
  }
  EXPECT_THAT(Read("SELECT 1 AS a; -- only this"), HasSubstr(R"([{"a":1}])"));
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SqliteBackendTest, LimitsActWhileTheResultComes) {
  EXPECT_THAT(Read(std::string(kEndless) + "SELECT i FROM n", {.max_rows = 3}),
              AllOf(HasSubstr(R"("rows":[{"i":1},{"i":2},{"i":3}])"),
                    HasSubstr(R"("truncated":true,"truncatedBy":"rows")")));
  EXPECT_THAT(Read("SELECT id FROM customer LIMIT 3", {.max_rows = 3}),
              HasSubstr(R"("truncated":false)"));
  const std::string many = Read(std::string(kEndless) + "SELECT hex(zeroblob(500)) AS v FROM n",
                                {.max_rows = 1000000, .max_bytes = 20000});
  EXPECT_THAT(many, AllOf(HasSubstr(R"({"v":"000)"), HasSubstr(R"("truncatedBy":"bytes")")));
  EXPECT_LE(many.size(), 20000U);
  // Larger than the engine may make one value.
  EXPECT_THAT(Read("SELECT zeroblob(900000000) AS v"),
              AllOf(HasSubstr(R"("rows":[])"), HasSubstr(R"("truncatedBy":"bytes")")));
}

TEST_F(SqliteBackendTest, EndsAtItsTime) {
  const absl::Duration begin = clock_.SinceBoot();
  EXPECT_THAT(
      Read(std::string(kEndless) + "SELECT count(*) FROM n", {.timeout = absl::Milliseconds(300)}),
      HasSubstr("TIMEOUT: the call took longer than 300ms"));
  EXPECT_LT(clock_.SinceBoot() - begin, absl::Seconds(20));
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
}

TEST_F(SqliteBackendTest, CancellingEndsTheWork) {
  const auto backend = BackendAt(path_);
  std::string answer;
  const absl::Duration begin = clock_.SinceBoot();
  std::jthread call([&] {
    answer = Run(*backend, std::string(kEndless) + "SELECT count(*) FROM n",
                 {.timeout = 10 * support::kDeadline});
  });
  stop_.Raise();
  call.join();
  EXPECT_THAT(answer, HasSubstr("CANCELLED: "));
  EXPECT_LT(clock_.SinceBoot() - begin, support::kDeadline);
}

TEST_F(SqliteBackendTest, AStatementThatBloatsTheEngineEndsOneCall) {
  EXPECT_THAT(Read(std::string(kEndless) + "SELECT count(DISTINCT randomblob(100000) || i) FROM n"),
              StartsWith("SQLITE_NOMEM: "));
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
}

TEST_F(SqliteBackendTest, AWalDatabaseIsReadOnlyWhereItsSideFilesAreSettled) {
  ASSERT_EQ(RunPlainly("PRAGMA journal_mode = WAL"), "");
  EXPECT_THAT(Read("SELECT 1"), HasSubstr("UNSUPPORTED: the database is in WAL mode"));
  const std::string count = "SELECT count(*) AS n FROM customer";
  EXPECT_THAT(Run(*BackendAt("file:" + path_.string() + "?immutable=1"), count),
              HasSubstr(R"([{"n":10}])"));
  EXPECT_EQ(Files(), (std::set<std::string>{"shop.db"}));
  const auto backend = BackendAt("file:" + path_.string() + "?side_files=allowed");
  EXPECT_THAT(Run(*backend, count), HasSubstr(R"([{"n":10}])"));
  EXPECT_THAT(Run(*backend, "DELETE FROM customer"), StartsWith("SQLITE_READONLY: "));
  EXPECT_THAT(Run(*backend, count), HasSubstr(R"([{"n":10}])"));
}

TEST_F(SqliteBackendTest, NeverSaysWhereTheFileIs) {
  for (const std::string& dsn :
       {std::string("hunter2 is no dsn"), std::string("/nowhere/hunter2.db"),
        std::string("file:/x?key=hunter2"), std::string("file:/hunter2?immutable=1&mode=rw")}) {
    EXPECT_THAT(Run(*BackendAt(dsn), "SELECT 1"),
                AllOf(StartsWith("CONNECTION: "), Not(HasSubstr("hunter2"))));
  }
  for (const auto& event : log_.events()) {
    for (const auto& [name, value] : event.fields) EXPECT_THAT(value, Not(HasSubstr("hunter2")));
  }
  std::ofstream(folder_ / "text.db") << "this is no database, and long enough to be looked at";
  EXPECT_THAT(Run(*BackendAt(folder_ / "text.db"), "SELECT * FROM sqlite_master"),
              AllOf(StartsWith("SQLITE_NOTADB: "), Not(HasSubstr("text.db"))));
}

TEST_F(SqliteBackendTest, ErrorsCarryNoData) {
  EXPECT_THAT(Read("SELECT json(name) FROM customer"),
              AllOf(StartsWith("SQLITE_ERROR: "), Not(HasSubstr("name 1"))));
  EXPECT_THAT(Read("SELECT * FROM missing"), HasSubstr("SQLITE_ERROR: no such table: missing"));
}

TEST_F(SqliteBackendTest, AnswersTheToolsThatTheEngineHas) {
  const ToolArguments arguments = {{"table", "customer"},
                                   {"object_name", "by_name"},
                                   {"object_type", "index"},
                                   {"sql", "SELECT id FROM customer"}};
  const std::map<SandboxTool, const char*> wanted = {
      {SandboxTool::kListDatabases, R"({"data":[{"name":"main"}],"truncated":false})"},
      {SandboxTool::kListSchemas, R"({"name":"main"})"},
      {SandboxTool::kListTables, R"({"schema":"main","name":"note","type":"virtual table"})"},
      {SandboxTool::kListViews, R"({"schema":"main","name":"payer"})"},
      {SandboxTool::kDescribeTable,
       R"({"name":"name","type":"TEXT","nullable":0,"default":"'x'","primary_key":0})"},
      {SandboxTool::kGetTableInfo, R"("name":"customer","type":"table")"},
      {SandboxTool::kListIndexes, R"("name":"by_name","unique":0)"},
      {SandboxTool::kListTriggers, R"("name":"stamped")"},
      {SandboxTool::kListForeignKeys, R"({"data":[],)"},
      {SandboxTool::kGetForeignKeys, R"("table":"order","id":0,"seq":0,"column":"customer")"},
      {SandboxTool::kGetSchema, R"(CREATE VIEW payer AS)"},
      {SandboxTool::kGetObjectDdl, R"(CREATE INDEX by_name ON customer (name);)"},
      {SandboxTool::kExplainQuery, R"(SCAN customer)"},
      {SandboxTool::kExecuteQuery, R"({"id":1})"},
  };
  const auto backend = BackendAt(path_);
  for (const auto& [tool, want] : wanted) {
    const auto statement = backend->StatementFor(tool, arguments);
    ASSERT_TRUE(statement) << static_cast<int>(tool);
    EXPECT_THAT(AnswerText(backend->Run(*statement, {}, stop_)), HasSubstr(want));
  }
  for (const SandboxTool tool :
       {SandboxTool::kListFunctions, SandboxTool::kListProcedures, SandboxTool::kKillSession,
        SandboxTool::kListSessions, SandboxTool::kGrantPrivilege}) {
    EXPECT_FALSE(backend->StatementFor(tool, arguments)) << static_cast<int>(tool);
  }
  const auto elsewhere = backend->StatementFor(SandboxTool::kListTables, {{"schema", "temp"}});
  EXPECT_THAT(AnswerText(backend->Run(*elsewhere, {}, stop_)), HasSubstr("UNSUPPORTED: "));
}

TEST_F(SqliteBackendTest, ExplainRunsNothing) {
  const std::string before = Bytes();
  const auto backend = BackendAt(path_);
  for (const char* sql : {"DELETE FROM customer", "ATTACH 'x' AS made", "VACUUM",
                          "SELECT 1; DELETE FROM customer", "PRAGMA user_version = 5"}) {
    const auto statement = backend->StatementFor(SandboxTool::kExplainQuery, {{"sql", sql}});
    AnswerText(backend->Run(*statement, {}, stop_));
    EXPECT_EQ(Bytes(), before) << sql;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
