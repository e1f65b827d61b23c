// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Writers that a crash interrupts, and the checker that says afterwards whether the
// store kept its word: every acknowledged write is there, no revision is missing or
// doubled, and the state is what the commits add up to.

#ifndef BRIDGEKEEPER_TESTS_ROBUSTNESS_STORE_WORKLOAD_H_
#define BRIDGEKEEPER_TESTS_ROBUSTNESS_STORE_WORKLOAD_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/api/store.h"

namespace bridgekeeper::store {

// Writers that run at the same time; each has at most one commit in flight.
inline constexpr int kWriters = 4;

// What a commit was answered. Plain bytes, for pipes.
struct Acknowledged {
  int64_t revision;
  uint64_t writer_mark;  // unique for each commit that was tried; stands in its reason
};

// Commits from kWriters threads until a commit fails or `stop` holds. Each commit's
// reason is its mark. `acknowledge` is called, from those threads, before the writer
// goes on. `round` makes marks of different runs differ.
void RunWriters(PolicyStore& store, uint64_t seed, uint32_t round,
                const std::function<void(const Acknowledged&)>& acknowledge,
                const std::function<bool()>& stop);

// What is wrong with `store` after `crashes` crashes, one line each; empty: nothing.
// `acknowledged`: everything that any run acknowledged, in any order.
std::vector<std::string> CheckStoreKeptItsWord(PolicyStore& store,
                                               const std::vector<Acknowledged>& acknowledged,
                                               int crashes);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_TESTS_ROBUSTNESS_STORE_WORKLOAD_H_
