// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The bridge on the network, with servers that behave badly: nobody else notices.

#include <sys/resource.h>

#include "clients/bridge/http/bridge_server.h"
#include "clients/bridge/http/bridge_server_test_util.h"
#include "clients/bridge/upstream/stdio_transport.h"
#include "runtime/signals.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kOne = "/servers/one/mcp";
constexpr std::string_view kTwo = "/servers/two/mcp";
constexpr std::string_view kEcho = R"({"act":"echo","n":0})";

std::string Echo(const TestBridge& bridge, std::string_view path,
                 const HttpClient::Fields& session) {
  return TextIn(bridge.Client().Ask("POST", path, Call("do"), session).body);
}

struct Quirk {
  std::string name;
  std::vector<std::string> flags;
};
class QuirkTest : public ::testing::TestWithParam<Quirk> {};

TEST_P(QuirkTest, OfAServerIsBorne) {
  TestBridge bridge({Fake("one", GetParam().flags)});
  const auto session = bridge.Begin(std::string(kOne));
  EXPECT_EQ(Echo(bridge, kOne, session), kEcho);
}

INSTANTIATE_TEST_SUITE_P(BadServer, QuirkTest,
                         ::testing::Values(Quirk{"Banner", {"--banner"}},
                                           Quirk{"CrLfAndBlankLines", {"--crlf"}},
                                           Quirk{"ByteByByte", {"--byte-by-byte"}}),
                         [](const auto& row) { return row.param.name; });

TEST(BadServer, ThatStopsReadingHoldsUpNoOther) {
  TestBridge bridge({Fake("one"), Fake("two")}, {}, {.drain_timeout = absl::Milliseconds(100)});
  const auto one = bridge.Begin(std::string(kOne));
  const auto two = bridge.Begin(std::string(kTwo));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do", "stop_reading"), one).body),
            "stopped");
  std::vector<HttpClient> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(bridge.Client());
    waiting.back().Send("POST", kOne,
                        Call("do", std::string(1'000'000, 'x'), 0, std::to_string(i + 2)), one);
  }
  EXPECT_EQ(Echo(bridge, kTwo, two), kEcho);
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("hidden", "echo", 0, "9"), one).body,
              HasSubstr("TOOL_UNREVIEWED"))
      << "what the bridge answers itself still comes";
  RealClock clock;
  const absl::Duration begin = clock.SinceBoot();
  bridge.Stop();
  EXPECT_LT(clock.SinceBoot() - begin, absl::Seconds(10));
}

TEST(BadServer, ThatWritesAnEndlessLineOrFloodsItsLogIsServedOn) {
  TestBridge bridge({Fake("one")});
  const auto session = bridge.Begin(std::string(kOne));
  for (const char* act : {"endless", "stderr"}) {
    HttpClient client = bridge.Client();
    EXPECT_THAT(
        TextIn(LastWord(client, client.Ask("POST", kOne, Call("do", act, 20 << 20), session))),
        HasSubstr(act));
  }
  HttpClient client = bridge.Client();
  EXPECT_THAT(LastWord(client, client.Ask("POST", kOne, Call("do", "big", 20 << 20), session)),
              AllOf(HasSubstr("error"), HasSubstr("longer than a message may be")));
  EXPECT_EQ(Echo(bridge, kOne, session), kEcho);
}

TEST(BadServer, ThatClosesItsInputIsStartedAgain) {
  IgnoreSigpipe();  // as the programs do
  TestBridge bridge({Fake("one"), Fake("two")});
  const auto one = bridge.BeginAndList(std::string(kOne));
  const auto two = bridge.Begin(std::string(kTwo));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do", "close_stdin"), one).body),
            "closed");
  EXPECT_THAT(bridge.Client().Ask("POST", kOne, Call("do"), one).body, HasSubstr("\"error\""));
  EXPECT_EQ(Echo(bridge, kTwo, two), kEcho);
  EXPECT_TRUE(support::WaitUntil([&] { return Echo(bridge, kOne, one) == kEcho; }));
}

absl::Duration CpuTimeOfThis() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return absl::DurationFromTimeval(used.ru_utime) + absl::DurationFromTimeval(used.ru_stime);
}

// A server that is dead from the start costs neither the processor nor anybody's calls.
TEST(BadServer, ThatEndsAtOnceIsStartedEverLessOften) {
  IgnoreSigpipe();  // as the programs do
  ServerConfig dead = Fake("dead");
  dead.command = {"/bin/false"};
  RealClock clock;
  const absl::Duration begin = clock.SinceBoot();
  TestBridge bridge({Fake("one"), std::move(dead)});
  const auto session = bridge.Begin(std::string(kOne));
  EXPECT_EQ(Echo(bridge, kOne, session), kEcho);
  const absl::Duration cpu = CpuTimeOfThis();
  const auto ends = [&] { return bridge.log.EventsOf("the server ended").size(); };
  ASSERT_TRUE(support::WaitUntil([&] { return ends() >= 4; }));
  // Each wait is at least half of twice the one before.
  EXPECT_GE(clock.SinceBoot() - begin, kMinRestartWait * (1 + 2 + 4) / 2);
  EXPECT_LT(CpuTimeOfThis() - cpu, (clock.SinceBoot() - begin) / 2);
  EXPECT_EQ(Echo(bridge, kOne, session), kEcho);
  EXPECT_THAT(bridge.Client().Ask("GET", "/health").body,
              AllOf(HasSubstr(R"("status":"degraded")"), HasSubstr("exit code 1")));
}

TEST(BadServer, SendsNoProgressToWhoUsesTheSameToken) {
  TestBridge bridge({Fake("one")}, {}, {.drain_timeout = absl::Milliseconds(100)});
  const auto a = bridge.Begin(std::string(kOne));
  const auto b = bridge.Begin(std::string(kOne));
  // Else the calls wait for a list of tools.
  for (const auto& session : {a, b}) {
    bridge.Client().Ask("POST", kOne, Request("tools/list"), session);
  }
  constexpr std::string_view kSameToken = R"({"progressToken":7})";
  HttpClient first = bridge.Client();
  first.Send("POST", kOne, Call("do", "no_answer", 0, "1", kSameToken), a);
  EXPECT_TRUE(support::WaitUntil([&] {
    return bridge.Client()
               .Ask("GET", "/metrics")
               .body.find("bridgekeeper_bridge_requests_in_flight 1") != std::string::npos;
  }));
  HttpClient second = bridge.Client();
  second.Ask("POST", kOne, Call("do", "progress", 1, "1", kSameToken), b);
  EXPECT_THAT(second.NextEvent()->data, HasSubstr(R"("progressToken":7)"));
  EXPECT_THAT(second.NextEvent()->data, HasSubstr("\"result\""));
  bridge.Stop();
  Reply reply = first.Read();
  std::string all = reply.body;
  if (reply.Field("content-type") == "text/event-stream") {
    while (const auto event = first.NextEvent()) all += event->data;
  }
  EXPECT_THAT(all, Not(HasSubstr("progress")));
}

}  // namespace
}  // namespace bridgekeeper::bridge
