// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// All rows of the decision table, through a bridge's cached copy: the listing, and
// the call after it.

#include <string>
#include <utility>

#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/decision_table.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::string_view kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";

TEST(DecisionTableThroughABridge, EveryRowIsAnsweredAsInProcess) {
  int calls = 0;
  for (const DecisionRow& row : DecisionTable()) {
    SCOPED_TRACE(row.name);
    const std::string tool = row.entry.key.tool.value();
    CoreOptions options = {.app = row.policy.app, .server = ServerId(kDecisionRowServer)};
    if (row.connection) options.connection = ConnectionId(*row.connection);
    CoreHarness h(options);
    AppData data;
    data.policy = row.policy;
    data.catalog = {row.entry};
    h.SetPolicy(std::move(data));
    const Sent listed =
        h.AnswerList(h.Client(kList), R"({"name":")" + tool + R"(","inputSchema":{}})");
    EXPECT_EQ(NamesIn(listed).size(), row.verdict == Verdict::kDeny ? 0u : 1u);

    const std::string call = CoreHarness::Call(tool);
    const Sent sent = h.Client(call);
    if (row.verdict == Verdict::kAllow) {
      EXPECT_THAT(sent.to_server, ElementsAre(call));
    } else if (row.verdict == Verdict::kAsk && row.policy.ask_mode == AskMode::kClient) {
      EXPECT_THAT(sent.to_server, ElementsAre(call)) << "its listing said destructive";
    } else if (row.verdict == Verdict::kAsk) {
      EXPECT_EQ(DenialIn(sent), "NO_WAY_TO_ASK");
    } else {
      EXPECT_EQ(DenialIn(sent), Name(row.reason));
    }
    ASSERT_THAT(h.observer.decisions, SizeIs(1));
    EXPECT_EQ(Name(h.observer.decisions[0].effective_risk), Name(row.entry.risk));
    ++calls;
  }
  EXPECT_EQ(calls, 2052);
}

}  // namespace
}  // namespace bridgekeeper::bridge
