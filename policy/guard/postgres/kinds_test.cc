// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The table of kinds against the parser's own list of kinds.

#include "policy/guard/postgres/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "policy/guard/effects.h"
#include "policy/guard/postgres/grammar.h"

namespace bridgekeeper::postgres {
namespace {

TEST(Kinds, TheParsersListIsWhole) {
  // libpg_query 15-4.0.0 has 238 kinds of node, and RawStmt is one of them.
  EXPECT_EQ(GrammarKinds().size(), 238u);
  EXPECT_TRUE(FindKind("SelectStmt").has_value());
  EXPECT_TRUE(FindKind("RawStmt").has_value());
  EXPECT_FALSE(FindKind("selectstmt").has_value());
}

TEST(Kinds, EveryKindOfTheParserHasARow) {
  for (const GrammarKind& kind : GrammarKinds()) {
    EXPECT_NE(RuleOf(*FindKind(kind.name)), nullptr)
        << kind.name << ": say in kinds.cc what it means";
  }
}

TEST(Kinds, EveryRowIsAKindAndTheyAreInOrder) {
  std::string previous;
  for (const KindRule& rule : KindRules()) {
    EXPECT_TRUE(FindKind(rule.kind).has_value()) << rule.kind;
    EXPECT_LT(previous, rule.kind);
    previous = rule.kind;
  }
}

// No statement kind does nothing by itself, save these.
TEST(Kinds, EveryStatementHasAnEffectOrAHandler) {
  const std::set<std::string_view> only_reads = {"RawStmt", "SelectStmt",
                                                 // parts of other statements:
                                                 "ReplicaIdentityStmt", "ReturnStmt"};
  for (const KindRule& rule : KindRules()) {
    if (!rule.kind.ends_with("Stmt") || only_reads.contains(rule.kind)) continue;
    EXPECT_TRUE(rule.role == Role::kEffect || rule.role == Role::kHandler ||
                rule.role == Role::kPlanned)
        << rule.kind;
  }
}

TEST(Kinds, EveryEffectIsInTheVocabularyAndSaysWhy) {
  for (const KindRule& rule : KindRules()) {
    EXPECT_EQ(rule.role == Role::kHandler, rule.handler != nullptr) << rule.kind;
    if (rule.role != Role::kEffect) continue;
    EXPECT_NE(std::find(std::begin(effect::kAll), std::end(effect::kAll), rule.effect),
              std::end(effect::kAll))
        << rule.kind;
    EXPECT_NE(rule.risk, Risk::kSafe) << rule.kind;
    EXPECT_FALSE(rule.why.empty()) << rule.kind;
  }
}

// A leaf is not visited further, so nothing that could call may hang below it.
TEST(Kinds, NothingHangsBelowALeaf) {
  const std::set<std::string_view> names_or_constants = {"Alias", "A_Const"};
  for (const KindRule& rule : KindRules()) {
    if (rule.role != Role::kLeaf || names_or_constants.contains(rule.kind)) continue;
    for (const GrammarField& field : FieldsOf(*FindKind(rule.kind))) {
      // Where planned trees have a node: the parser never makes it.
      if (field.name == "xpr") continue;
      EXPECT_EQ(field.type, kScalar) << rule.kind << "." << field.name;
    }
  }
}

}  // namespace
}  // namespace bridgekeeper::postgres
