// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A short payload is judged by the thread that asks, where that has kInPlaceStackBytes
// of stack left (StackLeft, stack_pool.h): the way to another thread and back costs more
// than the judging. Nothing can interrupt it there, so no deadline holds. What bounds it instead
// is its size: in every dialect of this process it allocates at most kInPlaceAllocations
// times and kInPlaceAllocatedBytes in all, uses at most kInPlaceStackBytes of stack, and
// twice the size costs at most kInPlaceGrowth times as much. Judges are loops over
// tokens, nodes and what they allocated, so that is a bound on their steps too.
//
// Source: measured by in_place_test.cc on the worst shapes that are known: 2,100
// allocations (sqlserver), 5.5 MB and 1.6 MB of stack (postgres).

#ifndef BRIDGEKEEPER_POLICY_GUARD_IN_PLACE_H_
#define BRIDGEKEEPER_POLICY_GUARD_IN_PLACE_H_

#include <cstddef>

namespace bridgekeeper {

inline constexpr size_t kInPlaceBytes = 4096;

inline constexpr size_t kInPlaceAllocations = 10'000;
inline constexpr size_t kInPlaceAllocatedBytes = size_t{16} << 20;
inline constexpr size_t kInPlaceStackBytes = size_t{4} << 20;
inline constexpr double kInPlaceGrowth = 4.5;

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_IN_PLACE_H_
