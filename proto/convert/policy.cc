// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"

namespace bridgekeeper::convert {
namespace {

// Quotes text of the sender for a field name, short and safe to show.
std::string Quoted(std::string_view text) { return EscapeForPeople(text, kMaxIdBytes); }

void CheckRange(std::string_view field, int64_t got, int64_t lowest, int64_t highest,
                Problems& problems) {
  if (got >= lowest && got <= highest) return;
  problems.Invalid(field, absl::StrFormat("got %d, want %d to %d", got, lowest, highest));
}

void CheckRange(std::string_view field, absl::Duration got, absl::Duration lowest,
                absl::Duration highest, Problems& problems) {
  if (got >= lowest && got <= highest) return;
  problems.Invalid(field,
                   absl::StrFormat("got %s, want %s to %s", absl::FormatDuration(got),
                                   absl::FormatDuration(lowest), absl::FormatDuration(highest)));
}

void CheckLimits(const v1::Limits& limits, Problems& problems) {
  if (limits.has_max_rows()) {
    CheckRange("limits.max_rows", limits.max_rows(), 1, kMaxRowsLimit, problems);
  }
  if (limits.has_max_bytes()) {
    CheckRange("limits.max_bytes", limits.max_bytes(), 1, kMaxBytesLimit, problems);
  }
  if (limits.has_timeout()) {
    CheckRange("limits.timeout", FromProto(limits.timeout()), kMinTimeoutLimit, kMaxTimeoutLimit,
               problems);
  }
}

// A JSON pointer is empty or a row of `/token` in which `~` stands only before 0 or
// 1 (RFC 6901, section 3).
bool IsJsonPointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') continue;
    if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
  }
  return true;
}

AuditOptions ReadAudit(const v1::AuditOptions& audit, Problems& problems) {
  AuditOptions out;
  out.store_arguments = audit.store_arguments();
  out.send_statements = audit.send_statements();
  const auto count = static_cast<size_t>(audit.mask_size());
  if (!problems.CheckCount("audit.mask", count, kMaxMaskPointers)) return out;
  for (const std::string& pointer : audit.mask()) {
    problems.CheckText("audit.mask", pointer, kMaxMaskPointerBytes);
    if (!IsJsonPointer(pointer)) {
      problems.Invalid("audit.mask", absl::StrFormat("got `%s`, want a JSON pointer (RFC 6901)",
                                                     Quoted(pointer)));
    }
    out.mask.push_back(pointer);
  }
  return out;
}

ConnectionOverride ReadOverride(std::string_view id, const v1::ConnectionOverride& in,
                                Problems& problems) {
  ConnectionOverride out;
  out.read_only = in.read_only();
  if (!in.has_allowed_actions()) return out;
  out.allowed_actions.emplace();
  for (const int number : in.allowed_actions().actions()) {
    // An action that this build does not know is no action that it may allow.
    const std::optional<Action> action = FromProto(static_cast<v1::Action>(number));
    if (!action) continue;
    if (!out.allowed_actions->insert(*action).second) {
      problems.Invalid(absl::StrFormat("connection_overrides.%s.allowed_actions", Quoted(id)),
                       absl::StrFormat("got `%s` twice, want each once", Name(*action)));
    }
  }
  return out;
}

void ReadConnections(const v1::Policy& policy, McpPolicy& out, Problems& problems) {
  const auto ids = static_cast<size_t>(policy.allowed_connection_ids_size());
  if (problems.CheckCount("allowed_connection_ids", ids, kMaxPolicyConnections)) {
    for (const std::string& id : policy.allowed_connection_ids()) {
      problems.CheckId("allowed_connection_ids", id);
      if (!out.allowed_connection_ids.insert(ConnectionId(id)).second) {
        problems.Invalid("allowed_connection_ids",
                         absl::StrFormat("got `%s` twice, want each once", Quoted(id)));
      }
    }
  }
  const size_t overrides = policy.connection_overrides().size();
  if (problems.CheckCount("connection_overrides", overrides, kMaxPolicyConnections)) {
    for (const auto& [id, override] : policy.connection_overrides()) {
      problems.CheckId("connection_overrides", id);
      out.connection_overrides.emplace(ConnectionId(id), ReadOverride(id, override, problems));
    }
  }
}

void ReadRequires(const v1::Policy& policy, McpPolicy& out, Problems& problems) {
  const auto count = static_cast<size_t>(policy.requires_features_size());
  if (!problems.CheckCount("requires", count, kMaxRequires)) return;
  for (const std::string& name : policy.requires_features()) {
    problems.CheckId("requires", name);
    out.requires_features.insert(name);
  }
}

}  // namespace

