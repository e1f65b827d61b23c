// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold of every DynamoDB request and PartiQL text: another way to write it
// is judged no better, and more of it never makes it SAFE. The payloads are the
// vectors'.
//
// Source: policy/spec.md, clauses G1, G13 and G70 to G73.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "policy/guard/guard.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

using Json = nlohmann::ordered_json;
using Error = Judgement::Error;

constexpr uint32_t kSeed = 20261201;

const PayloadJudge& TheGuard() {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  return *guard;
}

Judgement JudgeObject(const Json& object, const JudgeOptions& options, int indent = -1) {
  const std::string text = object.dump(indent);
  const auto document = JsonDocument::Parse(text);
  EXPECT_TRUE(document.ok()) << document.status() << "\n  of " << text;
  if (!document.ok()) return {.risk = Risk::kSafe};
  return TheGuard().JudgeObject("dynamodb", document->root(), options);
}

Judgement JudgeText(const std::string& text, const JudgeOptions& options) {
  return TheGuard().JudgeText("dynamodb", text, options);
}

std::vector<GuardVector> Vectors(bool objects) {
  std::vector<GuardVector> out;
  for (GuardVector& vector : LoadGuardVectors("dynamodb")) {
    if (vector.object.empty() != objects && vector.error == Error::kNone) {
      out.push_back(std::move(vector));
    }
  }
  return out;
}

void ExpectNoBetter(const GuardVector& from, const Judgement& judgement, const std::string& what) {
  EXPECT_FALSE(MoreHarmful(from.risk, judgement.risk))
      << from.name << ": got " << Name(judgement.risk) << "\n  of " << what;
}

TEST(DynamoDbMetamorphic, WhiteSpaceAndTheOrderOfMembersChangeNothing) {
  std::mt19937 random(kSeed);
  std::printf("seed %u\n", kSeed);
  for (const GuardVector& vector : Vectors(true)) {
    const Json object = Json::parse(vector.object);
    EXPECT_EQ(JudgeObject(object, vector.options, 3).risk, vector.risk) << vector.name;
    if (!object["request"].is_object()) continue;
    std::vector<std::string> names;
    for (const auto& member : object["request"].items()) names.push_back(member.key());
    std::shuffle(names.begin(), names.end(), random);
    Json request = Json::object();
    for (const std::string& name : names) request[name] = object["request"][name];
    Json turned = object;
    turned["request"] = request;
    EXPECT_EQ(JudgeObject(turned, vector.options).risk, vector.risk) << vector.name;
  }
}

TEST(DynamoDbMetamorphic, AMemberMoreIsDestructive) {
  for (const GuardVector& vector : Vectors(true)) {
    Json object = Json::parse(vector.object);
    if (object["request"].is_object()) object["request"]["Force"] = true;
    EXPECT_EQ(JudgeObject(object, vector.options).risk, Risk::kDestructive) << vector.name;
    object = Json::parse(vector.object);
    object["more"] = Json::object();
    EXPECT_EQ(JudgeObject(object, vector.options).risk, Risk::kDestructive) << vector.name;
  }
}

TEST(DynamoDbMetamorphic, WhiteSpaceCommentsAndCaseChangeNothing) {
  for (const GuardVector& vector : Vectors(false)) {
    for (const std::string& text :
         {"\n\t " + vector.sql + "\r\n", "/* ' ; */" + vector.sql + "/**/",
          "-- x ' /*\n" + vector.sql + "\n-- y", ";" + vector.sql + "\n;"}) {
      EXPECT_EQ(JudgeText(text, vector.options).risk, vector.risk) << text;
    }
    // Each space outside of quotes.
    std::string spaced;
    char quote = 0;
    bool comment = false;
    for (size_t i = 0; i < vector.sql.size(); ++i) {
      const char c = vector.sql[i];
      if (quote == 0 && vector.sql.compare(i, 2, "--") == 0) comment = true;
      if (quote == 0 && vector.sql.compare(i, 2, "/*") == 0) comment = true;
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      }
      spaced += c == ' ' && quote == 0 && !comment ? std::string("/* \" */\n") : std::string(1, c);
    }
    EXPECT_EQ(JudgeText(spaced, vector.options).risk, vector.risk) << spaced;
  }
}

TEST(DynamoDbMetamorphic, ASecondStatementIsNeverSafe) {
  for (const GuardVector& vector : Vectors(false)) {
    for (const char* second : {"SELECT * FROM u", "DELETE FROM u WHERE a = 1", "DROP TABLE u",
                               "INSERT INTO u VALUE {'a': 1}", "UPDATE u SET a = 1 WHERE b = 2"}) {
      for (const char* between : {";", " ", "\n", ";;"}) {
        const std::string text = vector.sql + "\n" + between + second;
        const Judgement judgement = JudgeText(text, vector.options);
        EXPECT_NE(judgement.risk, Risk::kSafe) << text;
        ExpectNoBetter(vector, judgement, text);
      }
    }
  }
}

TEST(DynamoDbMetamorphic, AStatementInARequestIsJudgedAsAlone) {
  for (const GuardVector& vector : Vectors(false)) {
    const Json one = {{"Statement", vector.sql}};
    const Json read = {{"Statement", "SELECT * FROM u"}};
    for (const Json& object :
         {Json{{"operation", "ExecuteStatement"}, {"request", one}},
          Json{{"operation", "BatchExecuteStatement"},
               {"request", {{"Statements", Json::array({read, one, read})}}}},
          Json{{"operation", "ExecuteTransaction"},
               {"request", {{"TransactStatements", Json::array({read, one})}}}}}) {
      EXPECT_EQ(JudgeObject(object, vector.options).risk, vector.risk) << object.dump();
    }
  }
}

}  // namespace
}  // namespace bridgekeeper
