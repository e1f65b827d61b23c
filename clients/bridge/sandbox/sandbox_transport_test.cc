// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/sandbox_transport.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/message.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A database on which every statement runs until it is let go.
class HeldBackend : public Backend {
 public:
  std::optional<Statement> StatementFor(SandboxTool, const ToolArguments&) const override {
    return Statement{.sql = "SELECT 1"};
  }
  RunResult Run(const Statement&, const RunLimits&, const StopSignal& stop) override {
    MutexLock lock(mu_);
    ++begun_;
    changed_.NotifyAll();
    const bool was_let_go = changed_.WaitFor(
        mu_, absl::ToChronoNanoseconds(support::kDeadline),
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return is_free_ || stop.raised(); });
    EXPECT_TRUE(was_let_go);
    return std::string(R"({"rows":[]})");
  }
  void Free() {
    MutexLock lock(mu_);
    is_free_ = true;
    changed_.NotifyAll();
  }
  size_t begun() const {
    MutexLock lock(mu_);
    return begun_;
  }

 private:
  mutable Mutex mu_;
  CondVar changed_;
  size_t begun_ ABSL_GUARDED_BY(mu_) = 0;
  bool is_free_ ABSL_GUARDED_BY(mu_) = false;
};

class SandboxTransportTest : public ::testing::Test, private Transport::Listener {
 protected:
  // Begins with a database whose calls wait this long for a place.
  void Begin(absl::Duration max_wait = kMaxSandboxWait) {
    auto backend = std::make_unique<HeldBackend>();
    database_ = backend.get();
    std::vector<SandboxConnection> connections(1);
    connections[0].config.id = ConnectionId("shop");
    connections[0].backend = std::move(backend);
    transport_ = MakeSandboxTransport(io_, AppId("app"), "0.0.0", std::move(connections), policies_,
                                      max_wait);
    transport_->Start(*this);
  }
  ~SandboxTransportTest() override {
    database_->Free();
    bool stopped = false;
    transport_->Stop([&] { stopped = true; });
    EXPECT_TRUE(RunUntil([&] { return stopped; }));
    transport_.reset();
    io_.poll();
  }

  void Call(int id) {
    transport_->Send(absl::StrFormat(
        R"({"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sqlkit__execute_query","arguments":{"connection_id":"shop","sql":"SELECT 1"}}})",
        id));
  }
  void Cancel(int id) {
    transport_->Send(absl::StrFormat(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}})", id));
  }
  bool RunUntil(const std::function<bool()>& condition) {
    return support::WaitUntil([&] {
      io_.restart();
      io_.run_for(std::chrono::milliseconds(1));
      return condition();
    });
  }
  bool WaitForBegun(size_t calls) {
    return RunUntil([&] { return database_->begun() == calls; });
  }

  HeldBackend* database_ = nullptr;
  std::map<std::string, std::string> answers_;  // by id

 private:
  void OnConnected() override {}
  void OnFrame(const Frame& frame, std::string_view) override {
    answers_[std::string(OutlineOf(frame.text).id_token)] = frame.text;
  }
  void OnDisconnected(std::string_view) override {}

  boost::asio::io_context io_;
  clients::FakePolicySource policies_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(SandboxTransportTest, WhatIsBeyondThePlacesOfADatabaseWaitsForOne) {
  Begin();
  const int calls = static_cast<int>(kMaxCallsOfConnection + kMaxWaitingCalls);
  for (int i = 0; i < calls; ++i) Call(i);
  EXPECT_TRUE(WaitForBegun(kMaxCallsOfConnection));
  EXPECT_THAT(answers_, IsEmpty());
  Call(calls);
  EXPECT_TRUE(RunUntil([&] { return answers_.size() == 1; }));
  EXPECT_THAT(answers_[std::to_string(calls)], HasSubstr("OVERLOADED")) << "nor may it wait";
  database_->Free();
  EXPECT_TRUE(RunUntil([&] { return answers_.size() == static_cast<size_t>(calls) + 1; }));
  for (int i = 0; i < calls; ++i) {
    EXPECT_THAT(answers_[std::to_string(i)], HasSubstr(R"("isError":false)"));
  }
}

TEST_F(SandboxTransportTest, WhatWaitsTooLongIsAnsweredAndDoesNotRun) {
  Begin(absl::Milliseconds(10));
  for (int i = 0; i < static_cast<int>(kMaxCallsOfConnection) + 2; ++i) Call(i);
  EXPECT_TRUE(RunUntil([&] { return answers_.size() == 2; }));
  EXPECT_THAT(answers_["8"], HasSubstr("OVERLOADED"));
  EXPECT_THAT(answers_["9"], HasSubstr("OVERLOADED"));
  database_->Free();
  EXPECT_TRUE(RunUntil([&] { return answers_.size() == kMaxCallsOfConnection + 2; }));
  EXPECT_EQ(database_->begun(), kMaxCallsOfConnection);
}

TEST_F(SandboxTransportTest, WhatIsCancelledWhileItWaitsDoesNotRun) {
  Begin();
  for (int i = 0; i < static_cast<int>(kMaxCallsOfConnection) + 2; ++i) Call(i);
  EXPECT_TRUE(WaitForBegun(kMaxCallsOfConnection));
  Cancel(8);
  database_->Free();
  EXPECT_TRUE(RunUntil([&] { return answers_.contains("9"); }));
  EXPECT_EQ(database_->begun(), kMaxCallsOfConnection + 1);
  EXPECT_FALSE(answers_.contains("8"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
