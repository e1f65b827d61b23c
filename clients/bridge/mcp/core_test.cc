// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What passes the bridge, in which form, and how each message ends. Tools are in
// core_tools_test.cc, limits and tasks in core_limits_test.cc.

#include "clients/bridge/mcp/core.h"

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/core_test_util.h"
#include "clients/bridge/mcp/methods.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// ---- the method table --------------------------------------------------------

struct MethodCase {
  std::string name;
  std::string method;
  Treatment client;  // as a request of the client
  Treatment server;  // as a request of the server
};

class MethodTest : public ::testing::TestWithParam<MethodCase> {};

TEST_P(MethodTest, IsTreated) {
  EXPECT_EQ(ClientRequest(GetParam().method), GetParam().client);
  EXPECT_EQ(ServerRequest(GetParam().method), GetParam().server);
  EXPECT_EQ(Notification(GetParam().method), Treatment::kRefused) << "it is a request";
}

std::vector<MethodCase> MethodCases() {
  using enum Treatment;
  return {
      {"Initialize", "initialize", kInitialize, kRefused},
      {"Discover", "server/discover", kInitialize, kRefused},
      {"Ping", "ping", kPassed, kPassed},
      {"SetLevel", "logging/setLevel", kPassed, kRefused},
      {"ToolsList", "tools/list", kToolsList, kRefused},
      {"ToolsCall", "tools/call", kToolsCall, kRefused},
      {"OtherTools", "tools/uninstall", kRefused, kRefused},
      {"ResourcesList", "resources/list", kResources, kRefused},
      {"ResourcesRead", "resources/read", kResources, kRefused},
      {"ResourceTemplates", "resources/templates/list", kResources, kRefused},
      {"ResourcesSubscribe", "resources/subscribe", kResources, kRefused},
      {"ResourcesUnsubscribe", "resources/unsubscribe", kResources, kRefused},
      {"OtherResources", "resources/write", kRefused, kRefused},
      {"PromptsList", "prompts/list", kPrompts, kRefused},
      {"PromptsGet", "prompts/get", kPrompts, kRefused},
      {"Completion", "completion/complete", kCompletion, kRefused},
      {"Listen", "subscriptions/listen", kSubscription, kRefused},
      {"TasksGet", "tasks/get", kTask, kTask},
      {"TasksResult", "tasks/result", kTask, kTask},
      {"TasksUpdate", "tasks/update", kTask, kRefused},
      {"TasksCancel", "tasks/cancel", kTask, kTask},
      {"TasksList", "tasks/list", kRefused, kRefused},
      {"RootsList", "roots/list", kRefused, kPassed},
      {"Sampling", "sampling/createMessage", kRefused, kPassed},
      {"Elicitation", "elicitation/create", kRefused, kPassed},
      {"OtherCase", "Tools/Call", kRefused, kRefused},
      {"SpaceBehind", "tools/call ", kRefused, kRefused},
      {"Empty", "", kRefused, kRefused},
      {"Unknown", "admin/shutdown", kRefused, kRefused},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, MethodTest, ::testing::ValuesIn(MethodCases()),
                         [](const auto& test) { return test.param.name; });

// ---- what passes keeps its bytes ----------------------------------------------

TEST(Passing, RequestsAndAnswersKeepTheirBytes) {
  CoreHarness h;
  const std::string request =
      R"({ "id" : "\u0061-1","method":"ping", "jsonrpc":"2.0","trace":{"x":1.0e1} })";
  EXPECT_THAT(h.Client(request).to_server, ElementsAre(request));
  const std::string answer = R"({"result":{"_meta":{"x" : 1}},"jsonrpc":"2.0","id":"a-1","y":[]})";
  const Sent sent = h.Server(answer);
  EXPECT_THAT(sent.to_client, ElementsAre(answer));
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_EQ(h.Messages(Peer::kClient, Outcome::kForwarded), 1u);
  EXPECT_EQ(h.Messages(Peer::kServer, Outcome::kForwarded), 1u);
  EXPECT_EQ(h.core().requests_in_flight(), 0u);
}

TEST(Passing, ErrorsOfTheServerKeepTheirBytes) {
  CoreHarness h;
  h.Client(Request("ping"));
  const std::string error =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"m","data":{"x":1}}})";
  EXPECT_THAT(h.Server(error).to_client, ElementsAre(error));
}

