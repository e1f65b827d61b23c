// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each attack with the guard patched out: what the engine and its session refuse. What
// they let pass is in attacks/<engine>_guard_only.json, which says what it leaves behind;
// a case of that list that the engine does refuse fails, so the list stays as short as it
// can be.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "runtime/clock.h"
#include "tests/integration/sandbox/cases.h"
#include "tests/integration/sandbox/engine_target.h"

namespace bridgekeeper::bridge {
namespace {

std::vector<AttackCase> AllCases() {
  std::vector<AttackCase> all;
  for (const EngineRow& row : AllEngines()) {
    for (AttackCase& one : LoadAttacks(row.name)) all.push_back(std::move(one));
  }
  return all;
}

class EngineTest : public ::testing::TestWithParam<AttackCase> {
 protected:
  // Runs the attack. The parts that it changed.
  std::set<std::string> Attack() {
    EngineTarget& target = TargetOf(GetParam().engine);
    EXPECT_TRUE(target.Settle());
    const State before = target.Look();
    const std::string arguments = target.Fill(GetParam().arguments);
    const absl::Duration begin = clock_.SinceBoot();
    result_ = RunUnguarded(target, GetParam().tool, arguments,
                           {.timeout = GetParam().exhausts() ? kStallTimeout : kCallTimeout});
    took_ = clock_.SinceBoot() - begin;
    const bool settled = target.Settle();
    std::set<std::string> changed = Changed(before, target.Look());
    if (!settled) changed.insert("server");
    if (ShowsCanary(result_, arguments)) changed.insert("answer");
    return changed;
  }

  RealClock clock_;
  RunResult result_;
  absl::Duration took_;
};

TEST_P(EngineTest, HoldsOrTheCaseIsListed) {
  const AttackCase& one = GetParam();
  static std::map<std::string, std::map<std::string, GuardOnlyCase>> lists;
  if (!lists.contains(one.engine)) lists[one.engine] = LoadGuardOnly(one.engine);
  const auto listed = lists[one.engine].find(one.name);

  const int64_t memory = PeakMemory();
  std::set<std::string> changed = Attack();
  // The server itself writes to its log now and then; an attack does it each time.
  const auto stray_log = [&] {
    return changed.contains("log") &&
           (listed == lists[one.engine].end() || !listed->second.leaves.contains("log"));
  };
  for (int again = 0; again < 3 && stray_log(); ++again) changed = Attack();
  const std::string error = ErrorIn(result_);
  const std::string left = absl::StrJoin(changed, " ");
  EXPECT_LT(PeakMemory() - memory, int64_t{64} << 20);
  if (one.exhausts()) {
    EXPECT_EQ(left, "") << error;
    EXPECT_LT(took_, kStallTimeout + absl::Seconds(10)) << error;
    EXPECT_EQ(listed, lists[one.engine].end()) << "the limits end it: not for the list";
    return;
  }
  // Where the guard lets it pass, by what its text says, it is a read like others.
  const bool refused = !error.empty() || (one.reason == "ALLOWED" && !one.hidden);
  if (listed == lists[one.engine].end()) {
    EXPECT_TRUE(refused) << "it ran, and is not in the list; it left: " << left;
    EXPECT_EQ(left, "") << error;
  } else {
    EXPECT_EQ(left, absl::StrJoin(listed->second.leaves, " ")) << error;
    EXPECT_FALSE(refused && changed.empty())
        << "it is in the list, and the engine refuses it: " << error;
  }
}

INSTANTIATE_TEST_SUITE_P(GuardOut, EngineTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& row) { return row.param.engine + "_" + row.param.name; });

TEST(GuardOnly, EveryRowIsACase) {
  for (const EngineRow& row : AllEngines()) {
    std::map<std::string, GuardOnlyCase> list = LoadGuardOnly(row.name);
    std::printf("%s: %zu cases that only the guard refuses\n", std::string(row.name).c_str(),
                list.size());
    for (const AttackCase& one : LoadAttacks(row.name)) list.erase(one.name);
    for (const auto& [name, unused] : list) ADD_FAILURE() << row.name << ": no case " << name;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
