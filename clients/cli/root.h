// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The table of keeper's commands, and running one of them.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_ROOT_H_
#define BRIDGEKEEPER_CLIENTS_CLI_ROOT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cli/command.h"
#include "clients/cli/context.h"

namespace bridgekeeper::cli {

// Every command, in the order of the overview.
std::span<const Command* const> Commands();

// The flags that every command takes.
std::span<const Flag> CommonFlags();

// Runs `keeper ARGUMENTS...` (without the program's name). Never throws.
ExitCode Run(std::span<const std::string> arguments, Session& session);

// What `keeper --help` prints, and `keeper COMMAND --help`.
std::string OverviewHelp();
std::string CommandHelp(const Command& command);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_ROOT_H_
