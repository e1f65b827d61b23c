// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/duckdb_database.h"

#include <cstdio>

#include "policy/base/check.h"

namespace bridgekeeper {
namespace {

void Open(duckdb_database& database, duckdb_connection& connection, const char* file) {
  duckdb_config config = nullptr;
  BK_CHECK(duckdb_create_config(&config) == DuckDBSuccess);
  for (const auto& [name, value] :
       {std::pair("autoinstall_known_extensions", "false"),
        std::pair("autoload_known_extensions", "false"), std::pair("threads", "1")}) {
    BK_CHECK(duckdb_set_config(config, name, value) == DuckDBSuccess);
  }
  BK_CHECK(duckdb_open_ext(file, &database, config, nullptr) == DuckDBSuccess);
  duckdb_destroy_config(&config);
  BK_CHECK(duckdb_connect(database, &connection) == DuckDBSuccess);
}

}  // namespace

DuckdbDatabase::DuckdbDatabase(const std::string& file, const std::string& schema) {
  if (!file.empty()) {
    Open(database_, connection_, file.c_str());
    BK_CHECK(!Run(schema).has_value());
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  Open(database_, connection_, nullptr);
  if (!file.empty()) {
    BK_CHECK(!Run("ATTACH '" + file + "' AS lake (READ_ONLY)").has_value());
    BK_CHECK(!Run("USE lake").has_value());
  }
}

DuckdbDatabase::~DuckdbDatabase() {
  duckdb_disconnect(&connection_);
  duckdb_close(&database_);
}

std::optional<std::string> DuckdbDatabase::Run(const std::string& sql) {
  duckdb_result result;
  std::optional<std::string> error;
  if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
    const char* message = duckdb_result_error(&result);
    error = message == nullptr ? "no reason given" : message;
  }
  duckdb_destroy_result(&result);
  return error;
}

std::vector<std::string> DuckdbDatabase::Rows(const std::string& sql) {
  duckdb_result result;
  if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
    std::fprintf(stderr, "%s: %s\n", sql.c_str(), duckdb_result_error(&result));
    BK_CHECK(false);
  }
  std::vector<std::string> rows;
  for (idx_t row = 0; row < duckdb_row_count(&result); ++row) {
    std::string text;
    for (idx_t column = 0; column < duckdb_column_count(&result); ++column) {
      char* const value = duckdb_value_varchar(&result, column, row);
      text += std::string(column == 0 ? "" : "|") + (value == nullptr ? "" : value);
      duckdb_free(value);
    }
    rows.push_back(std::move(text));
  }
  duckdb_destroy_result(&result);
  return rows;
}

std::string DuckdbDatabase::State() {
  std::string state;
  for (const char* sql :
       {"SELECT name, value FROM duckdb_settings() ORDER BY ALL",
        "SELECT database_name, path, readonly FROM duckdb_databases() ORDER BY ALL",
        "SELECT name FROM duckdb_secrets() ORDER BY ALL",
        "SELECT name, value FROM duckdb_variables() ORDER BY ALL",
        "SELECT extension_name, loaded, installed FROM duckdb_extensions() ORDER BY ALL",
        "SELECT name FROM duckdb_prepared_statements() ORDER BY ALL",
        "SELECT database_name, schema_name, table_name FROM duckdb_tables() ORDER BY ALL",
        "SELECT database_name, view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
        "SELECT sequence_name, last_value FROM duckdb_sequences() ORDER BY ALL",
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
        "SELECT type_name FROM duckdb_types() WHERE NOT internal ORDER BY ALL"}) {
    state += std::string(sql) + "\n";
    for (const std::string& row : Rows(sql)) state += row + "\n";
  }
  return state;
}

}  // namespace bridgekeeper
