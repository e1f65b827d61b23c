// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/judge_desk.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "policy/testing/fake_clock.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Keeps every judgement until it is told to end them.
class GatedJudge : public PayloadJudge {
 public:
  ~GatedJudge() override { Open(); }
  void Open() {
    MutexLock lock(mu_);
    is_open_ = true;
    changed_.NotifyAll();
  }
  // The texts that are being judged or were.
  std::vector<std::string> begun() const {
    MutexLock lock(mu_);
    return begun_;
  }
  bool WaitForBegun(size_t count) const {
    MutexLock lock(mu_);
    return changed_.WaitFor(
        mu_, std::chrono::seconds(30),
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return begun_.size() >= count; });
  }

  bool Knows(std::string_view) const override { return true; }
  Judgement JudgeText(std::string_view, std::string_view text, const JudgeOptions&) const override {
    MutexLock lock(mu_);
    begun_.emplace_back(text);
    changed_.NotifyAll();
    EXPECT_TRUE(changed_.WaitFor(mu_, std::chrono::seconds(30),
                                 [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return is_open_; }));
    return {.risk = Risk::kSafe, .statements = 1, .error = Judgement::Error::kNone};
  }
  Judgement JudgeObject(std::string_view, JsonValue, const JudgeOptions&) const override {
    return {};
  }

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  mutable std::vector<std::string> begun_ ABSL_GUARDED_BY(mu_);
  bool is_open_ ABSL_GUARDED_BY(mu_) = false;
};

class JudgeDeskTest : public ::testing::Test {
 protected:
  void Judge(const std::string& client, int count) {
    for (int i = 0; i < count; ++i) {
      desk_->Judge(
          client,
          [this, client]() -> std::optional<PayloadToJudge> {
            if (client == unwanted_) return std::nullopt;
            return PayloadToJudge{.dialect = "any", .payload = client, .options = {}};
          },
          [this, client](const std::optional<Judgement>& judgement) {
            done_.push_back(client + (judgement ? "" : " late"));
          });
    }
    Poll();
  }
  void Poll() { io_.poll(); }
  // Until so many ends were told of.
  void RunUntilDone(size_t count) {
    while (done_.size() < count) ASSERT_GT(io_.run_one_for(std::chrono::seconds(30)), 0u);
  }

  FakeClock clock_;
  GatedJudge judge_;
  boost::asio::io_context io_{1};
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ =
      boost::asio::make_work_guard(io_);
  std::unique_ptr<JudgeDesk> desk_ = std::make_unique<JudgeDesk>(io_, judge_, clock_);
  std::string unwanted_ = "unwanted";
  std::vector<std::string> done_;
};

TEST_F(JudgeDeskTest, EachClientGetsHalfOfWhatIsFree) {
  Judge("a", 20);
  Judge("b", 20);
  Judge("c", 20);
  Judge("d", 20);
  Judge("e", 20);
  ASSERT_TRUE(judge_.WaitForBegun(8));
  EXPECT_THAT(judge_.begun(), UnorderedElementsAre("a", "a", "a", "a", "b", "b", "c", "d"));
  judge_.Open();
  RunUntilDone(100);
}

TEST_F(JudgeDeskTest, ThoseThatWaitTakeTurns) {
  Judge("a", 4);
  Judge("b", 2);
  Judge("c", 1);
  Judge("d", 1);
  ASSERT_TRUE(judge_.WaitForBegun(8));
  Judge("many", 10);
  Judge("last", 1);
  judge_.Open();
  RunUntilDone(19);
  const std::vector<std::string> begun = judge_.begun();
  ASSERT_EQ(begun.size(), 19u);
  const auto last = std::find(begun.begin(), begun.end(), "last") - begun.begin();
  EXPECT_LT(last, 14) << "not behind all ten of another";
}

TEST_F(JudgeDeskTest, WhatHasWaitedTooLongIsNotJudged) {
  Judge("a", 5);
  ASSERT_TRUE(judge_.WaitForBegun(4));
  clock_.Advance(JudgeDesk::kMaxWait + absl::Seconds(1));
  judge_.Open();
  RunUntilDone(5);
  EXPECT_THAT(done_, UnorderedElementsAre("a", "a", "a", "a", "a late"));
  EXPECT_EQ(judge_.begun().size(), 4u);
}

TEST_F(JudgeDeskTest, WhatNobodyWantsAnyMoreIsNotJudged) {
  Judge("unwanted", 3);
  EXPECT_THAT(judge_.begun(), IsEmpty());
  judge_.Open();
  Judge("a", 1);
  RunUntilDone(1);
  EXPECT_THAT(done_, ElementsAre("a"));
}

TEST_F(JudgeDeskTest, NobodyHearsOfAJudgementOnceItIsGone) {
  Judge("a", 5);
  ASSERT_TRUE(judge_.WaitForBegun(4));
  judge_.Open();
  // The judgements end while it waits for them: what they post runs without it.
  desk_.reset();
  Poll();
  EXPECT_THAT(done_, IsEmpty());
}

}  // namespace
}  // namespace bridgekeeper::bridge
