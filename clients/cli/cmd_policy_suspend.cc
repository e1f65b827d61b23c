// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/suspend_flow.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app"},
    {.name = "--all", .kind = Flag::Kind::kSwitch, .help = "every app that has a policy"},
    {.name = "--reason", .value = "TEXT", .help = "why; agents are told", .required = true},
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  BK_RETURN_IF_ERROR(CheckWhom(context));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::SuspendPoliciesRequest request;
  request.set_app(args.Text("APP"));
  request.set_all(args.Has("--all"));
  request.set_reason(args.Text("--reason"));
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(args.Text("--reason"));
  BK_ASSIGN_OR_RETURN(const v1::SuspendPoliciesResponse response, client->SuspendPolicies(request));
  PrintSuspendResult(context, "suspended", response.revision(), response.changed());
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicySuspend = {
    .name = "policy suspend",
    .usage = "(APP | --all) --reason TEXT",
    .summary = "deny every call of an app, at once",
    .help =
        "Denies every call with SUSPENDED until `keeper policy resume`. The rest of the policy "
        "stays as it\n"
        "is. Bridges that can be reached obey within a second.\n",
    .examples = {"keeper policy suspend sqlkit --reason 'the agent drops tables'",
                 "keeper policy suspend --all --reason 'incident 12'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
