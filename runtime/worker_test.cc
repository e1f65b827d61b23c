// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// This program is its own worker: see main().

#include "runtime/worker.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "runtime/clock.h"

namespace bridgekeeper {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);

// What a worker does with a request.
std::string Obey(std::string_view request) {
  if (request == "die") abort();
  if (request == "leave") _exit(0);
  if (request == "hang") {
    for (volatile bool forever = true; forever;) {
    }
  }
  if (request == "print") {
    std::printf("this must not be taken for an answer\n");
    std::fflush(stdout);
    return "printed";
  }
  if (request == "pid") return std::to_string(getpid());
  if (request == "limits") {
    std::string out;
    rlimit limit = {};
    getrlimit(RLIMIT_FSIZE, &limit);
    out += "fsize " + std::to_string(limit.rlim_max);
    out += " new_privs " + std::to_string(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    out += " dumpable " + std::to_string(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    getrlimit(RLIMIT_CPU, &limit);
    out += std::string(" cpu ") + (limit.rlim_cur <= kWorkerCpuSeconds + 2 ? "bounded" : "free");
    out += std::string(" open ") +
           (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0 ? "refused" : "allowed");
    out += std::string(" environment ") + (environ[0] == nullptr ? "empty" : environ[0]);
    int inherited = 0;
    // 3 to 5: the two pipes and /dev/null.
    for (int fd = 6; fd < 256; ++fd) inherited += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return out + " inherited " + std::to_string(inherited);
  }
  return std::string(request);
}

class WorkerPoolTest : public testing::Test {
 protected:
  RealClock clock_;
  WorkerPool pool_{{.kind = "obey", .max_workers = 1}, clock_};

  std::string Ask(std::string_view request) {
    const auto answer = pool_.Call(request, kLong);
    return answer.ok() ? *answer : answer.status().ToString();
  }
};

TEST_F(WorkerPoolTest, AnswersWithTheBytesOfTheWorker) {
  EXPECT_EQ(Ask("x"), "x");
  EXPECT_EQ(Ask(""), "");
  EXPECT_EQ(Ask(std::string("a\0b", 3)), std::string("a\0b", 3));
  const std::string large(5 << 20, 'l');
  EXPECT_EQ(Ask(large), large);
}

TEST_F(WorkerPoolTest, StartsNoneBeforeItIsNeededAndKeepsIt) {
  EXPECT_TRUE(pool_.Pids().empty());
  const std::string first = Ask("pid");
  EXPECT_EQ(Ask("pid"), first);
  EXPECT_EQ(pool_.Pids().size(), 1u);
}

TEST_F(WorkerPoolTest, ADeadWorkerEndsOneCallAndIsReplaced) {
  const std::string first = Ask("pid");
  EXPECT_EQ(pool_.Call("die", kLong).status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(pool_.Call("leave", kLong).status().code(), absl::StatusCode::kAborted);
  EXPECT_NE(Ask("pid"), first);
}

TEST_F(WorkerPoolTest, AWorkerKilledWhileIdleCostsNoCall) {
  ASSERT_EQ(Ask("x"), "x");
  ASSERT_EQ(pool_.Pids().size(), 1u);
  const pid_t pid = pool_.Pids()[0];
  kill(pid, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(Ask("y"), "y");
  ASSERT_EQ(pool_.Pids().size(), 1u);
  EXPECT_NE(pool_.Pids()[0], pid);
}

TEST_F(WorkerPoolTest, ALateWorkerIsKilledAndReplaced) {
  ASSERT_EQ(Ask("x"), "x");
  const pid_t pid = pool_.Pids()[0];
  EXPECT_EQ(pool_.Call("hang", absl::Milliseconds(50)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_NE(kill(pid, 0), 0) << "it still runs";
  EXPECT_EQ(Ask("y"), "y");
}

TEST_F(WorkerPoolTest, ABusyPoolRefusesInTime) {
  std::atomic<bool> enough = false;
  std::jthread holder([&] {
    while (!enough) (void)pool_.Call("hang", absl::Milliseconds(300));
  });
  // Whoever has the worker first: one of the two is refused.
  const absl::Duration until = clock_.SinceBoot() + kLong;
  absl::StatusCode code = absl::StatusCode::kOk;
  while (code != absl::StatusCode::kResourceExhausted && clock_.SinceBoot() < until) {
    code = pool_.Call("y", absl::Milliseconds(20)).status().code();
  }
  enough = true;
  EXPECT_EQ(code, absl::StatusCode::kResourceExhausted);
}

TEST_F(WorkerPoolTest, ServesManyCallers) {
  WorkerPool pool({.kind = "obey", .max_workers = 2}, clock_);
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&, i] {
      for (int j = 0; j < 25; ++j) {
        const std::string text = std::to_string(i) + "/" + std::to_string(j);
        const auto answer = pool.Call(text, kLong);
        ASSERT_TRUE(answer.ok()) << answer.status();
        ASSERT_EQ(*answer, text);
      }
    });
  }
  callers.clear();
  EXPECT_LE(pool.Pids().size(), 2u);
}

TEST_F(WorkerPoolTest, WhatAWorkerPrintsIsNoAnswer) { EXPECT_EQ(Ask("print"), "printed"); }

TEST_F(WorkerPoolTest, AWorkerIsConfined) {
  EXPECT_EQ(Ask("limits"),
            "fsize 0 new_privs 1 dumpable 0 cpu bounded open refused environment empty "
            "inherited 0");
}

TEST_F(WorkerPoolTest, RefusesARequestThatIsTooLarge) {
  EXPECT_EQ(pool_.Call(std::string(kMaxWorkerMessageBytes + 1, 'x'), kLong).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(WorkerPoolTest, SaysWhereNoWorkerCanBeStarted) {
  WorkerPool pool({.kind = "obey", .program = "/nowhere/at/all"}, clock_);
  EXPECT_EQ(pool.Call("x", kLong).status().code(), absl::StatusCode::kUnavailable);
  WorkerPool other({.kind = "unheard of"}, clock_);
  EXPECT_EQ(other.Call("x", kLong).status().code(), absl::StatusCode::kAborted);
}

TEST(RunWorkerIfAsked, IsAnOrdinaryStartWithoutItsArguments) {
  char program[] = "p";
  char help[] = "--help";
  char* arguments[] = {program, help, nullptr};
  EXPECT_EQ(RunWorkerIfAsked(1, arguments, {}), std::nullopt);
  EXPECT_EQ(RunWorkerIfAsked(2, arguments, {}), std::nullopt);
}

}  // namespace
}  // namespace bridgekeeper

int main(int argc, char** argv) {
  const auto code = bridgekeeper::RunWorkerIfAsked(
      argc, argv, {{.name = "obey", .make = [] { return bridgekeeper::Obey; }}});
  if (code.has_value()) return *code;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
