// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors cannot show: explanations, listings of several tools, what an
// answer points to, the table of checks.

#include "policy/engine/engine.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_judge.h"
#include "policy/testing/owned_call.h"

namespace bridgekeeper {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

AppData App(McpPolicy policy = {}) {
  policy.app = AppId("app");
  AppData data{.policy = std::move(policy)};
  data.policy_revision = {7};
  data.catalog_revision = {9};
  const auto add = [&](const char* tool, Risk risk) -> CatalogEntry& {
    data.catalog.push_back(
        {.key = {.app = AppId("app"), .server = ServerId("s"), .tool = ToolName(tool)},
         .risk = risk,
         .needs_connection = NeedsConnection::kNo});
    return data.catalog.back();
  };
  add("read", Risk::kSafe);
  add("write", Risk::kElevated);
  add("wipe", Risk::kDestructive);
  add("off", Risk::kSafe).disabled = true;
  add("pinned", Risk::kSafe).pin = std::string(64, 'a');
  return data;
}

ToolCall Call(std::string_view tool) {
  ToolCall call;
  call.tool = tool;
  call.server = "s";
  call.listed_by_server = true;
  return call;
}

// --- the table of checks -----------------------------------------------------

TEST(Checks, AreTheOnesOfTheSpecInItsOrder) {  // clause D3
  std::vector<std::string> names;
  for (const CheckInfo& check : Checks()) names.emplace_back(check.name);
  EXPECT_THAT(names, ElementsAre("request", "policy", "tool", "connection", "allowlist", "payload",
                                 "override", "destructive", "mode", "read_only_bridge"));
}

TEST(Checks, EachHasCodesAndHelp) {
  std::set<ReasonCode> codes;
  for (const CheckInfo& check : Checks()) {
    EXPECT_FALSE(check.codes.empty()) << check.name;
    EXPECT_FALSE(check.help.empty()) << check.name;
    codes.insert(check.codes.begin(), check.codes.end());
  }
  // Every reason before the enforcement side's own, and two that it shares.
  for (int i = 3; i <= static_cast<int>(ReasonCode::kReadOnlyBridge); ++i) {
    EXPECT_TRUE(codes.contains(static_cast<ReasonCode>(i))) << Name(static_cast<ReasonCode>(i));
  }
  EXPECT_EQ(codes.size(),
            static_cast<size_t>(ReasonCode::kReadOnlyBridge) - 2 + 1);  // NOT_AUTHORIZED
}

// --- CompiledPolicy ----------------------------------------------------------

TEST(CompiledPolicy, KeepsWhatItWasMadeOf) {
  AppData data = App();
  data.connections.push_back({.app = AppId("app"), .id = ConnectionId("pg"), .type = "postgres"});
  const auto policy = CompiledPolicy::Compile(data);
  EXPECT_EQ(policy->policy(), data.policy);
  EXPECT_EQ(policy->policy_revision().value, 7);
  EXPECT_EQ(policy->catalog_revision().value, 9);
  EXPECT_EQ(policy->catalog().stored().size(), 5u);
  ASSERT_NE(policy->FindConnection("pg"), nullptr);
  EXPECT_EQ(policy->FindConnection("pg")->type, "postgres");
  EXPECT_EQ(policy->FindConnection("PG"), nullptr);
  EXPECT_EQ(policy->FindConnection(""), nullptr);
}

TEST(CompiledPolicy, IdOfAPolicyWithoutRecordHasNone) {
  McpPolicy policy;
  policy.allowed_connection_ids.emplace("c1");
  EXPECT_EQ(CompiledPolicy::Compile(App(policy))->FindConnection("c1"), nullptr);
}

// --- Decide ------------------------------------------------------------------

TEST(Decide, PointsToThePolicysLimits) {
  McpPolicy with_limits;
  with_limits.limits.max_rows = 5;
  const auto policy = CompiledPolicy::Compile(App(with_limits));
  EXPECT_EQ(Decide(PolicyView::Of(*policy), Call("read"), nullptr).obligations,
            &policy->policy().limits);
}

TEST(Decide, NamesTheConnectionThatItChecked) {
  const auto policy = CompiledPolicy::Compile(App());
  ToolCall call = Call("read");
  EXPECT_EQ(Decide(PolicyView::Of(*policy), call, nullptr).connection, "");
  call.connection = "c9";
  EXPECT_EQ(Decide(PolicyView::Of(*policy), call, nullptr).connection, "c9");
}

TEST(Decide, HandsOutTheJudgementAndForgetsAnOlderOne) {
  const auto policy = CompiledPolicy::Compile(App());
  const FakeJudge judge;
  OwnedCall owned;
  owned.tool = "read";
  owned.server = "s";
  owned.connection = "c1";
  owned.connection_type = "postgres";
  owned.payload_json = "\"SELECT f(1)\"";
  ASSERT_TRUE(owned.Bind());
  std::optional<Judgement> judgement;
  const Decision decision = Decide(PolicyView::Of(*policy), owned.call, &judge, &judgement);
  EXPECT_EQ(Name(decision.reason), "STATEMENT_EXCEEDS_TOOL");
  ASSERT_TRUE(judgement.has_value());
  ASSERT_EQ(judgement->effects.size(), 1u);
  EXPECT_EQ(judgement->effects[0].position, 7u);

  EXPECT_EQ(Decide(PolicyView::Of(*policy), Call("read"), &judge, &judgement).verdict,
            Verdict::kAllow);
  EXPECT_EQ(judgement, std::nullopt);
}

TEST(Decide, PresentStateWithoutPolicyIsDenied) {  // clause D21
  const PolicyView broken{.state = PolicyView::State::kPresent, .policy = nullptr};
  EXPECT_EQ(Name(Decide(broken, Call("read"), nullptr).reason), "POLICY_MISSING");
  EXPECT_EQ(Name(Decide(PolicyView{}, Call("read"), nullptr).reason), "POLICY_MISSING");
}

// --- Explain (section X) -----------------------------------------------------

std::map<std::string, CheckOutcome> ByName(const Explanation& explanation) {
  std::map<std::string, CheckOutcome> checks;
  for (const CheckOutcome& check : explanation.checks) checks[check.name] = check;
  return checks;
}

TEST(Explain, MakesTheChecksAfterTheFirstFailure) {  // clause X2
  McpPolicy strict;
  strict.mode = Mode::kReadOnly;
  strict.confirm_destructive = false;
  strict.allowed_connection_ids.emplace("c1");
  strict.connection_overrides[ConnectionId("c2")].read_only = true;
  const auto policy = CompiledPolicy::Compile(App(strict));
  ToolCall call = Call("wipe");
  call.connection = "c2";
  call.read_only_bridge = true;
  const Explanation explanation = Explain(PolicyView::Of(*policy), call, nullptr);
  EXPECT_EQ(Name(explanation.decision.reason), "CONNECTION_NOT_ALLOWED");
  auto checks = ByName(explanation);
  using enum CheckOutcome::Result;
  EXPECT_EQ(checks["tool"].result, kPassed);
  EXPECT_EQ(checks["connection"].result, kPassed);
  EXPECT_EQ(checks["connection"].detail, "`c2`");
  EXPECT_EQ(checks["allowlist"].result, kFailed);
  EXPECT_EQ(checks["allowlist"].detail, "`c2` is none of the 1 in `allowed_connection_ids`");
  EXPECT_EQ(checks["payload"].result, kPassed);
  EXPECT_EQ(checks["override"].result, kFailed);
  EXPECT_EQ(checks["override"].detail, "`c2` allows READ, the call needs DELETE");
  EXPECT_EQ(Name(checks["destructive"].reason), "DESTRUCTIVE_DISABLED");
  EXPECT_EQ(Name(checks["mode"].reason), "MODE_TOO_LOW");
  EXPECT_EQ(checks["mode"].detail, "the call is DESTRUCTIVE, READ_ONLY reaches SAFE");
  EXPECT_EQ(Name(checks["read_only_bridge"].reason), "READ_ONLY_BRIDGE");
  ASSERT_TRUE(explanation.entry.has_value());
  EXPECT_EQ(explanation.entry->key.tool.value(), "wipe");
  EXPECT_EQ(explanation.catalog_risk, Risk::kDestructive);
  EXPECT_THAT(explanation.reason_text, HasSubstr("`allowed_connection_ids`"));
}

TEST(Explain, LeavesOutWhatCannotBeChecked) {
  const auto policy = CompiledPolicy::Compile(App());
  using enum CheckOutcome::Result;
  auto checks = ByName(Explain(PolicyView::Of(*policy), Call("unheard_of"), nullptr));
  EXPECT_EQ(checks["policy"].result, kPassed);
  EXPECT_EQ(checks["tool"].result, kFailed);
  EXPECT_EQ(checks["mode"].result, kFailed) << "an unreviewed tool counts as DESTRUCTIVE";

  ToolCall unknown = Call("unheard_of");
  unknown.listed_by_server = false;
  checks = ByName(Explain(PolicyView::Of(*policy), unknown, nullptr));
  EXPECT_EQ(checks["tool"].result, kFailed);
  for (const char* name :
       {"connection", "payload", "override", "destructive", "mode", "read_only_bridge"}) {
    EXPECT_EQ(checks[name].result, kNotReached) << name;
    EXPECT_EQ(checks[name].detail, "") << name;
  }

  checks = ByName(Explain({.state = PolicyView::State::kUnknownApp}, Call("read"), nullptr));
  EXPECT_EQ(checks["request"].result, kPassed);
  EXPECT_EQ(checks["policy"].result, kFailed);
  EXPECT_EQ(checks["tool"].result, kNotReached);
  EXPECT_EQ(checks["allowlist"].result, kNotReached);
}

TEST(Explain, ChecksAMalformedCallAgainstThePolicy) {
  const auto policy = CompiledPolicy::Compile(App());
  ToolCall call = Call("read");
  call.server = "no server";
  auto checks = ByName(Explain(PolicyView::Of(*policy), call, nullptr));
  EXPECT_EQ(Name(checks["request"].reason), "INVALID_REQUEST");
  EXPECT_THAT(checks["request"].detail, HasSubstr("`no server`"));
  EXPECT_EQ(checks["policy"].result, CheckOutcome::Result::kPassed);
  EXPECT_EQ(checks["policy"].detail, "revision 7, 0 old, at most 5m");
}

TEST(Explain, SaysWhyNothingWasJudged) {
  const auto policy = CompiledPolicy::Compile(App());
  const FakeJudge judge;
  const auto detail = [&](const ToolCall& call, const PayloadJudge* with) {
    return ByName(Explain(PolicyView::Of(*policy), call, with))["payload"].detail;
  };
  EXPECT_EQ(detail(Call("read"), nullptr), "not judged: no judge here");
  EXPECT_EQ(detail(Call("read"), &judge), "not judged: no arguments carried");
  OwnedCall owned;
  owned.tool = "read";
  owned.server = "s";
  owned.arguments_json = "{}";
  ASSERT_TRUE(owned.Bind());
  EXPECT_EQ(detail(owned.call, &judge), "not judged: the tool has no payload rule");
}

TEST(Explain, TellsOfAChangedDefinition) {
  McpPolicy warn;
  warn.pinning = Pinning::kWarn;
  const auto policy = CompiledPolicy::Compile(App(warn));
  const std::string digest(64, 'b');
  ToolCall call = Call("pinned");
  call.definition_digest = digest;
  EXPECT_EQ(ByName(Explain(PolicyView::Of(*policy), call, nullptr))["tool"].detail,
            "entry of app `app`, server `s`: SAFE, its definition changed: `pinning` is WARN");
}

// --- ListTools (section L) ---------------------------------------------------

struct Listed {
  std::vector<std::string> shown, hidden;
  std::string notice;
};

Listed List(const McpPolicy& policy,
            ListContext context = {.server = "s", .listed_by_server = true}) {
  const std::string digest(64, 'b');
  const std::vector<ToolToList> tools = {{"wipe"},  {"read"}, {"stray"},
                                         {"write"}, {"off"},  {"pinned", digest}};
  const auto compiled = CompiledPolicy::Compile(App(policy));
  const ToolListing listing = ListTools(PolicyView::Of(*compiled), context, tools);
  Listed out{.notice = listing.notice};
  for (const ListedTool& tool : listing.shown) out.shown.emplace_back(tools[tool.index].tool);
  for (const HiddenTool& tool : listing.hidden) {
    out.hidden.push_back(std::string(tools[tool.index].tool) + " " +
                         std::string(Name(tool.reason)));
  }
  return out;
}

TEST(ListTools, KeepsTheOrderAndSaysWhyEachIsHidden) {
  const Listed listed = List({});
  EXPECT_THAT(listed.shown, ElementsAre("read", "write"));
  EXPECT_THAT(listed.hidden, ElementsAre("wipe MODE_TOO_LOW", "stray TOOL_UNREVIEWED",
                                         "off TOOL_DISABLED", "pinned TOOL_CHANGED"));
}

TEST(ListTools, NoticeNamesWhatIsHidden) {  // clause L5
  EXPECT_EQ(List({}).notice,
            "[Policy: destructive tools, tools that nobody has reviewed, tools that changed since "
            "their review and "
            "disabled tools are hidden from this app; only an administrator can change that.]");
}

TEST(ListTools, NoticeFollowsThePolicy) {
  McpPolicy open;
  open.mode = Mode::kFullAccess;
  open.unreviewed_tools = UnreviewedTools::kAsDestructive;
  open.pinning = Pinning::kOff;
  EXPECT_EQ(
      List(open).notice,
      "[Policy: disabled tools are hidden from this app; only an administrator can change that.]");
  McpPolicy shut = open;
  shut.mode = Mode::kReadOnly;
  EXPECT_THAT(List(shut).notice,
              HasSubstr("tools that write, destructive tools and disabled tools"));
}

TEST(ListTools, NoticeIsEmptyWhereNothingIsHidden) {
  const auto policy = CompiledPolicy::Compile(App());
  const ToolToList tools[] = {{"read"}, {"write"}};
  EXPECT_EQ(ListTools(PolicyView::Of(*policy), {.server = "s"}, tools).notice, "");
  // A tool that nobody knows is not hidden by the policy.
  const ToolToList unknown[] = {{"read"}, {"unheard_of"}};
  const ToolListing listing = ListTools(PolicyView::Of(*policy), {.server = "s"}, unknown);
  EXPECT_EQ(listing.hidden.size(), 1u);
  EXPECT_EQ(listing.notice, "");
}

TEST(ListTools, NoticeHoldsNoCommandAndOneLine) {
  McpPolicy strict;
  strict.mode = Mode::kReadOnly;
  strict.suspended = true;
  for (const McpPolicy& policy : {McpPolicy(), strict}) {
    const std::string notice =
        List(policy, {.server = "s", .read_only = true, .listed_by_server = true}).notice;
    EXPECT_THAT(notice, Not(HasSubstr("keeper")));
    EXPECT_THAT(notice, Not(HasSubstr("--")));
    EXPECT_THAT(notice, Not(HasSubstr("\n")));
    EXPECT_THAT(notice, HasSubstr("only an administrator"));
  }
}

TEST(ListTools, ReadOnlyBridgeShowsReadsAlone) {
  McpPolicy open;
  open.mode = Mode::kFullAccess;
  const Listed listed = List(open, {.server = "s", .read_only = true, .listed_by_server = true});
  EXPECT_THAT(listed.shown, ElementsAre("read"));
  EXPECT_THAT(listed.hidden, Contains("write READ_ONLY_BRIDGE"));
  EXPECT_THAT(listed.notice, HasSubstr("read-only bridge"));
}

TEST(ListTools, FixedConnectionThatIsNotAllowedHidesAll) {
  McpPolicy policy;
  policy.allowed_connection_ids.emplace("c1");
  const Listed listed =
      List(policy, {.server = "s", .fixed_connection = "c2", .listed_by_server = true});
  EXPECT_TRUE(listed.shown.empty());
  EXPECT_THAT(listed.hidden, Contains("read CONNECTION_NOT_ALLOWED"));
}

TEST(ListTools, SuspendedAppSeesNothing) {
  McpPolicy policy;
  policy.suspended = true;
  const Listed listed = List(policy);
  EXPECT_TRUE(listed.shown.empty());
  EXPECT_EQ(listed.hidden.size(), 6u);
}

TEST(Annotations, SayAllFourByRisk) {  // clause L3
  EXPECT_EQ(AnnotationsFor(Risk::kSafe), (Annotations{true, false, true, false}));
  EXPECT_EQ(AnnotationsFor(Risk::kElevated), (Annotations{false, false, false, true}));
  EXPECT_EQ(AnnotationsFor(Risk::kDestructive), (Annotations{false, true, false, true}));
}

// --- DiffPolicies (section X) ------------------------------------------------

std::vector<std::string> Diff(const AppData& before, const AppData& after) {
  std::vector<std::string> out;
  for (const DiffCell& cell :
       DiffPolicies(*CompiledPolicy::Compile(before), *CompiledPolicy::Compile(after)).cells) {
    if (cell.tool.value().find("__") != std::string::npos) continue;  // the built-in ones
    out.push_back(cell.tool.value() + "@" + (cell.server ? cell.server->value() : "-") + " " +
                  std::string(Name(cell.risk)) + " at " +
                  (cell.connection.empty() ? "-" : cell.connection) + ": " +
                  std::string(Name(cell.before)) + " " + std::string(Name(cell.before_reason)) +
                  " -> " + std::string(Name(cell.after)) + " " +
                  std::string(Name(cell.after_reason)) + (cell.loosened ? " loosened" : ""));
  }
  return out;
}

TEST(DiffPolicies, RaisedModeLoosensItsRiskEverywhere) {
  McpPolicy full;
  full.mode = Mode::kFullAccess;
  EXPECT_THAT(
      Diff(App(), App(full)),
      ElementsAre("wipe@s DESTRUCTIVE at -: DENY MODE_TOO_LOW -> ASK CONFIRM_DESTRUCTIVE loosened",
                  "wipe@s DESTRUCTIVE at <any other>: DENY MODE_TOO_LOW -> ASK CONFIRM_DESTRUCTIVE "
                  "loosened"));
}

TEST(DiffPolicies, NewAllowlistStopsEveryOtherConnection) {
  McpPolicy one;
  one.allowed_connection_ids.emplace("c1");
  EXPECT_THAT(
      Diff(App(), App(one)),
      ::testing::IsSupersetOf(
          {"read@s SAFE at <any other>: ALLOW ALLOWED -> DENY CONNECTION_NOT_ALLOWED",
           "write@s ELEVATED at <any other>: ALLOW ALLOWED -> DENY CONNECTION_NOT_ALLOWED"}));
  EXPECT_THAT(Diff(App(), App(one)), Not(Contains(HasSubstr("at c1"))));
}

TEST(DiffPolicies, ShowsTheOneConnectionThatAnOverrideNames) {
  McpPolicy overridden;
  overridden.connection_overrides[ConnectionId("c1")].read_only = true;
  EXPECT_THAT(
      Diff(App(), App(overridden)),
      ElementsAre("write@s ELEVATED at c1: ALLOW ALLOWED -> DENY CONNECTION_ACTION_NOT_ALLOWED"));
}

TEST(DiffPolicies, ShowsToolsThatNoCatalogueCovers) {
  McpPolicy open;
  open.mode = Mode::kFullAccess;
  McpPolicy trusting = open;
  trusting.trust_read_only_hint = true;
  EXPECT_THAT(
      Diff(App(open), App(trusting)),
      ElementsAre(
          "<unreviewed with readOnlyHint>@<any other> SAFE at -: DENY TOOL_UNREVIEWED -> ALLOW "
          "ALLOWED loosened",
          "<unreviewed with readOnlyHint>@<any other> SAFE at <any other>: DENY TOOL_UNREVIEWED -> "
          "ALLOW ALLOWED loosened"));
}

TEST(DiffPolicies, ShowsEachRiskThatAPayloadCouldBring) {
  AppData before = App(), after = App();
  for (AppData* data : {&before, &after}) {
    data->catalog = {
        {.key = {.app = AppId("app"), .server = ServerId("s"), .tool = ToolName("run")},
         .risk = Risk::kSafe,
         .needs_connection = NeedsConnection::kNo,
         .payload_rule = PayloadRule{.payload = "{sql}"}}};
  }
  after.catalog[0].raise = true;
  EXPECT_THAT(
      Diff(before, after),
      ElementsAre(
          "run@s ELEVATED at -: DENY STATEMENT_EXCEEDS_TOOL -> ALLOW ALLOWED loosened",
          "run@s ELEVATED at <any other>: DENY STATEMENT_EXCEEDS_TOOL -> ALLOW ALLOWED loosened"));
}

TEST(DiffPolicies, KeepsWhatLoosensLongest) {
  // Writes become denied, deletes become asked: at each of the connections.
  McpPolicy before, after;
  after.mode = Mode::kFullAccess;
  for (const char* id : {"c1", "c2", "c3"}) {
    before.connection_overrides[ConnectionId(id)];
    after.connection_overrides[ConnectionId(id)].allowed_actions = {
        {Action::kRead, Action::kDelete}};
  }
  AppData old_data = App(before), new_data = App(after);
  const auto old_policy = CompiledPolicy::Compile(old_data);
  const auto new_policy = CompiledPolicy::Compile(new_data);
  const PolicyDiff all = DiffPolicies(*old_policy, *new_policy);
  EXPECT_EQ(all.cells.size(), all.total);
  const auto loosens = [](const DiffCell& cell) { return cell.loosened; };
  const auto count =
      static_cast<size_t>(std::count_if(all.cells.begin(), all.cells.end(), loosens));
  EXPECT_EQ(all.loosened, count);
  ASSERT_GT(count, 0u);
  ASSERT_LT(count, all.total);

  for (const size_t max : {size_t{0}, size_t{1}, count, count + 2, all.total, all.total + 1}) {
    const PolicyDiff some = DiffPolicies(*old_policy, *new_policy, max);
    EXPECT_EQ(some.total, all.total);
    EXPECT_EQ(some.loosened, all.loosened);
    EXPECT_EQ(some.cells.size(), std::min(max, all.total));
    EXPECT_EQ(static_cast<size_t>(std::count_if(some.cells.begin(), some.cells.end(), loosens)),
              std::min(max, count));
    // In the order of the whole.
    auto at = all.cells.begin();
    for (const DiffCell& cell : some.cells) {
      at = std::find(at, all.cells.end(), cell);
      ASSERT_NE(at, all.cells.end()) << max;
    }
  }
}

TEST(DiffPolicies, SuspendingDeniesWhatWasAllowed) {
  McpPolicy suspended;
  suspended.suspended = true;
  const auto cells = Diff(App(), App(suspended));
  EXPECT_THAT(cells, Contains("read@s SAFE at -: ALLOW ALLOWED -> DENY SUSPENDED"));
  EXPECT_THAT(cells, Not(Contains(HasSubstr("loosened"))));
}

}  // namespace
}  // namespace bridgekeeper
