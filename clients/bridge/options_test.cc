// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/options.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Arguments = std::vector<std::string>;

Command Parse(const Arguments& arguments, std::map<std::string, std::string> environment = {}) {
  return ParseArguments(arguments, [&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  });
}

StdioCommand Parsed(const Arguments& arguments,
                    std::map<std::string, std::string> environment = {}) {
  auto parsed = Parse(arguments, std::move(environment));
  if (const auto* printout = std::get_if<Printout>(&parsed)) {
    ADD_FAILURE() << printout->text;
    return {};
  }
  return std::get<StdioCommand>(std::move(parsed));
}

TEST(Options, HaveDefaults) {
  const StdioCommand command = Parsed({"stdio", "--app", "dockit", "--", "npx", "-y", "--", "x"});
  EXPECT_EQ(command.core.app, AppId("dockit"));
  EXPECT_EQ(command.core.server, ServerId("stdio"));
  EXPECT_FALSE(command.core.connection);
  EXPECT_EQ(command.core.connection_type, "");
  EXPECT_FALSE(command.core.builtin_catalog);
  EXPECT_FALSE(command.core.read_only);
  EXPECT_EQ(command.core.policy_wait, absl::Seconds(3));
  EXPECT_EQ(command.metrics_address, "");
  EXPECT_EQ(command.keeper.address, "127.0.0.1:7420");
  EXPECT_THAT(command.command, ElementsAre("npx", "-y", "--", "x"))
      << "everything behind the first `--` is the server's";
}

TEST(Options, AreAllRead) {
  const StdioCommand command =
      Parsed({"stdio", "--readonly", "--app=sqlkit", "--server", "notes", "--connection", "prod",
              "--connection-type", "postgres", "--catalog", "data-studio", "--keeper",
              "unix:/run/keeperd.sock", "--policy-wait", "1m30s", "--metrics-address", "[::1]:0",
              "--", "server"},
             {{"KEEPER_ADDRESS", "127.0.0.1:1"}, {"KEEPER_TOKEN", "t"}});
  EXPECT_EQ(command.core.app, AppId("sqlkit"));
  EXPECT_EQ(command.core.server, ServerId("notes"));
  EXPECT_EQ(command.core.connection, ConnectionId("prod"));
  EXPECT_EQ(command.core.connection_type, "postgres");
  EXPECT_TRUE(command.core.builtin_catalog);
  EXPECT_TRUE(command.core.read_only);
  EXPECT_EQ(command.core.policy_wait, absl::Seconds(90));
  EXPECT_EQ(command.metrics_address, "[::1]:0");
  EXPECT_EQ(command.keeper.address, "unix:/run/keeperd.sock") << "the flag is stronger";
  EXPECT_EQ(command.keeper.token.Reveal(), "t");
}

TEST(Options, TheEnvironmentNamesTheServer) {
  EXPECT_EQ(Parsed({"stdio", "--app", "a", "--", "s"}, {{"KEEPER_ADDRESS", "127.0.0.1:1"}})
                .keeper.address,
            "127.0.0.1:1");
}

// ---- what is refused (a slip is no start) -------------------------------------

struct RefusalCase {
  std::string name;
  Arguments arguments;
  std::string message;
};

class OptionsRefusalTest : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(OptionsRefusalTest, SaysWhatWasGotAndWhatIsWanted) {
  const auto parsed = Parse(GetParam().arguments);
  const Printout* printout = std::get_if<Printout>(&parsed);
  ASSERT_NE(printout, nullptr);
  EXPECT_EQ(printout->code, ExitCode::kUsage);
  EXPECT_THAT(printout->text, StartsWith("keeper-bridge: error: "));
  EXPECT_THAT(printout->text, HasSubstr(GetParam().message));
}

