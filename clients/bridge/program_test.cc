// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The program itself: a process between this test as its client and a fake server,
// following a fake keeperd.

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clients/bridge/http/http_client_test_util.h"
#include "clients/bridge/program_test_util.h"
#include "clients/sdk/testing/fake_pdp.h"
#include "clients/sdk/testing/watch_messages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/process.h"
#include "runtime/signals.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Call(std::string_view act) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do","arguments":{"act":")" +
         std::string(act) + R"("}}})";
}

TEST_F(ProgramTest, DecidesOnWhatKeeperdSendsAndReportsIt) {
  Program program(pdp_.address(), {}, {server_});
  program.Send(Call("echo"));  // waits for the policy
  const auto watch = GivePolicy();
  EXPECT_THAT(program.Read(), HasSubstr(R"(\"act\":\"echo\")"));
  watch->Send(clients::Changes(3, {clients::EntryDeleted(3, "app", "stdio", "do")}));
  EXPECT_TRUE(support::WaitUntil(
      [&] { return program.Ask(Call("echo")).find("TOOL_UNREVIEWED") != std::string::npos; }));
  EXPECT_TRUE(support::WaitUntil([&] { return records().size() >= 2 && !tools().empty(); }));
  EXPECT_EQ(records()[0].tool(), "do");
  EXPECT_EQ(records()[0].app(), "app");
  EXPECT_EQ(records()[0].server(), "stdio");
  EXPECT_EQ(records()[0].decision().verdict(), v1::VERDICT_ALLOW);
  EXPECT_EQ(records()[0].arguments_digest().size(), 64u);
  EXPECT_EQ(tools()[0].tools_size(), 3);
}

TEST_F(ProgramTest, WhatIsReportedAtTheEndIsNotLost) {
  Program program(pdp_.address(), {}, {server_});
  program.Send(Call("echo"));
  const auto watch = GivePolicy();
  program.Read();
  program.CloseInput();
  EXPECT_EQ(program.End(), "exit code 0");
  EXPECT_THAT(records(), SizeIs(1));
}

TEST_F(ProgramTest, NoSecretReachesTheServer) {
  Program program(pdp_.address(), {}, {server_});
  program.Send(Call("environment"));
  const auto watch = GivePolicy();
  EXPECT_EQ(watch->authorization(), "Bearer secret-token") << "it reached keeperd";
  EXPECT_THAT(program.Read(),
              AllOf(HasSubstr("OTHER=kept"), Not(HasSubstr("KEEPER_")), Not(HasSubstr("secret"))));
}

TEST_F(ProgramTest, NoSecretReachesTheLog) {
  Program program(pdp_.address(), {}, {server_, "--password", "hunter2"});
  program.CloseInput();
  std::string log;
  for (std::string line; (line = program.ReadLog("")) != "<end>";) log += line + "\n";
  EXPECT_THAT(log,
              AllOf(HasSubstr("serving"), Not(HasSubstr("secret")), Not(HasSubstr("hunter2"))));
}

// Its memory holds a token.
TEST_F(ProgramTest, LeavesNoCoreFile) {
  Program program(pdp_.address(), {}, {server_});
  program.ReadLog("serving");
  std::ifstream file("/proc/" + std::to_string(program.pid()) + "/limits");
  const std::string limits{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(limits, ::testing::ContainsRegex("Max core file size +0 +0"));
}

TEST_F(ProgramTest, WithoutKeeperdEverythingIsDenied) {
  std::string nobody;
  {
    const clients::FakePdp gone;
    nobody = gone.address();
  }
  Program program(nobody, {"--policy-wait", "300ms"}, {server_});
  // Until the first connection has failed it is not known why nothing has come.
  EXPECT_TRUE(support::WaitUntil([&] {
    const std::string line = program.Ask(Call("echo"));
    EXPECT_THAT(line, AnyOf(HasSubstr("POLICY_MISSING"), HasSubstr("PDP_UNREACHABLE")));
    return line.find("PDP_UNREACHABLE") != std::string::npos;
  }));
}

TEST_F(ProgramTest, AReadOnlyBridgeDeniesMoreThanReads) {
  Program program(pdp_.address(), {"--readonly"}, {server_});
  program.Send(Call("echo"));
  auto watch = pdp_.NextWatch(absl::Seconds(30));
  ASSERT_NE(watch, nullptr);
  watch->Send(
      clients::Snapshot(2, {clients::PolicyChange(1, "app", Mode::kFullAccess),
                            clients::EntryChange(2, "app", "stdio", "do", Risk::kElevated)}));
  EXPECT_THAT(program.Read(), HasSubstr("READ_ONLY_BRIDGE"));
}

// ---- exit codes -------------------------------------------------------------------

TEST_F(ProgramTest, EndsWithZeroWhenTheClientEnds) {
  Program program(pdp_.address(), {}, {server_});
  EXPECT_THAT(program.Ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), HasSubstr("result"));
  program.CloseInput();
  EXPECT_EQ(program.End(), "exit code 0");
}

