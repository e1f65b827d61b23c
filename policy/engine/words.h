// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to policy/engine: pieces of text that reasons, explanations and notices
// share. Text of the caller is escaped and bounded here.

#ifndef BRIDGEKEEPER_POLICY_ENGINE_WORDS_H_
#define BRIDGEKEEPER_POLICY_ENGINE_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/engine/compiled.h"
#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper::internal {

// Text that came from outside in backticks: escaped for people, without backticks
// of its own, and at most as long as an id may be.
std::string Quote(std::string_view text);

// "READ and WRITE", "no action".
std::string ActionsText(ActionSet actions);

// "a, b and c"; empty for no words.
std::string JoinWords(const std::vector<std::string>& words);

// In milliseconds at the finest: "5m", "1.5s".
std::string DurationText(absl::Duration duration);

// Says which part of a call makes it malformed; `entry` covers its tool, or is null.
std::string InvalidRequestText(const ToolCall& call, const CatalogEntry* entry);

}  // namespace bridgekeeper::internal

#endif  // BRIDGEKEEPER_POLICY_ENGINE_WORDS_H_
