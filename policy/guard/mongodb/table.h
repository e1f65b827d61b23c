// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Tables of rows with a name, sorted by its bytes and checked when compiling.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MONGODB_TABLE_H_
#define BRIDGEKEEPER_POLICY_GUARD_MONGODB_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace bridgekeeper::mongodb {

// True where each name is greater than the one before it.
template <typename Table>
constexpr bool IsSorted(const Table& table) {
  for (size_t i = 1; i < std::size(table); ++i) {
    if (table[i].name <= table[i - 1].name) return false;
  }
  return true;
}

// The row of `name`; null: none. REQUIRES: IsSorted(table)
template <typename Table>
constexpr auto Find(const Table& table, std::string_view name) -> decltype(std::data(table)) {
  const auto found =
      std::lower_bound(std::begin(table), std::end(table), name,
                       [](const auto& row, std::string_view n) { return row.name < n; });
  return found == std::end(table) || found->name != name ? nullptr : &*found;
}

}  // namespace bridgekeeper::mongodb

#endif  // BRIDGEKEEPER_POLICY_GUARD_MONGODB_TABLE_H_
