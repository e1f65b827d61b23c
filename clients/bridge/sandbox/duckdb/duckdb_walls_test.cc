// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Texts that do more than read what was attached: what the engine and what we do with it
// refuse where no guard stands before them, and what only the guard does.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "clients/bridge/sandbox/duckdb/duckdb_backend_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/guard/duckdb.h"
#include "policy/guard/duckdb/engine.h"
#include "policy/testing/status_matchers.h"
#include "runtime/judge_worker.h"
#include "runtime/unique_fd.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using DuckdbWallsTest = DuckdbBackendTest;

Risk JudgedRisk(const std::string& sql) {
  EXPECT_THAT(duckdb::LoadEngine(DuckdbLibraryPath()), IsOk());
  return JudgeDuckdb(sql, {}).risk;
}

struct Refused {
  std::string sql;
  // What it says; empty: that it is no read.
  const char* code = "";
  // The text runs where nothing stands before it.
  bool would_run = true;
};

TEST_F(DuckdbWallsTest, RefusesWhatIsMoreThanARead) {
  const std::string out = folder_ / "made";
  const std::string outside = folder_ / "outside.csv";
  const std::string path = path_;
  const std::vector<Refused> cases = {
      {"INSERT INTO customer (id) VALUES (99)"},
      {"INSERT INTO customer (id) VALUES (99) RETURNING id"},
      {"INSERT OR REPLACE INTO customer (id) VALUES (1)"},
      {"UPDATE customer SET paid = 0"},
      {"DELETE FROM \"order\""},
      {"DELETE FROM customer WHERE id = 1"},
      {"TRUNCATE \"order\""},
      {"MERGE INTO customer USING (SELECT 99 AS id) s ON customer.id = s.id WHEN NOT MATCHED THEN "
       "INSERT (id) VALUES (99)"},
      {"WITH t AS (SELECT 99 AS id) INSERT INTO customer (id) SELECT id FROM t"},
      {"CREATE TABLE made (a INTEGER)"},
      {"CREATE TABLE made AS SELECT * FROM customer"},
      {"CREATE OR REPLACE TABLE \"order\" AS SELECT 1 AS a"},
      {"CREATE TEMP TABLE made (a INTEGER)"},
      {"CREATE TABLE memory.main.made (a INTEGER)", "", false},
      {"CREATE VIEW made AS SELECT 1"},
      {"CREATE SCHEMA made"},
      {"CREATE SEQUENCE made"},
      {"CREATE INDEX made ON customer (paid)"},
      {"CREATE MACRO made(a) AS a"},
      {"CREATE TYPE made AS ENUM ('a')"},
      {"CREATE SECRET made (TYPE http, BEARER_TOKEN 'x')", "DUCKDB_", false},
      {"ALTER TABLE \"order\" ADD COLUMN made INTEGER"},
      {"COMMENT ON TABLE customer IS 'made'"},
      {"DROP TABLE \"order\""},
      {"DROP VIEW payer"},
      {"DROP SEQUENCE number"},
      {"SELECT nextval('number')", "DUCKDB_INVALID_INPUT: "},
      {"EXPLAIN ANALYZE INSERT INTO customer (id) VALUES (99)"},
      {"EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1 AS a"},
      {"EXPLAIN (ANALYZE) DELETE FROM \"order\""},
      {"/* x */ EXPLAIN -- y\n ANALYZE UPDATE customer SET paid = 0"},
      {"EXPLAIN ANALYZE COPY customer TO '" + out + "'", "DUCKDB_PERMISSION: "},
      {"EXPLAIN ANALYZE COPY (SELECT 1) TO '" + path + "'"},
      {"COPY customer TO '" + out + "'", "DUCKDB_PERMISSION: "},
      {"COPY customer TO '" + lake_ + "made.csv'"},
      {"COPY customer TO '" + path + "'", "", false},
      {"COPY customer TO '/dev/stdout'", "DUCKDB_PERMISSION: ", false},
      {"COPY \"order\" FROM '" + outside + "'", "DUCKDB_PERMISSION: ", false},
      {"EXPORT DATABASE '" + out + "'", "DUCKDB_PERMISSION: "},
      {"IMPORT DATABASE '" + out + "'", "DUCKDB_PERMISSION: ", false},
      {"ATTACH '" + out + "' AS made"},
      {"ATTACH '" + path + "' AS made", "", false},
      {"ATTACH ':memory:' AS made"},
      {"DETACH shop", "", false},
      {"USE memory", "", false},
      {"INSTALL httpfs", "", false},
      {"FORCE INSTALL httpfs FROM community", "", false},
      {"LOAD httpfs", "", false},
      {"LOAD '" + out + "'", "", false},
      {"SET memory_limit = '8GB'"},
      {"SET GLOBAL lock_configuration = false"},
      {"SET enable_external_access = true", "", false},
      {"SET search_path = 'main'"},
      {"SET VARIABLE made = 1"},
      {"RESET memory_limit"},
      {"PRAGMA enable_profiling"},
      {"PRAGMA memory_limit = '8GB'"},
      {"PRAGMA enable_verification", "", false},
      {"PRAGMA disable_optimizer"},
      {"CALL pragma_version()"},
      {"CALL enable_logging()"},
      {"BEGIN"},
      {"COMMIT", "", false},
      {"PREPARE made AS SELECT 1"},
      {"EXECUTE made", "DUCKDB_BINDER: ", false},
      {"CHECKPOINT"},
      {"FORCE CHECKPOINT"},
      {"VACUUM"},
      {"ANALYZE"},
  };
  const auto before = Files();
  for (const Refused& row : cases) {
    EXPECT_THAT(Read(row.sql), StartsWith(*row.code == '\0' ? "DUCKDB_READONLY: " : row.code))
        << row.sql;
    ASSERT_EQ(Files(), before) << row.sql;
    EXPECT_NE(JudgedRisk(row.sql), Risk::kSafe) << row.sql;
    if (!row.would_run) continue;
    EXPECT_EQ(RunPlainly(row.sql), "") << row.sql;
    Restore(before);
  }
  EXPECT_THAT(Read("SELECT count(*) AS n FROM customer"), HasSubstr(R"([{"n":10}])"));
}

