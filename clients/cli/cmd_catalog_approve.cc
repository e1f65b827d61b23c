// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/definition_diff.h"
#include "clients/cli/policy_flow.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "TOOL",
     .kind = Flag::Kind::kTexts,
     .help = "the tools whose definition changed",
     .required = true},
    kAppFlag,
    {.name = "--server", .value = "SERVER", .help = "the server that lists them", .required = true},
    kReasonFlag,
    kYesFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const AppId app(args.Text("--app"));
  const ServerId server(args.Text("--server"));
  BK_ASSIGN_OR_RETURN(
      const std::vector<v1::ReportedTool> reported,
      ReadReportedTools(context, app.value(), server.value(), /*unreviewed_only=*/false));
  BK_ASSIGN_OR_RETURN(const std::vector<v1::ReportedTool> tools,
                      Named(reported, args.Texts("TOOL")));
  BK_ASSIGN_OR_RETURN(auto stored, ReadEntries(context, app, server));
  std::vector<StoredEntry> entries;
  Table table({"TOOL", "RISK", "REVIEWED DIGEST", "DIGEST NOW", "ITS OWN HINTS", "DESCRIPTION"});
  for (const v1::ReportedTool& tool : tools) {
    const auto it = stored.find(tool.tool());
    if (it == stored.end() || !it->second.entry.reviewed) {
      return WithHelp(absl::FailedPreconditionError(
                          absl::StrFormat("nobody has reviewed `%s` yet", tool.tool())),
                      "`keeper catalog review` says what it is");
    }
    StoredEntry& entry = it->second;
    table.Add({tool.tool(), std::string(Name(entry.entry.risk)), entry.entry.pin.substr(0, 12),
               tool.digest().substr(0, 12), HintsOf(tool), DescriptionOf(tool)});
    entry.entry.pin = tool.digest();
    entries.push_back(entry);
  }
  table.Print(context.err());
  for (const v1::ReportedTool& tool : tools) {
    if (tool.pin() != tool.digest()) PrintDefinitionChanges(tool, context.err());
    context.err() << absl::StrFormat("`%s` is then bound to %s\n", tool.tool(), OriginOf(tool));
  }
  BK_ASSIGN_OR_RETURN(const bool yes, context.Confirm(absl::StrFormat(
                                          "keep the risk of %s and pin the definition seen now?",
                                          entries.size() == 1 ? "this tool" : "these tools")));
  if (!yes) {
    context.out() << "nothing was written\n";
    return ExitCode::kFailed;
  }
  return WriteEntries(context, entries);
}

}  // namespace

constexpr Command kCatalogApprove = {
    .name = "catalog approve",
    .usage = "--app APP --server SERVER TOOL... [--reason TEXT] [--yes]",
    .summary = "accept the changed definition of reviewed tools",
    .help =
        "Shows what changed of the tools, asks, and pins the definition as it is now. Their risk "
        "stays\n"
        "what the review said; where the change means more, review again. The pin is bound to "
        "where the\n"
        "server comes from too: of two bridges that start it in different ways, only the one that "
        "is shown may\n"
        "call the tool then. Give the server a name at each.\n",
    .examples = {"keeper catalog approve --app dockit --server files write_file",
                 "keeper catalog approve --app dockit --server files write_file --yes --reason "
                 "'new description'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
