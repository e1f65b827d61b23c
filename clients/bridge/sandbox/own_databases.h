// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a core must know of the bridge's own databases to decide calls on them.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_OWN_DATABASES_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_OWN_DATABASES_H_

#include <memory>
#include <vector>

#include "clients/bridge/config/config.h"
#include "clients/bridge/mcp/core.h"

namespace bridgekeeper::bridge {

// A call is refused on one of `connections` with
//   DIALECT_UNKNOWN       - the connection's record names another type than the bridge is
//                           configured with, or string rules that a session of ours does
//                           not have: its text was read by other rules than it would run
//   READ_ONLY_BRIDGE      - it would write where the connection or the policy only reads
//   STATEMENT_EXCEEDS_TOOL - it controls transactions, in every mode
// What the databases answer as UNKNOWN_EFFECT is what was found in their catalogue.
std::unique_ptr<OwnDatabases> MakeOwnDatabases(std::vector<ConnectionConfig> connections);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_OWN_DATABASES_H_
