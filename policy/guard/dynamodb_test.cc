// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/dynamodb.json) cannot say: positions, every
// operation's row, and hostile payloads.

#include "policy/guard/dynamodb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

#include "absl/strings/str_format.h"
#include "policy/guard/dynamodb/operations.h"
#include "policy/guard/dynamodb/partiql.h"
#include "policy/guard/guard.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using Error = Judgement::Error;

const PayloadJudge& TheGuard() {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  return *guard;
}

Judgement JudgeText(std::string_view text) { return TheGuard().JudgeText("dynamodb", text, {}); }

Judgement JudgeRequest(const std::string& json) {
  const auto document = JsonDocument::Parse(json);
  if (!document.ok()) {
    ADD_FAILURE() << document.status().ToString() << " of " << json;
    return {};
  }
  return TheGuard().JudgeObject("dynamodb", document->root(), {});
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

TEST(DynamoDbOperations, AreKnownByTheirOwnMembersAndNoOthers) {
  for (const dynamodb::Operation& operation : dynamodb::Operations()) {
    EXPECT_EQ(dynamodb::FindOperation(operation.name), &operation);
    EXPECT_EQ(operation.kind.empty(), operation.risk == Risk::kSafe) << operation.name;
    EXPECT_EQ(operation.kind.empty(), operation.why.empty()) << operation.name;
    const Judgement odd = JudgeRequest(
        absl::StrFormat(R"({"operation":"%s","request":{"NoSuchMember":1}})", operation.name));
    EXPECT_EQ(odd.risk, Risk::kDestructive) << operation.name;
    EXPECT_EQ(odd.error, Error::kNone) << operation.name;
    // In another case it is another operation.
    std::string name(operation.name);
    name[0] = static_cast<char>(name[0] ^ 0x20);
    const Judgement other =
        JudgeRequest(absl::StrFormat(R"({"operation":"%s","request":{}})", name));
    EXPECT_EQ(other.risk, Risk::kDestructive) << name;
  }
  EXPECT_EQ(dynamodb::FindOperation(""), nullptr);
}

TEST(DynamoDbPositions, AreBytesOfThePayload) {
  const std::string request =
      R"({"operation":"ExecuteStatement","request":{"Statement":"DELETE FROM t WHERE a = 1"}})";
  const Judgement judgement = JudgeRequest(request);
  ASSERT_FALSE(judgement.effects.empty());
  EXPECT_EQ(judgement.effects[0].position, request.find("t WHERE"));
  // Where the text is escaped its places are not those of the payload.
  const Judgement escaped = JudgeRequest(
      R"({"operation":"ExecuteStatement","request":{"Statement":"\u0044ELETE FROM t WHERE a = 1"}})");
  ASSERT_FALSE(escaped.effects.empty());
  EXPECT_EQ(escaped.effects[0].kind, "DELETE");
  EXPECT_EQ(escaped.effects[0].position, std::nullopt);
  // A payload counts from its own first byte, wherever it stands.
  const std::string outer = R"({"x": {"operation":"DeleteTable","request":{"TableName":"t"}}})";
  const auto document = JsonDocument::Parse(outer);
  ASSERT_TRUE(document.ok());
  const Judgement inner = TheGuard().JudgeObject("dynamodb", *document->root().Find("x"), {});
  ASSERT_FALSE(inner.effects.empty());
  EXPECT_EQ(inner.effects[0].position, outer.find(R"({"TableName)") - outer.find(R"({"operation)"));
}

TEST(DynamoDbHostile, NestingIsReadUpToItsBoundOnASmallStack) {
  const auto guard = MakeGuard({.pool = {.threads = 1, .stack_bytes = size_t{1} << 20},
                                .in_place_bytes = 0,
                                .cache_bytes = 0});
  for (const auto& [open, middle, close] : {std::tuple{"(", "1", ")"},
                                            {"[", "1", "]"},
                                            {"<<", "1", ">>"},
                                            {"{'a': ", "1", "}"},
                                            {"size(", "a", ")"},
                                            {"EXISTS(SELECT * FROM t WHERE a = ", "1", ")"}}) {
    const auto text = [open = open, middle = middle, close = close](size_t depth) {
      return "SELECT * FROM t WHERE a = " + Repeat(open, depth) + middle + Repeat(close, depth);
    };
    EXPECT_EQ(guard->JudgeText("dynamodb", text(dynamodb::kMaxNesting - 1), {}).risk, Risk::kSafe)
        << open;
    for (const size_t depth : {size_t{dynamodb::kMaxNesting + 1}, size_t{20'000}}) {
      const Judgement judgement = guard->JudgeText("dynamodb", text(depth), {});
      EXPECT_EQ(judgement.error, Error::kUnreadable) << open;
      EXPECT_THAT(judgement.message, HasSubstr("more than 200 levels")) << open;
    }
  }
}

TEST(DynamoDbHostile, DeepAndWideRequestsAreWalked) {
  const std::string deep = Repeat(R"({"M":)", 120) + "1" + Repeat("}", 120);
  EXPECT_EQ(
      JudgeRequest(absl::StrFormat(
                       R"({"operation":"Scan","request":{"TableName":"t","ScanFilter":%s}})", deep))
          .risk,
      Risk::kSafe);
  std::string writes;
  for (int i = 0; i < 5'000; ++i) writes += R"({"DeleteRequest":{"Key":{}}},)";
  const Judgement judgement = JudgeRequest(absl::StrFormat(
      R"({"operation":"BatchWriteItem","request":{"RequestItems":{"t":[%s{}]}}})", writes));
  EXPECT_EQ(judgement.risk, Risk::kDestructive);
  EXPECT_LE(judgement.effects.size(), 64u);
}

TEST(DynamoDbHostile, WhatStandsBesideATwinIsNotJudged) {
  for (const char* json : {R"({"operation":"Scan","request":{"TableName":"t","tablename":"u"}})",
                           R"({"operation":"Scan","OPERATION":"DeleteTable","request":{}})",
                           R"({"operation":"Scan","request":{"ScanFilter":[[{"a":1,"A":1}]]}})"}) {
    EXPECT_EQ(JudgeRequest(json).error, Error::kUnreadable) << json;
  }
}

TEST(DynamoDbHostile, EveryPrefixHasAClearAnswer) {
  const std::string whole =
      "UPDATE \"t\".\"ix\" SET a.b[0].\"c\" = {'x': <<1, -2.5e3>>} REMOVE d WHERE NOT a IN ['b', "
      "?] "
      "AND EXISTS(SELECT * FROM u WHERE c IS NOT MISSING ORDER BY d DESC) RETURNING ALL OLD * -- x";
  for (size_t size = 0; size <= whole.size(); ++size) {
    const Judgement judgement = JudgeText(whole.substr(0, size));
    EXPECT_EQ(judgement.message.empty(), judgement.error == Error::kNone);
    EXPECT_NE(judgement.risk, Risk::kSafe) << whole.substr(0, size);
  }
}

}  // namespace
}  // namespace bridgekeeper
