// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/model/ids.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app; its policy is made where there is none", .required = true},
    {.name = "--mode",
     .kind = Flag::Kind::kChoice,
     .value = "MODE",
     .help = "READ_ONLY, DATA_READ_WRITE or FULL_ACCESS",
     .choices = NamesOf<Mode>},
    {.name = "--ask-mode",
     .kind = Flag::Kind::kChoice,
     .value = "MODE",
     .help = "how an ASK reaches a person: CLIENT, ELICIT or APPROVAL",
     .choices = NamesOf<AskMode>},
    {.name = "--confirm-destructive",
     .kind = Flag::Kind::kBool,
     .value = "BOOL",
     .help = "true: destructive calls that the mode allows are asked; false: denied in every mode"},
    {.name = "--allow-connection",
     .kind = Flag::Kind::kTexts,
     .value = "ID",
     .help = "the connections that may be used, all others not"},
    kAllConnectionsFlag,
    kReasonFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const AppId app(args.Text("APP"));
  if (!IsValidId(app.value())) return UsageError("`APP`: " + DescribeInvalidId(app.value()));
  if (args.Has("--allow-connection") && args.Has("--all-connections")) {
    return UsageError("got `--allow-connection` and `--all-connections`, want one of them");
  }
  const bool changes = args.Has("--mode") || args.Has("--ask-mode") ||
                       args.Has("--confirm-destructive") || args.Has("--allow-connection") ||
                       args.Has("--all-connections");
  if (!changes) return UsageError("nothing to set: give at least one flag");

  std::set<ConnectionId> allowed;
  for (std::string& id : args.Texts("--allow-connection")) {
    if (!IsValidId(id)) return UsageError("`--allow-connection`: " + DescribeInvalidId(id));
    allowed.insert(ConnectionId(std::move(id)));
  }

  BK_ASSIGN_OR_RETURN(const StoredPolicy before, ReadPolicy(context, app));
  McpPolicy after = before.policy.value_or(McpPolicy{});
  after.app = app;
  if (const auto mode = args.Choice<Mode>("--mode")) after.mode = *mode;
  if (const auto ask_mode = args.Choice<AskMode>("--ask-mode")) after.ask_mode = *ask_mode;
  if (const auto confirm = args.Bool("--confirm-destructive")) after.confirm_destructive = *confirm;
  if (args.Has("--all-connections")) after.allowed_connection_ids.clear();
  if (!allowed.empty()) after.allowed_connection_ids = std::move(allowed);
  return WritePolicy(context, before, after);
}

}  // namespace

constexpr Command kPolicySet = {
    .name = "policy set",
    .usage =
        "APP [--mode MODE] [--ask-mode MODE] [--confirm-destructive=BOOL] "
        "[--allow-connection ID... | --all-connections] [--reason TEXT]",
    .summary = "change single fields of a policy",
    .help =
        "Changes what is named and keeps the rest. --allow-connection replaces the whole list.\n"
        "The app's policy is made, with the defaults, where there is none.\n",
    .examples =
        {"keeper policy set sqlkit --mode READ_ONLY --reason 'freeze for the release'",
         "keeper policy set sqlkit --allow-connection prod staging --confirm-destructive=false"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
