// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The bridge on the network, with real sockets and real server processes.

#include "clients/bridge/http/bridge_server.h"

#include "clients/bridge/http/bridge_server_test_util.h"
#include "clients/bridge/upstream/upstream.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kOne = "/servers/one/mcp";

// ---- sessions ------------------------------------------------------------------------

TEST(BridgeServer, ServesOneServerWithItsOwnNames) {
  TestBridge bridge({Fake("one")});
  HttpClient client = bridge.Client();
  const Reply begun = client.Ask("POST", kOne, kInitialize);
  EXPECT_EQ(begun.status, 200);
  EXPECT_EQ(begun.Field("content-type"), "application/json");
  EXPECT_THAT(begun.Field("mcp-session-id"), SizeIs(32));
  EXPECT_THAT(begun.body,
              AllOf(HasSubstr(R"("id":0)"), HasSubstr("2025-11-25"), HasSubstr("fäke")));
  const HttpClient::Fields session = {{"Mcp-Session-Id", begun.Field("mcp-session-id")}};
  const Reply list = client.Ask("POST", kOne, Request("tools/list"), session);
  EXPECT_THAT(list.body, AllOf(HasSubstr(R"("name":"do")"), HasSubstr(R"("name":"drop")"),
                               Not(HasSubstr("hidden\""))));
  EXPECT_EQ(TextIn(client.Ask("POST", kOne, Call("do"), session).body), R"({"act":"echo","n":0})");
  const Reply denied = client.Ask("POST", kOne, Call("hidden"), session);
  EXPECT_EQ(denied.status, 200);
  EXPECT_THAT(denied.body, AllOf(HasSubstr("TOOL_UNREVIEWED"), HasSubstr(R"("isError":true)")));
}

TEST(BridgeServer, DeniesWithoutAListBefore) {
  TestBridge bridge({Fake("one")}, Policy({"one"}, Mode::kReadOnly));
  const auto session = bridge.Begin(std::string(kOne));
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("drop"), session).body,
              HasSubstr("MODE_TOO_LOW"));
}

TEST(BridgeServer, TakesWhiteSpaceOutOfAMessageAndLeavesItsValues) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  const std::string call =
      "{\r\n \"jsonrpc\": \"2.0\", \"id\" : 5,\n \"method\":\"tools/call\",\t"
      "\"params\":{\"name\":\"do\",\"arguments\":{ \"x\" : \"a  b\\n\", \"y\": "
      "1.50E+2 }}}\r\n";
  const Reply reply = bridge.Client().Ask("POST", kOne, call, session);
  EXPECT_THAT(reply.body, HasSubstr(R"("id":5)"));
  EXPECT_EQ(TextIn(reply.body), R"({"x":"a  b\n","y":1.50E+2})");
}

TEST(BridgeServer, KeepsTheTokenOfAnId) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  for (const char* id : {"0", "\"7\"", "\"abc-1\"", "9007199254740991"}) {
    EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("do", "echo", 0, id), session).body,
                HasSubstr(absl::StrFormat(R"("id":%s})", id)));
  }
}

struct BadPost {
  std::string name;
  std::string body;
  int status;
  std::string want;
};
class BadPostTest : public ::testing::TestWithParam<BadPost> {};

TEST_P(BadPostTest, IsRefusedAndNothingIsForwarded) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  const Reply reply = bridge.Client().Ask("POST", kOne, GetParam().body, session);
  EXPECT_EQ(reply.status, GetParam().status);
  EXPECT_THAT(reply.body, AllOf(HasSubstr(R"("jsonrpc":"2.0")"), HasSubstr(GetParam().want)));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do"), session).body),
            R"({"act":"echo","n":0})");
}

INSTANTIATE_TEST_SUITE_P(
    BridgeServer, BadPostTest,
    ::testing::Values(
        BadPost{"NoJson", "hello", 400, "-32700"}, BadPost{"Empty", "", 400, "error"},
        BadPost{"Batch", "[" + Call("do") + "]", 400, "-32600"},
        BadPost{"EmptyBatch", "[]", 400, "-32600"},
        BadPost{"TwoValues", Call("do") + " " + Call("do"), 400, "error"},
        BadPost{"TokensThatOnlyJoinWithoutSpace",
                R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":tr ue}})", 400, "error"},
        BadPost{"TwinKeys", R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", 400, "error"},
        BadPost{"KeyThatFoldsToName",
                R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"do"}})", 400,
                R"("id":1)"},
        BadPost{"TooDeep",
                R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" +
                    std::string(200, '[') + std::string(200, ']') + "}}",
                400, "error"},
        BadPost{"NoMethod", R"({"jsonrpc":"2.0","id":"x"})", 400, R"("id":"x")"},
        BadPost{"WrongVersion", R"({"jsonrpc":"1.0","id":3,"method":"ping"})", 400, R"("id":3)"}),
    [](const auto& row) { return row.param.name; });

