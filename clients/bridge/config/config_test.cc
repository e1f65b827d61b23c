// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/config.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "clients/bridge/config/server_url.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
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
   "two": {"url": "https://two.example/mcp", "connection_arg": "database", "ca": "/ca",
           "headers": {"Authorization": {"env": "TOKEN", "scheme": "Bearer"},
                       "X-Key": {"file": "/k"}}}},
 "connections": {"db": {"name": "DB", "type": "postgres", "dsn_file": "/d", "writes": true,
                        "limits": {"max_rows": 5, "max_bytes": 6, "timeout": "7s"},
                        "safe_functions": ["s.f(int)"], "role_risks": ["owner"]}},
 "data_studio": {"max_risk": "elevated", "uids": [0, 1000]}})json");
  EXPECT_THAT(All(parsed.issues), IsEmpty());
  const BridgeConfig& config = parsed.config;
  EXPECT_THAT(config.keeper_addresses, ElementsAre("https://k:1"));
  EXPECT_EQ(config.keeper_token_file, "/t");
  EXPECT_EQ(config.keeper_ca_file, "/c");
  EXPECT_EQ(config.listen, "[::1]:0");
  EXPECT_EQ(config.announce, Announce::kSqlkit);
  EXPECT_EQ(config.servers,
            (std::vector<ServerConfig>{
                {.name = "one",
                 .app = AppId("b"),
                 .command = {"x", "-y"},
                 .url = "",
                 .connections = {},
                 .environment = {{"A", "1"}, {"B", std::nullopt}, {"C", ""}},
                 .working_directory = "/w",
                 .headers = {},
                 .ca_file = "",
                 .builtin_catalog = true,
                 .connection = ConnectionId("prod"),
                 .connection_argument = "",
                 .prefix = "first."},
                {.name = "two",
                 .app = AppId("a"),
                 .command = {},
                 .url = "https://two.example/mcp",
                 .connections = {},
                 .environment = {},
                 .working_directory = "",
                 .headers = {{"Authorization", "TOKEN", "", "Bearer"}, {"X-Key", "", "/k", ""}},
                 .ca_file = "/ca",
                 .builtin_catalog = false,
                 .connection = std::nullopt,
                 .connection_argument = "database",
                 .prefix = "two."},
                {.name = "databases",
                 .app = AppId("a"),
                 .connections = config.connections,
                 .builtin_catalog = true,
                 .connection_argument = "connection_id",
                 .prefix = "databases."}}));
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
// One with a server behind a URL, and `more` beside it.
std::string WithUrl(const std::string& url, const std::string& more) {
  return "app: a\nservers:\n  far:\n    url: " + url + "\n    " + more + "\n";
}
std::string OneServer(const std::string& is) { return "app: a\nservers: {d: " + is + "}\n"; }
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
        BadConfig{"NeitherCommandNorUrl", OneServer("{}"), "got neither `command` nor `url`"},
        BadConfig{"CommandAsText", OneServer("{command: x y}"),
                  "servers.d.command: got `x y`, want a list"},
        BadConfig{"EnvBesideUrl", OneServer("{url: 'https://h/', env: {A: b}}"),
                  "servers.d.env: got one beside `url`"},
        BadConfig{"ClearTextToAnotherHost", OneServer("{url: 'http://h/'}"),
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
        BadConfig{"WritesThatAreNoWord",
                  WithTop("connections: {c: {type: postgres, dsn_env: D, writes: alowed}}\n"),
                  "connections.c.writes: got `alowed`, want `allowed` or no such key"},
        BadConfig{"WritesThatAreATypo",
                  WithTop("connections: {c: {type: postgres, dsn_env: D, writes: ture}}\n"),
                  "connections.c.writes: got `ture`, want `allowed` or no such key"},
        BadConfig{"SafeFunctionWithoutItsTypes",
                  WithTop("connections: {c: {type: postgres, dsn_env: D, safe_functions: "
                          "['s.f(int)', public.add_tax]}}\n"),
                  "connections.c.safe_functions[1]: got `public.add_tax`, want "
                  "`schema.name(types)` (for example `public.add_tax(numeric)`"},
        BadConfig{"SafeFunctionWithoutItsSchema",
                  WithTop("connections: {c: {type: postgres, dsn_env: D, safe_functions: "
                          "['add_tax(numeric)']}}\n"),
                  "connections.c.safe_functions[0]: got `add_tax(numeric)`, want"},
        BadConfig{"SafeFunctionThatIsNone",
                  WithTop("connections: {c: {type: sqlite, dsn_env: D, safe_functions: "
                          "['f(']}}\n"),
                  "connections.c.safe_functions[0]: got `f(`, want `name` or `name(types)`"},
        BadConfig{"KeyThatNobodyKnows",
                  WithTop("connections: {c: {type: sqlite, dsn_env: D, qqqqqqqqqqqq: 1}}\n"),
                  "(known: app, name, type, dsn_file, dsn_env, writes, limits, safe_functions, "
                  "role_risks)"},
        BadConfig{"ServersThatBothHaveNoPrefix",
                  "app: a\nservers:\n  one: {command: [x], prefix: ''}\n"
                  "  two: {command: [x], prefix: ''}\n",
                  "servers.two"},
        BadConfig{"ServerOfTheDatabasesName",
                  "app: a\nservers: {databases: {command: [x]}}\n"
                  "connections: {c: {type: postgres, dsn_env: D}}\n",
                  "f:3:15: error: connections.c: got a server of the name `databases` too"},
        BadConfig{"CredentialInTheFile", WithTop("connections: {c: {type: postgres, dsn: x}}\n"),
                  "connections.c: want one of `dsn_file` and `dsn_env`"},
        BadConfig{"HeadersOfACommand", WithServer("    headers: {Authorization: {env: T}}\n"),
                  "f:5:14: error: servers.disk.headers: got it without `url`"},
        BadConfig{"AuthoritiesOfACommand", WithServer("    ca: /ca\n"),
                  "servers.disk.ca: got it without `url`"},
        BadConfig{"AuthoritiesInTheClear", WithUrl("http://127.0.0.1/", "ca: /ca"),
                  "servers.far.ca: got one beside an `http` URL"},
        BadConfig{"CredentialInTheClear",
                  WithUrl("http://192.0.2.1/", "headers: {Authorization: {env: T}}"),
                  "servers.far.url: got `http://192.0.2.1/`, want https"},
        BadConfig{"CredentialInTheText",
                  WithUrl("https://h/", "headers: {Authorization: Bearer secret}"),
                  "servers.far.headers.Authorization: want one of `env` and `file`"},
        BadConfig{"CredentialFromTwoPlaces",
                  WithUrl("https://h/", "headers: {Authorization: {env: T, file: /f}}"),
                  "servers.far.headers.Authorization: want one of `env` and `file`"},
        BadConfig{"CredentialFromNowhere",
                  WithUrl("https://h/", "headers: {Authorization: {scheme: Bearer}}"),
                  "servers.far.headers.Authorization: want one of `env` and `file`"},
        BadConfig{"CredentialForKeeperd",
                  WithUrl("https://h/", "headers: {Authorization: {env: KEEPER_TOKEN}}"),
                  "got a variable of the bridge's own"},
        BadConfig{"HeaderOfTheProtocol",
                  WithUrl("https://h/", "headers: {mcp-session-id: {env: T}}"),
                  "got the name `mcp-session-id`"},
        BadConfig{"HeaderOfHttp", WithUrl("https://h/", "headers: {Content-Length: {env: T}}"),
                  "got the name `Content-Length`"},
        BadConfig{"HeaderWithALineEnd", WithUrl("https://h/", "headers: {\"A\\r\\nB\": {env: T}}"),
                  "got the name `A"},
        BadConfig{"HeaderInTwoCases",
                  WithUrl("https://h/", "headers: {X-Key: {env: T}, x-key: {env: U}}"),
                  "servers.far.headers.x-key: got a header twice"},
        BadConfig{"SchemeOfTwoWords",
                  WithUrl("https://h/", "headers: {Authorization: {env: T, scheme: 'Bearer x'}}"),
                  "servers.far.headers.Authorization.scheme: got `Bearer x`"},
        BadConfig{"MaxRisk", WithTop("data_studio: {max_risk: all}\n"),
                  "data_studio.max_risk: got `all`"},
        BadConfig{"Uid", WithTop("data_studio: {uids: [root]}\n"),
                  "data_studio.uids[0]: got `root`, want the number of a user"}),
    [](const auto& row) { return row.param.name; });

