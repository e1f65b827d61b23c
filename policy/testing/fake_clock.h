// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeClock stands still until a test moves it.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_POLICY_TESTING_FAKE_CLOCK_H_
#define BRIDGEKEEPER_POLICY_TESTING_FAKE_CLOCK_H_

#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"

namespace bridgekeeper {

class FakeClock : public Clock {
 public:
  absl::Time Now() const override {
    MutexLock lock(mu_);
    return now_;
  }
  absl::Duration SinceBoot() const override {
    MutexLock lock(mu_);
    return since_boot_;
  }

  // Moves both clocks forward.
  void Advance(absl::Duration by) {
    MutexLock lock(mu_);
    now_ += by;
    since_boot_ += by;
  }

  // Moves the wall clock alone, as an administrator or NTP would.
  void SetWallTime(absl::Time now) {
    MutexLock lock(mu_);
    now_ = now;
  }

 private:
  mutable Mutex mu_;
  absl::Time now_ ABSL_GUARDED_BY(mu_) = absl::FromUnixSeconds(1'790'000'000);
  absl::Duration since_boot_ ABSL_GUARDED_BY(mu_) = absl::Hours(1);
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_FAKE_CLOCK_H_