TEST_F(ProgramTest, EndsWithZeroOnEverySignalThatStops) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    Program program(pdp_.address(), {}, {server_});
    EXPECT_THAT(program.Ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), HasSubstr("result"));
    program.Signal(signal);
    EXPECT_EQ(program.End(), "exit code 0") << signal;
  }
}

TEST_F(ProgramTest, EndsWithOneWhenTheServerEnds) {
  Program program(pdp_.address(), {}, {"/bin/sh", "-c", "exit 5"});
  EXPECT_EQ(program.End(), "exit code 1");
  EXPECT_THAT(program.ReadLog("the server ended"), HasSubstr("exit code 5"));
}

TEST_F(ProgramTest, EndsWithThreeWhenTheServerDoesNotStart) {
  Program program(pdp_.address(), {}, {"/no/such/server"});
  EXPECT_EQ(program.End(), "exit code 3");
  EXPECT_THAT(program.ReadLog("does not start"), HasSubstr("/no/such/server"));
}

TEST_F(ProgramTest, EndsWithTwoOnABadAddress) {
  Program program("keeper.example:7420", {}, {server_});
  EXPECT_EQ(program.End(), "exit code 2");
}

// ---- serve ------------------------------------------------------------------------

TEST_F(ProgramTest, ServesAConfiguration) {
  const std::string file = WriteConfig(
      "app: app\nlisten: 127.0.0.1:0\nservers:\n  one:\n    command: ['" + server_ + "']\n");
  Program program(pdp_.address(), {"serve", "--config", file});
  const auto watch = pdp_.NextWatch(absl::Seconds(30));
  ASSERT_NE(watch, nullptr);
  watch->Send(clients::Snapshot(2, {clients::PolicyChange(1, "app", Mode::kFullAccess),
                                    clients::EntryChange(2, "app", "one", "do", Risk::kSafe)}));
  const std::string log = program.ReadLog("serving");
  const size_t colon = log.find("127.0.0.1:");
  ASSERT_NE(colon, std::string::npos) << log;
  HttpClient client(static_cast<uint16_t>(atoi(log.c_str() + colon + 10)));
  const Reply begun = client.Ask(
      "POST", "/mcp",
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
  ASSERT_EQ(begun.status, 200);
  const std::string call =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one__do","arguments":{"act":"environment"}}})";
  EXPECT_THAT(
      client.Ask("POST", "/mcp", call, {{"Mcp-Session-Id", begun.Field("mcp-session-id")}}).body,
      AllOf(HasSubstr("PATH="), Not(HasSubstr("KEEPER_")), Not(HasSubstr("OTHER"))));
  EXPECT_TRUE(support::WaitUntil([&] { return !records().empty() && !tools().empty(); }));
  EXPECT_EQ(records()[0].server(), "one");
  EXPECT_EQ(records()[0].tool(), "do");
  program.Signal(SIGTERM);
  EXPECT_EQ(program.End(), "exit code 0");
}

TEST_F(ProgramTest, ChecksAConfiguration) {
  const std::string good = "app: app\nservers: {one: {command: [x]}}\n";
  const std::string file = WriteConfig(good);
  Program valid(pdp_.address(), {"serve", "--config", file, "--check-config"});
  EXPECT_EQ(valid.Read(), file + " is valid");
  EXPECT_EQ(valid.End(), "exit code 0");
  WriteConfig(good, 0666);
  Program open(pdp_.address(), {"serve", "--config", file, "--check-config"});
  EXPECT_THAT(open.ReadLog("0666"), HasSubstr("neither group nor others"));
  EXPECT_EQ(open.End(), "exit code 2");
  WriteConfig("app: app\nservers: {one: {comand: [x]}}\n");
  Program wrong(pdp_.address(), {"serve", "--config", file});
  EXPECT_THAT(wrong.ReadLog("comand"), HasSubstr(file + ":2:"));
  EXPECT_EQ(wrong.End(), "exit code 2");
  WriteConfig(good + "keeper: {addresses: ['127.0.0.1:1', '127.0.0.1:2']}\n");
  Program unserved(pdp_.address(), {"serve", "--config", file, "--check-config"});
  EXPECT_THAT(unserved.ReadLog("keeper"), HasSubstr("this build follows one keeperd"));
  EXPECT_EQ(unserved.End(), "exit code 2");
  WriteConfig("app: app\nservers: {one: {command: [x], prefix: " + std::string(60, 'p') + "}}\n");
  Program warned(pdp_.address(), {"serve", "--config", file, "--check-config"});
  EXPECT_THAT(warned.ReadLog("servers.one"), HasSubstr(": warning: "));
  EXPECT_EQ(warned.End(), "exit code 0");
}

// ---- reload -----------------------------------------------------------------------

class ServeTest : public ProgramTest {
 protected:
  std::string Server(const std::string& name, const std::string& more = "") const {
    return "  " + name + ":\n    command: ['" + server_ + "']\n" + more;
  }
  static std::string Config(const std::string& servers, const std::string& more = "") {
    return "app: app\nlisten: 127.0.0.1:0\n" + more + "servers:\n" + servers;
  }
  static v1::WatchPoliciesResponse Policies(const std::string& app) {
    return clients::Snapshot(4, {clients::PolicyChange(1, app, Mode::kFullAccess),
                                 clients::EntryChange(2, app, "one", "do", Risk::kSafe),
                                 clients::EntryChange(3, app, "two", "do", Risk::kSafe)});
  }

  // Starts it with this configuration, gives it the policy of `app`, and begins a session.
  void Start(const std::string& config, std::vector<std::string> flags = {}) {
    file_ = WriteConfig(config);
    std::vector<std::string> arguments = {"serve", "--config", file_};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    program_.emplace(pdp_.address(), arguments);
    watch_ = pdp_.NextWatch(absl::Seconds(30));
    ASSERT_NE(watch_, nullptr);
    watch_->Send(Policies("app"));
    const std::string log = program_->ReadLog("\"serving\"");
    const size_t colon = log.find("127.0.0.1:");
    ASSERT_NE(colon, std::string::npos) << log;
    port_ = static_cast<uint16_t>(atoi(log.c_str() + colon + 10));
    const Reply begun = Client().Ask(
        "POST", "/mcp",
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
    ASSERT_EQ(begun.status, 200);
    session_ = {{"Mcp-Session-Id", begun.Field("mcp-session-id")}};
  }

  HttpClient Client() const { return HttpClient(port_); }
  std::string CallOf(const std::string& tool, const std::string& act = "echo") const {
    HttpClient client = Client();
    const Reply reply =
        client.Ask("POST", "/mcp",
                   R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
                       R"(","arguments":{"act":")" + act + R"("}}})",
                   session_);
    if (reply.Field("content-type") != "text/event-stream") return reply.body;
    // It took a while, as one does that waits for the policy. The first event has no data.
    std::string data;
    while (data.empty()) {
      const auto event = client.NextEvent();
      if (!event) return "<end>";
      data = event->data;
    }
    return data;
  }
  std::string Health() const { return Client().Ask("GET", "/health").body; }
  std::string Metrics() const { return Client().Ask("GET", "/metrics").body; }

  std::string file_;
  std::optional<Program> program_;
  std::shared_ptr<clients::FakePdp::Watch> watch_;
  uint16_t port_ = 0;
  HttpClient::Fields session_;
};

