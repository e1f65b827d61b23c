// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Backoff says how long to wait before the next try: doubling, bounded, and less up
// to half of it at random, so that a fleet does not return as one.
//
// Thread safety: for one thread.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_BACKOFF_H_
#define BRIDGEKEEPER_CLIENTS_SDK_BACKOFF_H_

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "runtime/id_source.h"

namespace bridgekeeper::clients {

class Backoff {
 public:
  // `ids` must outlive the back-off. REQUIRES: 0 < min <= max
  Backoff(absl::Duration min, absl::Duration max, IdSource& ids)
      : min_(min), max_(max), ids_(ids), next_(min) {}

  // The next wait.
  absl::Duration Next() {
    uint8_t byte[2];
    ids_.Fill(byte);
    const double random = (byte[0] * 256 + byte[1]) / 65536.0;
    const absl::Duration wait = next_ * (0.5 + random / 2);
    next_ = std::min(next_ * 2, max_);
    return wait;
  }

  // Begins at `min` again.
  void Reset() { next_ = min_; }

 private:
  const absl::Duration min_;
  const absl::Duration max_;
  IdSource& ids_;
  absl::Duration next_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_BACKOFF_H_
