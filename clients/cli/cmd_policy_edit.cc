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
    kAllConnectionsFlag,
    kReasonFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const AppId app(context.args().Text("APP"));
  BK_ASSIGN_OR_RETURN(const StoredPolicy before, ReadExistingPolicy(context, app));
  const std::string original = absl::StrFormat(
      "# The policy of `%s`: %s.\n# Save and leave the editor to write it; leave it unchanged to "
      "write nothing.\n%s",
      app.value(), before.last_change, PrintPolicyYaml(*before.policy));
  std::string text = original;
  for (;;) {
    BK_ASSIGN_OR_RETURN(std::string edited, context.session().edit(text));
    if (edited == original) {
      context.out() << "unchanged, nothing was written\n";
      return ExitCode::kOk;
    }
    const auto document = ParsePolicyDocument(edited, {.default_app = app.value()});
    absl::Status problems = ReportIssues(context, document.issues, app.value());
    if (problems.ok() && document.values.size() != 1) {
      problems = absl::InvalidArgumentError(
          "got a list, want the one policy that was opened: nothing was written");
    }
    if (problems.ok()) return WritePolicy(context, before, document.values.front());
    // Editing again keeps what was typed; giving up loses it knowingly. The same text
    // again means that nobody is there to repair it.
    if (edited == text || !context.session().interactive) return problems;
    BK_ASSIGN_OR_RETURN(const bool again, context.Confirm("edit again?"));
    if (!again) return problems;
    text = std::move(edited);
  }
}

}  // namespace

constexpr Command kPolicyEdit = {
    .name = "policy edit",
    .usage = "APP [--all-connections] [--reason TEXT]",
    .summary = "change a policy in an editor",
    .help =
        "Opens the policy in the program that KEEPER_EDITOR, VISUAL or EDITOR names (vi where none "
        "does)\n"
        "and writes what it is saved as. A document with problems can be edited again.\n",
    .examples = {"keeper policy edit sqlkit", "keeper policy edit sqlkit --reason 'wider limits'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
