// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/connection_flow.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "ID", .help = "the connection", .required = true},
    kAppFlag,
    kExpectedRevisionFlag,
    kReasonFlag,
    kYesFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const std::string app = args.Text("--app");
  const std::string id = args.Text("ID");
  BK_ASSIGN_OR_RETURN(const v1::ConnectionInfo record, ReadConnection(context, app, id));
  BK_ASSIGN_OR_RETURN(const bool yes, context.Confirm(absl::StrFormat(
                                          "delete the record of `%s` of `%s`? payloads on it can "
                                          "no longer be judged, so their calls are denied",
                                          id, app)));
  if (!yes) {
    context.out() << "nothing was deleted\n";
    return ExitCode::kFailed;
  }
  v1::DeleteConnectionRequest request;
  request.set_app(app);
  request.set_id(id);
  request.mutable_options()->set_expected_revision(
      args.Integer("--expected-revision").value_or(record.meta().revision()));
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(args.Text("--reason"));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  const absl::StatusOr<v1::DeleteConnectionResponse> response = client->DeleteConnection(request);
  if (!response.ok()) return ShowConnectionNow(context, response.status(), app, id);
  if (context.for_people()) {
    context.out() << absl::StrFormat("the record of `%s` is deleted, revision %d\n", id,
                                     response->revision());
  } else {
    context.Print(
        Value::Object().Set("app", app).Set("id", id).Set("revision", response->revision()));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kConnectionsDelete = {
    .name = "connections delete",
    .usage = "ID --app APP [--expected-revision N] [--reason TEXT] [--yes]",
    .summary = "delete a connection record",
    .help =
        "Without its record a connection has no type: a payload on it cannot be judged, and such "
        "calls are\n"
        "denied with DIALECT_UNKNOWN. Calls without a payload go on.\n",
    .examples = {"keeper connections delete prod --app sqlkit",
                 "keeper connections delete prod --app sqlkit --yes --reason 'moved'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
