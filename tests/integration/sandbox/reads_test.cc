// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads that analysts write, on a filled shop, under a policy that only reads: each is
// let through and gives its rows. A refusal here is a fault of the guard.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/json.h"
#include "tests/integration/sandbox/cases.h"
#include "tests/integration/sandbox/engine_target.h"
#include "tests/integration/sandbox/guarded.h"

namespace bridgekeeper::bridge {
namespace {

void ExpectRuns(EngineTarget& target, const ReadCase& one) {
  const std::string arguments = absl::StrFormat(R"({"sql":%s})", JsonString(one.sql));
  EXPECT_EQ(ReasonOf(one.engine, "execute_query", arguments, Mode::kReadOnly), "ALLOWED");
  const RunResult result =
      RunDecided(target, "execute_query", arguments, {.timeout = kCallTimeout});
  ASSERT_EQ(ErrorIn(result), "");
  const std::string& answer = std::get<std::string>(result);
  const auto document = JsonDocument::Parse(answer);
  ASSERT_TRUE(document.ok()) << answer;
  const auto rows = document->root().Find("rowCount");
  ASSERT_TRUE(rows.has_value()) << answer;
  EXPECT_GE(rows->integer().value_or(-1), one.rows) << answer.substr(0, 500);
}

class ReadsTest : public ::testing::TestWithParam<EngineRow> {};

TEST_P(ReadsTest, RunAndLeaveNothing) {
  const std::string engine(GetParam().name);
  EngineTarget& target = TargetOf(engine);
  const std::vector<ReadCase> all = LoadReads(engine);
  EXPECT_GE(all.size(), 200U);
  const State before = target.Look();
  for (const ReadCase& one : all) {
    SCOPED_TRACE(one.name);
    ExpectRuns(target, one);
  }
  ASSERT_TRUE(target.Settle());
  std::set<std::string> changed = Changed(before, target.Look());
  changed.erase("log");
  EXPECT_TRUE(changed.empty()) << *changed.begin();
}

INSTANTIATE_TEST_SUITE_P(Sandbox, ReadsTest, ::testing::ValuesIn(AllEngines()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace bridgekeeper::bridge
