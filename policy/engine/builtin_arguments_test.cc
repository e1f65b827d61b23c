// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Walks the built-in catalogue beside tests/vectors/tool_arguments.tsv: no tool takes an
// argument that its payload rule does not account for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/catalog/catalog.h"
#include "policy/engine/payload.h"
#include "policy/guard/dialects.h"
#include "policy/testing/source_file.h"

namespace bridgekeeper {
namespace {

using internal::PayloadTemplate;

struct ToolArguments {
  std::set<std::string> required;
  std::set<std::string> all;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::map<std::string, ToolArguments> ReadToolArguments() {
  std::map<std::string, ToolArguments> tools;
  for (const std::string& line : Split(ReadSourceFile("tests/vectors/tool_arguments.tsv"), '\n')) {
    const auto columns = Split(line, '\t');
    if (columns.size() != 3 || columns[0] == "tool") continue;
    ToolArguments& tool = tools[columns[0]];
    for (const size_t column : {size_t{1}, size_t{2}}) {
      if (columns[column] == "-") continue;
      for (const std::string& argument : Split(columns[column], ' ')) {
        const std::string name = argument.substr(0, argument.find(':'));
        tool.all.insert(name);
        if (column == 1) tool.required.insert(name);
      }
    }
  }
  return tools;
}

TEST(BuiltinArguments, AreThoseOfThe115Tools) {
  const auto tools = ReadToolArguments();
  EXPECT_EQ(tools.size(), 115u);
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    EXPECT_TRUE(tools.contains(entry.key.tool.value())) << entry.key.tool.value();
  }
}

// Each argument is in the template or named harmless, and neither names one that the
// tool does not have.
TEST(BuiltinArguments, AreInTheTemplateOrNamedHarmless) {
  for (const auto& [tool, arguments] : ReadToolArguments()) {
    const CatalogEntry* entry = FindBuiltin(tool);
    ASSERT_NE(entry, nullptr) << tool;
    if (!entry->payload_rule) {
      EXPECT_THAT(arguments.all, ::testing::IsEmpty()) << tool << " has no payload rule";
      continue;
    }
    const PayloadTemplate rule(entry->payload_rule->payload);
    const auto& harmless = entry->payload_rule->harmless_arguments;
    for (const std::string& name : arguments.all) {
      EXPECT_TRUE(rule.Takes(name) || harmless.contains(name)) << tool << ": " << name;
    }
    for (const std::string& name : harmless) {
      EXPECT_TRUE(arguments.all.contains(name)) << tool << " names " << name << " harmless";
      EXPECT_FALSE(rule.Takes(name)) << tool << ": " << name << " is in the template";
    }
    for (const internal::TemplatePiece& piece : rule.pieces()) {
      if (!piece.is_argument) continue;
      EXPECT_TRUE(arguments.all.contains(piece.text)) << tool << " takes " << piece.text;
    }
  }
}

// A tool that carries a payload is refused what is worse than its own risk, or raises.
TEST(BuiltinArguments, EveryToolWithAPayloadHasACapOrRaises) {
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    if (!entry.payload_rule) continue;
    const bool is_sql = entry.key.tool.value().starts_with("sqlkit__");
    EXPECT_TRUE(entry.raise || entry.cap.value_or(entry.risk) == entry.risk)
        << entry.key.tool.value();
    EXPECT_EQ(entry.payload_rule->dialect.empty(), is_sql) << entry.key.tool.value();
    EXPECT_TRUE(is_sql || FindDialect(entry.payload_rule->dialect) != nullptr)
        << entry.key.tool.value();
  }
}

// A connection's type names the dialect of the generic SQL tools.
TEST(BuiltinArguments, TypesOfConnectionsNameDialects) {
  const std::map<std::string, std::string> dialects = {
      {"postgres", "postgres"},  {"postgresql", "postgres"},  {"PostgreSQL", "postgres"},
      {"cockroach", "postgres"}, {"cockroachdb", "postgres"}, {"mysql", "mysql"},
      {"MySQL", "mysql"},        {"mariadb", "mysql"},        {"sqlite", "sqlite"},
      {"sqlserver", "sqlserver"}};
  for (const auto& [type, dialect] : dialects) {
    const Dialect* found = FindDialect(type);
    ASSERT_NE(found, nullptr) << type;
    EXPECT_EQ(found->name, dialect) << type;
  }
  for (const char* type : {"", "oracle", "post gres", "my-sql"}) {
    EXPECT_EQ(FindDialect(type), nullptr) << type;
  }
}

}  // namespace
}  // namespace bridgekeeper
