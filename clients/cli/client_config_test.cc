// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What is printed for each client, as files in testdata/client_config.

#include "clients/cli/client_config.h"

#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/definition_diff.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/golden.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ClientConfigInput Input(bool is_stdio) {
  ClientConfigInput input;
  input.name = "bridgekeeper";
  if (is_stdio) {
    input.command = {"keeper-bridge", "stdio", "--app", "dockit", "--server",
                     "files",         "--",    "npx",   "-y",     "a \"quoted\" word"};
    input.keeper_address = "127.0.0.1:7420";
  } else {
    input.url = "http://127.0.0.1:9120/mcp";
  }
  const std::string prefix = is_stdio ? "" : "files__";
  input.tools = {
      {prefix + "read_file", false}, {prefix + "write_file", true}, {prefix + "list.all", false}};
  return input;
}

std::string Text(const ClientConfig& config) {
  std::string text;
  for (const ClientConfig::File& file : config.files) {
    text += absl::StrFormat("# %s\n%s\n", file.path, file.text);
  }
  for (const std::string& warning : config.warnings) text += "warning: " + warning + "\n";
  return text;
}

class ClientConfigTest
    : public ::testing::TestWithParam<std::tuple<std::string_view, bool, std::string>> {};

TEST_P(ClientConfigTest, IsAsInTheFile) {
  const auto& [name, is_stdio, token_variable] = GetParam();
  ClientConfigInput input = Input(is_stdio);
  input.token_variable = token_variable;
  const auto client = ParseMcpClient(name);
  ASSERT_TRUE(client);
  const std::string file =
      absl::StrFormat("clients/cli/testdata/client_config/%s_%s%s.txt", name,
                      is_stdio ? "stdio" : "bridge", token_variable.empty() ? "" : "_token");
  EXPECT_EQ(support::GoldenDifference(file, Text(MakeClientConfig(*client, input))), "");
}

INSTANTIATE_TEST_SUITE_P(
    Every, ClientConfigTest,
    ::testing::Combine(::testing::ValuesIn(McpClientNames().begin(), McpClientNames().end()),
                       ::testing::Bool(), ::testing::Values("", "BRIDGE_TOKEN")),
    [](const auto& row) {
      std::string name(std::get<0>(row.param));
      std::erase(name, '-');
      return name + (std::get<1>(row.param) ? "Stdio" : "Bridge") +
             (std::get<2>(row.param).empty() ? "" : "WithToken");
    });

TEST(ClientConfig, AsksUnlessAToolIsKnownToRead) {
  for (const std::string_view name : McpClientNames()) {
    const std::string text = Text(MakeClientConfig(*ParseMcpClient(name), Input(false)));
    // Whatever a client calls it, a rule that lets a write pass is none of ours.
    for (const char* allowed :
         {"\"files__write_file\": \"allow\"", "bridgekeeper:files__write_file",
          "toolName = \"files__write_file\"\ndecision = \"allow\"",
          "\"bridgekeeper_files__write_file\": \"allow\""}) {
      EXPECT_THAT(text, Not(HasSubstr(allowed))) << name;
    }
  }
}

TEST(ClientConfig, AsksWhereAClientCannotTellAToolFromOneThatWrites) {
  ClientConfigInput input = Input(false);
  input.tools = {{"a.b", false}, {"a_b", true}, {"c.d", false}, {"c/d", false}};
  EXPECT_THAT(MakeClientConfig(McpClient::kOpenCode, input).files[0].text,
              AllOf(Not(HasSubstr("_a_b")), HasSubstr("\"bridgekeeper_c_d\": \"allow\"")));
  EXPECT_THAT(MakeClientConfig(McpClient::kClaudeCode, input).files[1].text,
              AllOf(HasSubstr("mcp__bridgekeeper__c_d"), Not(HasSubstr("a.b"))));
}

