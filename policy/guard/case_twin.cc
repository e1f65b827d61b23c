// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/case_twin.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "policy/base/strings.h"

namespace bridgekeeper {

std::optional<JsonValue> FindCaseTwin(JsonValue object) {
  if (!object.is_object()) return std::nullopt;
  absl::flat_hash_set<std::string> seen;
  for (const JsonValue member : object) {
    if (!seen.insert(AsciiLower(member.key())).second) return member;
  }
  return std::nullopt;
}

}  // namespace bridgekeeper
