// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reading and writing rows.

#include <string>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/postgres/handlers.h"

namespace bridgekeeper::postgres {
namespace {

// Notes a write to the statement's relation, unless the statement is only planned.
void AddWrite(Walker& walker, Object node, Context context, std::string_view effect, Risk risk,
              std::string_view why) {
  if (context.planned) return;
  if (const auto relation = GetObject(node, "relation")) {
    walker.AddTarget(effect, *relation, risk, why);
  } else {
    walker.Add(effect, "", node, risk, why);
  }
}

// Whether an option of EXPLAIN is on; what is not plainly off is on, as the server
// reads it or refuses it.
bool IsOn(Object option) {
  const auto value = Get(option, "arg");
  if (!value.has_value()) return true;
  if (const auto number = As(*value, "Integer")) {
    int64_t got = 0;  // zero is left out
    const auto written = Get(*number, "ival");
    return written.has_value() && (written->get(got) != simdjson::SUCCESS || got != 0);
  }
  if (const auto boolean = As(*value, "Boolean")) return GetBool(*boolean, "boolval");
  const std::string word = AsciiLower(StringOf(*value));
  return word != "off" && word != "false";
}

bool RunsItsStatement(Object explain) {
  const auto options = GetArray(explain, "options");
  if (!options.has_value()) return false;
  for (const Value value : *options) {
    const auto option = As(value, "DefElem");
    // Fail closed: an option of another shape could be any.
    if (!option.has_value()) return true;
    if (GetString(*option, "defname") == "analyze" && IsOn(*option)) return true;
  }
  return false;
}

}  // namespace

void OnInsert(Walker& walker, int16_t kind, Object node, Context context) {
  AddWrite(walker, node, context, effect::kInsert, Risk::kElevated, "adds rows");
  if (const auto conflict = GetObject(node, "onConflictClause");
      conflict.has_value() && GetString(*conflict, "action") == "ONCONFLICT_UPDATE") {
    AddWrite(walker, node, context, effect::kUpdate, Risk::kElevated, "changes rows");
  }
  walker.WalkChildren(kind, node, context, "relation");
}

void OnUpdate(Walker& walker, int16_t kind, Object node, Context context) {
  AddWrite(walker, node, context, effect::kUpdate, Risk::kElevated, "changes rows");
  walker.WalkChildren(kind, node, context, "relation");
}

void OnDelete(Walker& walker, int16_t kind, Object node, Context context) {
  AddWrite(walker, node, context, effect::kDelete, Risk::kDestructive, "removes rows");
  walker.WalkChildren(kind, node, context, "relation");
}

void OnMerge(Walker& walker, int16_t kind, Object node, Context context) {
  AddWrite(walker, node, context, effect::kMerge, Risk::kElevated, "adds or changes rows");
  walker.WalkChildren(kind, node, context, "relation");
}

void OnMergeWhen(Walker& walker, int16_t kind, Object node, Context context) {
  const std::string_view command = GetString(node, "commandType");
  const bool known = command == "CMD_INSERT" || command == "CMD_UPDATE" || command == "CMD_NOTHING";
  if (!known && !context.planned) {
    walker.Add(effect::kDelete, "", node, Risk::kDestructive, "removes rows");
  }
  walker.WalkChildren(kind, node, context);
}

void OnInto(Walker& walker, int16_t kind, Object node, Context context) {
  if (!context.planned) {
    if (const auto relation = GetObject(node, "rel")) {
      walker.AddTarget(effect::kCreate, *relation, Risk::kElevated, "creates a table");
    } else {
      walker.Add(effect::kCreate, "", node, Risk::kElevated, "creates a table");
    }
  }
  walker.WalkChildren(kind, node, context, "rel");
}

void OnLocking(Walker& walker, int16_t kind, Object node, Context context) {
  if (!context.planned) {
    walker.Add(effect::kLock, "", std::nullopt, Risk::kElevated, "locks the rows that it reads");
  }
  walker.WalkChildren(kind, node, context);
}

void OnCopy(Walker& walker, int16_t kind, Object node, Context context) {
  const std::string_view file = GetString(node, "filename");
  const bool from = GetBool(node, "is_from");
  if (GetBool(node, "is_program")) {
    walker.Add(effect::kHostProgram, file, std::nullopt, Risk::kDestructive,
               "runs a program on the server's host");
  } else if (!file.empty()) {
    walker.Add(effect::kHostFile, file, std::nullopt, Risk::kDestructive,
               from ? "reads a file of the server's host" : "writes a file of the server's host");
  }
  if (from) AddWrite(walker, node, context, effect::kInsert, Risk::kElevated, "adds rows");
  walker.WalkChildren(kind, node, context, from ? "relation" : "");
}

void OnExplain(Walker& walker, int16_t kind, Object node, Context context) {
  context.planned = !RunsItsStatement(node);
  walker.WalkChildren(kind, node, context);
}

}  // namespace bridgekeeper::postgres
