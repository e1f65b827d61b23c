// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/engine/engine.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "policy/base/ascii.h"
#include "policy/engine/evaluation.h"
#include "policy/guard/effects.h"

namespace bridgekeeper {
namespace internal {
namespace {

using enum ReasonCode;

ReasonCode CheckRequest(Evaluation& e) {
  const ToolCall& call = e.call;
  if (!IsValidToolName(call.tool)) return kInvalidRequest;
  if (call.server && !IsValidId(*call.server)) return kInvalidRequest;
  if (call.arguments && !call.arguments->is_object()) return kInvalidRequest;
  if (call.payload && !call.payload->is_string() && !call.payload->is_object()) {
    return kInvalidRequest;
  }
  return kPassed;
}

ReasonCode CheckPolicy(Evaluation& e) {
  switch (e.view.state) {
    case PolicyView::State::kNotReceived:
      return kPolicyMissing;
    case PolicyView::State::kUnknownApp:
      return kUnknownApp;
    case PolicyView::State::kNotAuthorized:
      return kNotAuthorized;
    case PolicyView::State::kUnreadable:
      return kPolicyUnsupported;
    case PolicyView::State::kPresent:
      break;
  }
  if (e.view.policy == nullptr) return kPolicyMissing;
  e.rep = &e.view.policy->rep();
  e.facts |= kPolicy;
  if (e.policy().suspended) return kSuspended;
  if (!e.rep->is_understood) return kPolicyUnsupported;
  if (e.view.age > StalenessBound(e)) return kPolicyStale;
  return kPassed;
}

// A tool that nobody reviewed: its entry, if any, is believed in nothing but that
// the tool is at least as harmful as the entry says.
ReasonCode CheckUnreviewedTool(Evaluation& e) {
  if (e.policy().trust_read_only_hint && e.call.read_only_hint) {
    e.tool_risk = e.entry == nullptr ? Risk::kSafe : e.entry->risk;
    return kPassed;
  }
  // It may do anything.
  e.actions = ActionSet::All();
  return e.policy().unreviewed_tools == UnreviewedTools::kAsDestructive ? kPassed : kToolUnreviewed;
}

ReasonCode CheckPin(Evaluation& e) {
  const bool changed = !e.entry->pin.empty() && e.call.definition_digest &&
                       *e.call.definition_digest != e.entry->pin;
  if (!changed) return kPassed;
  switch (e.policy().pinning) {
    case Pinning::kEnforce:
      return kToolChanged;
    case Pinning::kWarn:
      e.definition_changed = true;
      return kPassed;
    case Pinning::kOff:
      return kPassed;
  }
  return kToolChanged;
}

ReasonCode CheckTool(Evaluation& e) {
  e.entry = e.rep->catalog.Find(e.call.tool, e.call.server, e.call.builtin_catalog);
  if (e.entry == nullptr && !e.call.listed_by_server) return kUnknownTool;
  e.reviewed = e.entry != nullptr && e.entry->reviewed;
  ReasonCode reason = kPassed;
  if (e.reviewed) {
    e.tool_risk = e.entry->risk;
    reason = CheckPin(e);
  } else {
    reason = CheckUnreviewedTool(e);
  }
  if (e.entry != nullptr && e.entry->disabled) reason = kToolDisabled;
  e.facts |= kTool;
  e.risk = e.tool_risk;
  e.Add(e.tool_risk);
  if (e.call.declared_risk) e.Add(*e.call.declared_risk);
  return reason;
}

// Reads one letter of `text` at `at` as a reader that ignores case does, and moves
// `at` behind it. U+017F and U+212A are the two letters outside ASCII that fold into
// it.
char FoldedLetter(std::string_view text, size_t& at) {
  constexpr std::string_view kLongS = "\xC5\xBF";
  constexpr std::string_view kKelvin = "\xE2\x84\xAA";
  if (text.substr(at, kLongS.size()) == kLongS) {
    at += kLongS.size();
    return 's';
  }
  if (text.substr(at, kKelvin.size()) == kKelvin) {
    at += kKelvin.size();
    return 'k';
  }
  return ToAsciiLower(text[at++]);
}

// True where a reader that ignores case, as some servers' JSON decoders do, takes
// `key` for `name` although the bytes differ.
bool IsCaseTwin(std::string_view key, std::string_view name) {
  size_t i = 0, j = 0;
  while (i < key.size() && j < name.size()) {
    if (FoldedLetter(key, i) != FoldedLetter(name, j)) return false;
  }
  return i == key.size() && j == name.size() && key != name;
}

// The id that a JSON value names: a string, or an integer by its token where every
// reader takes it for the same number. nullopt: it names none.
std::optional<std::string_view> IdOf(JsonValue value) {
  if (value.is_string()) return value.string();
  if (!value.is_number()) return std::nullopt;
  // 2^53 - 1: above it a reader with doubles sees another number (RFC 8259,
  // section 6). -0 is 0 to most readers, but not the same text.
  constexpr int64_t kLargest = (int64_t{1} << 53) - 1;
  const auto number = value.integer();
  if (!number || *number > kLargest || *number < -kLargest || value.raw() == "-0") {
    return std::nullopt;
  }
  return value.raw();
}

// Reads the connection out of the argument that a reviewed entry names.
ReasonCode ReadConnectionArgument(const Evaluation& e, std::optional<std::string_view>& id) {
  if (!e.reviewed || !e.call.arguments || e.entry->connection_argument.empty()) return kPassed;
  const std::string_view name = e.entry->connection_argument;
  for (const JsonValue argument : *e.call.arguments) {
    if (IsCaseTwin(argument.key(), name)) return kConnectionAmbiguous;
    if (argument.key() != name || argument.is_null()) continue;
    id = IdOf(argument);
    if (!id) return kConnectionInvalid;
  }
  return kPassed;
}

bool NeedsConnectionNow(const Evaluation& e) {
  const NeedsConnection needs = e.reviewed ? e.entry->needs_connection : NeedsConnection::kUnknown;
  switch (needs) {
    case NeedsConnection::kYes:
      return true;
    case NeedsConnection::kUnknown:
      return e.rep->restricts_connections;
    case NeedsConnection::kNo:
      return false;
  }
  return true;
}

ReasonCode CheckConnection(Evaluation& e) {
  std::optional<std::string_view> id;
  if (const ReasonCode reason = ReadConnectionArgument(e, id); reason != kPassed) return reason;
  if (id && e.call.connection && *id != *e.call.connection) return kConnectionAmbiguous;
  if (!id) id = e.call.connection;
  if (!id) {
    if (!e.hypothesis.any_connection && NeedsConnectionNow(e)) return kConnectionRequired;
    e.facts |= kConnection;
    return kPassed;
  }
  e.connection = e.rep->FindKnown(*id);
  // The ids of a policy and of records are valid, so a known one is.
  if (e.connection == nullptr && !IsValidId(*id)) return kConnectionInvalid;
  e.connection_id = *id;
  if (e.connection == nullptr && e.rep->HasCaseTwin(*id)) return kConnectionAmbiguous;
  e.facts |= kConnection;
  return kPassed;
}

ReasonCode CheckAllowlist(Evaluation& e) {
  if (!e.rep->has_allowlist || e.connection_id.empty()) return kPassed;
  return e.connection != nullptr && e.connection->in_allowlist ? kPassed : kConnectionNotAllowed;
}

ReasonCode ReasonOf(Judgement::Error error) {
  switch (error) {
    case Judgement::Error::kNone:
      return kPassed;
    case Judgement::Error::kEmpty:
      return kStatementEmpty;
    case Judgement::Error::kUnreadable:
      return kStatementUnreadable;
    case Judgement::Error::kMultiple:
      return kStatementMultiple;
  }
  return kStatementUnreadable;
}

// Raises the risk to what a payload does, within what the tool may carry.
ReasonCode Weigh(Evaluation& e, Risk payload_risk) {
  const bool within_cap = !MoreHarmful(payload_risk, CapOf(e));
  e.Add(payload_risk);
  const bool raise = e.reviewed && e.entry->raise;
  return within_cap || raise ? kPassed : kStatementExceedsTool;
}

// Finds what is to be judged: a payload that the caller extracted, or what the
// tool's rule makes of the arguments. nullopt: neither is carried.
ReasonCode FindPayload(const Evaluation& e, std::optional<Payload>& payload) {
  if (e.call.payload) payload = PayloadOf(*e.call.payload);
  const PayloadTemplate* rule = e.reviewed ? e.rep->TemplateOf(*e.entry) : nullptr;
  if (rule == nullptr || !e.call.arguments) return kPassed;
  if (FirstUnknownArgument(*e.entry, *rule, *e.call.arguments)) return kInvalidRequest;
  if (rule->form() == PayloadTemplate::Form::kNothing) return kPassed;
  auto filled = FillTemplate(*rule, *e.call.arguments);
  if (!filled) return kPayloadMissing;
  // What is judged must be what runs.
  if (payload && !SamePayload(*payload, *filled)) return kInvalidRequest;
  payload = std::move(filled);
  return kPassed;
}

// The dialect that the tool's rule names, else the type of the connection; empty
// where neither does.
std::string_view DialectOf(const Evaluation& e) {
  if (e.reviewed && e.entry->payload_rule && !e.entry->payload_rule->dialect.empty()) {
    return e.entry->payload_rule->dialect;
  }
  if (e.connection == nullptr || e.connection->record == nullptr) {
    return e.call.connection ? e.call.connection_type.value_or("") : "";
  }
  return e.connection->record->type;
}

ReasonCode JudgePayload(Evaluation& e, const Payload& payload, std::string_view dialect) {
  const JudgeOptions& options =
      e.connection == nullptr ? JudgeOptions() : e.connection->judge_options;
  Judgement judgement = payload.object ? e.judge->JudgeObject(dialect, *payload.object, options)
                                       : e.judge->JudgeText(dialect, payload.text, options);
  e.judged = true;
  const bool leaves_connection =
      std::any_of(judgement.effects.begin(), judgement.effects.end(),
                  [](const Effect& effect) { return effect.kind == effect::kOtherConnection; });
  Risk risk = judgement.risk;
  e.Add(risk);
  if (e.policy().require_proven && !judgement.proven) risk = Worst(risk, Risk::kElevated);
  ReasonCode reason = ReasonOf(judgement.error);
  if (reason != kPassed) risk = Risk::kDestructive;
  if (e.judgement != nullptr) *e.judgement = std::move(judgement);

  const ReasonCode weighed = Weigh(e, risk);
  if (reason != kPassed) return reason;
  return leaves_connection ? kConnectionNotAllowed : weighed;
}

ReasonCode CheckPayload(Evaluation& e) {
  if (e.hypothesis.payload_risk) return Weigh(e, *e.hypothesis.payload_risk);
  if (e.judge == nullptr || (!e.call.arguments && !e.call.payload)) return kPassed;
  std::optional<Payload> payload;
  const ReasonCode found = FindPayload(e, payload);
  if (found == kInvalidRequest) return found;
  if (found == kPassed && !payload) return kPassed;
  const std::string_view dialect = DialectOf(e);
  if (dialect.empty() || !e.judge->Knows(dialect)) return kDialectUnknown;
  if (found != kPassed) return found;
  return JudgePayload(e, *payload, dialect);
}

ReasonCode CheckOverride(Evaluation& e) {
  if (e.connection == nullptr || e.connection->actions.ContainsAll(e.actions)) return kPassed;
  return kConnectionActionNotAllowed;
}

ReasonCode CheckDestructive(Evaluation& e) {
  const bool stopped = e.risk == Risk::kDestructive && !e.policy().confirm_destructive;
  return stopped ? kDestructiveDisabled : kPassed;
}

ReasonCode CheckMode(Evaluation& e) {
  return MoreHarmful(e.risk, ReachOf(e.policy().mode)) ? kModeTooLow : kPassed;
}

ReasonCode CheckReadOnlyBridge(Evaluation& e) {
  return e.call.read_only_bridge && e.risk != Risk::kSafe ? kReadOnlyBridge : kPassed;
}

constexpr ReasonCode kRequestCodes[] = {kInvalidRequest};
constexpr ReasonCode kPolicyCodes[] = {kUnknownApp,    kSuspended,   kPolicyUnsupported,
                                       kPolicyMissing, kPolicyStale, kNotAuthorized};
constexpr ReasonCode kToolCodes[] = {kUnknownTool, kToolDisabled, kToolUnreviewed, kToolChanged};
constexpr ReasonCode kConnectionCodes[] = {kConnectionAmbiguous, kConnectionInvalid,
                                           kConnectionRequired};
constexpr ReasonCode kAllowlistCodes[] = {kConnectionNotAllowed};
constexpr ReasonCode kPayloadCodes[] = {
    kInvalidRequest,      kDialectUnknown,    kPayloadMissing,       kStatementEmpty,
    kStatementUnreadable, kStatementMultiple, kConnectionNotAllowed, kStatementExceedsTool};
constexpr ReasonCode kOverrideCodes[] = {kConnectionActionNotAllowed};
constexpr ReasonCode kDestructiveCodes[] = {kDestructiveDisabled};
constexpr ReasonCode kModeCodes[] = {kModeTooLow};
constexpr ReasonCode kReadOnlyBridgeCodes[] = {kReadOnlyBridge};

// The one list of checks. Deciding, explaining, listing, diffing and the docs walk
// over it; a new check is a new row.
constexpr Check kChecks[] = {
    {{"request", kRequestCodes, "is the request well-formed"},
     kNothing,
     CheckRequest,
     DescribeRequest},
    {{"policy", kPolicyCodes, "is there a policy, in force, understood and fresh"},
     kNothing,
     CheckPolicy,
     DescribePolicy},
    {{"tool", kToolCodes, "is the tool known, enabled, reviewed and unchanged"},
     kPolicy,
     CheckTool,
     DescribeTool},
    {{"connection", kConnectionCodes, "is it clear which connection the call goes to"},
     kPolicy | kTool,
     CheckConnection,
     DescribeConnection},
    {{"allowlist", kAllowlistCodes, "is the connection one of `allowed_connection_ids`"},
     kPolicy | kConnection,
     CheckAllowlist,
     DescribeAllowlist},
    {{"payload", kPayloadCodes, "can the payload be read, and may the tool carry what it does"},
     kPolicy | kTool | kConnection,
     CheckPayload,
     DescribePayload},
    {{"override", kOverrideCodes, "does the connection's override allow the action"},
     kPolicy | kTool | kConnection,
     CheckOverride,
     DescribeOverride},
    {{"destructive", kDestructiveCodes, "is the call harmless enough for `confirm_destructive`"},
     kPolicy | kTool,
     CheckDestructive,
     DescribeDestructive},
    {{"mode", kModeCodes, "does `mode` reach the call's risk"},
     kPolicy | kTool,
     CheckMode,
     DescribeMode},
    {{"read_only_bridge", kReadOnlyBridgeCodes, "may the bridge pass on more than reads"},
     kTool,
     CheckReadOnlyBridge,
     DescribeReadOnlyBridge},
};

}  // namespace

std::span<const Check> AllChecks() { return kChecks; }

Decision Denied(const Evaluation& e, ReasonCode reason) {
  return {
      .verdict = Verdict::kDeny,
      .reason = reason,
      .effective_risk = e.risk,
      .judged = e.judged,
      .definition_changed = e.definition_changed,
      .connection = e.connection_id,
  };
}

Decision Granted(const Evaluation& e) {
  const bool ask = e.risk == Risk::kDestructive;
  Decision decision = Denied(e, ask ? kConfirmDestructive : kAllowed);
  decision.verdict = ask ? Verdict::kAsk : Verdict::kAllow;
  decision.obligations = e.rep->obligations;
  return decision;
}

Decision Run(Evaluation& e) {
  for (const Check& check : kChecks) {
    if (const ReasonCode reason = check.run(e); reason != kPassed) return Denied(e, reason);
  }
  return Granted(e);
}

Risk ReachOf(Mode mode) {
  switch (mode) {
    case Mode::kReadOnly:
      return Risk::kSafe;
    case Mode::kDataReadWrite:
      return Risk::kElevated;
    case Mode::kFullAccess:
      return Risk::kDestructive;
  }
  return Risk::kSafe;
}

Risk CapOf(const Evaluation& e) {
  // Nobody said what an unreviewed tool may carry: its payload raises its risk.
  return e.reviewed ? e.entry->cap.value_or(e.entry->risk) : Risk::kDestructive;
}

absl::Duration StalenessBound(const Evaluation& e) {
  const absl::Duration bound = e.policy().max_staleness;
  return e.view.max_staleness ? std::min(bound, *e.view.max_staleness) : bound;
}

}  // namespace internal

std::vector<CheckInfo> Checks() {
  std::vector<CheckInfo> infos;
  for (const internal::Check& check : internal::AllChecks()) infos.push_back(check.info);
  return infos;
}

Decision Decide(const PolicyView& view, const ToolCall& call, const PayloadJudge* judge) {
  return Decide(view, call, judge, nullptr);
}

Decision Decide(const PolicyView& view, const ToolCall& call, const PayloadJudge* judge,
                std::optional<Judgement>* judgement) {
  if (judgement != nullptr) judgement->reset();
  internal::Evaluation evaluation{
      .view = view, .call = call, .judge = judge, .judgement = judgement};
  return internal::Run(evaluation);
}

}  // namespace bridgekeeper
