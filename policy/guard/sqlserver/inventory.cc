// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlserver/inventory.h"

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"

namespace bridgekeeper::sqlserver {
namespace {

constexpr DoesInfo kInfos[] = {
    {"", Risk::kSafe, ""},
    {effect::kSensitiveRead, Risk::kElevated,
     "shows other sessions, settings of the server, statistics with values, or its log"},
    {effect::kSensitiveRead, Risk::kDestructive, "shows credentials, keys or password hashes"},
    {effect::kHostFile, Risk::kDestructive, "reads, lists or names files of the server's host"},
    {effect::kExternal, Risk::kDestructive, "reaches another server"},
    {effect::kResource, Risk::kElevated, "makes a value of a size that is computed, or large"},
    {effect::kSequence, Risk::kElevated, "moves a sequence on"},
    {effect::kResource, Risk::kElevated, "holds or uses up what others need"},
    {effect::kExternal, Risk::kDestructive,
     "looks up what a computed text names, which may be another server's"},
};
static_assert(std::size(kInfos) == static_cast<size_t>(Does::kDescribes) + 1);

enum class Group : uint8_t {
  kFunction,
  kGlobal,
  kHint,
  kJob,
  kMethod,
  kOld,
  kProcedure,
  kProperty,
  kTable,
  kView,
};

struct Row {
  Group group;
  std::string_view name;
  Does does;

  friend constexpr bool operator<(const Row& a, const Row& b) {
    return a.group != b.group ? a.group < b.group : a.name < b.name;
  }
};

// Made from inventory.tsv: sorted, no row twice.
constexpr Row kRows[] = {
#include "policy/guard/sqlserver/inventory.inc"
};

// Whether `pattern`, in which `*` stands for any letters, is `text`.
bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = pattern.npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool IsWorse(Does a, Does b) { return MoreHarmful(InfoOf(a).risk, InfoOf(b).risk); }

std::optional<Does> Find(Group group, std::string_view name) {
  const Row wanted{group, name, Does::kHarmless};
  if (name.find('*') == name.npos) {
    const auto* const row = std::lower_bound(std::begin(kRows), std::end(kRows), wanted);
    if (row == std::end(kRows) || *row < wanted || wanted < *row) return std::nullopt;
    return row->does;
  }
  // A name that may be the server's own under some collation counts as it where that
  // is worse; it never becomes harmless.
  std::optional<Does> worst;
  for (const Row& row : kRows) {
    if (row.group != group || row.does == Does::kHarmless || !Matches(name, row.name)) continue;
    if (!worst.has_value() || IsWorse(row.does, *worst)) worst = row.does;
  }
  return worst;
}

}  // namespace

const DoesInfo& InfoOf(Does does) { return kInfos[static_cast<size_t>(does)]; }

std::optional<Does> FindFunction(std::string_view name) { return Find(Group::kFunction, name); }
std::optional<Does> FindTableFunction(std::string_view name) { return Find(Group::kTable, name); }
std::optional<Does> FindGlobal(std::string_view name) { return Find(Group::kGlobal, name); }
std::optional<Does> FindSystemView(std::string_view name) { return Find(Group::kView, name); }
std::optional<Does> FindOldView(std::string_view name) { return Find(Group::kOld, name); }
std::optional<Does> FindJobTable(std::string_view name) { return Find(Group::kJob, name); }
std::optional<Does> FindProcedure(std::string_view name) { return Find(Group::kProcedure, name); }
std::optional<Does> FindMethod(std::string_view name) { return Find(Group::kMethod, name); }

bool IsHarmlessProperty(std::string_view name) {
  return Find(Group::kProperty, name) == Does::kHarmless;
}

HintClass FindHint(std::string_view name) {
  const auto does = Find(Group::kHint, name);
  if (!does.has_value()) return HintClass::kUnknown;
  return *does == Does::kHarmless ? HintClass::kPlain : HintClass::kLocks;
}

}  // namespace bridgekeeper::sqlserver
