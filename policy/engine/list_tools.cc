// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/words.h"

namespace bridgekeeper {
namespace {

using internal::Evaluation;
using internal::Hypothesis;

// What a policy can hide, in the order in which a notice names it.
enum class HiddenKind : uint8_t {
  kReads,
  kWrites,
  kDestructive,
  kUnreviewed,
  kChanged,
  kDisabled,
  kConnection,
  kReadOnlyBridge,
  kEverything,
  kOther,  // not hidden by a policy
};

constexpr std::array<std::string_view, 9> kHiddenNames = {
    "tools that read",
    "tools that write",
    "destructive tools",
    "tools that nobody has reviewed",
    "tools that changed since their review",
    "disabled tools",
    "tools of a connection that is not allowed",
    "tools that do more than read (read-only bridge)",
    "all tools",
};
static_assert(kHiddenNames.size() == static_cast<size_t>(HiddenKind::kOther));

HiddenKind KindOf(Risk risk) {
  switch (risk) {
    case Risk::kDestructive:
      return HiddenKind::kDestructive;
    case Risk::kElevated:
      return HiddenKind::kWrites;
    case Risk::kSafe:
      return HiddenKind::kReads;
  }
  return HiddenKind::kDestructive;
}

HiddenKind KindOf(const Decision& denial) {
  using enum ReasonCode;
  switch (denial.reason) {
    case kConnectionActionNotAllowed:
    case kDestructiveDisabled:
    case kModeTooLow:
      return KindOf(denial.effective_risk);
    case kToolUnreviewed:
      return HiddenKind::kUnreviewed;
    case kToolChanged:
      return HiddenKind::kChanged;
    case kToolDisabled:
      return HiddenKind::kDisabled;
    case kConnectionNotAllowed:
    case kConnectionAmbiguous:
      return HiddenKind::kConnection;
    case kReadOnlyBridge:
      return HiddenKind::kReadOnlyBridge;
    case kSuspended:
      return HiddenKind::kEverything;
    case kUnspecified:
    case kAllowed:
    case kConfirmDestructive:
    case kInvalidRequest:
    case kUnknownApp:
    case kPolicyUnsupported:
    case kPolicyMissing:
    case kPolicyStale:
    case kUnknownTool:
    case kConnectionInvalid:
    case kConnectionRequired:
    case kDialectUnknown:
    case kPayloadMissing:
    case kStatementEmpty:
    case kStatementUnreadable:
    case kStatementMultiple:
    case kStatementExceedsTool:
    case kMethodNotAllowed:
    case kNoWayToAsk:
    case kAskDeclined:
    case kApprovalRequired:
    case kApprovalInvalid:
    case kObligationUnsupported:
    case kNotAuthorized:
    case kPdpUnreachable:
    case kAuditUnavailable:
    case kOverloaded:
    case kEvaluationFault:
      return HiddenKind::kOther;
  }
  return HiddenKind::kOther;
}

std::string NoticeOf(const std::array<bool, kHiddenNames.size()>& hidden) {
  std::vector<std::string> names;
  for (size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i]) names.emplace_back(kHiddenNames[i]);
  }
  if (names.empty()) return {};
  return absl::StrFormat(
      "[Policy: %s are hidden from this app; only an administrator can change that.]",
      internal::JoinWords(names));
}

// The risk that the annotations of a shown tool tell. Where the tool's payload may
// raise its risk, the client must be told the worst that could pass, or its own
// confirmation would be fooled.
Risk ListedRisk(const PolicyView& view, const ToolCall& call, const Evaluation& shown) {
  if (!shown.reviewed || !shown.entry->raise) return shown.risk;
  for (const Risk risk : {Risk::kDestructive, Risk::kElevated}) {
    if (!MoreHarmful(risk, shown.risk)) break;
    ToolCall raised = call;
    raised.declared_risk = risk;
    Evaluation e{.view = view, .call = raised, .hypothesis = shown.hypothesis};
    if (internal::Run(e).verdict != Verdict::kDeny) return risk;
  }
  return shown.risk;
}

}  // namespace

Annotations AnnotationsFor(Risk risk) {
  switch (risk) {
    case Risk::kSafe:
      return {.read_only_hint = true,
              .destructive_hint = false,
              .idempotent_hint = true,
              .open_world_hint = false};
    case Risk::kElevated:
      return {.read_only_hint = false,
              .destructive_hint = false,
              .idempotent_hint = false,
              .open_world_hint = true};
    case Risk::kDestructive:
      return {.read_only_hint = false,
              .destructive_hint = true,
              .idempotent_hint = false,
              .open_world_hint = true};
  }
  return {};
}

ToolListing ListTools(const PolicyView& view, const ListContext& context,
                      std::span<const ToolToList> tools) {
  ToolListing listing;
  std::array<bool, kHiddenNames.size()> hidden = {};
  for (size_t i = 0; i < tools.size(); ++i) {
    ToolCall call;
    call.tool = tools[i].tool;
    call.server = context.server;
    call.builtin_catalog = context.builtin_catalog;
    call.connection = context.fixed_connection;
    call.definition_digest = tools[i].definition_digest;
    call.read_only_hint = tools[i].read_only_hint;
    call.listed_by_server = context.listed_by_server;
    call.read_only_bridge = context.read_only;
    Evaluation e{.view = view, .call = call, .hypothesis = {.any_connection = true}};
    const Decision decision = internal::Run(e);
    if (decision.verdict != Verdict::kDeny) {
      const Risk risk = ListedRisk(view, call, e);
      listing.shown.push_back({i, risk, AnnotationsFor(risk)});
      continue;
    }
    listing.hidden.push_back({i, decision.reason});
    if (const HiddenKind kind = KindOf(decision); kind != HiddenKind::kOther) {
      hidden[static_cast<size_t>(kind)] = true;
    }
  }
  listing.notice = NoticeOf(hidden);
  return listing;
}

}  // namespace bridgekeeper
