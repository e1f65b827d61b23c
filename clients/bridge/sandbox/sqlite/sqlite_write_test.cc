// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The write path of SQLite, with no guard before it.

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/sqlite/sqlite_backend_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SqliteWriteTest : public SqliteBackendTest {
 protected:
  std::string Write(const std::string& sql, RunLimits limits = {}) {
    if (writer_ == nullptr) writer_ = BackendAt(path_, /*writes=*/true);
    return Change(*writer_, sql, limits);
  }
  std::string Change(Backend& backend, const std::string& sql, RunLimits limits = {}) {
    return AnswerText(
        backend.Run({.sql = sql, .parameters = {}, .writes = true, .callers = true, .database = {}},
                    limits, stop_));
  }

  std::unique_ptr<Backend> writer_;
};

TEST_F(SqliteWriteTest, IsDoneOnceAndCommitted) {
  EXPECT_THAT(
      Write("INSERT INTO customer (id, name) VALUES (11, 'a'), (12, 'b') RETURNING id"),
      AllOf(HasSubstr(R"("rows":[{"id":11},{"id":12}])"), HasSubstr(R"("rowsAffected":2)")));
  EXPECT_THAT(Write("UPDATE customer SET paid = 0 WHERE id > 10;"),
              HasSubstr(R"("rowsAffected":2)"));
  EXPECT_THAT(Read("SELECT count(*) AS n FROM customer WHERE paid = 0"), HasSubstr(R"([{"n":2}])"));
  EXPECT_THAT(Write("DELETE FROM customer WHERE id > 10"), HasSubstr(R"("rowsAffected":2)"));
  // A read that was sent as a change changes nothing, and says so.
  EXPECT_THAT(Write("SELECT count(*) AS n FROM customer"),
              AllOf(HasSubstr(R"([{"n":10}])"), ::testing::Not(HasSubstr("rowsAffected"))));
  EXPECT_EQ(Files(), (std::set<std::string>{"shop.db"}));
}

TEST_F(SqliteWriteTest, ChangesRowsAndDefinitionsOfEveryKind) {
  for (const char* sql :
       {"REPLACE INTO customer (id, name) VALUES (1, 'r')",
        "INSERT INTO customer (id, name) VALUES (1, 'u') ON CONFLICT (id) DO UPDATE SET name = 'u'",
        "WITH t AS (SELECT 20 AS id) INSERT INTO customer (id) SELECT id FROM t",
        "UPDATE customer SET paid = o.id FROM \"order\" o WHERE o.customer = customer.id",
        "INSERT INTO note VALUES ('paid never')",
        "DELETE FROM note WHERE note MATCH 'never'",
        "CREATE TABLE made (a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT CHECK (length(b) < 9))",
        "INSERT INTO made (b) VALUES ('x')",
        "CREATE TABLE copy AS SELECT * FROM customer",
        "CREATE INDEX made_b ON made (lower(b))",
        "CREATE VIEW v AS SELECT upper(b) AS b FROM made",
        "CREATE TRIGGER made_t AFTER INSERT ON made BEGIN DELETE FROM copy WHERE id = NEW.a; END",
        "ALTER TABLE made ADD COLUMN c TEXT NOT NULL DEFAULT 'd' CHECK (c <> '')",
        "ALTER TABLE made RENAME COLUMN c TO d",
        "ALTER TABLE made DROP COLUMN d",
        "ALTER TABLE made RENAME TO made2",
        "CREATE VIRTUAL TABLE text5 USING fts5 (a)",
        "INSERT INTO text5 VALUES ('x')",
        "INSERT INTO text5 (text5) VALUES ('rebuild')",
        "DROP TABLE text5",
        "CREATE VIRTUAL TABLE text4 USING fts4 (a)",
        "INSERT INTO text4 VALUES ('x')",
        "CREATE VIRTUAL TABLE box USING rtree (id, a, b)",
        "INSERT INTO box VALUES (1, 0, 2)",
        "DELETE FROM box",
        "REINDEX",
        "ANALYZE",
        "DROP TRIGGER made_t",
        "DROP VIEW v",
        "DROP INDEX made_b",
        "DROP TABLE made2"}) {
    EXPECT_THAT(Write(sql), StartsWith(R"({"columns":[)")) << sql;
  }
  EXPECT_EQ(RunPlainly("PRAGMA integrity_check"), "");
  EXPECT_EQ(Files(), (std::set<std::string>{"shop.db"}));
}

