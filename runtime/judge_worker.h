// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Judging in worker processes: what a program gives its guard, and what its main()
// calls first. Every program that judges does both:
//
//   int main(int argc, char** argv) {
//     if (const auto code = RunJudgeWorkerIfAsked(argc, argv)) return *code;
//     ...
//     MakeGuard({.isolated = MakeJudgeWorkers({.log = &log})});

#ifndef BRIDGEKEEPER_RUNTIME_JUDGE_WORKER_H_
#define BRIDGEKEEPER_RUNTIME_JUDGE_WORKER_H_

#include <memory>
#include <optional>
#include <string>

#include "policy/guard/isolated.h"
#include "runtime/log.h"
#include "runtime/worker.h"

namespace bridgekeeper {

struct JudgeWorkersOptions {
  int max_workers = 2;  // [1, 64]
  // The program to start; tests name another one than themselves.
  std::string program = "/proc/self/exe";
  // Hears why texts were not judged: of each kind of fault one at once, then at most one
  // a minute with how many there were between. Must outlive the judge; null: nobody.
  Logger* log = nullptr;
};

// Starts no process before the first text. Where DuckDB's library cannot be loaded the
// fault is JudgeFault::kWorkerUnavailable.
std::shared_ptr<IsolatedJudge> MakeJudgeWorkers(const JudgeWorkersOptions& options = {});

// Where DuckDB's library is: beside the program, in ../lib/bridgekeeper, ../lib or
// ../../lib from its folder. The first of them where it is in none.
std::string DuckdbLibraryPath();

// See RunWorkerIfAsked() in worker.h.
std::optional<int> RunJudgeWorkerIfAsked(int argc, char** argv);

// The same for a program that has workers of other kinds too.
WorkerKind JudgeWorkerKind();

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_JUDGE_WORKER_H_
