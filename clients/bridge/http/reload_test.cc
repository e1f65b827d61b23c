// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Another configuration while clients are connected, with real sockets and real server
// processes.

#include <string>

#include "clients/bridge/http/bridge_server_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAll = "/mcp";

ServerConfig WithVariable(ServerConfig server, const std::string& name, const std::string& value) {
  server.environment.push_back({.name = name, .value = value});
  return server;
}

class ReloadTest : public ::testing::Test {
 protected:
  std::string Ask(const std::string& path, const std::string& body,
                  const HttpClient::Fields& session) {
    return bridge_.Client().Ask("POST", path, body, session).body;
  }
  std::string List(const std::string& path, const HttpClient::Fields& session) {
    return Ask(path, Request("tools/list"), session);
  }
  // The process behind a tool.
  std::string Pid(const std::string& path, const std::string& tool,
                  const HttpClient::Fields& session) {
    const std::string text = TextIn(Ask(path, Call(tool, "pids"), session));
    return text.substr(0, text.find(' '));
  }
  static bool Runs(const std::string& pid) { return support::IsRunning(atoi(pid.c_str())); }

  TestBridge bridge_{{Fake("one"), Fake("two")}, Policy({"one", "two", "three"})};
};

TEST_F(ReloadTest, AddsAServerForClientsThatAreThere) {
  const auto session = bridge_.Begin(kAll);
  EXPECT_THAT(List(kAll, session), Not(HasSubstr("three__do")));
  HttpClient stream = bridge_.Client();
  stream.Ask("GET", kAll, "", session);
  const std::string pid = Pid(kAll, "one__do", session);
  ASSERT_THAT(bridge_.Reload({Fake("one"), Fake("two"), Fake("three")}), IsOk());
  EXPECT_THAT(stream.NextEvent()->data, HasSubstr("notifications/tools/list_changed"));
  const std::string list = List(kAll, session);
  EXPECT_THAT(list, AllOf(HasSubstr("one__do"), HasSubstr("two__do"), HasSubstr("three__do")));
  EXPECT_THAT(TextIn(Ask(kAll, Call("three__do"), session)), HasSubstr("echo"));
  EXPECT_EQ(Pid(kAll, "one__do", session), pid) << "an unchanged server keeps its process";
  bridge_.Begin("/servers/three/mcp");
}

// Both while clients are there, and neither is in the way of the other.
TEST_F(ReloadTest, AServerAndThenARuleForItAreInForce) {
  bridge_.policies.SetPolicy(Policy({"one", "two"}));
  const auto session = bridge_.BeginAndList(kAll);
  ASSERT_THAT(bridge_.Reload({Fake("one"), Fake("two"), Fake("three")}), IsOk());
  EXPECT_THAT(List(kAll, session), AllOf(HasSubstr("one__do"), Not(HasSubstr("three__do"))));
  EXPECT_THAT(Ask(kAll, Call("three__do"), session), HasSubstr("TOOL_UNREVIEWED"));
  bridge_.policies.SetPolicy(Policy({"one", "two", "three"}));
  EXPECT_THAT(List(kAll, session), HasSubstr("three__do"));
  EXPECT_THAT(TextIn(Ask(kAll, Call("three__do"), session)), HasSubstr("echo"));
  bridge_.policies.SetPolicy(Policy({"two", "three"}));
  EXPECT_THAT(List(kAll, session), Not(HasSubstr("one__do")));
  EXPECT_THAT(Ask(kAll, Call("one__do"), session), HasSubstr("TOOL_UNREVIEWED"));
}

TEST_F(ReloadTest, LeavesUnchangedServersTheirProcessAndSessions) {
  const auto own = bridge_.Begin("/servers/one/mcp");
  const std::string pid = Pid("/servers/one/mcp", "do", own);
  ASSERT_THAT(bridge_.Reload({Fake("two", {"--crlf"}), Fake("one")}), IsOk());
  EXPECT_EQ(Pid("/servers/one/mcp", "do", own), pid);
}

// The environment and the prefix; the connection and the rest go the same way.
TEST_F(ReloadTest, StartsAServerAnewWhateverChanged) {
  const auto session = bridge_.Begin(kAll);
  std::string pid = Pid(kAll, "one__do", session);
  ServerConfig changed = WithVariable(Fake("one"), "BK_MARK", "of the new one");
  ASSERT_THAT(bridge_.Reload({changed, Fake("two")}), IsOk());
  EXPECT_THAT(TextIn(Ask(kAll, Call("one__do", "environment"), session)),
              HasSubstr("BK_MARK=of the new one"));
  EXPECT_TRUE(support::WaitUntil([&] { return !Runs(pid); })) << "the old one is gone";

  pid = Pid(kAll, "one__do", session);
  changed.prefix = "first__";
  ASSERT_THAT(bridge_.Reload({changed, Fake("two")}), IsOk());
  EXPECT_THAT(List(kAll, session), AllOf(HasSubstr("first__do"), Not(HasSubstr("one__do"))));
  EXPECT_THAT(Ask(kAll, Call("one__do"), session), HasSubstr("begins with a server's prefix"));
  EXPECT_TRUE(support::WaitUntil([&] { return !Runs(pid); }));
}

