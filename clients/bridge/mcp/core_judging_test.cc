// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Calls whose payload is judged elsewhere.

#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"
#include "policy/testing/fake_judge.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// `read` is judged by its argument `sql`.
AppData Data(Mode mode = Mode::kFullAccess) {
  AppData data = CoreHarness::Data(mode);
  data.catalog[0].payload_rule = PayloadRule{.payload = "{sql}", .dialect = "postgres"};
  return data;
}

std::string Read(std::string_view id, std::string_view sql) {
  return CoreHarness::Call("read", id, absl::StrFormat(R"({"sql":"%s"})", sql));
}

class JudgingTest : public ::testing::Test {
 protected:
  static CoreOptions Options() {
    CoreOptions options = CoreHarness::DefaultOptions();
    options.judges_elsewhere = true;
    return options;
  }

  void SetUp() override { h_.StartSession(Data()); }

  // What the one call that waits needs, judged.
  Sent Judge(const Sent& waiting) {
    EXPECT_THAT(waiting.to_judge, SizeIs(1));
    if (waiting.to_judge.empty()) return {};
    const Sent::ToJudge& call = waiting.to_judge[0];
    return h_.Judged(call.ticket, bridge::Judge(judge_, call.payload));
  }

  FakeJudge judge_;
  CoreHarness h_{Options(), &judge_};
};

TEST_F(JudgingTest, ACallWaitsAndIsForwardedOnceJudged) {
  const Sent waiting = h_.Client(Read("7", "SELECT 1"));
  EXPECT_THAT(waiting.to_server, IsEmpty());
  EXPECT_THAT(waiting.to_client, IsEmpty());
  ASSERT_THAT(waiting.to_judge, SizeIs(1));
  EXPECT_EQ(waiting.to_judge[0].payload.dialect, "postgres");
  EXPECT_EQ(waiting.to_judge[0].payload.payload, "SELECT 1");
  EXPECT_THAT(h_.observer.decisions, IsEmpty()) << "nothing is decided yet";

  h_.clock.Advance(absl::Seconds(2));
  EXPECT_THAT(Judge(waiting).to_server, ElementsAre(Read("7", "SELECT 1")));
  ASSERT_THAT(h_.observer.decisions, SizeIs(1));
  EXPECT_TRUE(h_.observer.decisions[0].judged);
  EXPECT_EQ(h_.observer.decisions[0].duration, absl::Seconds(2));
}

TEST_F(JudgingTest, WhatIsFoundDecides) {
  EXPECT_EQ(DenialIn(Judge(h_.Client(Read("1", "DROP TABLE t")))), "STATEMENT_EXCEEDS_TOOL");
  EXPECT_EQ(DenialIn(Judge(h_.Client(Read("2", "gibberish")))), "STATEMENT_UNREADABLE");
}

TEST_F(JudgingTest, OtherCallsDoNotWait) {
  const Sent waiting = h_.Client(Read("1", "SELECT 1"));
  EXPECT_THAT(h_.Client(CoreHarness::Call("write", "2")).to_server, SizeIs(1));
  EXPECT_THAT(h_.Client(Request("ping", "3")).to_server, SizeIs(1));
  EXPECT_THAT(Judge(waiting).to_server, SizeIs(1));
}

TEST_F(JudgingTest, ACallThatCannotBeJudgedInTimeIsOverloaded) {
  const Sent waiting = h_.Client(Read("1", "SELECT 1"));
  EXPECT_EQ(DenialIn(h_.Judged(waiting.to_judge[0].ticket, std::nullopt)), "OVERLOADED");
}

TEST_F(JudgingTest, IsDecidedByThePolicyInForceAfterwards) {
  const Sent waiting = h_.Client(Read("1", "SELECT 1"));
  AppData changed = Data();
  changed.policy.suspended = true;
  changed.policy_revision = {4};
  h_.SetPolicy(changed);
  EXPECT_EQ(DenialIn(Judge(waiting)), "SUSPENDED");
}

