// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ScanText bounds a text before any parser sees it: size, NUL bytes, UTF-8 and the
// number of tokens. A parser's stack, memory and time grow with the tokens, so a
// bound on them is a bound on those.
//
// Source: policy/spec.md, clause G2.

#ifndef BRIDGEKEEPER_POLICY_GUARD_TEXT_SCAN_H_
#define BRIDGEKEEPER_POLICY_GUARD_TEXT_SCAN_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "policy/guard/judge.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

struct TextLimits {
  size_t max_bytes = kMaxJudgedBytes;
  // Counted without looking into quotes and comments, so never too low: each run
  // of letters, digits, `_`, `$` and bytes above 0x7F is one, each other byte that
  // is no white space is one.
  size_t max_tokens = kMaxJudgedBytes;
};

// Returns what is wrong with `text`, or nullopt where it may be parsed.
std::optional<Judgement> ScanText(std::string_view text, const TextLimits& limits);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_TEXT_SCAN_H_
