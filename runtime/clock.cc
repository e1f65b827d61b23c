// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/clock.h"

#include <time.h>

#include "policy/base/check.h"

namespace bridgekeeper {
namespace {

timespec Read(clockid_t clock) {
  timespec now = {};
  BK_CHECK(clock_gettime(clock, &now) == 0);
  return now;
}

}  // namespace

absl::Time RealClock::Now() const { return absl::TimeFromTimespec(Read(CLOCK_REALTIME)); }

absl::Duration RealClock::SinceBoot() const {
  return absl::DurationFromTimespec(Read(CLOCK_BOOTTIME));
}

}  // namespace bridgekeeper
