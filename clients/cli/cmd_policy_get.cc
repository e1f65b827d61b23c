// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/text/document.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app", .required = true},
    {.name = "--revision",
     .kind = Flag::Kind::kInteger,
     .value = "N",
     .help = "as it was at this revision"},
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const AppId app(context.args().Text("APP"));
  const int64_t revision = context.args().Integer("--revision").value_or(0);
  StoredPolicy stored;
  if (revision == 0) {
    BK_ASSIGN_OR_RETURN(stored, ReadExistingPolicy(context, app));
  } else {
    BK_ASSIGN_OR_RETURN(stored, ReadPolicy(context, app, revision));
    if (!stored.policy) {
      return WithHelp(absl::NotFoundError(absl::StrFormat(
                          "no policy of `%s` existed at revision %d", app.value(), revision)),
                      absl::StrFormat("`keeper policy history %s` shows its changes", app.value()));
    }
  }
  if (context.for_people()) {
    context.out() << "# " << stored.last_change << '\n' << PrintPolicyYaml(*stored.policy);
  } else {
    context.Print(ToValue(*stored.policy));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicyGet = {
    .name = "policy get",
    .usage = "APP [--revision N]",
    .summary = "print a policy as a document",
    .help =
        "Prints the policy as a document that `keeper policy put` takes, every field written "
        "out.\n",
    .examples = {"keeper policy get sqlkit", "keeper policy get sqlkit --revision 1 -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
