// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Hostile texts through the guard as programs have it: each gets an answer in time, and
// the next text gets its own.
//
// Source: policy/spec.md, clause G2.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "policy/guard/guard.h"
#include "runtime/judge_worker.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper {
namespace {

std::string Times(int count, std::string_view text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

class DuckdbHostile : public testing::Test {
 protected:
  std::unique_ptr<PayloadJudge> Guard(absl::Duration deadline = absl::Seconds(60)) {
    return MakeGuard({.cache_bytes = size_t{1} << 20,
                      .isolated = MakeJudgeWorkers({.max_workers = 1, .program = BK_JUDGE_WORKER}),
                      .deadline = deadline,
                      .on_fault = [this](JudgeFault fault) { faults_.push_back(fault); }});
  }

  static void ExpectAlive(const PayloadJudge& guard) {
    static int number = 0;  // not answered from memory
    const Judgement judgement = guard.JudgeText("duckdb", "SELECT " + std::to_string(++number), {});
    EXPECT_EQ(judgement.error, Judgement::Error::kNone) << judgement.message;
    EXPECT_EQ(judgement.risk, Risk::kSafe);
  }

  std::vector<JudgeFault> faults_;
};

TEST_F(DuckdbHostile, EveryTextGetsAnAnswerAndTheNextOneToo) {
  const std::string texts[] = {
      "SELECT " + Times(2'000, "(") + "1" + Times(2'000, ")"),
      "SELECT " + Times(40'000, "(") + "1",
      "SELECT 1" + Times(20'000, "+1"),
      "SELECT 1" + Times(10'000, "::INT"),
      "SELECT 1" + Times(5'000, " UNION ALL SELECT 1"),
      "SELECT 1" + Times(5'000, " UNION SELECT 1"),
      "SELECT a" + Times(3'000, " AND a"),
      "SELECT " + Times(5'000, "NOT ") + "a",
      "SELECT " + Times(5'000, "[") + "1" + Times(5'000, "]"),
      "SELECT " + Times(5'000, "{'a':") + "1" + Times(5'000, "}"),
      "SELECT 1::" + Times(3'000, "STRUCT(a ") + "INT" + Times(3'000, ")"),
      "SELECT * FROM " + Times(3'000, "(SELECT * FROM ") + "t" + Times(3'000, ")"),
      "SELECT " + Times(3'000, "abs(") + "1" + Times(3'000, ")"),
      Times(20'000, "EXPLAIN ") + "SELECT 1",
      "INSERT INTO t VALUES (1)" + Times(10'000, ", (1)"),
      "INSERT INTO t SELECT " + Times(3'000, "(") + "1" + Times(3'000, ")"),
      Times(25'000, ";") + "SELECT 1",
      Times(10'000, "SELECT 1;"),
      "SELECT '" + Times(100'000, "a"),
      "SELECT \"" + Times(100'000, "a"),
      "SELECT $$" + Times(100'000, "a"),
      "/*" + Times(20'000, "/*"),
      "SELECT 'a\\",
      std::string("SELECT 1\0", 9),
      "SELECT '\xFF\xFE'",
      "\xEF\xBB\xBFSELECT 1",
      std::string(10 << 20, 'a'),
      "SELECT " + Times(1 << 19, "'"),
      "SELECT $",
      "SELECT $$",
      "SELECT E'",
      "SELECT E'\\",
      "'",
      "\"",
      "(",
      ")",
      "--",
      "/*",
      "*/",
  };
  const auto guard = Guard();
  for (const std::string& text : texts) {
    const Judgement judgement = guard->JudgeText("duckdb", text, {});
    if (judgement.error != Judgement::Error::kNone) {
      EXPECT_FALSE(judgement.message.empty()) << text.substr(0, 60);
      EXPECT_EQ(judgement.risk, Risk::kDestructive);
    }
    ExpectAlive(*guard);
  }
  EXPECT_TRUE(faults_.empty()) << faults_.size() << " texts took the worker with them";
}

TEST_F(DuckdbHostile, ALateTextIsUnreadableCountedAndNotRemembered) {
  // 50,000 tokens of a chain of AND take seconds.
  const std::string slow = "SELECT a" + Times(24'000, " AND a");
  const auto guard = Guard(absl::Milliseconds(1));
  const Judgement judgement = guard->JudgeText("duckdb", slow, {});
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_EQ(faults_[0], JudgeFault::kWorkerLate);
  EXPECT_EQ(guard->JudgeText("duckdb", slow, {}).error, Judgement::Error::kUnreadable);
  EXPECT_EQ(faults_.size(), 2u) << "what was not judged is not remembered";
}

TEST_F(DuckdbHostile, ADialectOfAWorkerIsUnreadableWhereThereIsNone) {
  const auto guard = MakeGuard(
      {.isolated = nullptr, .on_fault = [this](JudgeFault fault) { faults_.push_back(fault); }});
  const Judgement judgement = guard->JudgeText("duckdb", "SELECT 1", {});
  EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
  EXPECT_EQ(faults_, std::vector{JudgeFault::kWorkerUnavailable});
}

TEST_F(DuckdbHostile, AProgramThatIsNoWorkerIsAFaultOfItsOwn) {
  const auto guard =
      MakeGuard({.isolated = MakeJudgeWorkers({.program = "/bin/true"}),
                 .deadline = absl::Seconds(60),
                 .on_fault = [this](JudgeFault fault) { faults_.push_back(fault); }});
  EXPECT_EQ(guard->JudgeText("duckdb", "SELECT 1", {}).error, Judgement::Error::kUnreadable);
  EXPECT_EQ(faults_, std::vector{JudgeFault::kWorkerDied});
}

TEST_F(DuckdbHostile, AWorkerWithoutTheLibraryIsAFaultThatSaysWhatIsMissing) {
  // A copy far from the library that stands beside the program.
  const std::filesystem::path folder = testing::TempDir() + "/alone/bin/here";
  ASSERT_TRUE(std::filesystem::create_directories(folder));
  const std::string program = folder / "judge_worker";
  ASSERT_TRUE(std::filesystem::copy_file(BK_JUDGE_WORKER, program));
  FakeLogger log;
  const auto guard =
      MakeGuard({.isolated = MakeJudgeWorkers({.program = program, .log = &log}),
                 .deadline = absl::Seconds(60),
                 .on_fault = [this](JudgeFault fault) { faults_.push_back(fault); }});
  for (int i = 0; i < 3; ++i) {
    const Judgement judgement = guard->JudgeText("duckdb", "SELECT 1", {});
    EXPECT_EQ(judgement.error, Judgement::Error::kUnreadable);
    EXPECT_EQ(judgement.message, "no DuckDB to judge with is installed");
  }
  EXPECT_EQ(faults_, std::vector(3, JudgeFault::kWorkerUnavailable)) << "each is counted";
  const auto events = log.EventsOf("a payload was not judged");
  ASSERT_EQ(events.size(), 1u) << "once a minute is enough";
  EXPECT_EQ(events[0].level, LogLevel::kError);
  EXPECT_EQ(events[0].fields.at("fault"), "worker_unavailable");
  EXPECT_THAT(events[0].fields.at("detail"), testing::HasSubstr("libduckdb.so"));
}

}  // namespace
}  // namespace bridgekeeper
