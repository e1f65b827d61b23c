// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/commands.h"
#include "clients/cli/context.h"

namespace bridgekeeper::cli {
namespace {

absl::StatusOr<ExitCode> Run(Context& context) {
  if (context.for_people()) {
    context.out() << "keeper " BK_VERSION "\n";
  } else {
    context.Print(Value::Object().Set("version", BK_VERSION));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kVersion = {
    .name = "version",
    .usage = "",
    .summary = "print the version of this program",
    .help = "`keeper status` prints the server's.\n",
    .examples = {"keeper version", "keeper version -o json"},
    .flags = {},
    .run = Run,
};

}  // namespace bridgekeeper::cli
