// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// RealClock is the machine's clock. Only programs hold one; everything below them
// takes a Clock&.
//
// Thread safety: all methods may be called at the same time.
// Source: clock_gettime(2).

#ifndef BRIDGEKEEPER_RUNTIME_CLOCK_H_
#define BRIDGEKEEPER_RUNTIME_CLOCK_H_

#include "absl/time/time.h"
#include "policy/base/clock.h"

namespace bridgekeeper {

class RealClock : public Clock {
 public:
  // CLOCK_REALTIME.
  absl::Time Now() const override;
  // CLOCK_BOOTTIME: goes on while the machine is suspended.
  absl::Duration SinceBoot() const override;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_CLOCK_H_
