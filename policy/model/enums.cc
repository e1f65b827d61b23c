// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/model/enums.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

constexpr std::array<std::string_view, 3> kVerdicts = {"DENY", "ASK", "ALLOW"};
constexpr std::array<std::string_view, 3> kRisks = {"DESTRUCTIVE", "ELEVATED", "SAFE"};
constexpr std::array<std::string_view, 3> kActions = {"DELETE", "WRITE", "READ"};
constexpr std::array<std::string_view, 3> kModes = {"READ_ONLY", "DATA_READ_WRITE", "FULL_ACCESS"};
constexpr std::array<std::string_view, 3> kAskModes = {"APPROVAL", "ELICIT", "CLIENT"};
constexpr std::array<std::string_view, 2> kUnreviewedTools = {"DENY", "AS_DESTRUCTIVE"};
constexpr std::array<std::string_view, 3> kPinnings = {"ENFORCE", "WARN", "OFF"};
constexpr std::array<std::string_view, 2> kPassages = {"DENY", "ALLOW"};
constexpr std::array<std::string_view, 3> kNeedsConnections = {"UNKNOWN", "YES", "NO"};
constexpr std::array<std::string_view, 38> kReasonCodes = {
    "UNSPECIFIED",
    "ALLOWED",
    "CONFIRM_DESTRUCTIVE",
    "INVALID_REQUEST",
    "UNKNOWN_APP",
    "SUSPENDED",
    "POLICY_UNSUPPORTED",
    "POLICY_MISSING",
    "POLICY_STALE",
    "UNKNOWN_TOOL",
    "TOOL_DISABLED",
    "TOOL_UNREVIEWED",
    "TOOL_CHANGED",
    "CONNECTION_AMBIGUOUS",
    "CONNECTION_INVALID",
    "CONNECTION_REQUIRED",
    "CONNECTION_NOT_ALLOWED",
    "DIALECT_UNKNOWN",
    "PAYLOAD_MISSING",
    "STATEMENT_EMPTY",
    "STATEMENT_UNREADABLE",
    "STATEMENT_MULTIPLE",
    "STATEMENT_EXCEEDS_TOOL",
    "CONNECTION_ACTION_NOT_ALLOWED",
    "DESTRUCTIVE_DISABLED",
    "MODE_TOO_LOW",
    "READ_ONLY_BRIDGE",
    "METHOD_NOT_ALLOWED",
    "NO_WAY_TO_ASK",
    "ASK_DECLINED",
    "APPROVAL_REQUIRED",
    "APPROVAL_INVALID",
    "OBLIGATION_UNSUPPORTED",
    "NOT_AUTHORIZED",
    "PDP_UNREACHABLE",
    "AUDIT_UNAVAILABLE",
    "OVERLOADED",
    "EVALUATION_FAULT",
};
static_assert(kReasonCodes.size() == static_cast<size_t>(ReasonCode::kEvaluationFault) + 1);

std::string Fold(std::string_view text) {
  std::string out = AsciiLower(text);
  out.erase(std::remove_if(out.begin(), out.end(), [](char c) { return c == '_' || c == '-'; }),
            out.end());
  return out;
}

template <typename Enum>
std::string_view NameIn(Enum value) {
  return NamesOf<Enum>()[static_cast<size_t>(value)];
}

template <typename Enum>
std::optional<Enum> ParseIn(std::string_view text) {
  const std::string folded = Fold(text);
  const auto names = NamesOf<Enum>();
  for (size_t i = 0; i < names.size(); ++i) {
    if (Fold(names[i]) == folded) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

#define BK_ENUM_NAMES(Enum, table)                             \
  template <>                                                  \
  std::span<const std::string_view> NamesOf<Enum>() {          \
    return table;                                              \
  }                                                            \
  std::string_view Name(Enum value) { return NameIn(value); }  \
  template <>                                                  \
  std::optional<Enum> ParseEnum<Enum>(std::string_view text) { \
    return ParseIn<Enum>(text);                                \
  }

BK_ENUM_NAMES(Verdict, kVerdicts)
BK_ENUM_NAMES(Risk, kRisks)
BK_ENUM_NAMES(Action, kActions)
BK_ENUM_NAMES(Mode, kModes)
BK_ENUM_NAMES(AskMode, kAskModes)
BK_ENUM_NAMES(UnreviewedTools, kUnreviewedTools)
BK_ENUM_NAMES(Pinning, kPinnings)
BK_ENUM_NAMES(Passage, kPassages)
BK_ENUM_NAMES(NeedsConnection, kNeedsConnections)
BK_ENUM_NAMES(ReasonCode, kReasonCodes)

#undef BK_ENUM_NAMES

Risk Worst(Risk a, Risk b) { return MoreHarmful(a, b) ? a : b; }

bool MoreHarmful(Risk a, Risk b) { return static_cast<int>(a) < static_cast<int>(b); }

Action ActionOf(Risk risk) { return static_cast<Action>(risk); }
static_assert(static_cast<int>(Action::kDelete) == static_cast<int>(Risk::kDestructive) &&
              static_cast<int>(Action::kWrite) == static_cast<int>(Risk::kElevated) &&
              static_cast<int>(Action::kRead) == static_cast<int>(Risk::kSafe));

}  // namespace bridgekeeper
