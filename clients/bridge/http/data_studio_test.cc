// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// POST /tools and POST /invoke as the npm client of data-studio uses them.

#include "clients/bridge/http/data_studio.h"

#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "clients/bridge/http/bridge_server_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

BridgeConfig WithDataStudio(Risk max_risk = Risk::kSafe) {
  BridgeConfig config;
  config.data_studio = DataStudioConfig{.max_risk = max_risk, .uids = {}};
  return config;
}

std::string InvokeBody(std::string_view name, std::string_view args = R"({"act":"echo"})",
                       std::string_view more = "") {
  return absl::StrFormat(R"({"name":"%s","args":%s%s})", name, args, more);
}

std::string Invoke(TestBridge& bridge, const std::string& body) {
  const Reply reply = bridge.Client().Ask("POST", "/invoke", body);
  EXPECT_EQ(reply.status, 200) << "the client reads the body's status only";
  EXPECT_EQ(reply.Field("content-type"), "application/json");
  EXPECT_THAT(JsonDocument::Parse(reply.body), IsOk()) << reply.body;
  return reply.body;
}

TEST(DataStudio, ListsToolsForAnEmptyBody) {
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio(Risk::kDestructive));
  const Reply reply = bridge.Client().Ask("POST", "/tools");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr(R"("name":"do")"), HasSubstr(R"("riskLevel":"safe")"),
                    HasSubstr(R"("name":"drop")"), HasSubstr(R"("riskLevel":"destructive")"),
                    HasSubstr(R"("connections":[])"), Not(HasSubstr(R"("name":"hidden")"))));
  EXPECT_THAT(bridge.Client().Ask("POST", "/tools?readonly=true").body,
              AllOf(HasSubstr(R"("name":"do")"), Not(HasSubstr("drop"))));
  EXPECT_EQ(bridge.Client().Ask("GET", "/").status, 200);
}

TEST(DataStudio, ANameThatBeginsWithAServersPrefixIsThatServers) {
  ServerConfig two = Fake("two");
  two.prefix = "d";
  // Of two every tool is hidden.
  TestBridge bridge({Fake("one"), two}, Policy({"one"}), {}, WithDataStudio(Risk::kDestructive));
  EXPECT_THAT(bridge.Client().Ask("POST", "/tools").body, HasSubstr(R"("name":"one__do")"));
  EXPECT_THAT(Invoke(bridge, InvokeBody("one__do")), HasSubstr("echo"));
  EXPECT_THAT(Invoke(bridge, InvokeBody("do")), Not(HasSubstr("echo")));
}

TEST(DataStudio, IsThereOnlyWhereItIsConfigured) {
  TestBridge bridge({Fake("one")});
  EXPECT_EQ(bridge.Client().Ask("POST", "/tools").status, 404);
  EXPECT_EQ(bridge.Client().Ask("POST", "/invoke", InvokeBody("do")).status, 404);
}

TEST(DataStudio, ListsSafeToolsOnlyUnlessToldOtherwise) {
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio());
  EXPECT_THAT(bridge.Client().Ask("POST", "/tools").body,
              AllOf(HasSubstr(R"("name":"do")"), Not(HasSubstr(R"("name":"drop")"))));
  EXPECT_THAT(Invoke(bridge, InvokeBody("drop")),
              AllOf(HasSubstr(R"("status":403)"), Not(HasSubstr("echo"))));
}

TEST(DataStudio, ListsTheConnectionsThatTheAllowlistHas) {
  AppData data = Policy({"one"});
  for (const char* id : {"prod", "staging"}) {
    ConnectionRecord record;
    record.app = AppId("app");
    record.id = ConnectionId(id);
    record.name = std::string("The ") + id;
    record.type = "postgres";
    data.connections.push_back(record);
  }
  data.policy.allowed_connection_ids = {ConnectionId("staging")};
  TestBridge bridge({Fake("one")}, std::move(data), {}, WithDataStudio());
  EXPECT_THAT(bridge.Client().Ask("POST", "/tools").body,
              AllOf(HasSubstr(R"({"id":"staging","name":"The staging","type":"postgres"})"),
                    Not(HasSubstr("prod"))));
}

