// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What changed between two configurations, and which of it opens something: lets an
// agent reach what it could not reach before, runs another program, or believes
// another keeperd. What a rule here does not name opens.
//
//   opens      a server or connection that is new; another command, url, app, keeperd,
//              environment, folder or connection of one; writes; a higher limit or risk
//   does not   one that is gone; another prefix; the built-in catalogue taken away; a
//              lower limit or risk; another order
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_DIFF_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_DIFF_H_

#include <string>
#include <vector>

#include "clients/bridge/config/config.h"

namespace bridgekeeper::bridge {

// The differences, each as `servers.disk.app: a -> b`. Names what changed and never a
// secret: of a command its program and the number of its arguments, of an environment
// the names, of an address no query.
std::vector<std::string> DifferencesOf(const BridgeConfig& from, const BridgeConfig& to);

// `to` with everything that opens as `from` has it; `from` itself where the two do not go
// together. What is held back is DifferencesOf(result, to).
BridgeConfig WithoutOpening(const BridgeConfig& from, const BridgeConfig& to);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_DIFF_H_