TEST(BridgeServer, AnswersNotificationsWithNothing) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  const Reply reply = bridge.Client().Ask(
      "POST", kOne, R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})", session);
  EXPECT_EQ(reply.status, 202);
  EXPECT_THAT(reply.body, IsEmpty());
}

TEST(BridgeServer, KnowsASessionByItsIdOnly) {
  TestBridge bridge({Fake("one"), Fake("two")});
  const auto session = bridge.Begin(std::string(kOne));
  const std::string ping = Request("ping");
  HttpClient client = bridge.Client();
  EXPECT_EQ(client.Ask("POST", kOne, ping).status, 400) << "none";
  EXPECT_EQ(client.Ask("POST", kOne, ping, {{"Mcp-Session-Id", "0123"}}).status, 404) << "unknown";
  EXPECT_EQ(client.Ask("POST", "/servers/two/mcp", ping, session).status, 404) << "another path";
  auto twice = session;
  twice.push_back(session[0]);
  EXPECT_EQ(client.Ask("POST", kOne, ping, twice).status, 400) << "twice";
  const std::string& id = session[0].second;
  for (const char* other : {"Session-Id", "X-Mcp-Session-Id", "Authorization", "Last-Event-ID"}) {
    EXPECT_EQ(client.Ask("POST", kOne, ping, {{other, id}}).status, 400) << other;
  }
  EXPECT_EQ(client.Ask("POST", std::string(kOne) + "?sessionId=" + id, ping).status, 400);
  EXPECT_EQ(client.Ask("POST", kOne, ping, {{"Mcp-Session-Id", " "}}).status, 404) << "blank";
  EXPECT_EQ(client.Ask("GET", kOne).status, 400);
  EXPECT_EQ(client.Ask("DELETE", kOne).status, 400);
  EXPECT_EQ(client.Ask("POST", kOne, kInitialize, {{"Mcp-Session-Id", "0123"}}).status, 200)
      << "a stale id does not keep a client from beginning again";
  EXPECT_EQ(client.Ask("POST", kOne, kInitialize, session).status, 200) << "nor does one in use";
  EXPECT_EQ(client.Ask("PUT", kOne, "", session).status, 405);
}

TEST(BridgeServer, EndsASession) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient stream = bridge.Client();
  EXPECT_EQ(stream.Ask("GET", kOne, "", session).status, 200);
  EXPECT_EQ(bridge.Client().Ask("DELETE", kOne, "", session).status, 204);
  EXPECT_EQ(stream.NextEvent(), std::nullopt) << "its stream has ended";
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping"), session).status, 404);
  EXPECT_EQ(bridge.Client().Ask("DELETE", kOne, "", session).status, 404);
}

TEST(BridgeServer, ChecksTheProtocolVersionHeader) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  const auto ask = [&](const std::string& version) {
    return bridge.Client().Ask("POST", kOne, Request("ping"),
                               {session[0], {"MCP-Protocol-Version", version}});
  };
  EXPECT_EQ(ask("2025-06-18").status, 200);
  EXPECT_EQ(ask("").status, 200) << "absent";
  EXPECT_EQ(ask(" ").status, 200) << "blank is absent";
  const Reply reply = ask("2024-01-01");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr("-32022"), HasSubstr("2025-11-25"), HasSubstr("2024-01-01")));
}

class RevisionTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RevisionTest, IsSpokenAsItIsAskedFor) {
  TestBridge bridge({Fake("one")});
  const std::string version(GetParam());
  for (const char* path : {"/mcp", "/servers/one/mcp"}) {
    std::string initialize = kInitialize;
    initialize.replace(initialize.find("2025-11-25"), 10, version);
    const Reply begun = bridge.Client().Ask("POST", path, initialize);
    EXPECT_THAT(begun.body, HasSubstr("\"protocolVersion\":\"" + version + "\""));
    const HttpClient::Fields session = {{"Mcp-Session-Id", begun.Field("mcp-session-id")},
                                        {"MCP-Protocol-Version", version}};
    const char* tool = path == std::string_view("/mcp") ? "one__do" : "do";
    HttpClient client = bridge.Client();
    const Reply call = client.Ask("POST", path, Call(tool), session);
    EXPECT_EQ(TextIn(call.body), R"({"act":"echo","n":0})");
    EXPECT_THAT(call.body, Not(HasSubstr("resultType"))) << "that is of the era behind";
    // The event without data that gives an id to come back with is of the last one.
    client.Ask("POST", path, Call(tool, "progress", 1, "2", R"({"progressToken":7})"), session);
    EXPECT_THAT(*client.NextBlock(),
                HasSubstr(version == "2025-11-25" ? "data: \n" : "notifications/progress"));
  }
}

