// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A DuckDB database, and the back end on it in its worker process, with no guard before
// it: what holds is the engine and what we do with it.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_BACKEND_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_BACKEND_TEST_UTIL_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/sandbox/backend_test_util.h"
#include "clients/bridge/sandbox/duckdb/duckdb_api.h"
#include "clients/bridge/sandbox/duckdb/duckdb_backend.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/judge_worker.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {

inline constexpr const char* kSchema[] = {
    "CREATE TABLE customer (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL DEFAULT 'x', paid DOUBLE)",
    "CREATE INDEX by_name ON customer (name)",
    "CREATE TABLE \"order\" (id BIGINT PRIMARY KEY, customer BIGINT REFERENCES customer (id))",
    "CREATE VIEW payer AS SELECT id FROM customer WHERE paid > 0",
    "CREATE SEQUENCE number START 7",
    "CREATE MACRO twice(a) AS a * 2",
    "INSERT INTO customer SELECT i, 'name ' || i, i FROM range(1, 11) r(i)",
};

inline const DuckdbApi& Library() {
  static const absl::StatusOr<DuckdbApi> api = DuckdbApi::Open(DuckdbLibraryPath());
  EXPECT_THAT(api, IsOk());
  return *api;
}

class DuckdbBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    lake_ = folder_.string() + "/lake/";
    std::filesystem::create_directory(lake_);
    std::ofstream(lake_ + "lines.csv") << "a,b\n1,one\n2,two\n";
    std::ofstream(folder_ / "outside.csv") << "a,b\n1,hidden\n";
    path_ = folder_ / "shop.duckdb";
    ASSERT_EQ(RunPlainly(absl::StrJoin(kSchema, ";")), "");
    // Whatever the engine puts there would be seen.
    temporary_ = folder_ / "tmp";
    std::filesystem::create_directory(temporary_);
    setenv("TMPDIR", temporary_.c_str(), 1);
  }

  // What the library does with `sql` when nothing stands before it; its error.
  std::string RunPlainly(const std::string& sql) const {
    const DuckdbApi& api = Library();
    duckdb_config config = nullptr;
    api.create_config(&config);
    // A download would be no answer.
    api.set_config(config, "autoinstall_known_extensions", "false");
    duckdb_database database = nullptr;
    duckdb_connection connection = nullptr;
    EXPECT_EQ(api.open_ext(path_.c_str(), &database, config, nullptr), DuckDBSuccess);
    api.connect(database, &connection);
    duckdb_extracted_statements statements = nullptr;
    const idx_t count = api.extract_statements(connection, sql.c_str(), &statements);
    std::string error = count == 0 ? "it does not parse" : "";
    for (idx_t i = 0; i < count && error.empty(); ++i) {
      duckdb_prepared_statement prepared = nullptr;
      duckdb_result result = {};
      if (api.prepare_extracted_statement(connection, statements, i, &prepared) != DuckDBSuccess) {
        error = api.prepare_error(prepared);
      } else if (api.execute_prepared(prepared, &result) != DuckDBSuccess) {
        error = api.result_error(&result);
      }
      api.destroy_result(&result);
      api.destroy_prepare(&prepared);
    }
    api.destroy_extracted(&statements);
    api.disconnect(&connection);
    api.close(&database);
    api.destroy_config(&config);
    return error;
  }

  std::unique_ptr<Backend> BackendAt(const std::string& dsn, bool writes = false) {
    setenv("BK_TEST_DSN", dsn.c_str(), 1);
    auto source = DsnSource::Variable("BK_TEST_DSN");
    EXPECT_THAT(source, IsOk());
    return MakeDuckdbBackend(
        {.id = "db", .dsn = *std::move(source), .writes = writes, .program = BK_SANDBOX_WORKER},
        clock_, log_);
  }

  std::string Setup() const {
    return absl::StrFormat(R"x({"attach": {"shop": "%s"}, "folders": ["%s"],
        "views": {"line": "SELECT * FROM read_csv('%slines.csv')"}})x",
                           path_.string(), lake_, lake_);
  }

  std::string Run(Backend& backend, const std::string& sql, RunLimits limits = {}) {
    return AnswerText(backend.Run({.sql = sql, .parameters = {}, .database = {}}, limits, stop_));
  }
  std::string Read(const std::string& sql, RunLimits limits = {}) {
    if (backend_ == nullptr) backend_ = BackendAt(Setup());
    return Run(*backend_, sql, limits);
  }

  // Every file below the test's folder with its bytes; the engine's own are gone.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path()] =
          entry.is_directory() ? "" : std::string{std::istreambuf_iterator<char>(file), {}};
    }
    return files;
  }
  void Restore(const std::map<std::string, std::string>& files) const {
    for (const auto& [path, bytes] : Files()) {
      if (!files.contains(path)) std::filesystem::remove_all(path);
    }
    for (const auto& [path, bytes] : files) {
      if (std::filesystem::is_directory(path)) continue;
      std::ofstream(path, std::ios::binary) << bytes;
    }
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::string lake_;
  RealClock clock_;
  FakeLogger log_;
  StopSignal stop_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_BACKEND_TEST_UTIL_H_
