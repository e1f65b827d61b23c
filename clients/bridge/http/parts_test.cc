// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <string>
#include <vector>

#include "clients/bridge/http/event_store.h"
#include "clients/bridge/http/link.h"
#include "clients/bridge/http/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// B224: what a pin holds of a server is what runs, and nothing that a policy says of it.
TEST(Origin, IsOfWhatRuns) {
  ServerConfig command;
  command.name = "notes";
  command.command = {"npx", "notes"};
  command.environment = {{.name = "KEY", .value = "1"}};
  ServerConfig url;
  url.name = "notes";
  url.url = "https://notes.example/mcp";
  struct Row {
    const char* what;
    const ServerConfig& base;
    std::function<void(ServerConfig&)> change;
    bool is_same;
  };
  const Row rows[] = {
      {"another argument", command, [](auto& c) { c.command[1] = "other"; }, false},
      {"a renamed variable", command, [](auto& c) { c.environment[0].name = "KEYS"; }, false},
      {"another variable", command,
       [](auto& c) {
         c.environment.push_back({"B", "1"});
       },
       false},
      {"another folder", command, [](auto& c) { c.working_directory = "/srv"; }, false},
      {"an address for a command", command, [&](auto& c) { c = url; }, false},
      {"another value", command, [](auto& c) { c.environment[0].value = "2"; }, true},
      {"another prefix", command, [](auto& c) { c.prefix = "n__"; }, true},
      {"another host", url, [](auto& c) { c.url = "https://other.example/mcp"; }, false},
      {"another path", url, [](auto& c) { c.url += "/v2"; }, false},
      {"another key", url, [](auto& c) { c.url += "?key=2"; }, false},
  };
  for (const Row& row : rows) {
    ServerConfig changed = row.base;
    row.change(changed);
    EXPECT_EQ(OriginOf(changed) == OriginOf(row.base), row.is_same) << row.what;
  }
}

TEST(EventId, ReadsOnlyItsOwnForm) {
  EXPECT_EQ(EventId::Parse("3-17"), (EventId{3, 17}));
  EXPECT_EQ(EventId::Parse((EventId{7, 9}).ToString()), (EventId{7, 9}));
  for (const char* text :
       {"", "-", "3", "3-", "-1", "3-x", "3-1 ", " 3-1", "+3-1", "18446744073709551616-1"}) {
    EXPECT_EQ(EventId::Parse(text), std::nullopt) << text;
  }
}

std::vector<std::string> DataAfter(const EventStore& store, const EventId& id) {
  std::vector<std::string> data;
  for (const StoredEvent& event : store.After(id)) data.push_back(event.data);
  return data;
}

TEST(EventStore, GivesWhatCameLaterOnThatStream) {
  EventBudget budget;
  EventStore store(budget);
  const EventId first = store.Add(1, "a");
  store.Add(2, "other");
  const EventId primer = store.Add(1, "");
  const EventId second = store.Add(1, "b");
  EXPECT_THAT(DataAfter(store, first), ElementsAre("b"));
  EXPECT_THAT(DataAfter(store, primer), ElementsAre("b"));
  EXPECT_THAT(DataAfter(store, second), IsEmpty());
  EXPECT_FALSE(store.Knows({1, 99}));
  EXPECT_FALSE(store.Knows({1, 0}));
}

TEST(EventStore, ForgetsTheOldestAboveItsBounds) {
  EventBudget budget;
  EventStore store(budget);
  const EventId first = store.Add(1, "first");
  for (size_t i = 0; i < 100'000; ++i) store.Add(1, "x");
  EXPECT_EQ(store.size(), kMaxSessionEvents);
  EXPECT_TRUE(store.Knows(first)) << "that it was given out is not forgotten";
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) store.Add(1, megabyte);
  EXPECT_LE(budget.used(), kMaxSessionEventBytes);
}

TEST(EventStore, SharesABudgetWithAllSessions) {
  EventBudget budget;
  {
    std::vector<std::unique_ptr<EventStore>> stores;
    const std::string bytes(3 << 20, 'x');
    for (int i = 0; i < 100; ++i) {
      stores.push_back(std::make_unique<EventStore>(budget));
      stores.back()->Add(1, bytes);
      EXPECT_LE(budget.used(), kMaxAllEventBytes);
    }
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Accepts, ReadsWhatAClientTakes) {
  const auto accepts = [](HttpFields fields) {
    HttpRequest request;
    request.fields = std::move(fields);
    const Accepts found = AcceptsOf(request);
    return std::string(found.json ? "j" : "") + (found.events ? "e" : "");
  };
  EXPECT_EQ(accepts({}), "je");
  EXPECT_EQ(accepts({{"accept", "*/*"}}), "je");
  EXPECT_EQ(accepts({{"accept", "application/json, text/event-stream"}}), "je");
  EXPECT_EQ(accepts({{"accept", "Application/JSON"}}), "j");
  EXPECT_EQ(accepts({{"accept", "text/event-stream;q=0.9"}}), "e");
  EXPECT_EQ(accepts({{"accept", "application/json"}, {"accept", "text/*"}}), "je");
  EXPECT_EQ(accepts({{"accept", "text/html"}}), "");
}

}  // namespace
}  // namespace bridgekeeper::bridge