INSTANTIATE_TEST_SUITE_P(BridgeServer, RevisionTest, ::testing::ValuesIn(kSessionVersions),
                         [](const auto& row) { return "Of" + std::to_string(row.index); });

TEST(BridgeServer, RefusesSessionsAboveTheLimit) {
  TestBridge bridge({Fake("one")}, {}, {.http = {}, .endpoint = {.max_sessions = 2}});
  bridge.Begin(std::string(kOne));
  const auto second = bridge.Begin(std::string(kOne));
  const Reply reply = bridge.Client().Ask("POST", kOne, kInitialize);
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.Field("retry-after"), "30");
  EXPECT_EQ(bridge.Client().Ask("DELETE", kOne, "", second).status, 204);
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, kInitialize).status, 200);
}

// Sessions that were begun and left do not keep everybody else out.
TEST(BridgeServer, MakesRoomForASessionByEndingTheOneThatWasNotUsedForLongest) {
  TestBridge bridge({Fake("one")}, {},
                    {.http = {}, .endpoint = {.max_sessions = 2, .spare_after = {}}});
  const auto oldest = bridge.Begin(std::string(kOne));
  const auto connected = bridge.Begin(std::string(kOne));
  HttpClient stream = bridge.Client();
  stream.Ask("GET", kOne, "", connected);
  const auto third = bridge.Begin(std::string(kOne));
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping"), oldest).status, 404);
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping"), connected).status, 200);
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping"), third).status, 200);
}

TEST(BridgeServer, ForgetsASessionThatNobodyUses) {
  TestBridge bridge({Fake("one")}, {},
                    {.http = {}, .endpoint = {.idle_timeout = absl::Seconds(1)}});
  const auto used = bridge.Begin(std::string(kOne));
  HttpClient stream = bridge.Client();
  stream.Ask("GET", kOne, "", used);
  const auto idle = bridge.Begin(std::string(kOne));
  EXPECT_TRUE(support::WaitUntil([&] {
    return bridge.Client()
               .Ask("GET", "/metrics")
               .body.find("bridgekeeper_bridge_sessions_expired_total 1") != std::string::npos;
  }));
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping"), idle).status, 404);
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping"), used).status, 200);
}

// ---- streams ---------------------------------------------------------------------------

TEST(BridgeServer, TellsEachSessionThatThePolicyChangedItsList) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  bridge.Client().Ask("POST", kOne, Request("tools/list"), session);
  HttpClient stream = bridge.Client();
  const Reply head = stream.Ask("GET", kOne, "", session);
  EXPECT_EQ(head.Field("content-type"), "text/event-stream");
  EXPECT_EQ(head.Field("mcp-session-id"), session[0].second);
  bridge.policies.SetPolicy(Policy({"one"}, Mode::kReadOnly));
  const auto event = stream.NextEvent();
  ASSERT_TRUE(event);
  EXPECT_THAT(event->data, HasSubstr("notifications/tools/list_changed"));
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Request("tools/list"), session).body,
              Not(HasSubstr("\"drop\"")));
}

TEST(BridgeServer, KeepsWhatIsSaidForAStreamThatIsOpenedLater) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  bridge.Client().Ask("POST", kOne, Request("tools/list"), session);
  EXPECT_EQ(bridge.Client().Ask("POST", kOne, Call("do", "list_changed"), session).status, 200);
  HttpClient stream = bridge.Client();
  stream.Ask("GET", kOne, "", session);
  const auto event = stream.NextEvent();
  ASSERT_TRUE(event);
  EXPECT_THAT(event->data, HasSubstr("list_changed"));
}

