// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "policy/guard/effects.h"
#include "policy/guard/postgres/catalogue.h"

namespace bridgekeeper::postgres {
namespace {

using Effect = FunctionEffect;

TEST(FunctionInventory, IsInOrderAndWhole) {
  EXPECT_GT(FunctionInventory().size(), 3500u);
  std::string previous;
  for (const FunctionRow& row : FunctionInventory()) {
    EXPECT_LE(previous, row.name);
    EXPECT_LE(row.fewest, row.most) << row.name;
    previous = row.name;
  }
}

TEST(FunctionInventory, EveryEffectIsInTheVocabulary) {
  for (int i = 0; i <= static_cast<int>(Effect::kInternal); ++i) {
    const FunctionEffectInfo& info = InfoOf(static_cast<Effect>(i));
    if (info.name == "harmless") {
      EXPECT_EQ(info.risk, Risk::kSafe);
      continue;
    }
    EXPECT_NE(info.risk, Risk::kSafe) << info.name;
    EXPECT_NE(std::find(std::begin(effect::kAll), std::end(effect::kAll), info.kind),
              std::end(effect::kAll))
        << info.name;
    EXPECT_FALSE(info.why.empty()) << info.name;
  }
}

struct Call {
  std::string_view schema;
  std::string_view name;
  std::optional<size_t> arguments;
  std::optional<Effect> want;
};

TEST(LookUpCall, FindsTheFunctionThatACallMayMean) {
  const Call calls[] = {
      {"", "lower", 1, Effect::kHarmless},
      {"pg_catalog", "lower", 1, Effect::kHarmless},
      {"public", "lower", 1, std::nullopt},  // the server has none there
      {"", "lower", 2, std::nullopt},        // nor one with two arguments
      {"", "LOWER", 1, std::nullopt},
      {"", "concat", 50, Effect::kHarmless},
      {"", "similarity", 2, Effect::kHarmless},
      {"anywhere", "similarity", 2, Effect::kHarmless},  // an extension may stand anywhere
      {"pg_catalog", "dblink", 2, Effect::kExternal},
      {"", "ts_rewrite", 2, Effect::kDynamic},  // (tsquery, text) runs the text
      {"", "ts_rewrite", 3, Effect::kHarmless},
      {"", "ts_rewrite", std::nullopt, Effect::kDynamic},  // the worst that it may be
      {"", "schedule", 2, std::nullopt},
      {"cron", "schedule", 2, Effect::kStoredCode},
      {"", "current_setting", 1, Effect::kShowSetting},
      {"", "int4in", 1, Effect::kHarmless},
      {"", "plpgsql_call_handler", 0, Effect::kInternal},
      {"", "", 0, std::nullopt},
  };
  for (const Call& call : calls) {
    EXPECT_EQ(LookUpCall(call.schema, call.name, call.arguments), call.want)
        << call.schema << "." << call.name << " with "
        << (call.arguments.has_value() ? std::to_string(*call.arguments) : "any number");
  }
}

TEST(LookUpAttribute, FindsWhatOneArgumentCanCall) {
  EXPECT_EQ(LookUpAttribute("pg_sleep"), Effect::kResource);
  EXPECT_EQ(LookUpAttribute("pg_read_file"), Effect::kHostFile);
  EXPECT_EQ(LookUpAttribute("pg_terminate_backend"), Effect::kOtherSession);  // by its default
  EXPECT_EQ(LookUpAttribute("lower"), std::nullopt);
  EXPECT_EQ(LookUpAttribute("pg_notify"), std::nullopt);  // takes two
  EXPECT_EQ(LookUpAttribute("system"), std::nullopt);     // takes what no value is
  EXPECT_EQ(LookUpAttribute("status"), std::nullopt);
}

TEST(ReadingShows, TellsTheServersRelationsFromOthers) {
  EXPECT_EQ(ReadingShows("", "pg_authid"), Effect::kSecret);
  EXPECT_EQ(ReadingShows("pg_catalog", "pg_authid"), Effect::kSecret);
  EXPECT_EQ(ReadingShows("public", "pg_authid"), std::nullopt);
  EXPECT_EQ(ReadingShows("", "pg_stat_activity"), Effect::kSensitive);
  EXPECT_EQ(ReadingShows("any", "pg_stat_statements"), Effect::kSensitive);
  EXPECT_EQ(ReadingShows("", "pg_class"), std::nullopt);
  EXPECT_EQ(ReadingShows("", "secrets"), std::nullopt);
  EXPECT_EQ(ReadingShows("vault", "secrets"), Effect::kSecret);
  for (const std::string_view name : {"pg_backend_memory_contexts", "pg_user_mappings"}) {
    EXPECT_TRUE(ReadingShows("", name).has_value()) << name;  // the ends of the ordered list
  }
}

TEST(Settings, GoByTheirNamesWithoutCase) {
  EXPECT_TRUE(IsHarmlessToShow("TimeZone"));
  EXPECT_TRUE(IsHarmlessToShow("application_name"));
  EXPECT_TRUE(IsHarmlessToShow("xmloption"));
  EXPECT_FALSE(IsHarmlessToShow("hba_file"));
  EXPECT_FALSE(IsHarmlessToShow("app.jwt_secret"));
  EXPECT_FALSE(IsHarmlessToShow("all"));
  EXPECT_TRUE(IsHarmlessToSet("DateStyle"));
  EXPECT_FALSE(IsHarmlessToSet("search_path"));
  EXPECT_FALSE(IsHarmlessToSet("statement_timeout"));
}

}  // namespace
}  // namespace bridgekeeper::postgres