TEST_F(JudgingTest, AChangedRuleIsJudgedAfreshAndNotForEver) {
  AppData changed = Data();
  changed.catalog[0].payload_rule->harmless_arguments = {"sql", "other"};
  h_.SetPolicy(changed);
  Sent waiting =
      h_.Client(CoreHarness::Call("read", "1", R"({"sql":"SELECT 1","other":"DROP TABLE t"})"));
  // The first judgement says nothing of what the tool runs by the rule of now.
  int times = 0;
  for (const char* rule : {"{other}", "{sql}", "{other}", "{sql}", "{other}"}) {
    ++times;
    changed.catalog[0].payload_rule->payload = rule;
    h_.SetPolicy(changed);
    waiting = Judge(waiting);
    if (waiting.to_judge.empty()) break;
    EXPECT_THAT(waiting.to_client, IsEmpty());
    EXPECT_THAT(waiting.to_server, IsEmpty());
  }
  EXPECT_EQ(DenialIn(waiting), "OVERLOADED");
  EXPECT_EQ(times, 3);
}

TEST_F(JudgingTest, ACancelledCallIsNotSentAndItsIdIsFree) {
  const Sent waiting = h_.Client(Read("1", "SELECT 1"));
  const Sent cancelled = h_.Client(Notify("notifications/cancelled", R"({"requestId":1})"));
  EXPECT_THAT(cancelled.to_server, IsEmpty());
  const Sent again = h_.Client(Read("1", "SELECT 2"));
  EXPECT_EQ(h_.core().PayloadOf(waiting.to_judge[0].ticket), std::nullopt);
  EXPECT_THAT(Judge(waiting).to_server, IsEmpty());
  EXPECT_THAT(Judge(again).to_server, ElementsAre(HasSubstr("SELECT 2")));
}

TEST_F(JudgingTest, AServerThatEndsAnswersWhatWaits) {
  const Sent waiting = h_.Client(Read("1", "SELECT 1"));
  EXPECT_THAT(h_.ServerEnds("it is gone").to_client, ElementsAre(HasSubstr("it is gone")));
  EXPECT_EQ(h_.core().PayloadOf(waiting.to_judge[0].ticket), std::nullopt);
  const Sent late = Judge(waiting);
  EXPECT_THAT(late.to_client, IsEmpty());
  EXPECT_THAT(late.to_server, IsEmpty());
}

TEST_F(JudgingTest, WhatWaitsCountsAsInFlight) {
  std::vector<Sent> waiting;
  for (size_t i = 0; i < kMaxRequestsInFlight; ++i) {
    waiting.push_back(h_.Client(Read(std::to_string(i), "SELECT 1")));
    ASSERT_THAT(waiting.back().to_judge, SizeIs(1));
  }
  EXPECT_EQ(DenialIn(h_.Client(Read("9999", "SELECT 1"))), "OVERLOADED");
  for (const Sent& call : waiting) EXPECT_THAT(Judge(call).to_server, SizeIs(1));
}

// ---- calls that a person is asked about ---------------------------------------------------

// `drop` is judged too, and the client's user agrees to it.
AppData AskingData() {
  AppData data = Data();
  data.catalog[2].payload_rule = data.catalog[0].payload_rule;
  data.policy.ask_mode = AskMode::kElicit;
  return data;
}

class JudgedConsentTest : public JudgingTest {
 protected:
  void SetUp() override { h_.StartSession(AskingData(), R"({"elicitation":{}})"); }

  // The id of the one question that `sent` is.
  static std::string QuestionIn(const Sent& sent) {
    EXPECT_THAT(sent.to_server, IsEmpty());
    EXPECT_THAT(sent.to_client, SizeIs(1));
    if (sent.to_client.size() != 1) return "";
    EXPECT_EQ(At(sent.to_client[0], "method"), "elicitation/create");
    return At(sent.to_client[0], "id");
  }

  // Accepts, and returns what waits to be judged once more.
  Sent Accept(const std::string& question) {
    return h_.Client(
        absl::StrFormat(R"({"jsonrpc":"2.0","id":"%s","result":{"action":"accept"}})", question));
  }

  const std::string call_ = CoreHarness::Call("drop", "7", R"({"sql":"DROP TABLE t"})");
};

