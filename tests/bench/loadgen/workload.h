// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What is asked: decisions, in three forms, or bytes from a file.

#ifndef BRIDGEKEEPER_TESTS_BENCH_LOADGEN_WORKLOAD_H_
#define BRIDGEKEEPER_TESTS_BENCH_LOADGEN_WORKLOAD_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tests/bench/loadgen/load.h"

namespace bridgekeeper::bench {

enum class Form { kUnary, kBatch, kStream };

struct DecisionOptions {
  std::string app = "bench";
  // More than 0: one of so many apps, each as likely, named by AppName(); `app` is
  // not read.
  int64_t apps = 0;
  std::string tool = "dockit__list_connections";
  std::string connection;                     // empty: none
  std::string arguments = R"({"all":true})";  // empty: none
  int items = 100;                            // of a batch
  // Unary: in the place of `arguments`, a statement of one line that no call before had.
  bool statements = false;
};

// The name of app number `index` of a store with many.
std::string AppName(int64_t index);

// `/bridgekeeper.v1.DecisionService/Decide` and its like.
std::string MethodOf(Form form);

RequestMaker MakeDecisions(Form form, const DecisionOptions& options);

// What the first decision of an answer says, e.g. "ALLOW ALLOWED": a benchmark of
// denials by mistake would look fast.
absl::StatusOr<std::string> Verdict(Form form, const std::string& response);

// Writes the policies of apps 0 to `apps`-1, `batch` at a time, each able to run
// everything. The address and the token come from the environment (KEEPER_*).
absl::Status PutPolicies(int64_t apps, int64_t batch);

}  // namespace bridgekeeper::bench

#endif  // BRIDGEKEEPER_TESTS_BENCH_LOADGEN_WORKLOAD_H_