TEST(DataStudio, AnswersWithWhatTheToolSaid) {
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio());
  EXPECT_EQ(Invoke(bridge, InvokeBody("do", R"({"x": [1, 2.50]})")),
            R"({"status":200,"data":{"x":[1,2.50]}})")
      << "text that is JSON is data";
  EXPECT_EQ(Invoke(bridge, InvokeBody("do", R"({"act":"big","n":3})")),
            R"({"status":200,"data":{"result":"xxx"}})");
  EXPECT_EQ(Invoke(bridge, InvokeBody("one__do", "{}")), R"({"status":200,"data":{}})")
      << "the prefixed name is understood";
}

TEST(DataStudio, PutsTheConnectionIntoTheArguments) {
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio());
  const auto data = [&](std::string_view args, std::string_view more) {
    return Invoke(bridge, InvokeBody("do", args, more));
  };
  EXPECT_THAT(data("{}", R"(,"connection_id":"7")"), HasSubstr(R"("data":{"connection_id":"7"})"));
  EXPECT_THAT(data("{}", R"(,"connection_id":7)"), HasSubstr(R"("data":{"connection_id":7})"));
  EXPECT_THAT(data("{}", R"(,"connection_id":null)"), HasSubstr(R"("data":{})"));
  EXPECT_THAT(data(R"({"connection_id":7})", R"(,"connection_id":"7")"),
              HasSubstr(R"("data":{"connection_id":7})"));
  EXPECT_THAT(data(R"({"connection_id":"8"})", R"(,"connection_id":"7")"),
              HasSubstr(R"("status":400)"));
  EXPECT_THAT(data("{}", R"(,"connection_id":[7])"), HasSubstr(R"("status":400)"));
}

struct BadInvoke {
  std::string name;
  std::string body;
  std::string want;
};
class BadInvokeTest : public ::testing::TestWithParam<BadInvoke> {};

TEST_P(BadInvokeTest, CarriesAStatusInItsBody) {
  TestBridge bridge({Fake("one"), Fake("two")}, {}, {}, WithDataStudio());
  EXPECT_THAT(Invoke(bridge, GetParam().body), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    DataStudio, BadInvokeTest,
    ::testing::Values(
        BadInvoke{"NoJson", "hello", R"("status":400)"}, BadInvoke{"Empty", "", R"("status":400)"},
        BadInvoke{"List", "[]", R"("status":400)"},
        BadInvoke{"NoName", R"({"args":{}})", R"("status":400,"message":"`name`)"},
        BadInvoke{"NoArgs", R"({"name":"do"})", R"("status":400,"message":"`args`)"},
        BadInvoke{"ArgsAsText", R"({"name":"do","args":"{}"})", R"("status":400)"},
        BadInvoke{"TwinKeys", R"({"name":"do","name":"drop","args":{}})", R"("status":400)"},
        BadInvoke{"KeysThatDifferByCase", R"({"name":"one__do","args":{"a":1,"A":2}})",
                  R"("status":400)"},
        BadInvoke{"UnknownTool", InvokeBody("nothing"), R"("status":404)"},
        BadInvoke{"UnknownToolOfAServer", InvokeBody("one__nothing"), R"("status":404)"},
        BadInvoke{"HiddenTool", InvokeBody("one__hidden"), R"("status":403)"},
        BadInvoke{"NameOfTwoServers", InvokeBody("do"), R"("status":404)"},
        BadInvoke{"ServerThatEnds", InvokeBody("one__do", R"({"act":"exit","n":1})"),
                  R"("status":400)"}),
    [](const auto& row) { return row.param.name; });

TEST(DataStudio, RefusesBeforeReadingWithAStatusToo) {
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio());
  const Reply reply =
      bridge.Client().Ask("POST", "/invoke", InvokeBody("do"), {{"Origin", "http://evil.example"}});
  EXPECT_EQ(reply.status, 403);
  EXPECT_THAT(reply.body, HasSubstr(R"("status":403)"));
  EXPECT_THAT(
      bridge.Client()
          .Ask("POST", "/invoke", "", {{"Content-Length", std::to_string(kMaxHttpBodyBytes + 1)}})
          .body,
      HasSubstr(R"("status":413)"));
}