TEST(Passing, NotificationsPassBothWays) {
  CoreHarness h;
  const std::string progress =
      Notify("notifications/progress", R"({"progressToken":"7","progress":1})");
  EXPECT_THAT(h.Client(progress).to_server, ElementsAre(progress));
  EXPECT_THAT(h.Server(progress).to_client, ElementsAre(progress));
  const std::string log =
      Notify("notifications/message", R"({"level":"info","data":"\ud83d\ude00"})");
  EXPECT_THAT(h.Server(log).to_client, ElementsAre(log));
}

// Progress tokens of both kinds are nobody's business here.
TEST(Passing, ProgressTokensAreNotTouched) {
  CoreHarness h;
  for (const char* token : {"\"7\"", "7", "\"\\u0037\""}) {
    const std::string progress =
        Notify("notifications/progress",
               absl::StrFormat(R"({"progressToken":%s,"progress":0.50})", token));
    EXPECT_THAT(h.Server(progress).to_client, ElementsAre(progress));
  }
}

// Sampling, elicitation, roots: the server asks, the client answers.
TEST(Passing, RequestsOfTheServerReachTheClientAndBack) {
  CoreHarness h;
  for (const char* method :
       {"sampling/createMessage", "elicitation/create", "roots/list", "ping"}) {
    const std::string request = Request(method, "0");
    EXPECT_THAT(h.Server(request).to_client, ElementsAre(request)) << method;
    const std::string answer = R"({"jsonrpc":"2.0","id":0,"result":{"action":"decline"}})";
    EXPECT_THAT(h.Client(answer).to_server, ElementsAre(answer)) << method;
  }
}

TEST(Passing, IdsOfTheTwoSidesAreApart) {
  CoreHarness h;
  const std::string ours = Request("ping", "1");
  EXPECT_THAT(h.Client(ours).to_server, ElementsAre(ours));
  EXPECT_THAT(h.Server(Request("roots/list", "1")).to_client, SizeIs(1));
  EXPECT_THAT(h.Client(R"({"jsonrpc":"2.0","id":1,"result":{"roots":[]}})").to_server, SizeIs(1));
  EXPECT_EQ(h.core().requests_in_flight(), 1u) << "ours still waits";
}

// A second initialize.
TEST(Passing, ASecondInitializeIsAnsweredByTheServer) {
  CoreHarness h;
  for (const char* id : {"1", "2"}) {
    EXPECT_THAT(h.Client(Request("initialize", id)).to_server, SizeIs(1));
    EXPECT_THAT(h.Server(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{}})", id)).to_client,
                SizeIs(1));
  }
}

TEST(Passing, InitializeIsToldThatTheListCanChange) {
  CoreHarness h;
  h.Client(Request("initialize"));
  EXPECT_THAT(
      h.Server(R"({"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{},"x":{}},"y":1.0}})")
          .to_client,
      ElementsAre(
          R"({"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true},"x":{}},"y":1.0}})"));
}

TEST(Passing, DiscoverIsToldThatTheListCanChange) {
  CoreHarness h;
  h.Client(Request("server/discover"));
  EXPECT_THAT(
      h.Server(
           R"({"id":1,"jsonrpc":"2.0","result":{"capabilities":{"tools":{"listChanged":false}}}})")
          .to_client,
      ElementsAre(
          R"({"id":1,"jsonrpc":"2.0","result":{"capabilities":{"tools":{"listChanged":true}}}})"));
}

TEST(Passing, InitializeOfAServerWithoutToolsOrWithThatCapabilityKeepsItsBytes) {
  CoreHarness h;
  for (const char* capabilities :
       {R"({})", R"({"tools":{"listChanged":true}})", R"({"tools":true})"}) {
    h.Client(Request("initialize"));
    const std::string answer =
        absl::StrFormat(R"({ "jsonrpc":"2.0","id":1,"result":{"capabilities":%s}})", capabilities);
    EXPECT_THAT(h.Server(answer).to_client, ElementsAre(answer));
  }
}

// ---- what does not pass -------------------------------------------------------

TEST(Refusing, AnUnknownMethodIsAnsweredAndCounted) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent sent = h.Client(Request("admin/shutdown", "\"x\""));
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "id"), "x");
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32601");
  EXPECT_EQ(At(sent.to_client[0], "error/data/reason_code"), "METHOD_NOT_ALLOWED");
  EXPECT_EQ(At(sent.to_client[0], "error/data/policy_revision"), "3");
  EXPECT_EQ(h.core().stats().methods_refused, 1u);
  EXPECT_EQ(h.Messages(Peer::kClient, Outcome::kRejected), 1u);
}