// B144: the client's own prefix counts.
TEST(Config, WarnsOfAPrefixThatLeavesNoRoomWithTheClientsOwn) {
  const size_t room = kClientNameBytes - kClientPrefix.size() - kDefaultSeparator.size();
  EXPECT_THAT(
      All(ParseBridgeConfig(WithServer("    prefix: " + std::string(room, 'p') + "\n")).issues),
      HasSubstr("f:3:3: warning: servers.disk: got a prefix of 45 bytes"));
  EXPECT_THAT(
      All(ParseBridgeConfig(WithServer("    prefix: " + std::string(room - 1, 'p') + "\n")).issues),
      IsEmpty());
}

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

TEST(Config, ServersOfDatabasesAreNamedWhateverTheirOrder) {
  const auto names = [](const std::string& connections) {
    std::vector<std::string> found;
    for (const ServerConfig& server :
         ParseBridgeConfig("connections: {" + connections + "}\n").config.servers) {
      found.push_back(server.name + " of " + server.app.value());
    }
    return found;
  };
  const std::string a = "x: {app: a, type: postgres, dsn_env: D}";
  const std::string b = "y: {app: b, type: postgres, dsn_env: D}";
  EXPECT_THAT(names(a), ElementsAre("databases of a"));
  EXPECT_THAT(names(a + ", " + b), ElementsAre("databases.a of a", "databases.b of b"));
  EXPECT_THAT(names(b + ", " + a), ElementsAre("databases.b of b", "databases.a of a"));
}

