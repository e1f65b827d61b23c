// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Mutex is std::mutex with Abseil's thread-safety annotations, so that clang
// checks who holds what and ThreadSanitizer sees the lock (it does not see
// Debian's absl::Mutex, whose code is not instrumented).
//
// CondVar waits on a Mutex with a deadline; there is no wait without one.

#ifndef BRIDGEKEEPER_POLICY_BASE_MUTEX_H_
#define BRIDGEKEEPER_POLICY_BASE_MUTEX_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"

namespace bridgekeeper {

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mu_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mu_.unlock(); }
  // Tells the analysis that the caller holds the lock, where it cannot see it.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  friend class CondVar;
  std::mutex mu_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu) : mu_(mu) { mu_.Lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mu_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

class CondVar {
 public:
  // Waits until notified or until `timeout` has passed (monotonic clock). May
  // wake for no reason: callers loop over their own condition. Returns false
  // where the time ran out.
  bool WaitFor(Mutex& mu, std::chrono::nanoseconds timeout) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    const bool notified = cv_.wait_for(lock, timeout) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }

  // Waits until `condition()` holds or `timeout` has passed, and returns whether it
  // holds. The condition is called with `mu` held. Longer than a year is a year.
  template <typename Condition>
  bool WaitFor(Mutex& mu, std::chrono::nanoseconds timeout, Condition condition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    // now() + nanoseconds::max() would overflow.
    constexpr std::chrono::nanoseconds kYear = std::chrono::hours(24 * 365);
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    const bool holds = cv_.wait_for(lock, std::min(timeout, kYear), std::move(condition));
    lock.release();
    return holds;
  }

  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_MUTEX_H_
