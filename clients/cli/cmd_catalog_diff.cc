// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/definition_diff.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kAppFlag,
    {.name = "--server", .value = "SERVER", .help = "the server", .required = true},
};

constexpr std::string_view kChanged = "CHANGED";

// NEW: seen, and no entry of this app and server. CHANGED: the pin is of another
// definition. SAME: as reviewed. UNPINNED: an entry without a pin. GONE: an entry,
// and no bridge sees the tool any more.
std::string_view WhatIs(const v1::ReportedTool& tool, const StoredEntry* stored) {
  if (stored == nullptr || !stored->entry.reviewed) return "NEW";
  if (stored->entry.pin.empty()) return "UNPINNED";
  return stored->entry.pin == tool.digest() ? "SAME" : kChanged;
}

Value ChangesValue(const std::vector<DefinitionChange>& changes) {
  Value list = Value::List();
  for (const DefinitionChange& change : changes) {
    list.Add(
        Value::Object().Set("field", change.field).Set("from", change.from).Set("to", change.to));
  }
  return list;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const AppId app(context.args().Text("--app"));
  const ServerId server(context.args().Text("--server"));
  BK_ASSIGN_OR_RETURN(
      const std::vector<v1::ReportedTool> tools,
      ReadReportedTools(context, app.value(), server.value(), /*unreviewed_only=*/false));
  BK_ASSIGN_OR_RETURN(auto stored, ReadEntries(context, app, server));
  Table table({"TOOL", "WHAT", "RISK", "SUGGESTED", "REVIEWED DIGEST", "DIGEST NOW"});
  Value list = Value::List();
  std::vector<const v1::ReportedTool*> changed;
  const auto add = [&](const std::string& tool, std::string_view what, const StoredEntry* entry,
                       std::string_view suggested, const std::string& digest,
                       const std::string& origin, const std::vector<DefinitionChange>& changes) {
    const std::string risk = entry != nullptr ? std::string(Name(entry->entry.risk)) : "";
    const std::string pin = entry != nullptr ? entry->entry.pin : "";
    table.Add({tool, std::string(what), risk, std::string(suggested), pin.substr(0, 12),
               digest.substr(0, 12)});
    Value item = Value::Object().Set("tool", tool).Set("what", what);
    if (entry != nullptr) item.Set("risk", risk).Set("pin", pin);
    if (!digest.empty()) item.Set("suggested_risk", suggested).Set("digest", digest);
    if (!origin.empty()) item.Set("origin", origin);
    if (!changes.empty()) item.Set("changes", ChangesValue(changes));
    list.Add(std::move(item));
  };
  for (const v1::ReportedTool& tool : tools) {
    const auto it = stored.find(tool.tool());
    const StoredEntry* const entry = it == stored.end() ? nullptr : &it->second;
    const std::string_view what = WhatIs(tool, entry);
    if (what == kChanged) changed.push_back(&tool);
    add(tool.tool(), what, entry, Name(convert::FromProto(tool.suggested_risk())), tool.digest(),
        OriginOf(tool),
        what == kChanged ? DefinitionChanges(tool) : std::vector<DefinitionChange>());
    if (it != stored.end()) stored.erase(it);
  }
  for (const auto& [tool, entry] : stored) add(tool, "GONE", &entry, "", "", "", {});
  if (context.for_people()) {
    table.Print(context.out());
    for (const v1::ReportedTool* tool : changed) {
      PrintDefinitionChanges(*tool, context.out());
      const std::vector<DefinitionChange> changes = DefinitionChanges(*tool);
      const bool is_of_origin =
          !changes.empty() && std::ranges::all_of(changes, [](const DefinitionChange& change) {
            return change.field.starts_with("bridgekeeper/origin");
          });
      if (is_of_origin) {
        context.out() << "  The definition is the one that was reviewed; its server comes from "
                         "elsewhere. Where two\n  bridges start it in different ways, give it a "
                         "name of its own at each.\n";
      }
    }
  } else {
    context.Print(list);
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kCatalogDiff = {
    .name = "catalog diff",
    .usage = "--app APP --server SERVER",
    .summary = "compare what a server lists with what was reviewed",
    .help =
        "Shows of a tool that changed each field as it was reviewed and as it is. "
        "`bridgekeeper/origin` is\n"
        "where its server comes from: its command, its address.\n"
        "NEW: nobody has reviewed it. CHANGED: its definition is not the one reviewed. UNPINNED: "
        "reviewed\n"
        "without a definition, so changes are not noticed. GONE: reviewed, and no bridge sees it "
        "now. SAME.\n",
    .examples = {"keeper catalog diff --app dockit --server files",
                 "keeper catalog diff --app dockit --server files -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
