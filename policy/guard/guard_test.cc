// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "policy/guard/dialects.h"
#include "policy/guard/in_place.h"
#include "policy/guard/stack_pool.h"

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

// No thread has such a stack, so nothing is judged on the pool.
constexpr StackPoolOptions kNoPool = {.threads = 1, .stack_bytes = size_t{1} << 50};

std::string LongSelect() { return "SELECT '" + std::string(kInPlaceBytes, 'x') + "'"; }

// Runs `function` on a thread whose stack has `bytes`.
void OnStackOf(size_t bytes, std::function<void()> function) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &function), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

TEST(StackLeft, IsWhatTheThreadHas) {
  OnStackOf(size_t{8} << 20, [] {
    const size_t left = StackLeft();
    EXPECT_GT(left, size_t{6} << 20);
    EXPECT_LT(left, size_t{8} << 20);
    constexpr size_t kUsed = size_t{1} << 20;
    *static_cast<volatile char*>(__builtin_alloca(kUsed)) = 0;
    EXPECT_LE(StackLeft(), left - kUsed);
  });
}

TEST(Guard, JudgesWhatIsShortInPlaceWhereTheStackIsEnough) {
  const auto guard = MakeGuard({.pool = kNoPool, .cache_bytes = 0});
  OnStackOf(kInPlaceStackBytes, [&] {  // some of it is used already
    EXPECT_EQ(guard->JudgeText("postgres", "SELECT 1", {}).error, Judgement::Error::kUnreadable);
  });
  OnStackOf(2 * kInPlaceStackBytes, [&] {
    EXPECT_EQ(guard->JudgeText("postgres", "SELECT 1", {}).risk, Risk::kSafe);
    EXPECT_EQ(guard->JudgeText("postgres", LongSelect(), {}).error, Judgement::Error::kUnreadable);
  });
}

TEST(Guard, LeavesToAThreadThatMayWaitWhatItCannotJudgeInPlace) {
  const auto guard = MakeGuard();
  OnStackOf(2 * kInPlaceStackBytes, [&] {
    const std::string text = "DELETE FROM t";
    EXPECT_EQ(guard->TryJudgeText("postgres", text, {}), guard->JudgeText("postgres", text, {}));
    EXPECT_EQ(guard->TryJudgeText("postgres", LongSelect(), {}), std::nullopt);
    EXPECT_EQ(guard->TryJudgeText("duckdb", text, {}), std::nullopt);
  });
  OnStackOf(kInPlaceStackBytes, [&] {
    EXPECT_EQ(guard->TryJudgeText("postgres", "SELECT 1", {}), std::nullopt);
    // What is remembered needs no stack.
    EXPECT_EQ(guard->TryJudgeText("postgres", "DELETE FROM t", {}),
              guard->JudgeText("postgres", "DELETE FROM t", {}));
  });
}

}  // namespace
}  // namespace bridgekeeper
