// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that a person has to agree to, over HTTP, in both eras.

#include <string>
#include <utility>

#include "clients/bridge/http/bridge_server_test_util.h"
#include "clients/bridge/http/stateless.h"
#include "policy/testing/fake_judge.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

AppData ElicitPolicy() {
  AppData data = Policy({"one", "two"});
  data.policy.ask_mode = AskMode::kElicit;
  return data;
}

std::string AnswerTo(const std::string& question, std::string_view action) {
  const auto document = JsonDocument::Parse(question);
  const auto id = document.ok() ? document->root().Find("id") : std::nullopt;
  EXPECT_TRUE(id) << question;
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{"action":"%s"}})",
                         id ? id->raw() : "null", action);
}

constexpr std::string_view kAsking = R"({"elicitation":{}})";

// An endpoint, and the name that it has for the tool `drop` of the server `one`.
struct Endpoint {
  std::string name;
  std::string path;
  std::string tool;
};

class ConsentTest : public ::testing::TestWithParam<Endpoint> {
 protected:
  std::string DropCall(std::string_view id = "1") const {
    return Call(GetParam().tool, "echo", 5, id);
  }
  const std::string& path() const { return GetParam().path; }
};

INSTANTIATE_TEST_SUITE_P(Endpoints, ConsentTest,
                         ::testing::Values(Endpoint{"OneServer", "/servers/one/mcp", "drop"},
                                           Endpoint{"AllServers", "/mcp", "one__drop"}),
                         [](const auto& test) { return test.param.name; });

// ---- sessions ---------------------------------------------------------------------------

TEST_P(ConsentTest, IsAskedForOnTheStreamOfTheCall) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  const auto session = bridge.Begin(path(), kAsking);
  HttpClient client = bridge.Client();
  client.Ask("POST", path(), DropCall(), session);
  const auto question = client.NextEvent();
  ASSERT_TRUE(question);
  EXPECT_THAT(question->data, AllOf(HasSubstr("elicitation/create"), HasSubstr("Tool: drop"),
                                    HasSubstr("Server: one")));
  const std::string accept = AnswerTo(question->data, "accept");
  EXPECT_EQ(bridge.Client().Ask("POST", path(), accept, session).status, 202);
  const auto answer = client.NextEvent();
  ASSERT_TRUE(answer);
  EXPECT_EQ(TextIn(answer->data), R"({"act":"echo","n":5})");
  EXPECT_EQ(client.NextEvent(), std::nullopt);
  // The same once more runs nothing: it is the answer to no question.
  EXPECT_EQ(bridge.Client().Ask("POST", path(), accept, session).status, 202);
}

TEST_P(ConsentTest, IsAskedForOnceWhereThePayloadIsJudged) {
  const FakeJudge judge;
  AppData policy = ElicitPolicy();
  for (CatalogEntry& entry : policy.catalog) {
    entry.payload_rule = PayloadRule{.payload = "{act}", .dialect = "postgres"};
    entry.payload_rule->harmless_arguments = {"n"};
  }
  TestBridge bridge({Fake("one"), Fake("two")}, policy, {}, {}, &judge);
  const auto session = bridge.Begin(path(), kAsking);
  HttpClient client = bridge.Client();
  client.Ask("POST", path(), Call(GetParam().tool, "DROP TABLE t", 5), session);
  const auto question = client.NextEvent();
  ASSERT_TRUE(question);
  EXPECT_THAT(question->data, HasSubstr("elicitation/create"));
  bridge.Client().Ask("POST", path(), AnswerTo(question->data, "accept"), session);
  const auto answer = client.NextEvent();
  ASSERT_TRUE(answer);
  EXPECT_EQ(TextIn(answer->data), R"({"act":"DROP TABLE t","n":5})");
  EXPECT_EQ(client.NextEvent(), std::nullopt);
}

TEST_P(ConsentTest, ThatIsDeclinedIsADenial) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  const auto session = bridge.Begin(path(), kAsking);
  HttpClient client = bridge.Client();
  client.Ask("POST", path(), DropCall(), session);
  const auto question = client.NextEvent();
  ASSERT_TRUE(question);
  bridge.Client().Ask("POST", path(), AnswerTo(question->data, "decline"), session);
  EXPECT_THAT(client.NextEvent()->data, HasSubstr("ASK_DECLINED"));
}

TEST_P(ConsentTest, OfAnotherSessionIsNone) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  const auto asked = bridge.Begin(path(), kAsking);
  const auto other = bridge.Begin(path(), kAsking);
  HttpClient client = bridge.Client();
  client.Ask("POST", path(), DropCall(), asked);
  const auto question = client.NextEvent();
  ASSERT_TRUE(question);
  bridge.Client().Ask("POST", path(), AnswerTo(question->data, "accept"), other);
  // The session's own answer is the one that counts.
  bridge.Client().Ask("POST", path(), AnswerTo(question->data, "cancel"), asked);
  EXPECT_THAT(client.NextEvent()->data, HasSubstr("ASK_DECLINED"));
}