v1::Limits ToProto(const Limits& limits) {
  v1::Limits out;
  if (limits.max_rows) out.set_max_rows(*limits.max_rows);
  if (limits.max_bytes) out.set_max_bytes(*limits.max_bytes);
  if (limits.timeout) *out.mutable_timeout() = ToProto(*limits.timeout);
  out.set_read_only_session(limits.read_only_session);
  return out;
}

Limits FromProto(const v1::Limits& limits) {
  Limits out;
  if (limits.has_max_rows()) {
    out.max_rows = std::clamp<int64_t>(limits.max_rows(), 1, kMaxRowsLimit);
  }
  if (limits.has_max_bytes()) {
    out.max_bytes = std::clamp<int64_t>(limits.max_bytes(), 1, kMaxBytesLimit);
  }
  if (limits.has_timeout()) {
    out.timeout = std::clamp(FromProto(limits.timeout()), kMinTimeoutLimit, kMaxTimeoutLimit);
  }
  out.read_only_session = limits.read_only_session();
  return out;
}

v1::Policy ToProto(const McpPolicy& policy) {
  v1::Policy out;
  out.set_app(policy.app.value());
  out.set_mode(ToProto(policy.mode));
  for (const ConnectionId& id : policy.allowed_connection_ids) {
    out.add_allowed_connection_ids(id.value());
  }
  for (const auto& [id, override] : policy.connection_overrides) {
    v1::ConnectionOverride& to = (*out.mutable_connection_overrides())[id.value()];
    to.set_read_only(override.read_only);
    if (!override.allowed_actions) continue;
    v1::ActionSet& set = *to.mutable_allowed_actions();
    for (const Action action : *override.allowed_actions) set.add_actions(ToProto(action));
  }
  out.set_confirm_destructive(policy.confirm_destructive);
  out.set_ask_mode(ToProto(policy.ask_mode));
  out.set_suspended(policy.suspended);
  out.set_suspend_reason(policy.suspend_reason);
  out.set_unreviewed_tools(ToProto(policy.unreviewed_tools));
  out.set_trust_read_only_hint(policy.trust_read_only_hint);
  out.set_pinning(ToProto(policy.pinning));
  if (!policy.limits.empty()) *out.mutable_limits() = ToProto(policy.limits);
  *out.mutable_max_staleness() = ToProto(policy.max_staleness);
  if (policy.resources) out.set_resources(ToProto(*policy.resources));
  if (policy.prompts) out.set_prompts(ToProto(*policy.prompts));
  out.set_require_proven(policy.require_proven);
  if (policy.audit != AuditOptions{}) {
    v1::AuditOptions& audit = *out.mutable_audit();
    audit.set_store_arguments(policy.audit.store_arguments);
    for (const std::string& pointer : policy.audit.mask) audit.add_mask(pointer);
    audit.set_send_statements(policy.audit.send_statements);
  }
  for (const std::string& name : policy.requires_features) out.add_requires_features(name);
  return out;
}

absl::StatusOr<McpPolicy> FromProto(const v1::Policy& policy) {
  Problems problems;
  McpPolicy out;
  problems.CheckId("app", policy.app());
  out.app = AppId(policy.app());
  out.mode = FromProto(policy.mode());
  ReadConnections(policy, out, problems);
  out.confirm_destructive = !policy.has_confirm_destructive() || policy.confirm_destructive();
  out.ask_mode = FromProto(policy.ask_mode());
  out.suspended = policy.suspended();
  problems.CheckText("suspend_reason", policy.suspend_reason(), kMaxReasonBytes);
  out.suspend_reason = policy.suspend_reason();
  out.unreviewed_tools = FromProto(policy.unreviewed_tools());
  out.trust_read_only_hint = policy.trust_read_only_hint();
  out.pinning = FromProto(policy.pinning());
  CheckLimits(policy.limits(), problems);
  out.limits = FromProto(policy.limits());
  if (policy.has_max_staleness()) {
    out.max_staleness = FromProto(policy.max_staleness());
    CheckRange("max_staleness", out.max_staleness, kMinMaxStaleness, kMaxMaxStaleness, problems);
  }
  out.resources = FromProto(policy.resources());
  out.prompts = FromProto(policy.prompts());
  out.require_proven = policy.require_proven();
  out.audit = ReadAudit(policy.audit(), problems);
  ReadRequires(policy, out, problems);
  if (!problems.empty()) return problems.ToStatus();
  return out;
}

absl::Status CheckId(std::string_view field, std::string_view id) {
  Problems problems;
  problems.CheckId(field, id);
  return problems.ToStatus();
}

}  // namespace bridgekeeper::convert
