// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "policy/engine/engine.h"

namespace bridgekeeper {
namespace {

struct Case {
  std::string name;
  McpPolicy policy;
  std::optional<std::string> connection;
  ReasonCode resources;
  ReasonCode prompts;
};

class PassageTest : public ::testing::TestWithParam<Case> {};

TEST_P(PassageTest, Holds) {
  const auto policy = CompiledPolicy::Compile({.policy = GetParam().policy});
  const PolicyView view = PolicyView::Of(*policy);
  std::optional<std::string_view> connection;
  if (GetParam().connection) connection = *GetParam().connection;
  const Decision resources = DecidePassage(view, MethodFamily::kResources, connection);
  const Decision prompts = DecidePassage(view, MethodFamily::kPrompts, connection);
  EXPECT_EQ(Name(resources.reason), Name(GetParam().resources));
  EXPECT_EQ(Name(prompts.reason), Name(GetParam().prompts));
  EXPECT_EQ(resources.verdict == Verdict::kAllow, resources.reason == ReasonCode::kAllowed);
  EXPECT_EQ(prompts.verdict == Verdict::kAllow, prompts.reason == ReasonCode::kAllowed);
}

std::vector<Case> Cases() {
  using enum ReasonCode;
  McpPolicy open;
  open.app = AppId("dockit");
  McpPolicy listed = open;
  listed.allowed_connection_ids = {ConnectionId("prod")};
  McpPolicy listed_and_open = listed;
  listed_and_open.resources = Passage::kAllow;
  McpPolicy closed = open;
  closed.prompts = Passage::kDeny;
  McpPolicy suspended = open;
  suspended.suspended = true;
  McpPolicy write_only = listed_and_open;
  write_only.connection_overrides[ConnectionId("prod")] = {.allowed_actions = {{Action::kWrite}}};
  return {
      {"PolicyWithoutConnectionsLetsBothPass", open, std::nullopt, kAllowed, kAllowed},
      {"AllowlistClosesBoth", listed, "prod", kMethodNotAllowed, kMethodNotAllowed},
      {"AllowOpensOneOfThem", listed_and_open, "prod", kAllowed, kMethodNotAllowed},
      {"DenyClosesOneOfThem", closed, std::nullopt, kAllowed, kMethodNotAllowed},
      {"AllowOfAServerWithoutAConnectionStands", listed_and_open, std::nullopt, kAllowed,
       kMethodNotAllowed},
      {"FixedConnectionOutsideTheAllowlist", listed_and_open, "staging", kConnectionNotAllowed,
       kMethodNotAllowed},
      {"FixedConnectionThatDiffersByCase", listed_and_open, "PROD", kConnectionAmbiguous,
       kMethodNotAllowed},
      {"FixedConnectionThatMayNotBeRead", write_only, "prod", kConnectionActionNotAllowed,
       kMethodNotAllowed},
      {"SuspendedAppHasNeither", suspended, std::nullopt, kSuspended, kSuspended},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, PassageTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(Passage, NothingPassesWithoutAPolicyOrWithAnOldOne) {
  EXPECT_EQ(DecidePassage(PolicyView{}, MethodFamily::kResources, std::nullopt).reason,
            ReasonCode::kPolicyMissing);
  const auto policy = CompiledPolicy::Compile({});
  PolicyView old = PolicyView::Of(*policy);
  old.age = absl::Hours(1);
  EXPECT_EQ(DecidePassage(old, MethodFamily::kPrompts, std::nullopt).reason,
            ReasonCode::kPolicyStale);
}

}  // namespace
}  // namespace bridgekeeper
