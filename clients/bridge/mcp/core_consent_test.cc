// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that a person has to agree to, asked through MCP itself.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/consent.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

AppData ElicitData() {
  AppData data = CoreHarness::Data();
  data.policy.ask_mode = AskMode::kElicit;
  return data;
}

std::string Answer(const std::string& id, std::string_view result) {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":"%s","result":%s})", id, result);
}

constexpr std::string_view kAccept = R"({"action":"accept","content":{}})";

// A session whose client declared `capabilities`, under a policy that asks.
class SessionHarness : public CoreHarness {
 public:
  explicit SessionHarness(AppData data = ElicitData(),
                          std::string_view capabilities = R"({"elicitation":{}})") {
    StartSession(std::move(data), capabilities);
  }

  // Calls and returns the id of the question, or "" where there was none.
  std::string CallAndBeAsked(const std::string& call = Call("drop")) {
    const Sent sent = Client(call);
    if (!sent.to_server.empty() || sent.to_client.size() != 1) return "";
    question = sent.to_client[0];
    return At(question, "method") == "elicitation/create" ? At(question, "id") : "";
  }

  std::string question;
};

// ---- sessions ---------------------------------------------------------------------------

TEST(Consent, AnAcceptedCallIsForwardedOnceAsItCame) {
  SessionHarness h;
  const std::string call = CoreHarness::Call("drop", "1", R"({ "table":"a\u0062" })");
  const std::string id = h.CallAndBeAsked(call);
  ASSERT_NE(id, "");
  EXPECT_THAT(h.observer.decisions, IsEmpty()) << "nothing is decided while nobody has answered";
  const Sent sent = h.Client(Answer(id, kAccept));
  EXPECT_THAT(sent.to_server, ElementsAre(call));
  EXPECT_THAT(sent.to_client, IsEmpty());
  ASSERT_THAT(h.observer.decisions, SizeIs(1));
  EXPECT_EQ(h.observer.decisions[0].verdict, Verdict::kAsk);
  EXPECT_EQ(h.observer.decisions[0].ask_mode, AskMode::kElicit);

  const Sent twice = h.Client(Answer(id, kAccept));
  EXPECT_THAT(twice.to_server, IsEmpty());
  EXPECT_THAT(twice.to_client, IsEmpty());
  EXPECT_EQ(h.core().stats().questions_asked, 1);
  EXPECT_EQ(h.core().stats().questions_accepted, 1);
}

TEST(Consent, TheQuestionShowsTheCallWholeWithHiddenTextMadeVisible) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked(CoreHarness::Call("drop", "1",
                                                            "{\"table\":\"a\xE2\x80\xAE"
                                                            "b\",\"x\":\"\\u202e\"}"));
  ASSERT_NE(id, "");
  EXPECT_THAT(
      At(h.question, "params/message"),
      AllOf(HasSubstr("Tool: drop\n"), HasSubstr("Server: stdio\n"), HasSubstr("App: dockit\n"),
            HasSubstr("DESTRUCTIVE"), HasSubstr(R"({"table":"a\u{202e}b","x":"\u202e"})")));
  EXPECT_EQ(At(h.question, "params/requestedSchema/type"), "object");
}

struct NoConsent {
  std::string name;
  std::string answer;  // of the client; %s is the question's id
};

class NoConsentTest : public ::testing::TestWithParam<NoConsent> {};

// Nothing but accept is consent.
INSTANTIATE_TEST_SUITE_P(
    Answers, NoConsentTest,
    ::testing::ValuesIn(std::vector<NoConsent>{
        {"Decline", R"({"jsonrpc":"2.0","id":"%s","result":{"action":"decline"}})"},
        {"Cancel", R"({"jsonrpc":"2.0","id":"%s","result":{"action":"cancel"}})"},
        {"Empty", R"({"jsonrpc":"2.0","id":"%s","result":{}})"},
        {"OtherCase", R"({"jsonrpc":"2.0","id":"%s","result":{"action":"Accept"}})"},
        {"TrueForAccept", R"({"jsonrpc":"2.0","id":"%s","result":{"action":true}})"},
        {"ContentOnly", R"({"jsonrpc":"2.0","id":"%s","result":{"content":{"action":"accept"}}})"},
        {"NoObject", R"({"jsonrpc":"2.0","id":"%s","result":"accept"})"},
        {"Error", R"({"jsonrpc":"2.0","id":"%s","error":{"code":-32601,"message":"accept"}})"},
        {"TwoActions",
         R"({"jsonrpc":"2.0","id":"%s","result":{"action":"decline","action":"accept"}})"},
        {"ResultAndError",
         R"({"jsonrpc":"2.0","id":"%s","result":{"action":"accept"},"error":{"code":1}})"},
    }),
    [](const auto& test) { return test.param.name; });

