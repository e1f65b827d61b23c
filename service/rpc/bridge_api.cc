// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/bridge_api.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"
#include "runtime/sha256.h"
#include "service/core/paging.h"
#include "service/rpc/record_messages.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

constexpr size_t kBridgesPage = 200;
constexpr size_t kRunMarkBytes = 32;

// A tool that a stranger's server lists may be anything; one that can be no key of
// the catalogue is left out, and counted.
bool IsUsable(const pb::ReportedTool& tool) {
  convert::Problems problems;
  problems.CheckId("tool", tool.tool());
  problems.CheckDigest("digest", tool.digest());
  if (!problems.empty()) return false;
  if (tool.definition_cut() || tool.definition_json().size() > convert::kMaxDefinitionBytes) {
    return true;
  }
  const auto definition =
      JsonDocument::Parse(tool.definition_json(), {.max_depth = convert::kMaxJsonDepth});
  // Who approves a digest approves what is shown beside it.
  return definition.ok() && definition->root().is_object() &&
         tool.digest() == Sha256Hex(CanonicalJson(definition->root()));
}

void CheckRun(std::string_view run, convert::Problems& problems) {
  const bool is_hex = std::all_of(run.begin(), run.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (run.size() == kRunMarkBytes && is_hex) return;
  problems.Invalid("run", absl::StrFormat("got `%s`, want %d lower-case hexadecimal digits",
                                          EscapeForPeople(run, 2 * kRunMarkBytes), kRunMarkBytes));
}

void CheckCounter(std::string_view field, int64_t got, convert::Problems& problems) {
  if (got < 0) problems.Invalid(field, absl::StrFormat("got %d, want 0 or more", got));
}

void ToMessage(const BridgeInfo& info, pb::Bridge& out) {
  out.set_name(info.name);
  out.mutable_apps()->Assign(info.apps.begin(), info.apps.end());
  out.set_version(info.version);
  service::ToMessage(info.token, *out.mutable_token());
  *out.mutable_policy_age() = convert::ToProto(info.policy_age);
  out.set_decisions(info.decisions);
  out.set_denials(info.denials);
  out.set_dropped_reports(info.dropped_reports);
  *out.mutable_last_seen() = convert::ToProto(info.last_seen);
  out.mutable_features()->Assign(info.features.begin(), info.features.end());
}

}  // namespace

absl::Status BridgeApi::ReportTools(const pb::ReportToolsRequest& request,
                                    pb::ReportToolsResponse& response) {
  convert::Problems problems;
  problems.CheckId("bridge", request.bridge());
  problems.CheckId("app", request.app());
  problems.CheckId("server", request.server());
  if (!problems.empty()) return problems.ToStatus();

  std::vector<ReportedTool> tools;
  size_t unusable = 0;
  for (const pb::ReportedTool& tool : request.tools()) {
    if (!IsUsable(tool)) {
      ++unusable;
      continue;
    }
    tools.push_back({.tool = tool.tool(),
                     .digest = tool.digest(),
                     .definition_json = tool.definition_cut() ? "" : tool.definition_json(),
                     .definition_cut = tool.definition_cut()});
  }
  const ReportedTools::Result result =
      reported_.Report({AppId(request.app()), ServerId(request.server())},
                       request.builtin_catalog(), std::move(tools));
  response.set_kept(static_cast<int32_t>(result.kept));
  response.set_dropped(static_cast<int32_t>(result.dropped + unusable));
  return absl::OkStatus();
}

