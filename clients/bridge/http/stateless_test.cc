// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MCP 2026-07-28 on the same endpoints: requests that carry all they need.

#include "clients/bridge/http/stateless.h"

#include "clients/bridge/http/bridge_server_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kOne = "/servers/one/mcp";

std::string Meta(std::string_view version = kStatelessVersion) {
  return absl::StrFormat(
      R"({"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}})",
      version);
}

std::string Modern(std::string_view method, std::string_view members = "",
                   std::string_view id = "1", std::string_view meta = "") {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s"_meta":%s}})", id,
                         method, members, meta.empty() ? Meta() : std::string(meta));
}

std::string ModernCall(std::string_view tool, std::string_view act = "echo",
                       std::string_view id = "1") {
  return Modern("tools/call",
                absl::StrFormat(R"("name":"%s","arguments":{"act":"%s","n":0},)", tool, act), id);
}

HttpClient::Fields Headers(std::string_view method, std::string_view name = "") {
  HttpClient::Fields fields = {{"MCP-Protocol-Version", std::string(kStatelessVersion)},
                               {"Mcp-Method", std::string(method)}};
  if (!name.empty()) fields.emplace_back("Mcp-Name", std::string(name));
  return fields;
}

TEST(Stateless, NeedsNoSession) {
  TestBridge bridge({Fake("one")});
  const Reply list = bridge.Client().Ask("POST", kOne, Modern("tools/list"), Headers("tools/list"));
  EXPECT_EQ(list.status, 200) << list.body;
  EXPECT_THAT(list.body, AllOf(HasSubstr(R"("name":"do")"), HasSubstr(R"("resultType":"complete")"),
                               HasSubstr(R"("ttlMs":)"), HasSubstr(R"("cacheScope":"private")"),
                               Not(HasSubstr("hidden\""))));
  EXPECT_THAT(list.Field("mcp-session-id"), IsEmpty());
  const Reply call = bridge.Client().Ask("POST", kOne, ModernCall("do", "echo", "\"a\""),
                                         Headers("tools/call", "do"));
  EXPECT_EQ(TextIn(call.body), R"({"act":"echo","n":0})");
  EXPECT_THAT(call.body, AllOf(HasSubstr(R"("id":"a")"), HasSubstr(R"("resultType":"complete")")));
  EXPECT_THAT(
      bridge.Client().Ask("POST", kOne, ModernCall("hidden"), Headers("tools/call", "hidden")).body,
      AllOf(HasSubstr("TOOL_UNREVIEWED"), HasSubstr(R"("resultType":"complete")")));
}

TEST(Stateless, HasNoStreamOfItsOwnAndNothingToEnd) {
  TestBridge bridge({Fake("one")});
  for (const char* method : {"GET", "DELETE", "PUT"}) {
    const Reply reply = bridge.Client().Ask(
        method, kOne, "", {{"MCP-Protocol-Version", std::string(kStatelessVersion)}});
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.Field("allow"), "POST") << method;
  }
}

TEST(Stateless, ListsInTheSameOrderEachTime) {
  TestBridge bridge({Fake("one"), Fake("two")});
  const std::string first =
      bridge.Client().Ask("POST", "/mcp", Modern("tools/list"), Headers("tools/list")).body;
  EXPECT_THAT(first, AllOf(HasSubstr("one__do"), HasSubstr("two__do")));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bridge.Client().Ask("POST", "/mcp", Modern("tools/list"), Headers("tools/list")).body,
              first);
  }
}

// Clients without a session share one view of all servers: none has less for the others.
TEST(Stateless, ListsForManyClientsAtOnce) {
  TestBridge bridge({Fake("one"), Fake("two", {"--silent"})});
  std::vector<HttpClient> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(bridge.Client());
    // Two kinds of equal requests, and some like no other.
    const std::string own = i < 30 ? "" : absl::StrFormat(R"("x":%d,)", i);
    const std::string method = i % 2 == 0 ? "tools/list" : "prompts/list";
    clients.back().Send("POST", "/mcp", Modern(method, own, std::to_string(i)), Headers(method));
  }
  for (int i = 0; i < 40; ++i) {
    const Reply reply = clients[static_cast<size_t>(i)].Read();
    const std::string answer = LastWord(clients[static_cast<size_t>(i)], reply);
    EXPECT_THAT(answer,
                AllOf(HasSubstr(absl::StrFormat(R"("id":%d,)", i)), Not(HasSubstr("-32000"))));
    EXPECT_THAT(answer, HasSubstr(i % 2 == 0 ? "one__do" : "jsonrpc"));
  }
}

