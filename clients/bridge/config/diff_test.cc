// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/diff.h"

#include <ostream>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

BridgeConfig Read(std::string_view text) {
  ParsedConfig parsed = ParseBridgeConfig(text);
  for (const Issue& issue : parsed.issues) ADD_FAILURE() << FormatIssue(issue, "f");
  return std::move(parsed.config);
}

std::string Servers(std::string_view more) {
  return "app: a\nservers:\n  one: {command: [x, -y], env: {A: s3cret}}\n" + std::string(more);
}
std::string Connections(std::string_view fields) {
  return "app: a\nconnections:\n  c: {type: postgres, dsn_file: /d, " + std::string(fields) + "}\n";
}
std::string Studio(std::string_view fields) {
  return Servers("") + "data_studio: {" + std::string(fields) + "}\n";
}

struct Change {
  std::string name;
  std::string from;
  std::string to;
  std::string text;  // how it is told
  bool opens;
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

class ChangeTest : public ::testing::TestWithParam<Change> {};

TEST_P(ChangeTest, IsToldAndHeldWhereItOpens) {
  const BridgeConfig from = Read(GetParam().from);
  const BridgeConfig to = Read(GetParam().to);
  EXPECT_THAT(DifferencesOf(from, to), ElementsAre(GetParam().text));
  const BridgeConfig applied = WithoutOpening(from, to);
  EXPECT_EQ(applied, GetParam().opens ? from : to);
  EXPECT_THAT(DifferencesOf(to, to), IsEmpty());
}

constexpr std::string_view kTwo = "  two: {command: [z]}\n";

INSTANTIATE_TEST_SUITE_P(
    Config, ChangeTest,
    ::testing::Values(
        Change{"NewServer", Servers(""), Servers(kTwo),
               "servers.two: added, app a, z with 0 arguments", true},
        Change{"ServerGone", Servers(kTwo), Servers(""), "servers.two: removed", false},
        Change{"App", Servers(kTwo), Servers("  two: {command: [z], app: b}\n"),
               "servers.two.app: a -> b", true},
        Change{"Command", Servers(kTwo), Servers("  two: {command: [sh, -c, rm]}\n"),
               "servers.two.command: z with 0 arguments -> sh with 2 arguments", true},
        Change{"ArgumentsAreNotShown", Servers("  two: {command: [z, --key=s3cret]}\n"),
               Servers("  two: {command: [z, --key=s3crets]}\n"),
               "servers.two.command: other arguments", true},
        Change{"NameInTheEnvironment", Servers(kTwo),
               Servers("  two: {command: [z], env: {LD_PRELOAD: /x}}\n"),
               "servers.two.env: none -> LD_PRELOAD", true},
        Change{"ValuesAreNotShown", Servers("  two: {command: [z], env: {A: s3cret}}\n"),
               Servers("  two: {command: [z], env: {A: other}}\n"), "servers.two.env: other values",
               true},
        Change{"Folder", Servers(kTwo), Servers("  two: {command: [z], cwd: /w}\n"),
               "servers.two.cwd: none -> /w", true},
        Change{"Url", Servers("  two: {url: 'https://h/m?key=s3cret'}\n"),
               Servers("  two: {url: 'https://i/m?key=s3cret'}\n"),
               "servers.two.url: https://h:443/m -> https://i:443/m", true},
        Change{"QueryIsNotShown", Servers("  two: {url: 'https://h/m?key=s3cret'}\n"),
               Servers("  two: {url: 'https://h/m?key=other'}\n"), "servers.two.url: another query",
               true},
        Change{"CatalogGiven", Servers(kTwo),
               Servers("  two: {command: [z], catalog: data-studio}\n"),
               "servers.two.catalog: none -> data-studio", true},
        Change{"CatalogTaken", Servers("  two: {command: [z], catalog: data-studio}\n"),
               Servers(kTwo), "servers.two.catalog: data-studio -> none", false},
        Change{"Connection", Servers(kTwo), Servers("  two: {command: [z], connection: c}\n"),
               "servers.two.connection: none -> c", true},
        Change{"ConnectionArgument", Servers(kTwo),
               Servers("  two: {command: [z], connection_arg: c}\n"),
               "servers.two.connection_arg: none -> c", true},
        Change{"Prefix", Servers(kTwo), Servers("  two: {command: [z], prefix: t}\n"),
               "servers.two.prefix: two__ -> t__", true},
        Change{"Order", Servers(kTwo),
               "app: a\nservers:\n  two: {command: [z]}\n  one: {command: [x, -y], env: {A: "
               "s3cret}}\n",
               "another order", false},
        Change{"Keeper", Servers(""), Servers("") + "keeper: {addresses: ['https://k:1']}\n",
               "keeper.addresses: none -> https://k:1", true},
        Change{"TokenFile", Servers(""), Servers("") + "keeper: {token_file: /t}\n",
               "keeper.token_file: none -> /t", true},
        Change{"Ca", Servers(""), Servers("") + "keeper: {ca: /c}\n", "keeper.ca: none -> /c",
               true},
        Change{"Listen", Servers(""), Servers("") + "listen: 127.0.0.1:1\n",
               "listen: 127.0.0.1:9120 -> 127.0.0.1:1", true},
        Change{"Announce", Servers(""), Servers("") + "announce: sqlkit\n",
               "announce: none -> sqlkit", true},
        Change{"DataStudio", Servers(""), Studio("max_risk: safe"), "data_studio: added", true},
        Change{"DataStudioGone", Studio("max_risk: safe"), Servers(""), "data_studio: removed",
               false},
        Change{"HigherRisk", Studio("max_risk: safe"), Studio("max_risk: elevated"),
               "data_studio.max_risk: SAFE -> ELEVATED", true},
        Change{"LowerRisk", Studio("max_risk: elevated"), Studio("max_risk: safe"),
               "data_studio.max_risk: ELEVATED -> SAFE", false},
        Change{"AnotherUser", Studio("uids: [1]"), Studio("uids: [1, 2]"),
               "data_studio.uids: 1 -> 1, 2", true},
        Change{"FewerUsers", Studio("uids: [1, 2]"), Studio("uids: [2]"),
               "data_studio.uids: 1, 2 -> 2", false},
        Change{"Writes", Connections("writes: false"), Connections("writes: true"),
               "connections.c.writes: false -> true", true},
        Change{"NoWrites", Connections("writes: true"), Connections("writes: false"),
               "connections.c.writes: true -> false", false},
        Change{"MoreRows", Connections("limits: {max_rows: 5}"),
               Connections("limits: {max_rows: 6}"), "connections.c.limits.max_rows: 5 -> 6", true},
        Change{"NoLimit", Connections("limits: {timeout: 5s}"), Connections("writes: false"),
               "connections.c.limits.timeout: 5s -> none", true},
        Change{"FewerRows", Connections("limits: {max_rows: 5}"),
               Connections("limits: {max_rows: 4}"), "connections.c.limits.max_rows: 5 -> 4",
               false},
        Change{"MoreFunctions", Connections("safe_functions: ['s.f()']"),
               Connections("safe_functions: ['s.f()', 's.g()']"),
               "connections.c.safe_functions: s.f() -> s.f(), s.g()", true},
        Change{"FewerRoleRisks", Connections("role_risks: [owner, replication]"),
               Connections("role_risks: [owner]"),
               "connections.c.role_risks: owner, replication -> owner", false},
        Change{"Dsn", Connections("writes: false"),
               "app: a\nconnections:\n  c: {type: postgres, dsn_file: /e}\n",
               "connections.c.dsn_file: /d -> /e", true}),
    [](const auto& row) { return row.param.name; });

TEST(WithoutOpening, TakesTheRestOfWhatChanged) {
  const BridgeConfig from = Read(Servers("  two: {command: [z]}\n  three: {command: [z]}\n"));
  const BridgeConfig to = Read(
      "app: a\nservers:\n  one: {command: [other]}\n  two: {command: [z], prefix: t}\n"
      "  four: {command: [z]}\n");
  const BridgeConfig applied = WithoutOpening(from, to);
  EXPECT_THAT(DifferencesOf(from, applied), ElementsAre("servers.three: removed"));
  EXPECT_THAT(DifferencesOf(applied, to),
              ElementsAre("servers.one.command: x with 1 argument -> other with 0 arguments",
                          "servers.one.env: A -> none", "servers.two.prefix: two__ -> t__",
                          "servers.four: added, app a, z with 0 arguments"));
}

TEST(WithoutOpening, ServesDatabasesAsTheirConnectionsSay) {
  const BridgeConfig from = Read(
      "app: a\nconnections:\n  c: {type: sqlite, dsn_env: C}\n  d: {type: sqlite, dsn_env: D}\n");
  const BridgeConfig to = Read(
      "app: a\nconnections:\n  c: {type: sqlite, dsn_env: C, limits: {max_rows: 4}}\n"
      "  d: {type: sqlite, dsn_env: E}\n  e: {type: sqlite, dsn_env: E}\n");
  const BridgeConfig applied = WithoutOpening(from, to);
  EXPECT_THAT(DifferencesOf(from, applied),
              ElementsAre("connections.c.limits.max_rows: none -> 4"));
  ASSERT_EQ(applied.servers.size(), 1U);
  EXPECT_EQ(applied.servers[0].connections, applied.connections);
  EXPECT_THAT(DifferencesOf(applied, to),
              ElementsAre("connections.d.dsn_env: D -> E", "connections.e: added, app a, sqlite"));
}

TEST(WithoutOpening, HoldsAllWherePrefixesWouldMeet) {
  // `one` opens and keeps its prefix, which `two` takes over.
  const BridgeConfig from = Read(Servers(kTwo));
  const BridgeConfig to = Read(
      "app: a\nservers:\n  one: {command: [other], prefix: p}\n  two: {command: [z], prefix: "
      "one}\n");
  EXPECT_EQ(WithoutOpening(from, to), from);
}

TEST(WithoutOpening, HoldsAllWhereNothingWouldBeLeft) {
  const BridgeConfig from = Read(Servers(""));
  EXPECT_EQ(WithoutOpening(from, Read("app: a\nservers:\n  two: {command: [z]}\n")), from);
}

TEST(DifferencesOf, HoldsNoSecret) {
  const BridgeConfig from = Read(
      "app: a\nservers:\n  one: {command: [x, s3cret], env: {A: s3cret}}\n  two: {url: "
      "'https://h/?k=s3cret'}\n");
  const BridgeConfig to = Read(
      "app: a\nservers:\n  one: {command: [y, s3cret, s3cret], env: {B: s3cret}}\n  three: {url: "
      "'https://h/?k=s3cret'}\n");
  for (const std::string& line : DifferencesOf(from, to)) {
    EXPECT_THAT(line, Not(HasSubstr("s3cret")));
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