TEST(Refusing, AToolCallWithoutAnIdRunsNowhere) {
  CoreHarness h;
  h.StartSession();
  const Sent sent = h.Client(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"drop"}})");
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_EQ(h.core().stats().methods_refused, 1u);
}

TEST(Refusing, ANotificationWithAnIdDoesNotPass) {
  CoreHarness h;
  const Sent sent = h.Client(Request("notifications/initialized"));
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32601");
}

TEST(Refusing, UnknownMethodsOfTheServerAreAnsweredHere) {
  CoreHarness h;
  const Sent sent = h.Server(Request("client/run", "5"));
  EXPECT_THAT(sent.to_client, IsEmpty());
  ASSERT_THAT(sent.to_server, SizeIs(1));
  EXPECT_EQ(At(sent.to_server[0], "id"), "5");
  EXPECT_EQ(At(sent.to_server[0], "error/code"), "-32601");
  EXPECT_THAT(h.Server(R"({"jsonrpc":"2.0","method":"tools/call"})").to_client, IsEmpty());
  EXPECT_EQ(h.Messages(Peer::kServer, Outcome::kRejected), 2u);
}

// An attack on readers with universal newlines: the line inside is a whole call.
TEST(Refusing, ARawCarriageReturnIsNotForwarded) {
  CoreHarness h;
  h.StartSession();
  const std::string line = R"({"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":[)"
                           "\r" +
                           CoreHarness::Call("drop") + "\r]}}";
  const Sent sent = h.ClientFrame({Frame::Kind::kBareCarriageReturn, line});
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32600");
  EXPECT_EQ(At(sent.to_client[0], "id"), "9");
}

// Malformed envelopes and batches; one answer each.
TEST(Refusing, MalformedMessagesAreAnsweredWithTheirIdAndNotForwarded) {
  CoreHarness h;
  const struct {
    std::string line;
    std::string id;
  } cases[] = {
      {R"({"jsonrpc":"2.0","id":"x"})", "x"},
      {R"({"jsonrpc":"1.0","id":3,"method":"ping"})", "3"},
      {R"({"jsonrpc":"2.0","id":0,"method":"ping","params":[1]})", "0"},
      {R"({"jsonrpc":"2.0","id":4,"method":"ping","Method":"tools/call"})", "4"},
      {"[]", "null"},
      {"[1]", "null"},
      {"[" + Request("ping", "1") + "," + Request("ping", "2") + "]", "null"},
  };
  for (const auto& c : cases) {
    const Sent sent = h.Client(c.line);
    EXPECT_THAT(sent.to_server, IsEmpty()) << c.line;
    ASSERT_THAT(sent.to_client, SizeIs(1)) << c.line;
    EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32600") << c.line;
    EXPECT_EQ(At(sent.to_client[0], "id"), c.id) << c.line;
  }
  EXPECT_EQ(h.Messages(Peer::kClient, Outcome::kRejected), 7u);
}

TEST(Refusing, TextThatIsNoJsonIsAParseError) {
  CoreHarness h;
  const Sent sent = h.Client("hello");
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32700");
  EXPECT_EQ(At(sent.to_client[0], "id"), "null");
}

// The answer to a line above the limit names the limit, and the id if it can.
TEST(Refusing, ALineAboveTheLimitIsAnsweredWithItsId) {
  CoreHarness h;
  Sent sent =
      h.ClientFrame({Frame::Kind::kTooLong,
                     R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"a":"aaa)"});
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "id"), "8");
  EXPECT_THAT(At(sent.to_client[0], "error/message"), HasSubstr("16777216 bytes"));
  sent = h.ClientFrame({Frame::Kind::kEndOfTooLong, "aaa\"}}"});
  EXPECT_THAT(sent.to_client, IsEmpty()) << "it was answered once";
  EXPECT_THAT(h.Client(Request("ping")).to_server, SizeIs(1)) << "the next line is served";
}

TEST(Refusing, AnIdThatIsInUseIsRefused) {
  CoreHarness h;
  h.Client(Request("ping", "1"));
  Sent sent = h.Client(Request("ping", "1"));
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32600");
  sent = h.Client(Request("ping", "\"1\""));
  EXPECT_THAT(sent.to_server, SizeIs(1)) << "the text is another id than the number";
}

