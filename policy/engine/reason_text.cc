// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What an agent is told. Its reader has a shell, so no text holds a command, and
// each denial says that it is not the agent's to lift (policy/spec.md, section R).

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/words.h"
#include "policy/guard/effects.h"

namespace bridgekeeper {
namespace {

using internal::ActionSet;
using internal::Quote;

// What stopped the call, and what the user may ask an administrator to do.
struct Denial {
  std::string what;
  std::string ask;
};

struct Subject {
  const McpPolicy* policy;  // null where there is none
  const ToolCall& call;
  const Decision& decision;
  const CatalogEntry* entry;
  const Judgement* judgement;  // null: nothing was judged

  std::string tool() const { return Quote(call.tool); }
  std::string connection() const { return Quote(decision.connection); }
  std::string_view risk() const { return Name(decision.effective_risk); }
};

std::string SuspendedText(const Subject& s) {
  std::string text = "`suspended` is set in this app's policy";
  if (s.policy != nullptr && !s.policy->suspend_reason.empty()) {
    text += absl::StrFormat(" (%s)", EscapeForPeople(s.policy->suspend_reason, 256));
  }
  return text;
}

std::string UnsupportedText(const Subject& s) {
  if (s.policy != nullptr) {
    for (const std::string& feature : s.policy->requires_features) {
      if (!IsKnownFeature(feature)) {
        return absl::StrFormat(
            "`requires` of this app's policy names %s, which this program does not know",
            Quote(feature));
      }
    }
  }
  // Without a policy: the copy could not be made of the records that came.
  return "a record of this app is not understood by this program";
}

std::string StaleText(const PolicyView& view, const Subject& s) {
  if (s.policy == nullptr) return "the copy of this app's policy is older than `max_staleness`";
  absl::Duration bound = s.policy->max_staleness;
  if (view.max_staleness) bound = std::min(bound, *view.max_staleness);
  return absl::StrFormat(
      "the copy of this app's policy was last confirmed %s ago, and `max_staleness` is %s",
      internal::DurationText(view.age), internal::DurationText(bound));
}

std::string ConnectionArgument(const Subject& s) {
  if (s.entry == nullptr || s.entry->connection_argument.empty()) return "`connection_id`";
  return Quote(s.entry->connection_argument);
}

// What the override must allow, as far as the decision tells (D14).
ActionSet NeededActions(const Subject& s) {
  const bool reviewed = s.entry != nullptr && s.entry->reviewed;
  const bool trusted =
      s.policy != nullptr && s.policy->trust_read_only_hint && s.call.read_only_hint;
  if (!reviewed && !trusted) return ActionSet::All();
  ActionSet needed = ActionSet::None();
  needed.Add(ActionOf(s.entry == nullptr ? Risk::kSafe : s.entry->risk));
  needed.Add(ActionOf(s.decision.effective_risk));
  return needed;
}

std::string OverrideText(const Subject& s) {
  std::string allowed = "less";
  if (s.policy != nullptr) {
    const auto it = s.policy->connection_overrides.find(ConnectionId(s.decision.connection));
    if (it != s.policy->connection_overrides.end()) {
      allowed = internal::ActionsText(internal::ActionsOf(it->second));
    }
  }
  return absl::StrFormat("`connection_overrides` of %s allows %s, and the call needs %s",
                         s.connection(), allowed, internal::ActionsText(NeededActions(s)));
}

std::string ModeText(const Subject& s) {
  if (s.policy == nullptr) return "`mode` of this app's policy does not reach this call";
  return absl::StrFormat("the call is %s, and `mode` of this app's policy is %s, which reaches %s",
                         s.risk(), Name(s.policy->mode), Name(internal::ReachOf(s.policy->mode)));
}

std::string_view ModeNeeded(Risk risk) {
  switch (risk) {
    case Risk::kDestructive:
      return Name(Mode::kFullAccess);
    case Risk::kElevated:
      return Name(Mode::kDataReadWrite);
    case Risk::kSafe:
      return Name(Mode::kReadOnly);
  }
  return Name(Mode::kFullAccess);
}

std::string CapText(const Subject& s) {
  const Risk cap = s.entry == nullptr ? Risk::kSafe : s.entry->cap.value_or(s.entry->risk);
  return absl::StrFormat(
      "the statement is %s, and %s may carry %s at most (`cap` of its catalogue entry)", s.risk(),
      s.tool(), Name(cap));
}

// Bytes that are told of what was judged.
constexpr size_t kMaxBecauseBytes = 400;

// What of the statement stopped the call, behind a colon; the worst effect comes first.
std::string Because(const Subject& s) {
  if (s.judgement == nullptr) return "";
  const Effect* worst = s.judgement->effects.empty() ? nullptr : &s.judgement->effects[0];
  std::string text = s.judgement->message;
  if (text.empty() && worst != nullptr) {
    text = worst->object.empty() ? worst->why
                                 : absl::StrFormat("%s: %s", Quote(worst->object), worst->why);
  }
  if (text.empty()) return "";
  text = EscapeForPeople(text, kMaxBecauseBytes);
  if (worst != nullptr && worst->position) {
    text += absl::StrFormat(" (at byte %d)", *worst->position);
  }
  return ": " + text;
}

// A function that nobody knows can be made known.
std::string OrListFunction(const Subject& s, std::string ask) {
  const bool is_function = s.judgement != nullptr && !s.judgement->effects.empty() &&
                           s.judgement->effects[0].kind == effect::kFunction;
  if (!is_function) return ask;
  return absl::StrFormat(
      "list the function in `safe_functions` of that connection, where it is harmless, or to %s",
      ask);
}

std::string_view AskModeName(const Subject& s) {
  return Name(s.policy == nullptr ? AskMode::kApproval : s.policy->ask_mode);
}

Denial DenialOf(const PolicyView& view, const Subject& s) {
  using enum ReasonCode;
  switch (s.decision.reason) {
    case kUnspecified:
    case kAllowed:
    case kConfirmDestructive:
      return {"the decision names no reason", "look into the decision point's log"};
    case kInvalidRequest:
      return {internal::InvalidRequestText(s.call, s.entry),
              "change what the tool's catalogue entry accepts, where the call itself is right"};
    case kUnknownApp:
      return {"there is no policy of this app", "write a policy for it"};
    case kSuspended:
      return {SuspendedText(s), "resume the app"};
    case kPolicyUnsupported:
      return {UnsupportedText(s), "bring this program up to date"};
    case kPolicyMissing:
      return {"no copy of this app's policy has arrived yet",
              "look after the connection to the decision point"};
    case kPolicyStale:
      return {StaleText(view, s), "look after the connection to the decision point"};
    case kUnknownTool:
      return {absl::StrFormat("no catalogue entry covers the tool %s", s.tool()),
              "add the tool to the catalogue"};
    case kToolDisabled:
      return {absl::StrFormat("`disabled` is set in the catalogue entry of %s", s.tool()),
              "enable the tool"};
    case kToolUnreviewed:
      return {absl::StrFormat("nobody has reviewed the tool %s, and `unreviewed_tools` is DENY",
                              s.tool()),
              "review the tool"};
    case kToolChanged:
      return {absl::StrFormat(
                  "the definition of %s is not the one that was reviewed (`pinning` is ENFORCE)",
                  s.tool()),
              "review the tool again"};
    case kConnectionAmbiguous:
      return {absl::StrFormat("it is not clear which connection %s goes to: two are named, or one "
                              "that differs from a known id only by upper and lower case",
                              s.tool()),
              "say which connection ids there are"};
    case kConnectionInvalid:
      return {absl::StrFormat("%s names no connection: an id is 1 to 128 of [A-Za-z0-9._:@/-]",
                              ConnectionArgument(s)),
              "say which connection ids there are"};
    case kConnectionRequired:
      return {absl::StrFormat("%s must name its connection in %s", s.tool(), ConnectionArgument(s)),
              "say which connections this app may use"};
    case kConnectionNotAllowed:
      if (s.decision.judged) {
        return {absl::StrFormat("the statement reaches outside `databases` of the connection %s",
                                s.connection()),
                "add what it reaches to that connection's record"};
      }
      return {absl::StrFormat("the connection %s is not one of `allowed_connection_ids`",
                              s.connection()),
              "add the connection to this app's policy"};
    case kDialectUnknown:
      return {s.decision.connection.empty()
                  ? std::string(
                        "the statement cannot be judged: no connection names its dialect by `type`")
                  : absl::StrFormat(
                        "the statement cannot be judged: `type` of the connection %s is not "
                        "recorded or names no known dialect",
                        s.connection()),
              "record the connection with its type"};
    case kPayloadMissing:
      return {absl::StrFormat(
                  "the arguments of %s hold no statement where its `payload_rule` looks for one",
                  s.tool()),
              "correct the tool's catalogue entry, where the call itself is right"};
    case kStatementEmpty:
      return {"the payload holds no statement (`payload_rule`)",
              "correct the tool's catalogue entry, where the call itself is right"};
    case kStatementUnreadable:
      return {absl::StrFormat("the statement cannot be read as one of its dialect, so what it does "
                              "is not known (`payload_rule`)%s",
                              Because(s)),
              "check the connection's recorded type, where the statement itself is right"};
    case kStatementMultiple:
      return {
          "the payload holds more than one statement, and each call carries one (`payload_rule`)",
          "run the statements for the user, where they cannot be sent one by one"};
    case kStatementExceedsTool:
      return {CapText(s) + Because(s), OrListFunction(s, "give this app a tool that may carry it")};
    case kConnectionActionNotAllowed:
      return {OverrideText(s) + Because(s),
              OrListFunction(s, "allow the action on that connection")};
    case kDestructiveDisabled:
      return {
          "the call is DESTRUCTIVE, and `confirm_destructive` is false, which switches such calls "
          "off",
          "set `confirm_destructive` to true"};
    case kModeTooLow:
      return {ModeText(s) + Because(s),
              OrListFunction(
                  s, absl::StrFormat("set `mode` to %s", ModeNeeded(s.decision.effective_risk)))};
    case kReadOnlyBridge:
      return {absl::StrFormat("the call is %s, and this bridge carries less: it runs `readonly`, "
                              "its `max_risk` is lower, the connection does not say `writes: "
                              "allowed`, or the policy's `read_only_session` is set",
                              s.risk()),
              "lift that restriction"};
    case kMethodNotAllowed:
      return {
          "this MCP method does not pass the bridge (`resources` and `prompts` of this app's "
          "policy "
          "open theirs)",
          "open it in this app's policy, where the policy can"};
    case kNoWayToAsk:
      return {absl::StrFormat(
                  "a person must agree to this call, `ask_mode` is %s, and there is no way to "
                  "ask one here (that takes a client which declares `elicitation`, and a call "
                  "that is short enough to be shown whole)",
                  AskModeName(s)),
              "choose another `ask_mode`, or to run the call"};
    case kAskDeclined:
      return {absl::StrFormat("a person was asked and did not agree (`ask_mode` is %s)",
                              AskModeName(s)),
              "run the call, where it is wanted after all"};
    case kApprovalRequired:
      return {"an operator must approve this call first (`ask_mode` is APPROVAL)", "approve it"};
    case kApprovalInvalid:
      return {"the approval does not fit this call, was used already or has expired (`ask_mode`)",
              "approve the call as it is now"};
    case kObligationUnsupported:
      return {"`limits` of this app's policy asks for a limit that this bridge cannot keep",
              "change `limits`, or to serve the tool from a built-in back end"};
    case kNotAuthorized:
      return {"the decision point does not accept this bridge's `token`",
              "give the bridge a valid credential"};
    case kPdpUnreachable:
      return {"the decision point (`keeper` address) does not answer", "bring it back"};
    case kAuditUnavailable:
      return {"`audit` is required and its record cannot be kept", "make room for audit records"};
    case kOverloaded:
      return {"too many calls are in flight; the same call may succeed later",
              "raise the capacity"};
    case kEvaluationFault:
      return {"deciding failed by a fault of the decision point itself", "look into its log"};
  }
  return {"the decision names no reason", "look into the decision point's log"};
}

std::string GrantedText(const Subject& s) {
  if (s.decision.verdict == Verdict::kAsk) {
    return absl::StrFormat("%s is %s: a person must agree before it runs (`ask_mode` is %s).",
                           s.tool(), s.risk(), AskModeName(s));
  }
  return absl::StrFormat("Allowed: %s is %s.", s.tool(), s.risk());
}

}  // namespace

std::string ReasonText(const PolicyView& view, const ToolCall& call, const Decision& decision,
                       const Judgement* judgement) {
  const bool present = view.state == PolicyView::State::kPresent && view.policy != nullptr;
  const CatalogEntry* entry =
      present ? view.policy->catalog().Find(call.tool, call.server, call.builtin_catalog) : nullptr;
  const Subject subject{present ? &view.policy->policy() : nullptr, call, decision, entry,
                        judgement};
  if (decision.verdict != Verdict::kDeny) return GrantedText(subject);
  const Denial denial = DenialOf(view, subject);
  return absl::StrFormat(
      "Denied: %s. The user may ask an administrator to %s; do not try to lift this yourself.",
      denial.what, denial.ask);
}

}  // namespace bridgekeeper
