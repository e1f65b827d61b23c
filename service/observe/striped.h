// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Counters for the hot path: each thread adds to a stripe of its own, so that two
// threads that count at the same time share no cache line; a reader adds the
// stripes up.
//
// Thread safety: all methods may be called at the same time. Sums are not a
// snapshot: what is added while they are taken may be in or not.

#ifndef BRIDGEKEEPER_SERVICE_OBSERVE_STRIPED_H_
#define BRIDGEKEEPER_SERVICE_OBSERVE_STRIPED_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/time/time.h"

namespace bridgekeeper::service {

// More stripes than threads that serve requests on a usual machine.
inline constexpr size_t kStripes = 16;

// The calling thread's stripe, in [0, kStripes). Threads are dealt out in turn.
size_t ThreadStripe();

// A row of counters, all zero at first.
class StripedCounters {
 public:
  explicit StripedCounters(size_t size);

  size_t size() const { return size_; }

  // REQUIRES: index < size()
  void Add(size_t index, uint64_t n = 1) {
    cells_[ThreadStripe() * stride_ + index].fetch_add(n, std::memory_order_relaxed);
  }

  // REQUIRES: index < size()
  uint64_t Sum(size_t index) const;

 private:
  const size_t size_;
  const size_t stride_;
  std::vector<std::atomic<uint64_t>> cells_;
};

// How long things take. The buckets reach from 5 us, where a decision lies, to 10 s.
class LatencyHistogram {
 public:
  // Upper bounds of the buckets, rising; a last bucket without a bound follows.
  static std::span<const absl::Duration> Bounds();

  LatencyHistogram();

  void Record(absl::Duration duration);

  struct Snapshot {
    std::vector<uint64_t> buckets;  // one more than Bounds(), not cumulative
    uint64_t count = 0;
    absl::Duration sum;
  };
  Snapshot Read() const;

 private:
  StripedCounters cells_;  // the buckets, then the sum in nanoseconds
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_OBSERVE_STRIPED_H_
