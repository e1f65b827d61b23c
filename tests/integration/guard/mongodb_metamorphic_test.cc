// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold of every MongoDB command: another way to write it is judged no
// better, and neither is more of it. The commands are the vectors'.
//
// Source: policy/spec.md, clauses G1, G13 and G60 to G64.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/guard/guard.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

// Keeps the order of members, which BSON does.
using Json = nlohmann::ordered_json;

constexpr uint32_t kSeed = 20261130;

// Judges a text that JSON's own rules may refuse; that is as bad as it gets.
Judgement Judge(const std::string& json, const JudgeOptions& options) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  const auto document = JsonDocument::Parse(json, {.max_depth = 512});
  if (!document.ok()) return {};
  return guard->JudgeObject("mongodb", document->root(), options);
}

struct Case {
  std::string name;
  Json command;
  JudgeOptions options;
  Judgement judgement;
};

const std::vector<Case>& Cases() {
  static const auto& cases = *[] {
    auto* made = new std::vector<Case>;
    for (const GuardVector& vector : LoadGuardVectors("mongodb")) {
      Case one{vector.name, Json::parse(vector.object), vector.options, {}};
      one.judgement = Judge(one.command.dump(), one.options);
      made->push_back(std::move(one));
    }
    return made;
  }();
  return cases;
}

void ExpectNoBetter(const Case& from, const std::string& json) {
  const Judgement judgement = Judge(json, from.options);
  EXPECT_FALSE(MoreHarmful(from.judgement.risk, judgement.risk))
      << from.name << ": got " << Name(judgement.risk) << ", want at least "
      << Name(from.judgement.risk) << "\n  of " << json;
}

void ExpectSame(const Case& from, const std::string& json) {
  const Judgement judgement = Judge(json, from.options);
  EXPECT_EQ(judgement.risk, from.judgement.risk) << from.name << "\n  of " << json;
  EXPECT_EQ(judgement.error, from.judgement.error) << from.name << "\n  of " << json;
  EXPECT_EQ(judgement.effects.size(), from.judgement.effects.size()) << from.name;
}

// Calls `visit` for the value and for every value in it.
template <typename Visit>
void ForEach(Json& value, const Visit& visit) {
  visit(value);
  if (!value.is_structured()) return;
  for (Json& inner : value) ForEach(inner, visit);
}

// Commands with a pipeline, wherever it stands in them.
std::vector<Case> Aggregations() {
  std::vector<Case> out;
  for (const Case& one : Cases()) {
    if (one.command.contains("aggregate") && one.command.contains("pipeline") &&
        one.command["pipeline"].is_array() && one.judgement.error == Judgement::Error::kNone) {
      out.push_back(one);
    }
  }
  return out;
}

TEST(MongodbMetamorphic, WhiteSpaceChangesNothing) {
  for (const Case& one : Cases()) ExpectSame(one, one.command.dump(3, '\t'));
}

TEST(MongodbMetamorphic, EscapesInTextChangeNothing) {
  for (const Case& one : Cases()) {
    std::string escaped;
    bool in_text = false;
    const std::string text = one.command.dump();
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        const size_t size = text[i + 1] == 'u' ? 6 : 2;
        escaped += text.substr(i, size);
        i += size - 1;
      } else if (text[i] == '"') {
        in_text = !in_text;
        escaped += '"';
      } else if (in_text && text[i] > 0) {
        escaped += absl::StrFormat("\\u%04x", static_cast<unsigned>(text[i]));
      } else {
        escaped += text[i];
      }
    }
    ExpectSame(one, escaped);
  }
}

