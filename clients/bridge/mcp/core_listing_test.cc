// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists of tools through the bridge, and how a client learns that one changed.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

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

// ---- listing -----------------------------------------------------------------------

TEST(Listing, ShowsWhatThePolicyDoesNotDenyInTheServersOrder) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data(Mode::kDataReadWrite));
  const Sent asked = h.Client(kList);
  EXPECT_THAT(asked.to_client, IsEmpty());
  EXPECT_THAT(asked.to_server,
              ElementsAre(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(asked) +
                          R"(","method":"tools/list"})"));
  const Sent sent = h.AnswerList(asked);
  EXPECT_THAT(NamesIn(sent), ElementsAre("read", "write"));
  EXPECT_EQ(At(sent.to_client.at(0), "result/tools/0/annotations/readOnlyHint"), "true");
  EXPECT_EQ(At(sent.to_client.at(0), "result/tools/1/annotations/readOnlyHint"), "false");
  EXPECT_THAT(At(sent.to_client.at(0), "result/tools/0/description"),
              AllOf(HasSubstr("destructive tools"), HasSubstr("administrator")));
  EXPECT_EQ(h.Messages(Peer::kClient, Outcome::kAnswered), 1u);
}

// What the server says of its tools does not lower their risk, as where it says the same of
// every one.
TEST(Listing, HintsComeFromTheCatalogueNotFromTheServer) {
  constexpr std::string_view kSame =
      R"("inputSchema":{},"annotations":{"readOnlyHint":true,"destructiveHint":false})";
  const std::string tools = absl::StrFormat(
      R"({"name":"read",%s},{"name":"write",%s},{"name":"drop",%s})", kSame, kSame, kSame);
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent sent = h.AnswerList(h.Client(kList), tools);
  const Json json(sent.to_client.at(0));
  const std::pair<const char*, const char*> want[] = {
      {"true", "false"}, {"false", "false"}, {"false", "true"}};
  for (int i = 0; i < 3; ++i) {
    const std::string path = absl::StrFormat("result/tools/%d/annotations/", i);
    EXPECT_EQ(json.At(path + "readOnlyHint"), want[i].first) << i;
    EXPECT_EQ(json.At(path + "destructiveHint"), want[i].second) << i;
  }
  AppData closed = CoreHarness::Data(Mode::kReadOnly);
  closed.policy.trust_read_only_hint = true;  // of tools that nobody has reviewed
  h.SetPolicy(std::move(closed));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop", "2"))), "MODE_TOO_LOW");
}

// One tool with the same words of its server under several policies.
TEST(Listing, HintsOfAToolFollowThePolicy) {
  CoreHarness h;
  const auto hints = [&](AppData data, std::string_view annotations = R"({"readOnlyHint":true})") {
    h.SetPolicy(std::move(data));
    const Sent sent = h.AnswerList(
        h.Client(kList),
        absl::StrFormat(R"({"name":"new","inputSchema":{},"annotations":%s})", annotations));
    const Json json(sent.to_client.back());
    return json.At("result/tools/0/annotations/readOnlyHint") + " " +
           json.At("result/tools/0/annotations/destructiveHint");
  };
  EXPECT_EQ(hints(CoreHarness::Data()), "<none> <none>") << "hidden";
  AppData open = CoreHarness::Data();
  open.policy.unreviewed_tools = UnreviewedTools::kAsDestructive;
  EXPECT_EQ(hints(open), "false true") << "the hint alone lowers nothing";
  AppData trusting = open;
  trusting.policy.trust_read_only_hint = true;
  EXPECT_EQ(hints(trusting), "true false");
  EXPECT_EQ(hints(trusting, "{}"), "false true") << "a hint that is absent is false";
  CatalogEntry entry = trusting.catalog[1];
  entry.key.tool = ToolName("new");
  trusting.catalog.push_back(entry);
  EXPECT_EQ(hints(trusting), "false false") << "the catalogue comes before the hint";
}