TEST_F(ServeTest, ReloadsOnSighup) {
  Start(Config(Server("one")));
  EXPECT_THAT(CallOf("one__do", "lines"), Not(HasSubstr("error")));
  WriteConfig(Config(Server("one") + Server("two", "    env: {MARK: s3cret}\n")));
  program_->Signal(SIGHUP);
  const std::string log = program_->ReadLog("was reloaded");
  EXPECT_THAT(log, AllOf(HasSubstr("servers.two: added, app app, "), HasSubstr("SIGHUP"),
                         Not(HasSubstr("s3cret"))));
  EXPECT_THAT(CallOf("two__do", "environment"), HasSubstr("MARK=s3cret"));
  EXPECT_THAT(Metrics(), AllOf(HasSubstr("bridgekeeper_bridge_config_current 1"),
                               HasSubstr("bridgekeeper_bridge_config_reloads_total 1"),
                               HasSubstr("bridgekeeper_bridge_config_reload_failures_total 0")));
  program_->Signal(SIGTERM);
  EXPECT_EQ(program_->End(), "exit code 0");
}

TEST_F(ServeTest, KeepsTheOldConfigurationOnAnyError) {
  Start(Config(Server("one")));
  const std::string good = Config(Server("two"));
  int failures = 0;
  const auto is_refused = [&](const std::string& why) {
    program_->Signal(SIGHUP);
    EXPECT_THAT(program_->ReadLog("was not reloaded"), HasSubstr(why));
    EXPECT_THAT(Health(),
                AllOf(HasSubstr(R"("status":"degraded")"), HasSubstr(R"("current":false)")));
    EXPECT_THAT(Metrics(), AllOf(HasSubstr("bridgekeeper_bridge_config_current 0"),
                                 HasSubstr("bridgekeeper_bridge_config_reload_failures_total " +
                                           std::to_string(++failures))));
    EXPECT_THAT(CallOf("one__do"), HasSubstr("echo"));
  };
  WriteConfig(good.substr(0, good.size() / 2));
  is_refused("error: ");
  WriteConfig(good, 0620);
  is_refused("0620");
  WriteConfig(good + "keeper: {token_file: /no/such/token}\n");
  is_refused("/no/such/token");
  WriteConfig(Config(Server("two"), "keeper: {addresses: ['keeper.example:1']}\n"));
  is_refused("keeper.example:1");
  WriteConfig(good + "announce: sqlkit\n");
  is_refused("announce");
  WriteConfig(Config(Server("two", "    env: {BK_NO_SUCH_VARIABLE:}\n")));
  is_refused("BK_NO_SUCH_VARIABLE");
  ASSERT_EQ(unlink(file_.c_str()), 0);
  is_refused("No such file");
  WriteConfig(good);
  program_->Signal(SIGHUP);
  EXPECT_THAT(program_->ReadLog("was reloaded"), HasSubstr("servers.one: removed"));
  EXPECT_THAT(CallOf("two__do"), HasSubstr("echo"));
  EXPECT_THAT(Health(), HasSubstr(R"("current":true)"));
}

