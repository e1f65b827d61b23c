// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Lets a person change a text in their own editor.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_EDITOR_H_
#define BRIDGEKEEPER_CLIENTS_CLI_EDITOR_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/sdk/channel.h"

namespace bridgekeeper::cli {

// Writes `text` to a new file in TMPDIR that only this user can read, runs the
// program that KEEPER_EDITOR, VISUAL or EDITOR names (vi where none does; it may
// have arguments, split at spaces) on it, and returns what the file holds then. The
// file is removed.
//
// Errors:
//   kNotFound           - there is no such program.
//   kFailedPrecondition - the program failed; nothing it wrote is taken.
//   kInternal           - the file could not be written or read.
absl::StatusOr<std::string> EditInEditor(const std::string& text, const clients::GetEnv& get_env);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_EDITOR_H_
