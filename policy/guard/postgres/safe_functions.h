// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SafeFunctions are the functions that a connection's record lists as harmless,
// e.g. `public.add_tax(numeric)`, ready to be asked about many calls.
//
// Source: policy/spec.md, clause G18.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_SAFE_FUNCTIONS_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_SAFE_FUNCTIONS_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/strings.h"

namespace bridgekeeper::postgres {

class SafeFunctions {
 public:
  // An entry that is no `schema.name(types)` covers nothing.
  explicit SafeFunctions(const std::set<std::string>& entries);

  // True where an entry has this name, this number of arguments and, unless
  // `schema` is empty, this schema. A number that is not known is not covered.
  bool Cover(std::string_view schema, std::string_view name, std::optional<size_t> arguments) const;

 private:
  struct Entry {
    std::string schema;
    size_t arguments;
  };
  StringMap<std::vector<Entry>> entries_;  // by name
};

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_SAFE_FUNCTIONS_H_
