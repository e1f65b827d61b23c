// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Walker reads a command document by the tables of inventory.h and notes what it does.
//
// Source: policy/spec.md, clauses G60 to G66.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MONGODB_WALK_H_
#define BRIDGEKEEPER_POLICY_GUARD_MONGODB_WALK_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "policy/base/json.h"
#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/mongodb/inventory.h"

namespace bridgekeeper::mongodb {

class Walker {
 public:
  // Positions are counted from `begin`, the payload's own first byte.
  Walker(const JudgeOptions& options, size_t begin, JudgementBuilder& found)
      : options_(options), begin_(begin), found_(found) {}

  // REQUIRES: `command` is an object, and FindUnreadable() found nothing in it
  void JudgeCommand(JsonValue command);

 private:
  // How many documents an update may change.
  enum class Reach { kOne, kMany };

  void Add(const Act& act, std::string_view object, JsonValue at);
  void Unknown(JsonValue at, std::string_view why);

  // ---- commands and their fields ----

  // Reads the value of the first member; false: it is not what the command takes.
  bool JudgeTarget(const Command& command, JsonValue value);
  bool JudgeCollection(const Command& command, JsonValue value);
  // The members of `object` but the one called `but`.
  void JudgeFields(JsonValue object, const Shape& shape, std::string_view but = {});
  // The same for a command or its options, which may have what every command has.
  void JudgeCommandFields(JsonValue object, const Shape& shape, std::string_view but = {});
  void JudgeField(const Field& field, JsonValue value, JsonValue object);
  // What a stage or an operator does, and its value.
  void Apply(const Operator& op, JsonValue value);
  void Take(Takes takes, const Shape* shape, JsonValue value, Reach reach);
  void Objects(JsonValue list, const Shape& shape);
  void BulkOperation(JsonValue operation);
  void DriverOperation(JsonValue operation);

  // ---- names ----

  void CheckDatabase(std::string_view database, JsonValue at);
  void Read(std::string_view database, std::string_view collection, JsonValue at);
  void Write(std::string_view database, std::string_view collection, JsonValue at);
  // A name, or {db, coll}.
  void Collection(JsonValue value, bool writes);
  // "database.collection", or ".collection" in the connection's own; false: neither.
  bool Namespace(JsonValue value, bool writes);

  // ---- what stands in fields ----

  void Pipeline(JsonValue list);
  void StoredPipeline(JsonValue list);
  void Pipelines(JsonValue object);
  void Stage(JsonValue stage);
  void Expression(JsonValue value);
  void Projection(JsonValue object);
  void Windows(JsonValue object);
  void Filter(JsonValue object);
  void Filters(JsonValue list);
  void Predicate(JsonValue value);
  void QueryMember(JsonValue member);
  void Update(JsonValue update, Reach reach);
  void UpdatePipeline(JsonValue list, Reach reach);
  void WhenMatched(JsonValue value);

  const JudgeOptions& options_;
  const size_t begin_;
  JudgementBuilder& found_;

  // Of the command that is being read.
  std::string_view database_;     // empty: the connection's own, which is not known
  std::string target_;            // what its effects are on
  const Shape* shape_ = nullptr;  // its fields
};

}  // namespace bridgekeeper::mongodb

#endif  // BRIDGEKEEPER_POLICY_GUARD_MONGODB_WALK_H_
