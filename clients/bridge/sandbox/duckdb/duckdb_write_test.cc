// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The write path of DuckDB, with no guard before it.

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/duckdb/duckdb_backend_test_util.h"
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

class DuckdbWriteTest : public DuckdbBackendTest {
 protected:
  std::string Write(const std::string& sql, RunLimits limits = {}) {
    if (writer_ == nullptr) writer_ = BackendAt(Setup(), /*writes=*/true);
    return Change(*writer_, sql, limits);
  }
  std::string Change(Backend& backend, const std::string& sql, RunLimits limits = {}) {
    return AnswerText(
        backend.Run({.sql = sql, .parameters = {}, .writes = true, .callers = true, .database = {}},
                    limits, stop_));
  }
  std::string Count() { return Read("SELECT count(*) AS n FROM customer"); }

  std::unique_ptr<Backend> writer_;
};

TEST_F(DuckdbWriteTest, IsDoneOnceAndCommitted) {
  EXPECT_THAT(
      Write("INSERT INTO customer (id, name) VALUES (11, 'a'), (12, 'b') RETURNING id"),
      AllOf(HasSubstr(R"("rows":[{"id":11},{"id":12}])"), HasSubstr(R"("rowsAffected":2)")));
  EXPECT_THAT(Write("UPDATE customer SET paid = 0 WHERE id > 10;"),
              AllOf(HasSubstr(R"("columns":[])"), HasSubstr(R"("rows":[])"),
                    HasSubstr(R"("rowsAffected":2)")));
  EXPECT_THAT(Read("SELECT count(*) AS n FROM customer WHERE paid = 0"), HasSubstr(R"([{"n":2}])"));
  EXPECT_THAT(Write("DELETE FROM customer WHERE id > 10"), HasSubstr(R"("rowsAffected":2)"));
  EXPECT_THAT(Write("SELECT count(*) AS n FROM customer"),
              AllOf(HasSubstr(R"([{"n":10}])"), Not(HasSubstr("rowsAffected"))));
}

TEST_F(DuckdbWriteTest, ChangesRowsAndDefinitionsOfEveryKind) {
  for (const char* sql :
       {"INSERT OR REPLACE INTO customer (id, name) VALUES (1, 'r')",
        "INSERT INTO customer (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = 'u'",
        "WITH t AS (SELECT 20 AS id) INSERT INTO customer (id) SELECT id FROM t",
        "MERGE INTO customer USING (SELECT 21 AS id) s ON customer.id = s.id WHEN NOT MATCHED THEN "
        "INSERT (id) VALUES (21)",
        "TRUNCATE \"order\"",
        "CREATE TABLE made (a INTEGER, b VARCHAR)",
        "INSERT INTO made VALUES (nextval('number'), 'x')",
        "CREATE TABLE copied AS SELECT * FROM customer",
        "CREATE INDEX made_a ON made (a)",
        "CREATE VIEW v AS SELECT upper(b) AS b FROM made",
        "CREATE SCHEMA s",
        "CREATE SEQUENCE s.q",
        "CREATE TYPE mood AS ENUM ('a')",
        "CREATE MACRO m(a) AS a + 1",
        "ALTER TABLE copied ADD COLUMN c INTEGER",
        "ALTER TABLE copied RENAME TO copied2",
        "COMMENT ON TABLE made IS 'x'",
        "DROP VIEW v",
        "DROP TABLE copied2",
        "DROP MACRO m"}) {
    EXPECT_THAT(Write(sql), StartsWith(R"({"columns":[)")) << sql;
  }
  EXPECT_THAT(Count(), HasSubstr(R"([{"n":12}])"));
  EXPECT_THAT(Read("SELECT a FROM made"), HasSubstr(R"([{"a":7}])"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary_));
}

