// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Values as MongoDB's Extended JSON writes them: what is a value of a BSON type and
// what is an operator, both of which begin with `$`.
//
// Source: MongoDB Extended JSON v2 specification (canonical and relaxed) and its
// section on v1; policy/spec.md, clauses G60 and G61.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MONGODB_EXTENDED_JSON_H_
#define BRIDGEKEEPER_POLICY_GUARD_MONGODB_EXTENDED_JSON_H_

#include <optional>
#include <string>

#include "policy/base/json.h"

namespace bridgekeeper::mongodb {

// Open objects and arrays in a command. MongoDB nests documents to 100 levels; the
// rest is for the command around one and for Extended JSON's own objects.
inline constexpr int kMaxDepth = 120;

// True where `value` is an object that stands for one value of a BSON type, such as
// {"$oid": "..."}: its members are exactly that type's and hold nothing but scalars,
// so no operator can stand in it.
bool IsTypedValue(JsonValue value);

// True where `value` may be switched off and plainly is: false, null or 0.
bool IsPlainlyOff(JsonValue value);

// What makes a command unreadable, wherever it stands.
struct Unreadable {
  std::string message;
  JsonValue at;
};

// Looks at every member's name and at the depth. Refused are names with a NUL, at
// which BSON ends a name, and names in which a dollar sign follows nothing but what is
// not seen, or is another character that looks like one: a reader that cleans names
// would take them for operators.
std::optional<Unreadable> FindUnreadable(JsonValue command);

}  // namespace bridgekeeper::mongodb

#endif  // BRIDGEKEEPER_POLICY_GUARD_MONGODB_EXTENDED_JSON_H_