TEST_P(NoConsentTest, DeniesTheCall) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  ASSERT_NE(id, "");
  std::string answer = GetParam().answer;
  answer.replace(answer.find("%s"), 2, id);
  const Sent sent = h.Client(answer);
  EXPECT_EQ(DenialIn(sent), "ASK_DECLINED");
  EXPECT_EQ(At(sent.to_client.at(0), "id"), "1");
  EXPECT_EQ(h.core().stats().questions_declined, 1);
  EXPECT_EQ(h.observer.decisions.back().reason, ReasonCode::kAskDeclined);
  EXPECT_THAT(h.Client(Answer(id, kAccept)).to_server, IsEmpty()) << "too late";
}

TEST(Consent, WhatNobodyAnswersIsDeniedInTheEndAndWithdrawn) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  EXPECT_EQ(h.core().next_deadline(), h.clock.SinceBoot() + kAnswerTime);
  EXPECT_THAT(h.Pass(kAnswerTime - absl::Seconds(1)).to_client, IsEmpty());
  const Sent sent = h.Pass(absl::Seconds(1));
  ASSERT_THAT(sent.to_client, SizeIs(2));
  EXPECT_EQ(At(sent.to_client[0], "method"), "notifications/cancelled");
  EXPECT_EQ(At(sent.to_client[0], "params/requestId"), id);
  EXPECT_THAT(sent.to_client[1], HasSubstr(R"("reason_code":"ASK_DECLINED")"));
  EXPECT_THAT(h.Client(Answer(id, kAccept)).to_server, IsEmpty()) << "late";
  EXPECT_EQ(h.core().stats().questions_expired, 1);
}

TEST(Consent, AnAnswerToAQuestionThatWasNotAskedRunsNothing) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  for (const std::string& forged : {id + "0", id.substr(0, id.size() - 1), std::string("1"),
                                    std::string("bridgekeeper/ask/1")}) {
    EXPECT_THAT(h.Client(Answer(forged, kAccept)).to_server, IsEmpty()) << forged;
  }
  EXPECT_EQ(h.core().requests_in_flight(), 1);
}

TEST(Consent, AnAnswerIsForTheCallThatItWasAskedAbout) {
  SessionHarness h;
  const std::string first = h.CallAndBeAsked(CoreHarness::Call("drop", "1", R"({"t":"a"})"));
  const std::string second = h.CallAndBeAsked(CoreHarness::Call("drop", "2", R"({"t":"b"})"));
  EXPECT_NE(first, second);
  EXPECT_THAT(h.Client(Answer(second, kAccept)).to_server,
              ElementsAre(CoreHarness::Call("drop", "2", R"({"t":"b"})")));
  EXPECT_EQ(DenialIn(h.Client(Answer(first, R"({"action":"decline"})"))), "ASK_DECLINED");
}

TEST(Consent, ACancelledCallTakesItsQuestionAlong) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  const Sent sent = h.Client(Notify("notifications/cancelled", R"({"requestId":1})"));
  EXPECT_THAT(sent.to_server, IsEmpty());
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "params/requestId"), id);
  EXPECT_THAT(h.Client(Answer(id, kAccept)).to_server, IsEmpty());
  EXPECT_FALSE(h.core().has_questions());
  EXPECT_EQ(h.core().next_deadline(), absl::InfiniteDuration());
}

TEST(Consent, AnotherCallWithTheIdOfACancelledOneIsNotAgreedTo) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  h.Client(Notify("notifications/cancelled", R"({"requestId":1})"));
  const std::string again = h.CallAndBeAsked(CoreHarness::Call("drop", "1", R"({"t":"all"})"));
  EXPECT_THAT(h.Client(Answer(id, kAccept)).to_server, IsEmpty());
  EXPECT_THAT(h.Client(Answer(again, kAccept)).to_server, SizeIs(1));
}

