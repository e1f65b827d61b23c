// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The connection string of DuckDB, which is a set-up by people who are trusted:
//
//   /srv/shop.duckdb   or  file:/srv/shop.duckdb      one database, read only
//   {"attach": {"shop": "/srv/shop.duckdb"},          databases, read only but for a change
//                                                     that the connection allows; the first is
//    "folders": ["/srv/lake/", "s3://lake/2026/"],    where names are looked up first
//    "views": {"sale": "SELECT * FROM read_parquet('s3://lake/2026/*.parquet')"},
//    "extensions": ["/srv/duckdb/httpfs.duckdb_extension"],
//    "secrets": [{"type": "s3", "scope": "s3://lake/", "key_id": "...", "secret": "..."}]}
//
// Every member may be left out. It stands in a file or variable that holds credentials
// as any connection string does. A statement of a caller reads what is attached and the
// views; the engine itself reads below `folders` and nowhere else.
//
// Thread safety: free functions without state.
// Source: DuckDB 1.5: ATTACH, CREATE SECRET, `allowed_directories`.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_DSN_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_DSN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bridgekeeper::bridge {

struct DuckdbSetup {
  // One statement of the set-up, and what to call it where it fails.
  struct Step {
    std::string what;
    std::string sql;  // may hold a secret
  };
  // In the order to run them, before the engine is hardened.
  std::vector<Step> steps;
  // Databases that are attached; the names have no quotes.
  std::vector<std::string> databases;
  std::vector<std::string> paths;  // of their files
  // What may be read besides; each ends in `/`.
  std::vector<std::string> folders;
};

// The name of the database where the string is a path.
inline constexpr std::string_view kDuckdbOnlyName = "main_db";

// `writes`: the databases are attached for one change.
//
// Errors:
//   kInvalidArgument - a path that is not absolute, or a member that is unknown or of
//                      another kind; its name is said, its value never.
absl::StatusOr<DuckdbSetup> ParseDuckdbDsn(std::string_view dsn, bool writes = false);

// `text` as a string literal.
std::string DuckdbLiteral(std::string_view text);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_DSN_H_
