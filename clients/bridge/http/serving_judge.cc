// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/serving_judge.h"

#include <utility>

#include "clients/bridge/http/judge_desk.h"
#include "policy/guard/guard.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper::bridge {

std::unique_ptr<PayloadJudge> MakeServingJudge(Logger& log,
                                               std::function<void(JudgeFault)> on_fault,
                                               std::string worker_program) {
  constexpr int kThreads = static_cast<int>(JudgeDesk::kThreads);
  return MakeGuard(
      {.pool = {.threads = kThreads},
       .isolated = MakeJudgeWorkers(
           {.max_workers = kThreads, .program = std::move(worker_program), .log = &log}),
       .on_fault = std::move(on_fault)});
}

}  // namespace bridgekeeper::bridge
