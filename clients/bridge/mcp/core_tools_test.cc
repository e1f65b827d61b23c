// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Tool calls through the bridge. Lists are in core_listing_test.cc.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_judge.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
constexpr std::string_view kListChanged =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

// ---- waiting for the policy -----------------------------------------------------------

TEST(PolicyWait, TheFirstListWaitsForTheFirstSnapshot) {
  CoreHarness h;
  Sent sent = h.Client(kList);
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_EQ(h.core().next_deadline(), h.clock.SinceBoot() + absl::Seconds(3));
  h.Pass(absl::Seconds(2));
  sent = h.SetPolicy(CoreHarness::Data());
  EXPECT_THAT(NamesIn(h.AnswerList(sent)), ElementsAre("read", "write", "drop"));
}

TEST(PolicyWait, EndsAfterItsTimeAndThenNothingWaits) {
  CoreHarness h;
  h.Client(kList);
  const Sent asked = h.Pass(absl::Seconds(3));
  EXPECT_THAT(NamesIn(h.AnswerList(asked)), IsEmpty());
  EXPECT_EQ(h.log.EventsOf("no tool is shown").at(0).fields.at("reason_code"), "POLICY_MISSING");
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "2"))), "POLICY_MISSING");
}

TEST(PolicyWait, RequestsKeepTheirOrder) {
  CoreHarness h;
  h.Client(CoreHarness::Call("read", "1"));
  h.Client(CoreHarness::Call("write", "2"));
  const Sent sent = h.AnswerList(h.SetPolicy(CoreHarness::Data()));
  EXPECT_THAT(sent.to_server,
              ElementsAre(CoreHarness::Call("read", "1"), CoreHarness::Call("write", "2")));
}

TEST(PolicyWait, WhatPassesAnywayDoesNotWait) {
  CoreHarness h;
  h.Client(kList);
  EXPECT_THAT(h.Client(R"({"jsonrpc":"2.0","id":2,"method":"ping"})").to_server, SizeIs(1));
}

TEST(PolicyWait, WhatWaitsIsBounded) {
  CoreHarness h;
  const std::string large(kMaxHeldBytes / 4, 'x');
  int denied = 0;
  for (int i = 0; i < 8; ++i) {
    const Sent sent =
        h.Client(CoreHarness::Call("read", std::to_string(i), R"({"a":")" + large + R"("})"));
    if (DenialIn(sent) == "OVERLOADED") ++denied;
  }
  EXPECT_EQ(denied, 5) << "three fit, each a little larger than a quarter";
  ASSERT_THAT(h.observer.decisions, SizeIs(5)) << "a denial is a decision";
  EXPECT_EQ(h.observer.decisions[0].reason, ReasonCode::kOverloaded);
  const Sent list = h.Client(R"({"jsonrpc":"2.0","id":"l","method":"tools/list","params":{"a":")" +
                             large + R"("}})");
  EXPECT_EQ(At(list.to_client.at(0), "error/code"), "-32000") << "what is no call is an error";
}

TEST(ListWait, ACallThatCannotWaitForTheListIsDenied) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  for (size_t i = 0; i < kMaxRequestsInFlight; ++i) {
    EXPECT_THAT(h.Client(CoreHarness::Call("read", std::to_string(i))).to_client, IsEmpty());
  }
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "5000"))), "OVERLOADED");
}

// ---- calls -----------------------------------------------------------------------------

TEST(Calling, AnAllowedCallIsForwardedAsTheVeryBytesJudged) {
  CoreHarness h;
  h.StartSession();
  const std::string call =
      R"({ "params":{"arguments":{"n":1.0e2,"\u0061":"x"},"name":"re\u0061d","x":1},)"
      R"("method":"tools/call","id":"\u0031","jsonrpc":"2.0" })";
  EXPECT_THAT(h.Client(call).to_server, ElementsAre(call));
  // Everything in the result is kept.
  const std::string result =
      R"({"jsonrpc":"2.0","id":"1","result":{"content":[],"structuredContent":[1],"_meta":{"a":1},"z":2}})";
  EXPECT_THAT(h.Server(result).to_client, ElementsAre(result));
}

