// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/server_api.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/model/limits.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "runtime/private_dir.h"
#include "service/rpc/record_messages.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

// A name that is one folder: no separator, and neither `.` nor `..` nor hidden.
bool IsFolderName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMaxIdBytes && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

void WriteLimits(pb::RequestLimits& out) {
  out.set_max_id_bytes(static_cast<int32_t>(kMaxIdBytes));
  out.set_max_arguments_bytes(static_cast<int32_t>(convert::kMaxArgumentsBytes));
  out.set_max_payload_bytes(static_cast<int32_t>(convert::kMaxPayloadBytes));
  out.set_max_batch_items(static_cast<int32_t>(convert::kMaxBatchItems));
  out.set_max_policy_batch_items(static_cast<int32_t>(convert::kMaxPolicyBatchItems));
  out.set_max_policy_connections(static_cast<int32_t>(convert::kMaxPolicyConnections));
  out.set_max_watch_apps(static_cast<int32_t>(convert::kMaxWatchApps));
  out.set_max_message_bytes(static_cast<int32_t>(convert::kMaxMessageBytes));
  out.set_max_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  out.set_max_json_depth(convert::kMaxJsonDepth);
}

}  // namespace

absl::Status ServerApi::GetServerInfo(const pb::GetServerInfoRequest&,
                                      pb::GetServerInfoResponse& response) {
  response.set_version(facts_.version);
  response.set_build(facts_.build);
  ToMessage(store_.Token(), *response.mutable_token());
  WriteLimits(*response.mutable_limits());
  // Features: none is known yet (IsKnownFeature).
  response.mutable_dialects()->Assign(facts_.dialects.begin(), facts_.dialects.end());
  response.set_dev_mode(facts_.dev_mode);
  *response.mutable_uptime() = convert::ToProto(clock_.SinceBoot() - started_);
  response.set_store(std::string(store_.name()));
  response.set_policies(store_.PolicyCount());
  return absl::OkStatus();
}

absl::Status ServerApi::Backup(const pb::BackupRequest& request, pb::BackupResponse& response) {
  if (facts_.backup_dir.empty()) {
    return absl::FailedPreconditionError(
        "this server has no `backup_dir`: set it, or start with a `data_dir`");
  }
  std::string name = request.name();
  if (name.empty()) {
    name = absl::StrFormat("%s-r%d",
                           absl::FormatTime("%Y%m%dT%H%M%SZ", clock_.Now(), absl::UTCTimeZone()),
                           store_.Token().revision.value);
  } else if (!IsFolderName(name)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "name: got `%s`, want 1 to %d bytes of [A-Za-z0-9._-] that do not begin with a dot",
        EscapeForPeople(name, kMaxIdBytes), kMaxIdBytes));
  }
  BK_RETURN_IF_ERROR(EnsurePrivateDir(facts_.backup_dir));
  const std::string path = facts_.backup_dir + "/" + name;
  BK_ASSIGN_OR_RETURN(const auto result, store_.Backup(path));
  response.set_path(path);
  ToMessage(result.token, *response.mutable_token());
  response.set_bytes(result.bytes);
  return absl::OkStatus();
}

}  // namespace bridgekeeper::service