absl::Status BridgeApi::ReportDecisions(const pb::ReportDecisionsRequest& request,
                                        pb::ReportDecisionsResponse& response) {
  const auto count = static_cast<size_t>(request.records_size());
  convert::Problems problems;
  problems.CheckId("bridge", request.bridge());
  CheckRun(request.run(), problems);
  if (count == 0) problems.Invalid("records", "got 0 items, want at least 1");
  problems.CheckCount("records", count, convert::kMaxBatchItems);
  CheckCounter("dropped", request.dropped(), problems);
  int64_t last = 0;
  std::vector<ReportedDecision> decisions;
  decisions.reserve(count);
  for (const pb::DecisionRecord& record : request.records()) {
    if (record.sequence() <= last) {
      problems.Invalid("records", absl::StrFormat("got sequence %d after %d, want them to rise",
                                                  record.sequence(), last));
    }
    last = record.sequence();
    decisions.push_back({record.sequence(), convert::FromProto(record.decision().verdict()),
                         convert::FromProto(record.decision().reason_code())});
  }
  if (!problems.empty()) return problems.ToStatus();
  response.set_acknowledged(
      bridges_.Report(request.bridge(), request.run(), decisions, request.dropped()));
  return absl::OkStatus();
}

absl::Status BridgeApi::Heartbeat(const pb::HeartbeatRequest& request,
                                  pb::HeartbeatResponse& response) {
  const pb::Bridge& bridge = request.bridge();
  convert::Problems problems;
  problems.CheckId("bridge.name", bridge.name());
  problems.CheckText("bridge.version", bridge.version(), convert::kMaxClientVersionBytes);
  problems.CheckText("bridge.token.incarnation", bridge.token().incarnation(), kRunMarkBytes);
  if (problems.CheckCount("bridge.apps", static_cast<size_t>(bridge.apps_size()),
                          convert::kMaxWatchApps)) {
    for (const std::string& app : bridge.apps()) problems.CheckId("bridge.apps", app);
  }
  if (problems.CheckCount("bridge.features", static_cast<size_t>(bridge.features_size()),
                          convert::kMaxRequires)) {
    for (const std::string& name : bridge.features()) problems.CheckId("bridge.features", name);
  }
  CheckCounter("bridge.token.revision", bridge.token().revision(), problems);
  CheckCounter("bridge.decisions", bridge.decisions(), problems);
  CheckCounter("bridge.denials", bridge.denials(), problems);
  CheckCounter("bridge.dropped_reports", bridge.dropped_reports(), problems);
  const absl::Duration policy_age = convert::FromProto(bridge.policy_age());
  if (policy_age < absl::ZeroDuration()) {
    problems.Invalid("bridge.policy_age",
                     absl::StrFormat("got %s, want 0 or more", absl::FormatDuration(policy_age)));
  }
  if (!problems.empty()) return problems.ToStatus();

  bridges_.Heartbeat({.name = bridge.name(),
                      .apps = {bridge.apps().begin(), bridge.apps().end()},
                      .version = bridge.version(),
                      .token = {bridge.token().incarnation(), Revision{bridge.token().revision()}},
                      .policy_age = policy_age,
                      .decisions = bridge.decisions(),
                      .denials = bridge.denials(),
                      .dropped_reports = bridge.dropped_reports(),
                      .features = {bridge.features().begin(), bridge.features().end()}});
  *response.mutable_interval() = convert::ToProto(kBridgeHeartbeatInterval);
  return absl::OkStatus();
}

absl::Status BridgeApi::ListBridges(const pb::ListBridgesRequest& request,
                                    pb::ListBridgesResponse& response) {
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kBridgesPage));
  std::string after;
  if (!request.page_token().empty()) {
    BK_ASSIGN_OR_RETURN(auto parts, DecodePageToken(request.page_token(), 1));
    after = std::move(parts[0]);
  }
  const std::vector<BridgeInfo> bridges = bridges_.List(after, size + 1);
  for (size_t i = 0; i < std::min(size, bridges.size()); ++i) {
    ToMessage(bridges[i], *response.add_bridges());
  }
  if (bridges.size() > size) {
    response.set_next_page_token(EncodePageToken({bridges[size - 1].name}));
  }
  return absl::OkStatus();
}

}  // namespace bridgekeeper::service
