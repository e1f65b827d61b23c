// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/walk.h"

#include "absl/strings/str_format.h"
#include "policy/guard/effects.h"
#include "policy/guard/postgres/catalogue.h"
#include "policy/guard/postgres/grammar.h"
#include "policy/guard/postgres/kinds.h"

namespace bridgekeeper::postgres {
namespace {

// The position that a node carries. The parser leaves zeros out, so a kind that
// has positions and shows none is at 0, and -1 is "not known".
std::optional<size_t> PositionOf(Object node) {
  const auto value = Get(node, "location");
  if (!value.has_value()) return std::nullopt;
  int64_t location = -1;
  if (value->get(location) != simdjson::SUCCESS || location < 0) return std::nullopt;
  return static_cast<size_t>(location);
}

// Most names that are compared differ, and mostly in length or first byte.
bool Same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && a[0] == b[0] && a == b;
}

}  // namespace

void Walker::Walk(int16_t kind, Object node, Context context) {
  if (depth_ == kMaxTreeDepth) {
    too_deep_ = true;
    return;
  }
  ++depth_;
  const KindRule* rule = RuleOf(kind);
  if (rule == nullptr || rule->role == Role::kPlanned) {
    Add(effect::kUnknown, GrammarKinds()[kind].name, node, Risk::kDestructive,
        "the guard does not know this part of a statement");
    WalkChildren(kind, node, context);
  } else if (rule->role == Role::kPart) {
    WalkChildren(kind, node, context);
  } else if (rule->role == Role::kHandler) {
    rule->handler(*this, kind, node, context);
  } else if (rule->role == Role::kEffect) {
    if (!context.planned) Add(rule->effect, ObjectOf(node), node, rule->risk, rule->why);
    context.definition |= rule->definition;
    WalkChildren(kind, node, context);
  }
  --depth_;
}

void Walker::WalkChildren(int16_t kind, Object node, Context context, std::string_view skip) {
  // The parser writes fields in the order of the table, leaving some out.
  const std::span<const GrammarField> fields = FieldsOf(kind);
  size_t next = 0;
  for (const auto [name, value] : node) {
    size_t at = next;
    while (at < fields.size() && !Same(fields[at].name, name)) ++at;
    if (at == fields.size()) {
      for (at = 0; at < next && !Same(fields[at].name, name); ++at) {
      }
      if (at == next) {
        Add(effect::kUnknown, name, node, Risk::kDestructive,
            "the guard does not know this field of the parse tree");
        continue;
      }
    }
    next = at + 1;
    if (fields[at].type != kScalar && name != skip) WalkValue(fields[at].type, value, context);
  }
}

void Walker::WalkValue(int16_t type, Value value, Context context) {
  simdjson::dom::array list;
  if (value.get(list) == simdjson::SUCCESS) {
    for (const Value element : list) WalkValue(type, element, context);
    return;
  }
  Object object;
  if (value.get(object) != simdjson::SUCCESS) {
    Add(effect::kUnknown, "", std::nullopt, Risk::kDestructive,
        "the guard does not know this value of the parse tree");
    return;
  }
  if (type != kAnyKind) return Walk(type, object, context);
  // An empty object is a place in a list that nothing stands in.
  for (const auto [name, inner] : object) {
    const auto kind = FindKind(name);
    Object node;
    if (!kind.has_value() || inner.get(node) != simdjson::SUCCESS) {
      Add(effect::kUnknown, name, std::nullopt, Risk::kDestructive,
          "the guard does not know this part of a statement");
      continue;
    }
    Walk(*kind, node, context);
  }
}

void Walker::Add(std::string_view kind, std::string_view object, std::optional<Object> at,
                 Risk risk, std::string_view why) {
  std::optional<size_t> position;
  if (at.has_value()) position = PositionOf(*at);
  found_.Add(kind, object, position.value_or(statement_), risk, why);
}

void Walker::AddFunctionEffect(FunctionEffect effect, std::string_view object,
                               std::optional<Object> at, Context context) {
  const FunctionEffectInfo& info = InfoOf(effect);
  const bool allowed = options_.allow_sensitive_reads && info.kind == effect::kSensitiveRead &&
                       info.risk == Risk::kElevated;
  if (effect == FunctionEffect::kHarmless || allowed) return;
  // A default that draws from a sequence is what `serial` is.
  if (context.definition && effect != FunctionEffect::kSequence) {
    Add(effect::kStoredCode, object, at, Risk::kDestructive,
        absl::StrFormat("stored to run later, and it %s", info.why));
    return;
  }
  Add(info.kind, object, at, info.risk, info.why);
}

