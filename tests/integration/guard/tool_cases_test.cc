// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The cases of tests/e2e/tool_cases.json in process: what each of the 115 tools comes to
// with the real judges, in the mode that just reaches its risk and in the one below.

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/catalog/catalog.h"
#include "policy/engine/engine.h"
#include "policy/guard/guard.h"
#include "policy/testing/source_file.h"

namespace bridgekeeper {
namespace {

std::shared_ptr<const CompiledPolicy> PolicyOf(Mode mode) {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = mode;
  for (const auto& [id, type] : {std::pair<const char*, const char*>{"es", "elasticsearch"},
                                 {"mongo", "mongodb"},
                                 {"dynamo", "dynamodb"},
                                 {"sqlkit", "postgres"}}) {
    ConnectionRecord record;
    record.app = data.policy.app;
    record.id = ConnectionId(id);
    record.type = type;
    if (record.type == "mongodb") record.databases = {"shop"};
    data.connections.push_back(std::move(record));
  }
  return CompiledPolicy::Compile(std::move(data));
}

Decision DecideIn(Mode mode, std::string_view tool, const std::string& arguments) {
  static const PayloadJudge* const guard = MakeGuard().release();
  const auto policy = PolicyOf(mode);
  const auto document = JsonDocument::Parse(arguments);
  ToolCall call;
  call.tool = tool;
  call.server = "studio";
  call.builtin_catalog = true;
  call.listed_by_server = true;
  const std::string_view family = tool.substr(0, tool.find("__"));
  if (!tool.ends_with("kit__list_connections")) call.connection = family;
  call.arguments = document->root();
  Decision decision = Decide(PolicyView::Of(*policy), call, guard);
  decision.connection = {};
  return decision;
}

Mode ModeFor(Risk risk) {
  switch (risk) {
    case Risk::kSafe:
      return Mode::kReadOnly;
    case Risk::kElevated:
      return Mode::kDataReadWrite;
    case Risk::kDestructive:
      return Mode::kFullAccess;
  }
  return Mode::kFullAccess;
}

TEST(ToolCases, AreDecidedAsTheTableSays) {
  const std::string text = ReadSourceFile("tests/e2e/tool_cases.json");
  const auto table = JsonDocument::Parse(text);
  ASSERT_TRUE(table.ok()) << table.status();
  const auto cases = table->root().Find("cases");
  ASSERT_TRUE(cases && cases->is_array());
  std::set<std::string> tools;
  for (const CatalogEntry& entry : BuiltinCatalog()) tools.insert(entry.key.tool.value());
  std::set<std::string> with_case;
  for (const JsonValue one : *cases) with_case.emplace(one.Find("tool")->string());
  EXPECT_EQ(with_case, tools);
  for (const JsonValue one : *cases) {
    const std::string_view tool = one.Find("tool")->string();
    const auto given = one.Find("arguments");
    const std::string arguments = given ? std::string(given->raw()) : "{}";
    const std::string what = absl::StrFormat("%s %s", tool, arguments);
    const CatalogEntry* const entry = FindBuiltin(tool);
    ASSERT_NE(entry, nullptr) << tool;
    if (const auto denied = one.Find("denied")) {
      EXPECT_EQ(Name(DecideIn(Mode::kFullAccess, tool, arguments).reason), denied->string())
          << what;
      continue;
    }
    const Risk risk = *ParseEnum<Risk>(one.Find("risk")->string());
    const Decision decision = DecideIn(ModeFor(risk), tool, arguments);
    EXPECT_NE(Name(decision.verdict), "DENY") << what << ": " << Name(decision.reason);
    EXPECT_EQ(Name(decision.effective_risk), Name(risk)) << what;
    EXPECT_EQ(one.Find("raised").has_value(), risk != entry->risk) << what;
    if (risk != Risk::kSafe) {
      const Mode lower = risk == Risk::kElevated ? Mode::kReadOnly : Mode::kDataReadWrite;
      EXPECT_EQ(Name(DecideIn(lower, tool, arguments).reason), "MODE_TOO_LOW") << what;
    }
  }
}

}  // namespace
}  // namespace bridgekeeper
