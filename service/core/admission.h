// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Admission bounds the requests that are in flight. A request that would pass the
// bound is turned away at once, which costs little and tells the client to come back.
// At the end it lets nobody in and waits until everybody has left.
//
// Overload is no death: a server that turns requests away serves as many as it can, so it
// stays in rotation, and Health() says what it does.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_CORE_ADMISSION_H_
#define BRIDGEKEEPER_SERVICE_CORE_ADMISSION_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "service/observe/metrics.h"

namespace bridgekeeper::service {

class Admission {
 public:
  // Both must outlive it.
  Admission(int64_t max_in_flight, const Clock& clock, Metrics& metrics)
      : max_(max_in_flight), clock_(clock), metrics_(metrics) {}

  // OK where the request may go on; then Leave() must follow.
  //
  // Errors:
  //   kResourceExhausted - too many are in flight; counted.
  //   kUnavailable       - Close() was called.
  absl::Status Enter() {
    const int64_t before = in_flight_.fetch_add(1, std::memory_order_acq_rel);
    if (before < max_ && !closed_.load(std::memory_order_relaxed)) return absl::OkStatus();
    return Refuse();
  }

  void Leave() {
    const int64_t before = in_flight_.fetch_sub(1, std::memory_order_acq_rel);
    if (before == 1 && closed_.load(std::memory_order_relaxed)) WakeCloser();
  }

  // Lets nobody in any more, and waits until everybody has left. Returns false where
  // some were still there after `timeout`.
  bool Close(absl::Duration timeout);

  int64_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }

  // kResourceExhausted where a request was turned away within the last ten seconds, for
  // whatever reason CountRefusal() heard of.
  absl::Status Health() const;

  // Counts a request that is turned away.
  void CountRefusal(Overload why);

 private:
  absl::Status Refuse();
  void WakeCloser();

  const int64_t max_;
  const Clock& clock_;
  Metrics& metrics_;
  // When a request was turned away last, in nanoseconds since boot; 0: never.
  std::atomic<int64_t> refused_at_ = 0;
  std::atomic<int64_t> in_flight_ = 0;
  std::atomic<bool> closed_ = false;
  Mutex mu_;
  CondVar left_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_ADMISSION_H_
