// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DuckdbDatabase is DuckDB itself, with a database attached read-only and everything
// else open, so that what a statement does shows.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_DATABASE_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_DATABASE_H_

#include <duckdb.h>

#include <optional>
#include <string>
#include <vector>

namespace bridgekeeper {

class DuckdbDatabase {
 public:
  // In memory, with nothing attached where `file` is empty. `file` is made with `schema`
  // and attached as `lake`, which is then in use.
  DuckdbDatabase(const std::string& file, const std::string& schema);
  ~DuckdbDatabase();
  DuckdbDatabase(const DuckdbDatabase&) = delete;
  DuckdbDatabase& operator=(const DuckdbDatabase&) = delete;

  // Runs one statement to its end. nullopt: it ran; else the engine's error.
  std::optional<std::string> Run(const std::string& sql);
  // Rows as text, values joined by `|`. Ends the process where the statement fails.
  std::vector<std::string> Rows(const std::string& sql);

  // Settings, databases, secrets, variables, extensions, prepared statements, objects of
  // the session: what a read leaves alone.
  std::string State();

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_DATABASE_H_
