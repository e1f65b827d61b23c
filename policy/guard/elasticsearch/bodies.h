// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to the Elasticsearch judge: what a body does beyond what its API is known for.
// The grammar of bodies is data (grammar.cc); a member that it does not know is
// DESTRUCTIVE.
//
// Source: Elasticsearch Guide, "REST APIs", "Query DSL"; policy/spec.md, clauses G83, G84.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_BODIES_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_BODIES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "policy/base/json.h"
#include "policy/guard/elasticsearch/grammar.h"
#include "policy/guard/elasticsearch/languages.h"
#include "policy/guard/elasticsearch/names.h"
#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper::elasticsearch {

class BodyWalker {
 public:
  // `position`: where the body stands, for values of documents inside it; nullopt: the
  // values are the payload's own, and `begin` is the offset of the payload.
  BodyWalker(const JudgeOptions& options, std::optional<size_t> position, size_t begin,
             JudgementBuilder& found)
      : options_(options), position_(position), begin_(begin), found_(found) {}

  // Walks one JSON value by a rule of the grammar.
  void Walk(JsonValue body, std::string_view rule);

  // Walks the lines of `_bulk` and `_msearch`. Returns what cannot be read, or an empty
  // text; `lines` counts those that hold something.
  std::string WalkBulk(JsonValue body, bool has_index, int& lines);
  std::string WalkSearches(JsonValue body, std::string_view rule, int& lines);

 private:
  void WalkBy(JsonValue value, const Rule& rule);
  void WalkInside(JsonValue value, const Rule& rule);
  void Apply(JsonValue value, const Target& target, std::string_view name);
  // Notes a level of nesting; false: too deep, which is added as unknown.
  bool Enter(JsonValue value);
  void Act(JsonValue value, std::string_view action, std::string_view name);
  void Add(std::string_view kind, std::string_view object, JsonValue at, Risk risk,
           std::string_view why);
  size_t PositionOf(JsonValue value) const {
    return position_ ? *position_ : value.offset() - begin_;
  }
  void CheckNames(JsonValue value, Access access);
  void ReadScript(JsonValue script, bool writes);
  void CheckSettings(JsonValue settings);
  // What is hidden at any depth of a setting or of a part of an analysis, whose name may
  // have dots; `stored`: it runs later.
  void CheckParts(JsonValue value, std::string_view name, bool stored);
  void CheckQuery(JsonValue text, QueryText (*read)(std::string_view));

  const JudgeOptions& options_;
  const std::optional<size_t> position_;
  const size_t begin_;
  JudgementBuilder& found_;
  int depth_ = 0;
};

}  // namespace bridgekeeper::elasticsearch

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_BODIES_H_
