// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/config.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "clients/bridge/config/server_url.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using enum absl::StatusCode;

constexpr std::string_view kSmallest = "app: a\nservers:\n  disk:\n    command: [disk-mcp]\n";

std::string All(const std::vector<Issue>& issues) {
  std::string out;
  for (const Issue& issue : issues) out += FormatIssue(issue, "f") + "\n";
  return out;
}

TEST(Config, SmallestHasTheDefaults) {
  const ParsedConfig parsed = ParseBridgeConfig(kSmallest);
  EXPECT_THAT(All(parsed.issues), IsEmpty());
  const BridgeConfig& config = parsed.config;
  EXPECT_EQ(config.listen, "127.0.0.1:9120");
  EXPECT_EQ(config.announce, Announce::kNone);
  EXPECT_FALSE(config.data_studio);
  ASSERT_THAT(config.servers, SizeIs(1));
  EXPECT_EQ(config.servers[0].app, AppId("a"));
  EXPECT_EQ(config.servers[0].prefix, "disk__");
  EXPECT_THAT(config.servers[0].command, ElementsAre("disk-mcp"));
  EXPECT_FALSE(config.servers[0].builtin_catalog);
}

TEST(Config, ReadsEveryField) {
  const ParsedConfig parsed = ParseBridgeConfig(R"json(
{"app": "a", "keeper": {"addresses": ["https://k:1"], "token_file": "/t", "ca": "/c"},
 "listen": "[::1]:0", "separator": ".", "announce": "sqlkit",
 "servers": {
   "one": {"app": "b", "command": ["x", "-y"], "env": {"A": "1", "B": null, "C": ""}, "cwd": "/w",
           "catalog": "data-studio", "connection": "prod", "prefix": "first"},
   "two": {"url": "https://two.example/mcp", "connection_arg": "database"}},
 "connections": {"db": {"name": "DB", "type": "postgres", "dsn_file": "/d", "writes": true,
                        "limits": {"max_rows": 5, "max_bytes": 6, "timeout": "7s"},
                        "safe_functions": ["f(int)"], "role_risks": ["owner"]}},
 "data_studio": {"max_risk": "elevated", "uids": [0, 1000]}})json");
  EXPECT_THAT(All(parsed.issues), IsEmpty());
  const BridgeConfig& config = parsed.config;
  EXPECT_THAT(config.keeper_addresses, ElementsAre("https://k:1"));
  EXPECT_EQ(config.keeper_token_file, "/t");
  EXPECT_EQ(config.keeper_ca_file, "/c");
  EXPECT_EQ(config.listen, "[::1]:0");
  EXPECT_EQ(config.announce, Announce::kSqlkit);
  EXPECT_EQ(config.servers,
            (std::vector<ServerConfig>{{.name = "one",
                                        .app = AppId("b"),
                                        .command = {"x", "-y"},
                                        .url = "",
                                        .environment = {{"A", "1"}, {"B", std::nullopt}, {"C", ""}},
                                        .working_directory = "/w",
                                        .builtin_catalog = true,
                                        .connection = ConnectionId("prod"),
                                        .connection_argument = "",
                                        .prefix = "first."},
                                       {.name = "two",
                                        .app = AppId("a"),
                                        .command = {},
                                        .url = "https://two.example/mcp",
                                        .environment = {},
                                        .working_directory = "",
                                        .builtin_catalog = false,
                                        .connection = std::nullopt,
                                        .connection_argument = "database",
                                        .prefix = "two."}}));
  ASSERT_THAT(config.connections, SizeIs(1));
  EXPECT_EQ(config.connections[0].limits.timeout, absl::Seconds(7));
  EXPECT_TRUE(config.connections[0].writes);
  EXPECT_EQ(config.data_studio, (DataStudioConfig{.max_risk = Risk::kElevated, .uids = {0, 1000}}));
  EXPECT_THAT(AppsOf(config), ElementsAre(AppId("b"), AppId("a")));
}

struct BadConfig {
  std::string name;
  std::string text;
  std::string want;  // in the issues
};

class BadConfigTest : public ::testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigTest, IsAnErrorAtItsPlace) {
  const ParsedConfig parsed = ParseBridgeConfig(GetParam().text);
  EXPECT_TRUE(HasErrors(parsed.issues));
  EXPECT_THAT(All(parsed.issues), HasSubstr(GetParam().want));
}

// A configuration with `more` below its one server.
std::string WithServer(const std::string& more) {
  return "app: a\nservers:\n  disk:\n    command: [x]\n" + more;
}
std::string WithTop(const std::string& more) { return std::string(kSmallest) + more; }

