// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {
namespace {

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  BK_RETURN_IF_ERROR(client->CheckHealth());
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kHealthcheck = {
    .name = "healthcheck",
    .usage = "",
    .summary = "exit with 0 where keeperd is ready, quietly",
    .help =
        "For a container's health check and for scripts that wait: it prints nothing where all is "
        "well and\n"
        "needs no token. `keeper status` tells more.\n",
    .examples = {"keeper healthcheck", "keeper healthcheck --timeout 2s"},
    .flags = {},
    .run = Run,
};

}  // namespace bridgekeeper::cli
