// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// TreeWalker visits every node of the tree that json_serialize_sql makes of a query
// and notes what it does. Kinds of nodes and their fields are a list: what is not on
// it is DESTRUCTIVE.
//
// Source: the output of DuckDB 1.5.6 with storage_compatibility_version 'latest',
// which is no specified format; policy/spec.md, clauses G4 to G8, G13, G25 to G27.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_TREE_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_TREE_H_

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policy/guard/duckdb/inventory.h"
#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper::duckdb {

using Object = simdjson::dom::object;
using Value = simdjson::dom::element;

// Nested objects of a tree; DuckDB ends an expression at a depth of 1,000. A level
// takes less than 2 KiB of the 64 MiB of stack that there are.
inline constexpr int kMaxTreeDepth = 10'000;

// Where the text that was serialized stands in the payload: `prefix` bytes of ours,
// then the payload from `begin`.
struct Place {
  size_t prefix = 0;
  size_t begin = 0;
};

// Notes effects, with what the connection's record says about them.
class Notes {
 public:
  // `definition`: what is noted is stored with an object and run later.
  Notes(const JudgeOptions& options, bool definition, JudgementBuilder& found)
      : options_(options), definition_(definition), found_(found) {}

  void Add(std::string_view kind, std::string_view object, std::optional<size_t> position,
           Risk risk, std::string_view why);
  void AddDoes(Does does, std::string_view name, std::optional<size_t> position);
  void AddUnknown(std::string_view object, std::optional<size_t> position, std::string_view why);

  // A call in an expression, or in FROM where `table`. `name` in any case. `first`: the
  // first argument, where it is a string constant.
  void AddCall(bool table, std::string_view schema, std::string_view name, size_t arguments,
               std::optional<std::string_view> first, std::optional<size_t> position);
  // A relation in FROM. Empty parts are not given.
  void AddRelation(std::string_view catalog, std::string_view schema, std::string_view name,
                   std::optional<size_t> position);
  // A qualifier of a name: outside the connection's databases it is another connection.
  void CheckConnection(std::string_view catalog, std::string_view schema,
                       std::optional<size_t> position);

 private:
  void AddNamedTable(std::optional<std::string_view> name, std::string_view function,
                     std::optional<size_t> position);
  void AddNamedSetting(std::optional<std::string_view> name, std::optional<size_t> position);
  bool IsListedSafe(std::string_view schema, std::string_view name, size_t arguments) const;

  const JudgeOptions& options_;
  const bool definition_;
  JudgementBuilder& found_;
};

// True where a replacement scan of DuckDB or of one of its extensions takes the name
// for a file or a URL when no table has it. Unquoted `a.csv` is one too.
bool LooksLikeLocation(std::string_view catalog, std::string_view schema, std::string_view name);

enum class FieldKind : uint8_t;
struct Shape;

class TreeWalker {
 public:
  // `text`: the payload.
  TreeWalker(std::string_view text, Place place, Notes& notes)
      : text_(text), place_(place), notes_(notes) {}

  // Visits one element of the tree's `statements`.
  void WalkStatement(Value statement);

  // True where the tree was deeper than kMaxTreeDepth, and not all of it was seen.
  bool too_deep() const { return too_deep_; }

 private:
  void VisitShape(Object node, const Shape& shape);
  void VisitField(FieldKind kind, std::string_view name, Value value);
  void VisitEach(FieldKind kind, std::string_view name, Value value);
  void VisitExpression(Value value);
  void VisitByType(std::span<const Shape> shapes, Value value, std::string_view what);
  void VisitTableFunction(Value value);

  void NoteFunction(Object node, bool table);
  void NoteRelation(Object node);
  void NoteShow(Object node);
  void NoteUnknown(std::string_view object, std::string_view why);
  std::optional<size_t> PositionOf(Object node) const;

  const std::string_view text_;
  const Place place_;
  Notes& notes_;
  int depth_ = 0;
  bool too_deep_ = false;
};

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_TREE_H_
