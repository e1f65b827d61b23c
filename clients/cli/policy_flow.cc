// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/policy_flow.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/message_value.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

std::string DescribeChange(const v1::ChangeMeta& meta) {
  std::string out =
      absl::StrFormat("revision %d, by %s, %s", meta.revision(),
                      meta.author().empty() ? "nobody named" : EscapeForPeople(meta.author()),
                      TimeText(meta.time()));
  if (!meta.reason().empty()) out += ": " + EscapeForPeople(meta.reason());
  return out;
}

// The longest start that both have.
std::string CommonPrefix(const std::string& a, const std::string& b) {
  return a.substr(0, static_cast<size_t>(
                         std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin()));
}

absl::Status ReadRecord(const v1::PolicyRecord& record, StoredPolicy& out) {
  BK_ASSIGN_OR_RETURN(out.policy, convert::FromProto(record.policy()));
  out.revision = record.meta().revision();
  out.last_change = DescribeChange(record.meta());
  return absl::OkStatus();
}

void AppendChanges(const std::string& path, const Value& before, const Value& after,
                   std::vector<std::string>& out) {
  if (before.kind() == Value::Kind::kObject && after.kind() == Value::Kind::kObject) {
    const auto find = [](const Value& object, const std::string& name) -> const Value* {
      const auto it = std::find(object.names().begin(), object.names().end(), name);
      return it == object.names().end()
                 ? nullptr
                 : &object.items()[static_cast<size_t>(it - object.names().begin())];
    };
    static const Value kAbsent;
    std::vector<std::string> names = before.names();
    for (const std::string& name : after.names()) {
      if (find(before, name) == nullptr) names.push_back(name);
    }
    for (const std::string& name : names) {
      const Value* const old_value = find(before, name);
      const Value* const new_value = find(after, name);
      AppendChanges(path.empty() ? name : path + "." + name,
                    old_value != nullptr ? *old_value : kAbsent,
                    new_value != nullptr ? *new_value : kAbsent, out);
    }
    return;
  }
  const auto show = [](const Value& value) {
    if (value.kind() == Value::Kind::kNull) return std::string("(unset)");
    return value.kind() == Value::Kind::kText && !value.text().empty()
               ? EscapeForPeople(value.text())
               : ToJsonLine(value);
  };
  const std::string old_text = show(before);
  const std::string new_text = show(after);
  if (old_text != new_text)
    out.push_back(absl::StrFormat("%s: %s -> %s", path, old_text, new_text));
}

Value PolicyValue(const std::optional<McpPolicy>& policy) {
  return policy ? ToValue(*policy) : Value::Object();
}

}  // namespace

absl::StatusOr<StoredPolicy> ReadPolicy(Context& context, const AppId& app, int64_t revision) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  StoredPolicy out;
  out.app = app;
  v1::GetPolicyRequest request;
  request.set_app(app.value());
  request.set_revision(revision);
  const absl::StatusOr<v1::GetPolicyResponse> response = client->GetPolicy(request);
  if (absl::IsNotFound(response.status())) return out;
  BK_RETURN_IF_ERROR(response.status());
  BK_RETURN_IF_ERROR(ReadRecord(response->record(), out));
  return out;
}

absl::StatusOr<std::vector<StoredPolicy>> ReadPolicies(Context& context,
                                                       const std::vector<AppId>& apps) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  std::map<std::string, StoredPolicy> found;
  for (const AppId& app : apps) found[app.value()].app = app;
  v1::ListPoliciesRequest request;
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  if (!found.empty()) {
    request.set_app_prefix(CommonPrefix(found.begin()->first, found.rbegin()->first));
  }
  // A page may hold others too: no more pages than there would be single reads.
  auto unread = found.begin();
  for (size_t pages = 0; unread != found.end() && pages < found.size(); ++pages) {
    BK_ASSIGN_OR_RETURN(const v1::ListPoliciesResponse page, client->ListPolicies(request));
    for (const v1::PolicyRecord& record : page.records()) {
      const auto named = found.find(record.policy().app());
      if (named != found.end()) BK_RETURN_IF_ERROR(ReadRecord(record, named->second));
    }
    request.set_page_token(page.next_page_token());
    unread = page.next_page_token().empty()
                 ? found.end()
                 : found.upper_bound(page.records(page.records_size() - 1).policy().app());
  }
  for (; unread != found.end(); ++unread) {
    BK_ASSIGN_OR_RETURN(unread->second, ReadPolicy(context, unread->second.app));
  }
  std::vector<StoredPolicy> out;
  for (const AppId& app : apps) out.push_back(found[app.value()]);
  return out;
}