TEST(Calling, ADenialIsAToolResultThatSaysWhy) {
  CoreHarness h;
  h.StartSession(CoreHarness::Data(Mode::kReadOnly));
  const Sent sent = h.Client(CoreHarness::Call("write", "\"c\""));
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  const Json json(sent.to_client[0]);
  EXPECT_EQ(json.At("id"), "c");
  EXPECT_EQ(json.At("result/isError"), "true");
  EXPECT_EQ(json.At("result/content/0/type"), "text");
  EXPECT_THAT(json.At("result/content/0/text"),
              AllOf(HasSubstr("mode"), HasSubstr("administrator")));
  EXPECT_EQ(json.At("result/resultType"), "<none>") << "a session's results have none";
  EXPECT_EQ(json.At("result/structuredContent/verdict"), "DENY");
  EXPECT_EQ(json.At("result/structuredContent/reason_code"), "MODE_TOO_LOW");
  EXPECT_EQ(json.At("result/structuredContent/effective_risk"), "ELEVATED");
  EXPECT_EQ(json.At("result/structuredContent/app"), "dockit");
  EXPECT_EQ(json.At("result/structuredContent/server"), "stdio");
  EXPECT_EQ(json.At("result/structuredContent/tool"), "write");
  EXPECT_EQ(json.At("result/structuredContent/policy_revision"), "3");
  EXPECT_EQ(json.At("result/structuredContent/catalog_revision"), "2");
  EXPECT_EQ(json.At("result/structuredContent/decision_id").size(), 32u);
  EXPECT_EQ(DenialIn(sent), "MODE_TOO_LOW");
}

// Clients check structured content against the schema, on errors too.
TEST(Calling, ADenialOfAToolWithAnOutputSchemaHasNoStructuredContent) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data(Mode::kReadOnly));
  h.AnswerList(h.Client(kList), R"({"name":"write","inputSchema":{},"outputSchema":{}})");
  const Sent sent = h.Client(CoreHarness::Call("write", "2"));
  EXPECT_EQ(DenialIn(sent), "MODE_TOO_LOW");
  EXPECT_EQ(At(sent.to_client.at(0), "result/structuredContent"), "<none>");
}

TEST(Calling, ADenialInTheStatelessEraHasAResultType) {
  CoreHarness h;
  h.StartSession(CoreHarness::Data(Mode::kReadOnly));
  const Sent sent = h.Client(CoreHarness::StatelessCall("write"));
  EXPECT_EQ(At(sent.to_client.at(0), "result/resultType"), "complete");
}

// Called by name, without a list before.
TEST(Calling, ACallWithoutAListBeforeIsDecidedOnTheListThatTheBridgeReads) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data(Mode::kReadOnly));
  Sent sent = h.Client(CoreHarness::Call("write"));
  EXPECT_THAT(sent.to_client, IsEmpty());
  sent = h.AnswerList(sent);
  EXPECT_EQ(DenialIn(sent), "MODE_TOO_LOW");
}

TEST(Calling, WithoutAPolicyNothingIsReadAndEverythingDenied) {
  const std::pair<PolicyView::State, const char*> cases[] = {
      {PolicyView::State::kUnknownApp, "UNKNOWN_APP"},
      {PolicyView::State::kNotAuthorized, "NOT_AUTHORIZED"},
      {PolicyView::State::kUnreadable, "POLICY_UNSUPPORTED"},
  };
  for (const auto& [state, reason] : cases) {
    CoreHarness h;
    h.policies.SetState("dockit", state);
    EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read"))), reason);
  }
}

TEST(Calling, AnOldPolicyDeniesEverything) {
  CoreHarness h;
  h.StartSession();
  h.policies.SetAge(absl::Minutes(6));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read"))), "POLICY_STALE");
  h.policies.SetAge(absl::ZeroDuration());
  EXPECT_THAT(h.Client(CoreHarness::Call("read")).to_server, SizeIs(1));
}

TEST(Calling, AMalformedCallIsAnErrorOfTheCaller) {
  CoreHarness h;
  h.StartSession();
  for (const char* params :
       {"{}", R"({"name":7})", R"({"name":null})", R"({"name":true})", R"({"name":["read"]})",
        R"({"name":{"name":"read"}})", R"({"name":1.0})"}) {
    const Sent sent = h.Client(
        absl::StrFormat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s})", params));
    EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32602") << params;
    EXPECT_THAT(sent.to_server, IsEmpty()) << params;
  }
}

