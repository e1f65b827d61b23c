// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Servers behind a URL, through the whole bridge.

#include <string>

#include "clients/bridge/http/bridge_server_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(UrlServer, IsServedAsThePolicyHasIt) {
  FakeHttpServer server;
  server.tools =
      R"([{"name":"do","inputSchema":{"type":"object"}},{"name":"hidden","inputSchema":{"type":"object"}}])";
  TestBridge bridge({Behind(server), Fake("two")});
  const auto session = bridge.Begin("/mcp");
  EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Request("tools/list"), session).body,
              AllOf(HasSubstr(R"("name":"one__do")"), HasSubstr(R"("name":"two__do")"),
                    Not(HasSubstr("one__hidden"))));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", "/mcp", Call("one__do"), session).body), "done");
  EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Call("one__hidden"), session).body,
              HasSubstr("TOOL_UNREVIEWED"));
  EXPECT_THAT(server.RequestsOf("tools/call"), SizeIs(1));
  EXPECT_THAT(bridge.Client().Ask("GET", "/health").body, HasSubstr(R"("ready":true)"));
}

// B221: what a client proves itself with is for the bridge, not for what is behind it.
TEST(UrlServer, NothingOfAClientsHeadersIsPassedOn) {
  FakeHttpServer server;
  TestBridge bridge({Behind(server)});
  auto session = bridge.Begin("/servers/one/mcp");
  session.emplace_back("Authorization", "Bearer of-the-client");
  session.emplace_back("Cookie", "of-the-client");
  session.emplace_back("X-Forwarded-For", "of-the-client");
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", "/servers/one/mcp", Call("do"), session).body),
            "done");
  for (const FakeRequest& request : server.requests()) {
    for (const auto& [name, value] : request.fields) {
      EXPECT_THAT(value, Not(HasSubstr("of-the-client"))) << name;
    }
  }
}

// A server that ends a call with an error that names what it means for the caller.
TEST(UrlServer, AnErrorOfTheWayReachesTheClient) {
  FakeHttpServer server([](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != "tools/call") return false;
    reply.Cut();
    return true;
  });
  TestBridge bridge({Behind(server)});
  const auto session = bridge.Begin("/servers/one/mcp");
  EXPECT_THAT(bridge.Client().Ask("POST", "/servers/one/mcp", Call("do"), session).body,
              HasSubstr("may have been carried out"));
  EXPECT_THAT(server.RequestsOf("tools/call"), SizeIs(1));
}

TEST(UrlServer, TheEndOfTheBridgeEndsItsSession) {
  FakeHttpServer server;
  TestBridge bridge({Behind(server)});
  bridge.Begin("/servers/one/mcp");
  ASSERT_TRUE(server.WaitFor("notifications/initialized"));
  bridge.Stop();
  EXPECT_THAT(server.RequestsOf("DELETE"), SizeIs(1));
}

// B141, B144: with the client's own prefix counted in.
TEST(UrlServer, ALongNameIsWarnedOfOnceWithItsLength) {
  FakeHttpServer server;
  const std::string fits(kClientNameBytes - kClientPrefix.size() - 5, 'f');
  const std::string is_long = fits + "g";
  server.tools = absl::StrFormat(
      R"([{"name":"%s","inputSchema":{"type":"object"}},{"name":"%s","inputSchema":{"type":"object"}}])",
      fits, is_long);
  TestBridge bridge({Behind(server)});
  for (int i = 0; i < 2; ++i) {
    const auto session = bridge.Begin("/mcp");
    bridge.Client().Ask("POST", "/mcp", Request("tools/list"), session);
  }
  const auto warned = bridge.log.EventsOf(
      "a tool's name is longer than common clients take, with the prefixes counted in");
  ASSERT_THAT(warned, SizeIs(1));
  EXPECT_EQ(warned[0].fields.at("tool"), is_long);
  EXPECT_EQ(warned[0].fields.at("bytes"), "65");
}

// ---- arguments that headers repeat (2026-07-28) ----------------------------------------

struct Params {
  std::string name;
  std::string arguments;
  HttpClient::Fields fields;
  int status;
};
class ParamsTest : public ::testing::TestWithParam<Params> {};

TEST_P(ParamsTest, HaveToAgree) {
  FakeHttpServer server;
  server.tools =
      R"([{"name":"do","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"at":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}])";
  TestBridge bridge({Behind(server)});
  HttpClient::Fields fields = {{"MCP-Protocol-Version", std::string(kStatelessVersion)},
                               {"Mcp-Method", "tools/call"},
                               {"Mcp-Name", "one__do"}};
  fields.insert(fields.end(), GetParam().fields.begin(), GetParam().fields.end());
  const Reply reply = bridge.Client().Ask(
      "POST", "/mcp",
      absl::StrFormat(
          R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one__do","arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}})",
          GetParam().arguments),
      fields);
  EXPECT_EQ(reply.status, GetParam().status) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr(GetParam().status == 200 ? "done" : R"("code":-32020)"));
  EXPECT_THAT(server.RequestsOf("tools/call"), SizeIs(GetParam().status == 200 ? 1 : 0));
}

INSTANTIATE_TEST_SUITE_P(
    UrlServer, ParamsTest,
    ::testing::Values(
        Params{"TheSame", R"({"region":"eu"})", {{"Mcp-Param-Region", "eu"}}, 200},
        Params{"TheSameInAnotherCase", R"({"region":"eu"})", {{"mcp-param-REGION", "eu"}}, 200},
        Params{"Encoded", R"({"region":"eu"})", {{"Mcp-Param-Region", "=?base64?ZXU=?="}}, 200},
        Params{"Nested", R"({"at":{"n":42}})", {{"Mcp-Param-N", "42.0"}}, 200},
        Params{"NoneOfThem", "{}", {}, 200},
        Params{"NullAndNoHeader", R"({"region":null})", {}, 200},
        Params{"OfNoArgumentOfTheTool", "{}", {{"Mcp-Param-Other", "x"}}, 200},
        Params{"Different", R"({"region":"eu"})", {{"Mcp-Param-Region", "us"}}, 400},
        Params{"Missing", R"({"region":"eu"})", {}, 400},
        Params{"WithoutAnArgument", "{}", {{"Mcp-Param-Region", "eu"}}, 400},
        Params{"Twice",
               R"({"region":"eu"})",
               {{"Mcp-Param-Region", "eu"}, {"mcp-param-region", "eu"}},
               400},
        Params{"NotDecodable", R"({"region":"eu"})", {{"Mcp-Param-Region", "=?base64?*?="}}, 400}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace bridgekeeper::bridge
