// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The program: what keeperd does from its command line to its exit code.

#ifndef BRIDGEKEEPER_SERVICE_SERVER_KEEPERD_H_
#define BRIDGEKEEPER_SERVICE_SERVER_KEEPERD_H_

#include "service/config/command_line.h"

namespace bridgekeeper::service {

enum ExitCode : int {
  kExitClean = 0,
  kExitConfiguration = 2,
  kExitDataRefused = 3,
  kExitSomethingLost = 4,
};

// Runs until SIGTERM or SIGINT. REQUIRES: no other thread runs yet
int RunKeeperd(const StartedWith& start);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_SERVER_KEEPERD_H_
