// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each vector is a test of its own: Guard/VectorTest.Judges/<dialect>_<name>.

#include "tests/vectors/guard/guard_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "policy/guard/dialects.h"
#include "policy/guard/effects.h"
#include "policy/guard/guard.h"
#include "policy/testing/source_file.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper {
namespace {

const PayloadJudge& TheGuard() {
  // A busy machine may take seconds to start the worker.
  static const PayloadJudge* const guard =
      MakeGuard({.isolated = MakeJudgeWorkers({.program = BK_JUDGE_WORKER}),
                 .deadline = absl::Seconds(60)})
          .release();
  return *guard;
}

bool IsBuilt(std::string_view dialect) {
#ifndef BK_WITH_DUCKDB
  if (dialect == "duckdb") {
    std::printf("no vectors of duckdb: built without BK_WITH_DUCKDB\n");
    return false;
  }
#endif
  return !dialect.empty();
}

Judgement Judge(const GuardVector& vector) {
  if (vector.object.empty()) {
    return TheGuard().JudgeText(vector.dialect, vector.sql, vector.options);
  }
  const auto document = JsonDocument::Parse(vector.object);
  return TheGuard().JudgeObject(vector.dialect, document->root(), vector.options);
}

std::vector<GuardVector> AllVectors() {
  std::vector<GuardVector> all;
  for (const Dialect& dialect : AllDialects()) {
    if (!IsBuilt(dialect.name)) continue;
    for (GuardVector& vector : LoadGuardVectors(dialect.name)) all.push_back(std::move(vector));
  }
  return all;
}

class VectorTest : public testing::TestWithParam<GuardVector> {};

TEST_P(VectorTest, Judges) {
  const Judgement judgement = Judge(GetParam());
  EXPECT_EQ(Mismatch(GetParam(), judgement), "");
  EXPECT_FALSE(judgement.proven) << "no catalogue was asked";
  Risk worst = judgement.error == Judgement::Error::kNone ? Risk::kSafe : Risk::kDestructive;
  for (const Effect& effect : judgement.effects) {
    worst = Worst(worst, effect.risk);
    EXPECT_NE(std::find(std::begin(effect::kAll), std::end(effect::kAll), effect.kind),
              std::end(effect::kAll))
        << effect.kind << " is not in the vocabulary";
    EXPECT_FALSE(effect.why.empty()) << effect.kind;
    EXPECT_LE(effect.position.value_or(0),
              std::max(GetParam().sql.size(), GetParam().object.size()));
  }
  EXPECT_EQ(judgement.risk, worst);
  EXPECT_EQ(judgement.message.empty(), judgement.error == Judgement::Error::kNone);
}

INSTANTIATE_TEST_SUITE_P(Guard, VectorTest, testing::ValuesIn(AllVectors()),
                         [](const auto& row) { return row.param.dialect + "_" + row.param.name; });

TEST(GuardVectors, HoldEnoughReadsThatMustBeSafe) {
  for (const Dialect& dialect : AllDialects()) {
    const auto vectors = LoadGuardVectors(dialect.name);
    const auto safe = std::count_if(vectors.begin(), vectors.end(),
                                    [](const GuardVector& v) { return v.risk == Risk::kSafe; });
    EXPECT_GE(safe * 2, static_cast<long>(vectors.size())) << dialect.name;
  }
}

}  // namespace
}  // namespace bridgekeeper
