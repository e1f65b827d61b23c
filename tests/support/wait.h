// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Waiting in tests: for a condition, always with a deadline.

#ifndef BRIDGEKEEPER_TESTS_SUPPORT_WAIT_H_
#define BRIDGEKEEPER_TESTS_SUPPORT_WAIT_H_

#include <sys/types.h>

#include <functional>
#include <thread>

#include "absl/time/time.h"

namespace bridgekeeper::support {

// Long enough for a loaded machine with sanitizers; a passing test never waits it.
inline constexpr absl::Duration kDeadline = absl::Seconds(30);

// Asks `condition` until it holds. Returns false where it does not within
// `deadline`. For what has no event to wait for; a condition that another thread
// signals is waited for with its own signal.
[[nodiscard]] bool WaitUntil(const std::function<bool()>& condition,
                             absl::Duration deadline = kDeadline);

// Processor time that a thread has used.
absl::Duration CpuTimeOf(std::thread::native_handle_type thread);

// True where process `pid` is there and has not ended (a zombie has).
bool IsRunning(pid_t pid);

}  // namespace bridgekeeper::support

#endif  // BRIDGEKEEPER_TESTS_SUPPORT_WAIT_H_
