// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reloader puts the configuration's file in force again: all of it is validated, then
// swapped; on any error the old one stays. A reload that a person asked for (SIGHUP)
// applies everything; one because the file changed only what opens nothing (diff.h),
// and says in the log what waits.
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_RELOADER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_RELOADER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/http/bridge_server.h"
#include "clients/bridge/keeper_link.h"
#include "clients/bridge/metrics/metrics.h"
#include "clients/bridge/options.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// The configuration that a command line names, with what the command line says besides.
//
// Errors: as LoadBridgeConfig() and CheckIsServed(), and
//   kInvalidArgument - a server is given the bridge's own credential for keeperd.
// What is valid and yet worth a look is added to `warnings`, unless that is null. With
// `checks_places` the errors of CheckPlaces() too.
absl::StatusOr<BridgeConfig> LoadServed(const ServeCommand& command,
                                        std::vector<Issue>* warnings = nullptr,
                                        bool checks_places = true);

// A line of the log for each.
void LogWarnings(const std::vector<Issue>& warnings, const ServeCommand& command, Logger& log);

// Whom a configuration wants to follow; what it leaves out is as the command has it.
KeeperLink::Target TargetOf(const ServeCommand& command, const BridgeConfig& config);

class Reloader {
 public:
  enum class Cause { kSignal, kFileChange };

  // All of it must outlive the reloader; `counts` is kept up to date.
  Reloader(const ServeCommand& command, KeeperLink& keeper, BridgeServer& server,
           ReloadCounts& counts, Logger& log)
      : command_(command), keeper_(keeper), server_(server), counts_(counts), log_(log) {}

  void Reload(Cause cause);

 private:
  absl::Status Apply(Cause cause);

  const ServeCommand& command_;
  KeeperLink& keeper_;
  BridgeServer& server_;
  ReloadCounts& counts_;
  Logger& log_;
  std::vector<std::string> held_;  // what the log has told of
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_RELOADER_H_
