// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MetricsServer answers GET /metrics on a loopback address, by the rules that every
// HTTP listener of ours keeps (runtime/http_listener_rules.h).
//
// Thread safety: everything happens on the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_METRICS_METRICS_SERVER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_METRICS_METRICS_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bridgekeeper::bridge {

// Connections at one time; further ones wait.
inline constexpr size_t kMaxMetricsConnections = 8;
// How long a connection may take in all.
inline constexpr absl::Duration kMetricsTimeout = absl::Seconds(5);

class MetricsServer {
 public:
  // Listens on `address`, IP:PORT; port 0 takes a free one. `page` makes what is
  // answered.
  //
  // Errors:
  //   kInvalidArgument - not IP:PORT, or not loopback: the page tells who is denied
  //                      what, and has no password.
  //   kUnavailable     - the address is in use, or not this machine's.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Create(boost::asio::io_context& io,
                                                               const std::string& address,
                                                               std::function<std::string()> page);
  ~MetricsServer();

  // IP:PORT with the port that was taken.
  const std::string& address() const;

 private:
  class Acceptor;
  explicit MetricsServer(std::shared_ptr<Acceptor> acceptor);
  const std::shared_ptr<Acceptor> acceptor_;
};

// Reads IP:PORT of a loopback address, as MetricsServer::Create does.
absl::Status CheckMetricsAddress(const std::string& address);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_METRICS_METRICS_SERVER_H_
