// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgementBuilder collects the effects that a judge finds and keeps the worst
// risk among them. It lists at most kMaxEffects, the worst first, so that a
// hostile text cannot make an endless answer; the risk counts all of them.

#ifndef BRIDGEKEEPER_POLICY_GUARD_JUDGEMENT_BUILDER_H_
#define BRIDGEKEEPER_POLICY_GUARD_JUDGEMENT_BUILDER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/decision.h"

namespace bridgekeeper {

// Effects listed in one judgement.
inline constexpr size_t kMaxEffects = 64;
// Bytes of Effect::object that are kept.
inline constexpr size_t kMaxEffectObjectBytes = 256;

class JudgementBuilder {
 public:
  // Notes one effect. The same kind, object and risk is listed once, at its first
  // position.
  void Add(std::string_view kind, std::string_view object, std::optional<size_t> position,
           Risk risk, std::string_view why);

  // The judgement of a text that was read: its risk is the worst of the effects,
  // SAFE where there is none.
  Judgement Finish(int statements) &&;

 private:
  std::vector<Effect> effects_;
  Risk worst_ = Risk::kSafe;
};

// A judgement that could not be made, or was made of nothing or of too much.
// `position`, where known, is listed as an UNREADABLE effect.
// REQUIRES: error != kNone
Judgement JudgementError(Judgement::Error error, std::string message, int statements = 0,
                         std::optional<size_t> position = std::nullopt);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_JUDGEMENT_BUILDER_H_
