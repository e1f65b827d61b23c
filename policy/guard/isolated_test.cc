// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/isolated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "policy/guard/guard.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Answers what it is told to, and notes what it was asked.
class FakeIsolated final : public IsolatedJudge {
 public:
  Answer JudgeText(std::string_view dialect, std::string_view text, const JudgeOptions&,
                   absl::Duration) override {
    asked.push_back(std::string(dialect) + ": " + std::string(text));
    return answer;
  }
  Answer answer;
  std::vector<std::string> asked;
};

Judgement Safe() { return JudgementBuilder().Finish(1); }

TEST(Isolated, AnIsolatedDialectIsAskedThereAndRemembered) {
  const auto isolated = std::make_shared<FakeIsolated>();
  isolated->answer = {.judgement = Safe(), .fault = std::nullopt};
  const auto guard = MakeGuard({.isolated = isolated});
  EXPECT_EQ(guard->JudgeText("DuckDB", "SELECT 1", {}), Safe());
  EXPECT_EQ(guard->JudgeText("duckdb", "SELECT 1", {}), Safe());
  EXPECT_THAT(isolated->asked, ElementsAre("duckdb: SELECT 1"));
  // Another record, another judgement.
  EXPECT_EQ(guard->JudgeText("duckdb", "SELECT 1", {.allow_sensitive_reads = true}), Safe());
  EXPECT_EQ(isolated->asked.size(), 2u);
  EXPECT_EQ(guard->JudgeText("postgres", "SELECT 1", {}), Safe());
  EXPECT_EQ(isolated->asked.size(), 2u);
}

TEST(Isolated, AFaultIsCountedAndNotRemembered) {
  const auto isolated = std::make_shared<FakeIsolated>();
  isolated->answer = {
      .judgement = JudgementError(Judgement::Error::kUnreadable, "the worker ended"),
      .fault = JudgeFault::kWorkerDied};
  std::vector<JudgeFault> faults;
  const auto guard = MakeGuard(
      {.isolated = isolated, .on_fault = [&](JudgeFault fault) { faults.push_back(fault); }});
  EXPECT_EQ(guard->JudgeText("duckdb", "SELECT 1", {}).error, Judgement::Error::kUnreadable);
  isolated->answer = {.judgement = Safe(), .fault = std::nullopt};
  EXPECT_EQ(guard->JudgeText("duckdb", "SELECT 1", {}), Safe());
  EXPECT_THAT(faults, ElementsAre(JudgeFault::kWorkerDied));
}

TEST(Isolated, ATooLargeTextIsNotSent) {
  const auto isolated = std::make_shared<FakeIsolated>();
  const auto guard = MakeGuard({.isolated = isolated});
  EXPECT_EQ(guard->JudgeText("duckdb", std::string(2 << 20, 'x'), {}).error,
            Judgement::Error::kUnreadable);
  EXPECT_EQ(guard->JudgeText("duckdb", std::string("SELECT \0", 8), {}).error,
            Judgement::Error::kUnreadable);
  EXPECT_TRUE(isolated->asked.empty());
}

TEST(Isolated, ARequestSurvivesTheWay) {
  const JudgeOptions options = {.safe_functions = {"f(int)", ""},
                                .databases = {"lake"},
                                .allow_sensitive_reads = true,
                                .sql_mode = "",
                                .standard_conforming_strings = false};
  const std::string text("a\0b", 3);
  EXPECT_EQ(DecodeRequest(EncodeRequest("duckdb", text, options)),
            (IsolatedRequest{"duckdb", text, options}));
  EXPECT_EQ(DecodeRequest(EncodeRequest("", "", {})), IsolatedRequest{});
}

TEST(Isolated, AJudgementSurvivesTheWay) {
  JudgementBuilder builder;
  builder.Add("DELETE", "t", 7, Risk::kDestructive, "removes rows");
  builder.Add("INSERT", "", std::nullopt, Risk::kElevated, "adds rows");
  for (const Judgement& judgement : {Safe(), std::move(builder).Finish(1),
                                     JudgementError(Judgement::Error::kMultiple, "got 2", 2, 3)}) {
    EXPECT_EQ(DecodeJudgement(EncodeJudgement(judgement)), judgement);
  }
}

TEST(Isolated, WhatIsCutOrBetterThanItsPartsIsNoJudgement) {
  JudgementBuilder builder;
  builder.Add("DELETE", "t", 7, Risk::kDestructive, "removes rows");
  Judgement judgement = std::move(builder).Finish(1);
  const std::string bytes = EncodeJudgement(judgement);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeJudgement(std::string_view(bytes).substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(DecodeJudgement(bytes + "x"), std::nullopt);
  judgement.risk = Risk::kSafe;
  EXPECT_EQ(DecodeJudgement(EncodeJudgement(judgement)), std::nullopt);
  judgement = JudgementError(Judgement::Error::kUnreadable, "no");
  judgement.risk = Risk::kElevated;
  EXPECT_EQ(DecodeJudgement(EncodeJudgement(judgement)), std::nullopt);
}

// The other side, in this process: any text dialect can be judged there.
TEST(Isolated, TheOtherSideJudgesAsTheGuardDoes) {
  StackPool pool({.threads = 1});
  const auto guard = MakeGuard();
  for (const char* text : {"SELECT 1", "DROP TABLE t", "SELECT 1; SELECT 2", "SELEC"}) {
    EXPECT_EQ(DecodeJudgement(JudgeIsolated(EncodeRequest("postgres", text, {}), pool)),
              guard->JudgeText("postgres", text, {}))
        << text;
  }
  const auto judgement = DecodeJudgement(JudgeIsolated("garbage", pool));
  ASSERT_TRUE(judgement.has_value());
  EXPECT_THAT(judgement->message, HasSubstr("does not read the request"));
}

TEST(Isolated, FaultsHaveNamesThatTellThemApart) {
  std::set<std::string_view> names;
  for (const JudgeFault fault : kAllJudgeFaults) EXPECT_TRUE(names.insert(Name(fault)).second);
}

}  // namespace
}  // namespace bridgekeeper