TEST(Stateless, ServesBothErasAtOnce) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, ModernCall("do"), Headers("tools/call", "do")).body,
              HasSubstr("resultType"));
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("do"), session).body,
              Not(HasSubstr("resultType")));
}

TEST(Stateless, SaysWhatItSupports) {
  TestBridge bridge({Fake("one")});
  const Reply reply =
      bridge.Client().Ask("POST", "/mcp", Modern("server/discover"), Headers("server/discover"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr(R"("supportedVersions":["2026-07-28","2025-11-25")"),
                    HasSubstr(R"("capabilities":{"tools":{"listChanged":true})"),
                    HasSubstr(R"("io.modelcontextprotocol/serverInfo":{"name":"bridgekeeper")")));
}

struct BadRequest {
  std::string name;
  std::string body;
  HttpClient::Fields fields;
  int status;
  std::string want;
};
class BadStatelessTest : public ::testing::TestWithParam<BadRequest> {};

TEST_P(BadStatelessTest, IsRefused) {
  TestBridge bridge({Fake("one")});
  const Reply reply = bridge.Client().Ask("POST", kOne, GetParam().body, GetParam().fields);
  EXPECT_EQ(reply.status, GetParam().status) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr(GetParam().want));
}

HttpClient::Fields Without(HttpClient::Fields fields, std::string_view name) {
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return fields;
}