TEST(Refusing, MoreRequestsThanTheBoundAreRefused) {
  CoreHarness h;
  for (size_t i = 0; i < kMaxRequestsInFlight; ++i) {
    ASSERT_THAT(h.Client(Request("ping", std::to_string(i))).to_server, SizeIs(1));
  }
  Sent sent = h.Client(Request("ping", "\"one more\""));
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32000");
  h.Server(R"({"jsonrpc":"2.0","id":0,"result":{}})");
  EXPECT_THAT(h.Client(Request("ping", "\"and again\"")).to_server, SizeIs(1));
}

TEST(Refusing, MoreRequestsOfTheServerThanTheBoundAreRefused) {
  CoreHarness h;
  for (size_t i = 0; i < kMaxRequestsInFlight; ++i) {
    ASSERT_THAT(h.Server(Request("ping", std::to_string(i))).to_client, SizeIs(1));
  }
  const Sent sent = h.Server(Request("ping", "\"one more\""));
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_EQ(At(sent.to_server.at(0), "error/code"), "-32000");
}

// ---- what the server says that is no message ------------------------------------

// A banner on standard output.
TEST(ServerText, IsSkippedLoggedAndBounded) {
  CoreHarness h;
  const Sent sent = h.Server("Server listening \x1b[31m" + std::string(10'000, 'x'));
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_THAT(sent.to_server, IsEmpty());
  const auto events = h.log.EventsOf("message of the server refused");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_LE(events[0].fields.at("text").size(), 256u);
  EXPECT_THAT(h.Client(Request("ping")).to_server, SizeIs(1)) << "the session goes on";
}

TEST(ServerText, ThatNeverEndsDoesNotFillTheLog) {
  CoreHarness h;
  for (int i = 0; i < 10'000; ++i) h.Server("not a message");
  EXPECT_LT(h.log.events().size(), 30u);
  EXPECT_EQ(h.Messages(Peer::kServer, Outcome::kRejected), 10'000u);
}

// An answer with neither result nor error.
TEST(ServerText, AMalformedAnswerEndsTheRequestWithAnError) {
  CoreHarness h;
  const std::string answers[] = {
      R"({"jsonrpc":"2.0","id":1})",
      R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})",
      R"({"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}})",
      R"({"jsonrpc":"2.0","id":1,"result":{"text":"\ud800"}})",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"\xFF\"}}",
  };
  for (const std::string& answer : answers) {
    h.Client(Request("ping"));
    const Sent sent = h.Server(answer);
    ASSERT_THAT(sent.to_client, SizeIs(1)) << answer;
    EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32603") << answer;
    EXPECT_EQ(At(sent.to_client[0], "id"), "1") << answer;
    EXPECT_EQ(h.core().requests_in_flight(), 0u) << answer;
  }
}

TEST(ServerText, AnAnswerWithACarriageReturnEndsTheRequestWithAnError) {
  CoreHarness h;
  h.Client(Request("ping"));
  const Sent sent = h.ServerFrame(
      {Frame::Kind::kBareCarriageReturn, "{\"jsonrpc\":\"2.0\",\r\"id\":1,\"result\":{}}"});
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32603");
}

TEST(ServerText, AnAnswerAboveTheLimitEndsTheRequestWhereverItsIdStands) {
  CoreHarness h;
  h.Client(Request("ping", "1"));
  Sent sent =
      h.ServerFrame({Frame::Kind::kTooLong, R"({"jsonrpc":"2.0","id":1,"result":{"a":"aa)"});
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_THAT(At(sent.to_client[0], "error/message"), HasSubstr("16777216 bytes"));
  EXPECT_THAT(h.ServerFrame({Frame::Kind::kEndOfTooLong, R"(aa","id":1})"}).to_client, IsEmpty());

  h.Client(Request("ping", "2"));
  sent = h.ServerFrame({Frame::Kind::kTooLong, R"({"result":{"a":"aaaaaaaa)"});
  EXPECT_THAT(sent.to_client, IsEmpty()) << "its id is not known yet";
  sent = h.ServerFrame({Frame::Kind::kEndOfTooLong, R"(aaaa"},"jsonrpc":"2.0","id":2})"});
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "id"), "2");
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32603");
}

