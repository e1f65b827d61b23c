// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MakeGuard makes the one PayloadJudge of a program: it bounds each payload, runs
// the judge of its dialect on a thread with a known stack, and remembers answers.
//
// Source: policy/spec.md, section G.

#ifndef BRIDGEKEEPER_POLICY_GUARD_GUARD_H_
#define BRIDGEKEEPER_POLICY_GUARD_GUARD_H_

#include <cstddef>
#include <memory>

#include "policy/guard/judge.h"
#include "policy/guard/stack_pool.h"

namespace bridgekeeper {

struct GuardOptions {
  StackPoolOptions pool;
  // Memory for remembered judgements, in bytes; 0 keeps none.
  size_t cache_bytes = size_t{16} << 20;
};

std::unique_ptr<PayloadJudge> MakeGuard(const GuardOptions& options = {});

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_GUARD_H_
