// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app", .required = true},
    {.name = "--to-revision",
     .kind = Flag::Kind::kInteger,
     .value = "N",
     .help = "what the policy was at this revision",
     .required = true},
    kAllConnectionsFlag,
    kReasonFlag,
    kYesFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const AppId app(args.Text("APP"));
  const int64_t to = *args.Integer("--to-revision");
  if (to == 0)
    return UsageError("`--to-revision`: got 0, want a revision of `keeper policy history`");
  BK_ASSIGN_OR_RETURN(const StoredPolicy before, ReadPolicy(context, app));
  BK_ASSIGN_OR_RETURN(const StoredPolicy target, ReadPolicy(context, app, to));
  if (!target.policy) {
    return WithHelp(absl::NotFoundError(absl::StrFormat("no policy of `%s` existed at revision %d",
                                                        app.value(), to)),
                    absl::StrFormat("`keeper policy history %s` shows its changes", app.value()));
  }
  BK_RETURN_IF_ERROR(CheckNothingLifted(context, before, *target.policy));

  const std::vector<std::string> changes = ChangedFields(
      before.policy ? ToValue(*before.policy) : Value::Object(), ToValue(*target.policy));
  for (const std::string& line : changes) context.err() << "  " << line << '\n';
  BK_ASSIGN_OR_RETURN(
      const bool yes,
      context.Confirm(absl::StrFormat("make the policy of `%s` again what it was at revision %d?",
                                      app.value(), to)));
  if (!yes) {
    context.out() << "nothing was written\n";
    return ExitCode::kFailed;
  }
  v1::RollbackPolicyRequest request;
  request.set_app(app.value());
  request.set_to_revision(to);
  request.mutable_options()->set_expected_revision(before.revision);
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(args.Has("--reason")
                                            ? args.Text("--reason")
                                            : absl::StrFormat("rollback to revision %d", to));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  const absl::StatusOr<v1::RollbackPolicyResponse> response = client->RollbackPolicy(request);
  if (!response.ok()) return ShowWhatChanged(context, response.status(), before);
  const int64_t revision = response->record().meta().revision();
  if (context.for_people()) {
    context.out() << absl::StrFormat("`%s` is %s revision %d\n", app.value(),
                                     response->changed() ? "as it was at" : "unchanged at",
                                     response->changed() ? to : revision);
    if (response->changed())
      context.out() << absl::StrFormat("the change is revision %d\n", revision);
  } else {
    context.Print(Value::Object()
                      .Set("app", app.value())
                      .Set("revision", revision)
                      .Set("changed", response->changed()));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicyRollback = {
    .name = "policy rollback",
    .usage = "APP --to-revision N [--all-connections] [--reason TEXT] [--yes]",
    .summary = "write again what a policy was",
    .help =
        "Shows what would change, asks, and writes the policy of an earlier revision as a new one: "
        "the\n"
        "revision goes forward. A deleted policy comes back the same way.\n",
    .examples = {"keeper policy rollback sqlkit --to-revision 1 --all-connections",
                 "keeper policy rollback sqlkit --to-revision 1 --all-connections --yes --reason "
                 "'too strict'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
