// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/decision_api.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"
#include "service/core/paging.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

using convert::CheckedCall;

constexpr size_t kToolsPage = 500;
constexpr size_t kIncarnationBytes = 32;

pb::CheckOutcome::Result ToProto(CheckOutcome::Result result) {
  switch (result) {
    case CheckOutcome::Result::kPassed:
      return pb::CheckOutcome::RESULT_PASSED;
    case CheckOutcome::Result::kFailed:
      return pb::CheckOutcome::RESULT_FAILED;
    case CheckOutcome::Result::kNotReached:
      return pb::CheckOutcome::RESULT_UNSPECIFIED;
  }
  return pb::CheckOutcome::RESULT_UNSPECIFIED;
}

void ToMessage(const std::string& name, const ListedTool& tool, pb::Tool& out) {
  out.set_name(name);
  out.set_risk(convert::ToProto(tool.risk));
  out.set_read_only_hint(tool.annotations.read_only_hint);
  out.set_destructive_hint(tool.annotations.destructive_hint);
  out.set_idempotent_hint(tool.annotations.idempotent_hint);
  out.set_open_world_hint(tool.annotations.open_world_hint);
}

}  // namespace

void DecisionApi::Answer(const DecisionOutcome& outcome, const ToolCall& call, pb::Decision& out) {
  convert::ToProto(outcome.decision, outcome.ask_mode(),
                   ReasonText(outcome.app.view(), call, outcome.decision),
                   outcome.policy_revision(), outcome.catalog_revision(), out);
  out.set_decision_id(core_.NextId());
}

void DecisionApi::AnswerMalformed(const absl::Status& status, Transport transport,
                                  pb::Decision& out) {
  convert::ToProto(core_.Malformed(transport), AskMode::kApproval,
                   absl::StrFormat("The request is not well-formed: %s.", AsStd(status.message())),
                   Revision{}, Revision{}, out);
  out.set_decision_id(core_.NextId());
}

std::optional<absl::Status> DecisionApi::TryDecide(const pb::DecideRequest& request,
                                                   pb::DecideResponse& response) {
  CheckedCall checked;
  if (absl::Status status = CheckedCall::Read(request.call(), checked); !status.ok()) {
    return status;
  }
  std::optional<absl::StatusOr<AppState>> app = core_.TryLoad(checked.app());
  if (!app) return std::nullopt;
  if (!app->ok()) return app->status();
  const auto outcome = core_.TryDecide(**std::move(app), checked.call(), Transport::kUnary);
  if (!outcome) return std::nullopt;
  Answer(*outcome, checked.call(), *response.mutable_decision());
  return absl::OkStatus();
}

absl::Status DecisionApi::Decide(const pb::DecideRequest& request, pb::DecideResponse& response) {
  CheckedCall checked;
  BK_RETURN_IF_ERROR(CheckedCall::Read(request.call(), checked));
  BK_ASSIGN_OR_RETURN(AppState app, core_.Load(checked.app()));
  Answer(core_.Decide(std::move(app), checked.call(), Transport::kUnary), checked.call(),
         *response.mutable_decision());
  return absl::OkStatus();
}

std::optional<absl::Status> DecisionApi::TryDecideItem(const pb::DecideStreamRequest& request,
                                                       pb::DecideStreamResponse& response) {
  pb::Decision& out = *response.mutable_decision();
  CheckedCall checked;
  if (absl::Status status = CheckedCall::Read(request.call(), checked); !status.ok()) {
    AnswerMalformed(status, Transport::kStream, out);
    return absl::OkStatus();
  }
  std::optional<absl::StatusOr<AppState>> app = core_.TryLoad(checked.app());
  if (!app) return std::nullopt;
  if (!app->ok()) return app->status();
  const auto outcome = core_.TryDecide(**std::move(app), checked.call(), Transport::kStream);
  if (!outcome) return std::nullopt;
  Answer(*outcome, checked.call(), out);
  return absl::OkStatus();
}

absl::Status DecisionApi::DecideItem(const pb::DecideStreamRequest& request,
                                     pb::DecideStreamResponse& response) {
  pb::Decision& out = *response.mutable_decision();
  CheckedCall checked;
  if (absl::Status status = CheckedCall::Read(request.call(), checked); !status.ok()) {
    AnswerMalformed(status, Transport::kStream, out);
    return absl::OkStatus();
  }
  BK_ASSIGN_OR_RETURN(AppState app, core_.Load(checked.app()));
  Answer(core_.Decide(std::move(app), checked.call(), Transport::kStream), checked.call(), out);
  return absl::OkStatus();
}