TEST(BridgeServer, ResumesAStreamAfterTheLastEventOnce) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  bridge.Client().Ask("POST", kOne, Request("tools/list"), session);
  HttpClient stream = bridge.Client();
  stream.Ask("GET", kOne, "", session);
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    bridge.Client().Ask("POST", kOne, Call("do", "list_changed"), session);
    const auto event = stream.NextEvent();
    ASSERT_TRUE(event);
    ids.push_back(event->id);
  }
  stream.Close();
  for (int i = 0; i < 2; ++i)
    bridge.Client().Ask("POST", kOne, Call("do", "list_changed"), session);
  HttpClient again = bridge.Client();
  auto fields = session;
  fields.emplace_back("Last-Event-ID", ids[1]);
  EXPECT_EQ(again.Ask("GET", kOne, "", fields).status, 200);
  EXPECT_EQ(again.NextEvent()->id, ids[2]);
  const std::string fourth = again.NextEvent()->id;
  const std::string fifth = again.NextEvent()->id;
  EXPECT_NE(fourth, fifth);
  bridge.Client().Ask("POST", kOne, Call("do", "list_changed"), session);
  const std::string sixth = again.NextEvent()->id;
  EXPECT_THAT((std::vector{fourth, fifth, sixth}),
              Not(::testing::Contains(::testing::AnyOfArray(ids))));
}

TEST(BridgeServer, TakesAnUnknownLastEventForNone) {
  TestBridge bridge({Fake("one")});
  const auto mine = bridge.Begin(std::string(kOne));
  const auto other = bridge.Begin(std::string(kOne));
  HttpClient theirs = bridge.Client();
  theirs.Ask("GET", kOne, "", other);
  bridge.Client().Ask("POST", kOne, Request("tools/list"), other);
  bridge.Client().Ask("POST", kOne, Call("do", "list_changed"), other);
  const std::string their_event = theirs.NextEvent()->id;
  for (const std::string& id : {their_event, std::string("99-99"), std::string("x"),
                                std::string("18446744073709551616-1")}) {
    HttpClient stream = bridge.Client();
    auto fields = mine;
    fields.emplace_back("Last-Event-ID", id);
    EXPECT_EQ(stream.Ask("GET", kOne, "", fields).status, 200) << id;
  }
}

TEST(BridgeServer, ShowsNothingOfAnotherSessionsStreams) {
  TestBridge bridge({Fake("one")}, {}, {.drain_timeout = absl::Milliseconds(100)});
  const auto mine = bridge.Begin(std::string(kOne));
  const auto theirs = bridge.Begin(std::string(kOne));
  HttpClient call = bridge.Client();
  call.Ask("POST", kOne, Call("do", "ask"), theirs);
  const auto question = call.NextEvent();
  ASSERT_TRUE(question);
  for (const std::string& id : {question->id, std::string("1-0"), std::string("0-0")}) {
    HttpClient stream = bridge.Client();
    auto fields = mine;
    fields.emplace_back("Last-Event-ID", id);
    EXPECT_EQ(stream.Ask("GET", kOne, "", fields).status, 200) << id;
    EXPECT_EQ(stream.NextBlock(), ": keep-alive\n") << id;
  }
}

TEST(BridgeServer, ReplacesAStreamThatIsOpenedAgain) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient first = bridge.Client();
  first.Ask("GET", kOne, "", session);
  HttpClient second = bridge.Client();
  EXPECT_EQ(second.Ask("GET", kOne, "", session).status, 200);
  EXPECT_EQ(first.NextEvent(), std::nullopt);
  bridge.Client().Ask("POST", kOne, Call("do", "list_changed"), session);
  EXPECT_THAT(second.NextEvent()->data, HasSubstr("list_changed"));
}

TEST(BridgeServer, SendsProgressBeforeTheResult) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  for (const char* token : {"\"7\"", "7"}) {
    HttpClient client = bridge.Client();
    const Reply head = client.Ask(
        "POST", kOne,
        Call("do", "progress", 2, "1", absl::StrFormat(R"({"progressToken":%s})", token)), session);
    EXPECT_EQ(head.Field("content-type"), "text/event-stream");
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(client.NextEvent()->data,
                  AllOf(HasSubstr(absl::StrFormat(R"("progressToken":%s)", token)),
                        HasSubstr(absl::StrFormat(R"("progress":%d)", i))));
    }
    EXPECT_THAT(client.NextEvent()->data, HasSubstr("\"result\""));
    EXPECT_EQ(client.NextEvent(), std::nullopt);
  }
}

