// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "policy/guard/dialects.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;

TEST(Dialects, HaveNamesThatTellThemApart) {
  std::set<std::string_view> names;
  for (const Dialect& dialect : AllDialects()) {
    EXPECT_TRUE(names.insert(dialect.name).second) << dialect.name;
    for (const std::string_view alias : dialect.aliases) {
      EXPECT_TRUE(names.insert(alias).second) << alias;
    }
    EXPECT_TRUE(dialect.text != nullptr || dialect.object != nullptr) << dialect.name;
    EXPECT_LE(dialect.limits.max_bytes, kMaxJudgedBytes) << dialect.name;
  }
}

TEST(Guard, KnowsADialectByNameOrAliasInAnyCase) {
  const auto guard = MakeGuard();
  for (const std::string_view name : {"postgres", "postgresql", "PostgreSQL", "pg"}) {
    EXPECT_TRUE(guard->Knows(name)) << name;
  }
  for (const std::string_view name : {"", "postgre", "postgres ", "oracle"}) {
    EXPECT_FALSE(guard->Knows(name)) << name;
  }
}

TEST(Guard, AnswersADialectThatItDoesNotKnowWithAnError) {
  const auto guard = MakeGuard();
  const Judgement judgement = guard->JudgeText("oracle", "SELECT 1", {});
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
}

TEST(Guard, AnswersAnObjectWhereTextIsWantedWithAnError) {
  const auto guard = MakeGuard();
  const auto document = JsonDocument::Parse(R"({"sql": "SELECT 1"})");
  ASSERT_TRUE(document.ok());
  const Judgement judgement = guard->JudgeObject("postgres", document->root(), {});
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("no judge reads a JSON object as `postgres`"));
}

TEST(Guard, RefusesWhatIsTooLargeBeforeItIsParsed) {
  const auto guard = MakeGuard();
  const Judgement judgement = guard->JudgeText("postgres", std::string(10 << 20, ' '), {});
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

TEST(Guard, AnswersARepeatedTextLikeTheFirstTime) {
  const auto guard = MakeGuard();
  const auto without_cache = MakeGuard({.pool = {}, .cache_bytes = 0});
  const std::string text = "DELETE FROM t";
  const Judgement first = guard->JudgeText("postgres", text, {});
  EXPECT_EQ(guard->JudgeText("postgres", text, {}), first);
  EXPECT_EQ(guard->JudgeText("PostgreSQL", text, {}), first);
  EXPECT_EQ(without_cache->JudgeText("postgres", text, {}), first);
}

TEST(Guard, JudgesWhatIsShortInPlaceWhereTheStackIsKnown) {
  // No thread has such a stack, so nothing is judged on the pool.
  constexpr size_t kHuge = size_t{1} << 50;
  const auto guard = MakeGuard({.pool = {.threads = 1, .stack_bytes = kHuge}, .cache_bytes = 0});
  EXPECT_EQ(guard->JudgeText("postgres", "SELECT 1", {}).error, Judgement::Error::kUnreadable);
  {
    const KnownStack small(kHuge - 1);
    EXPECT_EQ(guard->JudgeText("postgres", "SELECT 1", {}).error, Judgement::Error::kUnreadable);
  }
  const KnownStack large(kHuge);
  EXPECT_EQ(guard->JudgeText("postgres", "SELECT 1", {}).risk, Risk::kSafe);
  const std::string longer = "SELECT '" + std::string(5000, 'x') + "'";
  EXPECT_EQ(guard->JudgeText("postgres", longer, {}).error, Judgement::Error::kUnreadable);
}

}  // namespace
}  // namespace bridgekeeper
