// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// An SQLite database, and the back end on it in its worker process, with no guard before
// it: what holds is the engine and what we do with it.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_BACKEND_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_BACKEND_TEST_UTIL_H_

#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "clients/bridge/sandbox/backend_test_util.h"
#include "clients/bridge/sandbox/sqlite/sqlite_backend.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {

inline constexpr char kSqliteTestSchema[] = R"sql(
  CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x', paid REAL);
  CREATE INDEX by_name ON customer (name);
  CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id));
  CREATE VIEW payer AS SELECT id FROM customer WHERE paid > 0;
  CREATE TRIGGER stamped AFTER UPDATE ON customer BEGIN DELETE FROM "order"; END;
  CREATE VIRTUAL TABLE note USING fts5 (body);
  INSERT INTO note VALUES ('paid late'), ('paid in time');
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10)
    INSERT INTO customer SELECT i, 'name ' || i, i FROM n;
)sql";

// An unbounded number of rows.
inline constexpr char kEndless[] =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";

class SqliteBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);  // of a run that was killed
    std::filesystem::create_directory(folder_);
    path_ = folder_ / "shop.db";
    ASSERT_EQ(RunPlainly(kSqliteTestSchema), "");
  }

  // What the library does with `sql` when nothing stands before it; its error.
  std::string RunPlainly(const std::string& sql) const {
    sqlite3* database = nullptr;
    char* error = nullptr;
    sqlite3_open(path_.c_str(), &database);
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error);
    std::string text = error == nullptr ? "" : error;
    sqlite3_free(error);
    sqlite3_close(database);
    return text;
  }

  std::unique_ptr<Backend> BackendAt(const std::string& dsn, bool writes = false) {
    setenv("BK_TEST_DSN", dsn.c_str(), 1);
    auto source = DsnSource::Variable("BK_TEST_DSN");
    EXPECT_THAT(source, IsOk());
    return MakeSqliteBackend(
        {.id = "db", .dsn = *std::move(source), .writes = writes, .program = BK_SANDBOX_WORKER},
        clock_, log_);
  }

  std::string Run(Backend& backend, const std::string& sql, RunLimits limits = {}) {
    return AnswerText(backend.Run({.sql = sql, .parameters = {}, .database = {}}, limits, stop_));
  }
  std::string Read(const std::string& sql, RunLimits limits = {}) {
    if (backend_ == nullptr) backend_ = BackendAt(path_);
    return Run(*backend_, sql, limits);
  }

  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> Files() const {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      files.insert(entry.path().filename());
    }
    return files;
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
  RealClock clock_;
  FakeLogger log_;
  StopSignal stop_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_BACKEND_TEST_UTIL_H_
