// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads how keeperd was started: what to do, and with which options. A flag counts
// more than an environment variable, that more than the configuration file, that more
// than the default. Keys are strict, and all problems are reported at once.

#ifndef BRIDGEKEEPER_SERVICE_CONFIG_COMMAND_LINE_H_
#define BRIDGEKEEPER_SERVICE_CONFIG_COMMAND_LINE_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "service/config/options.h"

namespace bridgekeeper::service {

struct CommandLine {
  enum class Action { kServe, kCheckConfig, kPrintConfig, kRestore, kHelp, kVersion };

  Action action = Action::kServe;
  Options options;
  // Where an option was set that is not at its default: "flag --dev", "environment
  // KEEPERD_DEV", "file keeperd.yaml:3".
  std::map<std::string, std::string, std::less<>> origins;
  std::string restore_from;  // kRestore
};

struct StartedWith {
  std::vector<std::string> arguments;              // without the program's name
  std::map<std::string, std::string> environment;  // all of it
  // Reads the configuration file; the real one is ReadConfigFile.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
};

// Largest configuration file, in bytes.
inline constexpr size_t kMaxConfigBytes = 1 << 20;
absl::StatusOr<std::string> ReadConfigFile(const std::string& path);

// Returns the command line, or, in `problems`, everything that is wrong with it, one
// line each.
CommandLine ReadCommandLine(const StartedWith& start, std::vector<std::string>& problems);

// The options and where each comes from, as a configuration file.
std::string PrintConfig(const CommandLine& command);

std::string HelpText();

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CONFIG_COMMAND_LINE_H_