TEST(ClientConfig, WarnsOfNamesThatAreTooLong) {
  ClientConfigInput input = Input(false);
  input.tools = {{std::string(50, 'x'), true}};
  for (const std::string_view name : {"claude-code", "gemini", "vscode"}) {
    EXPECT_THAT(MakeClientConfig(*ParseMcpClient(name), input).warnings,
                Contains(HasSubstr("characters")))
        << name;
  }
  input.tools = {{"short", true}};
  EXPECT_THAT(MakeClientConfig(McpClient::kClaudeCode, input).warnings, IsEmpty());
}

TEST(ClientConfig, WarnsWhereANameWouldBeCut) {
  ClientConfigInput input = Input(false);
  input.name = "a-very-long-name-of-a-bridge";
  EXPECT_THAT(MakeClientConfig(McpClient::kVsCode, input).warnings,
              Contains(HasSubstr("shortens")));
}

TEST(ClientConfig, CodexTakesATokenUnderItsOwnNameOnly) {
  ClientConfigInput input = Input(true);
  input.token_variable = "KEEPER_TOKEN";
  const ClientConfig config = MakeClientConfig(McpClient::kCodex, input);
  EXPECT_THAT(config.warnings, IsEmpty());
  EXPECT_THAT(config.files[0].text, HasSubstr("env_vars = [\"KEEPER_TOKEN\"]"));
}

TEST(DefinitionChanges, NamesEachFieldThatDiffers) {
  EXPECT_EQ(
      DefinitionChanges(
          R"({"name":"a","description":"x","inputSchema":{"type":"object","a":{"b":1}},"gone":0})",
          R"({"inputSchema":{"a":{"b":2},"type":"object"},"name":"a","description":"y","new":[]})"),
      (std::vector<DefinitionChange>{{"description", "\"x\"", "\"y\""},
                                     {"inputSchema.a.b", "1", "2"},
                                     {"gone", "0", ""},
                                     {"new", "", "[]"}}));
  EXPECT_THAT(DefinitionChanges("", "{}"), IsEmpty());
}

TEST(DefinitionChanges, AreShownWhereTheyDifferAndWithoutTricks) {
  v1::ReportedTool tool;
  tool.set_tool("note");
  tool.set_reviewed_definition_json("{\"description\":\"" + std::string(2000, 'x') + "end\"}");
  tool.set_definition_json("{\"description\":\"" + std::string(2000, 'x') +
                           "and \xE2\x80\xAE send it\"}");
  std::ostringstream out;
  PrintDefinitionChanges(tool, out);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("- ..."), HasSubstr("xend"), HasSubstr("send it"),
                               Not(HasSubstr("\xE2\x80\xAE"))));
  EXPECT_LT(out.str().size(), 500u);
  // A change of one letter must not hide another one far behind it.
  tool.set_definition_json("{\"description\":\"y" + std::string(2000, 'x') + "and send it\"}");
  std::ostringstream both;
  PrintDefinitionChanges(tool, both);
  EXPECT_THAT(both.str(), HasSubstr("send it"));
  tool.clear_reviewed_definition_json();
  std::ostringstream unknown;
  PrintDefinitionChanges(tool, unknown);
  EXPECT_THAT(unknown.str(), AllOf(HasSubstr("not known any more"), HasSubstr("send it")));
  tool.clear_definition_json();
  tool.set_definition_cut(true);
  std::ostringstream cut;
  PrintDefinitionChanges(tool, cut);
  EXPECT_THAT(cut.str(), HasSubstr("too long for keeperd to keep"));
}

TEST(ClientConfig, KnowsItsClientsInAnySpelling) {
  EXPECT_EQ(ParseMcpClient("ClaudeCode"), McpClient::kClaudeCode);
  EXPECT_EQ(ParseMcpClient("claude_code"), McpClient::kClaudeCode);
  EXPECT_EQ(ParseMcpClient("emacs"), std::nullopt);
}

}  // namespace
}  // namespace bridgekeeper::cli
