// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What `policy suspend` and `policy resume` share.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_SUSPEND_FLOW_H_
#define BRIDGEKEEPER_CLIENTS_CLI_SUSPEND_FLOW_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "clients/cli/context.h"

namespace bridgekeeper::cli {

// An error of the command line unless exactly one of APP and --all is given, and
// kNotFound for an app that has no policy.
absl::Status CheckWhom(Context& context);

// Says how many policies changed; `verb` is "suspended" or "resumed".
void PrintSuspendResult(Context& context, std::string_view verb, int64_t revision, int64_t changed);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_SUSPEND_FLOW_H_
