// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What no vector can say: trees that DuckDB does not make today, and a parser that
// fails. Vectors with the engine itself: tests/vectors/guard/duckdb.json.

#include "policy/guard/duckdb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "policy/guard/duckdb/inventory.h"
#include "policy/guard/duckdb/tree.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;

// Answers from a table; a text that is not in it is no query.
class FakeParser final : public duckdb::SqlParser {
 public:
  absl::StatusOr<std::string> Serialize(std::string_view text) override {
    const auto found = answers.find(std::string(text));
    if (found != answers.end()) return found->second;
    return fallback;
  }
  absl::StatusOr<int> CountStatements(std::string_view) override { return count; }

  std::map<std::string, std::string> answers;
  absl::StatusOr<std::string> fallback =
      R"({"error":true,"error_type":"not implemented",)"
      R"("error_message":"Only SELECT statements can be serialized to json!"})";
  absl::StatusOr<int> count = 1;
};

std::string Tree(std::string_view node) {
  return R"({"error":false,"statements":[{"node":)" + std::string(node) +
         R"(,"named_param_map":[]}]})";
}

Judgement JudgeTree(const std::string& json) {
  FakeParser parser;
  parser.fallback = json;
  return duckdb::JudgeWith(parser, "SELECT something", {});
}

bool IsSafe(const Judgement& judgement) {
  return judgement.error == Judgement::Error::kNone && judgement.risk == Risk::kSafe;
}

TEST(DuckdbJudge, KnowsTheTreeOfAPlainSelect) {
  EXPECT_TRUE(IsSafe(JudgeTree(
      Tree(R"({"type":"SELECT_NODE","select_list":[{"class":"COLUMN_REF","type":"COLUMN_REF",)"
           R"("alias":"","query_location":7,"column_names":["a"]}],)"
           R"("from_table":{"type":"BASE_TABLE","table_name":"t"}})"))));
}

TEST(DuckdbJudge, WhatIsNotInTheListOfNodesIsDestructive) {
  const std::string trees[] = {
      Tree(R"({"type":"NEW_NODE"})"),
      Tree(R"({"type":"SELECT_NODE","new_field":1})"),
      Tree(R"({"type":"SELECT_NODE","from_table":{"type":"COLUMN_DATA"}})"),
      Tree(R"({"type":"SELECT_NODE","from_table":{"type":"BASE_TABLE","table_name":""}})"),
      Tree(R"({"type":"SELECT_NODE","from_table":"t"})"),
      Tree(R"({"type":"SELECT_NODE","select_list":[{"class":"NEW","type":"NEW"}]})"),
      Tree(R"({"type":"SELECT_NODE","select_list":[{"class":"OPERATOR","type":"OPERATOR_NEW"}]})"),
      Tree(R"({"type":"SELECT_NODE","select_list":[{"class":"FUNCTION","type":"FUNCTION"}]})"),
      Tree(
          R"({"type":"SELECT_NODE","select_list":[{"class":"COLUMN_REF","type":"COLUMN_REF","column_names":[{"class":"FUNCTION"}]}]})"),
      Tree(R"({"type":"SELECT_NODE","select_list":{"class":"COLUMN_REF"}})"),
      Tree(R"({"type":"SELECT_NODE","modifiers":[{"type":"NEW_MODIFIER"}]})"),
      Tree(
          R"({"type":"SELECT_NODE","from_table":{"type":"SHOW_REF","show_type":"SHOW_UNQUALIFIED","table_name":"\"new\"","query":null}})"),
      Tree(
          R"({"type":"SELECT_NODE","from_table":{"type":"SHOW_REF","show_type":"NEW","query":null}})"),
      Tree(
          R"({"type":"SELECT_NODE","from_table":{"type":"TABLE_FUNCTION","function":{"class":"SUBQUERY","type":"SUBQUERY"}}})"),
      Tree(R"("text")"),
      R"({"error":false,"statements":[7]})",
  };
  for (const std::string& tree : trees) {
    const Judgement judgement = JudgeTree(tree);
    EXPECT_EQ(judgement.risk, Risk::kDestructive) << tree;
    EXPECT_EQ(judgement.error, Judgement::Error::kNone) << tree;
  }
}

