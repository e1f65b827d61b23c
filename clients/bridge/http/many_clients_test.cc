// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What one client of a bridge has of the others: nothing.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clients/bridge/http/bridge_server_test_util.h"
#include "clients/bridge/http/serving_judge.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::string_view kOne = "/servers/one/mcp";

// Judges `hang` once it is told to, everything else at once.
class StuckJudge : public PayloadJudge {
 public:
  ~StuckJudge() override { Free(); }
  void Free() {
    MutexLock lock(mu_);
    is_free_ = true;
    changed_.NotifyAll();
  }
  bool WaitForStuck(int judgements) const {
    MutexLock lock(mu_);
    return changed_.WaitFor(
        mu_, absl::ToChronoNanoseconds(support::kDeadline),
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return stuck_ >= judgements; });
  }

  int stuck() const {
    MutexLock lock(mu_);
    return stuck_;
  }

  bool Knows(std::string_view) const override { return true; }
  Judgement JudgeText(std::string_view, std::string_view text, const JudgeOptions&) const override {
    if (text.starts_with("hang")) {
      MutexLock lock(mu_);
      ++stuck_;
      changed_.NotifyAll();
      EXPECT_TRUE(changed_.WaitFor(mu_, absl::ToChronoNanoseconds(support::kDeadline),
                                   [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return is_free_; }));
    }
    return {.risk = Risk::kSafe, .statements = 1, .error = Judgement::Error::kNone};
  }
  Judgement JudgeObject(std::string_view, JsonValue, const JudgeOptions&) const override {
    return {};
  }

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  mutable int stuck_ ABSL_GUARDED_BY(mu_) = 0;
  bool is_free_ ABSL_GUARDED_BY(mu_) = false;
};

// `do` of these servers runs its argument `act` as a statement.
AppData JudgedPolicy(const std::vector<std::string>& servers,
                     const std::string& dialect = "postgres") {
  AppData policy = Policy(servers);
  for (CatalogEntry& entry : policy.catalog) {
    if (entry.key.tool != ToolName("do")) continue;
    entry.payload_rule = PayloadRule{.payload = "{act}", .dialect = dialect};
    entry.payload_rule->harmless_arguments = {"n"};
  }
  return policy;
}

// Calls of one session that wait, numbered from 0, at its tools by turns.
std::vector<HttpClient> Hang(const TestBridge& bridge, std::string_view path,
                             const std::vector<std::string>& tools,
                             const HttpClient::Fields& session, int count) {
  std::vector<HttpClient> calls;
  for (int i = 0; i < count; ++i) {
    calls.push_back(bridge.Client());
    calls.back().Send(
        "POST", path,
        Call(tools[static_cast<size_t>(i) % tools.size()], "hang", i, std::to_string(i)), session);
  }
  return calls;
}

// Each is within what one client may leave unread; together they are not.
TEST(ManyClients, ThatLeaveTooMuchUnreadTogetherAreCutTheSlowestFirst) {
  TestBridge bridge({Fake("one")}, {}, {.http = {.max_unread_bytes = 16 << 20}});
  const auto session = bridge.Begin(std::string(kOne));
  std::vector<HttpClient> lazy;
  for (int i = 0; i < 3; ++i) {
    lazy.push_back(bridge.Client());
    lazy.back().Send("POST", kOne, Call("do", "big", 12'000'000, std::to_string(i)), session);
  }
  const auto metrics = [&] { return bridge.Client().Ask("GET", "/metrics").body; };
  EXPECT_TRUE(support::WaitUntil([&] {
    return metrics().find("bridgekeeper_bridge_http_cut_for_room_total 2") != std::string::npos;
  })) << metrics();
  // Who reads is served.
  HttpClient reader = bridge.Client();
  EXPECT_EQ(TextIn(reader.Ask("POST", kOne, Call("do", "echo", 0, "9"), session).body),
            R"({"act":"echo","n":0})");
}

