// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The node kinds of the linked parser and the types of their fields, so that its
// JSON can be walked with the kind of each object known: where a field's type says
// it, the JSON leaves it out.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_GRAMMAR_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bridgekeeper::postgres {

// Types of a field that are no kind.
inline constexpr int16_t kScalar = -1;   // number, string, truth value or enum
inline constexpr int16_t kAnyKind = -2;  // an object of one member, whose name is the kind

struct GrammarField {
  std::string_view name;
  int16_t type;  // the index of a kind, or one of the above
};

struct GrammarKind {
  std::string_view name;
  uint16_t first_field;
  uint16_t last_field;  // after the last
};

// All kinds, ordered by name; an index into them names a kind.
std::span<const GrammarKind> GrammarKinds();

// The fields of a kind, in the order in which the parser writes them.
std::span<const GrammarField> FieldsOf(int16_t kind);

// The index of the kind with this name.
std::optional<int16_t> FindKind(std::string_view name);

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_GRAMMAR_H_
