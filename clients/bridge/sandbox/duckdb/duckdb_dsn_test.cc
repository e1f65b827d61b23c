// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/duckdb/duckdb_dsn.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Sql(const DuckdbSetup& setup) {
  std::vector<std::string> texts;
  for (const DuckdbSetup::Step& step : setup.steps) texts.push_back(step.sql);
  return texts;
}

TEST(ParseDuckdbDsn, AttachesOnePathForReading) {
  const auto setup = ParseDuckdbDsn("file:/srv/it's.duckdb");
  ASSERT_THAT(setup, IsOk());
  EXPECT_THAT(Sql(*setup), ElementsAre("ATTACH '/srv/it''s.duckdb' AS \"main_db\" (READ_ONLY)",
                                       "SET search_path = 'main_db.main,memory.main'"));
  EXPECT_THAT(setup->databases, ElementsAre("main_db"));
  EXPECT_THAT(setup->folders, ElementsAre());
}

// The order: what a view reads needs the secret, and the secret the extension.
TEST(ParseDuckdbDsn, SetsUpAnObjectStore) {
  const auto setup = ParseDuckdbDsn(R"x({
      "views": {"sale": "SELECT * FROM read_parquet('s3://lake/2026/*.parquet')"},
      "attach": {"shop": "/srv/shop.duckdb"},
      "folders": ["s3://lake/2026/"],
      "secrets": [{"key_id": "k'", "type": "s3", "scope": "s3://lake/"}],
      "extensions": ["/srv/httpfs.duckdb_extension"]})x");
  ASSERT_THAT(setup, IsOk());
  EXPECT_THAT(
      Sql(*setup),
      ElementsAre("LOAD '/srv/httpfs.duckdb_extension'",
                  "CREATE TEMPORARY SECRET bk_1 (TYPE s3, key_id 'k''', scope 's3://lake/')",
                  "ATTACH '/srv/shop.duckdb' AS \"shop\" (READ_ONLY)",
                  "CREATE VIEW memory.main.\"sale\" AS SELECT * FROM "
                  "read_parquet('s3://lake/2026/*.parquet')",
                  "SET search_path = 'shop.main,memory.main'"));
  EXPECT_THAT(setup->folders, ElementsAre("s3://lake/2026/"));
}

TEST(ParseDuckdbDsn, RefusesWhatItDoesNotKnow) {
  for (const char* dsn : {"",
                          "shop.duckdb",
                          ":memory:",
                          "file:shop.duckdb",
                          "{",
                          "[]",
                          R"({"atach": {}})",
                          R"({"attach": []})",
                          R"({"attach": {"a": 1}})",
                          R"({"attach": {"A b": "/x"}})",
                          R"({"attach": {"system": "/x"}})",
                          R"({"folders": ["/"]})",
                          R"({"folders": ["/srv"]})",
                          R"({"folders": ["/srv/../"]})",
                          R"({"folders": ["srv/"]})",
                          R"({"extensions": ["httpfs"]})",
                          R"({"secrets": [{"scope": "x"}]})",
                          R"({"secrets": [{"type": "s3) , ("}]})",
                          R"({"secrets": [{"type": "s3", "a b": "x"}]})",
                          R"({"views": ["SELECT 1"]})"}) {
    EXPECT_THAT(ParseDuckdbDsn(dsn), StatusIs(absl::StatusCode::kInvalidArgument)) << dsn;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
