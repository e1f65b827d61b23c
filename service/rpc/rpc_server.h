// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// RpcServer is keeperd's gRPC side: the services, reflection and grpc.health.v1 on one
// address. This header has no gRPC in it.
//
// Health answers for "" (the whole server) and for each service by its full name:
// SERVING while requests are taken. "live" is SERVING as long as the process answers,
// so that a probe can tell a server that is draining or busy from one that is dead.
//
// Thread safety: all methods may be called at the same time, but for Shutdown(), which
// is called once.

#ifndef BRIDGEKEEPER_SERVICE_RPC_RPC_SERVER_H_
#define BRIDGEKEEPER_SERVICE_RPC_RPC_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "service/auth/authorizer.h"
#include "service/core/admission.h"
#include "service/core/bridge_registry.h"
#include "service/core/catalog_core.h"
#include "service/core/connection_core.h"
#include "service/core/decision_core.h"
#include "service/core/policy_core.h"
#include "service/core/reported_tools.h"
#include "service/core/watch_hub.h"
#include "service/core/worker_pool.h"
#include "service/observe/metrics.h"
#include "service/rpc/server_api.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

struct RpcServerOptions {
  std::string address = "127.0.0.1:0";  // HOST:PORT or unix:PATH
  ServerFacts facts;
  // How long a client may take nothing of what it was sent.
  absl::Duration stall_timeout = absl::Seconds(30);
};

// All of it outlives the server.
struct RpcServerDeps {
  store::PolicyStore& store;
  DecisionCore& decisions;
  PolicyCore& policies;
  CatalogCore& catalog;
  ConnectionCore& connections;
  ReportedTools& reported_tools;
  BridgeRegistry& bridges;
  WatchHub& watches;
  const Authorizer& authorizer;
  Admission& admission;
  WorkerPool& workers;
  Metrics& metrics;
  Logger& log;
  IdSource& ids;
  const Clock& clock;
};

class RpcServer {
 public:
  // Listens and serves. Not SERVING until SetServing(true).
  //
  // Errors:
  //   kUnavailable - cannot listen on the address; the message names it.
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(const RpcServerOptions& options,
                                                          const RpcServerDeps& deps);
  ~RpcServer();

  // The port that was bound; 0 for a Unix socket.
  int port() const;

  void SetServing(bool serving);

  // Takes no new calls, ends streams, and waits for the calls that are in flight.
  // Returns false where some had to be cancelled after `timeout`.
  bool Shutdown(absl::Duration timeout);

 private:
  struct Impl;
  explicit RpcServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_RPC_SERVER_H_
