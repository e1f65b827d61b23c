// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Settings, transactions and what a session keeps.

#include <algorithm>
#include <string>

#include "policy/guard/effects.h"
#include "policy/guard/postgres/catalogue.h"
#include "policy/guard/postgres/handlers.h"

namespace bridgekeeper::postgres {
namespace {

// Whether SET TRANSACTION asks for more than a level: leaving READ ONLY.
bool AsksToWrite(Object set) {
  const auto options = GetArray(set, "args");
  if (!options.has_value()) return true;
  for (const Value value : *options) {
    const auto option = As(value, "DefElem");
    if (!option.has_value()) return true;
    const std::string_view name = GetString(*option, "defname");
    if (name == "transaction_isolation" || name == "transaction_deferrable") continue;
    if (name != "transaction_read_only") return true;
    const auto constant = GetObject(*option, "arg");
    const auto a_const = constant.has_value() ? GetObject(*constant, "A_Const") : std::nullopt;
    const auto number = a_const.has_value() ? GetObject(*a_const, "ival") : std::nullopt;
    // READ ONLY is the number 1; a zero, READ WRITE, is left out.
    int64_t on = 0;
    const auto written = number.has_value() ? Get(*number, "ival") : std::nullopt;
    if (!written.has_value() || written->get(on) != simdjson::SUCCESS || on != 1) return true;
  }
  return false;
}

}  // namespace

void OnSet(Walker& walker, int16_t kind, Object node, Context context) {
  const std::string_view how = GetString(node, "kind");
  const std::string_view name = GetString(node, "name");
  const bool one = how == "VAR_SET_VALUE" || how == "VAR_SET_DEFAULT" || how == "VAR_RESET";
  if (how == "VAR_SET_MULTI" && name == "TRANSACTION" && !AsksToWrite(node)) {
    walker.Add(effect::kTransaction, name, node, Risk::kElevated, "changes the transaction");
  } else if (how == "VAR_SET_MULTI" && name == "TRANSACTION SNAPSHOT") {
    walker.Add(effect::kTransaction, name, node, Risk::kElevated, "changes the transaction");
  } else if (one && IsHarmlessToSet(name)) {
    walker.Add(effect::kSetting, name, node, Risk::kElevated,
               "changes how values of this session are written");
  } else {
    walker.Add(effect::kSetting, name, node, Risk::kDestructive,
               "changes a setting that a guard or a limit may rest on");
  }
  walker.WalkChildren(kind, node, context);
}

void OnShow(Walker& walker, int16_t kind, Object node, Context context) {
  const std::string_view name = GetString(node, "name");
  if (!IsHarmlessToShow(name)) {
    walker.AddFunctionEffect(FunctionEffect::kShowSetting, name, node, context);
  }
  walker.WalkChildren(kind, node, context);
}

void OnTransaction(Walker& walker, int16_t kind, Object node, Context context) {
  constexpr std::string_view kOwn[] = {
      "TRANS_STMT_BEGIN",     "TRANS_STMT_START",   "TRANS_STMT_COMMIT",     "TRANS_STMT_ROLLBACK",
      "TRANS_STMT_SAVEPOINT", "TRANS_STMT_RELEASE", "TRANS_STMT_ROLLBACK_TO"};
  const std::string_view how = GetString(node, "kind");
  if (std::find(std::begin(kOwn), std::end(kOwn), how) != std::end(kOwn)) {
    walker.Add(effect::kTransaction, "", node, Risk::kElevated,
               "begins or ends a transaction, so what follows runs outside it");
  } else {
    walker.Add(effect::kTransaction, GetString(node, "gid"), node, Risk::kDestructive,
               "leaves a prepared transaction, or ends another session's");
  }
  walker.WalkChildren(kind, node, context);
}

void OnDiscard(Walker& walker, int16_t kind, Object node, Context context) {
  const std::string_view target = GetString(node, "target");
  const bool plain = target == "DISCARD_PLANS" || target == "DISCARD_SEQUENCES";
  walker.Add(effect::kSession, "", node, plain ? Risk::kElevated : Risk::kDestructive,
             plain ? "changes the state of the session"
                   : "drops temporary tables, or resets settings and locks");
  walker.WalkChildren(kind, node, context);
}

// Under EXPLAIN too: planning a prepared statement calls its functions.
void OnExecute(Walker& walker, int16_t kind, Object node, Context context) {
  walker.Add(effect::kDynamicCode, GetString(node, "name"), node, Risk::kDestructive,
             "runs a prepared statement, whose text is not seen");
  walker.WalkChildren(kind, node, context);
}

}  // namespace bridgekeeper::postgres
