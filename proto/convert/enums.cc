// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The model's enums and the wire's have the same values in the same order, the
// wire's one higher, since its zero says "unset". The static_asserts hold both ends
// of each pair; enums_test.cc compares every name.

#include <cstdint>

#include "proto/convert/convert.h"

namespace bridgekeeper::convert {
namespace {

// Moves a value of the wire down by one where it is one that this build knows.
template <typename Model, typename Wire>
std::optional<Model> Known(Wire value, Model last) {
  const int n = static_cast<int>(value) - 1;
  if (n < 0 || n > static_cast<int>(last)) return std::nullopt;
  return static_cast<Model>(n);
}

template <typename Wire, typename Model>
constexpr Wire Shifted(Model value) {
  return static_cast<Wire>(static_cast<int>(value) + 1);
}

static_assert(Shifted<v1::Verdict>(Verdict::kAllow) == v1::VERDICT_ALLOW);
static_assert(Shifted<v1::Risk>(Risk::kSafe) == v1::RISK_SAFE);
static_assert(Shifted<v1::Action>(Action::kRead) == v1::ACTION_READ);
static_assert(Shifted<v1::Mode>(Mode::kFullAccess) == v1::MODE_FULL_ACCESS);
static_assert(Shifted<v1::AskMode>(AskMode::kClient) == v1::ASK_MODE_CLIENT);
static_assert(Shifted<v1::UnreviewedTools>(UnreviewedTools::kAsDestructive) ==
              v1::UNREVIEWED_TOOLS_AS_DESTRUCTIVE);
static_assert(Shifted<v1::Pinning>(Pinning::kOff) == v1::PINNING_OFF);
static_assert(Shifted<v1::Passage>(Passage::kAllow) == v1::PASSAGE_ALLOW);
// Reason codes have an unspecified value on both sides.
static_assert(static_cast<int>(ReasonCode::kEvaluationFault) ==
              static_cast<int>(v1::REASON_CODE_EVALUATION_FAULT));
static_assert(v1::ReasonCode_MAX == v1::REASON_CODE_EVALUATION_FAULT);

}  // namespace

v1::Verdict ToProto(Verdict value) { return Shifted<v1::Verdict>(value); }
v1::Risk ToProto(Risk value) { return Shifted<v1::Risk>(value); }
v1::Action ToProto(Action value) { return Shifted<v1::Action>(value); }
v1::Mode ToProto(Mode value) { return Shifted<v1::Mode>(value); }
v1::AskMode ToProto(AskMode value) { return Shifted<v1::AskMode>(value); }
v1::UnreviewedTools ToProto(UnreviewedTools value) { return Shifted<v1::UnreviewedTools>(value); }
v1::Pinning ToProto(Pinning value) { return Shifted<v1::Pinning>(value); }
v1::Passage ToProto(Passage value) { return Shifted<v1::Passage>(value); }
v1::ReasonCode ToProto(ReasonCode value) { return static_cast<v1::ReasonCode>(value); }

v1::NeedsConnection ToProto(NeedsConnection value) {
  switch (value) {
    case NeedsConnection::kUnknown:
      return v1::NEEDS_CONNECTION_UNSPECIFIED;
    case NeedsConnection::kYes:
      return v1::NEEDS_CONNECTION_YES;
    case NeedsConnection::kNo:
      return v1::NEEDS_CONNECTION_NO;
  }
  return v1::NEEDS_CONNECTION_YES;
}

Verdict FromProto(v1::Verdict value) {
  return Known(value, Verdict::kAllow).value_or(Verdict::kDeny);
}
Risk FromProto(v1::Risk value) { return Known(value, Risk::kSafe).value_or(Risk::kDestructive); }
Mode FromProto(v1::Mode value) { return Known(value, Mode::kFullAccess).value_or(Mode::kReadOnly); }
AskMode FromProto(v1::AskMode value) {
  return Known(value, AskMode::kClient).value_or(AskMode::kApproval);
}
UnreviewedTools FromProto(v1::UnreviewedTools value) {
  return Known(value, UnreviewedTools::kAsDestructive).value_or(UnreviewedTools::kDeny);
}
Pinning FromProto(v1::Pinning value) {
  return Known(value, Pinning::kOff).value_or(Pinning::kEnforce);
}
ReasonCode FromProto(v1::ReasonCode value) {
  if (value < 0 || value > v1::ReasonCode_MAX) return ReasonCode::kUnspecified;
  return static_cast<ReasonCode>(value);
}
std::optional<Action> FromProto(v1::Action value) { return Known(value, Action::kRead); }

std::optional<Passage> FromProto(v1::Passage value) {
  if (value == v1::PASSAGE_UNSPECIFIED) return std::nullopt;
  return Known(value, Passage::kAllow).value_or(Passage::kDeny);
}

NeedsConnection FromProto(v1::NeedsConnection value) {
  switch (value) {
    case v1::NEEDS_CONNECTION_UNSPECIFIED:
      return NeedsConnection::kUnknown;
    case v1::NEEDS_CONNECTION_NO:
      return NeedsConnection::kNo;
    case v1::NEEDS_CONNECTION_YES:
    default:  // a value of a newer writer: the strictest
      return NeedsConnection::kYes;
  }
}

}  // namespace bridgekeeper::convert