// Hints and notices follow the policy.
TEST(Listing, FollowsThePolicyWhenItChanges) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data(Mode::kReadOnly));
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList))), ElementsAre("read"));
  h.SetPolicy(CoreHarness::Data(Mode::kFullAccess));
  const Sent sent = h.AnswerList(h.Client(kList));
  EXPECT_THAT(NamesIn(sent), ElementsAre("read", "write", "drop"));
  EXPECT_EQ(At(sent.to_client.at(0), "result/tools/0/description"), "<none>")
      << "nothing is hidden";
}

// A read-only bridge hides what it denies.
TEST(Listing, AReadOnlyBridgeShowsSafeToolsAndDeniesTheRestByName) {
  CoreOptions options = CoreHarness::DefaultOptions();
  options.read_only = true;
  CoreHarness h(options);
  h.SetPolicy(CoreHarness::Data());
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList))), ElementsAre("read"));
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("write"))), "READ_ONLY_BRIDGE");
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("drop"))), "READ_ONLY_BRIDGE");
}

// All pages are read, and the client gets one.
TEST(Listing, GathersThePagesOfTheServer) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data(Mode::kReadOnly));
  Sent sent = h.Client(kList);
  for (int page = 0; page < 10; ++page) {
    std::string tools;
    for (int i = 0; i < 10; ++i) {
      const bool last = page == 9 && i == 9;
      tools += absl::StrFormat(R"(%s{"name":"%s","inputSchema":{}})", i == 0 ? "" : ",",
                               last ? "read" : absl::StrFormat("hidden%d_%d", page, i));
    }
    EXPECT_THAT(sent.to_client, IsEmpty()) << "page " << page;
    if (page > 0) {
      EXPECT_EQ(At(sent.to_server.at(0), "params/cursor"), absl::StrFormat("c%d", page));
    }
    const std::string next = page == 9 ? "" : absl::StrFormat(R"(,"nextCursor":"c%d")", page + 1);
    sent = h.Server(absl::StrFormat(R"({"jsonrpc":"2.0","id":"%s","result":{"tools":[%s]%s}})",
                                    CoreHarness::OwnListId(sent), tools, next));
  }
  EXPECT_THAT(NamesIn(sent), ElementsAre("read"));
  EXPECT_EQ(At(sent.to_client.at(0), "result/nextCursor"), "<none>");
}

TEST(Listing, ACursorThatDoesNotAdvanceEndsTheListAndIsLogged) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  Sent sent = h.Client(kList);
  for (int page = 0; page < 2; ++page) {
    sent = h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(sent) +
                    R"(","result":{"tools":[{"name":"read","inputSchema":{}}],"nextCursor":"x"}})");
  }
  EXPECT_THAT(NamesIn(sent), ElementsAre("read"));
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_THAT(h.log.EventsOf("the server gives a cursor of tools/list twice; its list ends there"),
              SizeIs(1));
}

TEST(Listing, ACursorThatTheBridgeNeverGaveIsRefused) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent sent =
      h.Client(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})");
  EXPECT_THAT(sent.to_server, IsEmpty());
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32602");
}

TEST(Listing, BadToolsAreLeftOutAndLoggedOnce) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  constexpr std::string_view kBad =
      R"({"name":"bad","inputSchema":null},{"name":"read","inputSchema":{}},)"
      R"({"name":"read","inputSchema":{},"description":"twin"})";
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList), kBad)), ElementsAre("read"));
  EXPECT_THAT(h.log.EventsOf("a tool of the server is not listed"), SizeIs(2));
  h.AnswerList(h.Client(kList), kBad);
  EXPECT_THAT(h.log.EventsOf("a tool of the server is not listed"), SizeIs(2));
}

TEST(Listing, TwoRequestsAtOnceAreAnsweredFromOneReading) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent first = h.Client(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  const Sent second = h.Client(R"({"jsonrpc":"2.0","id":"2","method":"tools/list"})");
  EXPECT_THAT(second.to_server, IsEmpty());
  const Sent sent = h.AnswerList(first);
  ASSERT_THAT(sent.to_client, SizeIs(2));
  EXPECT_EQ(At(sent.to_client[0], "id"), "1");
  EXPECT_EQ(At(sent.to_client[1], "id"), "2");
}

