// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to the Elasticsearch judge: the grammar of bodies, read once from its text.
//
// A rule says which members an object may have and what each of them is; an array is
// walked element by element with the rule of the array, and a scalar in an object's
// place is the server's to refuse. What a member is:
//
//   any       not looked into: it reaches nothing but the request itself
//   NAME      an object by the rule NAME
//   @ACTION   something that does more; BodyWalker::Act has them all
//
// `*` stands for every other member; without it a member that is not named is unknown.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_GRAMMAR_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_GRAMMAR_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "policy/base/strings.h"

namespace bridgekeeper::elasticsearch {

struct Rule;

struct Target {
  std::string_view action;     // with its `@`; empty: none
  const Rule* rule = nullptr;  // null beside an empty action: `any`
};

struct Rule {
  StringMap<Target> members;
  const Target* others = nullptr;  // `*`; null: unknown
};

// The rule of this name. REQUIRES: the grammar has it
const Rule& FindRule(std::string_view name);

// What is wrong with the grammar's text; empty: nothing. For the tests.
std::string GrammarProblems();

}  // namespace bridgekeeper::elasticsearch

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_GRAMMAR_H_