// Of one client and of two, with ids that differ and that do not.
TEST(BridgeServer, TellsRequestsWithOneProgressTokenApart) {
  TestBridge bridge({Fake("one")});
  const auto a = bridge.Begin(std::string(kOne));
  const auto b = bridge.Begin(std::string(kOne));
  // Else the calls wait for the list of tools, and the server has not seen them.
  for (const auto& session : {a, b}) {
    bridge.Client().Ask("POST", kOne, Request("tools/list", "0"), session);
  }
  constexpr std::string_view kToken = R"({"progressToken":"t"})";
  HttpClient first = bridge.Client();
  HttpClient second = bridge.Client();
  HttpClient third = bridge.Client();
  first.Send("POST", kOne, Call("do", "hold", 1, "1", kToken), a);
  second.Send("POST", kOne, Call("do", "hold", 2, "2", kToken), a);
  third.Send("POST", kOne, Call("do", "hold", 3, "1", kToken), b);
  EXPECT_TRUE(support::WaitUntil([&] {
    return bridge.Client()
               .Ask("GET", "/metrics")
               .body.find("bridgekeeper_bridge_requests_in_flight 3") != std::string::npos;
  }));
  bridge.Client().Ask("POST", kOne, Call("do", "release", 0, "9", kToken), b);
  int progress = 0;
  for (HttpClient* client : {&first, &second, &third}) {
    EXPECT_EQ(client->Read().Field("content-type"), "text/event-stream");
    EXPECT_THAT(
        client->NextEvent()->data,
        HasSubstr(absl::StrFormat(R"("params":{"progressToken":"t","progress":%d})", ++progress)));
    EXPECT_THAT(client->NextEvent()->data, HasSubstr("released"));
    EXPECT_EQ(client->NextEvent(), std::nullopt);
  }
}

TEST(BridgeServer, AsksTheClientWhoseCallItIs) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient client = bridge.Client();
  client.Ask("POST", kOne, Call("do", "ask"), session);
  const auto question = client.NextEvent();
  ASSERT_TRUE(question);
  EXPECT_THAT(question->data, HasSubstr("elicitation/create"));
  EXPECT_EQ(
      bridge.Client()
          .Ask("POST", kOne, R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept"}})", session)
          .status,
      202);
  EXPECT_THAT(client.NextEvent()->data, HasSubstr("accept"));
}

TEST(BridgeServer, SaysWhichOfSeveralServersAsks) {
  TestBridge bridge({Fake("one"), Fake("two")});
  const auto session = bridge.Begin("/mcp");
  HttpClient client = bridge.Client();
  client.Ask("POST", "/mcp", Call("two__do", "ask"), session);
  const auto question = client.NextEvent();
  ASSERT_TRUE(question);
  EXPECT_THAT(question->data, HasSubstr(R"("message":"[two] ok?")"));
}

TEST(BridgeServer, SendsACommentWhereNothingElseIsSaid) {
  TestBridge bridge({Fake("one")}, {}, {.http = {.keep_alive = absl::Milliseconds(20)}});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient stream = bridge.Client();
  stream.Ask("GET", kOne, "", session);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(stream.NextBlock(), ": keep-alive\n");
}

// Proxies cut what is silent for a minute, some sooner.
TEST(BridgeServer, SendsCommentsWhileACallIsOnItsWay) {
  EXPECT_LT(HttpServerOptions().keep_alive, absl::Seconds(30));
  TestBridge bridge({Fake("one")}, {},
                    {.http = {.keep_alive = absl::Milliseconds(20)},
                     .endpoint = {.json_patience = absl::Milliseconds(20)},
                     .drain_timeout = absl::Milliseconds(100)});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient client = bridge.Client();
  EXPECT_EQ(client.Ask("POST", kOne, Call("do", "no_answer"), session).Field("content-type"),
            "text/event-stream");
  EXPECT_THAT(*client.NextBlock(), HasSubstr("id: ")) << "to come back with";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.NextBlock(), ": keep-alive\n");
}

TEST(BridgeServer, GoesOnWithACallWhoseStreamIsCut) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient client = bridge.Client();
  client.Ask("POST", kOne, Call("do", "ask"), session);
  ASSERT_TRUE(client.NextEvent());
  client.Close();
  bridge.Client().Ask("POST", kOne, R"({"jsonrpc":"2.0","id":"q","result":{"action":"decline"}})",
                      session);
  auto fields = session;
  fields.emplace_back("Last-Event-ID", client.last_event_id);
  EXPECT_TRUE(support::WaitUntil([&] {
    HttpClient again = bridge.Client();
    again.Ask("GET", kOne, "", fields);
    const auto answer = again.NextEvent();
    return answer && answer->data.find("decline") != std::string::npos;
  }));
}