TEST(Config, SampleIsValid) {
  const char* tree = getenv("BK_SOURCE_DIR");
  const std::string file =
      std::string(tree == nullptr ? "." : tree) + "/deploy/bridge/keeper-bridge.yaml";
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const ParsedConfig parsed = ParseBridgeConfig(text);
  EXPECT_THAT(All(parsed.issues), IsEmpty());
  ASSERT_THAT(parsed.config.servers, SizeIs(3));
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

TEST(LoadConfig, RelativePathsAreBelowTheFolderOfTheFile) {
  const auto config =
      LoadBridgeConfig(WriteFile("relative.yaml",
                                 "app: a\nconnections:\n  c: {type: sqlite, dsn_file: some/c.dsn}\n"
                                 "  d: {type: sqlite, dsn_file: /etc/d.dsn}\n",
                                 0600));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->connections[0].dsn_file,
            std::filesystem::path(::testing::TempDir()) / "some/c.dsn");
  EXPECT_EQ(config->connections[1].dsn_file, "/etc/d.dsn");
  EXPECT_EQ(config->servers[0].connections[0].dsn_file, config->connections[0].dsn_file);
}

TEST(CheckPlaces, SaysEveryPlaceThatIsOfNoUse) {
  const std::string good = WriteFile("good.dsn", "/srv/x.db", 0600);
  const std::string open = WriteFile("open.dsn", "/srv/x.db", 0666);
  ASSERT_EQ(setenv("CONFIG_TEST_DSN", "/srv/hunter2.db", 1), 0);
  ASSERT_EQ(setenv("CONFIG_TEST_BLANK", " \n", 1), 0);
  const auto config = LoadBridgeConfig(WriteFile(
      "dsns.yaml",
      "app: a\nconnections:\n  one: {type: sqlite, dsn_file: " + good +
          "}\n  two: {type: sqlite, dsn_env: CONFIG_TEST_DSN}\n  three: {type: sqlite, dsn_file: " +
          open +
          "}\n  four: {type: sqlite, dsn_file: gone.dsn}\n"
          "  five: {type: sqlite, dsn_env: CONFIG_TEST_BLANK}\n"
          "servers:\n  far: {url: 'https://h/mcp', headers: {X-Key: {env: CONFIG_TEST_NONE}}}\n"
          "  near: {command: [x], env: {CONFIG_TEST_NONE: ~, CONFIG_TEST_DSN: ~, SET: '1'}}\n",
      0600));
  ASSERT_THAT(config, IsOk());
  const std::string message(CheckPlaces(*config).message());
  EXPECT_THAT(message, AllOf(HasSubstr("connections.three.dsn_file: "),
                             HasSubstr("connections.four.dsn_file: "),
                             HasSubstr("connections.five.dsn_env: the environment has no variable "
                                       "`CONFIG_TEST_BLANK`, or an empty one"),
                             HasSubstr("servers.far.headers.X-Key: `CONFIG_TEST_NONE` holds 0"),
                             HasSubstr("servers.near.env.CONFIG_TEST_NONE: got no value"),
                             Not(HasSubstr("env.CONFIG_TEST_DSN")), Not(HasSubstr("env.SET")),
                             Not(HasSubstr("connections.one")), Not(HasSubstr("connections.two")),
                             Not(HasSubstr("hunter2"))));
}

