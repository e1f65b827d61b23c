// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The method table: which methods of MCP pass the bridge, and how. What is not in it
// does not pass.
//
// Source: MCP 2024-11-05 to 2025-11-25 (sessions), 2026-07-28 (stateless), and the
// extension io.modelcontextprotocol/tasks.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_METHODS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_METHODS_H_

#include <cstdint>
#include <string_view>

namespace bridgekeeper::bridge {

enum class Treatment : uint8_t {
  kRefused,       // -32601, METHOD_NOT_ALLOWED
  kPassed,        // as it is
  kInitialize,    // passed; the answer may be told that the list of tools can change
  kToolsList,     // answered from the upstream's list, cut and annotated by the policy
  kToolsCall,     // decided
  kResources,     // by the policy's `resources`
  kPrompts,       // by the policy's `prompts`
  kCompletion,    // by `resources` or `prompts`, as its `ref` says
  kSubscription,  // by the policy, as what it asks for says
  kTask,          // only for a task whose call was decided here
};

// A request of the client.
Treatment ClientRequest(std::string_view method);

// A request of the server: kPassed, kTask or kRefused.
Treatment ServerRequest(std::string_view method);

// A notification, of either side: kPassed or kRefused.
Treatment Notification(std::string_view method);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_METHODS_H_
