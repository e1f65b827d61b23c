// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/inventory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"

namespace bridgekeeper::sqlite {
namespace {

TEST(SqliteInventory, EveryEffectIsInTheVocabulary) {
  for (int i = 0; i <= static_cast<int>(Does::kMaintenance); ++i) {
    const DoesInfo& info = InfoOf(static_cast<Does>(i));
    EXPECT_EQ(info.kind.empty(), info.risk == Risk::kSafe) << i;
    if (info.kind.empty()) continue;
    EXPECT_NE(std::find(std::begin(effect::kAll), std::end(effect::kAll), info.kind),
              std::end(effect::kAll))
        << info.kind;
    EXPECT_FALSE(info.why.empty());
  }
}

TEST(SqliteInventory, TellsWhatIsDangerous) {
  EXPECT_EQ(FindFunction("fts3_tokenizer"), Does::kCodeAddress);
  EXPECT_EQ(FindFunction("load_extension"), Does::kExtension);
  EXPECT_EQ(FindFunction("my_fn"), std::nullopt);
  EXPECT_EQ(FindTable("pragma_table_info"), Does::kHarmless);
  EXPECT_EQ(FindTable("pragma_optimize"), Does::kMaintenance);
  EXPECT_EQ(FindTable("pragma_"), std::nullopt);
  EXPECT_TRUE(IsSystemTable("sqlite_master"));
  EXPECT_FALSE(IsSystemTable("my_sqlite_"));
}

}  // namespace
}  // namespace bridgekeeper::sqlite