TEST_F(SqliteWriteTest, AnErrorAtAnyPointLeavesNothingBehind) {
  ASSERT_EQ(RunPlainly("CREATE TABLE part (customer INTEGER REFERENCES customer (id)"
                       " DEFERRABLE INITIALLY DEFERRED)"),
            "");
  const std::string before = Bytes();
  // In the middle, at the last row, at the commit, and at each limit.
  for (const auto& [sql, want] : std::initializer_list<std::pair<std::string, const char*>>{
           {"INSERT INTO customer (id) SELECT 10 - i FROM (" + std::string(kEndless) +
                "SELECT i FROM n LIMIT 9)",
            "SQLITE_CONSTRAINT: "},
           {"INSERT OR ROLLBACK INTO customer (id) VALUES (30), (1)", "SQLITE_CONSTRAINT: "},
           {"INSERT OR FAIL INTO customer (id) VALUES (31), (1)", "SQLITE_CONSTRAINT: "},
           {"INSERT INTO \"order\" VALUES (1, 999)", "SQLITE_CONSTRAINT: "},
           {"INSERT INTO part VALUES (999)", "SQLITE_CONSTRAINT: "},
           {"INSERT INTO customer (id) SELECT i + 100 FROM (" + std::string(kEndless) +
                "SELECT i FROM n LIMIT 9) RETURNING id",
            "TOO_LARGE: "}}) {
    EXPECT_THAT(Write(sql, {.max_rows = 8}), StartsWith(want)) << sql;
    EXPECT_EQ(Bytes(), before) << sql;
  }
  EXPECT_THAT(
      Write("UPDATE customer SET name = hex(zeroblob(3000)) RETURNING name", {.max_bytes = 9000}),
      StartsWith("TOO_LARGE: "));
  EXPECT_THAT(Write("UPDATE customer SET name = zeroblob(900000000)"), StartsWith("TOO_LARGE: "));
  EXPECT_THAT(Write(absl::StrFormat("INSERT INTO customer (paid) %s SELECT i FROM n", kEndless),
                    {.timeout = absl::Milliseconds(300)}),
              StartsWith("TIMEOUT: "));
  EXPECT_EQ(Read("SELECT count(*) AS n FROM customer").find(R"([{"n":10}])") != std::string::npos,
            true);
  EXPECT_EQ(Files(), (std::set<std::string>{"shop.db"}));
}

TEST_F(SqliteWriteTest, ACancelledChangeIsRolledBack) {
  const auto backend = BackendAt(path_, /*writes=*/true);
  std::string answer;
  std::jthread call([&] {
    answer = Change(*backend,
                    absl::StrFormat("INSERT INTO customer (paid) %s SELECT i FROM n", kEndless),
                    {.timeout = 10 * support::kDeadline});
  });
  // It has begun: the file that a rollback would be made from is there.
  EXPECT_TRUE(support::WaitUntil([&] { return Files().contains("shop.db-journal"); }));
  stop_.Raise();
  call.join();
  EXPECT_THAT(answer, StartsWith("CANCELLED: "));
  // By one who reads, too, for whom the journal that is left is a file of somebody else's.
  EXPECT_THAT(
      AnswerText(backend->Run({.sql = "SELECT count(*) AS n FROM customer"}, {}, StopSignal())),
      HasSubstr(R"([{"n":10}])"));
  EXPECT_EQ(RunPlainly("SELECT CASE WHEN (SELECT count(*) FROM customer) <> 10 THEN "
                       "json('no') END"),
            "");
}

TEST_F(SqliteWriteTest, WhatReachesBeyondTheDatabaseStaysDenied) {
  const std::string before = Bytes();
  const std::string out = folder_ / "made.db";
  for (const std::string& sql : std::initializer_list<std::string>{
           "ATTACH '" + out + "' AS made",
           "ATTACH ':memory:' AS made",
           "DETACH main",
           "VACUUM",
           "VACUUM INTO '" + out + "'",
           "BEGIN",
           "COMMIT",
           "ROLLBACK",
           "SAVEPOINT s",
           "RELEASE s",
           "CREATE TEMP TABLE made (a)",
           "CREATE TABLE temp.made (a)",
           "CREATE TEMP VIEW made AS SELECT 1",
           "CREATE TEMP TRIGGER made AFTER DELETE ON customer BEGIN SELECT 1; END",
           "PRAGMA user_version = 5",
           "PRAGMA journal_mode = WAL",
           "PRAGMA writable_schema = ON",
           "PRAGMA trusted_schema = OFF",
           "PRAGMA foreign_keys = OFF",
           "PRAGMA temp_store_directory = '/'",
           "PRAGMA wal_checkpoint",
           "UPDATE sqlite_master SET sql = ''",
           "DELETE FROM sqlite_master",
           "UPDATE note_content SET c0 = 'x'",
           "INSERT INTO customer (name) SELECT load_extension('/lib/x.so')",
           "INSERT INTO customer (name) SELECT fts3_tokenizer('simple')",
           "INSERT INTO customer (name) SELECT readfile('/etc/passwd')",
           "INSERT INTO customer (name) SELECT writefile('" + out + "', 'x')",
           "INSERT INTO customer (name) SELECT sqlite_rename_table(0, 0, 0, 0, 0, 0, 0)",
           "CREATE TRIGGER made AFTER DELETE ON customer BEGIN SELECT load_extension('x'); END;"
           " DELETE FROM customer",
           "CREATE VIRTUAL TABLE made USING fsdir('/')",
           "CREATE VIRTUAL TABLE made USING csv(filename = '/etc/passwd')",
           "CREATE VIRTUAL TABLE made USING no_such_module(a)",
           "INSERT INTO customer (id) VALUES (90); INSERT INTO customer (id) VALUES (91)",
       }) {
    EXPECT_THAT(Write(sql), AnyOf(StartsWith("SQLITE_"), StartsWith("UNSUPPORTED: "))) << sql;
    ASSERT_EQ(Bytes(), before) << sql;
    ASSERT_EQ(Files(), (std::set<std::string>{"shop.db"})) << sql;
  }
}

