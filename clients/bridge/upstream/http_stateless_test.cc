// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Servers behind a URL that keep no session (MCP 2026-07-28).

#include "clients/bridge/upstream/http_transport.h"

#include "clients/bridge/upstream/http_transport_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// ---- the stateless era -----------------------------------------------------------------------

TEST(HttpTransportStateless, ItsRequestsCarryAllTheyNeed) {
  FakeHttpServer server;
  server.is_stateless = true;
  server.tools =
      R"([{"name":"do","inputSchema":{"type":"object","properties":{"where":{"type":"string","x-mcp-header":"Region"}}}}])";
  UrlClient client(server);
  client.Ask(RequestOf("tools/list"));
  EXPECT_THAT(client.Ask(CallOf("2", "do", R"({"where":"a b","n":1})"), "2"), HasSubstr("done"));
  client.Stop();
  const auto calls = server.RequestsOf("tools/call");
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].Field("mcp-protocol-version"), "2026-07-28");
  EXPECT_EQ(calls[0].Field("mcp-method"), "tools/call");
  EXPECT_EQ(calls[0].Field("mcp-name"), "do");
  EXPECT_EQ(calls[0].Field("mcp-param-region"), "a b");
  EXPECT_EQ(calls[0].Field("mcp-session-id"), "");
  EXPECT_THAT(calls[0].body,
              AllOf(HasSubstr(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"),
                    HasSubstr(R"("io.modelcontextprotocol/clientInfo":{"name":"bridgekeeper")"),
                    HasSubstr(R"("io.modelcontextprotocol/clientCapabilities":{})"),
                    HasSubstr(R"("arguments":{"where":"a b","n":1})")));
  // Once, to find out; nothing of a session after that.
  EXPECT_EQ(server.CountOf("initialize"), 1u);
  EXPECT_EQ(server.CountOf("notifications/initialized"), 0u);
  EXPECT_EQ(server.CountOf("GET") + server.CountOf("DELETE"), 0u);
}

TEST(HttpTransportStateless, TheClientHearsOfItWhatASessionWouldSay) {
  FakeHttpServer server;
  server.is_stateless = true;
  UrlClient client(server);
  const std::string begun = client.Ask(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})");
  EXPECT_THAT(begun, AllOf(HasSubstr(R"("protocolVersion":"2025-06-18")"),
                           HasSubstr(R"("capabilities":{"tools":{"listChanged":true}})"),
                           HasSubstr(R"("instructions":"be kind")")));
  EXPECT_THAT(client.Ask(RequestOf("ping", "2"), "2"), HasSubstr(R"("result":{})"));
  EXPECT_EQ(server.CountOf("ping"), 0u);
  EXPECT_THAT(client.Ask(RequestOf("prompts/list", "3"), "3"), HasSubstr("-32601"));
}

TEST(HttpTransportStateless, AToolWhoseHeadersBreakTheRulesIsLeftOut) {
  FakeHttpServer server;
  server.is_stateless = true;
  server.tools =
      R"([{"name":"bad","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}},{"name":"good"}])";
  UrlClient client(server);
  EXPECT_THAT(client.Ask(RequestOf("tools/list")),
              AllOf(HasSubstr(R"("name":"good")"), Not(HasSubstr(R"("name":"bad")"))));
  EXPECT_THAT(client.log.EventsOf("a tool is left out: what it wants in headers breaks the rules"),
              SizeIs(1));
}

TEST(HttpTransportStateless, ACallOfAToolThatHasChangedItsHeadersIsToBeDecidedAgain) {
  std::atomic<bool> has_changed = false;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method == "tools/list" && has_changed) {
      reply.Result(
          request,
          R"({"tools":[{"name":"do","inputSchema":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}]})");
      return true;
    }
    if (request.rpc_method != "tools/call" || !has_changed) return false;
    if (request.Field("mcp-param-n") == "7") return false;
    reply.Json(absl::StrFormat(
                   R"({"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"Mcp-Param-N"}})",
                   request.id),
               400);
    return true;
  });
  server.is_stateless = true;
  UrlClient client(server);
  client.Ask(CallOf("1"));
  has_changed = true;
  EXPECT_THAT(client.Ask(CallOf("2", "do", R"({"n":7})"), "2"),
              HasSubstr("its tools have changed; the request was not carried out"));
  EXPECT_TRUE(client.WaitForFrame(kChanged));
  EXPECT_THAT(client.Ask(CallOf("3", "do", R"({"n":7})"), "3"), HasSubstr("done"));
}

