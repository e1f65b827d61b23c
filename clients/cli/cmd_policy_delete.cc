// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app", .required = true},
    kExpectedRevisionFlag,
    kReasonFlag,
    kYesFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const AppId app(args.Text("APP"));
  BK_ASSIGN_OR_RETURN(StoredPolicy before, ReadExistingPolicy(context, app));
  BK_ASSIGN_OR_RETURN(
      const bool yes,
      context.Confirm(absl::StrFormat(
          "delete the policy of `%s`? every call of the app is denied then", app.value())));
  if (!yes) {
    context.out() << "nothing was deleted\n";
    return ExitCode::kFailed;
  }
  before.revision = args.Integer("--expected-revision").value_or(before.revision);
  v1::DeletePolicyRequest request;
  request.set_app(app.value());
  request.mutable_options()->set_expected_revision(before.revision);
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(args.Text("--reason"));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  const absl::StatusOr<v1::DeletePolicyResponse> response = client->DeletePolicy(request);
  if (!response.ok()) return ShowWhatChanged(context, response.status(), before);
  if (context.for_people()) {
    context.out() << absl::StrFormat("the policy of `%s` is deleted, revision %d\n", app.value(),
                                     response->revision());
  } else {
    context.Print(Value::Object().Set("app", app.value()).Set("revision", response->revision()));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicyDelete = {
    .name = "policy delete",
    .usage = "APP [--expected-revision N] [--reason TEXT] [--yes]",
    .summary = "delete a policy, so that every call is denied",
    .help =
        "An app without a policy is denied every call. The history stays, and `keeper policy "
        "rollback` brings\n"
        "the policy back.\n",
    .examples = {"keeper policy delete sqlkit",
                 "keeper policy delete sqlkit --yes --reason 'app retired'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