TEST(ServerText, ARequestAboveTheLimitEndsNoRequestOfTheClient) {
  CoreHarness h;
  h.Client(Request("ping", "1"));
  h.ServerFrame({Frame::Kind::kTooLong, R"({"jsonrpc":"2.0","method":"roots/list","params":{"a)"});
  EXPECT_THAT(h.ServerFrame({Frame::Kind::kEndOfTooLong, R"(aaaa"},"id":1})"}).to_client,
              IsEmpty());
}

TEST(ServerText, AMalformedRequestIsAnsweredToTheServer) {
  CoreHarness h;
  const Sent sent = h.Server(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":[]})");
  EXPECT_THAT(sent.to_client, IsEmpty());
  ASSERT_THAT(sent.to_server, SizeIs(1));
  EXPECT_EQ(At(sent.to_server[0], "error/code"), "-32600");
  EXPECT_EQ(At(sent.to_server[0], "id"), "3");
}

TEST(ServerText, AnAnswerToNoRequestIsDropped) {
  CoreHarness h;
  EXPECT_THAT(h.Server(R"({"jsonrpc":"2.0","id":77,"result":{}})").to_client, IsEmpty());
  EXPECT_THAT(h.Server(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})").to_client,
              IsEmpty());
  EXPECT_EQ(h.Messages(Peer::kServer, Outcome::kRejected), 2u);
}

TEST(ClientText, AnAnswerToNoRequestIsDropped) {
  CoreHarness h;
  const Sent sent = h.Client(R"({"jsonrpc":"2.0","id":77,"result":{}})");
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_THAT(sent.to_client, IsEmpty());
}

TEST(ClientText, AMalformedAnswerEndsTheServersRequestWithAnError) {
  CoreHarness h;
  h.Server(Request("roots/list", "6"));
  const Sent sent = h.Client(R"({"jsonrpc":"2.0","id":6,"result":{"a":1,"a":2}})");
  EXPECT_THAT(sent.to_client, IsEmpty());
  ASSERT_THAT(sent.to_server, SizeIs(1));
  EXPECT_EQ(At(sent.to_server[0], "id"), "6");
  EXPECT_EQ(At(sent.to_server[0], "error/code"), "-32603");
}

// ---- cancellation --------------------------------------------------------------

TEST(Cancelling, ReachesTheServerAndNoAnswerComesAfterIt) {
  CoreHarness h;
  h.StartSession();
  h.Client(CoreHarness::Call("read", "5"));
  const std::string cancel = Notify("notifications/cancelled", R"({"requestId":5,"reason":"r"})");
  EXPECT_THAT(h.Client(cancel).to_server, ElementsAre(cancel));
  EXPECT_EQ(h.core().requests_in_flight(), 0u);
  EXPECT_THAT(h.Server(R"({"jsonrpc":"2.0","id":5,"result":{"content":[]}})").to_client, IsEmpty());
}

TEST(Cancelling, TellsTextIdsFromNumbers) {
  CoreHarness h;
  h.Client(Request("ping", "5"));
  h.Client(Request("ping", "\"5\""));
  h.Client(Notify("notifications/cancelled", R"({"requestId":"5"})"));
  EXPECT_THAT(h.Server(R"({"jsonrpc":"2.0","id":5,"result":{}})").to_client, SizeIs(1));
}

TEST(Cancelling, EndsARequestThatWaitsHereWithoutTheServerSeeingEither) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent asked = h.Client(CoreHarness::Call("read", "5"));
  ASSERT_THAT(asked.to_server, SizeIs(1)) << "only the bridge's own tools/list";
  const Sent cancelled = h.Client(Notify("notifications/cancelled", R"({"requestId":5})"));
  EXPECT_THAT(cancelled.to_server, IsEmpty());
  // The id may be used again at once, for something else.
  h.Client(CoreHarness::Call("write", "5"));
  const Sent sent = h.AnswerList(asked);
  EXPECT_THAT(sent.to_server, ElementsAre(CoreHarness::Call("write", "5")));
  EXPECT_THAT(sent.to_client, IsEmpty());
}

TEST(Cancelling, ByTheServerEndsWhatItAsked) {
  CoreHarness h;
  h.Server(Request("elicitation/create", "3"));
  const std::string cancel = Notify("notifications/cancelled", R"({"requestId":3})");
  EXPECT_THAT(h.Server(cancel).to_client, ElementsAre(cancel));
  EXPECT_THAT(h.Client(R"({"jsonrpc":"2.0","id":3,"result":{}})").to_server, IsEmpty());
}

