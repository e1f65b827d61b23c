// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "clients/cli/suspend_flow.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app"},
    {.name = "--all", .kind = Flag::Kind::kSwitch, .help = "every app that has a policy"},
    kReasonFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  BK_RETURN_IF_ERROR(CheckWhom(context));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ResumePoliciesRequest request;
  request.set_app(args.Text("APP"));
  request.set_all(args.Has("--all"));
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(args.Text("--reason"));
  BK_ASSIGN_OR_RETURN(const v1::ResumePoliciesResponse response, client->ResumePolicies(request));
  PrintSuspendResult(context, "resumed", response.revision(), response.changed());
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicyResume = {
    .name = "policy resume",
    .usage = "(APP | --all) [--reason TEXT]",
    .summary = "take a suspension back",
    .help = "Puts the policy in force again as it was.\n",
    .examples = {"keeper policy resume sqlkit",
                 "keeper policy resume --all --reason 'incident 12 is over'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