ServerConfig WithHeader(HeaderConfig header) {
  ServerConfig server;
  server.name = "far";
  server.headers = {std::move(header)};
  return server;
}

TEST(ReadHeaders, TakesTheValueFromItsPlace) {
  ASSERT_EQ(setenv("CONFIG_TEST_TOKEN", "t0ken", 1), 0);
  EXPECT_THAT(ReadHeaders(WithHeader({"Authorization", "CONFIG_TEST_TOKEN", "", "Bearer"})),
              IsOkAndHolds(ElementsAre(Pair("Authorization", "Bearer t0ken"))));
  const std::string file = WriteFile("header", "from file\n", 0600);
  EXPECT_THAT(ReadHeaders(WithHeader({"X-Key", "", file, ""})),
              IsOkAndHolds(ElementsAre(Pair("X-Key", "from file"))));
}

// B115: a token that is empty or blank opens nothing in silence.
TEST(ReadHeaders, RefusesAValueThatIsNoneAndNeverShowsIt) {
  for (const char* value : {"", " ", "s3cret\nX-Other: 1", "s3cret\x7f", " s3cret"}) {
    ASSERT_EQ(setenv("CONFIG_TEST_TOKEN", value, 1), 0);
    const auto fields = ReadHeaders(WithHeader({"Authorization", "CONFIG_TEST_TOKEN", "", ""}));
    EXPECT_THAT(fields, StatusIs(kInvalidArgument, HasSubstr("servers.far.headers.Authorization")));
    EXPECT_THAT(std::string(fields.status().message()), Not(HasSubstr("s3cret")));
  }
  ASSERT_EQ(unsetenv("CONFIG_TEST_TOKEN"), 0);
  EXPECT_THAT(ReadHeaders(WithHeader({"A", "CONFIG_TEST_TOKEN", "", ""})),
              StatusIs(kInvalidArgument));
  const std::string open = WriteFile("open-header", "t", 0666);
  EXPECT_THAT(ReadHeaders(WithHeader({"A", "", open, ""})), StatusIs(kFailedPrecondition));
}

TEST(LoadConfig, RefusesACredentialThatOthersMayWrite) {
  const std::string token = WriteFile("far-token", "t", 0660);
  EXPECT_THAT(
      LoadBridgeConfig(WriteFile(
          "far.yaml", WithUrl("https://h/", "headers: {A: {file: '" + token + "'}}"), 0600)),
      StatusIs(kFailedPrecondition, HasSubstr("far-token")));
}

TEST(LoadConfig, HandsOutItsWarnings) {
  std::vector<Issue> warnings;
  EXPECT_THAT(
      LoadBridgeConfig(
          WriteFile("long.yaml", WithServer("    prefix: " + std::string(60, 'p') + "\n"), 0600),
          &warnings),
      IsOk());
  EXPECT_THAT(warnings, SizeIs(1));
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
    EXPECT_THAT(ParseServerUrl(text),
                StatusIs(kInvalidArgument, AllOf(HasSubstr("want "), Not(HasSubstr("u:p")))))
        << text;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
