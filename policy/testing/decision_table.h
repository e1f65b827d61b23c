// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The decision table, tests/vectors/decision_table.tsv: every combination of mode,
// risk, connection, allowlist, override and confirm_destructive with the verdict
// and reason it must have. Every face of the product is tested against each row.
//
// In a row the tool needs a connection iff the row names one; `-` is a call without
// a connection of a tool that needs none.
//
// Source: policy/spec.md, clause D20.

#ifndef BRIDGEKEEPER_POLICY_TESTING_DECISION_TABLE_H_
#define BRIDGEKEEPER_POLICY_TESTING_DECISION_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper {

struct DecisionRow {
  // What the row says, fit for a test's name: letters, digits and `_`.
  std::string name;
  int line = 0;  // in the file, from 1

  // A policy of kDecisionRowApp.
  McpPolicy policy;
  // The one entry, of kDecisionRowApp and kDecisionRowServer.
  CatalogEntry entry;
  std::optional<std::string> connection;

  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;

  // The call. Its views are of this row.
  ToolCall Call() const;
};

inline constexpr std::string_view kDecisionRowApp = "table-app";
inline constexpr std::string_view kDecisionRowServer = "table-server";

// All 2,052 rows, in the order of the file. Ends the process where the file is not
// there or not well-formed: a test without its table must not pass.
const std::vector<DecisionRow>& DecisionTable();

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_DECISION_TABLE_H_
