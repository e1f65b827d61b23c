// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "clients/bridge/options.h"
#include "clients/bridge/program.h"
#include "clients/bridge/sandbox/engine_workers.h"
#include "runtime/judge_worker.h"
#include "runtime/signals.h"

int main(int argc, char** argv) {
  using bridgekeeper::bridge::CheckCommand;
  using bridgekeeper::bridge::ExitCode;
  using bridgekeeper::bridge::Printout;
  using bridgekeeper::bridge::QueryCommand;
  using bridgekeeper::bridge::ServeCommand;
  using bridgekeeper::bridge::StdioCommand;
  bridgekeeper::HoldStandardStreams();
  std::vector<bridgekeeper::WorkerKind> workers = bridgekeeper::bridge::SandboxWorkerKinds();
  workers.push_back(bridgekeeper::JudgeWorkerKind());
  if (const auto code = bridgekeeper::RunWorkerIfAsked(argc, argv, workers)) return *code;
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
  if (const QueryCommand* query = std::get_if<QueryCommand>(&parsed)) {
    return static_cast<int>(bridgekeeper::bridge::RunQuery(*query));
  }
  if (const CheckCommand* check = std::get_if<CheckCommand>(&parsed)) {
    return static_cast<int>(bridgekeeper::bridge::RunCheck(*check));
  }
  if (ServeCommand* serve = std::get_if<ServeCommand>(&parsed)) {
    return static_cast<int>(bridgekeeper::bridge::RunServe(std::move(*serve)));
  }
  return static_cast<int>(
      bridgekeeper::bridge::RunStdio(std::move(std::get<StdioCommand>(parsed))));
}
