// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/stack_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace bridgekeeper {
namespace {

// Uses at least `depth` KiB of stack.
int Deep(int depth) {
  volatile char block[1024];
  block[0] = static_cast<char>(depth);
  return depth == 0 ? block[0] : Deep(depth - 1) + block[0] - block[0];
}

TEST(StackPool, GivesAFunctionTheStackThatWasAskedFor) {
  StackPool pool({.threads = 1, .stack_bytes = size_t{64} << 20});
  int result = -1;
  ASSERT_TRUE(pool.Run([&] { result = Deep(24 * 1024); }));  // three times a usual stack
  EXPECT_EQ(result, 0);
}

TEST(StackPool, ServesManyCallers) {
  StackPool pool({.threads = 2});
  std::atomic<int> sum = 0;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        int seen = 0;
        ASSERT_TRUE(pool.Run([&] { seen = 1; }));
        sum += seen;
      }
    });
  }
  callers.clear();
  EXPECT_EQ(sum, 1600);
}

TEST(StackPool, NeverRunsWhatWaitedTooLong) {
  StackPool pool({.threads = 1, .max_wait = absl::Milliseconds(20)});
  std::latch started(1);
  std::latch release(1);
  std::jthread first([&] {
    EXPECT_TRUE(pool.Run([&] {
      started.count_down();
      release.wait();
    }));
  });
  started.wait();
  bool ran = false;
  EXPECT_FALSE(pool.Run([&] { ran = true; }));
  release.count_down();
  first.join();
  EXPECT_FALSE(ran);
  EXPECT_TRUE(pool.Run([&] { ran = true; }));
  EXPECT_TRUE(ran);
}

TEST(StackPool, LeavesALateFunctionToItself) {
  StackPool pool({.threads = 1});
  const auto release = std::make_shared<std::latch>(1);
  const auto ended = std::make_shared<std::latch>(1);
  EXPECT_EQ(pool.RunWithin(absl::Milliseconds(20),
                           [release, ended] {
                             release->wait();
                             ended->count_down();
                           }),
            StackPool::End::kLate);
  // Its thread is taken until it returns.
  EXPECT_EQ(pool.RunWithin(absl::Milliseconds(20), [] {}), StackPool::End::kNoThread);
  release->count_down();
  ended->wait();
  EXPECT_EQ(pool.RunWithin(absl::Seconds(60), [] {}), StackPool::End::kDone);
}

TEST(StackPool, RunsNothingWhereNoThreadCanBeStarted) {
  StackPool pool({.threads = 1, .stack_bytes = size_t{1} << 50});
  bool ran = false;
  EXPECT_FALSE(pool.Run([&] { ran = true; }));
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace bridgekeeper
