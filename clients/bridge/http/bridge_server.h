// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// BridgeServer is `keeper-bridge serve` without its process: the servers of a
// configuration behind one HTTP listener.
//
//   /mcp                 every server, names prefixed
//   /servers/NAME/mcp    one server with its own names
//   /tools, /invoke, /   for clients of data-studio, where configured
//   /livez               200 while the process serves
//   /readyz              200 once the policy of every app is known, 503 before
//   /health              what is configured, as JSON
//   /metrics             Prometheus
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/http/http_server.h"
#include "clients/bridge/http/mcp_endpoint.h"
#include "clients/bridge/metrics/metrics.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "policy/guard/judge.h"
#include "runtime/id_source.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// How long requests in flight may take to end when the bridge is told to stop.
inline constexpr absl::Duration kDrainTimeout = absl::Seconds(10);

struct BridgeServerParts {
  clients::PolicySource& policies;
  const PayloadJudge* judge;  // null: payloads are not judged
  const Clock& clock;
  IdSource& ids;
  Logger& log;
  BridgeMetrics& metrics;
  // Told of every decision and list, after our own counters.
  std::function<std::unique_ptr<BridgeObserver>(const ServerConfig& server)> make_observer;
  std::function<ReportCounts()> report_counts;
  // How the configuration was read again; null: it is not.
  std::function<ReloadCounts()> reload_counts;
  std::string version;
};

struct BridgeServerLimits {
  HttpServerOptions http;  // its address and rules are not looked at
  McpEndpoint::Limits endpoint;
  absl::Duration drain_timeout = kDrainTimeout;
};

// What a configuration wants that this build does not have.
//
// Errors:
//   kUnimplemented   - a connection of a type that is not served, or more than one keeperd.
//   kInvalidArgument - a connection accepts a risk that its engine does not know.
absl::Status CheckIsServed(const BridgeConfig& config);

class BridgeServer {
 public:
  // Listens and starts the servers. What is named must outlive it, and `io` must not run
  // after it is gone.
  //
  // Errors:
  //   kInvalidArgument - a server's environment names a variable that ours does not have.
  //   kNotFound        - a connection's `dsn_env` does.
  //   kAlreadyExists   - another program is announced in the port file.
  //   kUnimplemented   - as CheckIsServed() has it.
  //   kUnavailable     - the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<BridgeServer>> Create(boost::asio::io_context& io,
                                                              BridgeConfig config,
                                                              BridgeServerParts parts,
                                                              BridgeServerLimits limits = {});
  ~BridgeServer();

  // Puts another configuration in force, whole or not at all. Servers whose configuration
  // is the same keep their connection and their clients. One that is gone or changed ends
  // what it has in flight (for at most the drain timeout) and then itself, its clients'
  // sessions end (404), and a changed one is started anew beside it. Clients of all servers
  // keep their session and are told that the lists changed.
  //
  // Errors, after which nothing has changed:
  //   kInvalidArgument, kUnimplemented - as for Create().
  //   kFailedPrecondition - another `listen` or `announce`, which want a restart, or the
  //                         bridge is stopping.
  absl::Status Reload(BridgeConfig config);

  // What is in force.
  const BridgeConfig& config() const;

  // Where it listens, IP:PORT.
  std::string address() const;

  // Accepts no more, lets what is in flight end, stops the servers, then calls `done`.
  // Called again, it does not wait for what is in flight.
  void Stop(std::function<void()> done);

 private:
  class Impl;
  explicit BridgeServer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_BRIDGE_SERVER_H_
