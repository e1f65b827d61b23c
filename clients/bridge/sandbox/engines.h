// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The engines that the bridge serves itself: one row each in engines.cc.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ENGINES_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ENGINES_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/sandbox/backend.h"
#include "policy/base/clock.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// What the connection wants that this build does not have.
//
// Errors:
//   kUnimplemented   - its type.
//   kInvalidArgument - `role_risks` names one that the engine does not know.
absl::Status CheckIsServed(const ConnectionConfig& connection);

// The back end of a connection; it connects to nothing yet. What is named must outlive
// it.
//
// Errors: those of CheckIsServed(); kNotFound: its variable is not in the environment.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ConnectionConfig& connection,
                                                     const Clock& clock, Logger& log);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ENGINES_H_
