// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/list_shelf.h"

#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::SizeIs;

UpstreamToolList ListOf(const std::string& name) {
  const std::string text = R"({"tools":[{"name":")" + name + R"(","inputSchema":{}}]})";
  const auto document = JsonDocument::Parse(text);
  EXPECT_TRUE(document.ok());
  UpstreamToolList list;
  EXPECT_EQ(list.AddPage(document->root()), UpstreamToolList::Page::kLast);
  return list;
}

ToolListing ListingOf(bool destructive, std::string notice = "") {
  return {.shown = {{.index = 0,
                     .risk = Risk::kSafe,
                     .annotations = {.destructive_hint = destructive}}},
          .hidden = {},
          .notice = std::move(notice)};
}

TEST(ListShelf, FindsAListByTheBytesOfItsPages) {
  ListShelf shelf;
  const std::string first = ListShelf::NamePages("", R"({"tools":[1]})");
  const std::string both = ListShelf::NamePages(first, R"({"tools":[2]})");
  EXPECT_EQ(shelf.FindList(both), nullptr);
  const auto kept = shelf.KeepList(both, ListOf("a"));
  EXPECT_EQ(shelf.FindList(both), kept);
  EXPECT_EQ(shelf.FindList(first), nullptr) << "a part of a list is no list";
  EXPECT_EQ(shelf.FindList(ListShelf::NamePages("", R"({"tools":[2]})")), nullptr);
}

TEST(ListShelf, ForgetsTheListThatWasNotUsedForLongest) {
  ListShelf shelf;
  shelf.KeepList("a", ListOf("a"));
  shelf.KeepList("b", ListOf("b"));
  EXPECT_NE(shelf.FindList("a"), nullptr);
  shelf.KeepList("c", ListOf("c"));
  EXPECT_NE(shelf.FindList("a"), nullptr);
  EXPECT_EQ(shelf.FindList("b"), nullptr);
}

TEST(ListShelf, ShowsTheSameOnce) {
  ListShelf shelf;
  const auto list = shelf.KeepList("a", ListOf("a"));
  const auto told = shelf.Show(list, ListingOf(true)).told;
  EXPECT_EQ(shelf.Show(list, ListingOf(true)).told, told);
  EXPECT_THAT(told->destructive, SizeIs(1));
}

TEST(ListShelf, ShowsWhatDiffersApart) {
  ListShelf shelf;
  const auto list = shelf.KeepList("a", ListOf("a"));
  const auto other = shelf.KeepList("b", ListOf("b"));
  const std::string shown = shelf.Show(list, ListingOf(true)).result;
  EXPECT_NE(shelf.Show(list, ListingOf(false)).result, shown);
  EXPECT_NE(shelf.Show(list, ListingOf(true, "some are hidden")).result, shown);
  EXPECT_NE(shelf.Show(other, ListingOf(true)).result, shown);
  EXPECT_NE(shelf.Show(list, {}).result, shown);
  EXPECT_EQ(shelf.Show(list, ListingOf(true)).result, shown);
}

// ---- cores that share one

TEST(ListShelf, CoresInFrontOfOneServerShareItsList) {
  clients::FakePolicySource policies;
  policies.SetPolicy(CoreHarness::Data());
  FakeClock clock;
  FakeIdSource ids;
  FakeLogger log;
  ListShelf shelf;
  const CoreParts parts{.policies = policies,
                        .judge = nullptr,
                        .clock = clock,
                        .ids = ids,
                        .log = log,
                        .observers = {},
                        .shelf = &shelf};
  BridgeCore one(CoreHarness::DefaultOptions(), parts);
  BridgeCore two(CoreHarness::DefaultOptions(), parts);
  std::shared_ptr<const UpstreamToolList> seen;
  for (BridgeCore* core : {&one, &two}) {
    Output out;
    core->OnClientFrame({Frame::Kind::kLine, Request("tools/list")}, out);
    const std::string asked = LinesOf(out.to_server).at(0);
    const std::string result = R"({"tools":[)" + std::string(CoreHarness::kTools) + "]}";
    out = {};
    core->OnServerFrame({Frame::Kind::kLine, R"({"jsonrpc":"2.0","id":")" + At(asked, "id") +
                                                 R"(","result":)" + result + "}"},
                        out);
    EXPECT_EQ(At(LinesOf(out.to_client).at(0), "result/tools/2/name"), "drop");
    const auto kept = shelf.FindList(ListShelf::NamePages("", result));
    ASSERT_NE(kept, nullptr);
    EXPECT_TRUE(seen == nullptr || kept == seen);
    seen = kept;
    EXPECT_EQ(core->stats().lists_read, 1u);
  }
}

TEST(ListShelf, AChangedListIsNotTakenFromIt) {
  CoreHarness h;
  h.StartSession();
  h.Server(Notify("notifications/tools/list_changed"));
  const Sent asked = h.Client(Request("tools/list", "9"));
  EXPECT_THAT(NamesIn(h.AnswerList(asked, R"({"name":"read","inputSchema":{}})")), SizeIs(1));
}

}  // namespace
}  // namespace bridgekeeper::bridge