TEST(Calling, ArgumentsThatAreNoObjectAreInvalid) {
  CoreHarness h;
  h.StartSession();
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "1", "[1]"))), "INVALID_REQUEST");
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "1", "\"x\""))), "INVALID_REQUEST");
}

TEST(Calling, NullAndAbsentArgumentsAreAnEmptyObject) {
  CoreHarness h;
  h.StartSession();
  EXPECT_THAT(h.Client(CoreHarness::Call("read", "1", "null")).to_server, SizeIs(1));
  EXPECT_THAT(h.Client(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}})")
                  .to_server,
              SizeIs(1));
}

TEST(Calling, AToolThatNobodyKnowsIsDenied) {
  CoreHarness h;
  h.StartSession();
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("nothing"))), "UNKNOWN_TOOL");
}

TEST(Calling, ALongNameIsNotEchoed) {
  CoreHarness h;
  h.StartSession();
  const Sent sent = h.Client(CoreHarness::Call(std::string(100'000, 'x')));
  EXPECT_EQ(DenialIn(sent), "INVALID_REQUEST");
  EXPECT_LT(sent.to_client.at(0).size(), 2000u);
  EXPECT_EQ(h.observer.decisions.back().tool.size(), 128u);
}

// The bound of a decision asked of keeperd holds for one made here.
TEST(Calling, ArgumentsAboveTheBoundAreDenied) {
  CoreHarness h;
  h.StartSession();
  const auto arguments = [](size_t bytes) {
    return R"({"a":")" + std::string(bytes - 8, 'x') + R"("})";
  };
  EXPECT_THAT(h.Client(CoreHarness::Call("read", "1", arguments(1 << 20))).to_server, SizeIs(1));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "2", arguments((1 << 20) + 1)))),
            "INVALID_REQUEST");
}

TEST(Calling, TheFixedConnectionIsChecked) {
  CoreOptions options = CoreHarness::DefaultOptions();
  options.connection = ConnectionId("staging");
  CoreHarness h(options);
  AppData data = CoreHarness::Data();
  data.policy.allowed_connection_ids = {ConnectionId("prod")};
  h.SetPolicy(std::move(data));
  h.AnswerList(h.Client(kList));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read"))), "CONNECTION_NOT_ALLOWED");
}

TEST(Calling, MoreCallsThanTheBoundAreDenied) {
  CoreHarness h;
  h.StartSession();
  for (size_t i = 0; i < kMaxRequestsInFlight; ++i) {
    ASSERT_THAT(h.Client(CoreHarness::Call("read", std::to_string(i))).to_server, SizeIs(1));
  }
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "\"one more\""))), "OVERLOADED");
}

TEST(Calling, EveryDecisionIsReported) {
  CoreHarness h;
  h.StartSession(CoreHarness::Data(Mode::kReadOnly));
  h.Client(CoreHarness::Call("read", "1", R"({"b":1,"a":"x"})"));
  h.Client(CoreHarness::Call("write", "2", R"({ "a":"\u0078", "b":1 })"));
  ASSERT_THAT(h.observer.decisions, SizeIs(2));
  const DecidedCall& allowed = h.observer.decisions[0];
  const DecidedCall& denied = h.observer.decisions[1];
  EXPECT_EQ(allowed.tool, "read");
  EXPECT_EQ(allowed.verdict, Verdict::kAllow);
  EXPECT_EQ(allowed.client_name, "tester");
  EXPECT_EQ(allowed.client_version, "1");
  EXPECT_EQ(allowed.policy_revision, 3);
  EXPECT_EQ(allowed.time, h.clock.Now());
  EXPECT_EQ(denied.verdict, Verdict::kDeny);
  EXPECT_EQ(denied.reason, ReasonCode::kModeTooLow);
  EXPECT_NE(allowed.decision_id, denied.decision_id);
  EXPECT_EQ(allowed.arguments_digest, denied.arguments_digest) << "the same arguments";
  EXPECT_EQ(allowed.arguments_digest.size(), 64u);
}

TEST(Calling, TheClientOfAStatelessRequestIsTheOneThatItNames) {
  CoreHarness h;
  h.StartSession();
  h.Client(CoreHarness::StatelessCall("read"));
  EXPECT_EQ(h.observer.decisions.back().client_name, "modern");
}

// ---- asking -----------------------------------------------------------------------------

