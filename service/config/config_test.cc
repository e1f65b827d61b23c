// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "service/config/command_line.h"
#include "service/config/options.h"
#include "service/config/validate.h"
#include "tests/support/golden.h"

namespace bridgekeeper::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Action = CommandLine::Action;

struct Started {
  CommandLine command;
  std::vector<std::string> problems;
};

Started Start(std::vector<std::string> arguments,
              std::map<std::string, std::string> environment = {}, std::string file = "") {
  Started out;
  out.command = ReadCommandLine({std::move(arguments), std::move(environment),
                                 [&](const std::string& path) -> absl::StatusOr<std::string> {
                                   if (path == "c.yaml") return file;
                                   return absl::NotFoundError("No such file or directory");
                                 }},
                                out.problems);
  return out;
}

TEST(OptionTableTest, KeysAreUniqueAndEveryDefaultReadsBack) {
  std::set<std::string_view> keys;
  for (const OptionRow& row : OptionTable()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    Options options;
    std::string text = OptionText(row, options);
    if (text.front() == '"') text = text.substr(1, text.size() - 2);
    if (text.empty()) continue;
    EXPECT_EQ(SetOption(row, text, options), std::nullopt) << row.key;
    EXPECT_EQ(options, Options{}) << row.key;
  }
}

TEST(OptionTableTest, FlagAndVariableFollowFromTheKey) {
  EXPECT_EQ(FlagOf("grpc_address"), "--grpc-address");
  EXPECT_EQ(VariableOf("grpc_address"), "KEEPERD_GRPC_ADDRESS");
}

TEST(OptionTableTest, NumbersAndTimesKeepToTheirRange) {
  for (const OptionRow& row : OptionTable()) {
    Options options;
    if (std::holds_alternative<int64_t Options::*>(row.field)) {
      EXPECT_EQ(SetOption(row, std::to_string(row.lowest), options), std::nullopt) << row.key;
      EXPECT_EQ(SetOption(row, std::to_string(row.highest), options), std::nullopt) << row.key;
      EXPECT_NE(SetOption(row, std::to_string(row.lowest - 1), options), std::nullopt) << row.key;
      EXPECT_NE(SetOption(row, std::to_string(row.highest + 1), options), std::nullopt) << row.key;
      EXPECT_NE(SetOption(row, "1x", options), std::nullopt) << row.key;
    } else if (std::holds_alternative<absl::Duration Options::*>(row.field)) {
      const auto ms = [](int64_t n) { return std::to_string(n) + "ms"; };
      EXPECT_EQ(SetOption(row, ms(row.lowest), options), std::nullopt) << row.key;
      EXPECT_EQ(SetOption(row, ms(row.highest), options), std::nullopt) << row.key;
      EXPECT_NE(SetOption(row, ms(row.lowest - 1), options), std::nullopt) << row.key;
      EXPECT_NE(SetOption(row, ms(row.highest + 1), options), std::nullopt) << row.key;
      EXPECT_NE(SetOption(row, "soon", options), std::nullopt) << row.key;
    }
  }
}

TEST(CommandLineTest, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  const std::string file = "cache_apps: 1\nmax_in_flight: 1\nworker_threads: 1\ndev: true\n";
  const auto started = Start({"--config", "c.yaml", "--cache-apps", "3"},
                             {{"KEEPERD_CACHE_APPS", "2"}, {"KEEPERD_MAX_IN_FLIGHT", "2"}}, file);
  EXPECT_THAT(started.problems, IsEmpty());
  EXPECT_EQ(started.command.options.cache_apps, 3);
  EXPECT_EQ(started.command.options.max_in_flight, 2);
  EXPECT_EQ(started.command.options.worker_threads, 1);
  EXPECT_EQ(started.command.options.keep_revisions, Options{}.keep_revisions);
  EXPECT_THAT(started.command.origins,
              UnorderedElementsAre(std::pair("cache_apps", "flag --cache-apps"),
                                   std::pair("max_in_flight", "environment KEEPERD_MAX_IN_FLIGHT"),
                                   std::pair("worker_threads", "file c.yaml:3"),
                                   std::pair("dev", "file c.yaml:4")));
}

TEST(CommandLineTest, FlagsTakeTheirValueBothWays) {
  const auto started = Start({"--dev", "--cache-apps=7", "--max-in-flight", "8"});
  EXPECT_THAT(started.problems, IsEmpty());
  EXPECT_TRUE(started.command.options.dev);
  EXPECT_EQ(started.command.options.cache_apps, 7);
  EXPECT_EQ(started.command.options.max_in_flight, 8);
  EXPECT_FALSE(Start({"--dev=false", "--data-dir=d"}).command.options.dev);
}

TEST(CommandLineTest, FileIsAlsoNamedByTheEnvironment) {
  const auto started = Start({}, {{"KEEPERD_CONFIG", "c.yaml"}}, "dev: true\n");
  EXPECT_THAT(started.problems, IsEmpty());
  EXPECT_TRUE(started.command.options.dev);
}