TEST_F(DuckdbWallsTest, RefusesFilesAndAddressesOutsideTheSetup) {
  const std::string outside = folder_ / "outside.csv";
  const std::string up = lake_ + "../outside.csv";
  std::filesystem::copy_file(path_, folder_ / "other.duckdb");
  const std::string other = folder_ / "other.duckdb";
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string place = absl::StrFormat("127.0.0.1:%d/x", ntohs(address.sin_port));
  const std::vector<Refused> cases = {
      {"SELECT * FROM read_csv('" + outside + "')"},
      {"SELECT * FROM read_csv('" + up + "')"},
      {"SELECT * FROM read_csv(['" + lake_ + "lines.csv', '" + outside + "'])"},
      {"SELECT * FROM read_csv_auto('" + outside + "')"},
      {"SELECT * FROM read_text('" + outside + "')"},
      {"SELECT * FROM read_blob('" + outside + "')"},
      {"SELECT * FROM read_json('" + outside + "', ignore_errors = true)", "", false},
      {"SELECT * FROM read_parquet('" + outside + "')", "", false},
      {"SELECT * FROM parquet_metadata('" + outside + "')", "", false},
      {"SELECT * FROM sniff_csv('" + outside + "')"},
      {"SELECT * FROM glob('" + folder_.string() + "/*')"},
      {"SELECT * FROM '" + outside + "'"},
      {"FROM \"" + outside + "\""},
      {"SELECT * FROM customer, '" + outside + "'"},
      {"SELECT (SELECT count(*) FROM '" + outside + "')"},
      {"SELECT * FROM query('FROM ''" + outside + "''')"},
      {"SELECT * FROM query_table('" + outside + "')"},
      {"SELECT * FROM read_duckdb('" + other + "', table_name = 'customer')"},
      {"SUMMARIZE FROM '" + outside + "'"},
      {"DESCRIBE SELECT * FROM '" + outside + "'"},
      {"EXPLAIN SELECT * FROM '" + outside + "'"},
      {"SELECT * FROM '/etc/passwd.csv'", "", false},
      {"SELECT * FROM read_text('/proc/self/environ')", "", false},
      {"SELECT * FROM read_csv('http://" + place + ".csv')", "", false},
      {"SELECT * FROM read_parquet('https://" + place + "')", "", false},
      {"SELECT * FROM read_parquet('s3://bucket/x.parquet')", "", false},
      {"SELECT * FROM 'http://" + place + ".parquet'", "", false},
      {"SELECT getenv('PATH')", "DUCKDB_CATALOG: ", false},
      {"SELECT * FROM sqlite_scan('" + other + "', 'customer')", "DUCKDB_CATALOG: ", false},
      {"SELECT * FROM postgres_query('db', 'DELETE FROM t')", "DUCKDB_CATALOG: ", false},
      {"SELECT * FROM shellfs('ls')", "DUCKDB_CATALOG: ", false},
  };
  const auto before = Files();
  for (const Refused& row : cases) {
    EXPECT_THAT(Read(row.sql),
                AllOf(StartsWith(*row.code == '\0' ? "DUCKDB_PERMISSION: " : row.code),
                      Not(HasSubstr("hidden"))))
        << row.sql;
    ASSERT_EQ(Files(), before) << row.sql;
    EXPECT_NE(JudgedRisk(row.sql), Risk::kSafe) << row.sql;
    if (!row.would_run) continue;
    EXPECT_EQ(RunPlainly(row.sql), "") << row.sql;
    Restore(before);
  }
  // Nobody came; who comes is seen.
  EXPECT_LT(accept(listener.get(), nullptr, nullptr), 0);
  const UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_TRUE(support::WaitUntil(
      [&] { return static_cast<bool>(UniqueFd(accept(listener.get(), nullptr, nullptr))); }));
}