TEST(Consent, TheEndOfTheServerEndsTheQuestion) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  const Sent sent = h.ServerEnds("it crashed");
  ASSERT_THAT(sent.to_client, SizeIs(2));
  EXPECT_EQ(At(sent.to_client[0], "params/requestId"), id);
  EXPECT_EQ(At(sent.to_client[1], "error/code"), "-32603");
  EXPECT_THAT(h.Client(Answer(id, kAccept)).to_server, IsEmpty());
}

TEST(Consent, AClientThatSaysNothingMoreHasNotAgreed) {
  SessionHarness h;
  ASSERT_NE(h.CallAndBeAsked(), "");
  Output out;
  h.core().OnClientInputEnd(out);
  EXPECT_THAT(out.to_client, HasSubstr("ASK_DECLINED"));
  EXPECT_EQ(h.core().answers_due(), 0);
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop", "2"))), "NO_WAY_TO_ASK")
      << "what was on its way is not asked about";
}

// A server that could choose the id of our question would have its own answered instead.
TEST(Consent, AServerCannotAskInPlaceOfTheBridge) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  const Sent sent = h.Server(Request("elicitation/create", "\"" + id + "\""));
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_EQ(At(sent.to_server.at(0), "error/code"), "-32600");
}

struct Meanwhile {
  std::string name;
  void (*change)(AppData& data);
  std::string reason;  // empty: the call runs
};

class MeanwhileTest : public ::testing::TestWithParam<Meanwhile> {};

INSTANTIATE_TEST_SUITE_P(
    Changes, MeanwhileTest,
    ::testing::ValuesIn(std::vector<Meanwhile>{
        {"NothingChanges", [](AppData&) {}, ""},
        {"ThePolicyHasANewRevision", [](AppData& data) { data.policy_revision = {4}; },
         "APPROVAL_INVALID"},
        {"TheCatalogueHasANewRevision", [](AppData& data) { data.catalog_revision = {3}; },
         "APPROVAL_INVALID"},
        {"TheModeIsLowered", [](AppData& data) { data.policy.mode = Mode::kReadOnly; },
         "MODE_TOO_LOW"},
        {"TheAppIsSuspended", [](AppData& data) { data.policy.suspended = true; }, "SUSPENDED"},
        {"OperatorsApproveFromNowOn",
         [](AppData& data) { data.policy.ask_mode = AskMode::kApproval; }, "NO_WAY_TO_ASK"},
    }),
    [](const auto& test) { return test.param.name; });

TEST_P(MeanwhileTest, IsWhatTheCallIsDecidedOn) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  AppData data = ElicitData();
  GetParam().change(data);
  h.SetPolicy(std::move(data));
  const Sent sent = h.Client(Answer(id, kAccept));
  EXPECT_EQ(DenialIn(sent), GetParam().reason);
  EXPECT_EQ(sent.to_server.size(), GetParam().reason.empty() ? 1 : 0);
}

TEST(Consent, ADefinitionThatChangedMeanwhileWasNotAgreedTo) {
  for (const bool changes : {true, false}) {
    SessionHarness h;
    const std::string id = h.CallAndBeAsked();
    h.Server(Notify("notifications/tools/list_changed"));
    const Sent asked = h.Client(Answer(id, kAccept));
    EXPECT_THAT(asked.to_client, IsEmpty()) << "it waits for the list";
    const Sent sent = changes ? h.AnswerList(asked, R"({"name":"drop","inputSchema":{"x":1}})")
                              : h.AnswerList(asked);
    EXPECT_EQ(DenialIn(sent), changes ? "APPROVAL_INVALID" : "");
    EXPECT_EQ(sent.to_server.size(), changes ? 0 : 1);
  }
}

struct Capability {
  std::string name;
  std::string capabilities;
  bool takes_forms;
};

class CapabilityTest : public ::testing::TestWithParam<Capability> {};

