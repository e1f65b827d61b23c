// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/words.h"

namespace bridgekeeper {
namespace internal {
namespace {

std::string KeyText(const CatalogKey& key) {
  return absl::StrFormat("app %s, server %s", key.app ? Quote(key.app->value()) : "`*`",
                         key.server ? Quote(key.server->value()) : "`*`");
}

}  // namespace

std::string DescribeRequest(const Evaluation& e, ReasonCode reason) {
  if (reason != kPassed) return InvalidRequestText(e.call, nullptr);
  return absl::StrFormat("tool %s", Quote(e.call.tool));
}

std::string DescribePolicy(const Evaluation& e, ReasonCode reason) {
  if (e.rep == nullptr) {
    if (reason == ReasonCode::kUnknownApp) return "there is none";
    if (reason == ReasonCode::kPolicyUnsupported) return "a record of it is not understood";
    return "there is no copy";
  }
  if (reason == ReasonCode::kSuspended) return "`suspended` is true";
  if (reason == ReasonCode::kPolicyUnsupported) return "`requires` names an unknown feature";
  return absl::StrFormat("revision %d, %s old, at most %s", e.rep->policy_revision.value,
                         DurationText(e.view.age), DurationText(StalenessBound(e)));
}

std::string DescribeTool(const Evaluation& e, ReasonCode reason) {
  if (reason == ReasonCode::kUnknownTool) return "no entry, and no server lists it";
  std::string text = e.entry == nullptr ? std::string("no entry")
                                        : absl::StrFormat("entry of %s: %s", KeyText(e.entry->key),
                                                          Name(e.entry->risk));
  if (e.entry != nullptr && e.entry->disabled) text += ", disabled";
  if (!e.reviewed) {
    text += absl::StrFormat(", not reviewed: `unreviewed_tools` is %s, so it counts as %s",
                            Name(e.policy().unreviewed_tools), Name(e.tool_risk));
  }
  if (reason == ReasonCode::kToolChanged || e.definition_changed) {
    text += absl::StrFormat(", its definition changed: `pinning` is %s", Name(e.policy().pinning));
  }
  if (e.call.declared_risk) text += absl::StrFormat(", declared %s", Name(*e.call.declared_risk));
  return text;
}

std::string DescribeConnection(const Evaluation& e, ReasonCode reason) {
  if (reason == ReasonCode::kConnectionRequired) return "none given, and the tool needs one";
  if (reason == ReasonCode::kConnectionInvalid) return "what is given is no valid id";
  if (reason == ReasonCode::kConnectionAmbiguous) {
    return e.connection_id.empty()
               ? std::string("two are given, or a look-alike of the argument that names it")
               : absl::StrFormat("%s differs from a known id only by case", Quote(e.connection_id));
  }
  return e.connection_id.empty() ? std::string("none given, none needed") : Quote(e.connection_id);
}

std::string DescribeAllowlist(const Evaluation& e, ReasonCode reason) {
  if (!e.rep->has_allowlist) return "`allowed_connection_ids` is empty: every connection";
  if (e.connection_id.empty()) return "no connection";
  return absl::StrFormat("%s is %s of the %d in `allowed_connection_ids`", Quote(e.connection_id),
                         reason == kPassed ? "one" : "none",
                         e.policy().allowed_connection_ids.size());
}

std::string DescribePayload(const Evaluation& e, ReasonCode reason) {
  if (e.judged) {
    return absl::StrFormat("judged: the call is %s, the tool may carry %s%s", Name(e.risk),
                           Name(CapOf(e)),
                           e.reviewed && e.entry->raise ? " and more (`raise`)" : "");
  }
  if (reason != kPassed) return "not judged";
  if (e.judge == nullptr) return "not judged: no judge here";
  if (!e.call.arguments && !e.call.payload) return "not judged: no arguments carried";
  return "not judged: the tool has no payload rule";
}

std::string DescribeOverride(const Evaluation& e, ReasonCode) {
  const auto it = e.policy().connection_overrides.find(ConnectionId(e.connection_id));
  if (e.connection_id.empty() || it == e.policy().connection_overrides.end()) return "no override";
  return absl::StrFormat("%s allows %s, the call needs %s", Quote(e.connection_id),
                         ActionsText(ActionsOf(it->second)), ActionsText(e.actions));
}

std::string DescribeDestructive(const Evaluation& e, ReasonCode) {
  return absl::StrFormat("the call is %s, `confirm_destructive` is %s", Name(e.risk),
                         e.policy().confirm_destructive ? "true" : "false");
}

std::string DescribeMode(const Evaluation& e, ReasonCode) {
  return absl::StrFormat("the call is %s, %s reaches %s", Name(e.risk), Name(e.policy().mode),
                         Name(ReachOf(e.policy().mode)));
}

std::string DescribeReadOnlyBridge(const Evaluation& e, ReasonCode) {
  return absl::StrFormat("the call is %s, the bridge is %s", Name(e.risk),
                         e.call.read_only_bridge ? "read-only" : "not read-only");
}

}  // namespace internal

Explanation Explain(const PolicyView& view, const ToolCall& call, const PayloadJudge* judge) {
  using internal::kPassed;
  Explanation explanation;
  internal::Evaluation e{
      .view = view, .call = call, .judge = judge, .judgement = &explanation.judgement};
  std::optional<Decision> decision;
  for (const internal::Check& check : internal::AllChecks()) {
    CheckOutcome& outcome = explanation.checks.emplace_back();
    outcome.name = check.info.name;
    if ((check.needs & ~e.facts) != 0) continue;
    const ReasonCode reason = check.run(e);
    outcome.result =
        reason == kPassed ? CheckOutcome::Result::kPassed : CheckOutcome::Result::kFailed;
    if (reason != kPassed) outcome.reason = reason;
    outcome.detail = check.describe(e, reason);
    if (reason != kPassed && !decision) decision = internal::Denied(e, reason);
  }
  // No check was left out where none failed: each passed one states its facts.
  explanation.decision = decision ? *decision : internal::Granted(e);
  explanation.reason_text = ReasonText(view, call, explanation.decision,
                                       explanation.judgement ? &*explanation.judgement : nullptr);
  if (e.entry != nullptr) {
    explanation.entry = *e.entry;
    explanation.catalog_risk = e.entry->risk;
  }
  return explanation;
}

}  // namespace bridgekeeper