// ---- several clients and servers -----------------------------------------------------------

TEST(BridgeServer, CancelsOnlyTheClientsOwnRequest) {
  TestBridge bridge({Fake("one")}, {}, {.drain_timeout = absl::Milliseconds(100)});
  const auto a = bridge.BeginAndList(std::string(kOne));
  const auto b = bridge.BeginAndList(std::string(kOne));
  HttpClient first = bridge.Client();
  HttpClient second = bridge.Client();
  first.Send("POST", kOne, Call("do", "no_answer", 0, "1"), a);
  second.Send("POST", kOne, Call("do", "no_answer", 0, "1"), b);
  bridge.WaitForInFlight(2);
  bridge.Client().Ask(
      "POST", kOne,
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", a);
  const std::string cancelled =
      TextIn(bridge.Client().Ask("POST", kOne, Call("do", "cancelled", 0, "2"), b).body);
  EXPECT_EQ(std::count(cancelled.begin(), cancelled.end(), ' '), 1) << cancelled;
  EXPECT_THAT(bridge.Client().Ask("GET", "/metrics").body,
              HasSubstr("bridgekeeper_bridge_requests_in_flight 1"));
  // There is no answer to it: what waits for one ends, and its id is free again.
  EXPECT_EQ(first.Read().status, 200);
  EXPECT_THAT(TextIn(bridge.Client().Ask("POST", kOne, Call("do", "again", 0, "1"), a).body),
              HasSubstr("again"));
}

TEST(BridgeServer, AsksNobodyWhereTwoClientsMightBeMeant) {
  TestBridge bridge({Fake("one")}, {}, {.drain_timeout = absl::Milliseconds(100)});
  const auto a = bridge.BeginAndList(std::string(kOne));
  const auto b = bridge.BeginAndList(std::string(kOne));
  HttpClient waits = bridge.Client();
  waits.Send("POST", kOne, Call("do", "no_answer"), a);
  bridge.WaitForInFlight(1);
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("do", "ask"), b).body,
              HasSubstr("not exactly one client"));
}

TEST(BridgeServer, AnswersAtOnceWhereTheServerEndsAndStartsItAgain) {
  TestBridge bridge({Fake("one"), Fake("two")});
  const auto session = bridge.Begin(std::string(kOne));
  const auto other = bridge.Begin("/servers/two/mcp");
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("do", "exit", 3), session).body,
              AllOf(HasSubstr("error"), HasSubstr("exit code 3")));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", "/servers/two/mcp", Call("do"), other).body),
            R"({"act":"echo","n":0})");
  EXPECT_TRUE(support::WaitUntil([&] {
    return TextIn(bridge.Client().Ask("POST", kOne, Call("do"), session).body) ==
           R"({"act":"echo","n":0})";
  }));
}

TEST(BridgeServer, AnswersWhereTheServerNeverBegins) {
  TestBridge bridge({Fake("one"), Fake("mute", {"--silent"})});
  const auto session = bridge.Begin("/mcp");
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", "/mcp", Call("one__do"), session).body),
            R"({"act":"echo","n":0})");
  HttpClient client = bridge.Client();
  const Reply reply = client.Ask("POST", "/mcp", Request("tools/list"), session);
  const std::string list = reply.body.empty() ? client.NextEvent()->data : reply.body;
  EXPECT_THAT(list, AllOf(HasSubstr("one__do"), Not(HasSubstr("mute__"))));
}

TEST(BridgeServer, GivesAServerOnlyItsOwnEnvironment) {
  setenv("KEEPER_TOKEN", "secret", 1);
  setenv("BRIDGE_TEST_OTHER", "x", 1);
  ServerConfig server = Fake("one");
  server.environment = {{"A", "1"}, {"BRIDGE_TEST_OTHER", std::nullopt}, {"EMPTY", ""}};
  TestBridge bridge({std::move(server)});
  unsetenv("KEEPER_TOKEN");
  const auto session = bridge.Begin(std::string(kOne));
  const std::string environment =
      TextIn(bridge.Client().Ask("POST", kOne, Call("do", "environment"), session).body);
  EXPECT_THAT(environment,
              AllOf(HasSubstr("A=1\n"), HasSubstr("BRIDGE_TEST_OTHER=x\n"), HasSubstr("EMPTY=\n"),
                    HasSubstr("PATH="), Not(HasSubstr("KEEPER_")), Not(HasSubstr("BK_BIN_DIR"))));
}