TEST(Asking, AClientThatWasToldDestructiveHasAsked) {
  CoreHarness h;
  h.StartSession();
  EXPECT_THAT(h.Client(CoreHarness::Call("drop")).to_server, SizeIs(1));
  EXPECT_EQ(h.observer.decisions.back().verdict, Verdict::kAsk);
  EXPECT_EQ(h.observer.decisions.back().ask_mode, AskMode::kClient);
}

// Who cannot be asked has not agreed.
TEST(Asking, AClientThatWasNotToldHasNotAsked) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent sent = h.AnswerList(h.Client(CoreHarness::Call("drop")));
  EXPECT_EQ(DenialIn(sent), "NO_WAY_TO_ASK");
  EXPECT_THAT(At(sent.to_client.at(0), "result/content/0/text"), HasSubstr("ask_mode"));
}

TEST(Asking, OnlyTheLastListCounts) {
  CoreHarness h;
  h.StartSession();
  h.AnswerList(h.Client(kList), R"({"name":"read","inputSchema":{}})");
  h.Client(kListChanged);
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop", "2"))), "NO_WAY_TO_ASK");
}

TEST(Asking, AListThatTheClientCancelledToldItNothing) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent asked = h.Client(kList);
  h.Client(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_THAT(h.AnswerList(asked).to_client, IsEmpty());
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop", "2"))), "NO_WAY_TO_ASK");
}

TEST(Asking, WithoutASessionTheListInForceCounts) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const std::string call = CoreHarness::StatelessCall("drop");
  EXPECT_THAT(h.AnswerList(h.Client(call)).to_server, ElementsAre(call));
}

TEST(Asking, WithoutASessionAToolThatTheServerDoesNotListIsNotToldOf) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent sent = h.AnswerList(h.Client(CoreHarness::StatelessCall("drop")),
                                 R"({"name":"read","inputSchema":{}})");
  EXPECT_EQ(DenialIn(sent), "NO_WAY_TO_ASK");
}

// A client that declares no `elicitation`; core_consent_test.cc has those that do.
TEST(Asking, AClientThatCannotBeAskedHasNotAgreed) {
  for (const AskMode mode : {AskMode::kElicit, AskMode::kApproval}) {
    CoreHarness h;
    AppData data = CoreHarness::Data();
    data.policy.ask_mode = mode;
    h.StartSession(std::move(data));
    const Sent sent = h.Client(CoreHarness::Call("drop"));
    EXPECT_EQ(DenialIn(sent), "NO_WAY_TO_ASK");
    EXPECT_THAT(At(sent.to_client.at(0), "result/content/0/text"),
                AllOf(HasSubstr("`elicitation`"), HasSubstr("`ask_mode`")))
        << "what is missing, and who may change what";
    EXPECT_EQ(DenialIn(h.Client(CoreHarness::StatelessCall("drop"))), "NO_WAY_TO_ASK");
  }
}

// An argument that claims consent is an argument.
TEST(Asking, AnArgumentNeverCountsAsConsent) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.ask_mode = AskMode::kElicit;
  h.StartSession(std::move(data));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop", "1", R"({"confirm":true})"))),
            "NO_WAY_TO_ASK");
}

// ---- pins -----------------------------------------------------------------------------

AppData PinnedData(const std::string& definition, Pinning pinning = Pinning::kEnforce) {
  UpstreamToolList list;
  const std::string result = R"({"tools":[)" + definition + "]}";
  const auto document = JsonDocument::Parse(result);
  list.AddPage(document->root());
  AppData data = CoreHarness::Data();
  data.policy.pinning = pinning;
  data.catalog[0].pin = list.tools().at(0).digest;
  return data;
}

// A tool that changed after its review.
TEST(Pinning, AChangedToolIsHiddenAndDenied) {
  CoreHarness h;
  h.SetPolicy(PinnedData(R"({"name":"read","inputSchema":{}})"));
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList))), ElementsAre("read", "write", "drop"));
  EXPECT_THAT(h.Client(CoreHarness::Call("read", "2")).to_server, SizeIs(1));
  h.Server(kListChanged);
  constexpr std::string_view kChanged =
      R"({"name":"read","inputSchema":{},"description":"and more"},{"name":"write","inputSchema":{}})";
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList), kChanged)), ElementsAre("write"));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "3"))), "TOOL_CHANGED");
}

