// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A program that is a worker of the sandbox and nothing else, for tests whose own
// program is none.

#include "clients/bridge/sandbox/engine_workers.h"

int main(int argc, char** argv) {
  return bridgekeeper::RunWorkerIfAsked(argc, argv, bridgekeeper::bridge::SandboxWorkerKinds())
      .value_or(2);
}
