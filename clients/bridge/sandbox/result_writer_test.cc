// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/result_writer.h"

#include <string>
#include <vector>

#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/sandbox/error_text.h"
#include "clients/bridge/sandbox/tools.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/catalog/catalog.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Finished(ResultWriter writer) {
  const std::string json = std::move(writer).Finish(absl::Milliseconds(7));
  EXPECT_THAT(JsonDocument::Parse(json), IsOk()) << json;
  return json;
}

TEST(ResultWriter, WritesEveryKindOfValueWithoutLoss) {
  ResultWriter writer(Shape::kRows, {});
  writer.SetColumns({{"n", "t"},
                     {"b", "t"},
                     {"i", "t"},
                     {"big", "t"},
                     {"least", "t"},
                     {"f", "t"},
                     {"nan", "t"},
                     {"s", "t"},
                     {"bytes", "t"},
                     {"bad", "t"}});
  ASSERT_TRUE(writer.BeginRow());
  writer.Null();
  writer.Bool(true);
  writer.Integer("9007199254740991");
  writer.Integer("9007199254740992");
  writer.Integer("-9223372036854775808");
  writer.Float("1.5e+30");
  writer.Float("NaN");
  writer.Text("a \"quoted\" \n text");
  writer.Bytes(std::string_view("\x00\xff", 2));
  writer.Text("\xff");
  EXPECT_TRUE(writer.EndRow());
  EXPECT_EQ(Finished(std::move(writer)),
            R"({"columns":["n","b","i","big","least","f","nan","s","bytes","bad"],)"
            R"("columnTypes":["t","t","t","t","t","t","t","t","t","t"],)"
            R"("rows":[{"n":null,"b":true,"i":9007199254740991,"big":"9007199254740992",)"
            R"("least":"-9223372036854775808","f":1.5e+30,"nan":"NaN",)"
            R"("s":"a \"quoted\" \n text","bytes":{"$base64":"AP8="},"bad":{"$base64":"/w=="}}],)"
            R"("rowCount":1,"executionTimeMs":7,"truncated":false})");
}

TEST(ResultWriter, KeepsEveryColumnOfANameThatComesTwice) {
  ResultWriter writer(Shape::kRows, {});
  writer.SetColumns({{"a", ""}, {"a", ""}, {"a_2", ""}, {"a", ""}});
  ASSERT_TRUE(writer.BeginRow());
  for (const char* value : {"1", "2", "3", "4"}) writer.Integer(value);
  EXPECT_TRUE(writer.EndRow());
  EXPECT_THAT(Finished(std::move(writer)),
              AllOf(HasSubstr(R"("columns":["a","a_2","a_2_2","a_3"])"),
                    HasSubstr(R"({"a":1,"a_2":2,"a_2_2":3,"a_3":4})")));
}

// Writes `rows` rows of one text each.
std::string Rows(Shape shape, const RunLimits& limits, int rows, size_t bytes) {
  ResultWriter writer(shape, limits);
  writer.SetColumns({{"a", "text"}});
  for (int i = 0; i < rows && writer.BeginRow(); ++i) {
    writer.Text(std::string(bytes, 'x'));
    writer.EndRow();
  }
  return Finished(std::move(writer));
}