TEST(CommandLineTest, AllProblemsAreNamedAtOnceWithTheirPlace) {
  const auto started =
      Start({"--config", "c.yaml", "--grpc-adress", "x", "--cache-apps", "many", "stray",
             "--dev=maybe", "--log-level"},
            {{"KEEPERD_MAX_IN_FLIGHT", "0"}, {"KEEPERD_CACHE_APS", "1"}},
            "metrics_adress: 1\ndrain_timeout: [1]\ndrain_timeout: 10s\nheartbeat_interval: 1h\n");
  EXPECT_THAT(
      started.problems,
      UnorderedElementsAre(
          "unknown flag `--grpc-adress` (did you mean `--grpc-address`?)",
          HasSubstr("unexpected argument `stray`"), "flag --log-level: a value is missing",
          "c.yaml:1:1: error: metrics_adress: unknown key (did you mean `metrics_address`?)",
          "c.yaml:2:16: error: drain_timeout: got no single value",
          "c.yaml:3:1: error: drain_timeout: given twice",
          "c.yaml:4:21: error: heartbeat_interval: got `1h`, want a time from 100ms to 5s, such "
          "as 10s or 500ms",
          "environment KEEPERD_MAX_IN_FLIGHT: `max_in_flight`: got `0`, want a number from 1 to "
          "1000000",
          "environment: unknown variable `KEEPERD_CACHE_APS` (did you mean `KEEPERD_CACHE_APPS`?)",
          "flag --cache-apps: `cache_apps`: got `many`, want a number from 1 to 10000000",
          "flag --dev: `dev`: got `maybe`, want true or false"));
}

TEST(CommandLineTest, VariablesThatKubernetesMakesForAServiceOfOurNameAreLeftAlone) {
  EXPECT_THAT(Start({"--dev"}, {{"KEEPERD_SERVICE_HOST", "10.0.0.1"},
                                {"KEEPERD_SERVICE_PORT", "7420"},
                                {"KEEPERD_GRPC_SERVICE_PORT_GRPC", "7420"},
                                {"KEEPERD_GRPC_PORT", "tcp://10.0.0.1:7420"},
                                {"KEEPERD_PORT_7420_TCP", "tcp://10.0.0.1:7420"},
                                {"KEEPERD_PORT_7420_TCP_ADDR", "10.0.0.1"}})
                  .problems,
              IsEmpty());
}

TEST(CommandLineTest, EveryOtherVariableWithOurPrefixIsRefused) {
  for (const char* action : {"--check-config", "--print-config"}) {
    EXPECT_THAT(Start({"--dev", action}, {{"KEEPERD_NOTHING_WE_KNOW", "1"},
                                          {"KEEPERD_GRPC_PORT", "7420"},
                                          {"KEEPERD_PORT_NUMBER", "7420"},
                                          {"KEEPER_TOKEN", "another program's"}})
                    .problems,
                UnorderedElementsAre("environment: unknown variable `KEEPERD_NOTHING_WE_KNOW`",
                                     HasSubstr("unknown variable `KEEPERD_GRPC_PORT`"),
                                     HasSubstr("unknown variable `KEEPERD_PORT_NUMBER`")));
  }
}

TEST(CommandLineTest, FileThatIsMissingOrNoMappingIsSaidSo) {
  EXPECT_THAT(Start({"--dev", "--config", "other.yaml"}).problems,
              ElementsAre("config `other.yaml`: No such file or directory"));
  EXPECT_THAT(Start({"--dev", "--config", "c.yaml"}, {}, "- a\n").problems,
              ElementsAre(HasSubstr("want lines of `key: value`")));
  EXPECT_THAT(Start({"--dev", "--config", "c.yaml"}, {}, "dev: &a true\n").problems,
              ElementsAre(HasSubstr("c.yaml:1")));
  EXPECT_THAT(Start({"--dev", "--config", "c.yaml"}, {}, "").problems, IsEmpty());
  EXPECT_THAT(Start({"--dev", "--config", "c.yaml"}, {}, "# cache_apps: 1\n\n  # x").problems,
              IsEmpty());
}

TEST(CommandLineTest, FlagGivenTwiceIsRefused) {
  EXPECT_THAT(Start({"--dev", "--cache-apps=1", "--cache-apps=2"}).problems,
              ElementsAre("flag --cache-apps: given twice"));
}

TEST(CommandLineTest, NeitherDevNorDataIsAnErrorThatNamesBoth) {
  EXPECT_THAT(Start({}).problems,
              ElementsAre(::testing::AllOf(HasSubstr("--dev"), HasSubstr("--data-dir"))));
}

TEST(CommandLineTest, WithoutIdentitiesOnlyDevServes) {
  EXPECT_THAT(Start({"--data-dir", "d"}).problems, ElementsAre(HasSubstr("--dev is missing")));
}