TEST_F(DuckdbWriteTest, AnErrorAtAnyPointLeavesNothingBehind) {
  for (const auto& [sql, want] : std::initializer_list<std::pair<const char*, const char*>>{
           {"INSERT INTO customer (id) SELECT 10 - i FROM range(9) t(i)", "DUCKDB_CONSTRAINT: "},
           {"INSERT INTO customer (id, paid) SELECT i + 100, 1 / (3 - i) + ('x' || i)::INT FROM"
            " range(9) t(i)",
            "DUCKDB_CONVERSION: "},
           {"INSERT INTO \"order\" VALUES (1, 999)", "DUCKDB_CONSTRAINT: "},
           {"INSERT INTO customer (id) SELECT i + 100 FROM range(9) t(i) RETURNING id",
            "TOO_LARGE: "}}) {
    EXPECT_THAT(Write(sql, {.max_rows = 8}), StartsWith(want)) << sql;
    EXPECT_THAT(Count(), HasSubstr(R"([{"n":10}])")) << sql;
  }
  EXPECT_THAT(
      Write("UPDATE customer SET name = repeat('x', 5000) RETURNING name", {.max_bytes = 9000}),
      StartsWith("TOO_LARGE: "));
  EXPECT_THAT(Write("INSERT INTO customer (id) SELECT i + 100 FROM range(1000000000) t(i)",
                    {.timeout = absl::Seconds(1)}),
              AnyOf(StartsWith("TIMEOUT: "), StartsWith("DUCKDB_OUT_OF_MEMORY: ")));
  EXPECT_THAT(Count(), HasSubstr(R"([{"n":10}])"));
  EXPECT_THAT(Read("SELECT max(length(name)) AS n FROM customer"), HasSubstr(R"([{"n":7}])"));
}

TEST_F(DuckdbWriteTest, ACancelledChangeIsRolledBack) {
  const auto backend = BackendAt(Setup(), /*writes=*/true);
  std::string answer;
  std::jthread call([&] {
    answer = Change(*backend,
                    "CREATE TABLE made AS SELECT a.range FROM range(1000000000) a,"
                    " range(1000000000) b WHERE (a.range * 3 + b.range) % 7 = 3",
                    {.timeout = 10 * support::kDeadline});
  });
  EXPECT_TRUE(support::WaitUntil([&] { return !std::filesystem::is_empty(temporary_); }));
  stop_.Raise();
  call.join();
  EXPECT_THAT(answer, StartsWith("CANCELLED: "));
  EXPECT_EQ(RunPlainly("SELECT error('no') FROM duckdb_tables() WHERE table_name = 'made'"), "");
  EXPECT_TRUE(std::filesystem::is_empty(temporary_));
}

TEST_F(DuckdbWriteTest, WhatReachesBeyondTheDatabasesStaysDenied) {
  const std::string out = folder_ / "made";
  const std::string outside = folder_ / "outside.csv";
  const std::string path = path_;
  for (const std::string& sql : std::initializer_list<std::string>{
           "COPY customer TO '" + out + "'",
           "COPY customer TO '" + lake_ + "made.csv'",
           "COPY customer TO '" + path + "'",
           "COPY customer TO '" + path + ".wal'",
           "COPY \"order\" FROM '" + outside + "'",
           "COPY FROM DATABASE shop TO memory",
           "EXPORT DATABASE '" + out + "'",
           "EXPORT DATABASE '" + lake_ + "made'",
           "IMPORT DATABASE '" + out + "'",
           "EXPLAIN ANALYZE COPY customer TO '" + lake_ + "made.csv'",
           "EXPLAIN ANALYZE DELETE FROM \"order\"",
           "CREATE TABLE made AS SELECT * FROM '" + outside + "'",
           "CREATE TABLE made AS SELECT * FROM read_text('/etc/passwd')",
           "INSERT INTO customer (name) SELECT content FROM read_text('" + outside + "')",
           "ATTACH '" + out + "' AS made",
           "ATTACH ':memory:' AS made",
           "DETACH shop",
           "USE memory",
           "INSTALL httpfs",
           "LOAD httpfs",
           "SET memory_limit = '8GB'",
           "SET GLOBAL lock_configuration = false",
           "SET enable_external_access = true",
           "SET VARIABLE made = 1",
           "RESET memory_limit",
           "PRAGMA memory_limit = '8GB'",
           "CALL enable_logging()",
           "BEGIN",
           "COMMIT",
           "ROLLBACK",
           "PREPARE made AS SELECT 1",
           "CHECKPOINT",
           "FORCE CHECKPOINT shop",
           "VACUUM",
           "ANALYZE",
           "INSERT INTO customer (id) VALUES (90); INSERT INTO customer (id) VALUES (91)",
           "INSERT INTO customer (id) VALUES (90); COMMIT",
       }) {
    EXPECT_THAT(Write(sql), AnyOf(StartsWith("DUCKDB_"), StartsWith("UNSUPPORTED: "))) << sql;
    EXPECT_THAT(Write(sql), Not(HasSubstr("hidden"))) << sql;
    EXPECT_FALSE(std::filesystem::exists(out)) << sql;
    EXPECT_FALSE(std::filesystem::exists(lake_ + "made.csv")) << sql;
    EXPECT_THAT(Count(), HasSubstr(R"([{"n":10}])")) << sql;
  }
  EXPECT_EQ(RunPlainly("SELECT error('no') FROM duckdb_tables() HAVING count(*) <> 2"), "");
}