TEST_F(ReloadTest, RemovesAServer) {
  const auto session = bridge_.Begin(kAll);
  const auto own = bridge_.Begin("/servers/two/mcp");
  const std::string pid = Pid(kAll, "two__do", session);
  ASSERT_THAT(bridge_.Reload({Fake("one")}), IsOk());
  EXPECT_THAT(List(kAll, session), AllOf(HasSubstr("one__do"), Not(HasSubstr("two__do"))));
  EXPECT_EQ(bridge_.Client().Ask("POST", "/servers/two/mcp", Request("ping"), own).status, 404);
  EXPECT_EQ(bridge_.Client().Ask("POST", "/servers/two/mcp", kInitialize).status, 404);
  EXPECT_TRUE(support::WaitUntil([&] { return !Runs(pid); }));
  EXPECT_EQ(bridge_.Client().Ask("POST", kAll, Request("ping"), session).status, 200);
}

TEST_F(ReloadTest, SessionsOfAChangedServerBeginAgain) {
  const auto old = bridge_.Begin("/servers/two/mcp");
  HttpClient stream = bridge_.Client();
  stream.Ask("GET", "/servers/two/mcp", "", old);
  ASSERT_THAT(bridge_.Reload({Fake("one"), Fake("two", {"--crlf"})}), IsOk());
  EXPECT_EQ(stream.NextEvent(), std::nullopt) << "its stream has ended";
  EXPECT_EQ(bridge_.Client().Ask("POST", "/servers/two/mcp", Request("ping"), old).status, 404);
  const auto session = bridge_.Begin("/servers/two/mcp");
  EXPECT_THAT(List("/servers/two/mcp", session), HasSubstr("\"do\""));
}

// The call is asked back and goes on only when the test says so.
TEST_F(ReloadTest, CallsInFlightEndAtTheServerThatHasThem) {
  for (const std::string path : {"/mcp", "/servers/two/mcp"}) {
    const std::string tool = path == kAll ? "two__do" : "do";
    const auto session = bridge_.Begin(path);
    const std::string pid = Pid(path, tool, session);
    HttpClient call = bridge_.Client();
    call.Ask("POST", path, Call(tool, "ask", 0, "7"), session);
    const auto question = call.NextEvent();
    ASSERT_TRUE(question);
    const auto document = JsonDocument::Parse(question->data);
    ASSERT_THAT(document, IsOk());
    const std::string id(document->root().Find("id")->raw());
    ASSERT_THAT(bridge_.Reload({Fake("one")}), IsOk());
    EXPECT_TRUE(Runs(pid));
    EXPECT_EQ(
        bridge_.Client()
            .Ask("POST", path,
                 absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}})", id),
                 session)
            .status,
        202);
    const auto answer = call.NextEvent();
    ASSERT_TRUE(answer);
    EXPECT_THAT(answer->data, AllOf(HasSubstr(R"("id":7)"), HasSubstr("accept")));
    EXPECT_TRUE(support::WaitUntil([&] { return !Runs(pid); })) << "then it ends";
    ASSERT_THAT(bridge_.Reload({Fake("one"), Fake("two")}), IsOk());
  }
}

TEST(Reload, EndsWhatIsInFlightAfterTheDrainTimeout) {
  TestBridge bridge({Fake("one"), Fake("two")}, {}, {.drain_timeout = absl::Milliseconds(50)});
  const auto session = bridge.Begin(kAll);
  HttpClient call = bridge.Client();
  call.Send("POST", kAll, Call("two__do", "no_answer", 0, "7"), session);
  ASSERT_TRUE(support::WaitUntil([&] {
    return bridge.Client()
               .Ask("GET", "/metrics")
               .body.find("bridgekeeper_bridge_requests_in_flight 1") != std::string::npos;
  }));
  ASSERT_THAT(bridge.Reload({Fake("one")}), IsOk());
  EXPECT_THAT(call.Read().body, AllOf(HasSubstr(R"("id":7)"), HasSubstr("has ended")));
}

TEST_F(ReloadTest, StopsWhileAServerIsStillEnding) {
  const auto session = bridge_.Begin(kAll);
  HttpClient call = bridge_.Client();
  call.Send("POST", kAll, Call("two__do", "late", 100), session);
  ASSERT_THAT(bridge_.Reload({Fake("one")}), IsOk());
  bridge_.Stop();
}

