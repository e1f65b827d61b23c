// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Members of one JSON object whose names differ in nothing but case: a reader that
// ignores case takes the one for the other, so nobody can say which of them counts.

#ifndef BRIDGEKEEPER_POLICY_GUARD_CASE_TWIN_H_
#define BRIDGEKEEPER_POLICY_GUARD_CASE_TWIN_H_

#include <optional>

#include "policy/base/json.h"

namespace bridgekeeper {

// The first member of `object` whose name is an earlier one's but for the case of ASCII
// letters; nullopt: none, or no object. Objects within are not looked into.
std::optional<JsonValue> FindCaseTwin(JsonValue object);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_CASE_TWIN_H_
