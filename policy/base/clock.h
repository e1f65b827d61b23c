// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Clock is how every layer asks for the time. Rules take times as arguments; only
// the programs hold a real clock (runtime/clock.h), tests hold FakeClock
// (policy/testing/fake_clock.h).

#ifndef BRIDGEKEEPER_POLICY_BASE_CLOCK_H_
#define BRIDGEKEEPER_POLICY_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace bridgekeeper {

class Clock {
 public:
  virtual ~Clock() = default;

  // Wall-clock time (UTC). For records that people read; never for durations.
  virtual absl::Time Now() const = 0;

  // Time since boot, suspend included (CLOCK_BOOTTIME, clock_gettime(2)). For
  // ages, deadlines and durations; it never goes back within a boot.
  virtual absl::Duration SinceBoot() const = 0;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_CLOCK_H_
