// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <string_view>

#include "policy/base/check.h"
#include "policy/engine/engine.h"
#include "policy/engine/evaluation.h"

namespace bridgekeeper {
namespace {

ReasonCode RunCheck(std::string_view name, internal::Evaluation& e) {
  for (const internal::Check& check : internal::AllChecks()) {
    if (check.info.name == name) return check.run(e);
  }
  BK_CHECK(false);  // the table has every name used below
}

Passage PassageOf(const McpPolicy& policy, MethodFamily family) {
  switch (family) {
    case MethodFamily::kResources:
      return EffectiveResources(policy);
    case MethodFamily::kPrompts:
      return EffectivePrompts(policy);
  }
  return Passage::kDeny;
}

}  // namespace

Decision DecidePassage(const PolicyView& view, MethodFamily family,
                       std::optional<std::string_view> fixed_connection) {
  ToolCall call;
  call.connection = fixed_connection;
  internal::Evaluation e{
      .view = view, .call = call, .hypothesis = {.any_connection = !fixed_connection.has_value()}};
  if (const ReasonCode reason = RunCheck("policy", e); reason != internal::kPassed) {
    return internal::Denied(e, reason);
  }
  e.facts |= internal::kTool;
  e.risk = Risk::kSafe;
  e.Add(Risk::kSafe);
  if (PassageOf(e.policy(), family) == Passage::kDeny) {
    return internal::Denied(e, ReasonCode::kMethodNotAllowed);
  }
  for (const std::string_view check : {"connection", "allowlist", "override"}) {
    if (const ReasonCode reason = RunCheck(check, e); reason != internal::kPassed) {
      return internal::Denied(e, reason);
    }
  }
  return internal::Granted(e);
}

}  // namespace bridgekeeper
