// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/policy_api.h"

#include <charconv>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"
#include "service/core/paging.h"
#include "service/rpc/record_messages.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

constexpr size_t kPoliciesPage = 100;
constexpr size_t kHistoryPage = 20;
constexpr size_t kMaxDiffCells = 10'000;

absl::Status CheckRevision(std::string_view field, int64_t revision) {
  if (revision >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s: got %d, want 0 or more", field, revision));
}

// `app`, or nullopt where `all` says every app.
absl::StatusOr<std::optional<AppId>> ReadTarget(const std::string& app, bool all) {
  if (!all) {
    BK_RETURN_IF_ERROR(convert::CheckId("app", app));
    return std::optional<AppId>(AppId(app));
  }
  if (app.empty()) return std::optional<AppId>();
  return absl::InvalidArgumentError("app: got an app together with `all`, want one of them");
}

absl::StatusOr<std::optional<Revision>> ReadHistoryToken(const std::string& token) {
  if (token.empty()) return std::optional<Revision>();
  BK_ASSIGN_OR_RETURN(const auto parts, DecodePageToken(token, 1));
  int64_t revision = 0;
  const char* end = parts[0].data() + parts[0].size();
  const auto [stop, error] = std::from_chars(parts[0].data(), end, revision);
  if (error != std::errc() || stop != end) {
    return absl::InvalidArgumentError("page_token: not one of this server's");
  }
  return std::optional<Revision>(Revision{revision});
}

void ToMessage(const DiffCell& cell, pb::DiffCell& out) {
  out.set_tool(cell.tool.value());
  if (cell.server) out.set_server(cell.server->value());
  out.set_risk(convert::ToProto(cell.risk));
  out.set_connection(cell.connection);
  out.set_before(convert::ToProto(cell.before));
  out.set_before_reason(convert::ToProto(cell.before_reason));
  out.set_after(convert::ToProto(cell.after));
  out.set_after_reason(convert::ToProto(cell.after_reason));
  out.set_loosened(cell.loosened);
}

}  // namespace

absl::Status PolicyApi::GetPolicy(const pb::GetPolicyRequest& request,
                                  pb::GetPolicyResponse& response) {
  BK_RETURN_IF_ERROR(convert::CheckId("app", request.app()));
  BK_RETURN_IF_ERROR(CheckRevision("revision", request.revision()));
  // Taken before the read: the record is at least as new.
  const store::RevisionToken token = store_.Token();
  BK_ASSIGN_OR_RETURN(const store::Record record,
                      core_.Get(AppId(request.app()), Revision{request.revision()}));
  service::ToMessage(record, *response.mutable_record());
  service::ToMessage(token, *response.mutable_token());
  return absl::OkStatus();
}

absl::Status PolicyApi::PutPolicy(const pb::PutPolicyRequest& request,
                                  pb::PutPolicyResponse& response) {
  BK_ASSIGN_OR_RETURN(McpPolicy policy, convert::FromProto(request.policy()));
  BK_ASSIGN_OR_RETURN(const int64_t expected, ReadExpectedRevision(request.options()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  const std::vector<std::string> warnings = PolicyWarnings(policy);
  BK_ASSIGN_OR_RETURN(const auto written, core_.Put(std::move(policy), expected, context));
  service::ToMessage(written.record, *response.mutable_record());
  response.set_changed(written.changed);
  response.mutable_warnings()->Assign(warnings.begin(), warnings.end());
  return absl::OkStatus();
}

absl::Status PolicyApi::BatchPutPolicies(const pb::BatchPutPoliciesRequest& request,
                                         pb::BatchPutPoliciesResponse& response) {
  const auto count = static_cast<size_t>(request.requests_size());
  convert::Problems problems;
  if (count == 0) problems.Invalid("requests", "got 0 items, want at least 1");
  if (!problems.CheckCount("requests", count, convert::kMaxPolicyBatchItems) || count == 0) {
    return problems.ToStatus();
  }
  std::vector<PolicyCore::BatchItem> items;
  items.reserve(count);
  for (int i = 0; i < request.requests_size(); ++i) {
    const pb::PutPolicyRequest& item = request.requests(i);
    const std::string field = absl::StrFormat("requests[%d]", i);
    auto policy = convert::FromProto(item.policy());
    auto expected = ReadExpectedRevision(item.options());
    problems.Add(field, policy.status());
    problems.Add(field, expected.status());
    if (policy.ok() && expected.ok()) items.push_back({*std::move(policy), *expected});
  }
  if (!problems.empty()) return problems.ToStatus();
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.requests(0).options()));
  BK_ASSIGN_OR_RETURN(const store::CommitResult result, core_.PutAll(std::move(items), context));
  response.set_revision(result.revision.value);
  response.set_changed(static_cast<int32_t>(result.changed));
  return absl::OkStatus();
}

