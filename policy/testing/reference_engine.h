// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reference engine: sections C, N, D and L of policy/spec.md written down a second
// time, clause by clause, without a thought for speed. It shares nothing with
// policy/engine but the types, so that a mistake has to be made twice to pass.

#ifndef BRIDGEKEEPER_POLICY_TESTING_REFERENCE_ENGINE_H_
#define BRIDGEKEEPER_POLICY_TESTING_REFERENCE_ENGINE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/engine/engine.h"
#include "policy/guard/judge.h"
#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper {

// What the decider knows: PolicyView before compiling.
struct ReferenceWorld {
  PolicyView::State state = PolicyView::State::kPresent;
  AppData data;
  absl::Duration age;
  std::optional<absl::Duration> max_staleness;
};

struct ReferenceAnswer {
  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;
  Risk effective_risk = Risk::kDestructive;
  bool judged = false;
  bool definition_changed = false;
  std::optional<Limits> obligations;
};

struct ReferenceOptions {
  // N7 is left out (L1).
  bool no_connection_needed = false;
  // What a payload does where the tool has a rule, in place of judging one (X3).
  std::optional<Risk> payload_risk;
};

ReferenceAnswer ReferenceDecide(const ReferenceWorld& world, const ToolCall& call,
                                const PayloadJudge* judge, const ReferenceOptions& options = {});

// The entry that covers a tool (C2 to C4), or null.
const CatalogEntry* ReferenceFind(const ReferenceWorld& world, std::string_view tool,
                                  std::optional<std::string_view> server, bool builtin_catalog);

// The risk that the annotations of a tool tell (L4), or nullopt where it is hidden
// (L1). `call` is the call of L1: no arguments, no payload.
std::optional<Risk> ReferenceListedRisk(const ReferenceWorld& world, const ToolCall& call);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_REFERENCE_ENGINE_H_