TEST_F(JudgedConsentTest, AnAcceptedCallIsAskedOnceAndRunsOnceJudged) {
  const std::string question = QuestionIn(Judge(h_.Client(call_)));
  const Sent waiting = Accept(question);
  EXPECT_THAT(waiting.to_client, IsEmpty());
  EXPECT_THAT(waiting.to_server, IsEmpty()) << "it is judged again first";
  const Sent sent = Judge(waiting);
  EXPECT_THAT(sent.to_client, IsEmpty()) << "it was asked";
  EXPECT_THAT(sent.to_server, ElementsAre(call_));
  EXPECT_EQ(h_.core().stats().questions_asked, 1);
  ASSERT_THAT(h_.observer.decisions, SizeIs(1));
  EXPECT_EQ(h_.observer.decisions[0].verdict, Verdict::kAsk);
  EXPECT_TRUE(h_.observer.decisions[0].judged);
}

TEST_F(JudgedConsentTest, ADeclinedCallIsDeniedOnceJudged) {
  const std::string question = QuestionIn(Judge(h_.Client(call_)));
  const Sent waiting = h_.Client(
      absl::StrFormat(R"({"jsonrpc":"2.0","id":"%s","result":{"action":"decline"}})", question));
  EXPECT_EQ(DenialIn(Judge(waiting)), "ASK_DECLINED");
}

TEST_F(JudgedConsentTest, AnAnswerOutlastsAListThatIsReadWhileTheCallIsJudged) {
  const Sent waiting = Accept(QuestionIn(Judge(h_.Client(call_))));
  h_.Server(Notify("notifications/tools/list_changed"));
  const Sent asked = Judge(waiting);
  EXPECT_THAT(asked.to_client, IsEmpty()) << "it waits for the list";
  EXPECT_THAT(Judge(h_.AnswerList(asked)).to_server, ElementsAre(call_));
  EXPECT_EQ(h_.core().stats().questions_asked, 1);
}

TEST_F(JudgedConsentTest, WhatWasAgreedToIsNotWhatIsInForceOnceJudged) {
  const Sent waiting = Accept(QuestionIn(Judge(h_.Client(call_))));
  AppData changed = AskingData();
  changed.policy_revision = {4};
  h_.SetPolicy(changed);
  EXPECT_EQ(DenialIn(Judge(waiting)), "APPROVAL_INVALID");
}

TEST_F(JudgedConsentTest, AnAcceptedCallThatCannotBeJudgedInTimeIsOverloaded) {
  const Sent waiting = Accept(QuestionIn(Judge(h_.Client(call_))));
  ASSERT_THAT(waiting.to_judge, SizeIs(1));
  EXPECT_EQ(DenialIn(h_.Judged(waiting.to_judge[0].ticket, std::nullopt)), "OVERLOADED");
}

TEST_F(JudgedConsentTest, WithoutASessionAnAnswerIsUsedUpOnlyOnceItsCallIsJudged) {
  const auto stateless = [](std::string_view id, std::string_view more) {
    return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{)"
                           R"("name":"drop","arguments":{"sql":"DROP TABLE t"},%s"_meta":{)"
                           R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientInfo":{"name":"m","version":"2"},)"
                           R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}})",
                           id, more);
  };
  const Sent question = Judge(h_.Client(stateless("1", "")));
  ASSERT_THAT(question.to_client, SizeIs(1));
  const std::string answer = absl::StrFormat(
      R"("requestState":"%s","inputResponses":{"bridgekeeper/consent":{"action":"accept"}},)",
      At(question.to_client[0], "result/requestState"));
  const Sent late = h_.Client(stateless("2", answer));
  ASSERT_THAT(late.to_judge, SizeIs(1));
  EXPECT_EQ(DenialIn(h_.Judged(late.to_judge[0].ticket, std::nullopt)), "OVERLOADED");
  EXPECT_THAT(Judge(h_.Client(stateless("3", answer))).to_server, SizeIs(1));
  EXPECT_EQ(DenialIn(Judge(h_.Client(stateless("4", answer)))), "APPROVAL_INVALID");
}

}  // namespace
}  // namespace bridgekeeper::bridge