TEST(HttpTransportStateless, EndingTheStreamCancels) {
  std::atomic<bool> is_gone = false;
  FakeHttpServer server(On("tools/call", [&](const FakeRequest&, FakeReply& reply) {
    reply.BeginEvents();
    is_gone = reply.WaitGone();
    reply.Cut();
  }));
  server.is_stateless = true;
  UrlClient client(server);
  client.Send(CallOf("5"));
  ASSERT_TRUE(server.WaitFor("tools/call"));
  client.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_TRUE(support::WaitUntil([&] { return is_gone.load(); }));
  EXPECT_EQ(server.CountOf("notifications/cancelled"), 0u);
}

TEST(HttpTransportStateless, HearsOfChangesFromItsSubscription) {
  FakeHttpServer server(On("subscriptions/listen", [&](const FakeRequest& request,
                                                       FakeReply& reply) {
    reply.BeginEvents();
    const std::string meta =
        absl::StrFormat(R"("_meta":{"io.modelcontextprotocol/subscriptionId":%s})", request.id);
    reply.Event(absl::StrFormat(
        R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{%s}})",
        meta));
    reply.Event(absl::StrFormat(
        R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{%s}})", meta));
    reply.Event(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
    reply.WaitGone();
    reply.Cut();
  }));
  server.is_stateless = true;
  UrlClient client(server);
  EXPECT_TRUE(client.WaitForFrame(R"("method":"notifications/prompts/list_changed"})"));
  EXPECT_THAT(client.frames(), Not(Contains(HasSubstr("elicitation"))));
  EXPECT_THAT(server.RequestsOf("subscriptions/listen")[0].body,
              HasSubstr(R"("notifications":{"toolsListChanged":true)"));
}

// What it asks for passes to a client that has said that it can be asked, and to no other.
TEST(HttpTransportStateless, AnAnswerThatAsksForInputPassesToAClientOfThatEra) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.Result(request, R"({"resultType":"input_required","requestState":"s"})");
  }));
  server.is_stateless = true;
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("asks for input in its answer"));
  EXPECT_THAT(
      client.Ask(
          CallOf(
              "2", "do", "{}",
              R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}})"),
          "2"),
      HasSubstr("input_required"));
  EXPECT_THAT(server.RequestsOf("tools/call")[1].body,
              AllOf(HasSubstr(R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}})"),
                    HasSubstr(R"("io.modelcontextprotocol/clientInfo":{"name":"c")")));
}

TEST(HttpTransport, AServerOfTheSessionEraIsNotSentWhatOnlyTheOtherHas) {
  FakeHttpServer server;
  UrlClient client(server);
  client.Ask(CallOf(
      "1", "do", "{}",
      R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":9,"io.modelcontextprotocol/clientCapabilities":{}})"));
  EXPECT_THAT(server.RequestsOf("tools/call")[0].body,
              AllOf(HasSubstr("progressToken"), Not(HasSubstr("io.modelcontextprotocol"))));
}

TEST(HttpTransportStateless, AServerThatSpeaksNoneOfOurVersionsSaysWhich) {
  FakeHttpServer server(On("server/discover", [](const FakeRequest& request, FakeReply& reply) {
    reply.Result(request, R"({"supportedVersions":["2031-01-01"],"capabilities":{}})");
  }));
  server.is_stateless = true;
  UrlClient client(server);
  ASSERT_TRUE(support::WaitUntil([&] { return client.status().ends > 0; }));
  EXPECT_THAT(client.status().last_end, HasSubstr("it names: 2031-01-01"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
