// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/text/document.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--file",
     .short_name = "-f",
     .value = "FILE",
     .help = "the document, YAML or JSON; - is standard input",
     .required = true},
    {.name = "--app",
     .value = "APP",
     .help = "the app of an entry that names none; every app unless given"},
    kReasonFlag,
};

// Warns of entries under names that their server does not list, as far as bridges reported
// it: a name with the prefix of /mcp, or a slip, would hold for no call.
absl::Status WarnOfUnlistedTools(Context& context, const std::vector<CatalogEntry>& entries) {
  std::map<std::pair<AppId, ServerId>, std::vector<std::string>> listed;
  for (const CatalogEntry& entry : entries) {
    if (!entry.key.app || !entry.key.server) continue;
    const auto [found, is_new] = listed.try_emplace({*entry.key.app, *entry.key.server});
    std::vector<std::string>& names = found->second;
    if (is_new) {
      BK_ASSIGN_OR_RETURN(const std::vector<v1::ReportedTool> tools,
                          ReadReportedTools(context, entry.key.app->value(),
                                            entry.key.server->value(), /*unreviewed_only=*/false));
      for (const v1::ReportedTool& tool : tools) names.push_back(tool.tool());
    }
    const std::string& tool = entry.key.tool.value();
    if (names.empty() || std::find(names.begin(), names.end(), tool) != names.end()) continue;
    context.Warn(absl::StrFormat("`%s` lists no tool `%s`, so this entry holds for none; %s",
                                 entry.key.server->value(), tool,
                                 NearestHint(tool, names, "keeper catalog list")));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const std::string file = context.args().Text("--file");
  BK_ASSIGN_OR_RETURN(const std::string text, context.ReadInput(file));
  const auto document = ParseCatalogDocument(text, {.default_app = context.args().Text("--app")});
  BK_RETURN_IF_ERROR(ReportIssues(context, document.issues, file));
  std::vector<StoredEntry> entries;
  for (const CatalogEntry& entry : document.values) {
    BK_ASSIGN_OR_RETURN(StoredEntry stored, ReadEntry(context, entry.key));
    stored.entry = entry;
    entries.push_back(std::move(stored));
  }
  BK_RETURN_IF_ERROR(WarnOfUnlistedTools(context, document.values));
  return WriteEntries(context, entries);
}

}  // namespace

constexpr Command kCatalogPut = {
    .name = "catalog put",
    .usage = "-f FILE [--app APP] [--reason TEXT]",
    .summary = "write catalogue entries from a document",
    .help =
        "Reads one entry or a list, YAML or JSON, and reports every problem of the document at "
        "once. All\n"
        "entries become one revision, or none does.\n",
    .examples = {"keeper catalog put -f catalog.yaml",
                 "keeper catalog put -f catalog.yaml --app dockit --reason 'own tools'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
