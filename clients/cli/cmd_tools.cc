// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kAppFlag,
    kServerFlag,
    kConnectionFlag,
    kCatalogFlag,
    {.name = "--read-only",
     .kind = Flag::Kind::kSwitch,
     .help = "only tools that are SAFE, as a read-only bridge shows"},
};

std::string HintsText(const v1::Tool& tool) {
  std::string out;
  const auto add = [&](bool hint, std::string_view name) {
    if (hint) out += (out.empty() ? "" : " ") + std::string(name);
  };
  add(tool.read_only_hint(), "read-only");
  add(tool.destructive_hint(), "destructive");
  add(tool.idempotent_hint(), "idempotent");
  add(tool.open_world_hint(), "open-world");
  return out;
}

// The tools of `--server` that are denied because they changed since their review: only what
// a bridge reports tells. Empty without the flag, or where the caller may not know it.
absl::StatusOr<std::set<std::string>> DeniedAsChanged(Context& context) {
  const Args& args = context.args();
  if (!args.Has("--server")) return std::set<std::string>();
  const auto reported = ReadReportedTools(context, args.Text("--app"), args.Text("--server"),
                                          /*unreviewed_only=*/true);
  if (absl::IsPermissionDenied(reported.status())) return std::set<std::string>();
  BK_RETURN_IF_ERROR(reported.status());
  std::set<std::string> changed = ChangedOf(*reported);
  if (changed.empty()) return changed;
  BK_ASSIGN_OR_RETURN(const bool denies, DeniesChanged(context, args.Text("--app")));
  if (!denies) changed.clear();
  return changed;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  v1::ListToolsRequest request;
  request.set_app(args.Text("--app"));
  if (args.Has("--server")) request.set_server(args.Text("--server"));
  if (args.Has("--connection")) request.set_connection_id(args.Text("--connection"));
  request.set_builtin_catalog(args.Has("--catalog"));
  request.set_read_only(args.Has("--read-only"));
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));

  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  BK_ASSIGN_OR_RETURN(const std::set<std::string> denied, DeniedAsChanged(context));
  v1::ListToolsResponse all;
  int32_t hidden = 0;   // by the policy
  int32_t changed = 0;  // of what it shows
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListToolsResponse page, client->ListTools(request));
    request.set_page_token(page.next_page_token());
    for (const v1::Tool& tool : page.tools()) {
      if (denied.contains(tool.name())) {
        ++changed;
      } else {
        *all.add_tools() = tool;
      }
    }
    all.set_notice(page.notice());
    hidden = page.hidden();
    all.set_policy_revision(page.policy_revision());
  } while (!request.page_token().empty());
  all.set_hidden(hidden + changed);

  if (!context.for_people()) {
    context.Print(MessageValue(all));
    return ExitCode::kOk;
  }
  Table table({"TOOL", "RISK", "HINTS"});
  for (const v1::Tool& tool : all.tools()) {
    table.Add({tool.name(), std::string(Name(convert::FromProto(tool.risk()))), HintsText(tool)});
  }
  table.Print(context.out());
  if (all.policy_revision() == 0) {
    context.Note(
        absl::StrFormat("no policy of `%s` exists, so every call is denied", args.Text("--app")));
  }
  if (hidden > 0) context.Note(absl::StrFormat("%d more are hidden. %s", hidden, all.notice()));
  if (changed > 0) {
    context.Note(absl::StrFormat(
        "%d more changed since their review and are denied: `keeper catalog diff` shows how",
        changed));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kTools = {
    .name = "tools",
    .usage = "--app APP [--server SERVER] [--connection ID] [--catalog NAME] [--read-only]",
    .summary = "list the catalogue's tools that an app may see",
    .help =
        "Lists what a bridge would show of the tools that the catalogue knows, with the hints that "
        "it\n"
        "would write. A tool is hidden exactly where its call would be denied.\n",
    .examples = {"keeper tools --app sqlkit --connection prod",
                 "keeper tools --app sqlkit --read-only -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