TEST(Listing, AnErrorOfTheServerReachesTheClientAsItIs) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent asked = h.Client(kList);
  const Sent sent =
      h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(asked) +
               R"(","error":{"code":-32601,"message":"no tools","data":{"a" : 1.0}}})");
  EXPECT_THAT(
      sent.to_client,
      ElementsAre(
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no tools","data":{"a" : 1.0}}})"));
}

// A reading that fails half-way leaves the list as it was.
TEST(Listing, AReadingThatFailsLeavesTheListAsItWas) {
  CoreHarness h;
  h.StartSession();
  Sent sent = h.Client(kList);
  sent = h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(sent) +
                  R"(","result":{"tools":[{"name":"read","inputSchema":{}}],"nextCursor":"2"}})");
  sent = h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(sent) +
                  R"(","error":{"code":1,"message":"x"}})");
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "1");
  EXPECT_THAT(h.Client(CoreHarness::Call("write")).to_server, SizeIs(1));
}

TEST(Listing, AMalformedAnswerOfTheServerIsAnError) {
  for (const char* result : {R"({})", R"({"tools":null})", R"([])"}) {
    CoreHarness h;
    h.SetPolicy(CoreHarness::Data());
    const Sent asked = h.Client(kList);
    const Sent sent = h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(asked) +
                               R"(","result":)" + result + "}");
    EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603") << result;
  }
}

TEST(Listing, AnUnreadableAnswerOfTheServerIsAnError) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent asked = h.Client(kList);
  const Sent sent = h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(asked) +
                             R"(","result":{"tools":[],"tools":[]}})");
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603");
}

TEST(Listing, AServerThatDoesNotAnswerIsAnErrorAfterTheTimeout) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const Sent asked = h.Client(kList);
  EXPECT_THAT(h.Pass(kListTimeout - absl::Seconds(1)).to_client, IsEmpty());
  const Sent sent = h.Pass(absl::Seconds(1));
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603");
  EXPECT_THAT(h.AnswerList(asked).to_client, IsEmpty()) << "too late";
}

TEST(Listing, AnEmptyListIsLoggedWithItsReason) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.suspended = true;
  h.SetPolicy(std::move(data));
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList))), IsEmpty());
  const auto events = h.log.EventsOf("no tool is shown");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].fields.at("reason_code"), "SUSPENDED");
}

TEST(Listing, AStrangersToolIsHiddenUntilItIsReviewed) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  constexpr std::string_view kStranger = R"({"name":"es__search","inputSchema":{}})";
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList), kStranger)), IsEmpty());
  EXPECT_EQ(DenialIn(h.Client(CoreHarness::Call("es__search"))), "TOOL_UNREVIEWED");
}

TEST(Listing, BuiltInEntriesCountWhereTheUpstreamIsDeclaredSo) {
  CoreOptions options = CoreHarness::DefaultOptions();
  options.builtin_catalog = true;
  CoreHarness h(options);
  h.SetPolicy(CoreHarness::Data());
  EXPECT_THAT(NamesIn(h.AnswerList(h.Client(kList), R"({"name":"es__search","inputSchema":{}})")),
              ElementsAre("es__search"));
}

TEST(Listing, ReportsWhatTheServerLists) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data(Mode::kReadOnly));
  h.AnswerList(h.Client(kList));
  EXPECT_THAT(h.observer.lists, ElementsAre(ElementsAre("read", "write", "drop")));
}

TEST(Listing, RequestsOfOurOwnCarryWhatAStatelessServerWants) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)" +
                           std::string(CoreHarness::kStatelessMeta) + "}}";
  const Sent asked = h.Client(list);
  EXPECT_THAT(asked.to_server.at(0),
              HasSubstr(R"("params":{"_meta":)" + std::string(CoreHarness::kStatelessMeta)));
  const Sent sent =
      h.Server(R"({"jsonrpc":"2.0","id":")" + CoreHarness::OwnListId(asked) +
               R"(","result":{"resultType":"complete","tools":[{"name":"read","inputSchema":{}}],)"
               R"("ttlMs":0,"cacheScope":"private"}})");
  EXPECT_EQ(At(sent.to_client.at(0), "result/resultType"), "complete");
  EXPECT_EQ(At(sent.to_client.at(0), "result/ttlMs"), "0");
  EXPECT_EQ(At(sent.to_client.at(0), "result/cacheScope"), "private");
}