INSTANTIATE_TEST_SUITE_P(
    Config, BadConfigTest,
    ::testing::Values(
        BadConfig{"Empty", "", "error"},
        BadConfig{"NoServers", "app: a\n", "f:1:1: error: got neither `servers` nor `connections`"},
        BadConfig{"ListAtTheTop", "- a\n", "f:1:1: error: got a list, want a mapping"},
        BadConfig{"UnknownKey", WithTop("listn: x\n"),
                  "f:5:1: error: got the unknown key `listn` (did you mean `listen`?)"},
        BadConfig{"UnknownKeyOfAServer", WithServer("    readonly_: true\n"),
                  "f:5:5: error: servers.disk: got the unknown key `readonly_`"},
        BadConfig{"TwinKeys", WithTop("app: b\n"), "f:5:1: error: app: got the key `app` twice"},
        BadConfig{"NoApp", "servers: {d: {command: [x]}}\n",
                  "f:1:14: error: servers.d: `app` is missing"},
        BadConfig{"OpenAddress", WithTop("listen: 0.0.0.0:9120\n"),
                  "listen: got `0.0.0.0:9120`, want a loopback address"},
        BadConfig{"NamedAddress", WithTop("listen: localhost:9120\n"),
                  "listen: got `localhost:9120`"},
        BadConfig{"SeparatorOutsideNames", WithTop("separator: '/'\n"), "separator: got `/`"},
        BadConfig{"Announce", WithTop("announce: sqlkid\n"), "did you mean `sqlkit`?"},
        BadConfig{"ServerNameWithASpace", "app: a\nservers:\n  my server: {command: [x]}\n",
                  "f:3:3: error: servers.my server: got the name `my server`, want"},
        BadConfig{"CommandAndUrl", WithServer("    url: https://h/\n"),
                  "got both `command` and `url`, want one"},
        BadConfig{"NeitherCommandNorUrl", "app: a\nservers: {d: {}}\n",
                  "got neither `command` nor `url`"},
        BadConfig{"CommandAsText", "app: a\nservers: {d: {command: x y}}\n",
                  "servers.d.command: got `x y`, want a list"},
        BadConfig{"EnvBesideUrl", "app: a\nservers: {d: {url: 'https://h/', env: {A: b}}}\n",
                  "servers.d.env: got one beside `url`"},
        BadConfig{"ClearTextToAnotherHost", "app: a\nservers: {d: {url: 'http://h/'}}\n",
                  "servers.d.url: got `http://h/`, want https"},
        BadConfig{"OurOwnVariable", WithServer("    env: {KEEPER_TOKEN: x}\n"),
                  "servers.disk.env.KEEPER_TOKEN: got a variable of the bridge's own"},
        BadConfig{"VariableWithoutAName", WithServer("    env: {'A=B': x}\n"),
                  "got the name `A=B`"},
        BadConfig{"NumberInEnv", WithServer("    env: {A: 1}\n"), "want text (put it in quotes)"},
        BadConfig{"ConnectionTwice", WithServer("    connection: c\n    connection_arg: d\n"),
                  "servers.disk.connection_arg: got one beside `connection`"},
        BadConfig{"IllFormedConnection", WithServer("    connection: 'a b'\n"),
                  "servers.disk.connection: got `a b`"},
        BadConfig{"CatalogOfAStranger", WithServer("    catalog: mine\n"), "want `data-studio`"},
        BadConfig{"PrefixTooLong", WithServer("    prefix: " + std::string(63, 'p') + "\n"),
                  "got a prefix of 65 bytes with its separator, want at most 64"},
        BadConfig{"EqualPrefixes",
                  "app: a\nservers:\n  one: {command: [x]}\n  two: {command: [x], prefix: one}\n",
                  "servers.two: its tools begin with `one__`, as may those of `one`"},
        BadConfig{
            "PrefixInsideAPrefix",
            "app: a\nservers:\n  acme: {command: [x]}\n  acme__x: {command: [x]}\n",
            "f:4:3: error: servers.acme__x: its tools begin with `acme__x__`, as may those of "
            "`acme`"},
        BadConfig{
            "PrefixInsideAPrefixByOneUnderscore",
            "app: a\nseparator: _\nservers:\n  acme: {command: [x]}\n  acme_x: {command: [x]}\n",
            "servers.acme_x: its tools begin with `acme_x_`"},
        BadConfig{"UnknownDatabase", WithTop("connections: {c: {type: postgers, dsn_env: D}}\n"),
                  "did you mean `postgres`?"},
        BadConfig{"CredentialInTheFile", WithTop("connections: {c: {type: postgres, dsn: x}}\n"),
                  "connections.c: want one of `dsn_file` and `dsn_env`"},
        BadConfig{"MaxRisk", WithTop("data_studio: {max_risk: all}\n"),
                  "data_studio.max_risk: got `all`"},
        BadConfig{"Uid", WithTop("data_studio: {uids: [root]}\n"),
                  "data_studio.uids[0]: got `root`, want the number of a user"}),
    [](const auto& row) { return row.param.name; });