// A keeperd that was started again has forgotten which tools there are, and nobody could
// review or approve one.
TEST_F(ServeTest, TellsItsToolsAgainAfterItsKeeperWasAway) {
  ASSERT_NO_FATAL_FAILURE(Start(Config(Server("one"))));
  EXPECT_THAT(CallOf("one__do"), HasSubstr("echo"));
  const auto told = [&] {
    return std::ranges::count_if(
        tools(), [](const v1::ReportToolsRequest& request) { return request.server() == "one"; });
  };
  ASSERT_TRUE(support::WaitUntil([&] { return told() > 0; }));
  const auto before = told();
  watch_->End(absl::UnavailableError("of the test"));
  watch_ = pdp_.NextWatch(absl::Seconds(30));
  ASSERT_NE(watch_, nullptr);
  watch_->Send(Policies("app"));
  EXPECT_TRUE(support::WaitUntil([&] { return told() > before; }));
}

TEST_F(ServeTest, DoesNotLookAtTheFileUnlessItIsTold) {
  Start(Config(Server("one") + Server("two")));
  WriteConfig(Config(Server("one")));
  // The signal is read after whatever the file would have caused.
  WriteConfig(Config(Server("one") + Server("two")));
  program_->Signal(SIGHUP);
  EXPECT_THAT(program_->ReadLog("was read again"), HasSubstr("nothing in it has changed"));
  EXPECT_THAT(Metrics(), HasSubstr("bridgekeeper_bridge_config_reloads_total 1"));
}

TEST_F(ServeTest, AChangeOfTheFileAppliesWhatOpensNothing) {
  Start(Config(Server("one") + Server("two")), {"--reload-on-change"});
  WriteConfig(Config(Server("two", "    prefix: second\n") + Server("three")));
  const std::string applied = program_->ReadLog("was reloaded");
  EXPECT_THAT(applied, AllOf(HasSubstr("servers.one: removed"), HasSubstr("the file changed"),
                             Not(HasSubstr("servers.two.prefix")), Not(HasSubstr("three"))));
  EXPECT_THAT(program_->ReadLog("wait for SIGHUP"),
              AllOf(HasSubstr("servers.three: added"), HasSubstr("servers.two.prefix")));
  EXPECT_THAT(Health(), AllOf(HasSubstr(R"("current":false)"), HasSubstr(R"("held":2)"),
                              Not(HasSubstr(R"("three")"))));
  EXPECT_THAT(Metrics(), HasSubstr("bridgekeeper_bridge_config_changes_held 2"));
  EXPECT_THAT(CallOf("two__do"), HasSubstr("echo"));
  program_->Signal(SIGHUP);
  EXPECT_THAT(program_->ReadLog("was reloaded"), HasSubstr("servers.three: added"));
  EXPECT_THAT(Health(), AllOf(HasSubstr(R"("current":true)"), HasSubstr(R"("three")")));
}

