// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/admission.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace bridgekeeper::service {
namespace {

// Two scrapes of a page, or two looks of a probe.
constexpr absl::Duration kRecently = absl::Seconds(10);

// Whoever left while Close() began did not see it, so it looks again this often.
constexpr absl::Duration kLookAgain = absl::Milliseconds(20);

}  // namespace

absl::Status Admission::Refuse() {
  Leave();
  if (closed_) return absl::UnavailableError("the server is stopping; try again");
  CountRefusal(Overload::kInFlight);
  return absl::ResourceExhaustedError(
      absl::StrFormat("overloaded: %d requests are in flight (`max_in_flight`); try again", max_));
}

void Admission::WakeCloser() {
  MutexLock lock(mu_);
  left_.NotifyAll();
}

void Admission::CountRefusal(Overload why) {
  metrics_.overload_rejections.Add(static_cast<size_t>(why));
  refused_at_.store(absl::ToInt64Nanoseconds(clock_.SinceBoot()), std::memory_order_relaxed);
}

absl::Status Admission::Health() const {
  const int64_t refused_at = refused_at_.load(std::memory_order_relaxed);
  if (refused_at == 0) return absl::OkStatus();
  const absl::Duration since = clock_.SinceBoot() - absl::Nanoseconds(refused_at);
  if (since > kRecently) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "overloaded: the last request was turned away %s ago, %d of at most %d are in flight",
      absl::FormatDuration(absl::Trunc(since, absl::Milliseconds(1))), in_flight(), max_));
}

bool Admission::Close(absl::Duration timeout) {
  closed_ = true;
  const absl::Duration deadline = clock_.SinceBoot() + timeout;
  MutexLock lock(mu_);
  while (in_flight_ > 0) {
    const absl::Duration left = std::min(deadline - clock_.SinceBoot(), kLookAgain);
    if (left <= absl::ZeroDuration()) return false;
    left_.WaitFor(mu_, absl::ToChronoNanoseconds(left));
  }
  return true;
}

}  // namespace bridgekeeper::service
