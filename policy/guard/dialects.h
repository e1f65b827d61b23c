// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The dialects that the guard knows: one row each in dialects.cc. To add one,
// write policy/guard/<dialect>.{h,cc} and its row.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DIALECTS_H_
#define BRIDGEKEEPER_POLICY_GUARD_DIALECTS_H_

#include <span>
#include <string_view>

#include "policy/base/json.h"
#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

struct Dialect {
  std::string_view name;  // lower case
  std::span<const std::string_view> aliases;
  // What a text of this dialect may be for `text` to be proven safe on the guard's
  // stack.
  TextLimits limits;
  // Judges a text that ScanText() passed; null: a payload is never text.
  Judgement (*text)(std::string_view text, const JudgeOptions& options);
  // Judges a JSON object; null: a payload is never an object.
  Judgement (*object)(JsonValue object, const JudgeOptions& options);
  // `text` runs in a worker process (isolated.h): no bound of its time and memory is
  // proven.
  bool isolated = false;
};

// All of them, in the order of their names.
std::span<const Dialect> AllDialects();

// The dialect with this name or alias, ASCII case ignored; null: none.
const Dialect* FindDialect(std::string_view name);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_DIALECTS_H_