// ---- resources, prompts, completion, subscriptions ------------------------------

struct FamilyCase {
  std::string name;
  std::string method;
  std::string params;
  Passage resources;
  Passage prompts;
  bool passes;
};

class FamilyTest : public ::testing::TestWithParam<FamilyCase> {};

TEST_P(FamilyTest, FollowsThePolicy) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.resources = GetParam().resources;
  data.policy.prompts = GetParam().prompts;
  h.SetPolicy(std::move(data));
  const std::string request = Request(GetParam().method, "1", GetParam().params);
  const Sent sent = h.Client(request);
  if (GetParam().passes) {
    EXPECT_THAT(sent.to_server, ElementsAre(request));
    EXPECT_THAT(sent.to_client, IsEmpty());
    return;
  }
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/code"), "-32601");
  EXPECT_EQ(At(sent.to_client[0], "error/data/reason_code"), "METHOD_NOT_ALLOWED");
}

std::vector<FamilyCase> FamilyCases() {
  using enum Passage;
  const std::string about_resource = R"({"ref":{"type":"ref/resource","uri":"x"}})";
  const std::string about_prompt = R"({"ref":{"type":"ref/prompt","name":"x"}})";
  const std::string lists =
      R"({"notifications":{"toolsListChanged":true,"resourcesListChanged":true}})";
  const std::string one = R"({"notifications":{"resourceSubscriptions":["file:///a"]}})";
  const std::string task = R"({"notifications":{"taskIds":["t"]}})";
  return {
      {"ResourcesOpen", "resources/read", "{}", kAllow, kDeny, true},
      {"ResourcesClosed", "resources/read", "{}", kDeny, kAllow, false},
      {"ResourceListClosed", "resources/list", "{}", kDeny, kAllow, false},
      {"TemplatesClosed", "resources/templates/list", "{}", kDeny, kAllow, false},
      {"PromptsOpen", "prompts/get", "{}", kDeny, kAllow, true},
      {"PromptsClosed", "prompts/list", "{}", kAllow, kDeny, false},
      {"CompletionOfAResourceOpen", "completion/complete", about_resource, kAllow, kDeny, true},
      {"CompletionOfAResourceClosed", "completion/complete", about_resource, kDeny, kAllow, false},
      {"CompletionOfAPromptOpen", "completion/complete", about_prompt, kDeny, kAllow, true},
      {"CompletionOfAPromptClosed", "completion/complete", about_prompt, kAllow, kDeny, false},
      {"CompletionOfSomethingElse", "completion/complete", R"({"ref":{"type":"ref/tool"}})", kAllow,
       kAllow, false},
      {"CompletionOfNothing", "completion/complete", "{}", kAllow, kAllow, false},
      {"ListChangesWithResourcesClosed", "subscriptions/listen", lists, kDeny, kDeny, true},
      {"OneResourceOpen", "subscriptions/listen", one, kAllow, kDeny, true},
      {"OneResourceClosed", "subscriptions/listen", one, kDeny, kAllow, false},
      {"OneResourceInCapitals", "subscriptions/listen",
       R"({"notifications":{"ResourceSubscriptions":["file:///a"]}})", kDeny, kAllow, false},
      {"OneResourceAsText", "subscriptions/listen",
       R"({"notifications":{"resourceSubscriptions":"file:///a"}})", kDeny, kAllow, false},
      {"NoResourceClosed", "subscriptions/listen",
       R"({"notifications":{"resourceSubscriptions":[]}})", kDeny, kAllow, true},
      {"TaskOfSomeoneElse", "subscriptions/listen", task, kAllow, kAllow, false},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, FamilyTest, ::testing::ValuesIn(FamilyCases()),
                         [](const auto& test) { return test.param.name; });

// A subscription is open for as long as the client wants.
TEST(Family, ASubscriptionToAResourceIsNotEndedByTheTimeout) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.resources = Passage::kAllow;
  data.policy.limits.timeout = absl::Seconds(5);
  h.SetPolicy(std::move(data));
  h.Client(Request("subscriptions/listen", "1",
                   R"({"notifications":{"resourceSubscriptions":["file:///a"]}})"));
  const Sent sent = h.Pass(absl::Seconds(6));
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_EQ(h.core().requests_in_flight(), 1);
  EXPECT_EQ(h.core().answers_due(), 0);
}

TEST(Family, FixedConnectionMustPassAsARead) {
  CoreOptions options = CoreHarness::DefaultOptions();
  options.connection = ConnectionId("staging");
  CoreHarness h(options);
  AppData data = CoreHarness::Data();
  data.policy.resources = Passage::kAllow;
  data.policy.allowed_connection_ids = {ConnectionId("prod")};
  h.SetPolicy(std::move(data));
  const Sent sent = h.Client(Request("resources/read"));
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_EQ(At(sent.to_client.at(0), "error/data/reason_code"), "CONNECTION_NOT_ALLOWED");
  EXPECT_EQ(At(sent.to_client.at(0), "error/data/connection_id"), "staging");
}

TEST(Family, WaitsForTheFirstPolicyAndIsDeniedWithoutOne) {
  CoreHarness h;
  EXPECT_THAT(h.Client(Request("resources/list")).to_client, IsEmpty());
  const Sent sent = h.Pass(absl::Seconds(3));
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "error/data/reason_code"), "POLICY_MISSING");
}

// ---- ends --------------------------------------------------------------------------

// The server ends in the middle of a call.
TEST(Ending, EverythingThatWaitsIsAnsweredOnce) {
  CoreHarness h;
  h.StartSession();
  h.Client(CoreHarness::Call("read", "1"));
  h.Client(Request("ping", "\"p\""));
  h.Server(Notify("notifications/tools/list_changed"));
  h.Client(CoreHarness::Call("read", "2"));  // waits for the list
  h.Client(Request("tools/list", "3"));      // so does this
  const Sent sent = h.ServerEnds("exit code 1");
  ASSERT_THAT(sent.to_client, SizeIs(4));
  for (const std::string& line : sent.to_client) {
    EXPECT_EQ(At(line, "error/code"), "-32603");
    EXPECT_THAT(At(line, "error/message"), HasSubstr("exit code 1"));
  }
  EXPECT_EQ(h.core().requests_in_flight(), 0u);
  EXPECT_EQ(h.core().next_deadline(), absl::InfiniteDuration());
}

// A clear error afterwards.
TEST(Ending, ARequestAfterTheEndIsAnsweredAtOnce) {
  CoreHarness h;
  h.StartSession();
  h.ServerEnds("signal 9 (KILL)");
  const Sent sent = h.Client(CoreHarness::Call("read", "1"));
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603");
  EXPECT_THAT(At(sent.to_client.at(0), "error/message"), HasSubstr("signal 9 (KILL)"));
  EXPECT_THAT(h.PolicyChanged().to_client, IsEmpty());
}

// ---- every message ends in exactly one way --------------------------------------------

TEST(Counting, EveryMessageEndsInExactlyOneWay) {
  CoreHarness h;
  h.StartSession();
  const std::vector<std::string> from_client = {
      Request("ping", "11"),
      Request("nonsense", "12"),
      CoreHarness::Call("read", "13"),
      CoreHarness::Call("unknown", "14"),
      Request("tools/list", "15"),
      Request("resources/list", "16"),
      "not json",
      "[]",
      Notify("notifications/progress"),
      Notify("nonsense"),
      R"({"jsonrpc":"2.0","id":99,"result":{}})",
      Notify("notifications/cancelled", R"({"requestId":15})"),
  };
  const std::vector<std::string> from_server = {
      R"({"jsonrpc":"2.0","id":11,"result":{}})",
      R"({"jsonrpc":"2.0","id":13,"result":{}})",
      R"({"jsonrpc":"2.0","id":99,"result":{}})",
      Request("roots/list", "1"),
      Request("nonsense", "2"),
      Notify("notifications/message"),
      Notify("nonsense"),
      "banner",
  };
  const auto total = [&](Peer peer) {
    return h.Messages(peer, Outcome::kForwarded) + h.Messages(peer, Outcome::kAnswered) +
           h.Messages(peer, Outcome::kRejected);
  };
  const uint64_t client_before = total(Peer::kClient);
  const uint64_t server_before = total(Peer::kServer);
  for (const std::string& line : from_client) h.Client(line);
  for (const std::string& line : from_server) h.Server(line);
  EXPECT_EQ(total(Peer::kClient) - client_before, from_client.size());
  EXPECT_EQ(total(Peer::kServer) - server_before, from_server.size());
}

}  // namespace
}  // namespace bridgekeeper::bridge
