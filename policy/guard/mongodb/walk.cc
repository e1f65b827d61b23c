// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mongodb/walk.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "policy/guard/effects.h"
#include "policy/guard/mongodb/extended_json.h"

namespace bridgekeeper::mongodb {
namespace {

constexpr Act kReplacesMany = {effect::kReplace, Risk::kDestructive,
                               "replaces whole documents, not only one"};
constexpr Act kReplacesContent = {effect::kUpdate, Risk::kElevated,
                                  "replaces the content of a document"};
constexpr Act kStoresHarm = {effect::kStoredCode, Risk::kDestructive,
                             "stored to run whenever the view is read, and it does more than read"};
constexpr Act kElsewhere = {effect::kExternal, Risk::kDestructive, "writes to another system"};
constexpr Act kSetsProfiler = {effect::kSetting, Risk::kDestructive, "changes the profiler"};
constexpr Act kNotCovered = {effect::kOtherConnection, Risk::kDestructive,
                             "names a database that the connection does not cover"};

// What an update's pipeline may hold, and of it what leaves out all that it does not name.
constexpr std::string_view kUpdateStages[] = {"$addFields",   "$project", "$replaceRoot",
                                              "$replaceWith", "$set",     "$unset"};
constexpr std::string_view kReplacingStages[] = {"$project", "$replaceRoot", "$replaceWith"};

// What names the operation where it stands beside the rest of it.
constexpr std::string_view kOperationNames[] = {"action", "op", "operation", "type"};

template <typename Range>
bool Contains(const Range& range, std::string_view name) {
  return std::find(std::begin(range), std::end(range), name) != std::end(range);
}

// A name that every reader reads to its end: some stop at a NUL.
bool IsName(JsonValue value) {
  return value.is_string() && !value.string().empty() &&
         value.string().find('\0') == std::string_view::npos;
}

bool IsOperator(JsonValue member) { return member.key().starts_with('$'); }

// The collection that a value names, however it does.
std::string_view NamedIn(JsonValue value) {
  if (value.is_string()) return value.string();
  for (const std::string_view name : {"into", "coll", "from"}) {
    if (const auto inner = value.Find(name)) return NamedIn(*inner);
  }
  return {};
}

}  // namespace

void Walker::Add(const Act& act, std::string_view object, JsonValue at) {
  if (act.kind.empty()) return;
  if (act.kind == effect::kSensitiveRead && act.risk == Risk::kElevated &&
      options_.allow_sensitive_reads) {
    return;
  }
  found_.Add(act.kind, object, at.offset() - begin_, act.risk, act.why);
}

void Walker::Unknown(JsonValue at, std::string_view why) {
  Add({effect::kUnknown, Risk::kDestructive, why}, at.key(), at);
}

// ---- commands and their fields -------------------------------------------------

void Walker::JudgeCommand(JsonValue command) {
  if (command.size() == 0) return Unknown(command, "no command where one is wanted");
  const JsonValue first = *command.begin();
  const Command* const known = FindCommand(first.key());
  if (known == nullptr) return Unknown(first, "no command of this name is known");
  if (const auto database = command.Find("$db"); database && database->is_string()) {
    if (database_.empty()) database_ = database->string();
  }
  shape_ = known->shape;
  if (!JudgeTarget(*known, first)) {
    Unknown(first, "the command's value is not what it takes");
  }
  Add(known->act, target_.empty() ? first.key() : target_, first);
  if (known->shape != nullptr) {
    JudgeCommandFields(command, *known->shape, first.key());
    return;
  }
  for (const JsonValue member : command) {
    if (member.key() != first.key() && FindCommand(member.key()) != nullptr) {
      Unknown(member, "names another command");
    }
  }
}

bool Walker::JudgeTarget(const Command& command, JsonValue value) {
  switch (command.target) {
    case Target::kOnCollection:
      return JudgeCollection(command, value);
    case Target::kOnCollectionOrDatabase:
      if (value.is_string()) return JudgeCollection(command, value);
      CheckDatabase(database_, value);
      return value.is_number() || IsTypedValue(value);
    case Target::kOnDatabase:
      target_ = database_;
      CheckDatabase(database_, value);
      if (command.writes) Write(database_, {}, value);
      return true;
    case Target::kOnServer:
      return true;
    case Target::kOnNamespace:
      if (value.is_string()) target_ = value.string();
      return Namespace(value, command.writes);
    case Target::kOnProfiler:
      CheckDatabase(database_, value);
      if (value.raw() != "-1") Add(kSetsProfiler, value.key(), value);
      return true;
    case Target::kOnCommand:
      if (!value.is_object()) return false;
      CheckDatabase(database_, value);
      JudgeCommand(value);
      return true;
  }
  return false;
}

bool Walker::JudgeCollection(const Command& command, JsonValue value) {
  if (!IsName(value)) return false;
  target_ = database_;
  if (!target_.empty()) target_ += '.';
  target_ += value.string();
  if (command.writes) {
    Write(database_, value.string(), value);
  } else {
    Read(database_, value.string(), value);
  }
  return true;
}

void Walker::JudgeFields(JsonValue object, const Shape& shape, std::string_view but) {
  if (!object.is_object()) return Unknown(object, "got no object where one is wanted");
  for (const JsonValue member : object) {
    if (!but.empty() && member.key() == but) continue;
    const Field* const field = FindField(shape, member.key());
    if (field == nullptr) {
      Unknown(member, "a field that is not known here");
    } else {
      JudgeField(*field, member, object);
    }
  }
}

void Walker::JudgeCommandFields(JsonValue object, const Shape& shape, std::string_view but) {
  if (!object.is_object()) return Unknown(object, "got no object where one is wanted");
  for (const JsonValue member : object) {
    if (!but.empty() && member.key() == but) continue;
    const Field* field = FindField(CommonFields(), member.key());
    if (field == nullptr) field = FindField(shape, member.key());
    if (field == nullptr) {
      Unknown(member, "a field that is not known here");
    } else if (field->name == kAnyOther && FindCommand(member.key()) != nullptr) {
      Unknown(member, "names another command");
    } else {
      JudgeField(*field, member, object);
    }
  }
}

void Walker::JudgeField(const Field& field, JsonValue value, JsonValue object) {
  if (value.is_null()) return;
  if (field.takes == Takes::kFlag || field.takes == Takes::kPresent) {
    const bool acts = field.takes == Takes::kPresent || !IsPlainlyOff(value);
    if (acts) Add(field.act, target_.empty() ? field.name : target_, value);
    return;
  }
  Reach reach = Reach::kOne;
  if (field.takes == Takes::kUpdate) {  // the one that asks, so that no search is repeated
    const auto multi = object.Find("multi");
    if (multi && !IsPlainlyOff(*multi)) reach = Reach::kMany;
  }
  Take(field.takes, field.shape, value, reach);
}

void Walker::Apply(const Operator& op, JsonValue value) {
  const std::string_view named = NamedIn(value);
  const bool writes = op.takes == Takes::kWritesTo || op.takes == Takes::kWriterOr;
  Add(op.act, writes && !named.empty() ? named : op.name, value);
  Take(op.takes, op.shape, value, Reach::kOne);
}

void Walker::Take(Takes takes, const Shape* shape, JsonValue value, Reach reach) {
  switch (takes) {
    case Takes::kValue:
    case Takes::kFlag:  // read where a field is, which has an act
    case Takes::kPresent:
      return;
    case Takes::kText:
      if (!value.is_string()) Unknown(value, "got no text where one is wanted");
      return;
    case Takes::kFilter:
      return Filter(value);
    case Takes::kPredicate:
      return Predicate(value);
    case Takes::kQueryMember:
      return QueryMember(value);
    case Takes::kFilters:
      return Filters(value);
    case Takes::kExpression:
      return Expression(value);
    case Takes::kProjection:
      return Projection(value);
    case Takes::kPipeline:
      return Pipeline(value);
    case Takes::kPipelines:
      return Pipelines(value);
    case Takes::kStored:
      return StoredPipeline(value);
    case Takes::kUpdate:
      return Update(value, reach);
    case Takes::kUpdateMany:
      return Update(value, Reach::kMany);
    case Takes::kWindows:
      return Windows(value);
    case Takes::kWhenMatched:
      return WhenMatched(value);
    case Takes::kReadsFrom:
      return Collection(value, false);
    case Takes::kWritesTo:
      return Collection(value, true);
    case Takes::kNamespace:
      if (!Namespace(value, true)) Unknown(value, "got no `database.collection`");
      return;
    case Takes::kDatabase:
      if (!IsName(value) && value.raw() != R"("")") return Unknown(value, "got no name");
      if (value.key() != "$db") return Read(value.string(), {}, value);
      // The command's own is checked with what it works on; one inside it is another.
      if (value.string() != database_) Unknown(value, "more than one database");
      return;
    case Takes::kEveryDatabase:
      if (!IsPlainlyOff(value) && !options_.databases.empty()) Add(kNotCovered, value.key(), value);
      return;
    case Takes::kObject:
      return JudgeFields(value, *shape);
    case Takes::kObjects:
      return Objects(value, *shape);
    case Takes::kReaderOr:
      return value.is_string() ? Collection(value, false) : JudgeFields(value, *shape);
    case Takes::kWriterOr:
      return value.is_string() ? Collection(value, true) : JudgeFields(value, *shape);
    case Takes::kOptions:
      return JudgeCommandFields(value, *shape_);
    case Takes::kOperations:
      if (!value.is_array()) return Unknown(value, "got no list where one is wanted");
      for (const JsonValue operation : value) DriverOperation(operation);
      return;
    case Takes::kBulk:
      if (!value.is_array()) return Unknown(value, "got no list where one is wanted");
      for (const JsonValue operation : value) BulkOperation(operation);
      return;
  }
}

void Walker::Objects(JsonValue list, const Shape& shape) {
  if (!list.is_array()) return Unknown(list, "got no list where one is wanted");
  for (const JsonValue element : list) JudgeFields(element, shape);
}

void Walker::BulkOperation(JsonValue operation) {
  if (!operation.is_object() || operation.size() == 0) {
    return Unknown(operation, "got no operation");
  }
  const JsonValue first = *operation.begin();
  const Operator* const known = FindBulkOperation(first.key());
  if (known == nullptr) return Unknown(first, "no bulk operation of this name is known");
  Add(known->act, target_.empty() ? known->name : target_, first);
  JudgeFields(operation, *known->shape);
}

void Walker::DriverOperation(JsonValue operation) {
  if (!operation.is_object() || operation.size() == 0) {
    return Unknown(operation, "got no operation");
  }
  std::optional<JsonValue> name;
  for (const JsonValue member : operation) {
    if (!Contains(kOperationNames, member.key())) continue;
    if (name || !member.is_string()) return Unknown(member, "more than one name, or no text");
    name = member;
  }
  const JsonValue first = *operation.begin();
  if (!name && operation.size() != 1) return Unknown(first, "got no name of an operation");
  const Operator* const known = FindOperation(name ? name->string() : first.key());
  if (known == nullptr) {
    return Unknown(name ? *name : first, "no bulk operation of this name is known");
  }
  Add(known->act, target_.empty() ? known->name : target_, first);
  if (name) {
    JudgeFields(operation, *known->shape, name->key());
  } else {
    JudgeFields(first, *known->shape);
  }
}

// ---- names -----------------------------------------------------------------------

void Walker::CheckDatabase(std::string_view database, JsonValue at) {
  if (database.empty() || options_.databases.empty()) return;
  if (options_.databases.contains(std::string(database))) return;
  Add(kNotCovered, database, at);
}

void Walker::Read(std::string_view database, std::string_view collection, JsonValue at) {
  CheckDatabase(database, at);
  Add(ActOfReading(database, collection), collection.empty() ? database : collection, at);
}

void Walker::Write(std::string_view database, std::string_view collection, JsonValue at) {
  CheckDatabase(database, at);
  Add(ActOfWriting(database, collection), collection.empty() ? database : collection, at);
}

void Walker::Collection(JsonValue value, bool writes) {
  std::string_view database = database_;
  std::optional<JsonValue> collection;
  if (value.is_object()) {
    for (const JsonValue member : value) {
      const bool known = IsName(member) && (member.key() == "db" || member.key() == "coll");
      if (member.key() == "coll" && known) collection = member;
      if (member.key() == "db" && known) database = member.string();
      if (!known && member.key() != "timeseries") Add(kElsewhere, member.key(), member);
    }
  } else if (IsName(value)) {
    collection = value;
  }
  if (!collection) {
    return Unknown(value, "got no name of a collection");
  }
  if (writes) {
    Write(database, collection->string(), *collection);
  } else if (!collection->string().starts_with("$cmd.")) {  // of a cursor over no collection
    Read(database, collection->string(), *collection);
  }
}

bool Walker::Namespace(JsonValue value, bool writes) {
  if (!IsName(value)) return false;
  const std::string_view text = value.string();
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot + 1 == text.size()) return false;
  if (writes) {
    Write(text.substr(0, dot), text.substr(dot + 1), value);
  } else {
    Read(text.substr(0, dot), text.substr(dot + 1), value);
  }
  return true;
}