// Who cannot be asked has not agreed.
INSTANTIATE_TEST_SUITE_P(Clients, CapabilityTest,
                         ::testing::ValuesIn(std::vector<Capability>{
                             {"None", "{}", false},
                             {"Empty", R"({"elicitation":{}})", true},
                             {"Form", R"({"elicitation":{"form":{}}})", true},
                             {"FormAndUrl", R"({"elicitation":{"form":{},"url":{}}})", true},
                             {"UrlOnly", R"({"elicitation":{"url":{}}})", false},
                             {"Defaults", R"({"elicitation":{"applyDefaults":true}})", true},
                             {"Null", R"({"elicitation":null})", false},
                             {"True", R"({"elicitation":true})", false},
                             {"Elsewhere", R"({"experimental":{"elicitation":{}}})", false},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST_P(CapabilityTest, SaysWhetherASessionsClientIsAsked) {
  SessionHarness h(ElicitData(), GetParam().capabilities);
  const Sent sent = h.Client(CoreHarness::Call("drop"));
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_EQ(DenialIn(sent), GetParam().takes_forms ? "" : "NO_WAY_TO_ASK");
}

TEST(Consent, ALaterInitializeSaysAnewWhatTheClientCan) {
  SessionHarness h;
  h.Client(Request("initialize", "9", R"({"capabilities":{}})"));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop"))), "NO_WAY_TO_ASK");
}

TEST(Consent, WhatCannotBeShownWholeCannotBeAgreedTo) {
  SessionHarness h;
  const std::string long_text(kMaxShownBytes, 'x');
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop", "1", R"({"t":")" + long_text + R"("})"))),
            "NO_WAY_TO_ASK");
}

TEST(Consent, QuestionsThatDoNotFitAreDenied) {
  SessionHarness h;
  const std::string filler(kMaxHeldBytes / 8, ' ');
  std::vector<std::string> denials;
  for (int i = 0; i < 9; ++i) {
    // White space between members is held, and is nothing that has to be shown.
    std::string call = CoreHarness::Call("drop", std::to_string(i));
    call.insert(1, filler);
    denials.push_back(DenialIn(h.Client(call)));
  }
  EXPECT_EQ(std::count(denials.begin(), denials.end(), "OVERLOADED"), 2)
      << "seven fit, each a little larger than an eighth";
}

TEST(Consent, OnlyWhatIsAskedAboutWaits) {
  SessionHarness h;
  h.CallAndBeAsked();
  EXPECT_THAT(h.Client(CoreHarness::Call("read", "2")).to_server, SizeIs(1));
}

// `ask_mode` CLIENT: what its listing did not call destructive, the client did not ask about.
TEST(Consent, AClientThatWasNotToldDestructiveIsAsked) {
  SessionHarness h(CoreHarness::Data());
  EXPECT_EQ(h.CallAndBeAsked(CoreHarness::Call("drop", "1")), "") << "it was told";
  h.AnswerList(h.Client(Request("tools/list", "2")), R"({"name":"read","inputSchema":{}})");
  h.Server(Notify("notifications/tools/list_changed"));
  const Sent sent = h.AnswerList(h.Client(CoreHarness::Call("drop", "3")));
  ASSERT_THAT(sent.to_client, SizeIs(1));
  ASSERT_EQ(At(sent.to_client[0], "method"), "elicitation/create");
  EXPECT_THAT(h.Client(Answer(At(sent.to_client[0], "id"), kAccept)).to_server, SizeIs(1));
  EXPECT_EQ(h.observer.decisions.back().ask_mode, AskMode::kElicit);
}

TEST(Consent, ADeclinedCallStaysDeclinedWhereTheClientIsToldMeanwhile) {
  SessionHarness h(CoreHarness::Data());
  h.AnswerList(h.Client(Request("tools/list", "2")), R"({"name":"read","inputSchema":{}})");
  h.Server(Notify("notifications/tools/list_changed"));
  const Sent sent = h.AnswerList(h.Client(CoreHarness::Call("drop", "3")));
  h.AnswerList(h.Client(Request("tools/list", "4")));
  EXPECT_EQ(DenialIn(h.Client(Answer(At(sent.to_client.at(0), "id"), R"({"action":"cancel"})"))),
            "ASK_DECLINED");
}

TEST(Consent, AQuestionNamesTheCallThatItIsAbout) {
  SessionHarness h;
  const std::string id = h.CallAndBeAsked();
  ASSERT_NE(h.core().CallOfQuestion("s" + id), nullptr);
  EXPECT_EQ(*h.core().CallOfQuestion("s" + id), *KeyOfIdToken("1"));
  EXPECT_EQ(h.core().CallOfQuestion("sother"), nullptr);
}

// ---- without sessions -----------------------------------------------------------------------

constexpr std::string_view kMeta =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"modern","version":"2"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}})";

