// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "service/core/bridge_registry.h"
#include "service/core/reported_tools.h"

namespace bridgekeeper::service {
namespace {

using ::testing::ElementsAre;

ReportedTool Tool(std::string name, std::string definition = "{}") {
  return {.tool = std::move(name),
          .digest = std::string(64, 'a'),
          .definition_json = std::move(definition)};
}

ReportedTools::Key KeyOf(const char* app, const char* server) {
  return {AppId(app), ServerId(server)};
}

class ReportedToolsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Names(const ReportedTools& tools) {
    std::vector<std::string> names;
    for (const auto& row : tools.List(std::nullopt, std::nullopt, std::nullopt, 10'000)) {
      names.push_back(
          absl::StrFormat("%s/%s/%s", row.key.app.value(), row.key.server.value(), row.tool.tool));
    }
    return names;
  }

  FakeClock clock_;
};

TEST_F(ReportedToolsTest, LatestListOfAServerReplacesTheOneBefore) {
  ReportedTools tools({}, clock_);
  tools.Report(KeyOf("dockit", "pg"), false, {Tool("a"), Tool("b")});
  tools.Report(KeyOf("dockit", "es"), false, {Tool("x")});
  EXPECT_THAT(Names(tools), ElementsAre("dockit/es/x", "dockit/pg/a", "dockit/pg/b"));
  clock_.Advance(absl::Minutes(1));
  const auto result = tools.Report(KeyOf("dockit", "pg"), false, {Tool("b"), Tool("c")});
  EXPECT_EQ(result.kept, 2u);
  EXPECT_EQ(result.dropped, 0u);
  EXPECT_THAT(Names(tools), ElementsAre("dockit/es/x", "dockit/pg/b", "dockit/pg/c"));
  const auto rows = tools.List(AppId("dockit"), ServerId("pg"), std::nullopt, 10);
  EXPECT_EQ(rows[0].last_seen, clock_.Now());
  EXPECT_EQ(tools.size(), 3u);
}

TEST_F(ReportedToolsTest, KeepsAThousandOfAServerAndCountsTheRest) {
  ReportedTools tools({.max_tools = 3}, clock_);
  const auto result = tools.Report(KeyOf("dockit", "pg"), false,
                                   {Tool("a"), Tool("b"), Tool("a"), Tool("c"), Tool("d")});
  EXPECT_EQ(result.kept, 3u);
  EXPECT_EQ(result.dropped, 2u) << "one twin, one too many";
  EXPECT_EQ(ReportedToolsOptions{}.max_tools, 1000u);
}

TEST_F(ReportedToolsTest, LongDefinitionIsCutToNameAndDigest) {
  ReportedTools tools({.max_definition_bytes = 10}, clock_);
  tools.Report(KeyOf("dockit", "pg"), false,
               {Tool("fits", "{\"a\":1234}"), Tool("long", "{\"a\":12345}")});
  const auto rows = tools.List(std::nullopt, std::nullopt, std::nullopt, 10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].tool.definition_json, "{\"a\":1234}");
  EXPECT_FALSE(rows[0].tool.definition_cut);
  EXPECT_EQ(rows[1].tool.definition_json, "");
  EXPECT_TRUE(rows[1].tool.definition_cut);
  EXPECT_EQ(rows[1].tool.digest, std::string(64, 'a'));
}

TEST_F(ReportedToolsTest, RemembersWhatAToolWas) {
  ReportedTools tools({}, clock_);
  const auto report = [&](const std::string& digest) {
    tools.Report(
        KeyOf("a", "s"), false,
        {{.tool = "t", .digest = digest, .definition_json = "{\"d\":\"" + digest + "\"}"}});
    return tools.List(std::nullopt, std::nullopt, std::nullopt, 1).at(0).tool;
  };
  report("1");
  EXPECT_EQ(DefinitionWith(report("2"), "1"), "{\"d\":\"1\"}");
  EXPECT_EQ(DefinitionWith(report("2"), "1"), "{\"d\":\"1\"}") << "reported again";
  const ReportedTool back = report("1");
  EXPECT_EQ(DefinitionWith(back, "2"), "{\"d\":\"2\"}");
  EXPECT_EQ(back.past.size(), 1u) << "what it is now is no past";
  for (const char* digest : {"3", "4", "5", "6"}) report(digest);
  const ReportedTool last = report("7");
  EXPECT_EQ(last.past.size(), kMaxPastDefinitions);
  EXPECT_EQ(DefinitionWith(last, "2"), "") << "the oldest goes first";
}

TEST_F(ReportedToolsTest, BytesOfWhatToolsWereAreCountedAndBounded) {
  ReportedTools tools({.max_bytes = 20000}, clock_);
  tools.Report(KeyOf("a", "old"), false, {{.tool = "t", .digest = "1", .definition_json = "{}"}});
  const auto change = [&](const char* server) {
    for (const char* digest : {"1", "2", "3"}) {
      tools.Report(KeyOf("a", server), false,
                   {{.tool = "t", .digest = digest, .definition_json = std::string(2000, ' ')}});
    }
  };
  for (const char* server : {"s1", "s2", "s3", "s4"}) change(server);
  EXPECT_EQ(tools.List(std::nullopt, ServerId("old"), std::nullopt, 1).size(), 1u);
  const ReportedTool kept = tools.List(std::nullopt, ServerId("s1"), std::nullopt, 1).at(0).tool;
  ASSERT_EQ(kept.past.size(), 1u) << "a quarter of the bytes has no room for both";
  EXPECT_EQ(kept.past[0].digest, "2") << "the oldest goes first";
  change("s5");
  EXPECT_EQ(tools.List(std::nullopt, ServerId("old"), std::nullopt, 1).size(), 0u);
}

TEST_F(ReportedToolsTest, ServerReportedLongestAgoMakesRoom) {
  ReportedTools tools({.max_bytes = 6000}, clock_);
  const std::string definition(1000, ' ');
  for (const char* server : {"first", "second", "third", "fourth"}) {
    tools.Report(KeyOf("dockit", server), false, {Tool("a", definition)});
    clock_.Advance(absl::Seconds(1));
    if (std::string(server) == "third") {
      tools.Report(KeyOf("dockit", "first"), false, {Tool("a", definition)});
      clock_.Advance(absl::Seconds(1));
    }
  }
  EXPECT_THAT(Names(tools), ElementsAre("dockit/first/a", "dockit/fourth/a", "dockit/third/a"));
}

TEST_F(ReportedToolsTest, PagesOfEverySizeMakeTheWholeList) {
  ReportedTools tools({}, clock_);
  for (const char* app : {"a", "b", "c"}) {
    for (const char* server : {"s", "t"}) {
      tools.Report(KeyOf(app, server), false, {Tool("1"), Tool("2"), Tool("3")});
    }
  }
  for (const size_t size : {1u, 2u, 4u, 100u}) {
    std::vector<std::string> names;
    std::optional<ReportedTools::Position> after;
    while (true) {
      const auto rows = tools.List(AppId("b"), std::nullopt, after, size);
      if (rows.empty()) break;
      for (const auto& row : rows) names.push_back(row.key.server.value() + row.tool.tool);
      after = ReportedTools::Position{rows.back().key, rows.back().tool.tool};
    }
    EXPECT_THAT(names, ElementsAre("s1", "s2", "s3", "t1", "t2", "t3")) << size;
  }
}

TEST(SuggestedRiskTest, IsWhatTheServersOwnHintsPropose) {
  EXPECT_EQ(SuggestedRisk(R"({"annotations":{"readOnlyHint":true}})"), Risk::kSafe);
  EXPECT_EQ(SuggestedRisk(R"({"annotations":{"destructiveHint":false}})"), Risk::kElevated);
  EXPECT_EQ(SuggestedRisk(R"({"annotations":{"destructiveHint":true}})"), Risk::kDestructive);
  EXPECT_EQ(SuggestedRisk(R"({"annotations":{}})"), Risk::kDestructive) << "MCP's default";
  EXPECT_EQ(SuggestedRisk(R"({"annotations":{"readOnlyHint":"true"}})"), Risk::kDestructive);
  EXPECT_EQ(SuggestedRisk("{}"), Risk::kDestructive);
  EXPECT_EQ(SuggestedRisk(""), Risk::kDestructive);
}

TEST(StateOfTest, ComparesWithTheEntryThatCoversIt) {
  const ReportedTool tool = Tool("a");
  EXPECT_EQ(StateOf(tool, nullptr), ReasonCode::kToolUnreviewed);
  CatalogEntry entry;
  entry.reviewed = false;
  EXPECT_EQ(StateOf(tool, &entry), ReasonCode::kToolUnreviewed);
  entry.reviewed = true;
  EXPECT_EQ(StateOf(tool, &entry), ReasonCode::kAllowed);
  entry.pin = tool.digest;
  EXPECT_EQ(StateOf(tool, &entry), ReasonCode::kAllowed);
  entry.pin = std::string(64, 'b');
  EXPECT_EQ(StateOf(tool, &entry), ReasonCode::kToolChanged);
  entry.disabled = true;
  EXPECT_EQ(StateOf(tool, &entry), ReasonCode::kToolDisabled);
}

class BridgeRegistryTest : public ::testing::Test {
 protected:
  // Reports decisions with these numbers; each is an ALLOW.
  int64_t Report(const std::string& run, std::vector<int64_t> numbers, int64_t dropped = 0) {
    std::vector<ReportedDecision> decisions;
    for (const int64_t n : numbers) decisions.push_back({n, Verdict::kAllow, ReasonCode::kAllowed});
    return bridges_.Report("host/1", run, decisions, dropped);
  }

