// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// All rows of the decision table, in process (clause D20).

#include "policy/testing/decision_table.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "policy/engine/engine.h"

namespace bridgekeeper {
namespace {

std::shared_ptr<const CompiledPolicy> Compile(const DecisionRow& row) {
  return CompiledPolicy::Compile({.policy = row.policy, .catalog = {row.entry}});
}

TEST(DecisionTable, RowsHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const DecisionRow& row : DecisionTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.line << ": " << row.name;
  }
  EXPECT_EQ(names.size(), 2052u);
}

TEST(DecisionTable, EngineAnswersEveryRow) {
  for (const DecisionRow& row : DecisionTable()) {
    SCOPED_TRACE(row.name);
    const auto policy = Compile(row);
    const Decision decision = Decide(PolicyView::Of(*policy), row.Call(), nullptr);
    EXPECT_EQ(Name(decision.verdict), Name(row.verdict));
    EXPECT_EQ(Name(decision.reason), Name(row.reason));
    EXPECT_EQ(Name(decision.effective_risk), Name(row.entry.risk));
    EXPECT_EQ(decision.connection, row.connection.value_or(""));
    EXPECT_FALSE(decision.judged);
  }
}

TEST(DecisionTable, ExplainAnswersEveryRowAlike) {
  for (const DecisionRow& row : DecisionTable()) {
    SCOPED_TRACE(row.name);
    const auto policy = Compile(row);
    const Explanation explanation = Explain(PolicyView::Of(*policy), row.Call(), nullptr);
    EXPECT_EQ(Name(explanation.decision.verdict), Name(row.verdict));
    EXPECT_EQ(Name(explanation.decision.reason), Name(row.reason));
  }
}

TEST(DecisionTable, ToolIsListedIffItsRowIsNotDenied) {
  for (const DecisionRow& row : DecisionTable()) {
    SCOPED_TRACE(row.name);
    const auto policy = Compile(row);
    ListContext context{.server = kDecisionRowServer};
    if (row.connection) context.fixed_connection = *row.connection;
    const ToolToList tools[] = {{.tool = row.entry.key.tool.value()}};
    const ToolListing listing = ListTools(PolicyView::Of(*policy), context, tools);
    EXPECT_EQ(listing.shown.empty(), row.verdict == Verdict::kDeny);
    EXPECT_EQ(listing.hidden.empty(), row.verdict != Verdict::kDeny);
    if (!listing.hidden.empty()) {
      EXPECT_EQ(Name(listing.hidden[0].reason), Name(row.reason));
    }
  }
}

}  // namespace
}  // namespace bridgekeeper