TEST(BridgeServer, LeavesNoProcessBehind) {
  auto bridge = std::make_unique<TestBridge>(std::vector{Fake("one", {"--ignore-term"})});
  const auto session = bridge->Begin(std::string(kOne));
  const std::string pid =
      TextIn(bridge->Client().Ask("POST", kOne, Call("do", "grandchild"), session).body);
  ASSERT_TRUE(support::IsRunning(atoi(pid.c_str()))) << pid;
  bridge.reset();
  EXPECT_FALSE(support::IsRunning(atoi(pid.c_str())));
}

// ---- what a listener asks of a request -------------------------------------------------------

struct Refused {
  std::string name;
  HttpClient::Fields fields;
  int status;
};
class RefusedTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedTest, OnEveryPath) {
  TestBridge bridge({Fake("one")});
  for (const char* path : {"/mcp", "/servers/one/mcp", "/tools", "/invoke", "/health", "/"}) {
    EXPECT_EQ(bridge.Client().Ask("POST", path, kInitialize, GetParam().fields).status,
              GetParam().status)
        << path;
  }
  EXPECT_THAT(bridge.Client().Ask("GET", "/metrics").body,
              HasSubstr("bridgekeeper_bridge_sessions_begun_total 0"));
}

INSTANTIATE_TEST_SUITE_P(
    BridgeServer, RefusedTest,
    ::testing::Values(
        Refused{"ForeignHost", {{"Host", "evil.example"}}, 403},
        Refused{"ForeignOrigin", {{"Origin", "http://evil.example"}}, 403},
        Refused{"NullOrigin", {{"Origin", "null"}}, 403},
        Refused{"OriginOfAnotherPort", {{"Origin", "http://127.0.0.1:1"}}, 403},
        Refused{"TextPlain", {{"Content-Type", "text/plain"}}, 415},
        Refused{"NoType", {{"Content-Type", ""}}, 415},
        Refused{"AnotherCharset", {{"Content-Type", "application/json; charset=latin1"}}, 415},
        Refused{"Encoding", {{"Content-Encoding", "gzip"}}, 415},
        Refused{"NoLength", {{"Content-Length", ""}}, 400},
        Refused{"LengthAndChunked", {{"Transfer-Encoding", "chunked"}}, 400}),
    [](const auto& row) { return row.param.name; });

TEST(BridgeServer, TakesAChunkedBody) {
  TestBridge bridge({Fake("one")});
  HttpClient client = bridge.Client();
  const std::string body(kInitialize);
  client.Send("POST", kOne, absl::StrFormat("%x\r\n%s\r\n0\r\n\r\n", body.size(), body),
              {{"Content-Length", ""}, {"Transfer-Encoding", "chunked"}});
  EXPECT_EQ(client.Read().status, 200);
}

TEST(BridgeServer, BoundsHeadsAndBodies) {
  TestBridge bridge({Fake("one")});
  HttpClient head = bridge.Client();
  EXPECT_EQ(head.Ask("GET", "/livez", "", {{"X", std::string(kMaxHttpHeadBytes, 'x')}}).status,
            431);
  HttpClient body = bridge.Client();
  EXPECT_EQ(body.Ask("POST", kOne, "", {{"Content-Length", std::to_string(kMaxHttpBodyBytes + 1)}})
                .status,
            413);
  EXPECT_EQ(bridge.Client().Ask("GET", "/livez").status, 200);
}

TEST(BridgeServer, CutsAClientThatIsSlow) {
  TestBridge bridge({Fake("one")}, {},
                    {.http = {.idle_timeout = absl::Milliseconds(100),
                              .head_timeout = absl::Milliseconds(100),
                              .body_timeout = absl::Milliseconds(100)}});
  HttpClient silent = bridge.Client();
  HttpClient head = bridge.Client();
  head.SendBytes("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ");
  HttpClient body = bridge.Client();
  body.Send("POST", kOne, "{", {{"Content-Length", "1000"}});
  EXPECT_TRUE(silent.IsClosed());
  EXPECT_TRUE(head.IsClosed());
  EXPECT_TRUE(body.IsClosed());
}

TEST(BridgeServer, CutsAClientThatDoesNotRead) {
  TestBridge bridge({Fake("one")}, {}, {.http = {.write_timeout = absl::Milliseconds(200)}});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient lazy = bridge.Client();
  lazy.Send("POST", kOne, Call("do", "big", 12'000'000), session);
  EXPECT_TRUE(support::WaitUntil([&] {
    return bridge.Client()
               .Ask("GET", "/metrics")
               .body.find("bridgekeeper_bridge_http_cut_total 1") != std::string::npos;
  }));
}