absl::Status DecisionApi::DecideBatch(const pb::DecideBatchRequest& request,
                                      pb::DecideBatchResponse& response) {
  const auto count = static_cast<size_t>(request.calls_size());
  convert::Problems problems;
  if (count == 0) problems.Invalid("calls", "got 0 items, want at least 1");
  problems.CheckCount("calls", count, convert::kMaxBatchItems);
  if (!problems.empty()) return problems.ToStatus();

  // Each app is looked up once, so that all its calls are decided on one snapshot.
  StringMap<AppState> apps;
  response.mutable_decisions()->Reserve(request.calls_size());
  for (const pb::ToolCall& call : request.calls()) {
    pb::Decision& out = *response.add_decisions();
    CheckedCall checked;
    if (absl::Status status = CheckedCall::Read(call, checked); !status.ok()) {
      AnswerMalformed(status, Transport::kBatch, out);
      continue;
    }
    auto it = apps.find(checked.app());
    if (it == apps.end()) {
      BK_ASSIGN_OR_RETURN(AppState app, core_.Load(checked.app()));
      it = apps.emplace(std::string(checked.app()), std::move(app)).first;
    }
    Answer(core_.Decide(it->second, checked.call(), Transport::kBatch), checked.call(), out);
  }
  return absl::OkStatus();
}

absl::Status DecisionApi::Explain(const pb::ExplainRequest& request,
                                  pb::ExplainResponse& response) {
  CheckedCall checked;
  BK_RETURN_IF_ERROR(CheckedCall::Read(request.call(), checked));
  DecisionOutcome outcome;
  BK_ASSIGN_OR_RETURN(const Explanation explanation,
                      core_.Explain(checked.app(), checked.call(), outcome.app));
  outcome.decision = explanation.decision;
  Answer(outcome, checked.call(), *response.mutable_decision());
  if (explanation.entry) *response.mutable_entry() = convert::ToProto(*explanation.entry);
  for (const CheckOutcome& check : explanation.checks) {
    pb::CheckOutcome& out = *response.add_checks();
    out.set_name(check.name);
    out.set_result(ToProto(check.result));
    out.set_reason_code(convert::ToProto(check.reason));
    out.set_detail(check.detail);
  }
  if (explanation.judgement) {
    *response.mutable_judgement() = convert::ToProto(*explanation.judgement);
  }
  return absl::OkStatus();
}

absl::Status DecisionApi::ListTools(const pb::ListToolsRequest& request,
                                    pb::ListToolsResponse& response) {
  convert::Problems problems;
  problems.CheckId("app", request.app());
  ListContext context{.builtin_catalog = request.builtin_catalog(),
                      .read_only = request.read_only()};
  if (request.has_server()) {
    problems.CheckId("server", request.server());
    context.server = request.server();
  }
  if (request.has_connection_id()) {
    problems.CheckId("connection_id", request.connection_id());
    context.fixed_connection = request.connection_id();
  }
  if (!problems.empty()) return problems.ToStatus();
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kToolsPage));
  std::string after;
  if (!request.page_token().empty()) {
    BK_ASSIGN_OR_RETURN(auto parts, DecodePageToken(request.page_token(), 1));
    after = std::move(parts[0]);
  }

  BK_ASSIGN_OR_RETURN(const DecisionCore::Listing tools, core_.ListTools(request.app(), context));
  for (const ListedTool& tool : tools.listing.shown) {
    const std::string& name = tools.names[tool.index];
    if (name <= after) continue;
    if (static_cast<size_t>(response.tools_size()) == size) {
      response.set_next_page_token(
          EncodePageToken({response.tools(response.tools_size() - 1).name()}));
      break;
    }
    ToMessage(name, tool, *response.add_tools());
  }
  response.set_notice(tools.listing.notice);
  response.set_hidden(static_cast<int32_t>(tools.listing.hidden.size()));
  if (tools.app.policy != nullptr) {
    response.set_policy_revision(tools.app.policy->policy_revision().value);
  }
  return absl::OkStatus();
}

absl::StatusOr<WatchRequest> DecisionApi::ReadWatch(const pb::WatchPoliciesRequest& request) {
  convert::Problems problems;
  const auto count = static_cast<size_t>(request.apps_size());
  if (count == 0) problems.Invalid("apps", "got 0 items, want at least 1");
  if (problems.CheckCount("apps", count, convert::kMaxWatchApps)) {
    for (const std::string& app : request.apps()) problems.CheckId("apps", app);
  }
  if (!request.bridge().empty()) problems.CheckId("bridge", request.bridge());
  if (request.resume_after().revision() < 0) {
    problems.Invalid("resume_after.revision",
                     absl::StrFormat("got %d, want 0 or more", request.resume_after().revision()));
  }
  problems.CheckText("resume_after.incarnation", request.resume_after().incarnation(),
                     kIncarnationBytes);
  if (!problems.empty()) return problems.ToStatus();

  WatchRequest out;
  out.apps.insert(request.apps().begin(), request.apps().end());
  if (request.has_resume_after()) {
    out.resume_after = {request.resume_after().incarnation(),
                        Revision{request.resume_after().revision()}};
  }
  return out;
}

}  // namespace bridgekeeper::service
