// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "bridgekeeper/v1/connection_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "policy/base/status_macros.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--app", .value = "APP", .help = "only of this app"},
};

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListConnectionsRequest request;
  request.set_app(context.args().Text("--app"));
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  Table table({"APP", "ID", "NAME", "TYPE", "SAFE FUNCTIONS", "DATABASES", "REVISION"});
  Value list = Value::List();
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListConnectionsResponse page, client->ListConnections(request));
    request.set_page_token(page.next_page_token());
    for (const v1::ConnectionInfo& record : page.records()) {
      if (!context.for_people()) {
        list.Add(MessageValue(record));
        continue;
      }
      const v1::Connection& c = record.connection();
      table.Add({c.app(), c.id(), c.name(), c.type(), std::to_string(c.safe_functions_size()),
                 c.databases_size() == 0 ? "not checked" : std::to_string(c.databases_size()),
                 std::to_string(record.meta().revision())});
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

constexpr Command kConnectionsList = {
    .name = "connections list",
    .usage = "[--app APP]",
    .summary = "list connection records",
    .help = "A connection without a record is fine for tools that carry no payload.\n",
    .examples = {"keeper connections list", "keeper connections list --app sqlkit -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