std::string Walker::AddTarget(std::string_view kind, Object relation, Risk risk,
                              std::string_view why) {
  std::string name = RelationName(relation);
  const std::string_view schema = GetString(relation, "schemaname");
  if (IsSystemRelation(schema, GetString(relation, "relname"))) {
    Add(effect::kSystemWrite, name, relation, Risk::kDestructive, "writes to the system catalogue");
  } else if (IsQueueSchema(schema)) {
    Add(effect::kSystemWrite, name, relation, Risk::kDestructive,
        "writes to a scheduler's or a queue's table, whose rows are commands");
  }
  CheckDatabase(GetString(relation, "catalogname"), name, relation);
  Add(kind, name, relation, risk, why);
  return name;
}

void Walker::CheckDatabase(std::string_view database, std::string_view object,
                           std::optional<Object> at) {
  if (database.empty() || options_.databases.empty()) return;
  if (options_.databases.contains(std::string(database))) return;
  Add(effect::kOtherConnection, object, at, Risk::kDestructive,
      "names a database that the connection does not cover");
}

// ---- reading nodes -----------------------------------------------------------

std::optional<Value> Get(Object node, std::string_view name) {
  Value value;
  if (node.at_key(name).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::string_view GetString(Object node, std::string_view name) {
  std::string_view text;
  if (node.at_key(name).get(text) != simdjson::SUCCESS) return {};
  return text;
}

bool GetBool(Object node, std::string_view name) {
  bool value = false;
  return node.at_key(name).get(value) == simdjson::SUCCESS && value;
}

std::optional<Object> GetObject(Object node, std::string_view name) {
  Object object;
  if (node.at_key(name).get(object) != simdjson::SUCCESS) return std::nullopt;
  return object;
}

std::optional<simdjson::dom::array> GetArray(Object node, std::string_view name) {
  simdjson::dom::array list;
  if (node.at_key(name).get(list) != simdjson::SUCCESS) return std::nullopt;
  return list;
}

std::optional<Object> As(Value value, std::string_view kind) {
  Object wrapper;
  if (value.get(wrapper) != simdjson::SUCCESS) return std::nullopt;
  return GetObject(wrapper, kind);
}

std::string_view StringOf(Value value) {
  const auto node = As(value, "String");
  return node.has_value() ? GetString(*node, "sval") : std::string_view();
}

std::string RelationName(Object range_var) {
  std::string name;
  for (const std::string_view part : {"catalogname", "schemaname", "relname"}) {
    const std::string_view text = GetString(range_var, part);
    if (text.empty()) continue;
    if (!name.empty()) name += '.';
    name += text;
  }
  return name;
}

std::string DottedName(simdjson::dom::array names) {
  std::string out;
  for (const Value name : names) {
    const std::string_view text = StringOf(name);
    if (text.empty()) continue;
    if (!out.empty()) out += '.';
    out += text;
  }
  return out;
}

namespace {

// The name in a value that names an object in one of the grammar's many ways.
std::string NameIn(Value value) {
  if (const std::string_view text = StringOf(value); !text.empty()) return std::string(text);
  if (const auto relation = As(value, "RangeVar")) return RelationName(*relation);
  for (const std::string_view kind : {"ObjectWithArgs", "TypeName"}) {
    const auto node = As(value, kind);
    if (!node.has_value()) continue;
    const auto names = GetArray(*node, kind == "TypeName" ? "names" : "objname");
    return names.has_value() ? DottedName(*names) : "";
  }
  if (const auto list = As(value, "List")) {
    const auto items = GetArray(*list, "items");
    return items.has_value() ? DottedName(*items) : "";
  }
  return "";
}

}  // namespace

std::string ObjectOf(Object statement) {
  for (const std::string_view field : {"relation", "view", "sequence", "typevar"}) {
    if (const auto relation = GetObject(statement, field)) {
      if (std::string name = RelationName(*relation); !name.empty()) return name;
    }
  }
  for (const std::string_view field : {"funcname", "domainname", "typeName", "defnames", "trigname",
                                       "opclassname", "opfamilyname", "dictname", "cfgname"}) {
    if (const auto names = GetArray(statement, field)) {
      if (std::string name = DottedName(*names); !name.empty()) return name;
    }
  }
  for (const std::string_view field : {"objects", "relations", "rels"}) {
    const auto list = GetArray(statement, field);
    if (!list.has_value()) continue;
    for (const Value first : *list) return NameIn(first);
  }
  if (const auto object = Get(statement, "object")) {
    if (std::string name = NameIn(*object); !name.empty()) return name;
  }
  for (const std::string_view field :
       {"extname",       "servername", "fdwname",  "plname",      "trigname",
        "subname",       "pubname",    "rulename", "policy_name", "tablespacename",
        "schemaname",    "dbname",     "role",     "name",        "portalname",
        "conditionname", "filename",   "amname",   "label",       "newname"}) {
    if (const std::string_view name = GetString(statement, field); !name.empty()) {
      return std::string(name);
    }
  }
  return "";
}

}  // namespace bridgekeeper::postgres