std::string ModernCall(std::string_view id, std::string_view arguments = "{}",
                       std::string_view more = "", std::string_view tool = "drop") {
  return absl::StrFormat(
      R"({"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s,"_meta":%s%s}})",
      id, tool, arguments, kMeta, more);
}

std::string With(std::string_view state, std::string_view answer = R"({"action":"accept"})") {
  return absl::StrFormat(R"(,"inputResponses":{"bridgekeeper/consent":%s},"requestState":"%s")",
                         answer, state);
}

class StatelessHarness : public CoreHarness {
 public:
  explicit StatelessHarness(AppData data = ElicitData()) {
    SetPolicy(std::move(data));
    AnswerList(Client(ModernCall("0", "{}", "", "read")));
  }

  // Calls and returns the state that came with the question, or "" where there was none.
  std::string CallAndBeAsked(const std::string& call = ModernCall("1")) {
    const Sent sent = Client(call);
    if (!sent.to_server.empty() || sent.to_client.size() != 1) return "";
    question = sent.to_client[0];
    if (At(question, "result/resultType") != "input_required") return "";
    return At(question, "result/requestState");
  }

  std::string question;
};

TEST(StatelessConsent, AnAcceptedCallIsForwardedOnceWithoutTheAnswer) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked(ModernCall("1", R"({"t":"a"})"));
  ASSERT_NE(state, "");
  EXPECT_EQ(At(h.question, "id"), "1");
  const std::string path = "result/inputRequests";
  EXPECT_THAT(At(h.question, path),
              HasSubstr(R"("bridgekeeper/consent":{"method":"elicitation/create")"));
  EXPECT_EQ(h.core().requests_in_flight(), 1) << "only the first call is with the server";

  const Sent sent = h.Client(ModernCall("2", R"({"t":"a"})", With(state)));
  EXPECT_THAT(sent.to_server, ElementsAre(ModernCall("2", R"({"t":"a"})")));
  EXPECT_EQ(h.observer.decisions.back().ask_mode, AskMode::kElicit);

  EXPECT_EQ(DenialIn(h.Client(ModernCall("3", R"({"t":"a"})", With(state)))), "APPROVAL_INVALID")
      << "replayed";
  EXPECT_EQ(h.core().stats().answers_invalid, 1);
}

struct Refused {
  std::string name;
  std::string (*call)(const std::string& state);
  std::string reason;
};

std::string Changed(std::string text, size_t at) {
  text[at] = text[at] == '0' ? '1' : '0';
  return text;
}

// The call with one more member of `_meta`.
std::string WithMeta(std::string call, std::string_view member) {
  constexpr std::string_view kBegin = R"("_meta":{)";
  return call.insert(call.find(kBegin) + kBegin.size(), std::string(member) + ",");
}

class RefusedTest : public ::testing::TestWithParam<Refused> {};