TEST(MongodbMetamorphic, AnotherOrderOfMembersIsJudgedNoBetter) {
  std::mt19937 random(kSeed);
  std::printf("seed %u\n", kSeed);
  for (const Case& one : Cases()) {
    if (one.command.empty()) continue;
    for (int round = 0; round < 5; ++round) {
      Json command = one.command;
      bool top = true;
      ForEach(command, [&](Json& value) {
        const bool is_command = std::exchange(top, false);
        if (!value.is_object() || value.size() < 2) return;
        std::vector<std::string> names;
        for (const auto& member : value.items()) names.push_back(member.key());
        // The first names the command, and the first of an explained one too.
        const bool keeps_first = is_command || value.contains("find") ||
                                 value.contains("aggregate") || value.contains("delete") ||
                                 value.contains("insert") || value.contains("update");
        std::shuffle(names.begin() + (keeps_first ? 1 : 0), names.end(), random);
        Json shuffled = Json::object();
        for (const std::string& name : names) shuffled[name] = value[name];
        value = shuffled;
      });
      ExpectNoBetter(one, command.dump());
    }
  }
}

TEST(MongodbMetamorphic, ACommandWhoseNameMovedIsNeverSafe) {
  for (const Case& one : Cases()) {
    if (one.command.size() < 2 || one.judgement.risk != Risk::kSafe) continue;
    Json command = Json::object();
    for (auto member = std::next(one.command.begin()); member != one.command.end(); ++member) {
      command[member.key()] = member.value();
    }
    const std::string name = one.command.begin().key();
    command[name] = one.command.begin().value();
    EXPECT_NE(Judge(command.dump(), one.options).risk, Risk::kSafe) << command.dump();
  }
}

TEST(MongodbMetamorphic, CanonicalNumbersAreJudgedNoBetter) {
  for (const Case& one : Cases()) {
    Json command = one.command;
    ForEach(command, [](Json& value) {
      if (value.is_number_integer()) value = Json{{"$numberLong", value.dump()}};
    });
    ExpectNoBetter(one, command.dump());
    command = one.command;
    ForEach(command, [](Json& value) {
      if (value.is_number_integer()) value = static_cast<double>(value.get<int64_t>());
    });
    ExpectNoBetter(one, command.dump());
  }
}