// ---- what stands in fields ---------------------------------------------------------

void Walker::Pipeline(JsonValue list) {
  if (!list.is_array()) return Unknown(list, "got no list of stages");
  for (const JsonValue stage : list) Stage(stage);
}

void Walker::StoredPipeline(JsonValue list) {
  JudgementBuilder stored;
  Walker walker(options_, begin_, stored);
  walker.database_ = database_;
  walker.Pipeline(list);
  const Judgement judgement = std::move(stored).Finish(1);
  for (const Effect& effect : judgement.effects) {
    found_.Add(effect.kind, effect.object, effect.position, effect.risk, effect.why);
  }
  if (judgement.risk != Risk::kSafe) Add(kStoresHarm, target_, list);
}

void Walker::Pipelines(JsonValue object) {
  if (!object.is_object()) return Unknown(object, "got no object of pipelines");
  for (const JsonValue pipeline : object) Pipeline(pipeline);
}

void Walker::Stage(JsonValue stage) {
  if (!stage.is_object() || stage.size() != 1) {
    return Unknown(stage, "a stage is an object with one member");
  }
  const JsonValue member = *stage.begin();
  const Operator* const known = FindStage(member.key());
  if (known == nullptr) return Unknown(member, "no stage of this name is known");
  Apply(*known, member);
}