Arguments With(Arguments extra) {
  Arguments arguments = {"stdio", "--app", "a"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  arguments.insert(arguments.end(), {"--", "server"});
  return arguments;
}

std::vector<RefusalCase> RefusalCases() {
  return {
      {"NoCommand", {}, "got no command, want `stdio`, `serve`, `query` or `check`"},
      {"QueryWithoutAFile", {"query", "--connection", "c", "SELECT 1"}, "--config: got none"},
      {"QueryWithoutAConnection", {"query", "--config", "f", "SELECT 1"}, "--connection: got none"},
      {"QueryOfAConnectionThatIsNoId",
       {"query", "--config", "f", "--connection", "a b"},
       "--connection: got `a b`"},
      {"QueryOfTwoStatements",
       {"query", "--config", "f", "--connection", "c", "SELECT", "1"},
       "got 2 statements, want one, in quotes"},
      {"QueryInAnotherFormat",
       {"query", "--config", "f", "--connection", "c", "-o", "xml"},
       "--output: got `xml`, want `table`, `json` or `csv`"},
      {"QueryWithASlip", {"query", "--wirte"}, "did you mean `--write`?"},
      {"CheckWithoutAFile", {"check"}, "--config: got none"},
      {"CheckAsCsv", {"check", "--config", "f", "-o", "csv"}, "want `table` or `json`"},
      {"CheckOfAStatement", {"check", "--config", "f", "SELECT 1"}, "got `SELECT 1`, want a flag"},
      {"UnknownCommand", {"sdtio"}, "got `sdtio`, want `stdio`"},
      {"ServeWithoutAFile", {"serve"}, "--config: got none, want a file"},
      {"ServeWithAFlagOfStdio", {"serve", "--app", "a"}, "got `--app`, want a flag"},
      {"ServeWithACommand", {"serve", "--config", "f", "--", "x"}, "got `--`, want a flag"},
      {"AnnounceOfAnotherApp",
       {"serve", "--config", "f", "--announce", "x"},
       "--announce: got `x`, want `dockit` or `sqlkit`"},
      {"NoApp", {"stdio", "--", "server"}, "--app: got none"},
      {"BadApp", {"stdio", "--app", "a b", "--", "server"}, "--app: got `a b`"},
      {"EmptyServer", With({"--server", ""}), "--server: got 0 bytes"},
      {"BadConnection", With({"--connection", "*"}), "--connection: got `*`"},
      {"TypeWithoutConnection", With({"--connection-type", "postgres"}), "without --connection"},
      {"UnknownType", With({"--connection", "c", "--connection-type", "postgers"}),
       "--connection-type: got `postgers`, want one of"},
      {"UnknownCatalog", With({"--catalog", "all"}), "--catalog: got `all`, want `data-studio`"},
      {"WaitWithoutUnit", With({"--policy-wait", "3"}), "--policy-wait: got `3`"},
      {"NegativeWait", With({"--policy-wait", "-1s"}), "--policy-wait: got `-1s`"},
      {"EndlessWait", With({"--policy-wait", "inf"}), "--policy-wait: got `inf`"},
      {"LongWait", With({"--policy-wait", "61m"}), "want a time from 0s to 1h"},
      {"MetricsOnAllInterfaces", With({"--metrics-address", "0.0.0.0:9121"}),
       "want a loopback address"},
      {"MetricsWithoutPort", With({"--metrics-address", "127.0.0.1"}), "want IP:PORT"},
      {"MetricsOnAName", With({"--metrics-address", "localhost:1"}), "want IP:PORT"},
      {"SlipOfThePen", With({"--readonyl"}), "did you mean `--readonly`?"},
      {"ValueOfASwitch", With({"--readonly=false"}), "--readonly: got `--readonly=false`"},
      {"FlagWithoutValue", {"stdio", "--app"}, "--app: got no value"},
      {"FlagInPlaceOfAValue", With({"--server", "--readonly"}), "--server: got no value"},
      {"FlagTwice", With({"--app", "b"}), "--app: got it twice"},
      {"ServerWithoutSeparator", {"stdio", "--app", "a", "server"}, "got `server`"},
      {"NoServer", {"stdio", "--app", "a"}, "got no server"},
      {"NoServerBehindTheSeparator", {"stdio", "--app", "a", "--"}, "got no server"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, OptionsRefusalTest, ::testing::ValuesIn(RefusalCases()),
                         [](const auto& test) { return test.param.name; });

TEST(Options, TextFromOutsideIsEscaped) {
  const auto parsed = Parse({"\x1b[2J"});
  EXPECT_THAT(std::get<Printout>(parsed).text, Not(HasSubstr("\x1b")));
}

TEST(Options, HelpAndVersionArePrinted) {
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"-h"},
                                     {"help"},
                                     {"stdio", "--help"},
                                     {"stdio", "-h"},
                                     {"serve", "--help"},
                                     {"query", "--help"},
                                     {"check", "-h"},
                                     {"--version"}}) {
    const auto parsed = Parse(arguments);
    const Printout* printout = std::get_if<Printout>(&parsed);
    ASSERT_NE(printout, nullptr) << arguments[0];
    EXPECT_EQ(printout->code, ExitCode::kOk);
  }
  EXPECT_THAT(std::get<Printout>(Parse({"--version"})).text, StartsWith("keeper-bridge 0."));
}

