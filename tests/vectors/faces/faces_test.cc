// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Every decision vector on every face of the product that it can be asked on, as a test
// of its own: they never differ from the engine, which decision_vectors_test asks.

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/decision_vectors.h"
#include "policy/testing/generators.h"
#include "tests/vectors/faces/face.h"

namespace bridgekeeper::tests {
namespace {

class FaceTest : public ::testing::Test {
 public:
  FaceTest(const Face& face, const DecisionVector& vector) : face_(face), vector_(vector) {}

  void TestBody() override {
    SCOPED_TRACE(vector_.call.Text() + "\n" + WorldText(vector_.world));
    const FaceAnswer answer = face_.Ask(vector_);
    const ReasonCode reason = face_.WantedReason(vector_);
    const bool is_stricter = reason != vector_.reason;
    EXPECT_EQ(Name(answer.verdict), Name(is_stricter ? Verdict::kDeny : vector_.verdict))
        << answer.text;
    EXPECT_EQ(Name(answer.reason), Name(reason)) << answer.text;
    if (vector_.effective_risk) {
      EXPECT_EQ(Name(answer.effective_risk), Name(*vector_.effective_risk));
    }
    if (vector_.judged) {
      EXPECT_EQ(answer.judged, *vector_.judged);
    }
    if (vector_.obligations && !is_stricter) {
      EXPECT_EQ(answer.obligations.value_or(Limits()), *vector_.obligations);
    }
    if (!is_stricter && face_.SpeaksAsTheEngine(vector_)) {
      for (const std::string& fragment : vector_.text_has) {
        EXPECT_THAT(answer.text, ::testing::HasSubstr(fragment));
      }
    }
    if (vector_.says_listed && answer.has_listing) {
      EXPECT_EQ(answer.listed, vector_.listed);
    }
  }

 private:
  const Face& face_;
  const DecisionVector& vector_;
};

// What the faces are asked less than the engine, and why: a vector that can no longer
// be asked for a new reason shows here.
TEST(Faces, LeaveOutOnlyWhatTheyCannotBeAsked) {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"Grpc",
       {"the state of a copy", "the age of a copy", "a connection type that a bridge was told",
        "a read-only bridge", "a server has a judge", "a judge that resolves names",
        "a dialect that only the fake judge knows", "a digest cut short"}},
      {"Copy",
       {"a digest cut short", "a connection type that a bridge was told", "a read-only bridge"}},
      {"Bridge",
       {"a bridge's server has a valid name", "a fixed connection is checked",
        "an MCP client declares no risk", "an MCP client sends arguments",
        "a bridge makes the digest itself", "a bridge has no bound of its own",
        "null arguments are none", "twin keys are refused before anything is decided",
        "a bridge always carries arguments"}},
  };
  for (const NamedFace& named : Faces()) {
    const std::string name = named.name;
    std::map<std::string, int> left_out;
    int asked = 0;
    for (const auto& vector : DecisionVectors()) {
      const std::string why = named.face->CannotBeAsked(*vector);
      if (why.empty()) {
        ++asked;
        continue;
      }
      EXPECT_TRUE(allowed.at(name).contains(why)) << name << ": " << why;
      ++left_out[why];
    }
    std::cout << name << " is asked " << asked << " of " << DecisionVectors().size()
              << " vectors\n";
    for (const auto& [why, count] : left_out) std::cout << "  not " << count << ": " << why << "\n";
    EXPECT_GE(asked, 50) << name;
  }
}

void RegisterAll() {
  for (const NamedFace& named : Faces()) {
    for (const auto& vector : DecisionVectors()) {
      if (!named.face->CannotBeAsked(*vector).empty()) continue;
      ::testing::RegisterTest(named.name, (vector->file + "_" + vector->name).c_str(), nullptr,
                              nullptr, __FILE__, __LINE__,
                              [&face = *named.face, &vector = *vector]() -> ::testing::Test* {
                                return new FaceTest(face, vector);
                              });
    }
  }
}

}  // namespace
}  // namespace bridgekeeper::tests

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  bridgekeeper::tests::RegisterAll();
  return RUN_ALL_TESTS();
}
