// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DuckDB as a back end: each connection has worker processes of its own, and each call
// an engine of its own, which is set up, hardened, checked, asked once and closed. It reads,
// unless the connection allows writes.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_BACKEND_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_BACKEND_H_

#include <memory>
#include <string>
#include <string_view>

#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/sandbox/dsn_source.h"
#include "policy/base/clock.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

inline constexpr std::string_view kDuckdbWorker = "duckdb";

struct DuckdbOptions {
  std::string id;  // of the connection, for the log
  DsnSource dsn;   // duckdb_dsn.h
  bool writes = false;
  std::string program = "/proc/self/exe";  // whose main() knows SandboxWorkerKinds()
};

std::unique_ptr<Backend> MakeDuckdbBackend(DuckdbOptions options, const Clock& clock, Logger& log);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_BACKEND_H_