  FakeClock clock_;
  Metrics metrics_;
  BridgeRegistry bridges_{{}, clock_, metrics_};
};

TEST_F(BridgeRegistryTest, ListsThoseHeardOfInTheLastHour) {
  bridges_.Heartbeat({.name = "old"});
  clock_.Advance(absl::Minutes(40));
  bridges_.Heartbeat({.name = "new", .version = "1"});
  clock_.Advance(absl::Minutes(20));
  EXPECT_EQ(bridges_.size(), 2u) << "an hour is still in";
  clock_.Advance(absl::Seconds(1));
  const auto list = bridges_.List("", 10);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].name, "new");
  EXPECT_EQ(list[0].version, "1");
  EXPECT_EQ(list[0].last_seen, clock_.Now() - absl::Minutes(20) - absl::Seconds(1));
}

TEST_F(BridgeRegistryTest, OneHeardOfLongestAgoMakesRoom) {
  BridgeRegistry few({.max_bridges = 2}, clock_, metrics_);
  for (const char* name : {"a", "b", "c"}) {
    few.Heartbeat({.name = name});
    clock_.Advance(absl::Seconds(1));
  }
  const auto list = few.List("", 10);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "b");
  EXPECT_EQ(list[1].name, "c");
}

TEST_F(BridgeRegistryTest, CountsDecisionsOfBridges) {
  bridges_.Report("host/1", "r",
                  std::vector<ReportedDecision>{{1, Verdict::kAllow, ReasonCode::kAllowed},
                                                {2, Verdict::kDeny, ReasonCode::kModeTooLow}},
                  0);
  EXPECT_EQ(metrics_.decisions(Verdict::kAllow, ReasonCode::kAllowed, Transport::kBridge), 1u);
  EXPECT_EQ(metrics_.decisions(Verdict::kDeny, ReasonCode::kModeTooLow, Transport::kBridge), 1u);
}