TEST(Config, ReportsAllProblemsAtOnce) {
  EXPECT_THAT(ParseBridgeConfig("servers: {'a b': {}, c: {url: x}}\nlisten: y\n").issues,
              SizeIs(6));
}

TEST(Config, NamesThatOnlyLookAlikeArePutApart) {
  // No prefix is the beginning of another one, so no name of a tool needs to be taken apart.
  EXPECT_THAT(All(ParseBridgeConfig("app: a\nservers:\n  acme: {command: [x]}\n"
                                    "  acme_x: {command: [x]}\n  acme-: {command: [x]}\n")
                      .issues),
              IsEmpty());
}

TEST(Config, SampleIsValid) {
  const char* tree = getenv("BK_SOURCE_DIR");
  const std::string file =
      std::string(tree == nullptr ? "." : tree) + "/deploy/bridge/keeper-bridge.yaml";
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const ParsedConfig parsed = ParseBridgeConfig(text);
  EXPECT_THAT(All(parsed.issues), IsEmpty());
  ASSERT_THAT(parsed.config.servers, SizeIs(2));
  EXPECT_EQ(parsed.config.servers[1].prefix, "tk__");
}

// ---- files -----------------------------------------------------------------------

std::string WriteFile(const std::string& name, std::string_view text, mode_t mode) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TEST(LoadConfig, ReadsAFileThatIsOurs) {
  EXPECT_THAT(LoadBridgeConfig(WriteFile("ours.yaml", kSmallest, 0644)), IsOk());
}

TEST(LoadConfig, RefusesAFileThatOthersMayWrite) {
  for (const mode_t mode : {0664, 0646}) {
    EXPECT_THAT(LoadBridgeConfig(WriteFile("open.yaml", kSmallest, mode)),
                StatusIs(kFailedPrecondition, HasSubstr("want one that neither group nor others")));
  }
}

TEST(LoadConfig, RefusesATokenFileThatOthersMayWrite) {
  const std::string token = WriteFile("token", "t", 0660);
  const std::string config = std::string(kSmallest) + "keeper: {token_file: '" + token + "'}\n";
  EXPECT_THAT(LoadBridgeConfig(WriteFile("token.yaml", config, 0600)),
              StatusIs(kFailedPrecondition, HasSubstr("token`: got mode 0660")));
}

TEST(LoadConfig, SaysWhatIsWrongAndWhere) {
  const std::string file = WriteFile("bad.yaml", "servers: 1\n", 0600);
  EXPECT_THAT(LoadBridgeConfig(file),
              StatusIs(kInvalidArgument, HasSubstr(file + ":1:10: error: ")));
  EXPECT_THAT(LoadBridgeConfig(file + ".none"), StatusIs(kNotFound));
  EXPECT_THAT(LoadBridgeConfig(::testing::TempDir()), StatusIs(kFailedPrecondition));
}

// ---- addresses -------------------------------------------------------------------

TEST(ServerUrl, ReadsWhatItIsMadeOf) {
  EXPECT_EQ(*ParseServerUrl("https://Mcp.Example:8443/a/mcp?x=1"),
            (ServerUrl{true, "mcp.example", 8443, "/a/mcp?x=1"}));
  EXPECT_EQ(*ParseServerUrl("https://h"), (ServerUrl{true, "h", 443, "/"}));
  EXPECT_EQ(*ParseServerUrl("http://127.0.0.1:3001/mcp"),
            (ServerUrl{false, "127.0.0.1", 3001, "/mcp"}));
  EXPECT_EQ(*ParseServerUrl("http://[::1]/mcp"), (ServerUrl{false, "::1", 80, "/mcp"}));
}

TEST(ServerUrl, RefusesEverythingElse) {
  for (const char* text :
       {"", "h/mcp", "ftp://h/", "https://", "https:///mcp", "https://u:p@h/", "https://h:0/",
        "https://h:99999/", "https://h:/", "https://h/#f", "https://h/a b", "https://[::1/",
        "https://[x]/", "http://192.0.2.1/", "http://127.0.0.1.example/"}) {
    EXPECT_THAT(ParseServerUrl(text), StatusIs(kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
