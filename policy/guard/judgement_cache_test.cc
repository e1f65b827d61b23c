// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/judgement_cache.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace bridgekeeper {
namespace {

Judgement Safe(std::string message) {
  Judgement judgement;
  judgement.risk = Risk::kSafe;
  judgement.error = Judgement::Error::kNone;
  judgement.message = std::move(message);
  return judgement;
}

TEST(JudgementKey, DiffersWhereverAJudgementCould) {
  std::vector<JudgeOptions> options(9);
  options[1].safe_functions = {"a", "b"};
  options[2].safe_functions = {"ab"};
  options[3].databases = {"a", "b"};
  options[4].allow_sensitive_reads = true;
  options[5].standard_conforming_strings = true;
  options[6].standard_conforming_strings = false;
  options[7].sql_mode = "";
  options[8].sql_mode = "ANSI";
  std::set<std::string> keys;
  size_t wanted = 0;
  for (const JudgeOptions& option : options) {
    for (const char form : {'t', 'o'}) {
      for (const std::string_view dialect : {"postgres", "sqlite"}) {
        for (const std::string_view text : {"SELECT 1", "SELECT 2", ""}) {
          keys.insert(JudgementKey(dialect, form, text, option));
          ++wanted;
        }
      }
    }
  }
  EXPECT_EQ(keys.size(), wanted);
}

TEST(JudgementCache, FindsWhatWasInserted) {
  JudgementCache cache(1 << 20);
  EXPECT_FALSE(cache.Find("a").has_value());
  cache.Insert("a", Safe("first"));
  ASSERT_TRUE(cache.Find("a").has_value());
  EXPECT_EQ(cache.Find("a")->message, "first");
  EXPECT_FALSE(cache.Find("b").has_value());
}

TEST(JudgementCache, ForgetsTheLeastRecentlyUsedAndStaysWithinItsBytes) {
  JudgementCache cache(size_t{16} * 4096);  // 4 KiB a shard: a few entries
  cache.Insert("kept", Safe(""));
  size_t found = 0;
  for (int i = 0; i < 1000; ++i) {
    cache.Insert("key" + std::to_string(i), Safe(""));
    ASSERT_TRUE(cache.Find("kept").has_value()) << "used all the time, gone after " << i;
  }
  for (int i = 0; i < 1000; ++i) found += cache.Find("key" + std::to_string(i)).has_value();
  EXPECT_GT(found, 16u);
  EXPECT_LT(found, 400u);
  EXPECT_TRUE(cache.Find("key999").has_value());
}

TEST(JudgementCache, KeepsNothingTooLargeAndNothingWhenOff) {
  JudgementCache cache(size_t{16} * 4096);
  cache.Insert(std::string(2000, 'k'), Safe(""));
  EXPECT_FALSE(cache.Find(std::string(2000, 'k')).has_value());
  JudgementCache off(0);
  off.Insert("a", Safe(""));
  EXPECT_FALSE(off.Find("a").has_value());
}

}  // namespace
}  // namespace bridgekeeper