TEST_F(ServeTest, AChangeOfTheFileThatIsNoConfigurationIsRefused) {
  Start(Config(Server("one")), {"--reload-on-change"});
  WriteConfig("app: [\n");
  EXPECT_THAT(program_->ReadLog("was not reloaded"), HasSubstr("error: "));
  WriteConfig(Config(Server("one")));
  EXPECT_THAT(program_->ReadLog("was read again"), HasSubstr("nothing in it has changed"));
  ASSERT_EQ(chmod(file_.c_str(), 0666), 0);
  EXPECT_THAT(program_->ReadLog("was not reloaded"), HasSubstr("0666"));
  EXPECT_THAT(CallOf("one__do"), HasSubstr("echo"));
}

TEST_F(ServeTest, FollowsAnotherAppWithoutAGap) {
  Start(Config(Server("one")));
  WriteConfig(Config(Server("one") + Server("two", "    app: other\n")));
  program_->Signal(SIGHUP);
  program_->ReadLog("was reloaded");
  const auto next = pdp_.NextWatch(absl::Seconds(30));
  ASSERT_NE(next, nullptr);
  EXPECT_THAT(CallOf("one__do"), HasSubstr("echo")) << "what is known stays in force";
  auto both = clients::Snapshot(6, {clients::PolicyChange(1, "app", Mode::kFullAccess),
                                    clients::EntryChange(2, "app", "one", "do", Risk::kSafe),
                                    clients::PolicyChange(5, "other", Mode::kFullAccess),
                                    clients::EntryChange(6, "other", "two", "do", Risk::kSafe)});
  next->Send(both);
  EXPECT_TRUE(support::WaitUntil(
      [&] { return CallOf("two__do").find(R"(\"act\":\"echo\")") != std::string::npos; }));
  EXPECT_THAT(CallOf("one__do"), HasSubstr("echo"));
}

TEST_F(ServeTest, BelievesNothingOfAKeeperThatItLeft) {
  clients::FakePdp other;
  Start(Config(Server("one")));
  EXPECT_THAT(CallOf("one__do"), HasSubstr("echo"));
  WriteConfig(Config(Server("one"), "keeper: {addresses: ['" + other.address() + "']}\n"));
  program_->Signal(SIGHUP);
  EXPECT_THAT(program_->ReadLog("was reloaded"), HasSubstr("keeper.addresses: none -> "));
  EXPECT_THAT(CallOf("one__do"), AnyOf(HasSubstr("POLICY_MISSING"), HasSubstr("PDP_UNREACHABLE")));
  const auto watch = other.NextWatch(absl::Seconds(30));
  ASSERT_NE(watch, nullptr);
  watch->Send(Policies("app"));
  EXPECT_TRUE(support::WaitUntil(
      [&] { return CallOf("one__do").find(R"(\"act\":\"echo\")") != std::string::npos; }));
}

