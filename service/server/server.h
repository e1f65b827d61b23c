// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Server is the composition root of keeperd: it makes every part, joins them, and takes
// them apart again in order. Tests start it in their own process.
//
// A stop goes: not ready -> streams end, requests in flight are answered -> listeners
// close -> the store's watch ends -> the store closes.
//
// Thread safety: Stop() is called once, by one thread; the rest may be called from any.

#ifndef BRIDGEKEEPER_SERVICE_SERVER_SERVER_H_
#define BRIDGEKEEPER_SERVICE_SERVER_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "service/config/options.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

// What the program knows of itself and lends to the server. All outlives it.
struct ServerEnvironment {
  Logger& log;
  const Clock& clock;
  IdSource& ids;
  std::function<uint64_t()> log_lines_dropped;
};

class Server {
 public:
  // Starts to serve and is ready when it returns. `options` have been validated. With
  // no admin token every write is refused.
  //
  // Errors:
  //   kUnavailable - cannot listen on an address; the message names it.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Options& options,
                                                       std::unique_ptr<store::PolicyStore> store,
                                                       std::optional<std::string_view> admin_token,
                                                       const ServerEnvironment& environment);
  ~Server();

  // Where it listens, with the ports that were bound.
  std::string grpc_address() const;
  std::string http_address() const;
  std::string metrics_address() const;

  // Stops as described at the top. Returns false where requests had to be cancelled
  // because they did not end within `options.drain_timeout`.
  bool Stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_SERVER_SERVER_H_