TEST_F(DuckdbWriteTest, AWriterOfAnotherProcessIsWaitedForAWhile) {
  // This process is the other: it lets go while the call waits.
  const DuckdbApi& api = Library();
  duckdb_database database = nullptr;
  ASSERT_EQ(api.open_ext(path_.c_str(), &database, nullptr, nullptr), DuckDBSuccess);
  EXPECT_THAT(Write("DELETE FROM \"order\"", {.timeout = absl::Milliseconds(500)}),
              AnyOf(StartsWith("CONNECTION: "), StartsWith("TIMEOUT: ")));
  std::string answer;
  const auto backend = BackendAt(Setup(), /*writes=*/true);
  std::jthread call([&] { answer = Change(*backend, "INSERT INTO customer (id) VALUES (40)"); });
  EXPECT_TRUE(support::WaitUntil([&] { return !std::filesystem::is_empty(temporary_); }));
  api.close(&database);
  call.join();
  EXPECT_THAT(answer, HasSubstr(R"("rowsAffected":1)"));
}

TEST_F(DuckdbWriteTest, ADatabaseIsNeverMade) {
  const std::string path = folder_ / "new.duckdb";
  const auto backend = BackendAt(path, /*writes=*/true);
  EXPECT_THAT(Change(*backend, "CREATE TABLE a (b INTEGER)"), StartsWith("CONNECTION: "));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(DuckdbWriteTest, IsRefusedWhereTheConnectionDoesNotAllowIt) {
  const auto before = Files();
  const auto backend = BackendAt(Setup());
  for (const char* sql :
       {"INSERT INTO customer (id) VALUES (50)", "SELECT 1", "DROP TABLE \"order\""}) {
    EXPECT_THAT(Change(*backend, sql), StartsWith("UNSUPPORTED: this connection only reads"));
  }
  // And a read of one that does allow it stays one.
  EXPECT_THAT(Run(*BackendAt(Setup(), /*writes=*/true), "INSERT INTO customer (id) VALUES (50)"),
              StartsWith("DUCKDB_READONLY: "));
  EXPECT_EQ(Files(), before);
}

TEST_F(DuckdbWriteTest, ManyCallsAtOnceWaitForEachOther) {
  const auto backend = BackendAt(Setup(), /*writes=*/true);
  std::vector<std::string> answers(6);
  {
    std::vector<std::jthread> calls;
    for (size_t i = 0; i < answers.size(); ++i) {
      calls.emplace_back([&, i] {
        answers[i] =
            i % 2 == 0
                ? Change(*backend, absl::StrFormat("INSERT INTO customer (id) VALUES (%d)", 60 + i))
                : Run(*backend, "SELECT count(*) AS n FROM customer");
      });
    }
  }
  for (const std::string& answer : answers) EXPECT_THAT(answer, StartsWith(R"({"columns":[)"));
  EXPECT_THAT(Count(), HasSubstr(R"([{"n":13}])"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
