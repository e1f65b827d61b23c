// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--prefix", .value = "TEXT", .help = "only apps whose id starts with it"},
};

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListPoliciesRequest request;
  request.set_app_prefix(context.args().Text("--prefix"));
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  Table table({"APP", "MODE", "DESTRUCTIVE", "CONNECTIONS", "OVERRIDES", "STATE", "REVISION"});
  Value list = Value::List();
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListPoliciesResponse page, client->ListPolicies(request));
    request.set_page_token(page.next_page_token());
    for (const v1::PolicyRecord& record : page.records()) {
      if (!context.for_people()) {
        list.Add(MessageValue(record));
        continue;
      }
      BK_ASSIGN_OR_RETURN(const McpPolicy policy, convert::FromProto(record.policy()));
      const size_t connections = policy.allowed_connection_ids.size();
      table.Add(
          {policy.app.value(), std::string(Name(policy.mode)),
           policy.confirm_destructive ? absl::StrFormat("ask (%s)", Name(policy.ask_mode)) : "deny",
           connections == 0 ? "every" : std::to_string(connections),
           std::to_string(policy.connection_overrides.size()),
           policy.suspended ? "SUSPENDED" : "in force", std::to_string(record.meta().revision())});
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

constexpr Command kPolicyList = {
    .name = "policy list",
    .usage = "[--prefix TEXT]",
    .summary = "list the policies",
    .help = "Lists every app that has a policy. An app that has none is denied every call.\n",
    .examples = {"keeper policy list", "keeper policy list --prefix sql -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
