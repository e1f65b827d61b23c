// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// TokenBucket bounds how often something may happen: a burst at once, then a steady
// rate.
//
// Thread safety: used by one thread at a time.

#ifndef BRIDGEKEEPER_RUNTIME_TOKEN_BUCKET_H_
#define BRIDGEKEEPER_RUNTIME_TOKEN_BUCKET_H_

#include <algorithm>

#include "absl/time/time.h"

namespace bridgekeeper {

class TokenBucket {
 public:
  // REQUIRES: burst >= 1, per_second > 0
  TokenBucket(double burst, double per_second)
      : burst_(burst), per_second_(per_second), tokens_(burst) {}

  // Takes one token where there is one. `now` is Clock::SinceBoot().
  bool Take(absl::Duration now) {
    tokens_ = std::min(burst_, tokens_ + absl::ToDoubleSeconds(now - last_) * per_second_);
    last_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  const double burst_;
  const double per_second_;
  double tokens_;
  absl::Duration last_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_TOKEN_BUCKET_H_
