// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/sandbox/control.h"

#include <poll.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/time/time.h"
#include "runtime/process.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {

std::set<std::string> RunControl(const std::string& engine, const std::string& path,
                                 const std::string& sql) {
  const std::string report = path + ".report";
  auto process = ChildProcess::Spawn({.command = {BK_SANDBOX_CONTROL, engine, path, sql, report},
                                      .environment = {"TMPDIR=/nowhere", "HOME=/nowhere"},
                                      .working_directory = "/"});
  if (!process.ok()) {
    std::fprintf(stderr, "a control: %s\n", process.status().ToString().c_str());
    std::abort();
  }
  pollfd ended = {process->exit_fd(), POLLIN, 0};
  poll(&ended, 1, static_cast<int>(absl::ToInt64Milliseconds(support::kDeadline)));
  const auto exit = process->ExitStatus();
  if (!exit.has_value() || exit->signal == SIGALRM) return {"late"};
  if (exit->signal != 0) return {"crash"};
  std::set<std::string> words;
  std::ifstream in(report);
  for (std::string word; in >> word && word != "end";) words.insert(word);
  std::string error;
  std::getline(in, error);
  if (!error.empty()) std::printf("the engine says:%s\n", error.c_str());
  in.close();
  std::filesystem::remove(report);
  return words;
}

}  // namespace bridgekeeper::bridge
