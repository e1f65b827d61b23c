// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/inventory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"
#include "policy/guard/mysql/catalogue.h"

namespace bridgekeeper::mysql {
namespace {

TEST(MysqlInventory, EveryEffectIsInTheVocabulary) {
  for (int i = 0; i <= static_cast<int>(Does::kServer); ++i) {
    const DoesInfo& info = InfoOf(static_cast<Does>(i));
    EXPECT_EQ(info.kind.empty(), info.risk == Risk::kSafe) << i;
    if (info.kind.empty()) continue;
    EXPECT_NE(std::find(std::begin(effect::kAll), std::end(effect::kAll), info.kind),
              std::end(effect::kAll))
        << info.kind;
    EXPECT_FALSE(info.why.empty());
  }
}

TEST(MysqlInventory, TellsWhatIsDangerous) {
  EXPECT_EQ(FindFunction("load_file")->does, Does::kHostFile);
  EXPECT_EQ(FindFunction("sleep")->does, Does::kResource);
  EXPECT_EQ(FindFunction("count")->form, Form::kAdjacent);
  EXPECT_FALSE(FindFunction("my_fn").has_value());
  EXPECT_FALSE(FindFunction("").has_value());
}

TEST(MysqlCatalogue, WhatIsNotListedIsNotPlain) {
  EXPECT_EQ(ReadingShows("information_schema", "tables"), Shows::kPlain);
  EXPECT_EQ(ReadingShows("information_schema", "of_tomorrow"), Shows::kSensitive);
  EXPECT_EQ(ReadingShows("performance_schema", "of_tomorrow"), Shows::kSensitive);
  EXPECT_EQ(ReadingShows("sys", "of_tomorrow"), Shows::kSensitive);
  EXPECT_EQ(ReadingShows("mysql", "of_tomorrow"), Shows::kSecret);
  EXPECT_EQ(VariableShows("version"), Shows::kPlain);
  EXPECT_EQ(VariableShows("of_tomorrow"), Shows::kSensitive);
  EXPECT_EQ(VariablesShow("Character\\_Set%"), Shows::kPlain);
  EXPECT_EQ(VariablesShow("innodb%"), Shows::kSensitive);
  EXPECT_EQ(VariablesShow("mysqlx\\_port"), Shows::kSensitive);
  for (const char* pattern : {"%", "report%", "%PASS%_o_d", "report\\_password", "%\\_%",
                              "r\u00e9port_password", "report_password ", "x\\n"}) {
    EXPECT_EQ(VariablesShow(pattern), Shows::kSecret) << pattern;
  }
  EXPECT_EQ(VariablesShow("s%"), Shows::kSensitive);
  EXPECT_FALSE(IsPlainEngine("federated"));
}

}  // namespace
}  // namespace bridgekeeper::mysql
