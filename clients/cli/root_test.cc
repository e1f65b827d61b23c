// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The walker: what holds of every command, and how a command line is read. Needs no
// server; tests/integration/keeper_test.cc runs the commands against one.

#include "clients/cli/root.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/golden.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Ran {
  ExitCode code;
  std::string out;
  std::string err;
};

Ran RunKeeper(const std::vector<std::string>& arguments, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  Session session{.in = in,
                  .out = out,
                  .err = err,
                  .interactive = false,
                  .get_env = [](const char*) { return std::nullopt; },
                  .read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
                    return absl::NotFoundError("no file " + path);
                  },
                  .edit = [](const std::string& text) { return text; }};
  const ExitCode code = Run(arguments, session);
  return {code, out.str(), err.str()};
}

std::vector<std::string> Words(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

// ---- what holds of every command -------------------------------------------------

class EveryCommand : public ::testing::TestWithParam<const Command*> {};

INSTANTIATE_TEST_SUITE_P(Walk, EveryCommand,
                         ::testing::ValuesIn(Commands().begin(), Commands().end()),
                         [](const auto& row) {
                           std::string name(row.param->name);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EveryCommand, SaysWhatItDoesInOneStyle) {
  const Command& c = *GetParam();
  EXPECT_THAT(std::string(c.summary), AllOf(Not(IsEmpty()), Not(EndsWith("."))));
  EXPECT_EQ(std::tolower(c.summary.front()), c.summary.front());
  EXPECT_THAT(std::string(c.help), AllOf(Not(IsEmpty()), EndsWith("\n")));
  std::istringstream lines{std::string(c.help)};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
  EXPECT_NE(c.run, nullptr);
}

TEST_P(EveryCommand, UsageNamesItsFlagsAndNoOthers) {
  const Command& c = *GetParam();
  const std::string usage(c.usage);
  for (const Flag& flag : c.flags) {
    const std::string_view name = flag.short_name.empty() ? flag.name : flag.short_name;
    EXPECT_THAT(usage, HasSubstr(std::string(name)));
  }
  for (std::string word : Words(c.usage)) {
    word.erase(
        std::remove_if(word.begin(), word.end(),
                       [](char ch) { return ch == '[' || ch == ']' || ch == '(' || ch == ')'; }),
        word.end());
    word = word.substr(0, word.find('='));
    if (!word.starts_with('-')) continue;
    EXPECT_TRUE(std::any_of(c.flags.begin(), c.flags.end(), [&](const Flag& flag) {
      return flag.name == word || flag.short_name == word;
    })) << word;
  }
}

TEST_P(EveryCommand, FlagsAreWellFormed) {
  std::set<std::string_view> names = {"-h", "--help"};
  for (const Flag& flag : CommonFlags()) {
    names.insert(flag.name);
    if (!flag.short_name.empty()) names.insert(flag.short_name);
  }
  for (const Flag& flag : GetParam()->flags) {
    SCOPED_TRACE(std::string(flag.name));
    EXPECT_TRUE(names.insert(flag.name).second) << "twice";
    if (!flag.short_name.empty()) {
      EXPECT_TRUE(names.insert(flag.short_name).second) << "twice";
    }
    EXPECT_THAT(std::string(flag.help), AllOf(Not(IsEmpty()), Not(EndsWith("."))));
    EXPECT_EQ(flag.choices != nullptr, flag.kind == Flag::Kind::kChoice);
    if (flag.positional()) {
      EXPECT_TRUE(std::all_of(flag.name.begin(), flag.name.end(),
                              [](char c) { return std::isupper(c) != 0; }));
      EXPECT_NE(flag.kind, Flag::Kind::kSwitch);
    } else {
      EXPECT_TRUE(flag.name.starts_with("--"));
      EXPECT_EQ(flag.value.empty(), flag.kind == Flag::Kind::kSwitch);
    }
  }
}

TEST_P(EveryCommand, ExamplesNameTheCommand) {
  const Command& c = *GetParam();
  EXPECT_NE(c.examples[0], c.examples[1]);
  for (const std::string_view example : c.examples) {
    EXPECT_THAT(std::string(example), StartsWith("keeper " + std::string(c.name)));
  }
}

TEST_P(EveryCommand, HelpIsPrintedWithoutAServerOrItsFlags) {
  std::vector<std::string> arguments = Words(GetParam()->name);
  arguments.push_back("--help");
  const Ran ran = RunKeeper(arguments);
  EXPECT_EQ(ran.code, ExitCode::kOk);
  EXPECT_EQ(ran.out, CommandHelp(*GetParam()));
  EXPECT_THAT(ran.err, IsEmpty());
  std::vector<std::string> other = Words(GetParam()->name);
  other.insert(other.begin(), "help");
  EXPECT_EQ(RunKeeper(other).out, ran.out);
}

TEST_P(EveryCommand, RefusesAnUnknownFlagWithItsUsage) {
  std::vector<std::string> arguments = Words(GetParam()->name);
  arguments.push_back("--outptu=json");
  const Ran ran = RunKeeper(arguments);
  EXPECT_EQ(ran.code, ExitCode::kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("keeper: error: there is no flag `--outptu`\nhelp: did you mean "
                                 "`--output`?\nusage: keeper " +
                                 std::string(GetParam()->name)));
}

TEST(Help, IsAsKept) {
  std::string all = OverviewHelp();
  for (const Command* command : Commands()) {
    all += "\n" + std::string(100, '-') + "\n" + CommandHelp(*command);
  }
  EXPECT_EQ(support::GoldenDifference("clients/cli/testdata/help.txt", all), "");
}

// ---- command lines -----------------------------------------------------------------

struct UsageCase {
  std::string name;
  std::vector<std::string> arguments;
  std::string err;  // begins with
};

class UsageErrors : public ::testing::TestWithParam<UsageCase> {};

TEST_P(UsageErrors, ExitWithTwoAndSayWhatIsWanted) {
  const Ran ran = RunKeeper(GetParam().arguments);
  EXPECT_EQ(ran.code, ExitCode::kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("keeper: error: " + GetParam().err));
}

INSTANTIATE_TEST_SUITE_P(
    Table, UsageErrors,
    ::testing::ValuesIn(std::vector<UsageCase>{
        {"UnknownCommand",
         {"polcy", "put"},
         "there is no command `polcy`\nhelp: did you mean `policy`?\n"},
        {"UnknownVerb",
         {"policy", "rolback"},
         "there is no command `policy rolback`\nhelp: did you mean `policy rollback`?\n"},
        {"NoVerb",
         {"catalog"},
         "`keeper catalog` needs a command\nhelp: one of list, get, put, review"},
        {"ControlsInACommandAreEscaped", {"\x1b[2J"}, "there is no command `\\u{001b}[2J`\n"},
        {"MissingFlag", {"decide", "--app", "a"}, "`--tool TOOL` is missing\nusage: keeper decide"},
        {"MissingPositional", {"policy", "get"}, "`APP` is missing\n"},
        {"OneArgumentTooMany", {"version", "now"}, "got the argument `now` too many\n"},
        {"OneArgumentTooManyAfterAFlag",
         {"policy", "get", "a", "--revision", "1", "b"},
         "got the argument `b` too many\n"},
        {"UnknownFlagWithAValue",
         {"policy", "set", "a", "--mod", "READ_ONLY"},
         "there is no flag `--mod`\nhelp: did you mean `--mode`?\n"},
        {"MissingValue", {"tools", "--app"}, "--app"},
        {"FlagTwice", {"tools", "--app", "a", "--app", "b"}, "--app"},
        {"UnknownChoice",
         {"policy", "set", "a", "--mode", "READ_OLNY"},
         "`--mode`: got `READ_OLNY`, want one of READ_ONLY, DATA_READ_WRITE, FULL_ACCESS\nhelp: "
         "did you mean `READ_ONLY`?"},
        {"NoNumber",
         {"policy", "get", "a", "--revision", "1x"},
         "`--revision`: got `1x`, want a whole number\n"},
        {"NegativeNumber",
         {"policy", "get", "a", "--revision=-1"},
         "`--revision`: got `-1`, want a whole number\n"},
        {"NoTruthValue",
         {"policy", "set", "a", "--confirm-destructive=no"},
         "`--confirm-destructive`: got `no`, want true or false\n"},
        {"UnknownFormat",
         {"version", "-o", "xml"},
         "`--output`: got `xml`, want one of table, json, yaml\n"},
        {"BadTimeout",
         {"status", "--timeout", "5"},
         "`--timeout`: got `5`, want a duration from 1ms to 1h, as in `30s`\n"},
        {"NothingToSet", {"policy", "set", "a"}, "nothing to set: give at least one flag\n"},
        {"InvalidApp",
         {"policy", "set", "a b", "--mode", "READ_ONLY"},
         "`APP`: got `a b`, want only [A-Za-z0-9._:@/-]\n"},
        {"StarAsConnection",
         {"policy", "set", "a", "--allow-connection", "*"},
         "`--allow-connection`: got `*`, want only"},
        {"BothConnectionFlags",
         {"policy", "set", "a", "--allow-connection", "b", "--all-connections"},
         "got `--allow-connection` and `--all-connections`, want one of them\n"},
        {"TwoPayloads",
         {"decide", "--app", "a", "--tool", "t", "--statement", "x", "--payload", "f"},
         "got `--statement` and `--payload`, want at most one of them\n"},
        {"ArgumentsThatAreNoJson",
         {"decide", "--app", "a", "--tool", "t", "--arguments", "{x}"},
         "`--arguments`: "},
        {"ArgumentsWithADuplicateKey",
         {"decide", "--app", "a", "--tool", "t", "--arguments", R"({"a":1,"a":2})"},
         "`--arguments`: "},
        {"NeitherAppNorAll",
         {"policy", "suspend", "--reason", "x"},
         "want either `APP` or `--all`\n"},
        {"NoRiskAndNoSuggestion",
         {"catalog", "review", "--app", "a", "--server", "s"},
         "want exactly one of `--risk` and `--suggested`\n"},
        {"NothingToCompareWith",
         {"policy", "diff", "a"},
         "want exactly one of `--file` and `--revision`"},
        {"UnknownShell",
         {"completion", "ksh"},
         "`SHELL`: got `ksh`, want one of bash, zsh, fish\n"},
    }),
    [](const auto& row) { return row.param.name; });

TEST(CommandLine, WithoutACommandTheOverviewIsAnError) {
  const Ran ran = RunKeeper({});
  EXPECT_EQ(ran.code, ExitCode::kUsage);
  EXPECT_EQ(ran.err, OverviewHelp());
}

TEST(CommandLine, CommonFlagsMayStandBeforeTheCommand) {
  EXPECT_THAT(RunKeeper({"-o", "json", "version"}).out, StartsWith("{\n  \"version\": "));
  EXPECT_THAT(RunKeeper({"version", "--output=YAML"}).out, StartsWith("version: "));
  EXPECT_THAT(RunKeeper({"version"}).out, StartsWith("keeper "));
}

Ran ClientConfigOf(const std::string& url, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"client-config", "codex", "--bridge",  url,
                                        "--app",         "a",     "--address", "127.0.0.1:1",
                                        "--timeout",     "1ms"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunKeeper(arguments);
}

TEST(ClientConfigFlags, AUrlThatMayHoldATokenIsRefusedAndNotShown) {
  for (const char* url :
       {"http://user:s3cret@127.0.0.1:9120/mcp", "https://s3cret@host/mcp",
        "http://127.0.0.1:9120/mcp?token=s3cret", "http://127.0.0.1:9120/mcp#s3cret",
        "http://127.0.0.1:9120?s3cret", "http://127.0.0.1:s3cret/mcp", "https://host/s3cret/mcp",
        "https://host/mcp/s3cret", "s3cret://host/mcp"}) {
    const Ran ran = ClientConfigOf(url);
    EXPECT_EQ(ran.code, ExitCode::kUsage) << url;
    EXPECT_THAT(ran.err, AllOf(StartsWith("keeper: error: `--bridge`: "), HasSubstr("want "),
                               Not(HasSubstr("s3cret"))))
        << url;
    EXPECT_EQ(ran.out, "") << url;
  }
  EXPECT_THAT(ClientConfigOf("http://a:b@h/mcp").err, HasSubstr("got a user name or a password"));
  EXPECT_THAT(ClientConfigOf("http://h/mcp?a=b").err, HasSubstr("got a query"));
}

TEST(ClientConfigFlags, TheUrlNamesOneOfTheBridgesPaths) {
  for (const char* url :
       {"http://h", "http://h/", "http://h/mcp/", "http://h/sse", "http://h/x/mcp",
        "http://h/servers/mcp", "http://h/servers//mcp", "http://h/servers/a/b/mcp",
        "http://h/servers/a%20b/mcp", "http://h/x/servers/a/mcp"}) {
    const Ran ran = ClientConfigOf(url);
    EXPECT_EQ(ran.code, ExitCode::kUsage) << url;
    EXPECT_THAT(ran.err, StartsWith("keeper: error: `--bridge`: got another path, want /mcp or "
                                    "/servers/NAME/mcp\n"))
        << url;
  }
  for (const char* url : {"http:///mcp", "http://:1/mcp", "http://h:/mcp", "http://a b/mcp",
                          "http://[::1/mcp", "http://[]:1/mcp", "http://a:b:1/mcp"}) {
    EXPECT_THAT(ClientConfigOf(url).err,
                StartsWith("keeper: error: `--bridge`: got another host or port, want HOST or "
                           "HOST:PORT\n"))
        << url;
  }
  // These get as far as looking for a server.
  for (const char* url : {"http://127.0.0.1:9120/mcp", "https://bridge.internal/mcp",
                          "http://[::1]:9120/servers/my.files/mcp", "http://[::1]/mcp"}) {
    EXPECT_EQ(ClientConfigOf(url).code, ExitCode::kFailed) << url;
  }
}

TEST(ClientConfigFlags, APrefixSaysWhatItGotAndWants) {
  const auto error = [](const std::vector<std::string>& more) {
    return ClientConfigOf("http://h/mcp", more).err;
  };
  EXPECT_THAT(error({"--prefix", "tk"}), HasSubstr("`--prefix`: got `tk`, want SERVER=PREFIX\n"));
  EXPECT_THAT(error({"--prefix", "=tk"}), HasSubstr("`--prefix`: got `=tk`, want SERVER=PREFIX\n"));
  EXPECT_THAT(error({"--prefix", "b=t/k"}),
              HasSubstr("`--prefix`: got `b=t/k`, want only [A-Za-z0-9_.-] behind the `=`\n"));
  EXPECT_THAT(error({"--prefix", "b=t", "--prefix", "b=k"}),
              HasSubstr("`--prefix`: got `b=k`, want each server once\n"));
  EXPECT_EQ(ClientConfigOf("http://h/mcp", {"--prefix", "b=t", "--prefix", "c=k"}).code,
            ExitCode::kFailed);
}

TEST(ClientConfigFlags, TheTokenForTheBridgeIsNotTheOneForKeeperd) {
  for (const char* variable : {"KEEPER_TOKEN", "KEEPER_TOKEN_FILE"}) {
    const Ran ran = ClientConfigOf("http://h/mcp", {"--token-env", variable});
    EXPECT_EQ(ran.code, ExitCode::kUsage) << variable;
    EXPECT_THAT(ran.err, HasSubstr("credentials for keeperd")) << variable;
  }
  EXPECT_EQ(ClientConfigOf("http://h/mcp", {"--token-env", "BRIDGE_TOKEN"}).code,
            ExitCode::kFailed);
}

// ---- what fails before or at the server ---------------------------------------------

TEST(Connecting, AnUnreachableServerNamesItsAddressAndTheVariable) {
  const Ran ran = RunKeeper({"policy", "list", "--address", "127.0.0.1:1", "--timeout", "20s"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_THAT(ran.err, AllOf(StartsWith("keeper: error: cannot reach keeperd at `127.0.0.1:1`"),
                             HasSubstr("KEEPER_ADDRESS")));
}

TEST(Connecting, PlaintextToAnotherMachineIsRefusedWithWhatToWrite) {
  const Ran ran = RunKeeper({"status", "--address", "example.com:7420"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_THAT(ran.err, HasSubstr("`https://example.com:7420`"));
}

TEST(Documents, EveryProblemIsShownBeforeAServerIsLookedFor) {
  const Ran ran = RunKeeper({"policy", "put", "-f", "-", "--address", "127.0.0.1:1"},
                            "app: a\nmdoe: x\npinning: never\n");
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_EQ(ran.err,
            "-:2:1: error: got the unknown key `mdoe` (did you mean `mode`?)\n"
            "-:3:10: error: pinning: got `never`, want one of ENFORCE, WARN, OFF\n"
            "keeper: error: `-` has 2 problems: nothing was written\n");
}

TEST(Documents, AMissingFileIsNamed) {
  const Ran ran = RunKeeper({"catalog", "put", "-f", "nowhere.yaml"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_EQ(ran.err, "keeper: error: no file nowhere.yaml\n");
}

TEST(Parsing, WordsBehindTheMarkAreNoFlags) {
  // It gets as far as looking for a server.
  const Ran ran = RunKeeper({"client-config", "codex", "--stdio", "--app", "a", "--address",
                             "127.0.0.1:1", "--timeout", "1ms", "--", "npx", "-y", "--app"});
  EXPECT_EQ(ran.code, ExitCode::kFailed) << ran.err;
  EXPECT_EQ(RunKeeper({"version", "--", "x"}).code, ExitCode::kUsage);
}

}  // namespace
}  // namespace bridgekeeper::cli
