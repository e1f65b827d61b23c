// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/functions.h"

#include <iterator>

#include "absl/container/flat_hash_map.h"
#include "policy/base/strings.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::postgres {
namespace {

#include "policy/guard/postgres/functions.inc"

constexpr FunctionEffectInfo kEffects[] = {
    {"harmless", "", Risk::kSafe, ""},
    {"sensitive", effect::kSensitiveRead, Risk::kElevated,
     "shows other sessions' texts, settings, statistics, WAL or replication data"},
    {"secret", effect::kSensitiveRead, Risk::kDestructive,
     "shows credentials, or the contents of server files"},
    {"show_setting", effect::kSensitiveRead, Risk::kElevated,
     "shows a setting that is not on the list of harmless ones"},
    {"host_file", effect::kHostFile, Risk::kDestructive,
     "reads, writes or lists files of the server's host"},
    {"setting", effect::kSetting, Risk::kDestructive, "changes a setting"},
    {"dynamic", effect::kDynamicCode, Risk::kDestructive,
     "runs text that it is given, or views with all their functions"},
    {"external", effect::kExternal, Risk::kDestructive, "reaches another server"},
    {"session", effect::kSession, Risk::kElevated, "changes the state of the session"},
    {"other_session", effect::kOtherSession, Risk::kDestructive, "ends or signals another session"},
    {"lock", effect::kLock, Risk::kElevated, "takes or gives up a lock"},
    {"sequence", effect::kSequence, Risk::kElevated, "moves a sequence on"},
    {"notify", effect::kNotify, Risk::kElevated, "sends a notification"},
    {"resource", effect::kResource, Risk::kElevated, "holds what other sessions need"},
    {"transaction", effect::kTransaction, Risk::kElevated, "uses up a transaction id"},
    {"maintenance", effect::kMaintenance, Risk::kElevated, "maintains or checks storage"},
    {"lo_write", effect::kUpdate, Risk::kElevated, "writes a large object"},
    {"lo_delete", effect::kDelete, Risk::kDestructive, "removes or cuts a large object"},
    {"system_write", effect::kSystemWrite, Risk::kDestructive, "writes to the system catalogue"},
    {"damage", effect::kDelete, Risk::kDestructive, "removes or changes data for good"},
    {"indirect", effect::kFunction, Risk::kElevated, "reads a table that is named in a string"},
    {"server", effect::kServer, Risk::kDestructive,
     "acts on the whole server: WAL, replication, statistics, backup"},
    {"stored_code", effect::kStoredCode, Risk::kDestructive, "stores a command that runs later"},
    {"internal", effect::kFunction, Risk::kElevated, "is for the server's own use"},
};
static_assert(std::size(kEffects) == static_cast<size_t>(FunctionEffect::kInternal) + 1);

// Every call and every dotted reference of a statement is looked up here.
using RowIndex = absl::flat_hash_map<std::string_view, std::span<const FunctionRow>, StringHash>;

const RowIndex& Index() {
  static const RowIndex* const index = [] {
    auto* made = new RowIndex;
    const FunctionRow* const end = std::end(kFunctions);
    for (const FunctionRow* first = std::begin(kFunctions); first != end;) {
      const FunctionRow* last = first;
      while (last != end && last->name == first->name) ++last;
      made->emplace(first->name, std::span(first, last));
      first = last;
    }
    return made;
  }();
  return *index;
}

// Rows with this name.
std::span<const FunctionRow> RowsOf(std::string_view name) {
  const auto found = Index().find(name);
  return found == Index().end() ? std::span<const FunctionRow>() : found->second;
}

bool Takes(const FunctionRow& row, std::optional<size_t> arguments) {
  if (!arguments.has_value()) return true;
  return *arguments >= row.fewest && (row.most == kAnyNumber || *arguments <= row.most);
}

bool Worse(FunctionEffect a, std::optional<FunctionEffect> b) {
  return !b.has_value() || MoreHarmful(InfoOf(a).risk, InfoOf(*b).risk) ||
         (*b == FunctionEffect::kHarmless && a != FunctionEffect::kHarmless);
}

}  // namespace

const FunctionEffectInfo& InfoOf(FunctionEffect effect) {
  return kEffects[static_cast<size_t>(effect)];
}

std::span<const FunctionRow> FunctionInventory() { return kFunctions; }

std::optional<FunctionEffect> LookUpCall(std::string_view schema, std::string_view name,
                                         std::optional<size_t> arguments) {
  std::optional<FunctionEffect> worst;
  for (const FunctionRow& row : RowsOf(name)) {
    if (schema.empty() ? row.elsewhere : !row.schema.empty() && row.schema != schema) continue;
    if (Takes(row, arguments) && Worse(row.effect, worst)) worst = row.effect;
  }
  return worst;
}

std::optional<FunctionEffect> LookUpAttribute(std::string_view name) {
  using AttributeIndex = absl::flat_hash_map<std::string_view, FunctionEffect, StringHash>;
  static const AttributeIndex* const index = [] {
    auto* made = new AttributeIndex;
    for (const FunctionRow& row : kFunctions) {
      // No value has the type that an internal function takes.
      if (row.elsewhere || row.effect == FunctionEffect::kHarmless ||
          row.effect == FunctionEffect::kInternal || !Takes(row, 1)) {
        continue;
      }
      const auto [known, fresh] = made->emplace(row.name, row.effect);
      if (!fresh && Worse(row.effect, known->second)) known->second = row.effect;
    }
    return made;
  }();
  const auto found = index->find(name);
  if (found == index->end()) return std::nullopt;
  return found->second;
}

}  // namespace bridgekeeper::postgres
