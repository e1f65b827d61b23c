// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

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