absl::StatusOr<StoredPolicy> ReadExistingPolicy(Context& context, const AppId& app) {
  BK_ASSIGN_OR_RETURN(StoredPolicy stored, ReadPolicy(context, app));
  if (stored.policy) return stored;
  // One page is enough for a hint.
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListPoliciesRequest request;
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  std::vector<std::string> apps;
  if (const auto page = client->ListPolicies(request); page.ok()) {
    for (const v1::PolicyRecord& record : page->records()) apps.push_back(record.policy().app());
  }
  return WithHelp(absl::NotFoundError(absl::StrFormat("no policy of the app `%s` exists",
                                                      EscapeForPeople(app.value(), 128))),
                  NearestHint(app.value(), apps, "keeper policy list"));
}

std::string NearestHint(std::string_view name, const std::vector<std::string>& names,
                        std::string_view list) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = NearestName(name, views);
  return nearest ? absl::StrFormat("did you mean `%s`?", *nearest)
                 : absl::StrFormat("`%s` shows what there is", list);
}

std::vector<std::string> ChangedFields(const Value& before, const Value& after) {
  std::vector<std::string> out;
  AppendChanges("", before, after, out);
  return out;
}

absl::Status CheckNothingLifted(const Context& context, const StoredPolicy& before,
                                const McpPolicy& after) {
  if (!before.policy) return absl::OkStatus();
  if (!before.policy->allowed_connection_ids.empty() && after.allowed_connection_ids.empty() &&
      !context.args().Has("--all-connections")) {
    return WithHelp(
        absl::FailedPreconditionError(absl::StrFormat(
            "`%s` allows %d connections now, and this would allow every one: nothing was written",
            after.app.value(), before.policy->allowed_connection_ids.size())),
        "name the connections, or say with --all-connections that it is meant");
  }
  if (before.policy->suspended && !after.suspended) {
    return WithHelp(
        absl::FailedPreconditionError(absl::StrFormat(
            "`%s` is suspended, and this would lift that: nothing was written", after.app.value())),
        absl::StrFormat("run `keeper policy resume %s` first, or keep `suspended: true`",
                        after.app.value()));
  }
  return absl::OkStatus();
}

absl::Status ShowWhatChanged(Context& context, absl::Status status, const StoredPolicy& read) {
  if (!absl::IsAborted(status)) return status;
  const absl::StatusOr<StoredPolicy> now = ReadPolicy(context, read.app);
  if (now.ok()) {
    context.err() << absl::StrFormat("`%s` changed since it was read (revision %d): it is %s\n",
                                     read.app.value(), read.revision,
                                     now->policy ? now->last_change : "deleted");
    for (const std::string& line :
         ChangedFields(PolicyValue(read.policy), PolicyValue(now->policy))) {
      context.err() << "  " << line << '\n';
    }
  }
  return WithHelp(std::move(status),
                  "look at the change, then run the command again: nothing was written");
}

absl::StatusOr<ExitCode> WritePolicy(Context& context, const StoredPolicy& before,
                                     const McpPolicy& after) {
  BK_RETURN_IF_ERROR(CheckNothingLifted(context, before, after));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::PutPolicyRequest request;
  *request.mutable_policy() = convert::ToProto(after);
  request.mutable_options()->set_expected_revision(before.revision);
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(context.args().Text("--reason"));
  const absl::StatusOr<v1::PutPolicyResponse> response = client->PutPolicy(request);
  if (!response.ok()) return ShowWhatChanged(context, response.status(), before);

  for (const std::string& warning : response->warnings()) context.Warn(warning);
  const int64_t revision = response->record().meta().revision();
  if (!context.for_people()) {
    Value list = Value::List();
    for (const std::string& warning : response->warnings()) list.Add(warning);
    context.Print(Value::Object()
                      .Set("app", after.app.value())
                      .Set("revision", revision)
                      .Set("changed", response->changed())
                      .Set("warnings", std::move(list)));
    return ExitCode::kOk;
  }
  if (!response->changed()) {
    context.out() << absl::StrFormat("`%s` is as it was, revision %d\n", after.app.value(),
                                     revision);
    return ExitCode::kOk;
  }
  context.out() << absl::StrFormat("`%s` is at revision %d%s\n", after.app.value(), revision,
                                   before.policy ? "" : ", new");
  if (before.policy) {
    for (const std::string& line : ChangedFields(ToValue(*before.policy), ToValue(after))) {
      context.out() << "  " << line << '\n';
    }
  }
  return ExitCode::kOk;
}

absl::Status ReportIssues(Context& context, const std::vector<Issue>& issues,
                          std::string_view file) {
  int errors = 0;
  for (const Issue& issue : issues) {
    if (issue.severity == Issue::Severity::kError) ++errors;
    context.err() << FormatIssue(issue, EscapeForPeople(file)) << '\n';
  }
  if (errors == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("`%s` has %d problem%s: nothing was written",
                                                    EscapeForPeople(file), errors,
                                                    errors == 1 ? "" : "s"));
}

}  // namespace bridgekeeper::cli
