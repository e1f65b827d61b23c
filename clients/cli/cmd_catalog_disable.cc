// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kEntryToolFlag,   kEntryAppFlag,
    kEntryServerFlag, {.name = "--undo", .kind = Flag::Kind::kSwitch, .help = "enable it again"},
    kReasonFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  BK_ASSIGN_OR_RETURN(const CatalogKey key, EntryKeyOf(args));
  BK_ASSIGN_OR_RETURN(StoredEntry stored, ReadEntry(context, key));
  const bool undo = args.Has("--undo");
  if (undo && stored.revision == 0) {
    return WithHelp(absl::NotFoundError(
                        absl::StrFormat("no stored entry of `%s` has exactly this app and server",
                                        EscapeForPeople(key.tool.value(), 128))),
                    "`keeper catalog list` shows what there is");
  }
  stored.entry.disabled = !undo;
  // A new entry says no more than this: after --undo the tool still needs a review.
  if (!stored.found) stored.entry.reviewed = false;
  return WriteEntries(context, {stored});
}

}  // namespace

constexpr Command kCatalogDisable = {
    .name = "catalog disable",
    .usage = "TOOL [--app APP] [--server SERVER] [--undo] [--reason TEXT]",
    .summary = "deny every call of a tool",
    .help =
        "Denies the tool with TOOL_DISABLED wherever this entry is the most specific one. A "
        "built-in entry is\n"
        "copied first; a tool that no entry covers gets one.\n",
    .examples = {"keeper catalog disable es__delete_index --reason 'never by agents'",
                 "keeper catalog disable write_file --app dockit --server files"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
