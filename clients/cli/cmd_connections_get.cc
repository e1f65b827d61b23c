// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/connection_flow.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "ID", .help = "the connection", .required = true},
    kAppFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(
      const v1::ConnectionInfo record,
      ReadConnection(context, context.args().Text("--app"), context.args().Text("ID")));
  const Value document = MessageValue(record.connection());
  if (!context.for_people()) {
    context.Print(document);
    return ExitCode::kOk;
  }
  context.out() << absl::StrFormat("# revision %d, by %s, %s\n", record.meta().revision(),
                                   EscapeForPeople(record.meta().author()),
                                   TimeText(record.meta().time()))
                << ToYaml(document);
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kConnectionsGet = {
    .name = "connections get",
    .usage = "ID --app APP",
    .summary = "print a connection record as a document",
    .help = "Prints the record as a document that `keeper connections put` takes.\n",
    .examples = {"keeper connections get prod --app sqlkit",
                 "keeper connections get prod --app sqlkit -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