TEST(ManyClients, AJudgementThatIsStuckHoldsUpNobodyElse) {
  StuckJudge judge;
  TestBridge bridge({Fake("one")}, JudgedPolicy({"one"}), {}, {}, &judge);
  const auto stuck = bridge.BeginAndList(std::string(kOne));
  const auto other = bridge.BeginAndList(std::string(kOne));
  // More than there are threads.
  std::vector<HttpClient> calls = Hang(bridge, kOne, {"do"}, stuck, 12);
  bridge.WaitForInFlight(12);
  EXPECT_TRUE(judge.WaitForStuck(4));
  // Judged, not judged, of another session and of the same one.
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do"), other).body),
            R"({"act":"echo","n":0})");
  EXPECT_EQ(judge.stuck(), 4) << "half of the threads";
  for (const auto& session : {stuck, other}) {
    EXPECT_EQ(
        TextIn(bridge.Client().Ask("POST", kOne, Call("drop", "echo", 0, "99"), session).body),
        R"({"act":"echo","n":0})");
    EXPECT_EQ(bridge.Client().Ask("POST", kOne, Request("ping", "98"), session).status, 200);
  }
  judge.Free();
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(TextIn(calls[static_cast<size_t>(i)].Read().body),
              absl::StrFormat(R"({"act":"hang","n":%d})", i));
  }
}

TEST(ManyClients, TwoServersAreNotTwoSharesOfTheJudge) {
  StuckJudge judge;
  TestBridge bridge({Fake("one"), Fake("two")}, JudgedPolicy({"one", "two"}), {}, {}, &judge);
  const auto stuck = bridge.BeginAndList("/mcp");
  const auto other = bridge.BeginAndList(std::string(kOne));
  const std::vector<HttpClient> calls = Hang(bridge, "/mcp", {"one__do", "two__do"}, stuck, 12);
  bridge.WaitForInFlight(12);
  EXPECT_TRUE(judge.WaitForStuck(4));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do"), other).body),
            R"({"act":"echo","n":0})");
  EXPECT_EQ(judge.stuck(), 4);
  judge.Free();
}

TEST(ManyClients, NeitherTwoNorThreeSessionsTakeTheWholeJudge) {
  StuckJudge judge;
  TestBridge bridge({Fake("one")}, JudgedPolicy({"one"}), {}, {}, &judge);
  const auto other = bridge.BeginAndList(std::string(kOne));
  std::vector<HttpClient> calls;
  int in_flight = 0;
  for (const int stuck : {4, 6, 7}) {
    for (HttpClient& call :
         Hang(bridge, kOne, {"do"}, bridge.BeginAndList(std::string(kOne)), 12)) {
      calls.push_back(std::move(call));
    }
    bridge.WaitForInFlight(in_flight += 12);
    EXPECT_TRUE(judge.WaitForStuck(stuck));
    EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do"), other).body),
              R"({"act":"echo","n":0})");
    EXPECT_EQ(judge.stuck(), stuck);
  }
  judge.Free();
}

TEST(ManyClients, WhatIsCancelledIsNotJudged) {
  StuckJudge judge;
  TestBridge bridge({Fake("one")}, JudgedPolicy({"one"}), {}, {}, &judge);
  const auto session = bridge.BeginAndList(std::string(kOne));
  std::vector<HttpClient> calls = Hang(bridge, kOne, {"do"}, session, 12);
  EXPECT_TRUE(judge.WaitForStuck(4));
  bridge.WaitForInFlight(12);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(bridge.Client()
                  .Ask("POST", kOne,
                       absl::StrFormat(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                       R"("params":{"requestId":%d}})",
                                       i),
                       session)
                  .status,
              202);
  }
  judge.Free();
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do", "echo", 0, "99"), session).body),
            R"({"act":"echo","n":0})");
  EXPECT_EQ(judge.stuck(), 4);
}

