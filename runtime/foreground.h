// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs a program that shares our terminal, such as an editor.

#ifndef BRIDGEKEEPER_RUNTIME_FOREGROUND_H_
#define BRIDGEKEEPER_RUNTIME_FOREGROUND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process.h"

namespace bridgekeeper {

// Starts `command` (looked up in PATH) with our standard streams and waits until it
// ends. Keys that the terminal turns into signals are the program's: meanwhile SIGINT
// and SIGQUIT do not end us.
//
// Errors:
//   kInvalidArgument - no command.
//   kNotFound        - there is no such program, or it may not be run.
//   kInternal        - anything else that the system says.
absl::StatusOr<ProcessExit> RunInForeground(const std::vector<std::string>& command,
                                            const std::vector<std::string>& environment);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_FOREGROUND_H_