TEST(DataStudio, AsksNobody) {
  // FULL_ACCESS answers a destructive call with ASK, which needs a person.
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio(Risk::kDestructive));
  EXPECT_THAT(bridge.Client().Ask("POST", "/tools").body, HasSubstr(R"("name":"drop")"));
  EXPECT_THAT(Invoke(bridge, InvokeBody("drop")), HasSubstr(R"("status":403)"));
  EXPECT_THAT(Invoke(bridge, InvokeBody("do", R"({"act":"ask"})")),
              HasSubstr("nobody who could be asked"));
}

TEST(DataStudio, ShowsAChangedPolicyAtOnce) {
  TestBridge bridge({Fake("one")}, {}, {}, WithDataStudio());
  EXPECT_THAT(Invoke(bridge, InvokeBody("do")), HasSubstr(R"("status":200)"));
  AppData data = Policy({"one"});
  data.policy.suspended = true;
  bridge.policies.SetPolicy(std::move(data));
  EXPECT_THAT(Invoke(bridge, InvokeBody("do")), HasSubstr(R"("status":403)"));
  EXPECT_THAT(bridge.Client().Ask("POST", "/tools").body, HasSubstr(R"("tools":[])"));
}

TEST(DataStudio, CancelsWhereTheClientLeaves) {
  FakeHttpServer server([](const FakeRequest& request, FakeReply& reply) {
    return request.rpc_method == "tools/call" && reply.WaitGone();
  });
  TestBridge bridge({Behind(server)}, {}, {}, WithDataStudio());
  HttpClient client = bridge.Client();
  client.Send("POST", "/invoke", InvokeBody("do"));
  ASSERT_TRUE(server.WaitFor("tools/call"));
  client.Close();
  EXPECT_TRUE(server.WaitFor("notifications/cancelled"));
  bridge.WaitForInFlight(0);
}

TEST(DataStudio, ACallWhoseClientLeavesBeforeItsServerIsKnownIsNotMade) {
  std::promise<void> asked, gone;
  std::atomic<bool> is_first = true;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply&) {
    if (request.rpc_method != "tools/list" || !is_first.exchange(false)) return false;
    asked.set_value();
    EXPECT_EQ(gone.get_future().wait_for(absl::ToChronoSeconds(support::kDeadline)),
              std::future_status::ready);
    return false;
  });
  TestBridge bridge({Behind(server)}, {}, {}, WithDataStudio());
  HttpClient watcher = bridge.Client();
  HttpClient client = bridge.Client();
  client.Send("POST", "/invoke", InvokeBody("do"));
  ASSERT_EQ(asked.get_future().wait_for(absl::ToChronoSeconds(support::kDeadline)),
            std::future_status::ready);
  client.Close();
  EXPECT_TRUE(support::WaitUntil([&] {
    return watcher.Ask("GET", "/metrics").body.find("bridgekeeper_bridge_http_connections 1\n") !=
           std::string::npos;
  }));
  gone.set_value();
  EXPECT_THAT(Invoke(bridge, InvokeBody("do")), HasSubstr("done"));
  EXPECT_THAT(server.RequestsOf("tools/call"), SizeIs(1));
}