INSTANTIATE_TEST_SUITE_P(
    Answers, RefusedTest,
    ::testing::ValuesIn(std::vector<Refused>{
        {"Decline",
         [](const std::string& s) {
           return ModernCall("2", "{}", With(s, R"({"action":"decline"})"));
         },
         "ASK_DECLINED"},
        {"Cancel",
         [](const std::string& s) {
           return ModernCall("2", "{}", With(s, R"({"action":"cancel"})"));
         },
         "ASK_DECLINED"},
        {"Empty", [](const std::string& s) { return ModernCall("2", "{}", With(s, "{}")); },
         "ASK_DECLINED"},
        {"AStateWithoutAnAnswer",
         [](const std::string& s) {
           return ModernCall("2", "{}", R"(,"requestState":")" + s + "\"");
         },
         "ASK_DECLINED"},
        {"AnAnswerToAnotherQuestion",
         [](const std::string& s) {
           return ModernCall(
               "2", "{}",
               R"(,"inputResponses":{"x":{"action":"accept"}},"requestState":")" + s + "\"");
         },
         "ASK_DECLINED"},
        {"OtherArguments",
         [](const std::string& s) { return ModernCall("2", R"({"t":"all"})", With(s)); },
         "APPROVAL_INVALID"},
        {"AnotherTool",
         [](const std::string& s) { return ModernCall("2", "{}", With(s), "write"); },
         "APPROVAL_INVALID"},
        {"AlsoATask",
         [](const std::string& s) {
           return ModernCall("2", "{}", R"(,"task":{"ttl":60000})" + With(s));
         },
         "APPROVAL_INVALID"},
        {"AnotherMetaMember",
         [](const std::string& s) { return WithMeta(ModernCall("2", "{}", With(s)), R"("x":1)"); },
         "APPROVAL_INVALID"},
        {"AnotherMemberOfParams",
         [](const std::string& s) {
           return ModernCall("2", "{}", R"(,"dry_run":false)" + With(s));
         },
         "APPROVAL_INVALID"},
        {"AnAnswerWithoutAState",
         [](const std::string&) {
           return ModernCall("2", "{}",
                             R"(,"inputResponses":{"bridgekeeper/consent":{"action":"accept"}})");
         },
         "APPROVAL_INVALID"},
        {"AStateOfAServer",
         [](const std::string&) { return ModernCall("2", "{}", With("of-the-server")); },
         "APPROVAL_INVALID"},
        {"OnlyThePrefix",
         [](const std::string&) { return ModernCall("2", "{}", With("bridgekeeper-1.")); },
         "APPROVAL_INVALID"},
        {"AnotherNonce",
         [](const std::string& s) { return ModernCall("2", "{}", With(Changed(s, 16))); },
         "APPROVAL_INVALID"},
        {"AnotherCode",
         [](const std::string& s) { return ModernCall("2", "{}", With(Changed(s, s.size() - 1))); },
         "APPROVAL_INVALID"},
        {"CutShort",
         [](const std::string& s) {
           return ModernCall("2", "{}", With(s.substr(0, s.size() - 1)));
         },
         "APPROVAL_INVALID"},
        {"ACodeWithAGuessedKey",
         [](const std::string& s) {
           const std::string claim = s.substr(0, s.rfind('.'));
           return ModernCall("2", "{}",
                             With(claim + "." + HmacSha256Hex(std::string(32, '\0'), claim)));
         },
         "APPROVAL_INVALID"},
    }),
    [](const auto& test) { return test.param.name; });

TEST_P(RefusedTest, IsDenied) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked();
  ASSERT_NE(state, "");
  EXPECT_EQ(DenialIn(h.Client(GetParam().call(state))), GetParam().reason);
}

TEST(StatelessConsent, IsForTheTaskThatWasAskedFor) {
  StatelessHarness h;
  const auto call = [](std::string_view id, std::string_view ttl, const std::string& more = "") {
    return ModernCall(id, "{}", absl::StrFormat(R"(,"task":{"ttl":%s})", ttl) + more);
  };
  const std::string state = h.CallAndBeAsked(call("1", "1000"));
  ASSERT_NE(state, "");
  EXPECT_EQ(DenialIn(h.Client(call("2", "9000", With(state)))), "APPROVAL_INVALID");
  EXPECT_EQ(DenialIn(h.Client(ModernCall("3", "{}", With(state)))), "APPROVAL_INVALID");
  EXPECT_THAT(h.Client(call("4", "1000", With(state))).to_server, ElementsAre(call("4", "1000")));
}

// A client makes a progress token and a trace anew for each request, and may write its
// members in another order.
TEST(StatelessConsent, WhatIsNewInEachRequestWasNotAskedAbout) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked(
      WithMeta(ModernCall("1"), R"("progressToken":1,"traceparent":"00-a","app":{"a":1,"b":2})"));
  ASSERT_NE(state, "");
  const auto again = [](const std::string& more) {
    return WithMeta(ModernCall("2", "{}", more),
                    R"("app":{"b":2,"a":1},"progressToken":2,"tracestate":"x=y")");
  };
  EXPECT_THAT(h.Client(again(With(state))).to_server, ElementsAre(again("")));
}

TEST(StatelessConsent, ADeclinedQuestionCannotBeAcceptedLater) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked();
  h.Client(ModernCall("2", "{}", With(state, R"({"action":"decline"})")));
  EXPECT_EQ(DenialIn(h.Client(ModernCall("3", "{}", With(state)))), "APPROVAL_INVALID");
}

TEST(StatelessConsent, AnAnswerExpires) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked();
  const std::string in_time = h.CallAndBeAsked(ModernCall("2"));
  h.clock.Advance(kAnswerTime - absl::Seconds(1));
  // The source goes on agreeing with the copy.
  h.SetPolicy(ElicitData());
  EXPECT_THAT(h.Client(ModernCall("3", "{}", With(in_time))).to_server,
              Contains(HasSubstr("tools/call")));
  h.clock.Advance(absl::Seconds(1));
  EXPECT_EQ(DenialIn(h.Client(ModernCall("4", "{}", With(state)))), "APPROVAL_INVALID");
}

