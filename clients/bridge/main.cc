// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "clients/bridge/options.h"
#include "clients/bridge/program.h"
#include "runtime/judge_worker.h"
#include "runtime/signals.h"

int main(int argc, char** argv) {
  using bridgekeeper::bridge::ExitCode;
  using bridgekeeper::bridge::Printout;
  using bridgekeeper::bridge::ServeCommand;
  using bridgekeeper::bridge::StdioCommand;
  if (const auto code = bridgekeeper::RunJudgeWorkerIfAsked(argc, argv)) return *code;
  // Before the token is read.
  bridgekeeper::ForbidDumps();
  bridgekeeper::IgnoreSigpipe();
  auto parsed = bridgekeeper::bridge::ParseArguments(
      std::vector<std::string>(argv + 1, argv + argc), bridgekeeper::clients::ProcessEnvironment);
  if (const Printout* printout = std::get_if<Printout>(&parsed)) {
    FILE* stream = printout->code == ExitCode::kOk ? stdout : stderr;
    std::fputs(printout->text.c_str(), stream);
    return static_cast<int>(printout->code);
  }
  if (ServeCommand* serve = std::get_if<ServeCommand>(&parsed)) {
    return static_cast<int>(bridgekeeper::bridge::RunServe(std::move(*serve)));
  }
  return static_cast<int>(
      bridgekeeper::bridge::RunStdio(std::move(std::get<StdioCommand>(parsed))));
}
