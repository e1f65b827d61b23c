// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// An entry of `safe_functions` in a connection's record: the function that it lists as
// harmless. One form for every dialect; what of it must be there, and how names are
// compared, each judge says (policy/spec.md, clauses G5, G18, G22, G26 and what follows).
//
//   schema.name(type, ...)     plain names
//   "Schema"."odd.name"(type)  quoted ones; two quotes stand for one
//   name                       without parentheses: any number of arguments

#ifndef BRIDGEKEEPER_POLICY_GUARD_SAFE_FUNCTION_H_
#define BRIDGEKEEPER_POLICY_GUARD_SAFE_FUNCTION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper {

struct SafeFunction {
  struct Part {
    std::string text;  // without the quotes
    bool quoted = false;

    // What a reader makes of it that ignores the case of plain names.
    std::string Folded() const;
  };

  std::vector<Part> qualifiers;  // what stands before the name: a schema, a database and a schema
  Part name;
  // How many types stand in the parentheses; nullopt: there are none.
  std::optional<size_t> arguments;

  // The last qualifier; null where there is not exactly one.
  const Part* schema() const { return qualifiers.size() == 1 ? &qualifiers[0] : nullptr; }
};

// nullopt: not of this form. Such an entry covers nothing.
std::optional<SafeFunction> ParseSafeFunction(std::string_view entry);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_SAFE_FUNCTION_H_
