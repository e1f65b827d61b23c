// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SQLite itself, as a worker process runs it: the only file that uses it. One statement
// at a time, in a connection of its own that is closed after it.
//
// The walls of a read, each of which stands alone: the file is open for reading only; an
// authorizer that denies by default is set before the first text is compiled (functions,
// table-valued functions and PRAGMAs by the inventory of policy/guard); what SQLite says
// writes is not stepped; the switches that make one SELECT run code are off.
//
// A change runs in a transaction of its own, which is committed only where all of it came
// within the limits. Its authorizer lets it write rows and definitions of the database;
// ATTACH, PRAGMAs that set, temporary objects, transaction control and modules outside the
// inventory stay denied. Foreign keys are enforced and triggers run, as the schema has them.
//
// Source: sqlite.org: c3ref/set_authorizer, c3ref/stmt_readonly, security.html,
// c3ref/c_dbconfig_defensive.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_WORKER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_WORKER_H_

#include <cstdint>
#include <vector>

#include "runtime/worker.h"

namespace bridgekeeper::bridge {

// Memory that the engine may have.
inline constexpr int64_t kSqliteHeapBytes = int64_t{128} << 20;

// What one value may have while a change builds a row: a row has values that it leaves alone.
inline constexpr int kSqliteChangedValueBytes = 32 << 20;

std::vector<WorkerKind> SqliteWorkerKinds();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SQLITE_SQLITE_WORKER_H_
