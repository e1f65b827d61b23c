// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "policy/catalog/catalog.h"
#include "policy/model/limits.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "TOOL",
     .kind = Flag::Kind::kTexts,
     .help = "the tools; all that need a review unless given"},
    kAppFlag,
    {.name = "--server", .value = "SERVER", .help = "the server that lists them", .required = true},
    {.name = "--risk",
     .kind = Flag::Kind::kChoice,
     .value = "RISK",
     .help = "SAFE, ELEVATED or DESTRUCTIVE",
     .choices = NamesOf<Risk>},
    {.name = "--suggested",
     .kind = Flag::Kind::kSwitch,
     .help = "each tool's risk by its server's own hints"},
    {.name = "--needs-connection",
     .kind = Flag::Kind::kChoice,
     .value = "ANSWER",
     .help = "whether a call names a connection: YES, NO or UNKNOWN",
     .choices = NamesOf<NeedsConnection>},
    {.name = "--connection-argument",
     .value = "NAME",
     .help = "the argument that names the connection"},
    kReasonFlag,
    kYesFlag,
};

std::string RiskChange(const StoredEntry& stored, Risk risk) {
  if (!stored.found || !stored.entry.reviewed || stored.entry.risk == risk)
    return std::string(Name(risk));
  return absl::StrFormat("%s -> %s", Name(stored.entry.risk), Name(risk));
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  if (args.Has("--risk") == args.Has("--suggested"))
    return UsageError("want exactly one of `--risk` and `--suggested`");
  if (args.Text("--connection-argument").size() > kMaxArgumentNameBytes) {
    return UsageError(absl::StrFormat("`--connection-argument`: got %d bytes, want at most %d",
                                      args.Text("--connection-argument").size(),
                                      kMaxArgumentNameBytes));
  }
  const AppId app(args.Text("--app"));
  const ServerId server(args.Text("--server"));
  const std::vector<std::string> names = args.Texts("TOOL");
  BK_ASSIGN_OR_RETURN(
      std::vector<v1::ReportedTool> tools,
      ReadReportedTools(context, app.value(), server.value(), /*unreviewed_only=*/names.empty()));
  if (!names.empty()) {
    BK_ASSIGN_OR_RETURN(tools, Named(tools, names));
  }
  if (tools.empty()) {
    context.Note(
        absl::StrFormat("no tool of `%s` on `%s` needs a review", server.value(), app.value()));
    return ExitCode::kOk;
  }
  BK_ASSIGN_OR_RETURN(auto stored, ReadEntries(context, app, server));

  std::vector<StoredEntry> entries;
  Table table({"TOOL", "RISK", "STATE", "ITS OWN HINTS", "DESCRIPTION"});
  for (const v1::ReportedTool& tool : tools) {
    StoredEntry& proposal = stored[tool.tool()];
    const Risk risk =
        args.Choice<Risk>("--risk").value_or(convert::FromProto(tool.suggested_risk()));
    table.Add({tool.tool(), RiskChange(proposal, risk),
               std::string(Name(convert::FromProto(tool.state()))), HintsOf(tool),
               DescriptionOf(tool)});
    // A new entry hides the built-in one of that name: what that says of its payload and its
    // connection holds on, else the payload would no longer be judged.
    const CatalogEntry* builtin = FindBuiltin(tool.tool());
    if (!proposal.found && builtin != nullptr) {
      proposal.entry = *builtin;
      proposal.entry.builtin = false;
    }
    proposal.entry.key = {app, server, ToolName(tool.tool())};
    proposal.entry.risk = risk;
    proposal.entry.reviewed = true;
    proposal.entry.pin = tool.digest();
    if (const auto needs = args.Choice<NeedsConnection>("--needs-connection"))
      proposal.entry.needs_connection = *needs;
    if (args.Has("--connection-argument"))
      proposal.entry.connection_argument = args.Text("--connection-argument");
    entries.push_back(proposal);
  }
  // The proposal goes where the question goes, so that what is printed stays what was asked for.
  table.Print(context.err());
  if (args.Has("--suggested")) {
    context.Note(
        "the hints are the server's own word: SAFE where it says read-only, ELEVATED where it says "
        "not "
        "destructive, else DESTRUCTIVE");
  }
  BK_ASSIGN_OR_RETURN(const bool yes,
                      context.Confirm(absl::StrFormat(
                          "write %d entr%s of `%s` on `%s`?", entries.size(),
                          entries.size() == 1 ? "y" : "ies", server.value(), app.value())));
  if (!yes) {
    context.out() << "nothing was written\n";
    return ExitCode::kFailed;
  }
  return WriteEntries(context, entries);
}

}  // namespace

constexpr Command kCatalogReview = {
    .name = "catalog review",
    .usage =
        "--app APP --server SERVER [TOOL...] (--risk RISK | --suggested) [--needs-connection "
        "ANSWER] "
        "[--connection-argument NAME] [--reason TEXT] [--yes]",
    .summary = "say what tools are, after looking at them",
    .help =
        "Shows the tools that bridges saw the server list, with the proposed risk, asks, and "
        "writes an entry\n"
        "for each that pins the definition seen: a tool whose definition changes later is denied "
        "until it is\n"
        "reviewed again (`pinning` of the policy).\n",
    .examples = {"keeper catalog review --app dockit --server files --suggested",
                 "keeper catalog review --app dockit --server files read_file --risk SAFE "
                 "--needs-connection NO --yes"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
