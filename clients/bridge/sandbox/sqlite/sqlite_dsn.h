// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The connection string of an SQLite database.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_DSN_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_DSN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bridgekeeper::bridge {

// A database file, as its connection string names it:
//   PATH                        or  file:PATH
//   file:PATH?immutable=1       nobody changes it while it is open: no lock is taken
//   file:PATH?side_files=allowed  a database in WAL mode may have its -wal and -shm made
struct SqliteFile {
  std::string path;
  bool immutable = false;
  bool side_files = false;
};

// Errors:
//   kInvalidArgument - no absolute path, or another parameter; the text is not quoted.
absl::StatusOr<SqliteFile> ParseSqliteDsn(std::string_view dsn);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_DSN_H_
