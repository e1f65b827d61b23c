// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The judge of a bridge that serves many clients: it has a thread and a worker process
// for every thread of the JudgeDesk that asks it, so that what one client does not get
// there it cannot take here.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_SERVING_JUDGE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_SERVING_JUDGE_H_

#include <functional>
#include <memory>
#include <string>

#include "policy/guard/isolated.h"
#include "policy/guard/judge.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// `log` must outlive it. `on_fault`: as GuardOptions has it. `worker_program`: as
// JudgeWorkersOptions has it; a process starts when a judgement finds none that is idle.
std::unique_ptr<PayloadJudge> MakeServingJudge(Logger& log,
                                               std::function<void(JudgeFault)> on_fault,
                                               std::string worker_program = "/proc/self/exe");

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_SERVING_JUDGE_H_
