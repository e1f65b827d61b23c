// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/observe/striped.h"

#include <algorithm>

namespace bridgekeeper::service {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kCellsPerLine = kCacheLine / sizeof(std::atomic<uint64_t>);

constexpr std::array<int64_t, 20> kBoundsMicros = {
    5,      10,     25,     50,      100,     250,     500,       1'000,     2'500,     5'000,
    10'000, 25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000};

const std::array<absl::Duration, kBoundsMicros.size()>& BoundDurations() {
  static const auto* const kBounds = [] {
    auto* bounds = new std::array<absl::Duration, kBoundsMicros.size()>();
    std::transform(kBoundsMicros.begin(), kBoundsMicros.end(), bounds->begin(),
                   [](int64_t micros) { return absl::Microseconds(micros); });
    return bounds;
  }();
  return *kBounds;
}

}  // namespace

size_t ThreadStripe() {
  static std::atomic<size_t> next = 0;
  thread_local const size_t stripe = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return stripe;
}

// Stripes are a whole line apart at the least, since the first one need not begin
// at a line's start.
StripedCounters::StripedCounters(size_t size)
    : size_(size),
      stride_((size + kCellsPerLine - 1) / kCellsPerLine * kCellsPerLine + kCellsPerLine),
      cells_(stride_ * kStripes) {}

uint64_t StripedCounters::Sum(size_t index) const {
  uint64_t sum = 0;
  for (size_t stripe = 0; stripe < kStripes; ++stripe) {
    sum += cells_[stripe * stride_ + index].load(std::memory_order_relaxed);
  }
  return sum;
}

std::span<const absl::Duration> LatencyHistogram::Bounds() { return BoundDurations(); }

LatencyHistogram::LatencyHistogram() : cells_(kBoundsMicros.size() + 2) {}

void LatencyHistogram::Record(absl::Duration duration) {
  const int64_t nanos = std::max<int64_t>(absl::ToInt64Nanoseconds(duration), 0);
  // From the shortest: most of what is recorded ends in the first buckets.
  size_t bucket = 0;
  while (bucket < kBoundsMicros.size() && nanos > kBoundsMicros[bucket] * 1000) ++bucket;
  cells_.Add(bucket);
  cells_.Add(kBoundsMicros.size() + 1, static_cast<uint64_t>(nanos));
}

LatencyHistogram::Snapshot LatencyHistogram::Read() const {
  Snapshot out;
  out.buckets.resize(kBoundsMicros.size() + 1);
  for (size_t i = 0; i < out.buckets.size(); ++i) {
    out.buckets[i] = cells_.Sum(i);
    out.count += out.buckets[i];
  }
  out.sum = absl::Nanoseconds(static_cast<int64_t>(cells_.Sum(kBoundsMicros.size() + 1)));
  return out;
}

}  // namespace bridgekeeper::service