TEST_F(SqliteWriteTest, ATriggerOfTheSchemaRunsAndCallsOnlyWhatIsHarmless) {
  ASSERT_EQ(RunPlainly("INSERT INTO \"order\" VALUES (1, 1)"), "");
  EXPECT_THAT(Write("UPDATE customer SET paid = 1 WHERE id = 1"), HasSubstr(R"("rowsAffected":1)"));
  EXPECT_THAT(Read("SELECT count(*) AS n FROM \"order\""), HasSubstr(R"([{"n":0}])"));
  ASSERT_EQ(RunPlainly("CREATE TRIGGER bad AFTER DELETE ON \"order\" BEGIN"
                       " SELECT load_extension('/lib/x.so'); END"),
            "");
  EXPECT_THAT(Write("DELETE FROM \"order\""), HasSubstr("not authorized"));
}

TEST_F(SqliteWriteTest, AWriterOfAnotherProgramIsNotWaitedForForEver) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(Write("DELETE FROM customer", {.timeout = absl::Milliseconds(200)}),
              AnyOf(StartsWith("SQLITE_BUSY: "), StartsWith("TIMEOUT: ")));
  ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_THAT(Write("DELETE FROM customer WHERE id = 1"), HasSubstr(R"("rowsAffected":1)"));
}

TEST_F(SqliteWriteTest, AWalDatabaseIsWrittenWhereItsSideFilesAreSettled) {
  ASSERT_EQ(RunPlainly("PRAGMA journal_mode = WAL"), "");
  EXPECT_THAT(Write("DELETE FROM \"order\""), StartsWith("UNSUPPORTED: the database is in WAL"));
  const auto fixed = BackendAt("file:" + path_.string() + "?immutable=1", /*writes=*/true);
  EXPECT_THAT(Change(*fixed, "DELETE FROM \"order\""), HasSubstr("`immutable=1`"));
  const auto backend = BackendAt("file:" + path_.string() + "?side_files=allowed", /*writes=*/true);
  EXPECT_THAT(Change(*backend, "INSERT INTO \"order\" VALUES (7, 1)"),
              HasSubstr(R"("rowsAffected":1)"));
  EXPECT_THAT(Run(*backend, "SELECT id FROM \"order\""), HasSubstr(R"([{"id":7}])"));
}

TEST_F(SqliteWriteTest, ADatabaseIsNeverMade) {
  const auto backend = BackendAt(folder_ / "new.db", /*writes=*/true);
  EXPECT_THAT(Change(*backend, "CREATE TABLE a (b)"), StartsWith("CONNECTION: "));
  EXPECT_EQ(Files(), (std::set<std::string>{"shop.db"}));
}

TEST_F(SqliteWriteTest, IsRefusedWhereTheConnectionDoesNotAllowIt) {
  const std::string before = Bytes();
  const auto backend = BackendAt(path_);
  for (const char* sql : {"INSERT INTO customer (id) VALUES (50)", "SELECT 1", "DROP TABLE note"}) {
    EXPECT_THAT(Change(*backend, sql), StartsWith("UNSUPPORTED: this connection only reads"));
  }
  // And a read of one that does allow it stays one.
  EXPECT_THAT(Run(*BackendAt(path_, /*writes=*/true), "INSERT INTO customer (id) VALUES (50)"),
              StartsWith("SQLITE_READONLY: "));
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SqliteWriteTest, TheToolsThatWriteRunTheTextOfTheCaller) {
  const auto backend = BackendAt(path_, /*writes=*/true);
  for (const SandboxTool tool :
       {SandboxTool::kExecuteWrite, SandboxTool::kExecuteDelete, SandboxTool::kExecuteDdl}) {
    const auto statement = backend->StatementFor(tool, {{"sql", "DELETE FROM \"order\""}});
    ASSERT_TRUE(statement);
    EXPECT_TRUE(statement->writes);
    EXPECT_EQ(statement->sql, "DELETE FROM \"order\"");
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