TEST(BridgeServer, OutlivesAClientThatLeavesBeforeALargeAnswer) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  for (int i = 0; i < 3; ++i) {
    HttpClient client = bridge.Client();
    client.Send("POST", kOne, Call("do", "big", 5'000'000, std::to_string(i)), session);
    client.Close();
  }
  HttpClient client = bridge.Client();
  const Reply reply = client.Ask("POST", kOne, Call("do", "big", 3'000'000, "9"), session);
  EXPECT_EQ(TextIn(LastWord(client, reply)).size(), 3'000'000u);
}

// ---- operation ---------------------------------------------------------------------------------

TEST(BridgeServer, IsReadyOnceThePolicyIsKnown) {
  TestBridge bridge({Fake("one")});
  EXPECT_EQ(bridge.Client().Ask("GET", "/livez").status, 200);
  EXPECT_EQ(bridge.Client().Ask("GET", "/readyz").status, 200);
  EXPECT_EQ(bridge.Client().Ask("GET", "/nothing").status, 404);
  EXPECT_EQ(bridge.Client().Ask("POST", "/nothing", "{}").status, 404);
  ServerConfig other = Fake("one");
  other.app = AppId("unknown");
  TestBridge waits({std::move(other)});
  EXPECT_EQ(waits.Client().Ask("GET", "/readyz").status, 503);
}

TEST(BridgeServer, SaysHowItIs) {
  TestBridge bridge({Fake("one")});
  bridge.Begin(std::string(kOne));
  const Reply health = bridge.Client().Ask("GET", "/health");
  EXPECT_EQ(health.Field("content-type"), "application/json");
  EXPECT_THAT(health.body, AllOf(HasSubstr(R"("status":"ok")"), HasSubstr(R"("app":"app")"),
                                 HasSubstr(absl::StrFormat(R"("port":%d)", bridge.port())),
                                 HasSubstr(R"("ready":true)")));
  EXPECT_THAT(bridge.Client().Ask("GET", "/metrics").body,
              AllOf(HasSubstr("bridgekeeper_bridge_sessions 1"),
                    HasSubstr("bridgekeeper_bridge_servers_ready 1")));
}

TEST(BridgeServer, CountsSessionsAndToolsWithoutNamingThem) {
  TestBridge bridge({Fake("one")});
  const std::string before = bridge.Client().Ask("GET", "/metrics").body;
  const auto session = bridge.Begin(std::string(kOne));
  for (int i = 0; i < 50; ++i) {
    bridge.Client().Ask("POST", kOne, Call(absl::StrFormat("invented_%d", i)), session);
    bridge.Client().Ask("POST", kOne, Request(absl::StrFormat("invented/%d", i)), session);
    bridge.Client().Ask("POST", absl::StrFormat("/invented/%d", i), "{}");
    bridge.Begin(std::string(kOne));
  }
  const std::string page = bridge.Client().Ask("GET", "/metrics").body;
  EXPECT_THAT(page, AllOf(Not(HasSubstr("invented")), Not(HasSubstr(session[0].second)),
                          HasSubstr(R"(bridgekeeper_decisions_total{reason="UNKNOWN_TOOL"} 50)"),
                          HasSubstr("bridgekeeper_bridge_methods_refused_total 50"),
                          HasSubstr("bridgekeeper_bridge_sessions 51")));
  EXPECT_EQ(std::count(page.begin(), page.end(), '\n'),
            std::count(before.begin(), before.end(), '\n'));
}

TEST(BridgeServer, LetsACallEndBeforeItStops) {
  TestBridge bridge({Fake("one")}, {}, {.drain_timeout = absl::Seconds(20)});
  const auto session = bridge.Begin(std::string(kOne));
  HttpClient idle = bridge.Client();
  EXPECT_EQ(idle.Ask("GET", "/livez").status, 200);
  HttpClient client = bridge.Client();
  client.Send("POST", kOne, Call("do", "late", 2000), session);
  bridge.WaitForInFlight(1);
  std::jthread stop([&] { bridge.Stop(); });
  EXPECT_EQ(TextIn(client.Read().body), R"({"act":"late","n":2000})");
  EXPECT_TRUE(idle.IsClosed()) << "it takes no more requests";
}

}  // namespace
}  // namespace bridgekeeper::bridge
