// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each vector on the engine and on the reference engine, as a test of its own.

#include <algorithm>
#include <memory>
#include <regex>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "policy/engine/engine.h"
#include "policy/testing/decision_vectors.h"
#include "policy/testing/fake_judge.h"
#include "policy/testing/generators.h"
#include "policy/testing/reference_engine.h"
#include "policy/testing/source_file.h"

namespace bridgekeeper {
namespace {

// What one face of the product answered.
struct Answer {
  Verdict verdict;
  ReasonCode reason;
  Risk effective_risk;
  bool judged;
  bool definition_changed;
  std::optional<Limits> obligations;
};

class VectorTest : public ::testing::Test {
 public:
  explicit VectorTest(const DecisionVector& vector) : vector_(vector) {
    fake_judge_.proven = vector.proven;
    if (vector.judge) judge_ = &fake_judge_;
  }

 protected:
  void ExpectAnswer(const Answer& answer) const {
    EXPECT_EQ(Name(answer.verdict), Name(vector_.verdict));
    EXPECT_EQ(Name(answer.reason), Name(vector_.reason));
    if (vector_.effective_risk) {
      EXPECT_EQ(Name(answer.effective_risk), Name(*vector_.effective_risk));
    }
    if (vector_.judged) {
      EXPECT_EQ(answer.judged, *vector_.judged);
    }
    if (vector_.definition_changed) {
      EXPECT_EQ(answer.definition_changed, *vector_.definition_changed);
    }
    if (vector_.obligations && vector_.obligations->empty()) {
      EXPECT_FALSE(answer.obligations.has_value());
    } else if (vector_.obligations) {
      EXPECT_EQ(answer.obligations, vector_.obligations);
    }
  }

  const DecisionVector& vector_;
  FakeJudge fake_judge_;
  const PayloadJudge* judge_ = nullptr;
};

class ReferenceTest : public VectorTest {
 public:
  using VectorTest::VectorTest;

  void TestBody() override {
    SCOPED_TRACE(vector_.call.Text() + "\n" + WorldText(vector_.world));
    const ReferenceAnswer got = ReferenceDecide(vector_.world, vector_.call.call, judge_);
    ExpectAnswer({got.verdict, got.reason, got.effective_risk, got.judged, got.definition_changed,
                  got.obligations});
    if (!vector_.says_listed) return;
    ToolCall call = vector_.call.call;
    call.arguments.reset();
    call.payload.reset();
    call.declared_risk.reset();
    EXPECT_EQ(ReferenceListedRisk(vector_.world, call), vector_.listed);
  }
};

class EngineTest : public VectorTest {
 public:
  using VectorTest::VectorTest;

  void TestBody() override {
    SCOPED_TRACE(vector_.call.Text() + "\n" + WorldText(vector_.world));
    const ReferenceWorld& world = vector_.world;
    const auto policy = CompiledPolicy::Compile(world.data);
    const bool present = world.state == PolicyView::State::kPresent;
    const PolicyView view = {world.state, present ? policy.get() : nullptr, world.age,
                             world.max_staleness};
    const ToolCall& call = vector_.call.call;

    const Decision got = Decide(view, call, judge_);
    ExpectAnswer({got.verdict, got.reason, got.effective_risk, got.judged, got.definition_changed,
                  got.obligations == nullptr ? std::nullopt : std::optional(*got.obligations)});

    const Explanation explanation = Explain(view, call, judge_);
    EXPECT_EQ(Name(explanation.decision.verdict), Name(vector_.verdict));
    EXPECT_EQ(Name(explanation.decision.reason), Name(vector_.reason));
    for (const std::string& fragment : vector_.text_has) {
      EXPECT_NE(explanation.reason_text.find(fragment), std::string::npos)
          << "no `" << fragment << "` in: " << explanation.reason_text;
    }
    if (vector_.says_listed) ExpectListed(view, call);
  }

 private:
  void ExpectListed(const PolicyView& view, const ToolCall& call) const {
    const ListContext context{.server = call.server,
                              .builtin_catalog = call.builtin_catalog,
                              .fixed_connection = call.connection,
                              .read_only = call.read_only_bridge,
                              .listed_by_server = call.listed_by_server};
    const ToolToList tools[] = {{call.tool, call.definition_digest, call.read_only_hint}};
    const ToolListing listing = ListTools(view, context, tools);
    ASSERT_EQ(listing.shown.size(), vector_.listed ? 1u : 0u);
    if (vector_.listed) {
      EXPECT_EQ(Name(listing.shown[0].risk), Name(*vector_.listed));
      EXPECT_EQ(listing.shown[0].annotations, AnnotationsFor(*vector_.listed));
    }
  }
};

// The clauses that a section of policy/spec.md has.
std::set<std::string> ClausesOf(const std::string& sections) {
  const std::string spec = ReadSourceFile("policy/spec.md");
  const std::regex pattern("\\*\\*([" + sections + "][0-9]+)\\*\\*");
  std::set<std::string> clauses;
  for (auto it = std::sregex_iterator(spec.begin(), spec.end(), pattern);
       it != std::sregex_iterator(); ++it) {
    EXPECT_TRUE(clauses.insert((*it)[1]).second) << "twice in the spec: " << (*it)[1];
  }
  return clauses;
}

std::set<std::string> CitedClauses() {
  std::set<std::string> cited;
  for (const auto& vector : DecisionVectors()) {
    cited.insert(vector->clauses.begin(), vector->clauses.end());
  }
  return cited;
}

TEST(DecisionVectors, CiteClausesThatExist) {
  const std::set<std::string> clauses = ClausesOf("A-Z");
  for (const std::string& clause : CitedClauses()) {
    EXPECT_TRUE(clauses.contains(clause)) << clause;
  }
}

TEST(DecisionVectors, ShowEveryClause) {
  // Clauses that no single question can show, with what shows them.
  const std::set<std::string> elsewhere = {
      "P3",   // policy/model/model_test.cc, proto/convert/convert_test.cc
      "P4",   // policy/model/model_test.cc
      "P5",   // policy/engine/passage_test.cc
      "D20",  // policy/engine/decision_table_test.cc
      "D22",  // policy/engine/engine_property_test.cc
      "D23",  // the same
      "L2",   // the same
      "L5",   // policy/engine/engine_test.cc
      "R1",   // policy/engine/reason_text_test.cc
      "R3",   // the same
      "R4",   // the same
      "R5",   // the same
  };
  const std::set<std::string> cited = CitedClauses();
  for (const std::string& clause : ClausesOf("IPCNDLR")) {
    EXPECT_NE(cited.contains(clause), elsewhere.contains(clause)) << clause;
  }
}

template <typename Test>
void Register(const char* suite, const DecisionVector& vector) {
  ::testing::RegisterTest(suite, (vector.file + "_" + vector.name).c_str(), nullptr, nullptr,
                          __FILE__, __LINE__,
                          [&vector]() -> ::testing::Test* { return new Test(vector); });
}

}  // namespace
}  // namespace bridgekeeper

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const auto& vector : bridgekeeper::DecisionVectors()) {
    bridgekeeper::Register<bridgekeeper::EngineTest>("Engine", *vector);
    bridgekeeper::Register<bridgekeeper::ReferenceTest>("Reference", *vector);
  }
  return RUN_ALL_TESTS();
}