TEST(CommandLineTest, DevKeepsToLoopback) {
  EXPECT_THAT(Start({"--dev", "--grpc-address=0.0.0.0:1", "--http-address=[::]:2",
                     "--metrics-address=192.168.0.1:3"})
                  .problems,
              ElementsAre(HasSubstr("`grpc_address`: got `0.0.0.0:1`, want a loopback address"),
                          HasSubstr("`http_address`"), HasSubstr("`metrics_address`")));
  EXPECT_THAT(Start({"--dev", "--grpc-address=unix:/run/k.sock", "--http-address=[::1]:2",
                     "--metrics-address=localhost:3"})
                  .problems,
              IsEmpty());
}

TEST(CommandLineTest, TwoListenersOnOneAddressAreRefused) {
  EXPECT_THAT(Start({"--dev", "--grpc-address=127.0.0.1:5", "--http-address=127.0.0.1:5"}).problems,
              ElementsAre("`grpc_address` and `http_address`: both are `127.0.0.1:5`"));
  EXPECT_THAT(Start({"--dev", "--grpc-address=127.0.0.1:0", "--http-address=127.0.0.1:0"}).problems,
              IsEmpty());
}

TEST(CommandLineTest, RestoreNeedsBothFolders) {
  const auto good = Start({"restore", "--from", "b", "--data-dir", "d"});
  EXPECT_THAT(good.problems, IsEmpty());
  EXPECT_EQ(good.command.action, Action::kRestore);
  EXPECT_EQ(good.command.restore_from, "b");
  EXPECT_THAT(Start({"restore"}).problems,
              ElementsAre(HasSubstr("--from"), HasSubstr("--data-dir")));
  EXPECT_THAT(Start({"--dev", "--from", "b"}).problems,
              ElementsAre("flag --from: only with `restore`"));
  EXPECT_THAT(Start({"restore", "--from=b", "--data-dir=d", "--check-config"}).problems,
              ElementsAre("flag --check-config: not together with `restore`"));
}

TEST(CommandLineTest, HelpAndVersionNeedNothingElse) {
  EXPECT_EQ(Start({"--help"}).command.action, Action::kHelp);
  EXPECT_EQ(Start({"--version"}).command.action, Action::kVersion);
  EXPECT_EQ(Start({"--check-config", "--dev"}).command.action, Action::kCheckConfig);
  EXPECT_EQ(Start({"--print-config", "--dev"}).command.action, Action::kPrintConfig);
}

TEST(PrintConfigTest, IsAsInTheGoldenAndReadsBack) {
  const auto started = Start({"--dev", "--data-dir", "/var/lib/keeper"},
                             {{"KEEPERD_LOG_LEVEL", "debug"}, {"KEEPERD_CONFIG", "c.yaml"}},
                             "drain_timeout: 1m30s\n");
  ASSERT_THAT(started.problems, IsEmpty());
  const std::string printed = PrintConfig(started.command);
  EXPECT_EQ(support::GoldenDifference("service/config/testdata/print_config.txt", printed), "");
}

TEST(PrintConfigTest, WhatItPrintsIsAConfigurationFile) {
  for (const Started& first : {Start({"--dev"}), Start({"--dev", "--data-dir", "/a \"b\"",
                                                        "--backup-dir", "/c", "--cache-apps=5"})}) {
    const auto second = Start({"--config", "c.yaml"}, {}, PrintConfig(first.command));
    EXPECT_THAT(second.problems, IsEmpty());
    EXPECT_EQ(second.command.options, first.command.options);
  }
}

TEST(HelpTest, IsAsInTheGolden) {
  EXPECT_EQ(support::GoldenDifference("service/config/testdata/help.txt", HelpText()), "");
}

TEST(ParseAddressTest, ReadsWhatItMay) {
  EXPECT_EQ(ParseAddress("127.0.0.1:7420")->port, 7420);
  EXPECT_EQ(ParseAddress("localhost:1")->host, "127.0.0.1");
  EXPECT_EQ(ParseAddress("[::1]:1")->host, "::1");
  EXPECT_TRUE(ParseAddress("127.9.9.9:1")->loopback);
  EXPECT_TRUE(ParseAddress("[::1]:1")->loopback);
  EXPECT_FALSE(ParseAddress("10.0.0.1:1")->loopback);
  EXPECT_FALSE(ParseAddress("[::ffff:127.0.0.1]:1")->loopback) << "not taken for loopback";
  EXPECT_EQ(ParseAddress("unix:/a")->unix_path, "/a");
  for (const char* bad :
       {"", "7420", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:1x", "example.com:1", "::1:1", "[::1]", "unix:", "[127.0.0.1:1", "[]:1"}) {
    EXPECT_EQ(ParseAddress(bad).has_value(), false) << bad;
  }
}

}  // namespace
}  // namespace bridgekeeper::service
