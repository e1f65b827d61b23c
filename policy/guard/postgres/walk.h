// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Walker visits every object of a parse tree, whatever its position, and notes what
// it does. What each node kind means stands in one table, kinds.cc.
//
// Source: policy/spec.md, clauses G3 to G8.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_WALK_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_WALK_H_

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/postgres/functions.h"
#include "policy/guard/postgres/safe_functions.h"

namespace bridgekeeper::postgres {

using Object = simdjson::dom::object;
using Value = simdjson::dom::element;

// Nested nodes of a tree. The server itself ends a chain of operators below 5,000
// (max_stack_depth at its default of 2 MB, PostgreSQL 15.18). A level takes 0.6 KiB of
// our stack, with AddressSanitizer ten times that, of the 64 MiB that there are.
inline constexpr int kMaxTreeDepth = 10'000;

// Where in a statement a node stands.
struct Context {
  // The inner statement of an EXPLAIN that does not run it: only what planning does
  // counts, which is calling functions.
  bool planned = false;
  // Stored with an object and run later, by others.
  bool definition = false;
};

class Walker {
 public:
  // `statement` is the byte offset of the statement in the text.
  Walker(const JudgeOptions& options, size_t statement, JudgementBuilder& found)
      : options_(options), statement_(statement), found_(found) {}

  // Visits `node` and everything below it.
  void Walk(int16_t kind, Object node, Context context);

  // Visits what is below `node`, save the field `skip`.
  void WalkChildren(int16_t kind, Object node, Context context, std::string_view skip = {});

  // Visits a value of type `type` (grammar.h).
  void WalkValue(int16_t type, Value value, Context context);

  // True where the tree was deeper than kMaxTreeDepth, and not all of it was seen.
  bool too_deep() const { return too_deep_; }

  const JudgeOptions& options() const { return options_; }

  // Those of the options, read at first use.
  const SafeFunctions& safe_functions() {
    if (!safe_functions_.has_value()) safe_functions_.emplace(options_.safe_functions);
    return *safe_functions_;
  }

  // ---- for the meanings of kinds ----

  // Notes an effect. `at`: where its position is looked up; the statement's else.
  void Add(std::string_view kind, std::string_view object, std::optional<Object> at, Risk risk,
           std::string_view why);

  // Notes what a call of an inventoried function does, or a read that shows as much.
  void AddFunctionEffect(FunctionEffect effect, std::string_view object, std::optional<Object> at,
                         Context context);

  // Notes what writing to a relation means beyond `kind`: the system's own tables,
  // queues, other databases. Returns its name.
  std::string AddTarget(std::string_view kind, Object relation, Risk risk, std::string_view why);

  // Notes a database that the connection does not cover.
  void CheckDatabase(std::string_view database, std::string_view object, std::optional<Object> at);

 private:
  const JudgeOptions& options_;
  const size_t statement_;
  JudgementBuilder& found_;
  std::optional<SafeFunctions> safe_functions_;
  int depth_ = 0;
  bool too_deep_ = false;
};

// ---- reading nodes ----

// The member `name`; nullopt where there is none.
std::optional<Value> Get(Object node, std::string_view name);
std::string_view GetString(Object node, std::string_view name);  // empty where there is none
bool GetBool(Object node, std::string_view name);
std::optional<Object> GetObject(Object node, std::string_view name);
std::optional<simdjson::dom::array> GetArray(Object node, std::string_view name);

// The object inside an any-kind value if it is of kind `kind`.
std::optional<Object> As(Value value, std::string_view kind);

// The string of a String node; empty where it is none.
std::string_view StringOf(Value value);

// `catalog.schema.name` of a RangeVar.
std::string RelationName(Object range_var);

// The names of a list of String nodes, joined by points.
std::string DottedName(simdjson::dom::array names);

// The object that a statement is about, for people; empty where none is plain.
std::string ObjectOf(Object statement);

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_WALK_H_
