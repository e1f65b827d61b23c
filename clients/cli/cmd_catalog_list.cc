// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--app", .value = "APP", .help = "only what can hold for this app"},
    {.name = "--server", .value = "SERVER", .help = "only what names this server"},
    {.name = "--unreviewed",
     .kind = Flag::Kind::kSwitch,
     .help = "what bridges saw and nobody has reviewed, or what changed since"},
    {.name = "--builtin", .kind = Flag::Kind::kSwitch, .help = "the built-in entries too"},
};

std::string OrStar(const std::string& id) { return id.empty() ? "*" : id; }

absl::StatusOr<ExitCode> ListUnreviewed(Context& context) {
  const Args& args = context.args();
  BK_ASSIGN_OR_RETURN(const std::vector<v1::ReportedTool> tools,
                      ReadReportedTools(context, args.Text("--app"), args.Text("--server"),
                                        /*unreviewed_only=*/true));
  Table table({"APP", "SERVER", "TOOL", "STATE", "SUGGESTED", "ITS OWN HINTS", "DIGEST"});
  Value list = Value::List();
  for (const v1::ReportedTool& tool : tools) {
    list.Add(MessageValue(tool));
    table.Add({tool.app(), tool.server(), tool.tool(),
               std::string(Name(convert::FromProto(tool.state()))),
               std::string(Name(convert::FromProto(tool.suggested_risk()))), HintsOf(tool),
               tool.digest()});
  }
  if (!context.for_people()) {
    context.Print(list);
    return ExitCode::kOk;
  }
  table.Print(context.out());
  if (!tools.empty())
    context.Note("`keeper catalog review --suggested` takes the suggestions, after showing them");
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  if (args.Has("--unreviewed") && args.Has("--builtin")) {
    return UsageError("got `--unreviewed` and `--builtin`, want at most one of them");
  }
  if (args.Has("--unreviewed")) return ListUnreviewed(context);

  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListCatalogEntriesRequest request;
  request.set_app(args.Text("--app"));
  request.set_server(args.Text("--server"));
  request.set_include_builtin(args.Has("--builtin"));
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  Table table({"APP", "SERVER", "TOOL", "RISK", "CAP", "STATE", "PIN", "REVISION"});
  Value list = Value::List();
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListCatalogEntriesResponse page,
                        client->ListCatalogEntries(request));
    request.set_page_token(page.next_page_token());
    for (const v1::CatalogRecord& record : page.records()) {
      if (!context.for_people()) {
        list.Add(MessageValue(record));
        continue;
      }
      const v1::CatalogEntry& entry = record.entry();
      std::string cap = entry.cap() == v1::RISK_UNSPECIFIED
                            ? ""
                            : std::string(Name(convert::FromProto(entry.cap())));
      if (entry.raise()) cap += cap.empty() ? "raise" : ", raise";
      table.Add({OrStar(entry.key().app()), OrStar(entry.key().server()), entry.key().tool(),
                 std::string(Name(convert::FromProto(entry.risk()))), cap,
                 entry.disabled()   ? "disabled"
                 : entry.reviewed() ? "reviewed"
                                    : "not reviewed",
                 entry.pin().substr(0, 12),
                 entry.builtin() ? "built in" : std::to_string(record.meta().revision())});
    }
  } while (!request.page_token().empty());
  if (context.for_people()) {
    table.Print(context.out());
  } else {
    context.Print(list);
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kCatalogList = {
    .name = "catalog list",
    .usage = "[--app APP] [--server SERVER] [--unreviewed | --builtin]",
    .summary = "list catalogue entries, or tools that need a review",
    .help =
        "Lists what the catalogue says of tools. With --unreviewed: the tools that bridges saw "
        "their servers\n"
        "list, that no entry covers or whose definition changed since the review.\n",
    .examples = {"keeper catalog list --app dockit --unreviewed",
                 "keeper catalog list --builtin -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