absl::Status PolicyApi::DeletePolicy(const pb::DeletePolicyRequest& request,
                                     pb::DeletePolicyResponse& response) {
  BK_RETURN_IF_ERROR(convert::CheckId("app", request.app()));
  BK_ASSIGN_OR_RETURN(const int64_t expected, ReadExpectedRevision(request.options()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(const Revision revision,
                      core_.Delete(AppId(request.app()), expected, context));
  response.set_revision(revision.value);
  return absl::OkStatus();
}

absl::Status PolicyApi::ListPolicies(const pb::ListPoliciesRequest& request,
                                     pb::ListPoliciesResponse& response) {
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kPoliciesPage));
  if (!request.app_prefix().empty()) {
    BK_RETURN_IF_ERROR(convert::CheckId("app_prefix", request.app_prefix()));
  }
  std::optional<AppId> after;
  if (!request.page_token().empty()) {
    BK_ASSIGN_OR_RETURN(const auto parts, DecodePageToken(request.page_token(), 1));
    after = AppId(parts[0]);
  }
  const store::RevisionToken token = store_.Token();
  BK_ASSIGN_OR_RETURN(const RecordPage page, core_.List(request.app_prefix(), after, size));
  for (const store::Record& record : page.records) {
    service::ToMessage(record, *response.add_records());
  }
  if (page.more) {
    response.set_next_page_token(EncodePageToken({page.records.back().key.app}));
  }
  service::ToMessage(token, *response.mutable_token());
  return absl::OkStatus();
}

absl::Status PolicyApi::GetPolicyHistory(const pb::GetPolicyHistoryRequest& request,
                                         pb::GetPolicyHistoryResponse& response) {
  BK_RETURN_IF_ERROR(convert::CheckId("app", request.app()));
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kHistoryPage));
  BK_ASSIGN_OR_RETURN(const auto before, ReadHistoryToken(request.page_token()));
  BK_ASSIGN_OR_RETURN(const RecordPage page, core_.History(AppId(request.app()), before, size));
  for (const store::Record& record : page.records) {
    service::ToMessage(record, *response.add_records());
  }
  if (page.more) {
    response.set_next_page_token(
        EncodePageToken({absl::StrFormat("%d", page.records.back().revision.value)}));
  }
  return absl::OkStatus();
}

absl::Status PolicyApi::RollbackPolicy(const pb::RollbackPolicyRequest& request,
                                       pb::RollbackPolicyResponse& response) {
  BK_RETURN_IF_ERROR(convert::CheckId("app", request.app()));
  if (request.to_revision() < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("to_revision: got %d, want 1 or more", request.to_revision()));
  }
  BK_ASSIGN_OR_RETURN(const int64_t expected, ReadExpectedRevision(request.options()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(
      const auto written,
      core_.Rollback(AppId(request.app()), Revision{request.to_revision()}, expected, context));
  service::ToMessage(written.record, *response.mutable_record());
  response.set_changed(written.changed);
  return absl::OkStatus();
}

absl::Status PolicyApi::SuspendPolicies(const pb::SuspendPoliciesRequest& request,
                                        pb::SuspendPoliciesResponse& response,
                                        const std::function<bool()>& cancelled) {
  BK_ASSIGN_OR_RETURN(const auto app, ReadTarget(request.app(), request.all()));
  convert::Problems problems;
  problems.CheckText("reason", request.reason(), convert::kMaxReasonBytes);
  if (!problems.empty()) return problems.ToStatus();
  BK_ASSIGN_OR_RETURN(WriteContext context, ReadWriteContext(request.options()));
  context.reason = request.reason();
  BK_ASSIGN_OR_RETURN(const auto done, app ? core_.SetSuspended(*app, true, context)
                                           : core_.SetAllSuspended(true, context, cancelled));
  response.set_revision(done.revision.value);
  response.set_changed(static_cast<int32_t>(done.changed));
  return absl::OkStatus();
}

absl::Status PolicyApi::ResumePolicies(const pb::ResumePoliciesRequest& request,
                                       pb::ResumePoliciesResponse& response,
                                       const std::function<bool()>& cancelled) {
  BK_ASSIGN_OR_RETURN(const auto app, ReadTarget(request.app(), request.all()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(const auto done, app ? core_.SetSuspended(*app, false, context)
                                           : core_.SetAllSuspended(false, context, cancelled));
  response.set_revision(done.revision.value);
  response.set_changed(static_cast<int32_t>(done.changed));
  return absl::OkStatus();
}

absl::Status PolicyApi::DiffPolicy(const pb::DiffPolicyRequest& request,
                                   pb::DiffPolicyResponse& response) {
  BK_RETURN_IF_ERROR(convert::CheckId("app", request.app()));
  BK_RETURN_IF_ERROR(CheckRevision("before_revision", request.before_revision()));
  const AppId app(request.app());
  McpPolicy after;
  switch (request.after_case()) {
    case pb::DiffPolicyRequest::kAfterPolicy: {
      BK_ASSIGN_OR_RETURN(after, convert::FromProto(request.after_policy()));
      if (after.app != app) {
        return absl::InvalidArgumentError(absl::StrFormat("after_policy.app: got `%s`, want `%s`",
                                                          after.app.value(), app.value()));
      }
      break;
    }
    case pb::DiffPolicyRequest::kAfterRevision: {
      BK_RETURN_IF_ERROR(CheckRevision("after_revision", request.after_revision()));
      BK_ASSIGN_OR_RETURN(store::Record record, core_.Get(app, Revision{request.after_revision()}));
      after = std::get<McpPolicy>(*std::move(record.value));
      break;
    }
    case pb::DiffPolicyRequest::AFTER_NOT_SET:
      return absl::InvalidArgumentError("after: got nothing, want after_revision or after_policy");
  }
  BK_ASSIGN_OR_RETURN(const PolicyDiff diff, core_.Diff(app, Revision{request.before_revision()},
                                                        std::move(after), kMaxDiffCells));
  for (const DiffCell& cell : diff.cells) ToMessage(cell, *response.add_cells());
  response.set_total(static_cast<int32_t>(diff.total));
  response.set_loosened(static_cast<int32_t>(diff.loosened));
  return absl::OkStatus();
}

}  // namespace bridgekeeper::service