TEST_F(ReloadTest, ChangesNothingOnAnError) {
  const auto session = bridge_.Begin(kAll);
  const std::string pid = Pid(kAll, "one__do", session);
  ServerConfig bad = Fake("three");
  bad.environment.push_back({.name = "BK_NO_SUCH_VARIABLE", .value = std::nullopt});
  EXPECT_THAT(bridge_.Reload({bad}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("BK_NO_SUCH_VARIABLE")));
  EXPECT_THAT(
      bridge_.Reload({Fake("one")}, [](BridgeConfig& config) { config.listen = "127.0.0.1:1"; }),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("listen")));
  EXPECT_THAT(List(kAll, session), AllOf(HasSubstr("one__do"), HasSubstr("two__do")));
  EXPECT_EQ(Pid(kAll, "one__do", session), pid);
}

TEST_F(ReloadTest, TellsClientsThatListenWithoutASession) {
  HttpClient listener = bridge_.Client();
  const HttpClient::Fields headers = {{"MCP-Protocol-Version", "2026-07-28"},
                                      {"Mcp-Method", "subscriptions/listen"}};
  listener.Ask(
      "POST", kAll,
      Request(
          "subscriptions/listen", "1",
          R"({"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}})"),
      headers);
  EXPECT_THAT(listener.NextEvent()->data, HasSubstr("acknowledged"));
  ASSERT_THAT(bridge_.Reload({Fake("one")}), IsOk());
  EXPECT_THAT(listener.NextEvent()->data, HasSubstr("notifications/tools/list_changed"));
}

TEST_F(ReloadTest, ServesAndUnservesDataStudio) {
  HttpClient client = bridge_.Client();
  EXPECT_EQ(client.Ask("POST", "/tools", "{}").status, 404);
  ASSERT_THAT(bridge_.Reload({Fake("one"), Fake("two")},
                             [](BridgeConfig& config) { config.data_studio.emplace(); }),
              IsOk());
  EXPECT_EQ(client.Ask("POST", "/tools", "{}").status, 200);
  ASSERT_THAT(
      bridge_.Reload({Fake("one")}, [](BridgeConfig& config) { config.data_studio.emplace(); }),
      IsOk());
  EXPECT_THAT(client.Ask("POST", "/tools", "{}").body, Not(HasSubstr("two__")));
  ASSERT_THAT(
      bridge_.Reload({Fake("one")}, [](BridgeConfig& config) { config.data_studio.reset(); }),
      IsOk());
  EXPECT_EQ(client.Ask("POST", "/tools", "{}").status, 404);
}

TEST_F(ReloadTest, CountsOnlyGrow) {
  const auto session = bridge_.Begin(kAll);
  Ask(kAll, Call("two__do"), session);
  const auto count = [&](const std::string& name) {
    const std::string page = bridge_.Client().Ask("GET", "/metrics").body;
    const size_t at = page.find("\n" + name + " ");
    EXPECT_NE(at, std::string::npos) << name;
    return atoi(page.c_str() + at + 1 + name.size());
  };
  ASSERT_TRUE(
      support::WaitUntil([&] { return count("bridgekeeper_bridge_server_starts_total") == 2; }));
  const int lists = count("bridgekeeper_bridge_lists_read_total");
  ASSERT_THAT(bridge_.Reload({Fake("one")}), IsOk());
  EXPECT_TRUE(
      support::WaitUntil([&] { return count("bridgekeeper_bridge_server_ends_total") == 1; }));
  EXPECT_EQ(count("bridgekeeper_bridge_server_starts_total"), 2);
  EXPECT_GE(count("bridgekeeper_bridge_lists_read_total"), lists);
  EXPECT_EQ(count("bridgekeeper_bridge_servers"), 1);
}

TEST_F(ReloadTest, ManyInARowLeaveNothingBehind) {
  const auto session = bridge_.Begin(kAll);
  for (int i = 0; i < 20; ++i) {
    ASSERT_THAT(bridge_.Reload({Fake("one"), WithVariable(Fake("two"), "N", std::to_string(i))}),
                IsOk());
    if (i % 5 == 0) Ask(kAll, Call("two__do"), session);
  }
  EXPECT_THAT(TextIn(Ask(kAll, Call("two__do", "environment"), session)), HasSubstr("N=19"));
  EXPECT_TRUE(support::WaitUntil([&] {
    const std::string health = bridge_.Client().Ask("GET", "/health").body;
    return health.find(R"("tools":3)") != std::string::npos;
  }));
}

}  // namespace
}  // namespace bridgekeeper::bridge