// The call after the change is decided on the new list.
TEST(Pinning, ACallAfterAChangeIsDecidedOnTheNewDefinition) {
  CoreHarness h;
  h.StartSession(PinnedData(R"({"name":"read","inputSchema":{}})"));
  EXPECT_THAT(h.Server(kListChanged).to_client, ElementsAre(kListChanged));
  Sent sent = h.Client(CoreHarness::Call("read"));
  EXPECT_THAT(sent.to_client, IsEmpty());
  sent = h.AnswerList(sent, R"({"name":"read","inputSchema":{"x":1}})");
  EXPECT_EQ(DenialIn(sent), "TOOL_CHANGED");
}

// A server may change its tools and not say so.
TEST(Pinning, AnOldListIsReadAgainBesideACall) {
  CoreHarness h;
  h.StartSession(PinnedData(R"({"name":"read","inputSchema":{}})"));
  h.Pass(kListRefresh);
  const Sent sent = h.Client(CoreHarness::Call("read"));
  EXPECT_THAT(sent.to_server, ElementsAre(HasSubstr("tools/list"), HasSubstr("tools/call")));
  h.AnswerList(sent, R"({"name":"read","inputSchema":{"x":1}})");
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "2"))), "TOOL_CHANGED");
}

TEST(Pinning, AToolThatTheServerNoLongerListsHasNoDefinitionThatFits) {
  CoreHarness h;
  h.SetPolicy(PinnedData(R"({"name":"read","inputSchema":{}})"));
  EXPECT_EQ(DenialIn(h.AnswerList(h.Client(CoreHarness::Call("read")),
                                  R"({"name":"write","inputSchema":{}})")),
            "TOOL_CHANGED");
}

TEST(Pinning, AServerThatDoesNotTellItsListHasNoDefinitionThatFits) {
  CoreHarness h;
  h.SetPolicy(PinnedData(R"({"name":"read","inputSchema":{}})"));
  h.Client(CoreHarness::Call("read"));
  EXPECT_EQ(DenialIn(h.Pass(kListTimeout)), "TOOL_CHANGED");
  const Sent asked = h.Client(CoreHarness::Call("read", "2"));
  const Sent sent = h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(asked) +
                             R"(","error":{"code":1,"message":"x"}})");
  EXPECT_EQ(DenialIn(sent), "TOOL_CHANGED");
}

// ---- payloads -------------------------------------------------------------------------------

class PayloadTest : public ::testing::Test {
 protected:
  static CoreOptions Options() {
    CoreOptions options = CoreHarness::DefaultOptions();
    options.connection = ConnectionId("db");
    options.connection_type = "postgres";
    return options;
  }
  static AppData Data() {
    AppData data = CoreHarness::Data();
    data.catalog[0].payload_rule = PayloadRule{.payload = "{sql}"};
    return data;
  }

  FakeJudge judge_;
};

TEST_F(PayloadTest, IsJudgedByTheTypeOfTheFixedConnection) {
  CoreHarness h(Options(), &judge_);
  h.StartSession(Data());
  EXPECT_THAT(h.Client(CoreHarness::Call("read", "1", R"({"sql":"SELECT 1"})")).to_server,
              SizeIs(1));
  EXPECT_TRUE(h.observer.decisions.back().judged);
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "2", R"({"sql":"DROP TABLE t"})"))),
            "STATEMENT_EXCEEDS_TOOL");
}

TEST_F(PayloadTest, OfAnUnknownDialectIsDenied) {
  CoreOptions options = Options();
  options.connection_type = "";
  CoreHarness h(options, &judge_);
  h.StartSession(Data());
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "1", R"({"sql":"SELECT 1"})"))),
            "DIALECT_UNKNOWN");
}

TEST_F(PayloadTest, ThatIsMissingIsDeniedAlsoWithoutArguments) {
  CoreHarness h(Options(), &judge_);
  h.StartSession(Data());
  EXPECT_EQ(DenialIn(h.Client(
                R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}})")),
            "PAYLOAD_MISSING");
}

TEST_F(PayloadTest, ThatTheJudgeCannotReadIsDenied) {
  CoreHarness h(Options(), &judge_);
  h.StartSession(Data());
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("read", "1", R"({"sql":"gibberish"})"))),
            "STATEMENT_UNREADABLE");
}

}  // namespace
}  // namespace bridgekeeper::bridge
