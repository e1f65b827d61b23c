// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL as a back end. Each call has a session of its own, which is closed after
// it, so nothing lasts; a read's transaction is READ ONLY, checked to be so before the
// statement is sent, and never committed. A statement goes by the extended protocol,
// which carries one.
//
// A caller's read is prepared first, and refused where what it reaches is not known
// (live_catalogue.h).
//
// Rows come one at a time. The bytes of the statement's answer are read by us and handed
// to libpq in pieces of kReceiveBytes, so that a value larger than the limit is seen
// after that limit and one piece, whatever libpq would read in one go.
//
// Source: PostgreSQL 15, chapters 34 (libpq) and 55 (protocol).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_POSTGRES_BACKEND_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_POSTGRES_BACKEND_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/sandbox/dsn_source.h"
#include "policy/base/clock.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// How long connecting may take, within the call's own limit.
inline constexpr absl::Duration kConnectTimeout = absl::Seconds(10);
// How long a statement waits for a lock.
inline constexpr absl::Duration kLockTimeout = absl::Seconds(5);
// What the client waits beyond the server's own limit of time before it ends the session.
inline constexpr absl::Duration kServerGrace = absl::Seconds(1);
// Bytes that libpq is handed at a time.
inline constexpr size_t kReceiveBytes = 64 << 10;

struct PostgresOptions {
  std::string id;  // of the connection, for the log
  DsnSource dsn;
  bool writes = false;
  std::vector<std::string> role_risks;  // that are accepted
  // What views, policies, checks, operators and casts may call: schema.name(types).
  std::set<std::string> safe_functions;
};

// Connects to nothing yet. What is named must outlive it.
std::unique_ptr<Backend> MakePostgresBackend(PostgresOptions options, const Clock& clock,
                                             Logger& log);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_POSTGRES_BACKEND_H_
