// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/mongodb.json) cannot say: positions, forms
// that only text has, and hostile documents.

#include "policy/guard/mongodb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "policy/guard/guard.h"
#include "policy/guard/mongodb/extended_json.h"
#include "policy/guard/mongodb/inventory.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using Error = Judgement::Error;

Judgement Judge(std::string_view json, const JudgeOptions& options = {}) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  const auto document =
      JsonDocument::Parse(json, {.max_depth = 100'000, .max_values = size_t{1} << 24});
  EXPECT_TRUE(document.ok()) << document.status();
  if (!document.ok()) return {};
  return guard->JudgeObject("mongo", document->root(), options);
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

TEST(MongodbPositions, AreBytesOfThePayload) {
  for (const auto& [json, what] : {
           std::pair<std::string, std::string>{R"({"find":"é","filter":{"$where":"1"}})", R"("1")"},
           {R"({ "drop" : "é" })", R"("é")"},
           {R"({"aggregate":"t","pipeline":[{"$match":{}},{"$out":"copy"}]})", R"("copy")"},
       }) {
    const Judgement judgement = Judge(json);
    ASSERT_FALSE(judgement.effects.empty()) << json;
    EXPECT_EQ(judgement.effects[0].position, json.find(what)) << json;
    // Inside a larger text they are counted from the payload's own first byte.
    const std::string around = R"({"arguments": )" + json + "}";
    const auto document = JsonDocument::Parse(around);
    const Judgement inner = JudgeMongodb(*document->root().Find("arguments"), {});
    EXPECT_EQ(inner.effects[0].position, json.find(what)) << json;
  }
}

TEST(MongodbForms, EscapedNamesAreTheNames) {
  EXPECT_EQ(Judge(R"({"\u0064rop":"t"})").effects[0].kind, "DROP");
  EXPECT_EQ(Judge(R"({"find":"t","filter":{"\u0024where":"1"}})").effects[0].kind, "DYNAMIC_CODE");
  EXPECT_EQ(Judge(R"({"find":"system.us\u0065rs"})").effects[0].kind, "SENSITIVE_READ");
}

TEST(MongodbForms, AFlagIsOffOnlyWhereItPlainlyIs) {
  for (const char* off : {"false", "0", "null"}) {
    EXPECT_EQ(Judge(std::string(R"({"create":"t","capped":)") + off + "}").risk, Risk::kElevated)
        << off;
  }
  for (const char* on :
       {"true", "1", "-0", "0.0", "0e5", R"("")", R"("false")", "[]", "{}", R"({"$numberInt":"0"})",
        R"({"$numberDouble":"NaN"})", "1e400", "123456789012345678901234567890"}) {
    EXPECT_EQ(Judge(std::string(R"({"create":"t","capped":)") + on + "}").risk, Risk::kDestructive)
        << on;
  }
}

TEST(MongodbForms, ATypedValueHoldsNoOperator) {
  for (const auto& [json, typed] : {
           std::pair<std::string, bool>{R"({"$oid":"507f1f77bcf86cd799439011"})", true},
           {R"({"$numberLong":"1"})", true},
           {R"({"$date":{"$numberLong":"1"}})", true},
           {R"({"$date":{"$where":"1"}})", false},
           {R"({"$date":{"$numberLong":{"$where":"1"}}})", false},
           {R"({"$binary":{"base64":"","subType":"00"}})", true},
           {R"({"$binary":{"base64":"","subType":{"$where":"1"}}})", false},
           {R"({"$type":"00","$binary":""})", true},
           {R"({"$type":"string"})", false},
           {R"({"$regex":"a","$options":""})", true},
           {R"({"$regex":"a"})", false},
           {R"({"$timestamp":{"t":1,"i":2}})", true},
           {R"({"$timestamp":{"t":1,"x":2}})", false},
           {R"({"$ref":"a","$id":{"$oid":"b"}})", true},
           {R"({"$ref":"a","$id":{"$function":{}}})", false},
           {R"({"$ref":"a","$id":1,"$where":"1"})", false},
           {R"({"$dbPointer":{"$ref":"a","$id":{"$oid":"b"}}})", true},
           {R"({"$code":"f"})", false},
           {R"({"$oid":"a","b":1})", false},
           {R"({"a":1})", false},
           {R"({})", false},
           {R"([])", false},
       }) {
    const auto document = JsonDocument::Parse(json);
    ASSERT_TRUE(document.ok());
    EXPECT_EQ(mongodb::IsTypedValue(document->root()), typed) << json;
  }
}

TEST(MongodbForms, OnlyAnObjectIsACommand) {
  const std::unique_ptr<PayloadJudge> guard = MakeGuard();
  EXPECT_EQ(guard->JudgeText("mongodb", R"({"find":"t"})", {}).error, Error::kUnreadable);
}

TEST(MongodbHostile, NestingIsReadToTheServersDepthAndRefusedBeyond) {
  using Row = std::tuple<std::string, std::string, std::string>;
  for (const auto& [before, open, close] : {
           Row{R"({"find":"t","filter":)", R"({"a":)", "}"},
           Row{R"({"find":"t","filter":{"a":)", "[", "]"},
           Row{R"({"find":"t","filter":)", R"({"$and":[)", "]}"},
           Row{R"({"find":"t","projection":{"x":)", R"({"$not":)", "}"},
           Row{R"({"insert":"t","documents":)", "[", "]"},
           Row{R"({"explain":)", R"({"explain":)", "}"},
       }) {
    const bool closes_two = before.ends_with(R"({"a":)") || before.ends_with(R"({"x":)");
    for (const size_t depth : {200, 20'000}) {
      const std::string json =
          before + Repeat(open, depth) + "{}" + Repeat(close, depth) + (closes_two ? "}}" : "}");
      const Judgement judgement = Judge(json);
      EXPECT_EQ(judgement.error, Error::kUnreadable) << open;
      EXPECT_THAT(judgement.message, HasSubstr("nesting deeper than 120")) << open;
    }
    const std::string shallow =
        before + Repeat(open, 40) + "{}" + Repeat(close, 40) + (closes_two ? "}}" : "}");
    EXPECT_EQ(Judge(shallow).error, Error::kNone) << open;
  }
}

TEST(MongodbHostile, WhatIsDeepInsideIsFound) {
  const std::string json = R"({"find":"t","filter":)" + Repeat(R"({"$and":[{"a":1},)", 50) +
                           R"({"$where":"1"})" + Repeat("]}", 50) + "}";
  EXPECT_EQ(Judge(json).risk, Risk::kDestructive);
  const std::string pipeline = R"({"aggregate":"t","pipeline":)" +
                               Repeat(R"([{"$lookup":{"from":"x","as":"y","pipeline":)", 35) +
                               R"([{"$out":"z"}])" + Repeat("}}]", 35) + "}";
  EXPECT_EQ(Judge(pipeline).risk, Risk::kDestructive);
}

TEST(MongodbHostile, WideDocumentsAreRead) {
  EXPECT_EQ(Judge(R"({"find":"t","filter":{"a":{"$in":[1)" + Repeat(",1", 400'000) + "]}}}").risk,
            Risk::kSafe);
  std::string wide = R"({"find":"t","filter":{"a":1)";
  for (int i = 0; i < 60'000; ++i) wide += ",\"f" + std::to_string(i) + "\":1";
  EXPECT_EQ(Judge(wide + "}}").risk, Risk::kSafe);
  EXPECT_EQ(Judge(wide + R"(,"$where":"1"}})").risk, Risk::kDestructive);
  EXPECT_EQ(Judge(R"({"aggregate":"t","pipeline":[{"$match":{}})" +
                  Repeat(R"(,{"$match":{}})", 60'000) + R"(,{"$out":"x"}]})")
                .risk,
            Risk::kDestructive);
}

TEST(MongodbHostile, TenMegabytesAreNotCut) {
  const Judgement judgement =
      Judge(R"({"find":"t","filter":{"a":")" + std::string(10 << 20, 'x') + R"("}})");
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

TEST(MongodbHostile, ManyEffectsMakeAShortAnswer) {
  std::string json = R"({"find":"t","filter":{"$x":1)";
  for (int i = 0; i < 20'000; ++i) json += ",\"$f" + std::to_string(i) + "\":1";
  const Judgement judgement = Judge(json + "}}");
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_LE(judgement.effects.size(), 64u);
}

// Every member that `rest` may follow is judged, wherever the text is cut.
TEST(MongodbHostile, EveryValueInPlaceOfEveryOtherHasAClearAnswer) {
  const std::vector<std::string> values = {
      "null", "true", "1",   "-1",          R"("x")",        "[]",
      "[[]]", "{}",   "[1]", R"({"$a":1})", R"([{"$a":1}])", R"({"a":{"b":[]}})"};
  for (const char* command : {"find", "aggregate", "update", "delete", "findAndModify", "bulkWrite",
                              "create", "createIndexes", "renameCollection", "explain", "profile",
                              "getMore", "currentOp", "usersInfo", "insert"}) {
    const mongodb::Command* const known = mongodb::FindCommand(command);
    ASSERT_NE(known, nullptr) << command;
    if (known->shape == nullptr) continue;
    for (const std::string& target : values) {
      for (const mongodb::Field& field : known->shape->fields) {
        for (const std::string& value : values) {
          const std::string json = std::string("{\"") + command + "\":" + target + ",\"" +
                                   std::string(field.name) + "\":" + value + "}";
          if (field.name == command) continue;
          const Judgement judgement = Judge(json);
          EXPECT_EQ(judgement.error, Error::kNone) << json;
          EXPECT_EQ(judgement.statements, 1) << json;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bridgekeeper
