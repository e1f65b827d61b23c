// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/safe_functions.h"

#include <algorithm>

#include "policy/guard/safe_function.h"

namespace bridgekeeper::postgres {

SafeFunctions::SafeFunctions(const std::set<std::string>& entries) {
  for (const std::string& entry : entries) {
    const auto function = ParseSafeFunction(entry);
    if (!function || function->schema() == nullptr || !function->arguments) continue;
    entries_[function->name.Folded()].push_back(
        {function->schema()->Folded(), *function->arguments});
  }
}

bool SafeFunctions::Cover(std::string_view schema, std::string_view name,
                          std::optional<size_t> arguments) const {
  const auto found = entries_.find(name);
  return found != entries_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](const Entry& entry) {
           return entry.arguments == arguments && (schema.empty() || entry.schema == schema);
         });
}

}  // namespace bridgekeeper::postgres