TEST(DuckdbJudge, WhatIsNoAnswerIsUnreadable) {
  for (const char* json : {"", "null", "{}", "[]", R"({"error":false})", R"({"error":true})",
                           R"({"error":false,"statements":7})", R"({"error":"no"})"}) {
    EXPECT_EQ(JudgeTree(json).error, Judgement::Error::kUnreadable) << json;
  }
  FakeParser parser;
  parser.fallback = absl::UnavailableError("gone");
  EXPECT_THAT(duckdb::JudgeWith(parser, "SELECT 1", {}).message, HasSubstr("gone"));
}

TEST(DuckdbJudge, ATreeThatIsTooDeepIsUnreadable) {
  std::string node = R"({"class":"COLUMN_REF","type":"COLUMN_REF"})";
  std::string open;
  std::string close;
  for (int i = 0; i < duckdb::kMaxTreeDepth; ++i) {
    open += R"({"class":"COLLATE","type":"COLLATE","child":)";
    close += "}";
  }
  const Judgement judgement =
      JudgeTree(Tree(R"({"type":"SELECT_NODE","select_list":[)" + open + node + close + "]}"));
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
}

TEST(DuckdbJudge, AWriteThatTheEngineCountsOtherwiseIsNotAllowed) {
  FakeParser parser;
  EXPECT_EQ(duckdb::JudgeWith(parser, "BEGIN", {}).risk, Risk::kElevated);
  parser.count = 2;
  EXPECT_EQ(duckdb::JudgeWith(parser, "BEGIN", {}).error, Judgement::Error::kMultiple);
  parser.count = absl::InvalidArgumentError("syntax error");
  EXPECT_EQ(duckdb::JudgeWith(parser, "BEGIN", {}).error, Judgement::Error::kUnreadable);
}

TEST(DuckdbJudge, APartThatIsNoQueryByItselfIsDestructive) {
  FakeParser parser;
  EXPECT_EQ(duckdb::JudgeWith(parser, "INSERT INTO t SELECT 1", {}).risk, Risk::kDestructive);
  parser.answers["SELECT 1"] = Tree(R"({"type":"SELECT_NODE"})");
  EXPECT_EQ(duckdb::JudgeWith(parser, "INSERT INTO t SELECT 1", {}).risk, Risk::kElevated);
}

TEST(DuckdbJudge, WithoutAnEngineEverythingIsUnreadable) {
  const Judgement judgement = JudgeDuckdb("SELECT 1", {});
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("worker process"));
}

TEST(DuckdbLocation, IsWhateverAReplacementScanTakes) {
  using duckdb::LooksLikeLocation;
  for (const char* name : {"x.csv", "X.CSV", "/x", "a/b", "a\\b", "s3://x", "x?", "*", "a.b", "~",
                           "x.new_format", "data:x"}) {
    EXPECT_TRUE(LooksLikeLocation("", "", name)) << name;
  }
  for (const char* suffix :
       {"csv", "CSV", "parquet", "json", "db", "ddb", "duckdb", "gz", "xlsx"}) {
    EXPECT_TRUE(LooksLikeLocation("", "main", suffix)) << suffix;
    EXPECT_TRUE(LooksLikeLocation("memory", "main", suffix)) << suffix;
    EXPECT_FALSE(LooksLikeLocation("", "", suffix)) << suffix;
  }
  EXPECT_TRUE(LooksLikeLocation("", "a.b", "t"));
  EXPECT_FALSE(LooksLikeLocation("lake", "main", "orders"));
  EXPECT_FALSE(LooksLikeLocation("", "", "my table"));
}

TEST(DuckdbInventory, IsFoundByKindAndName) {
  using duckdb::Does;
  using duckdb::Find;
  using duckdb::Kind;
  EXPECT_EQ(Find(Kind::kFunction, "lower"), Does::kHarmless);
  EXPECT_EQ(Find(Kind::kFunction, "histogram"), Does::kHarmless);
  EXPECT_EQ(Find(Kind::kTable, "histogram"), Does::kIndirect);
  EXPECT_EQ(Find(Kind::kFunction, "json_serialize_plan"), Does::kHostFile);
  EXPECT_EQ(Find(Kind::kView, "pg_settings"), Does::kCredentials);
  EXPECT_EQ(Find(Kind::kPragma, "enable_profiling"), Does::kSetting);
  EXPECT_EQ(Find(Kind::kFunction, "nowhere"), std::nullopt);
}

}  // namespace
}  // namespace bridgekeeper