TEST_F(BridgeRegistryTest, ReportThatCameTwiceCountsOnce) {
  EXPECT_EQ(Report("r", {1, 2, 3}), 3);
  EXPECT_EQ(Report("r", {2, 3, 4}), 4);
  EXPECT_EQ(metrics_.reports_taken, 4u);
  EXPECT_EQ(metrics_.reports_doubled, 2u);
  EXPECT_EQ(metrics_.reports_lost, 0u);
  EXPECT_EQ(metrics_.decisions(Verdict::kAllow, ReasonCode::kAllowed, Transport::kBridge), 4u);
}

TEST_F(BridgeRegistryTest, NumbersThatNeverCameAreLostUnlessTheBridgeDroppedThem) {
  Report("r", {1, 2, 5});
  EXPECT_EQ(metrics_.reports_lost, 2u);
  Report("r", {10}, 4);
  EXPECT_EQ(metrics_.reports_lost, 2u) << "6 to 9 were dropped by the bridge, and it says so";
  EXPECT_EQ(metrics_.reports_dropped, 4u);
  Report("r", {11}, 4);
  EXPECT_EQ(metrics_.reports_dropped, 4u) << "so far in this run";
}

TEST_F(BridgeRegistryTest, RunsCountOnTheirOwn) {
  Report("r1", {1, 2});
  EXPECT_EQ(Report("r2", {1}), 1);
  EXPECT_EQ(Report("r1", {3}), 3) << "what the run before spooled still comes";
  EXPECT_EQ(metrics_.reports_doubled, 0u);
  EXPECT_EQ(metrics_.reports_lost, 0u);
}

}  // namespace
}  // namespace bridgekeeper::service
