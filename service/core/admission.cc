// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/admission.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_format.h"

namespace bridgekeeper::service {

absl::Status Admission::Refuse() {
  Leave();
  if (closed_) return absl::UnavailableError("the server is stopping; try again");
  metrics_.overload_rejections.Add(static_cast<size_t>(Overload::kInFlight));
  return absl::ResourceExhaustedError(
      absl::StrFormat("overloaded: %d requests are in flight (`max_in_flight`); try again", max_));
}

void Admission::WakeCloser() {
  MutexLock lock(mu_);
  left_.NotifyAll();
}

bool Admission::Close(absl::Duration timeout) {
  closed_ = true;
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + absl::ToChronoNanoseconds(std::min(timeout, absl::Hours(24)));
  MutexLock lock(mu_);
  while (in_flight_ > 0) {
    // Looked at again now and then: whoever left while `closed_` was being set did
    // not see it.
    const auto left =
        std::min<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::milliseconds(20));
    if (left <= std::chrono::nanoseconds::zero()) return false;
    left_.WaitFor(mu_, left);
  }
  return true;
}

}  // namespace bridgekeeper::service
