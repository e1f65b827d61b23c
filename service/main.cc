// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <string>

#include "runtime/judge_worker.h"
#include "runtime/signals.h"
#include "service/server/keeperd.h"

extern char** environ;

int main(int argc, char** argv) {
  bridgekeeper::HoldStandardStreams();
  if (const auto code = bridgekeeper::RunJudgeWorkerIfAsked(argc, argv)) return *code;
  bridgekeeper::service::StartedWith start;
  start.arguments.assign(argv + 1, argv + argc);
  for (char** each = environ; *each != nullptr; ++each) {
    const char* equals = std::strchr(*each, '=');
    if (equals != nullptr)
      start.environment[std::string(*each, static_cast<size_t>(equals - *each))] = equals + 1;
  }
  start.read_file = bridgekeeper::service::ReadConfigFile;
  return bridgekeeper::service::RunKeeperd(start);
}