// ---- changes of the list -----------------------------------------------------------------

// A tool that the server adds.
TEST(ListChanges, OfTheServerAreForwardedAndReadAgain) {
  CoreHarness h;
  h.StartSession();
  EXPECT_THAT(h.Server(kListChanged).to_client, ElementsAre(kListChanged));
  const Sent sent = h.AnswerList(
      h.Client(kList), R"({"name":"read","inputSchema":{}},{"name":"added","inputSchema":{}})");
  EXPECT_THAT(NamesIn(sent), ElementsAre("read")) << "hidden until it is reviewed";
  EXPECT_THAT(h.observer.lists.back(), ElementsAre("read", "added"));
}

// Two changes at once; the last state wins.
TEST(ListChanges, ThatComeWhileTheListIsReadAreNotLost) {
  CoreHarness h;
  h.StartSession();
  h.Server(kListChanged);
  const Sent asked = h.Client(CoreHarness::Call("read"));
  h.Server(kListChanged);
  const Sent sent = h.AnswerList(asked);
  EXPECT_THAT(sent.to_server, ElementsAre(CoreHarness::Call("read"))) << "it waited for this one";
  EXPECT_EQ(CoreHarness::OwnListId(h.Client(CoreHarness::Call("read", "2"))).empty(), false)
      << "the next one reads again";
}

TEST(ListChanges, AfterEveryReadingDoNotKeepTheBridgeReading) {
  CoreHarness h;
  h.StartSession();
  for (int i = 0; i < 10; ++i) {
    const Sent sent = h.Server(kListChanged);
    EXPECT_THAT(sent.to_server, IsEmpty());
  }
  EXPECT_EQ(h.core().stats().lists_read, 1u);
}

// One notification where the set changed, none where it did not.
TEST(ListChanges, OfThePolicyAreToldOnceAndOnlyIfTheListChanges) {
  CoreHarness h;
  h.StartSession();
  AppData same = CoreHarness::Data();
  same.policy.max_staleness = absl::Minutes(7);
  EXPECT_THAT(h.SetPolicy(std::move(same)).to_client, IsEmpty());
  EXPECT_THAT(h.SetPolicy(CoreHarness::Data(Mode::kReadOnly)).to_client, ElementsAre(kListChanged));
  EXPECT_THAT(h.PolicyChanged().to_client, IsEmpty());
  EXPECT_THAT(h.SetPolicy(CoreHarness::Data(Mode::kFullAccess)).to_client,
              ElementsAre(kListChanged));
  EXPECT_EQ(h.core().stats().list_changes_sent, 2u);
}

TEST(ListChanges, OfThePolicyAreNotToldToAClientThatReadNoList) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  h.Client(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_THAT(h.SetPolicy(CoreHarness::Data(Mode::kReadOnly)).to_client, IsEmpty());
}

TEST(ListChanges, OfThePolicyReachStatelessSubscriptions) {
  CoreHarness h;
  h.SetPolicy(CoreHarness::Data());
  h.AnswerList(h.Client(kList));
  h.Client(
      R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}})");
  h.Client(
      R"({"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true}}})");
  const Sent sent = h.SetPolicy(CoreHarness::Data(Mode::kReadOnly));
  EXPECT_THAT(
      sent.to_client,
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}})"));
  // The server ends the subscription.
  h.Server(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  EXPECT_THAT(h.SetPolicy(CoreHarness::Data()).to_client, IsEmpty());
}

TEST(ListChanges, AreAcknowledgedWhereTheServerItselfNeverHasAny) {
  CoreHarness h;
  h.Client(
      R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}})");
  EXPECT_THAT(
      h.Server(
           R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{}}})")
          .to_client,
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{"toolsListChanged":true}}})"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