TEST(Options, ServeTakesAFile) {
  const auto parsed = Parse({"serve", "--config=f.yaml", "--announce", "sqlkit", "--check-config"});
  const ServeCommand* command = std::get_if<ServeCommand>(&parsed);
  ASSERT_NE(command, nullptr);
  EXPECT_EQ(command->config_file, "f.yaml");
  EXPECT_EQ(command->announce, "sqlkit");
  EXPECT_TRUE(command->check_only);
}

TEST(Options, AQueryReadsUnlessItIsToldToWrite) {
  const auto query = [](const Arguments& more) {
    Arguments arguments = {"query", "--config", "f", "--connection", "c"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto parsed = Parse(arguments, {{"KEEPER_ADDRESS", "127.0.0.1:1"}});
    EXPECT_TRUE(std::holds_alternative<QueryCommand>(parsed));
    return std::get<QueryCommand>(parsed);
  };
  const QueryCommand read = query({"SELECT 1"});
  EXPECT_EQ(read.config_file, "f");
  EXPECT_EQ(read.connection, "c");
  EXPECT_EQ(read.sql, "SELECT 1");
  EXPECT_FALSE(read.write);
  EXPECT_EQ(read.output, OutputFormat::kTable);
  EXPECT_EQ(read.keeper.address, "127.0.0.1:1");
  EXPECT_TRUE(query({"--write", "SELECT 1"}).write);
  EXPECT_EQ(query({"SELECT 1", "-o", "csv"}).output, OutputFormat::kCsv);
  EXPECT_EQ(query({"--output=json"}).output, OutputFormat::kJson);
  EXPECT_EQ(query({"-"}).sql, std::nullopt);
  EXPECT_EQ(query({}).sql, std::nullopt);
  EXPECT_EQ(query({"--", "-- a comment\nSELECT 1"}).sql, "-- a comment\nSELECT 1");
}

TEST(Options, ACheckLooksAtAllConnectionsOrOne) {
  const auto all = Parse({"check", "--config", "f"});
  ASSERT_TRUE(std::holds_alternative<CheckCommand>(all));
  EXPECT_EQ(std::get<CheckCommand>(all).connection, "");
  const auto one = Parse({"check", "--config", "f", "--connection", "c", "-o", "json"});
  ASSERT_TRUE(std::holds_alternative<CheckCommand>(one));
  EXPECT_EQ(std::get<CheckCommand>(one).connection, "c");
  EXPECT_EQ(std::get<CheckCommand>(one).output, OutputFormat::kJson);
}

// The help's own examples are commands that parse.
TEST(Options, ExamplesOfTheHelpParse) {
  const std::string help = std::get<Printout>(Parse({"stdio", "--help"})).text;
  int examples = 0;
  for (size_t at = 0; (at = help.find("\n  keeper-bridge stdio ", at)) != std::string::npos; ++at) {
    const size_t begin = at + std::string_view("\n  keeper-bridge ").size();
    std::string line = help.substr(begin, help.find('\n', begin) - begin);
    Arguments arguments;
    while (!line.empty()) {
      const size_t space = std::min(line.find(' '), line.size());
      arguments.push_back(line.substr(0, space));
      line.erase(0, space + 1);
    }
    EXPECT_FALSE(Parsed(arguments).command.empty());
    ++examples;
  }
  EXPECT_EQ(examples, 2);
}

TEST(Options, NothingOfOursReachesTheServer) {
  setenv("KEEPER_TOKEN", "secret", 1);
  setenv("KEEPER_ADDRESS", "127.0.0.1:1", 1);
  setenv("KEEPSAKE", "kept", 1);
  const auto environment = ServerEnvironment();
  unsetenv("KEEPER_TOKEN");
  unsetenv("KEEPER_ADDRESS");
  unsetenv("KEEPSAKE");
  EXPECT_THAT(environment, Not(Contains(StartsWith("KEEPER_"))));
  EXPECT_THAT(environment, Contains("KEEPSAKE=kept"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