TEST_F(DuckdbWallsTest, WhatOnlyTheGuardRefusesChangesNothing) {
  std::ifstream list(BK_GUARD_ONLY);
  int count = 0;
  const auto before = Files();
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_EQ(fields.size(), 2U) << line;
    const std::string sql =
        absl::StrReplaceAll(fields[0], {{"{folder}", lake_}, {"{database}", path_.string()}});
    EXPECT_NE(JudgedRisk(sql), Risk::kSafe) << sql;
    EXPECT_THAT(Read(sql), HasSubstr(R"("rows":[)")) << sql;
    ASSERT_EQ(Files(), before) << sql;
    ++count;
  }
  EXPECT_GE(count, 20);
  EXPECT_THAT(Read("SELECT current_setting('enable_profiling') IS NULL AS a"),
              HasSubstr(R"([{"a":true}])"));
  EXPECT_THAT(Read("SELECT count(*) AS n FROM customer"), HasSubstr(R"([{"n":10}])"));
}

TEST_F(DuckdbWallsTest, ExplainRunsNothing) {
  const auto before = Files();
  const auto backend = BackendAt(Setup());
  for (const std::string& sql :
       {std::string("DELETE FROM customer"), std::string("ANALYZE DELETE FROM customer"),
        std::string("(ANALYZE) DELETE FROM customer"), std::string("CHECKPOINT"),
        std::string("SELECT 1; DELETE FROM customer"), "COPY customer TO '" + lake_ + "made'"}) {
    const auto statement = backend->StatementFor(SandboxTool::kExplainQuery, {{"sql", sql}});
    AnswerText(backend->Run(*statement, {}, stop_));
    EXPECT_EQ(Files(), before) << sql;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
