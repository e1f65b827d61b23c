// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MakeGuard makes the one PayloadJudge of a program: it bounds each payload, runs
// the judge of its dialect, and remembers answers.
//
// Every judging has a deadline, save that of a short payload (in_place.h): a late answer
// is STATEMENT_UNREADABLE for that call, counted, and not remembered. Where it runs:
//
// - In this process, on a thread with a known stack, where the judge's time and memory
//   are proven to grow no faster than the text and texts are bounded before it
//   (postgres.h, sqlite.h say how). A late one ends soon by itself; nothing is killed.
// - In a worker process (isolated.h), where there is no such proof: DuckDB. A late or
//   dead worker is killed and replaced; nothing else is harmed.
//
// Source: policy/spec.md, section G.

#ifndef BRIDGEKEEPER_POLICY_GUARD_GUARD_H_
#define BRIDGEKEEPER_POLICY_GUARD_GUARD_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "policy/guard/in_place.h"
#include "policy/guard/isolated.h"
#include "policy/guard/judge.h"
#include "policy/guard/stack_pool.h"

namespace bridgekeeper {

struct GuardOptions {
  StackPoolOptions pool;
  // Payloads of at most so many bytes are judged by the thread that asks (in_place.h).
  size_t in_place_bytes = kInPlaceBytes;
  // Memory for remembered judgements, in bytes; 0 keeps none.
  size_t cache_bytes = size_t{16} << 20;
  // Judges the dialects that are not judged in this process; null: they are unreadable.
  std::shared_ptr<IsolatedJudge> isolated = nullptr;
  // How long one judging may take, waiting for its turn included.
  absl::Duration deadline = absl::Seconds(5);
  // Told of every payload that was not judged for another reason than its text. Called
  // from any thread; empty: nobody counts.
  std::function<void(JudgeFault)> on_fault = nullptr;
};

std::unique_ptr<PayloadJudge> MakeGuard(const GuardOptions& options = {});

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_GUARD_H_