INSTANTIATE_TEST_SUITE_P(
    Stateless, BadStatelessTest,
    ::testing::Values(
        BadRequest{"AnotherVersion",
                   Modern("tools/list", "", "1", Meta("1900-01-01")),
                   {{"MCP-Protocol-Version", "1900-01-01"}, {"Mcp-Method", "tools/list"}},
                   400,
                   R"("code":-32022)"},
        BadRequest{"VersionThatDiffers",
                   Modern("tools/list"),
                   {{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/list"}},
                   400,
                   R"("code":-32020)"},
        BadRequest{"NoVersionHeader", Modern("tools/list"),
                   Without(Headers("tools/list"), "MCP-Protocol-Version"), 400, R"("code":-32020)"},
        BadRequest{"BlankVersionHeader",
                   Modern("tools/list"),
                   {{"MCP-Protocol-Version", " "}, {"Mcp-Method", "tools/list"}},
                   400,
                   R"("code":-32020)"},
        BadRequest{"NoMeta", Request("tools/list"), Headers("tools/list"), 400, R"("code":-32602)"},
        BadRequest{"NoCapabilities",
                   Modern("tools/list", "", "1",
                          R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"),
                   Headers("tools/list"), 400, R"("code":-32602)"},
        BadRequest{"NoMethodHeader", Modern("tools/list"),
                   Without(Headers("tools/list"), "Mcp-Method"), 400, R"("code":-32020)"},
        BadRequest{"MethodThatDiffers", Modern("tools/list"), Headers("tools/call"), 400,
                   "got `tools/call`, and the body has `tools/list`"},
        BadRequest{"MethodInAnotherCase", Modern("tools/list"), Headers("Tools/List"), 400,
                   R"("code":-32020)"},
        BadRequest{"NoName", ModernCall("do"), Headers("tools/call"), 400, R"("code":-32020)"},
        BadRequest{"NameThatDiffers", ModernCall("drop"), Headers("tools/call", "do"), 400,
                   R"("code":-32020)"},
        BadRequest{"NameThatIsNoBase64", ModernCall("do"), Headers("tools/call", "=?base64?!?="),
                   400, R"("code":-32020)"},
        BadRequest{"UnknownMethod", Modern("tools/destroy"), Headers("tools/destroy"), 404,
                   R"("code":-32601)"},
        BadRequest{"MethodOfTheEraBefore", Modern("ping"), Headers("ping"), 404,
                   R"("code":-32601)"},
        BadRequest{"InitializeWithMeta", Modern("initialize"), Headers("initialize"), 404,
                   R"("code":-32601)"},
        BadRequest{"Answer", R"({"jsonrpc":"2.0","id":1,"result":{}})", Headers("x"), 400,
                   R"("code":-32600)"}),
    [](const auto& row) { return row.param.name; });

// As a client sends it that asks by another method than its transport thinks.
TEST(Stateless, AHeaderThatDiffersSpoilsThatRequestAlone) {
  TestBridge bridge({Fake("one")});
  HttpClient client = bridge.Client();
  const std::string body = Modern("server/discover", "", "7");
  const Reply refused = client.Ask("POST", kOne, body, Headers("initialize"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, AllOf(HasSubstr(R"("id":7)"), HasSubstr(R"("code":-32020)"),
                                  HasSubstr("`initialize`"), HasSubstr("`server/discover`")));
  EXPECT_EQ(client.Ask("POST", kOne, body, Headers("server/discover")).status, 200);
  EXPECT_EQ(client.Ask("POST", kOne, ModernCall("do"), Headers("tools/call", "do")).status, 200);
}

TEST(Stateless, DecodesANameThatIsEncoded) {
  TestBridge bridge({Fake("one")});
  EXPECT_EQ(bridge.Client()
                .Ask("POST", kOne, ModernCall("do"), Headers("tools/call", "=?base64?ZG8=?="))
                .status,
            200);
  EXPECT_EQ(DecodeHeaderValue("do"), "do");
  EXPECT_EQ(DecodeHeaderValue("=?base64?SGVsbG8sIOS4lueVjA==?="), "Hello, 世界");
  EXPECT_EQ(DecodeHeaderValue("=?base64?"
                              "?="),
            "");
  EXPECT_EQ(DecodeHeaderValue("=?base64?*?="), std::nullopt);
  EXPECT_EQ(DecodeHeaderValue("=?base64?="), "=?base64?=");
}

TEST(Stateless, TakesANotificationIn) {
  TestBridge bridge({Fake("one")});
  const Reply reply = bridge.Client().Ask(
      "POST", kOne,
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
      {{"MCP-Protocol-Version", std::string(kStatelessVersion)}});
  EXPECT_EQ(reply.status, 202);
  EXPECT_THAT(reply.body, IsEmpty());
}

TEST(Stateless, TellsListenersOfAChangedList) {
  TestBridge bridge({Fake("one")});
  HttpClient listener = bridge.Client();
  const Reply head = listener.Ask(
      "POST", kOne,
      Modern("subscriptions/listen",
             R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://y"]},)",
             "\"sub\""),
      Headers("subscriptions/listen"));
  EXPECT_EQ(head.status, 200);
  EXPECT_THAT(listener.NextEvent()->data,
              AllOf(HasSubstr("notifications/subscriptions/acknowledged"),
                    HasSubstr(R"("io.modelcontextprotocol/subscriptionId":"sub")"),
                    HasSubstr(R"("notifications":{"toolsListChanged":true})")));
  // The list that the change is told from has been read once this one is answered.
  bridge.Client().Ask("POST", kOne, Modern("tools/list"), Headers("tools/list"));
  bridge.policies.SetPolicy(Policy({"one"}, Mode::kReadOnly));
  EXPECT_THAT(listener.NextEvent()->data,
              AllOf(HasSubstr("notifications/tools/list_changed"),
                    HasSubstr(R"("io.modelcontextprotocol/subscriptionId":"sub")")));
  EXPECT_THAT(bridge.Client()
                  .Ask("POST", kOne, ModernCall("do", "list_changed"), Headers("tools/call", "do"))
                  .status,
              200);
  EXPECT_THAT(listener.NextEvent()->data, HasSubstr("notifications/tools/list_changed"));
}

TEST(Stateless, CancelsARequestWhoseStreamIsClosed) {
  TestBridge bridge({Fake("one")});
  // Else the call waits for a list of tools, and the server has not seen it.
  bridge.Client().Ask("POST", kOne, Modern("tools/list"), Headers("tools/list"));
  HttpClient client = bridge.Client();
  client.Send("POST", kOne, ModernCall("do", "no_answer"), Headers("tools/call", "do"));
  const auto in_flight = [&](int n) {
    return support::WaitUntil([&] {
      return bridge.Client()
                 .Ask("GET", "/metrics")
                 .body.find(absl::StrFormat("bridgekeeper_bridge_requests_in_flight %d\n", n)) !=
             std::string::npos;
    });
  };
  EXPECT_TRUE(in_flight(1));
  client.Close();
  EXPECT_TRUE(in_flight(0));
  EXPECT_THAT(
      TextIn(bridge.Client()
                 .Ask("POST", kOne, ModernCall("do", "cancelled"), Headers("tools/call", "do"))
                 .body),
      Not(IsEmpty()));
}

TEST(Stateless, DoesNotAskInTheMiddleOfACall) {
  TestBridge bridge({Fake("one")});
  EXPECT_THAT(TextIn(bridge.Client()
                         .Ask("POST", kOne, ModernCall("do", "ask"), Headers("tools/call", "do"))
                         .body),
              HasSubstr("cannot be asked"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
