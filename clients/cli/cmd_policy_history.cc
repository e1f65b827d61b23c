// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr int64_t kDefaultChanges = 20;

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app; a deleted one too", .required = true},
    {.name = "--limit",
     .kind = Flag::Kind::kInteger,
     .value = "N",
     .help = "how many changes, the newest first; 20 unless given"},
};

absl::StatusOr<ExitCode> Run(Context& context) {
  const std::string app = context.args().Text("APP");
  const int64_t limit = context.args().Integer("--limit").value_or(kDefaultChanges);
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::GetPolicyHistoryRequest request;
  request.set_app(app);
  std::vector<v1::PolicyRecord> records;
  // One more than is shown: what the oldest one changed is seen against it.
  do {
    const int64_t left = limit + 1 - static_cast<int64_t>(records.size());
    request.set_page_size(static_cast<int32_t>(std::min<int64_t>(left, convert::kMaxPageSize)));
    const absl::StatusOr<v1::GetPolicyHistoryResponse> page = client->GetPolicyHistory(request);
    if (absl::IsNotFound(page.status())) break;
    BK_RETURN_IF_ERROR(page.status());
    records.insert(records.end(), page->records().begin(), page->records().end());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && static_cast<int64_t>(records.size()) <= limit);
  if (records.empty()) return ReadExistingPolicy(context, AppId(app)).status();

  Table table({"REVISION", "TIME", "AUTHOR", "CHANGE", "REASON"});
  Value list = Value::List();
  for (size_t i = 0; i < records.size() && static_cast<int64_t>(i) < limit; ++i) {
    const v1::PolicyRecord& record = records[i];
    if (!context.for_people()) {
      list.Add(MessageValue(record));
      continue;
    }
    std::string change = "deleted";
    if (record.has_policy()) {
      const bool is_new = i + 1 == records.size() || !records[i + 1].has_policy();
      change = is_new ? "created" : "";
      if (!is_new) {
        for (const std::string& line :
             ChangedFields(MessageValue(records[i + 1].policy()), MessageValue(record.policy()))) {
          change += (change.empty() ? "" : "; ") + line;
        }
      }
    }
    table.Add({std::to_string(record.meta().revision()), TimeText(record.meta().time()),
               record.meta().author(), change, record.meta().reason()});
  }
  if (context.for_people()) {
    table.Print(context.out());
  } else {
    context.Print(list);
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicyHistory = {
    .name = "policy history",
    .usage = "APP [--limit N]",
    .summary = "show who changed a policy, when and why",
    .help = "Lists the changes of a policy, the newest first, with what each changed.\n",
    .examples = {"keeper policy history sqlkit", "keeper policy history sqlkit --limit 5 -o yaml"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
