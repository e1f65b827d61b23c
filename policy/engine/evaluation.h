// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to policy/engine: one evaluation of a call, and the one table of checks
// that deciding, explaining, listing and diffing walk over.
//
// Source: policy/spec.md, section D.

#ifndef BRIDGEKEEPER_POLICY_ENGINE_EVALUATION_H_
#define BRIDGEKEEPER_POLICY_ENGINE_EVALUATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policy/engine/compiled.h"
#include "policy/engine/engine.h"

namespace bridgekeeper::internal {

// How a question differs from a call that is about to run.
struct Hypothesis {
  // The connection checks are left out where no connection is given (listing).
  bool any_connection = false;
  // What a payload does, in place of judging one (diff).
  std::optional<Risk> payload_risk;
};

// What checks have found out so far. A check that needs a fact is not made without.
enum Fact : uint8_t {
  kNothing = 0,
  kPolicy = 1 << 0,      // `rep` is set
  kTool = 1 << 1,        // `risk` is the tool's own or worse
  kConnection = 1 << 2,  // `connection_id` is the call's, or none is given
};

struct Evaluation {
  const PolicyView& view;
  const ToolCall& call;
  const PayloadJudge* judge = nullptr;
  std::optional<Judgement>* judgement = nullptr;  // may be null
  Hypothesis hypothesis;

  uint8_t facts = kNothing;
  const CompiledPolicy::Rep* rep = nullptr;
  // The entry that covers the tool; null where none does.
  const CatalogEntry* entry = nullptr;
  // Whether `entry` says what the tool is. False: an unreviewed tool.
  bool reviewed = false;
  // What the catalogue says of the tool; DESTRUCTIVE where it says nothing.
  Risk tool_risk = Risk::kDestructive;
  // The effective risk as far as it is known: the tool's, the declared, the judged.
  Risk risk = Risk::kDestructive;
  // What an override must allow: the action of each risk that `risk` is the worst of.
  // Of the worst alone would not do: sets such as {READ, DELETE} have gaps, into which
  // a caller could otherwise declare itself.
  ActionSet actions = ActionSet::None();
  // Empty: none is given. REQUIRES for the rest: kConnection is known
  std::string_view connection_id;
  // Null: neither the policy nor a record names it.
  const KnownConnection* connection = nullptr;
  bool judged = false;
  bool definition_changed = false;

  const McpPolicy& policy() const { return rep->policy; }

  // Adds a risk to what the call is known to have. REQUIRES: kTool is known
  void Add(Risk more) {
    risk = Worst(risk, more);
    actions.Add(ActionOf(more));
  }
};

// The reason of a check that found nothing against the call.
inline constexpr ReasonCode kPassed = ReasonCode::kAllowed;

struct Check {
  CheckInfo info;
  uint8_t needs;  // facts
  ReasonCode (*run)(Evaluation&);
  // Says what was compared with what, after `run` answered `reason`.
  std::string (*describe)(const Evaluation&, ReasonCode reason);
};

// All checks, in the order in which they are made.
std::span<const Check> AllChecks();

// Makes the checks up to the first that fails.
Decision Run(Evaluation& evaluation);

// The decision where a check failed, and where none did.
Decision Denied(const Evaluation& evaluation, ReasonCode reason);
Decision Granted(const Evaluation& evaluation);

// The describe functions of the table; explain.cc.
std::string DescribeRequest(const Evaluation&, ReasonCode);
std::string DescribePolicy(const Evaluation&, ReasonCode);
std::string DescribeTool(const Evaluation&, ReasonCode);
std::string DescribeConnection(const Evaluation&, ReasonCode);
std::string DescribeAllowlist(const Evaluation&, ReasonCode);
std::string DescribePayload(const Evaluation&, ReasonCode);
std::string DescribeOverride(const Evaluation&, ReasonCode);
std::string DescribeDestructive(const Evaluation&, ReasonCode);
std::string DescribeMode(const Evaluation&, ReasonCode);
std::string DescribeReadOnlyBridge(const Evaluation&, ReasonCode);

// The most harmful risk that a mode lets through.
Risk ReachOf(Mode mode);

// The most harmful payload that the tool of `evaluation` may carry.
// REQUIRES: kTool is known
Risk CapOf(const Evaluation& evaluation);

// How old the copy may be: the policy's bound, or the bridge's lower one.
absl::Duration StalenessBound(const Evaluation& evaluation);

}  // namespace bridgekeeper::internal

#endif  // BRIDGEKEEPER_POLICY_ENGINE_EVALUATION_H_
