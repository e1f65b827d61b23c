// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The closed vocabularies of a decision. In each enum the zero value is the safe
// reading: what an unset or unknown value on the wire becomes.
//
// Each enum has one table of names in enums.cc; printing and parsing read it.
//
// Source: policy/spec.md, sections P (policy), D (decision).

#ifndef BRIDGEKEEPER_POLICY_MODEL_ENUMS_H_
#define BRIDGEKEEPER_POLICY_MODEL_ENUMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bridgekeeper {

enum class Verdict : uint8_t { kDeny, kAsk, kAllow };

// What a call can do. Ordered from the most to the least harmful, so that zero is
// the safe reading; compare with MoreHarmful() and Worst(), never with `<`.
enum class Risk : uint8_t {
  kDestructive,  // delete, drop, truncate
  kElevated,     // insert, update, create
  kSafe,         // read, query, metadata
};

// The action of a connection override. One to one with Risk: kRead is kSafe,
// kWrite is kElevated, kDelete is kDestructive.
enum class Action : uint8_t { kDelete, kWrite, kRead };

// How far a policy lets calls go.
enum class Mode : uint8_t {
  kReadOnly,       // SAFE calls
  kDataReadWrite,  // and ELEVATED
  kFullAccess,     // and DESTRUCTIVE
};

// How an ASK reaches a person.
enum class AskMode : uint8_t {
  kApproval,  // an operator approves in the console or with the CLI
  kElicit,    // the bridge asks through MCP elicitation
  kClient,    // the agent's own client asked, told by destructiveHint
};

enum class UnreviewedTools : uint8_t { kDeny, kAsDestructive };
enum class Pinning : uint8_t { kEnforce, kWarn, kOff };
enum class Passage : uint8_t { kDeny, kAllow };  // resources/*, prompts/*

// Whether a call of a tool names a connection.
enum class NeedsConnection : uint8_t {
  kUnknown,  // counts as kYes where the policy has an allowlist or an override
  kYes,
  kNo,
};

enum class ReasonCode : uint8_t {
  // Never sent; a reader treats it as a denial.
  kUnspecified,
  // Verdicts that are not denials.
  kAllowed,
  kConfirmDestructive,
  // Check 1: request and policy.
  kInvalidRequest,
  kUnknownApp,
  kSuspended,
  kPolicyUnsupported,
  kPolicyMissing,
  kPolicyStale,
  // Check 2: tool.
  kUnknownTool,
  kToolDisabled,
  kToolUnreviewed,
  kToolChanged,
  // Check 3: connection.
  kConnectionAmbiguous,
  kConnectionInvalid,
  kConnectionRequired,
  // Check 4: allowlist.
  kConnectionNotAllowed,
  // Check 5: payload.
  kDialectUnknown,
  kPayloadMissing,
  kStatementEmpty,
  kStatementUnreadable,
  kStatementMultiple,
  kStatementExceedsTool,
  // Checks 6 to 8.
  kConnectionActionNotAllowed,
  kDestructiveDisabled,
  kModeTooLow,
  // Enforcement side.
  kReadOnlyBridge,
  kMethodNotAllowed,
  kNoWayToAsk,
  kAskDeclined,
  kApprovalRequired,
  kApprovalInvalid,
  kObligationUnsupported,
  kNotAuthorized,
  kPdpUnreachable,
  kAuditUnavailable,
  kOverloaded,
  kEvaluationFault,
};

// Bare names as printed in JSON, tables and documents: "ALLOW", "DATA_READ_WRITE".
std::string_view Name(Verdict);
std::string_view Name(Risk);
std::string_view Name(Action);
std::string_view Name(Mode);
std::string_view Name(AskMode);
std::string_view Name(UnreviewedTools);
std::string_view Name(Pinning);
std::string_view Name(Passage);
std::string_view Name(NeedsConnection);
std::string_view Name(ReasonCode);

// All names of an enum, in the order of its values.
template <typename Enum>
std::span<const std::string_view> NamesOf();

// Reads a name in any of the spellings READ_ONLY, read-only, readOnly, ReadOnly:
// equal after dropping `_` and `-` and folding ASCII case. nullopt where it is
// none of them.
template <typename Enum>
std::optional<Enum> ParseEnum(std::string_view text);

// The more harmful of two risks.
Risk Worst(Risk a, Risk b);
// True where `a` is more harmful than `b`.
bool MoreHarmful(Risk a, Risk b);
// The action that a call of this risk performs.
Action ActionOf(Risk risk);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_MODEL_ENUMS_H_