TEST(MongodbMetamorphic, NamesInAnotherCaseAreJudgedNoBetter) {
  for (const Case& one : Cases()) {
    Json command = one.command;
    ForEach(command, [](Json& value) {
      if (!value.is_object()) return;
      Json other = Json::object();
      for (const auto& member : value.items()) {
        std::string name = member.key();
        if (name.starts_with('$')) {
          std::transform(name.begin(), name.end(), name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        }
        other[name] = member.value();
      }
      value = other;
    });
    // A literal is data in which names mean nothing, and so is an inserted document.
    ExpectNoBetter(one, command.dump());
  }
}

TEST(MongodbMetamorphic, AQueryInsideLogicIsJudgedTheSame) {
  for (const Case& one : Cases()) {
    if (!one.command.contains("filter") || !one.command["filter"].is_object() ||
        one.judgement.error != Judgement::Error::kNone || one.command.contains("listDatabases")) {
      continue;
    }
    for (const char* logic : {"$and", "$or", "$nor"}) {
      Json command = one.command;
      command["filter"] = Json{{logic, Json::array({Json{{"a", 1}}, one.command["filter"]})}};
      EXPECT_EQ(Judge(command.dump(), one.options).risk, one.judgement.risk) << command.dump();
    }
  }
}

TEST(MongodbMetamorphic, APipelineInsideAnotherIsJudgedTheSame) {
  for (const Case& one : Aggregations()) {
    const Json& pipeline = one.command["pipeline"];
    const std::vector<Json> around = {
        Json{{"$facet", {{"a", Json::array()}, {"b", pipeline}}}},
        Json{{"$lookup", {{"from", "x"}, {"as", "y"}, {"pipeline", pipeline}}}},
        Json{{"$unionWith", {{"coll", "x"}, {"pipeline", pipeline}}}},
        Json{{"$facet",
              {{"a", Json::array({Json{
                         {"$lookup", {{"from", "x"}, {"as", "y"}, {"pipeline", pipeline}}}}})}}}},
    };
    for (const Json& stage : around) {
      Json command = one.command;
      command["pipeline"] = Json::array({stage});
      EXPECT_EQ(Judge(command.dump(), one.options).risk, one.judgement.risk) << command.dump();
    }
  }
}

TEST(MongodbMetamorphic, ExplainingIsJudgedAsRunning) {
  for (const Case& one : Cases()) {
    if (one.judgement.error != Judgement::Error::kNone) continue;
    EXPECT_EQ(Judge(Json{{"explain", one.command}}.dump(), one.options).risk, one.judgement.risk)
        << one.name;
  }
}

TEST(MongodbMetamorphic, AStageThatWritesIsFoundWhereverItIsPut) {
  const std::vector<std::pair<Json, Risk>> stages = {
      {Json{{"$out", "x"}}, Risk::kDestructive},
      {Json{{"$merge", "x"}}, Risk::kElevated},
      {Json{{"$merge", {{"into", "x"}, {"whenMatched", "replace"}}}}, Risk::kDestructive},
      {Json{{"$later", 1}}, Risk::kDestructive},
      {Json{{"$match", {{"$where", "1"}}}}, Risk::kDestructive},
      {Json{{"$set", {{"a", {{"$function", Json::object()}}}}}}, Risk::kDestructive},
  };
  for (const Case& one : Aggregations()) {
    for (const auto& [stage, risk] : stages) {
      const size_t size = one.command["pipeline"].size();
      for (size_t at = 0; at <= size; ++at) {
        Json command = one.command;
        Json& pipeline = command["pipeline"];
        pipeline.insert(pipeline.begin() + static_cast<std::ptrdiff_t>(at), stage);
        const Judgement judgement = Judge(command.dump(), one.options);
        EXPECT_FALSE(MoreHarmful(risk, judgement.risk)) << command.dump();
        ExpectNoBetter(one, command.dump());
      }
    }
  }
}

TEST(MongodbMetamorphic, AMemberThatIsNotKnownIsNeverHarmless) {
  for (const Case& one : Cases()) {
    if (one.command.empty()) continue;
    Json command = one.command;
    command["notKnownToAnyone"] = 1;
    // Commands that do the same whatever they are told stay as they are.
    ExpectNoBetter(one, command.dump());
    const bool safe = one.judgement.risk == Risk::kSafe && !command.contains("currentOp");
    if (safe) {
      EXPECT_EQ(Judge(command.dump(), one.options).risk, Risk::kDestructive) << command.dump();
    }
  }
}

TEST(MongodbMetamorphic, JavaScriptInPlaceOfAnyExpressionIsFound) {
  const Json code = {{"$function", {{"body", "f"}, {"args", Json::array()}, {"lang", "js"}}}};
  int placed = 0;
  for (const Case& one : Aggregations()) {
    if (one.judgement.risk != Risk::kSafe) continue;
    // Every text that names a field, `"$a.b"`, stands where an expression may.
    size_t count = 0;
    Json counted = one.command["pipeline"];
    ForEach(counted, [&](Json& value) {
      count += value.is_string() && value.get<std::string>().starts_with('$');
    });
    for (size_t which = 0; which < count; ++which) {
      Json command = one.command;
      size_t at = 0;
      bool literal = false;
      ForEach(command["pipeline"], [&](Json& value) {
        literal |= value.is_object() && (value.contains("$unwind") || value.contains("$literal"));
        if (!value.is_string() || !value.get<std::string>().starts_with('$')) return;
        if (at++ == which) value = code;
      });
      if (literal) continue;
      ++placed;
      EXPECT_EQ(Judge(command.dump(), one.options).risk, Risk::kDestructive) << command.dump();
    }
  }
  EXPECT_GT(placed, 100);
}

}  // namespace
}  // namespace bridgekeeper
