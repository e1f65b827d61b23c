// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// BridgeObserver is told what a bridge decided and which tools it saw. Reports to
// keeperd and metrics are observers.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_OBSERVER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_OBSERVER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "clients/bridge/mcp/tool_list.h"
#include "policy/model/enums.h"
#include "policy/model/policy.h"

namespace bridgekeeper::bridge {

// A tool call that was decided. Owns all that it says.
struct DecidedCall {
  absl::Time time;
  absl::Duration duration;  // of deciding
  std::string decision_id;
  std::string tool;
  std::string connection;  // empty: none was checked
  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;
  Risk effective_risk = Risk::kDestructive;
  bool judged = false;
  std::string reason_text;
  AskMode ask_mode = AskMode::kApproval;
  std::optional<Limits> obligations;
  int64_t policy_revision = 0;
  int64_t catalog_revision = 0;
  // SHA-256 of the canonical arguments, hexadecimal; empty: they are no JSON object.
  std::string arguments_digest;
  std::string session;  // empty: the client has none
  // What the client says of itself. Informational.
  std::string client_name;
  std::string client_version;
};

class BridgeObserver {
 public:
  virtual ~BridgeObserver() = default;

  // Called on the bridge's thread, which must not be held up.
  virtual void OnDecision(const DecidedCall& call) = 0;

  // The server's whole list was read. Called for every reading.
  virtual void OnToolsListed(const UpstreamToolList& list) = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_OBSERVER_H_
