// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What each node kind of the grammar means.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_KINDS_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_KINDS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/guard/postgres/walk.h"

namespace bridgekeeper::postgres {

enum class Role : uint8_t {
  kLeaf,     // nothing below it matters
  kPart,     // does nothing by itself; what is below it is visited
  kEffect,   // always does what its row says; what is below it is visited
  kHandler,  // a function says, and visits what is below
  kPlanned,  // made by planning, never by parsing: not known if it is met
};

struct KindRule {
  std::string_view kind;
  Role role;
  // kEffect:
  std::string_view effect = {};
  Risk risk = Risk::kDestructive;
  std::string_view why = {};
  // What is below is stored to run later.
  bool definition = false;
  // kHandler:
  void (*handler)(Walker& walker, int16_t kind, Object node, Context context) = nullptr;
};

// All rows, ordered by kind.
std::span<const KindRule> KindRules();

// The row of a kind (grammar.h); null: there is none, and the kind is not known.
const KindRule* RuleOf(int16_t kind);

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_KINDS_H_
