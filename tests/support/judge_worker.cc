// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A program that is a judging worker and nothing else, for tests whose own program is
// none.

#include "runtime/judge_worker.h"

int main(int argc, char** argv) {
  return bridgekeeper::RunJudgeWorkerIfAsked(argc, argv).value_or(2);
}
