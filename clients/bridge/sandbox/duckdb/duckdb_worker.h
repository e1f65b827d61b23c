// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DuckDB itself, as a worker process runs it. One statement at a time, in an engine of
// its own, in memory, that is thrown away after it.
//
// The walls, in the order in which they are put up:
//   1. The engine is opened without downloads, community or unsigned extensions,
//      persistent or readable secrets, with a limit of memory and a folder of this call
//      alone to spill to.
//   2. The operator's set-up runs: databases are attached READ_ONLY.
//   3. Access to files and addresses is closed but for the set-up's folders, and the
//      configuration is locked. What came of it is read back, or nothing runs.
//   4. The text is cut by the engine's own parser and has to be one statement; what it
//      prepares to has to be a SELECT, or an EXPLAIN whose inner statement does nothing.
//
// A change differs in three: the databases are attached for writing, what the text prepares
// to has to be a read or a change of rows or definitions, and it runs in a transaction of
// its own, which is committed only where all of it came within the limits.
//
// The lock leaves some switches open (profiling, logging, variables, the `memory`
// catalogue): they end with the engine of the call.
//
// Source: duckdb.org: securing DuckDB; duckdb.h (duckdb_extract_statements).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_WORKER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_WORKER_H_

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "runtime/worker.h"

namespace bridgekeeper::bridge {

// Threads of the engine.
inline constexpr unsigned kDuckdbThreads = 2;
// Bytes that it may spill to disk.
inline constexpr size_t kDuckdbSpillBytes = size_t{2} << 30;

// How long a call waits where another process has a database open for writing.
inline constexpr absl::Duration kDuckdbLockTimeout = absl::Seconds(5);

std::vector<WorkerKind> DuckdbWorkerKinds();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_WORKER_H_
