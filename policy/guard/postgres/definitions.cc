// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Creating and changing objects.

#include <algorithm>
#include <string>

#include "policy/guard/effects.h"
#include "policy/guard/postgres/handlers.h"

namespace bridgekeeper::postgres {
namespace {

struct AlterRule {
  std::string_view subtype;
  std::string_view effect;
  Risk risk;
  std::string_view why;
};

// ALTER TABLE, part by part; what is not here changes or loses something. Ordered
// by subtype.
constexpr AlterRule kAlterRules[] = {
    {"AT_AddColumn", effect::kAlter, Risk::kElevated, "adds a column"},
    {"AT_AddConstraint", effect::kAlter, Risk::kElevated, "adds a constraint"},
    {"AT_AddIdentity", effect::kAlter, Risk::kElevated, "adds an identity"},
    {"AT_AddIndex", effect::kAlter, Risk::kElevated, "adds an index"},
    {"AT_AddInherit", effect::kAlter, Risk::kElevated, "adds a parent"},
    {"AT_AttachPartition", effect::kAlter, Risk::kElevated, "adds a partition"},
    {"AT_ChangeOwner", effect::kPrivilege, Risk::kDestructive, "changes the owner"},
    {"AT_DetachPartition", effect::kDrop, Risk::kDestructive, "takes a partition away"},
    {"AT_DetachPartitionFinalize", effect::kDrop, Risk::kDestructive, "takes a partition away"},
    {"AT_DisableRowSecurity", effect::kPrivilege, Risk::kDestructive, "turns row security off"},
    {"AT_DropColumn", effect::kDrop, Risk::kDestructive, "drops a column with its data"},
    {"AT_DropConstraint", effect::kDrop, Risk::kDestructive, "drops a constraint"},
    {"AT_EnableRowSecurity", effect::kPrivilege, Risk::kDestructive, "changes row security"},
    {"AT_ForceRowSecurity", effect::kPrivilege, Risk::kDestructive, "changes row security"},
    {"AT_NoForceRowSecurity", effect::kPrivilege, Risk::kDestructive, "changes row security"},
    {"AT_SetNotNull", effect::kAlter, Risk::kElevated, "adds a constraint"},
    {"AT_SetStatistics", effect::kAlter, Risk::kElevated, "changes how much is sampled"},
    {"AT_ValidateConstraint", effect::kMaintenance, Risk::kElevated, "checks a constraint"},
};

AlterRule RuleOfAlter(std::string_view subtype) {
  const auto rule = std::lower_bound(
      std::begin(kAlterRules), std::end(kAlterRules), subtype,
      [](const AlterRule& row, std::string_view wanted) { return row.subtype < wanted; });
  if (rule != std::end(kAlterRules) && rule->subtype == subtype) return *rule;
  return {subtype, effect::kAlter, Risk::kDestructive, "changes an existing object"};
}

Context Stored(Context context) {
  context.definition = true;
  return context;
}

// Notes the creation of the relation in `field`, and visits the rest as stored code.
void Create(Walker& walker, int16_t kind, Object node, Context context, std::string_view field,
            std::string_view what) {
  if (const auto relation = GetObject(node, field)) {
    walker.AddTarget(effect::kCreate, *relation, Risk::kElevated, what);
  } else {
    walker.Add(effect::kCreate, "", node, Risk::kElevated, what);
  }
  walker.WalkChildren(kind, node, Stored(context), field);
}

}  // namespace

void OnCreateTable(Walker& walker, int16_t kind, Object node, Context context) {
  Create(walker, kind, node, context, "relation", "creates a table");
}

void OnCreateIndex(Walker& walker, int16_t kind, Object node, Context context) {
  Create(walker, kind, node, context, "relation", "creates an index");
}

void OnCreateView(Walker& walker, int16_t kind, Object node, Context context) {
  if (GetBool(node, "replace")) {
    walker.Add(effect::kReplace, ObjectOf(node), node, Risk::kDestructive,
               "replaces a view that may exist");
  }
  Create(walker, kind, node, context, "view", "creates a view");
}

void OnCreateTableAs(Walker& walker, int16_t kind, Object node, Context context) {
  // The table itself is the IntoClause below. A table's query runs once, now; that
  // of a materialized view is kept.
  context.definition |= GetString(node, "objtype") != "OBJECT_TABLE";
  walker.WalkChildren(kind, node, context);
}

void OnCreateSchema(Walker& walker, int16_t kind, Object node, Context context) {
  walker.Add(effect::kCreate, ObjectOf(node), node, Risk::kElevated, "creates a schema");
  if (Get(node, "authrole").has_value()) {
    walker.Add(effect::kPrivilege, ObjectOf(node), node, Risk::kDestructive, "names an owner");
  }
  walker.WalkChildren(kind, node, Stored(context));
}

void OnAlterTable(Walker& walker, int16_t kind, Object node, Context context) {
  const auto relation = GetObject(node, "relation");
  const std::string_view type = GetString(node, "objtype");
  if (type == "OBJECT_FOREIGN_TABLE") {
    walker.Add(effect::kExternal, ObjectOf(node), relation, Risk::kDestructive,
               "changes a foreign table");
  }
  const auto commands = GetArray(node, "cmds");
  if (!commands.has_value()) {
    walker.Add(effect::kAlter, ObjectOf(node), relation, Risk::kDestructive,
               "changes an existing object");
  } else {
    for (const Value value : *commands) {
      const auto command = As(value, "AlterTableCmd");
      const AlterRule rule = RuleOfAlter(command.has_value() ? GetString(*command, "subtype") : "");
      if (relation.has_value()) {
        walker.AddTarget(rule.effect, *relation, rule.risk, rule.why);
      } else {
        walker.Add(rule.effect, "", node, rule.risk, rule.why);
      }
    }
  }
  walker.WalkChildren(kind, node, Stored(context), "relation");
}

void OnAlterEnum(Walker& walker, int16_t kind, Object node, Context context) {
  if (GetString(node, "oldVal").empty()) {
    walker.Add(effect::kAlter, ObjectOf(node), node, Risk::kElevated, "adds a value");
  } else {
    walker.Add(effect::kRename, ObjectOf(node), node, Risk::kDestructive, "renames a value");
  }
  walker.WalkChildren(kind, node, context);
}

}  // namespace bridgekeeper::postgres
