// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/judgement_builder.h"

#include <gtest/gtest.h>

#include "policy/guard/effects.h"

namespace bridgekeeper {
namespace {

TEST(JudgementBuilder, FindsNothingInARead) {
  const Judgement judgement = JudgementBuilder().Finish(1);
  EXPECT_EQ(judgement.risk, Risk::kSafe);
  EXPECT_EQ(judgement.error, Judgement::Error::kNone);
  EXPECT_EQ(judgement.statements, 1);
  EXPECT_TRUE(judgement.effects.empty());
}

TEST(JudgementBuilder, ListsTheWorstFirstAndTakesItsRisk) {
  JudgementBuilder found;
  found.Add(effect::kInsert, "t", 0, Risk::kElevated, "adds rows");
  found.Add(effect::kDelete, "u", 9, Risk::kDestructive, "removes rows");
  const Judgement judgement = std::move(found).Finish(1);
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  ASSERT_EQ(judgement.effects.size(), 2u);
  EXPECT_EQ(judgement.effects[0].kind, "DELETE");
  EXPECT_EQ(judgement.effects[1].position, 0u);
}

TEST(JudgementBuilder, ListsTheSameEffectOnce) {
  JudgementBuilder found;
  for (size_t at : {3u, 30u}) found.Add(effect::kInsert, "t", at, Risk::kElevated, "adds rows");
  const Judgement judgement = std::move(found).Finish(1);
  ASSERT_EQ(judgement.effects.size(), 1u);
  EXPECT_EQ(judgement.effects[0].position, 3u);
}

TEST(JudgementBuilder, AFloodOfEffectsHidesNoWorseOne) {
  JudgementBuilder found;
  for (int i = 0; i < 1000; ++i) {
    found.Add(effect::kFunction, std::to_string(i), i, Risk::kElevated, "unknown");
  }
  found.Add(effect::kDrop, "t", 5000, Risk::kDestructive, "drops");
  const Judgement judgement = std::move(found).Finish(1);
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  ASSERT_EQ(judgement.effects.size(), kMaxEffects);
  EXPECT_EQ(judgement.effects[0].kind, "DROP");
}

TEST(JudgementBuilder, CutsALongNameBetweenCharacters) {
  JudgementBuilder found;
  std::string name(kMaxEffectObjectBytes - 1, 'a');
  name += "\xC3\xA9";  // one character of two bytes across the limit
  found.Add(effect::kInsert, name, 0, Risk::kElevated, "adds rows");
  EXPECT_EQ(std::move(found).Finish(1).effects[0].object,
            std::string(kMaxEffectObjectBytes - 1, 'a'));
}

TEST(JudgementError, IsDestructiveAndTellsWhere) {
  const Judgement judgement = JudgementError(Judgement::Error::kUnreadable, "got x", 0, 7);
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_EQ(judgement.message, "got x");
  ASSERT_EQ(judgement.effects.size(), 1u);
  EXPECT_EQ(judgement.effects[0].kind, "UNREADABLE");
  EXPECT_EQ(judgement.effects[0].position, 7u);
}

TEST(JudgementError, ALongMessageIsCutAtACharacter) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "é";
  const Judgement judgement = JudgementError(Judgement::Error::kUnreadable, text, 0, 1);
  EXPECT_LE(judgement.message.size(), 512u);
  EXPECT_TRUE(judgement.message.ends_with("é..."));
  EXPECT_EQ(judgement.effects[0].why, judgement.message);
}

}  // namespace
}  // namespace bridgekeeper
