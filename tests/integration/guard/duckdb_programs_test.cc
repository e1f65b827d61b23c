// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each program that judges is its own judging worker.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policy/guard/guard.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper {
namespace {

class DuckdbPrograms : public testing::TestWithParam<std::string> {};

TEST_P(DuckdbPrograms, JudgeAsWorkers) {
  const auto guard =
      MakeGuard({.isolated = MakeJudgeWorkers({.max_workers = 1, .program = GetParam()}),
                 .deadline = absl::Seconds(60)});
  const Judgement read = guard->JudgeText("duckdb", "SELECT 1", {});
  EXPECT_EQ(read.error, Judgement::Error::kNone) << read.message;
  EXPECT_EQ(read.risk, Risk::kSafe);
  const Judgement file = guard->JudgeText("duckdb", "FROM 'x.csv'", {});
  EXPECT_EQ(file.error, Judgement::Error::kNone) << file.message;
  EXPECT_EQ(file.risk, Risk::kDestructive);
}

INSTANTIATE_TEST_SUITE_P(All, DuckdbPrograms,
                         testing::Values(BK_KEEPER, BK_KEEPERD, BK_KEEPER_BRIDGE),
                         [](const auto& row) {
                           std::string name = row.param.substr(row.param.rfind('/') + 1);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace bridgekeeper
