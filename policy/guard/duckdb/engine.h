// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DuckDB's parser, from the library that LoadEngine() has opened. Programs do not
// link DuckDB: only a worker process loads it, so it is never in the process that
// decides and holds secrets.
//
// Thread safety: used by one thread at a time.
// Source: DuckDB's C API (duckdb.h); the functions are looked up by name, since the
// header is of another release than the library.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_ENGINE_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_ENGINE_H_

#include <string>

#include "absl/status/status.h"
#include "policy/guard/duckdb/parser.h"

namespace bridgekeeper::duckdb {

// The release whose functions and parse trees are reviewed.
inline constexpr char kEngineVersion[] = "v1.5.6";

// Opens the library at `path` and an empty database in memory: one thread, no
// extension is installed or loaded, no file or address outside is reached, and the
// configuration is locked. Once is enough.
//
// Errors:
//   kUnimplemented       - built without DuckDB (BK_WITH_DUCKDB).
//   kNotFound            - the library cannot be opened, or lacks a function.
//   kFailedPrecondition  - it is not kEngineVersion.
//   kInternal            - it opens no database.
absl::Status LoadEngine(const std::string& path);

// The parser of the engine; null where LoadEngine() has not succeeded.
SqlParser* LoadedEngine();

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_ENGINE_H_
