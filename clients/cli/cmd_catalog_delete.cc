// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kEntryToolFlag, kEntryAppFlag, kEntryServerFlag, kExpectedRevisionFlag, kReasonFlag, kYesFlag,
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  BK_ASSIGN_OR_RETURN(const CatalogKey key, EntryKeyOf(args));
  const std::string tool = EscapeForPeople(key.tool.value(), 128);
  BK_ASSIGN_OR_RETURN(const StoredEntry stored, ReadEntry(context, key));
  if (stored.revision == 0) {
    return WithHelp(absl::NotFoundError(absl::StrFormat(
                        stored.found ? "the entry of `%s` is built in: there is nothing to delete"
                                     : "no stored entry of `%s` has exactly this app and server",
                        tool)),
                    stored.found ? "`keeper catalog disable` denies every call of it"
                                 : "`keeper catalog list` shows what there is");
  }
  BK_ASSIGN_OR_RETURN(const bool yes,
                      context.Confirm(absl::StrFormat(
                          "delete the entry of `%s`? the next less specific one, or the built-in "
                          "one, counts then; a tool without any is not reviewed",
                          tool)));
  if (!yes) {
    context.out() << "nothing was deleted\n";
    return ExitCode::kFailed;
  }
  v1::DeleteCatalogEntryRequest request;
  request.mutable_key()->set_app(args.Text("--app"));
  request.mutable_key()->set_server(args.Text("--server"));
  request.mutable_key()->set_tool(key.tool.value());
  request.mutable_options()->set_expected_revision(
      args.Integer("--expected-revision").value_or(stored.revision));
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(args.Text("--reason"));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  const absl::StatusOr<v1::DeleteCatalogEntryResponse> response =
      client->DeleteCatalogEntry(request);
  if (absl::IsAborted(response.status())) {
    return WithHelp(response.status(),
                    "look at the change, then run the command again: nothing was deleted");
  }
  BK_RETURN_IF_ERROR(response.status());
  if (context.for_people()) {
    context.out() << absl::StrFormat("the entry of `%s` is deleted, revision %d\n", tool,
                                     response->revision());
  } else {
    context.Print(Value::Object()
                      .Set("app", args.Text("--app"))
                      .Set("server", args.Text("--server"))
                      .Set("tool", key.tool.value())
                      .Set("revision", response->revision()));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kCatalogDelete = {
    .name = "catalog delete",
    .usage = "TOOL [--app APP] [--server SERVER] [--expected-revision N] [--reason TEXT] [--yes]",
    .summary = "delete a catalogue entry",
    .help =
        "Deletes the stored entry with exactly this app and server, and with it its review and its "
        "pin. What\n"
        "is left to cover the tool counts then: a less specific entry, a built-in one, or none: a "
        "tool without\n"
        "one is not reviewed, and what its server says of it counts only where the policy takes "
        "that.\n",
    .examples = {"keeper catalog delete read_file --app dockit --server files --yes",
                 "keeper catalog delete read_file --app dockit --server files --yes --reason "
                 "'the server is gone'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