void Walker::Expression(JsonValue value) {
  if (value.is_array()) {
    for (const JsonValue element : value) Expression(element);
    return;
  }
  if (!value.is_object() || value.size() == 0 || IsTypedValue(value)) return;
  const JsonValue first = *value.begin();
  if (IsOperator(first) && value.size() == 1) {
    const Operator* const known = FindExpression(first.key());
    if (known == nullptr) return Unknown(first, "no operator of this name is known");
    return Apply(*known, first);
  }
  for (const JsonValue member : value) {
    if (IsOperator(member)) return Unknown(member, "an operator beside other members");
    Expression(member);
  }
}

void Walker::Projection(JsonValue object) {
  if (!object.is_object()) return Unknown(object, "got no projection");
  for (const JsonValue member : object) {
    if (IsOperator(member)) return Unknown(member, "an operator where a field is wanted");
    const auto match = member.size() == 1 ? member.Find("$elemMatch") : std::nullopt;
    if (match) {
      Filter(*match);
    } else {
      Expression(member);
    }
  }
}

void Walker::Windows(JsonValue object) {
  if (!object.is_object()) return Unknown(object, "got no fields");
  for (const JsonValue field : object) {
    if (!field.is_object()) return Unknown(field, "got no operator");
    for (const JsonValue member : field) {
      if (member.key() == "window") continue;
      const Operator* const known = FindExpression(member.key());
      if (known == nullptr) return Unknown(member, "no operator of this name is known");
      Apply(*known, member);
    }
  }
}