// On a reload too, in the form of the log.
TEST_F(ServeTest, LogsWhatIsWorthALook) {
  const std::string odd =
      Server("one") + Server("two", "    prefix: " + std::string(60, 'p') + "\n");
  file_ = WriteConfig(Config(odd));
  Program program(pdp_.address(), {"serve", "--config", file_});
  EXPECT_THAT(program.ReadLog("servers.two"),
              AllOf(StartsWith("{"), HasSubstr(R"("level":"warn)"), HasSubstr("worth a look")));
  program.ReadLog("\"serving\"");
  WriteConfig(Config(odd + Server("three")));
  program.Signal(SIGHUP);
  EXPECT_THAT(program.ReadLog("worth a look"), HasSubstr("servers.two"));
  program.Signal(SIGTERM);
  EXPECT_EQ(program.End(), "exit code 0");
}

TEST_F(ServeTest, GivesItsOwnCredentialToNoServer) {
  const std::string token = ::testing::TempDir() + "/own.token";
  const std::string other_name = ::testing::TempDir() + "/other-name.token";
  std::ofstream(token) << "secret";
  ASSERT_EQ(chmod(token.c_str(), 0600), 0);
  unlink(other_name.c_str());
  ASSERT_EQ(link(token.c_str(), other_name.c_str()), 0);
  for (const std::string& name : {token, other_name}) {
    for (const std::string& given :
         {"servers: {one: {url: 'https://a.example', headers: {X-Key: {file: '" + name + "'}}}}\n",
          "connections: {c: {type: postgres, dsn_file: '" + name + "'}}\n"}) {
      const std::string file =
          WriteConfig("app: app\nkeeper: {token_file: '" + token + "'}\n" + given);
      Program program(pdp_.address(), {"serve", "--config", file, "--check-config"});
      EXPECT_THAT(program.ReadLog("error"), HasSubstr("a server is never given it")) << given;
      EXPECT_EQ(program.End(), "exit code 2");
    }
  }
}

TEST_F(ServeTest, RefusesACredentialThatOthersMayWrite) {
  const std::string token = ::testing::TempDir() + "/bridge.token";
  std::ofstream(token) << "secret";
  ASSERT_EQ(chmod(token.c_str(), 0660), 0);
  const std::string file =
      WriteConfig(Config(Server("one"), "keeper: {token_file: '" + token + "'}\n"));
  Program program(pdp_.address(), {"serve", "--config", file});
  EXPECT_THAT(program.ReadLog("0660"), HasSubstr("neither group nor others"));
  EXPECT_EQ(program.End(), "exit code 2");
}

// ---- its own end without a word -----------------------------------------------------

// Killed, it cannot end its server: one that obeys neither the end of its input nor
// SIGTERM, and what that has started, end all the same.
TEST_F(ProgramTest, LeavesNoServerBehindWhenItIsKilled) {
  Program program(pdp_.address(), {}, {server_, "--ignore-end", "--ignore-term"});
  program.Send(Call("pids"));
  const auto watch = GivePolicy();
  const std::string line = program.Read();
  const size_t begin = line.find("\"text\":\"");
  ASSERT_NE(begin, std::string::npos) << line;
  int server = 0;
  int grandchild = 0;
  ASSERT_EQ(sscanf(line.c_str() + begin, "\"text\":\"%d %d\"", &server, &grandchild), 2) << line;
  ASSERT_TRUE(support::IsRunning(server));
  ASSERT_TRUE(support::IsRunning(grandchild));
  program.Signal(SIGKILL);
  EXPECT_EQ(program.End(), "signal 9 (KILL)");
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(server); }));
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(grandchild); }));
}

// ---- its own standard error ---------------------------------------------------------

TEST_F(ProgramTest, LivesOnWhenNobodyReadsItsLog) {
  Program program(pdp_.address(), {}, {server_});
  program.CloseLog();
  program.Send(Call("stderr_lines"));
  const auto watch = GivePolicy();
  EXPECT_THAT(program.Read(), HasSubstr("stderr_lines"));
  EXPECT_THAT(program.Ask("not json"), HasSubstr("-32700"));
  program.CloseInput();
  EXPECT_EQ(program.End(), "exit code 0");
}

// Number 2 would else be the next that it opens, a pipe to its server or a socket.
TEST_F(ProgramTest, WritesItsLogNowhereWhereItHasNoStandardError) {
  Program program(pdp_.address(), {}, {server_}, {"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&-"});
  program.Send(Call("echo"));
  const auto watch = GivePolicy();
  EXPECT_THAT(program.Read(), HasSubstr("echo"));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(program.Ask("not json"), HasSubstr("-32700"));
  EXPECT_THAT(program.Ask(Call("lines")), HasSubstr(R"("text":"3")"))
      << "the list of tools, the call before and this one";
  char place[256] = "";
  const std::string link = "/proc/" + std::to_string(program.pid()) + "/fd/2";
  if (readlink(link.c_str(), place, sizeof place - 1) < 0 && errno == EACCES) {
    GTEST_SKIP() << "only root may look at the descriptors of a process that is not dumpable";
  }
  EXPECT_STREQ(place, "/dev/null");
  program.CloseInput();
  EXPECT_EQ(program.End(), "exit code 0");
  EXPECT_THAT(records(), SizeIs(2));
}

TEST_F(ProgramTest, LivesOnWhenItsLogIsNotReadAndFull) {
  Program program(pdp_.address(), {"--policy-wait", "1ms"}, {server_, "--stderr-flood", "1000000"});
  for (int i = 0; i < 2000; ++i) ASSERT_THAT(program.Ask("not json"), HasSubstr("-32700"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