TEST(StatelessConsent, AChangedPolicyWasNotAgreedTo) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked();
  AppData data = ElicitData();
  data.policy_revision = {4};
  h.SetPolicy(std::move(data));
  EXPECT_EQ(DenialIn(h.Client(ModernCall("2", "{}", With(state)))), "APPROVAL_INVALID");
}

TEST(StatelessConsent, ADenialUsesUpNoAnswer) {
  StatelessHarness h;
  const std::string state = h.CallAndBeAsked();
  AppData data = ElicitData();
  data.policy.suspended = true;
  h.SetPolicy(std::move(data));
  EXPECT_EQ(DenialIn(h.Client(ModernCall("2", "{}", With(state)))), "SUSPENDED");
  h.SetPolicy(ElicitData());
  EXPECT_THAT(h.Client(ModernCall("3", "{}", With(state))).to_server, SizeIs(1));
}

TEST(StatelessConsent, AClientThatDeclaresNoFormsInThisRequestIsNotAsked) {
  StatelessHarness h;
  h.CallAndBeAsked();
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::StatelessCall("drop", "2"))), "NO_WAY_TO_ASK");
}

TEST(StatelessConsent, WhatTheServerItselfAskedForComesBackToIt) {
  StatelessHarness h;
  const std::string theirs =
      R"(,"requestState":"of-the-server","inputResponses":{"name":{"action":"accept","content":{"n":"é"}}})";
  const std::string state = h.CallAndBeAsked(ModernCall("1", "{}", theirs));
  ASSERT_NE(state, "");
  EXPECT_THAT(h.Client(ModernCall("2", "{}", With(state))).to_server,
              ElementsAre(ModernCall("2", "{}", theirs)));
}

TEST(StatelessConsent, WhatTheServerAskedForOfAnAllowedCallIsNotTouched) {
  StatelessHarness h;
  const std::string call =
      ModernCall("1", "{}", R"(,"requestState":"s","inputResponses":{})", "read");
  EXPECT_THAT(h.Client(call).to_server, ElementsAre(call));
}

TEST(StatelessConsent, AStateOfTheServerThatIsTooLargeCannotTravel) {
  StatelessHarness h;
  const std::string large(kMaxInnerStateBytes, 's');
  EXPECT_EQ(DenialIn(h.Client(ModernCall("1", "{}", R"(,"requestState":")" + large + "\""))),
            "NO_WAY_TO_ASK");
}

// The states of one bridge, for a call bound to "b".
class States {
 public:
  explicit States(IdSource& ids, const Clock& clock) : states_(ids, clock) {}

  std::string Make() {
    const std::string call = ModernCall("1");
    return *states_.Make(std::get<Message>(ReadMessage(call)), "b");
  }
  RequestStates::Answer Take(const std::string& state) {
    const std::string call = ModernCall("2", "{}", With(state));
    std::string restored;
    return states_.Take(std::get<Message>(ReadMessage(call)), "b", restored);
  }

 private:
  RequestStates states_;
};

TEST(StatelessConsent, AnotherBridgesAnswerIsNone) {
  FakeClock clock;
  FakeIdSource ids;
  States a(ids, clock);
  States b(ids, clock);
  const std::string state = a.Make();
  EXPECT_EQ(b.Take(state), RequestStates::Answer::kInvalid);
  EXPECT_EQ(a.Take(state), RequestStates::Answer::kAccepted);
}

TEST(StatelessConsent, UsedAnswersAreBoundedAndForgottenOnceTheyExpire) {
  FakeClock clock;
  FakeIdSource ids;
  States states(ids, clock);
  for (size_t i = 0; i < kMaxUsedAnswers; ++i) {
    ASSERT_EQ(states.Take(states.Make()), RequestStates::Answer::kAccepted) << i;
  }
  EXPECT_EQ(states.Take(states.Make()), RequestStates::Answer::kInvalid);
  clock.Advance(kAnswerTime);
  EXPECT_EQ(states.Take(states.Make()), RequestStates::Answer::kAccepted);
}

}  // namespace
}  // namespace bridgekeeper::bridge
