// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Calls and references, in every position of a statement.

#include <algorithm>
#include <string>

#include "policy/guard/effects.h"
#include "policy/guard/postgres/catalogue.h"
#include "policy/guard/postgres/functions.h"
#include "policy/guard/postgres/handlers.h"

namespace bridgekeeper::postgres {
namespace {

// What a FuncCall says of the function that it calls.
struct CallName {
  std::string_view database;
  std::string_view schema;
  std::string_view name;
  // nullopt: VARIADIC spreads an array.
  std::optional<size_t> arguments = 0;
};

size_t SizeOf(Value list) {
  simdjson::dom::array elements;
  return list.get(elements) == simdjson::SUCCESS ? elements.size() : 0;
}

// Reads the node once: calls are what most statements have most of.
CallName NameOfCall(Object call) {
  CallName out;
  size_t ordered = 0;
  bool variadic = false, within_group = false;
  for (const auto [field, value] : call) {
    if (field == "funcname") {
      simdjson::dom::array names;
      if (value.get(names) != simdjson::SUCCESS) continue;
      for (const Value name : names) {
        out.database = out.schema;
        out.schema = out.name;
        out.name = StringOf(name);
      }
    } else if (field == "args") {
      out.arguments = SizeOf(value);
    } else if (field == "agg_order") {
      ordered = SizeOf(value);
    } else if (field == "agg_within_group") {
      within_group = true;  // written only where it is so
    } else if (field == "func_variadic") {
      variadic = true;
    }
  }
  // An ordered-set aggregate takes those it is ordered by as well.
  if (within_group) *out.arguments += ordered;
  if (variadic) out.arguments.reset();
  return out;
}

std::string Dotted(const CallName& call) {
  std::string out;
  for (const std::string_view part : {call.database, call.schema, call.name}) {
    if (part.empty()) continue;
    if (!out.empty()) out += '.';
    out += part;
  }
  return out;
}

// The text of a plain string constant.
std::optional<std::string_view> StringConstant(Value value) {
  const auto constant = As(value, "A_Const");
  if (!constant.has_value()) return std::nullopt;
  const auto text = GetObject(*constant, "sval");
  if (!text.has_value()) return std::nullopt;
  return GetString(*text, "sval");
}

std::optional<std::string_view> FirstArgumentConstant(Object call) {
  const auto arguments = GetArray(call, "args");
  if (!arguments.has_value()) return std::nullopt;
  for (const Value first : *arguments) return StringConstant(first);
  return std::nullopt;
}

// The last name of `f.pg_read_file` or a field of `(5).pg_sleep` may be a call.
void CheckAttribute(Walker& walker, std::string_view name, Object at, Context context) {
  if (const auto effect = LookUpAttribute(name)) {
    walker.AddFunctionEffect(*effect, name, at, context);
  }
}

}  // namespace

void OnFuncCall(Walker& walker, int16_t kind, Object node, Context context) {
  const CallName call = NameOfCall(node);
  if (!call.database.empty()) walker.CheckDatabase(call.database, Dotted(call), node);

  const auto effect = LookUpCall(call.schema, call.name, call.arguments);
  if (!effect.has_value()) {
    const std::string dotted = Dotted(call);
    if (!walker.safe_functions().Cover(call.schema, call.name, call.arguments)) {
      if (context.definition) {
        walker.Add(effect::kStoredCode, dotted, node, Risk::kDestructive,
                   "stored to run later, and what the function does is not known");
      } else {
        walker.Add(effect::kFunction, dotted, node, Risk::kElevated,
                   "what the function does is not known");
      }
    }
  } else if (effect == FunctionEffect::kShowSetting) {
    const auto setting = FirstArgumentConstant(node);
    if (!setting.has_value() || !IsHarmlessToShow(*setting)) {
      walker.AddFunctionEffect(*effect, Dotted(call), node, context);
    }
  } else if (effect != FunctionEffect::kHarmless) {
    walker.AddFunctionEffect(*effect, Dotted(call), node, context);
  }
  walker.WalkChildren(kind, node, context, "funcname");
}

void OnColumnRef(Walker& walker, int16_t, Object node, Context context) {
  const auto fields = GetArray(node, "fields");
  if (!fields.has_value()) return;
  std::string_view last;
  size_t count = 0;
  for (const Value field : *fields) {
    last = StringOf(field);  // empty for `*`
    ++count;
  }
  if (count > 1 && !last.empty()) CheckAttribute(walker, last, node, context);
}

void OnIndirection(Walker& walker, int16_t kind, Object node, Context context) {
  if (const auto steps = GetArray(node, "indirection")) {
    for (const Value step : *steps) {
      const std::string_view name = StringOf(step);
      if (!name.empty()) CheckAttribute(walker, name, node, context);
    }
  }
  walker.WalkChildren(kind, node, context);
}

void OnRangeVar(Walker& walker, int16_t, Object node, Context context) {
  if (const std::string_view database = GetString(node, "catalogname"); !database.empty()) {
    walker.CheckDatabase(database, RelationName(node), node);
  }
  if (context.planned) return;
  if (const auto shows = ReadingShows(GetString(node, "schemaname"), GetString(node, "relname"))) {
    walker.AddFunctionEffect(*shows, RelationName(node), node, context);
  }
}

void OnTableSample(Walker& walker, int16_t kind, Object node, Context context) {
  if (const auto names = GetArray(node, "method")) {
    const std::string method = DottedName(*names);
    constexpr std::string_view kKnown[] = {"bernoulli",   "pg_catalog.bernoulli",
                                           "system",      "pg_catalog.system",
                                           "system_rows", "system_time"};
    if (std::find(std::begin(kKnown), std::end(kKnown), method) == std::end(kKnown)) {
      walker.Add(effect::kFunction, method, node, Risk::kElevated,
                 "what the sampling method does is not known");
    }
  }
  walker.WalkChildren(kind, node, context, "method");
}

void OnTypeName(Walker& walker, int16_t kind, Object node, Context context) {
  if (const auto names = GetArray(node, "names"); names.has_value() && names->size() == 3) {
    walker.CheckDatabase(StringOf(names->at(0).value_unsafe()), DottedName(*names), node);
  }
  walker.WalkChildren(kind, node, context, "names");
}

}  // namespace bridgekeeper::postgres