TEST(ResultWriter, NamesOfColumnsAreHeldToTheBytesToo) {
  const RunLimits limits{.max_bytes = 4000};
  ResultWriter one(Shape::kRows, limits);
  one.SetColumns({{"a", "text"}, {std::string(100'000, 'b'), "text"}, {"c", "text"}});
  EXPECT_TRUE(one.is_cut());
  EXPECT_FALSE(one.BeginRow());
  EXPECT_THAT(Finished(std::move(one)),
              AllOf(HasSubstr(R"("columns":["a"],"columnTypes":["text"],"rows":[])"),
                    HasSubstr(R"("truncatedBy":"bytes")")));
  // Of the same name, in a time that does not grow with their square.
  ResultWriter many(Shape::kRows, limits);
  many.SetColumns(std::vector<ResultColumn>(200'000, {"same", "text"}));
  EXPECT_LE(Finished(std::move(many)).size(), 4000U);
  ResultWriter all(Shape::kRows, {.max_bytes = 100 << 20});
  all.SetColumns(std::vector<ResultColumn>(200'000, {"same", "text"}));
  EXPECT_FALSE(all.is_cut());
}

TEST(ResultWriter, ExactlyAsManyRowsAsAllowedAreNotTruncated) {
  EXPECT_THAT(Rows(Shape::kRows, {.max_rows = 3}, 3, 1),
              AllOf(HasSubstr(R"("rowCount":3)"), HasSubstr(R"("truncated":false)")));
  EXPECT_THAT(
      Rows(Shape::kRows, {.max_rows = 3}, 4, 1),
      AllOf(HasSubstr(R"("rowCount":3)"), HasSubstr(R"("truncated":true,"truncatedBy":"rows")")));
}

TEST(ResultWriter, ARowBeyondTheBytesIsLeftOutAndTheColumnsStay) {
  EXPECT_THAT(Rows(Shape::kRows, {.max_bytes = 2000}, 1, 5000),
              AllOf(HasSubstr(R"("columns":["a"])"), HasSubstr(R"("rows":[])"),
                    HasSubstr(R"("truncated":true,"truncatedBy":"bytes")")));
  EXPECT_THAT(Rows(Shape::kText, {.max_bytes = 2000}, 1, 5000),
              HasSubstr(R"({"data":"","truncated":true,"truncatedBy":"bytes"})"));
}

TEST(ResultWriter, AnAnswerNeverTakesMoreThanItsBytesOnceItIsSent) {
  for (const Shape shape : {Shape::kRows, Shape::kList, Shape::kText}) {
    for (const int64_t max : {600, 1000, 5000, 20000}) {
      ResultWriter writer(shape, {.max_bytes = max});
      writer.SetColumns({{"a \"column\"", "text"}});
      while (writer.BeginRow()) {
        writer.Text("\"\\\"\n\x01 some text");
        writer.EndRow();
      }
      const std::string json = Finished(std::move(writer));
      EXPECT_LE(JsonString(json).size(), static_cast<size_t>(max)) << static_cast<int>(shape);
      EXPECT_THAT(json, HasSubstr(R"("truncatedBy":"bytes")"));
      if (max >= 5000) {
        EXPECT_GT(JsonString(json).size(), static_cast<size_t>(max) * 7 / 10);
      }
    }
  }
}

TEST(ErrorText, MasksWhatTheStatementDoesNotHold) {
  struct Row {
    const char* name;
    const char* message;
    const char* statement;
    const char* want;
  };
  const Row rows[] = {
      {"the value of a cast", "invalid input syntax for type integer: \"id=secret\"",
       "SELECT ('id='||string_agg(b,','))::int FROM t",
       "invalid input syntax for type integer: \"***\""},
      {"a value with quotes in it", "invalid input syntax for type integer: \"a\"secret\"t\"",
       "SELECT ('a\"'||b||'\"t')::int FROM t", "invalid input syntax for type integer: \"***\""},
      {"a name of the statement", "relation \"foo\" does not exist", "SELECT * FROM foo",
       "relation \"foo\" does not exist"},
      {"two names of the statement", "column \"a\" of relation \"t\" does not exist",
       "UPDATE t SET a = 1", "column \"a\" of relation \"t\" does not exist"},
      {"a name that it does not hold", "permission denied for table \"hidden\"", "SELECT * FROM v",
       "permission denied for table \"***\""},
      {"no quotes", "division by zero", "SELECT 1/0", "division by zero"},
      {"single quotes", "bad value 'secret'", "SELECT f()", "bad value '***'"},
      {"a control character", "bad \x1b[31m", "SELECT 1", "bad \\u{001b}[31m"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ErrorForCaller(row.message, row.statement), row.want) << row.name;
  }
  EXPECT_LE(ErrorForCaller(std::string(5000, 'x'), "").size(), kMaxErrorBytes);
}

TEST(ErrorText, MasksNumbersThatTheStatementDoesNotHold) {
  EXPECT_EQ(
      WithoutNumbers("Overflow in multiplication of INT64 (12 * -9000.5e7)!", "SELECT a * 12"),
      "Overflow in multiplication of INT64 (12 * -***)!");
  EXPECT_EQ(WithoutNumbers("at 2025-01-01 08:00:00 of t_1", ""), "at *** *** of t_1");
  EXPECT_EQ(WithoutNumbers("7", "SELECT 7"), "7");
}

TEST(Tools, AreThoseOfTheBuiltInCatalogueWithItsArguments) {
  const Catalog catalog(AppId("app"), {});
  for (const ToolRow& row : AllTools()) {
    const CatalogEntry* entry = catalog.Find(row.name, std::nullopt, false);
    ASSERT_NE(entry, nullptr) << row.name;
    EXPECT_EQ(FindTool(row.name), &row);
    EXPECT_EQ(FindTool(row.name.substr(kToolPrefix.size())), &row);
    // What only reads may run on a connection that only reads: no tool that the
    // catalogue knows to change something is among these.
    if (entry->risk == Risk::kDestructive) {
      EXPECT_TRUE(row.writes) << row.name;
    }
  }
  const auto tools = JsonDocument::Parse(ToolsJson());
  EXPECT_THAT(tools, IsOk());
}

TEST(Tools, ReadOnlyTheArgumentsThatTheyHave) {
  const ToolRow& tool = *FindTool("describe_table");
  const auto read = [&](const char* text) {
    const auto document = JsonDocument::Parse(text);
    return ReadArguments(tool, document->root()).status();
  };
  EXPECT_THAT(read(R"({"connection_id":1,"table":"t","schema":null})"), IsOk());
  EXPECT_THAT(read(R"({"connection_id":1})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("`table` is missing")));
  EXPECT_THAT(read(R"({"table":"t","tabel":"u"})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no such argument")));
  EXPECT_THAT(read(R"({"table":7})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want a string")));
  EXPECT_THAT(read("{\"table\":\"a\\u0000b\"}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("NUL")));
}

}  // namespace
}  // namespace bridgekeeper::bridge
