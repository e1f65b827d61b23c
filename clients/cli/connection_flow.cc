// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/connection_flow.h"

#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/message_value.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {

absl::StatusOr<v1::ConnectionInfo> ReadConnection(Context& context, const std::string& app,
                                                  const std::string& id) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::GetConnectionRequest request;
  request.set_app(app);
  request.set_id(id);
  const absl::StatusOr<v1::GetConnectionResponse> response = client->GetConnection(request);
  if (response.ok()) return response->record();
  if (!absl::IsNotFound(response.status())) return response.status();
  v1::ListConnectionsRequest list;
  list.set_app(app);
  list.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  std::vector<std::string> ids;
  if (const auto page = client->ListConnections(list); page.ok()) {
    for (const v1::ConnectionInfo& record : page->records())
      ids.push_back(record.connection().id());
  }
  return WithHelp(
      absl::NotFoundError(absl::StrFormat("no record of the connection `%s` of `%s` exists",
                                          EscapeForPeople(id, 128), EscapeForPeople(app, 128))),
      NearestHint(id, ids, "keeper connections list"));
}

absl::Status ShowConnectionNow(Context& context, absl::Status status, const std::string& app,
                               const std::string& id) {
  if (!absl::IsAborted(status)) return status;
  const absl::StatusOr<v1::ConnectionInfo> now = ReadConnection(context, app, id);
  if (now.ok()) {
    context.err() << absl::StrFormat(
        "`%s` changed since it was read: it is revision %d, by %s, %s\n", id,
        now->meta().revision(), EscapeForPeople(now->meta().author()),
        TimeText(now->meta().time()));
  } else if (absl::IsNotFound(now.status())) {
    context.err() << absl::StrFormat("`%s` changed since it was read: it is deleted\n", id);
  }
  return WithHelp(std::move(status),
                  "look at the change, then run the command again: nothing was written");
}

}  // namespace bridgekeeper::cli
