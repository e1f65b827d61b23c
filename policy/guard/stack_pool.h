// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// StackPool runs functions on threads whose stack has a known size. Parsers recurse
// with their input, and the threads of an RPC or HTTP library have whatever stack
// they have.
//
// Thread safety: safe to share between threads.
// Source: policy/spec.md, clause G2.

#ifndef BRIDGEKEEPER_POLICY_GUARD_STACK_POOL_H_
#define BRIDGEKEEPER_POLICY_GUARD_STACK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace bridgekeeper {

// What a judge may use of a stack.
inline constexpr size_t kJudgeStackBytes = size_t{64} << 20;

// The bytes of stack that the calling thread has left; 0 where that is not known, as on
// a stack that is not the thread's own.
// Source: pthread_getattr_np(3).
size_t StackLeft();

struct StackPoolOptions {
  int threads = 2;                        // [1, 64]
  size_t stack_bytes = kJudgeStackBytes;  // address space: pages are used as they are touched
  // How long a function may wait for a thread.
  absl::Duration max_wait = absl::Seconds(5);
};

class StackPool {
 public:
  explicit StackPool(const StackPoolOptions& options);
  // Waits for the functions that run. REQUIRES: nobody is in Run().
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  enum class End : uint8_t {
    kDone,
    kNoThread,  // no thread was free in time or none could be started: it never ran
    kLate,      // it runs on, after the caller has gone
  };
  // Runs `function` on a thread of the pool and waits at most `deadline` for its end,
  // waiting for a thread included. A thread cannot be ended from outside: a late
  // function keeps its thread until it returns. So `function` owns what it uses, and
  // only what is of proven bound runs here.
  // REQUIRES: not called from a function that runs in the pool.
  [[nodiscard]] End RunWithin(absl::Duration deadline, std::function<void()> function);

  // Runs `function` on a thread of the pool and returns true when it has ended.
  // Returns false, and never runs it, where no thread was free in time or none
  // could be started.
  // REQUIRES: not called from a function that runs in the pool.
  [[nodiscard]] bool Run(absl::FunctionRef<void()> function);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_STACK_POOL_H_
