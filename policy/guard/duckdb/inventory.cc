// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/inventory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/guard/effects.h"

namespace bridgekeeper::duckdb {
namespace {

struct Row {
  Kind kind;
  std::string_view name;
  Does does;
};

#include "policy/guard/duckdb/functions.inc"

constexpr DoesInfo kInfos[] = {
    {"", Risk::kSafe, ""},
    {"", Risk::kSafe, ""},
    {effect::kSensitiveRead, Risk::kElevated,
     "shows a setting that is not on the list of harmless ones"},
    {effect::kSensitiveRead, Risk::kElevated,
     "shows settings, other statements, paths of the host, or statistics that hold values"},
    {effect::kSensitiveRead, Risk::kDestructive, "shows credentials, or settings that hold them"},
    {effect::kHostFile, Risk::kDestructive, "opens or lists files of the host, or fetches URLs"},
    {effect::kHostFile, Risk::kDestructive, "reads whatever table or file a string names"},
    {effect::kDynamicCode, Risk::kDestructive, "runs text that it is given"},
    {effect::kSetting, Risk::kDestructive, "changes a setting, or what is logged"},
    {effect::kMaintenance, Risk::kElevated, "writes what is in memory to disk"},
    {effect::kOtherSession, Risk::kDestructive, "ends other transactions"},
    {effect::kSequence, Risk::kElevated, "draws from a sequence"},
    {effect::kSession, Risk::kElevated, "changes the session"},
    {effect::kServer, Risk::kElevated, "writes the caller's text into the server's log"},
    {effect::kResource, Risk::kElevated, "holds the connection, or can end the process"},
    {effect::kFunction, Risk::kElevated, "is meant for the engine's own plans"},
    {effect::kFunction, Risk::kDestructive, "takes an address in the process"},
};
static_assert(std::size(kInfos) == static_cast<size_t>(Does::kAddress) + 1);

// How values are written and compared, and what the session is in.
constexpr std::string_view kHarmlessSettings[] = {
    "binary_as_string",
    "calendar",
    "default_collation",
    "default_null_order",
    "default_order",
    "errors_as_json",
    "ieee_floating_point_ops",
    "integer_division",
    "max_expression_depth",
    "max_memory",
    "memory_limit",
    "null_order",
    "old_implicit_casting",
    "order_by_non_integer_literal",
    "pivot_limit",
    "preserve_identifier_case",
    "preserve_insertion_order",
    "scalar_subquery_error_on_multiple_rows",
    "schema",
    "search_path",
    "threads",
    "timezone",
    "worker_threads",
};

}  // namespace

const DoesInfo& InfoOf(Does does) { return kInfos[static_cast<size_t>(does)]; }

std::optional<Does> Find(Kind kind, std::string_view name) {
  const auto* const row =
      std::lower_bound(std::begin(kRows), std::end(kRows), std::pair(kind, name),
                       [](const Row& a, const auto& b) { return std::pair(a.kind, a.name) < b; });
  if (row == std::end(kRows) || row->kind != kind || row->name != name) return std::nullopt;
  return row->does;
}

bool IsHarmlessSetting(std::string_view name) {
  return std::binary_search(std::begin(kHarmlessSettings), std::end(kHarmlessSettings), name);
}

}  // namespace bridgekeeper::duckdb
