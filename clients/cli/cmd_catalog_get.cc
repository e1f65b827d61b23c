// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kEntryToolFlag,
    kEntryAppFlag,
    kEntryServerFlag,
};

absl::Status NotThere(Context& context, const std::string& tool) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListCatalogEntriesRequest request;
  request.set_app(context.args().Text("--app"));
  request.set_include_builtin(true);
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  std::vector<std::string> names;
  if (const auto page = client->ListCatalogEntries(request); page.ok()) {
    for (const v1::CatalogRecord& record : page->records()) {
      const v1::CatalogKey& key = record.entry().key();
      if (key.tool() == tool) {
        return WithHelp(
            absl::NotFoundError(absl::StrFormat("no entry of `%s` has exactly this app and server",
                                                EscapeForPeople(tool, 128))),
            absl::StrFormat("there is one of app `%s`, server `%s`",
                            key.app().empty() ? "*" : key.app(),
                            key.server().empty() ? "*" : key.server()));
      }
      names.push_back(key.tool());
    }
  }
  return WithHelp(absl::NotFoundError(absl::StrFormat("no catalogue entry of `%s` exists",
                                                      EscapeForPeople(tool, 128))),
                  NearestHint(tool, names, "keeper catalog list --builtin"));
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::GetCatalogEntryRequest request;
  request.mutable_key()->set_app(args.Text("--app"));
  request.mutable_key()->set_server(args.Text("--server"));
  request.mutable_key()->set_tool(args.Text("TOOL"));
  const absl::StatusOr<v1::GetCatalogEntryResponse> response = client->GetCatalogEntry(request);
  if (absl::IsNotFound(response.status())) return NotThere(context, args.Text("TOOL"));
  BK_RETURN_IF_ERROR(response.status());
  const v1::CatalogRecord& record = response->record();
  const Value document = MessageValue(record.entry());
  if (!context.for_people()) {
    context.Print(document);
    return ExitCode::kOk;
  }
  if (record.entry().builtin()) {
    context.out() << "# built in\n";
  } else {
    context.out() << absl::StrFormat("# revision %d, by %s, %s\n", record.meta().revision(),
                                     EscapeForPeople(record.meta().author()),
                                     TimeText(record.meta().time()));
  }
  context.out() << ToYaml(document);
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kCatalogGet = {
    .name = "catalog get",
    .usage = "TOOL [--app APP] [--server SERVER]",
    .summary = "print a catalogue entry as a document",
    .help =
        "Prints the entry with exactly this app and server as a document that `keeper catalog put` "
        "takes.\n"
        "Of several entries that cover a tool the most specific counts: app and server, app, "
        "server, neither.\n",
    .examples = {"keeper catalog get es__search",
                 "keeper catalog get read_file --app dockit --server files -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