// A call by the process of another user; what the bridge answered.
std::string InvokeAs(uid_t uid, uint16_t port) {
  int answer[2];
  EXPECT_EQ(pipe(answer), 0);
  const std::string body = InvokeBody("do");
  const std::string request = absl::StrFormat(
      "POST /invoke HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
      body.size(), body);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const pid_t child = fork();
  if (child == 0) {
    // Only what is safe after a fork of a process with threads.
    if (setuid(uid) != 0) _exit(1);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(2);
    if (write(fd, request.data(), request.size()) < 0) _exit(3);
    char bytes[4096];
    ssize_t n;
    while ((n = read(fd, bytes, sizeof bytes)) > 0) {
      if (write(answer[1], bytes, static_cast<size_t>(n)) < 0) _exit(4);
    }
    _exit(0);
  }
  close(answer[1]);
  std::string text;
  char bytes[4096];
  ssize_t n;
  while ((n = read(answer[0], bytes, sizeof bytes)) > 0) text.append(bytes, static_cast<size_t>(n));
  close(answer[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(DataStudio, KnowsTheUserOfItsCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can call as another user";
  constexpr uid_t kOther = 65534;
  TestBridge closed({Fake("one")}, {}, {}, WithDataStudio());
  EXPECT_THAT(InvokeAs(geteuid(), closed.port()), HasSubstr(R"("status":200)"));
  EXPECT_THAT(InvokeAs(kOther, closed.port()),
              AllOf(HasSubstr(R"("status":403)"), HasSubstr("user 65534 may not call")));
  BridgeConfig config = WithDataStudio();
  config.data_studio->uids = {kOther};
  TestBridge open({Fake("one")}, {}, {}, std::move(config));
  EXPECT_THAT(InvokeAs(kOther, open.port()), HasSubstr(R"("status":200)"));
}

// ---- the port file -----------------------------------------------------------------------

class PortFileTest : public ::testing::Test {
 protected:
  PortFileTest() {
    setenv("DATA_STUDIO_DATA_DIR", home_.c_str(), 1);
    file_ = home_ + "/.local/share/club.geekfun.sqlkit/mcp-port";
  }
  ~PortFileTest() override {
    unsetenv("DATA_STUDIO_DATA_DIR");
    std::filesystem::remove_all(home_);
  }

  static BridgeConfig Announcing() {
    BridgeConfig config;
    config.announce = Announce::kSqlkit;
    return config;
  }
  std::string Text() const {
    std::ifstream in(file_);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  }
  void Write(const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path());
    std::ofstream(file_) << text;
  }

  const std::string home_ = absl::StrFormat("%sport-file-%d", ::testing::TempDir(), getpid());
  std::string file_;
};

TEST_F(PortFileTest, NamesThePortWhileTheBridgeServes) {
  {
    TestBridge bridge({Fake("one")}, {}, {}, Announcing());
    EXPECT_EQ(Text(), std::to_string(bridge.port()));
    EXPECT_THAT(bridge.Client().Ask("POST", "/tools").body, HasSubstr(R"("name":"do")"));
    EXPECT_THAT(bridge.Client().Ask("GET", "/health").body, HasSubstr(R"("app":"sqlkit")"));
  }
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(PortFileTest, ReplacesOneWhereNobodyListens) {
  for (const char* stale : {"1", "garbage", "", "99999999"}) {
    Write(stale);
    TestBridge bridge({Fake("one")}, {}, {}, Announcing());
    EXPECT_EQ(Text(), std::to_string(bridge.port())) << stale;
  }
}

TEST_F(PortFileTest, LeavesAnotherProgramItsPlace) {
  TestBridge first({Fake("one")}, {}, {}, Announcing());
  boost::asio::io_context io;
  BridgeConfig config = Announcing();
  config.listen = "127.0.0.1:0";
  config.servers = {Fake("one")};
  EXPECT_THAT(BridgeServer::Create(io, std::move(config), first.Parts()),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(Text(), std::to_string(first.port()));
}

}  // namespace
}  // namespace bridgekeeper::bridge