// A program for workers that says it has begun, and ends when told to.
class StuckWorkers {
 public:
  StuckWorkers() {
    EXPECT_TRUE(std::filesystem::create_directory(folder_));
    EXPECT_EQ(mkfifo((folder_ / "gate").c_str(), 0600), 0);
    std::ofstream(program()) << "#!/bin/sh\n: > " << folder_.string() << "/begun.$$\n"
                             << "exec cat " << folder_.string() << "/gate\n";
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
  }
  ~StuckWorkers() {
    Free();
    std::filesystem::remove_all(folder_);
  }
  StuckWorkers(const StuckWorkers&) = delete;
  StuckWorkers& operator=(const StuckWorkers&) = delete;

  std::string program() const { return folder_ / "worker"; }
  int begun() const {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      if (file.path().filename().string().starts_with("begun")) ++count;
    }
    return count;
  }
  // Ends those that run; what begins from now on ends at once.
  void Free() {
    const std::filesystem::path gate = folder_ / "gate";
    const int fd = open(gate.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    std::filesystem::remove(gate);
    if (fd >= 0) close(fd);
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / absl::StrFormat("stuck-workers-%d", getpid());
};

// The judge that is shipped: what one client cannot take of the desk it cannot take behind
// it either.
TEST(ManyClients, StuckWorkersHoldUpNobodyElse) {
  StuckWorkers workers;
  FakeLogger log;
  const std::unique_ptr<PayloadJudge> judge = MakeServingJudge(log, {}, workers.program());
  TestBridge bridge({Fake("one")}, JudgedPolicy({"one"}, "duckdb"), {}, {}, judge.get());
  const auto stuck = bridge.BeginAndList(std::string(kOne));
  const auto other = bridge.BeginAndList(std::string(kOne));
  const std::vector<HttpClient> calls = Hang(bridge, kOne, {"do"}, stuck, 12);
  bridge.WaitForInFlight(12);
  EXPECT_TRUE(support::WaitUntil([&] { return workers.begun() == 4; })) << workers.begun();
  HttpClient call = bridge.Client();
  call.Send("POST", kOne, Call("do"), other);
  EXPECT_TRUE(support::WaitUntil([&] { return workers.begun() == 5; })) << workers.begun();
  EXPECT_EQ(bridge.Client().Ask("DELETE", kOne, "", stuck).status, 204);
  workers.Free();
  EXPECT_THAT(call.Read().body, HasSubstr("STATEMENT_UNREADABLE"));
}

TEST(ManyClients, AStuckJudgementDoesNotOutliveItsSession) {
  StuckJudge judge;
  TestBridge bridge({Fake("one")}, JudgedPolicy({"one"}), {}, {}, &judge);
  const auto session = bridge.BeginAndList(std::string(kOne));
  HttpClient call = bridge.Client();
  call.Send("POST", kOne, Call("do", "hang"), session);
  EXPECT_TRUE(judge.WaitForStuck(1));
  EXPECT_EQ(bridge.Client().Ask("DELETE", kOne, "", session).status, 204);
  EXPECT_EQ(call.Read().status, 404);
  judge.Free();
  const auto other = bridge.BeginAndList(std::string(kOne));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", kOne, Call("do"), other).body),
            R"({"act":"echo","n":0})");
}

TEST(ManyClients, ReportsNameTheSessionAndDoNotGiveItAway) {
  TestBridge bridge({Fake("one")});
  const auto a = bridge.BeginAndList("/mcp");
  const auto b = bridge.BeginAndList(std::string(kOne));
  for (int i = 0; i < 2; ++i) {
    bridge.Client().Ask("POST", "/mcp", Call("one__do"), a);
    bridge.Client().Ask("POST", kOne, Call("do"), b);
  }
  const std::vector<DecidedCall> calls = bridge.decisions.All();
  ASSERT_THAT(calls, SizeIs(4));
  EXPECT_THAT(calls[0].session, SizeIs(32));
  EXPECT_EQ(calls[0].session, calls[2].session);
  EXPECT_EQ(calls[1].session, calls[3].session);
  EXPECT_NE(calls[0].session, calls[1].session);
  for (const auto& [name, value] : a) EXPECT_NE(value, calls[0].session);
}

}  // namespace
}  // namespace bridgekeeper::bridge
