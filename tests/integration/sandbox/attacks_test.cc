// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each attack with the guard before the engine: it is refused with a reason, in the mode
// that refuses least. What the guard does not refuse is run, and must leave all as it is.
// And each attack with nothing before the engine, where it must be seen to hit: what shows
// nothing there would prove nothing here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/integration/sandbox/cases.h"
#include "tests/integration/sandbox/engine_target.h"
#include "tests/integration/sandbox/guarded.h"

namespace bridgekeeper::bridge {
namespace {

std::vector<AttackCase> AllCases() {
  std::vector<AttackCase> all;
  for (const EngineRow& row : AllEngines()) {
    for (AttackCase& one : LoadAttacks(row.name)) all.push_back(std::move(one));
  }
  return all;
}

std::vector<AttackCase> CasesWithControl() {
  std::vector<AttackCase> all = AllCases();
  std::erase_if(all, [](const AttackCase& one) { return !one.no_control.empty(); });
  return all;
}

std::string NameOf(const ::testing::TestParamInfo<AttackCase>& info) {
  return info.param.engine + "_" + info.param.name;
}

class GuardTest : public ::testing::TestWithParam<AttackCase> {};

TEST_P(GuardTest, Refuses) {
  const AttackCase& one = GetParam();
  EngineTarget& target = TargetOf(one.engine);
  const std::string arguments = target.Fill(one.arguments);
  const std::string reason = ReasonOf(one.engine, one.tool, arguments, Mode::kFullAccess);
  EXPECT_EQ(reason, one.hidden ? "ALLOWED" : one.reason);
  if (reason != "ALLOWED") return;
  const State before = target.Look();
  const RunResult result = RunDecided(target, one.tool, arguments,
                                      {.timeout = one.exhausts() ? kStallTimeout : kCallTimeout});
  if (one.hidden) {
    EXPECT_THAT(ErrorIn(result), ::testing::StartsWith(one.reason + ": "));
  }
  ASSERT_TRUE(target.Settle());
  std::set<std::string> changed = Changed(before, target.Look());
  changed.erase("log");
  EXPECT_EQ(absl::StrJoin(changed, " "), "") << ErrorIn(result);
  EXPECT_FALSE(ShowsCanary(result, arguments)) << ErrorIn(result);
}

INSTANTIATE_TEST_SUITE_P(Sandbox, GuardTest, ::testing::ValuesIn(AllCases()), &NameOf);

class ControlTest : public ::testing::TestWithParam<AttackCase> {};

TEST_P(ControlTest, IsSeenToHit) {
  const std::map<std::string, std::vector<std::string>> wanted = {
      {"write", {"data"}},     {"file", {"files"}},      {"read_file", {"answer"}},
      {"socket", {"sockets"}}, {"session", {"session"}}, {"server", {"server", "log"}},
      {"leak", {"answer"}},    {"stall", {"late"}},      {"bloat", {"memory", "late"}},
      {"crash", {"crash"}}};
  const AttackCase& one = GetParam();
  const std::set<std::string> hit = TargetOf(one.engine).Control(one.control);
  const auto row = wanted.find(one.does);
  ASSERT_NE(row, wanted.end()) << "a case that " << one.does << "s cannot have a control";
  EXPECT_TRUE(std::any_of(row->second.begin(), row->second.end(),
                          [&](const std::string& part) { return hit.contains(part); }))
      << "got " << absl::StrJoin(hit, " ") << ", want " << absl::StrJoin(row->second, " or ");
}

INSTANTIATE_TEST_SUITE_P(Sandbox, ControlTest, ::testing::ValuesIn(CasesWithControl()), &NameOf);

TEST(Controls, AreThereForMostAttacksAndForEachKind) {
  for (const EngineRow& row : AllEngines()) {
    size_t without = 0;
    const std::vector<AttackCase> all = LoadAttacks(row.name);
    for (const AttackCase& one : all) {
      if (one.no_control.empty()) continue;
      ++without;
      std::printf("%s: %s has no control: %s\n", one.engine.c_str(), one.name.c_str(),
                  one.no_control.c_str());
    }
    std::printf("%s: %zu attacks, %zu without a control of their own\n",
                std::string(row.name).c_str(), all.size(), without);
    EXPECT_GE(all.size(), 120U) << row.name;
    EXPECT_LT(without, all.size() / 2) << row.name;
  }
}

// Of the rest the listener counts a connection of the test's own at each look, and the
// probe of memory is shown below.
TEST(Controls, OfAnotherCaseStandInWhereOneIsMissing) {
  const std::set<std::string> shown_otherwise = {"bloat", "crash", "socket", "server"};
  for (const EngineRow& row : AllEngines()) {
    const std::vector<AttackCase> all = LoadAttacks(row.name);
    for (const AttackCase& one : all) {
      if (one.no_control.empty()) continue;
      if (one.covered_by.empty()) {
        EXPECT_TRUE(shown_otherwise.contains(one.does)) << row.name << ": " << one.name;
        continue;
      }
      EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                              [&](const AttackCase& other) {
                                return other.name == one.covered_by && other.no_control.empty() &&
                                       other.does == one.does;
                              }))
          << row.name << ": " << one.name << " is not covered by " << one.covered_by;
    }
  }
}

TEST(Controls, TheProbeOfMemorySeesAHugeValue) {
  const int64_t before = PeakMemory();
  const std::string huge(size_t{160} << 20, 'x');
  EXPECT_EQ(huge.back(), 'x');
  EXPECT_GT(PeakMemory() - before, int64_t{100} << 20);
}

}  // namespace
}  // namespace bridgekeeper::bridge