void Walker::Filter(JsonValue object) {
  if (!object.is_object()) return Unknown(object, "got no query");
  Predicate(object);
}

void Walker::Filters(JsonValue list) {
  if (!list.is_array()) return Unknown(list, "got no list of queries");
  for (const JsonValue query : list) Filter(query);
}

void Walker::Predicate(JsonValue value) {
  if (value.is_array()) {
    for (const JsonValue element : value) Predicate(element);
    return;
  }
  if (!value.is_object() || IsTypedValue(value)) return;
  for (const JsonValue member : value) QueryMember(member);
}

void Walker::QueryMember(JsonValue member) {
  if (!IsOperator(member)) return Predicate(member);
  const Operator* const known = FindQuery(member.key());
  if (known == nullptr) return Unknown(member, "no operator of this name is known");
  Apply(*known, member);
}

void Walker::Update(JsonValue update, Reach reach) {
  if (update.is_array()) return UpdatePipeline(update, reach);
  if (!update.is_object()) return Unknown(update, "got no update");
  if (update.size() == 0 || !IsOperator(*update.begin())) {
    for (const JsonValue member : update) {
      if (IsOperator(member)) return Unknown(member, "an operator beside fields");
    }
    return Add(reach == Reach::kMany ? kReplacesMany : kReplacesContent, target_, update);
  }
  for (const JsonValue member : update) {
    const Operator* const known = FindUpdate(member.key());
    if (known == nullptr || !member.is_object()) {
      Unknown(member, "no update operator of this name is known, or it has no fields");
    } else {
      Apply(*known, member);
    }
  }
}

void Walker::UpdatePipeline(JsonValue list, Reach reach) {
  for (const JsonValue stage : list) {
    if (!stage.is_object() || stage.size() != 1 ||
        !Contains(kUpdateStages, (*stage.begin()).key())) {
      Unknown(stage, "no stage of an update");
      continue;
    }
    const JsonValue member = *stage.begin();
    if (reach == Reach::kMany && Contains(kReplacingStages, member.key())) {
      Add(kReplacesMany, target_, member);
    }
    Stage(stage);
  }
}

void Walker::WhenMatched(JsonValue value) {
  constexpr std::string_view kHarmless[] = {"fail", "keepExisting", "merge"};
  if (value.is_array()) return UpdatePipeline(value, Reach::kMany);
  if (value.is_string() && value.string() == "replace") return Add(kReplacesMany, target_, value);
  if (!value.is_string() || !Contains(kHarmless, value.string())) {
    Unknown(value, "no known way to go on");
  }
}

}  // namespace bridgekeeper::mongodb