TEST_P(ConsentTest, CannotBeAskedOfAClientThatDeclaresNone) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  const auto session = bridge.Begin(path());
  EXPECT_THAT(bridge.Client().Ask("POST", path(), DropCall(), session).body,
              HasSubstr("NO_WAY_TO_ASK"));
}

// ---- without sessions -----------------------------------------------------------------------

std::string ModernCall(std::string_view tool, std::string_view capabilities, std::string_view more,
                       int n = 5) {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"%s",)"
                         R"("arguments":{"act":"echo","n":%d},%s"_meta":{)"
                         R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                         R"("io.modelcontextprotocol/clientCapabilities":%s,)"
                         R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}})",
                         tool, n, more, capabilities);
}

// The members of a call that answer `question`.
std::string With(const std::string& question, std::string_view action) {
  const auto document = JsonDocument::Parse(question);
  const auto result = document.ok() ? document->root().Find("result") : std::nullopt;
  const auto state = result ? result->Find("requestState") : std::nullopt;
  EXPECT_TRUE(state) << question;
  return absl::StrFormat(
      R"("requestState":%s,"inputResponses":{"bridgekeeper/consent":{"action":"%s"}},)",
      state ? state->raw() : "null", action);
}

class StatelessConsentTest : public ConsentTest {
 protected:
  std::string Ask(TestBridge& bridge, std::string_view more = "", int n = 5,
                  std::string_view capabilities = kAsking) const {
    return bridge.Client()
        .Ask("POST", path(), ModernCall(GetParam().tool, capabilities, more, n),
             {{"MCP-Protocol-Version", std::string(kStatelessVersion)},
              {"Mcp-Method", "tools/call"},
              {"Mcp-Name", GetParam().tool}})
        .body;
  }
};

INSTANTIATE_TEST_SUITE_P(Endpoints, StatelessConsentTest,
                         ::testing::Values(Endpoint{"OneServer", "/servers/one/mcp", "drop"},
                                           Endpoint{"AllServers", "/mcp", "one__drop"}),
                         [](const auto& test) { return test.param.name; });

TEST_P(StatelessConsentTest, TravelsWithTheClientAndCountsOnce) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  const std::string question = Ask(bridge);
  EXPECT_THAT(question, AllOf(HasSubstr(R"("resultType":"input_required")"),
                              HasSubstr(R"("id":"a")"), HasSubstr("Tool: drop")));
  const std::string answer = Ask(bridge, With(question, "accept"));
  EXPECT_EQ(TextIn(answer), R"({"act":"echo","n":5})");
  EXPECT_THAT(answer, HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(Ask(bridge, With(question, "accept")), HasSubstr("APPROVAL_INVALID"));
}

TEST_P(StatelessConsentTest, IsForTheCallThatWasAskedAbout) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  EXPECT_THAT(Ask(bridge, With(Ask(bridge), "accept"), 6), HasSubstr("APPROVAL_INVALID"));
  EXPECT_THAT(Ask(bridge, With(Ask(bridge), "decline")), HasSubstr("ASK_DECLINED"));
}

// A name that was agreed to and that another server has by now.
TEST(StatelessConsent, IsNotForAnotherServerOfTheSameName) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  const auto ask = [&](const std::string& more) {
    return bridge.Client()
        .Ask("POST", "/mcp", ModernCall("one__drop", kAsking, more),
             {{"MCP-Protocol-Version", std::string(kStatelessVersion)},
              {"Mcp-Method", "tools/call"},
              {"Mcp-Name", "one__drop"}})
        .body;
  };
  const std::string question = ask("");
  EXPECT_THAT(question, HasSubstr("Server: one"));
  ServerConfig taker = Fake("two");
  taker.prefix = "one__";
  ServerConfig former = Fake("one");
  former.prefix = "former__";
  ASSERT_THAT(bridge.Reload({former, taker}), IsOk());
  EXPECT_THAT(ask(With(question, "accept")), HasSubstr("APPROVAL_INVALID"));
  EXPECT_THAT(ask(""), HasSubstr("Server: two"));
}

TEST_P(StatelessConsentTest, CannotBeAskedOfAClientThatDeclaresNone) {
  TestBridge bridge({Fake("one"), Fake("two")}, ElicitPolicy());
  EXPECT_THAT(Ask(bridge, "", 5, "{}"),
              AllOf(HasSubstr("NO_WAY_TO_ASK"), Not(HasSubstr("inputRequests"))));
}

}  // namespace
}  // namespace bridgekeeper::bridge
