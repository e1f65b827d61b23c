// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/testing/samples.h"

#include <utility>

#include "absl/time/time.h"

namespace bridgekeeper::store {

McpPolicy SamplePolicy(std::string_view app, Mode mode) {
  McpPolicy policy;
  policy.app = AppId(app);
  policy.mode = mode;
  return policy;
}

CatalogEntry SampleEntry(std::string_view app, std::string_view server, std::string_view tool,
                         Risk risk) {
  CatalogEntry entry;
  if (!app.empty()) entry.key.app = AppId(app);
  if (!server.empty()) entry.key.server = ServerId(server);
  entry.key.tool = ToolName(tool);
  entry.risk = risk;
  return entry;
}

ConnectionRecord SampleConnection(std::string_view app, std::string_view id,
                                  std::string_view name) {
  ConnectionRecord record;
  record.app = AppId(app);
  record.id = ConnectionId(id);
  record.name = std::string(name);
  record.type = "postgres";
  return record;
}

McpPolicy FullPolicy(std::string_view app) {
  McpPolicy policy = SamplePolicy(app, Mode::kFullAccess);
  policy.allowed_connection_ids = {ConnectionId("prod-pg"), ConnectionId("stage/es:1")};
  policy.connection_overrides = {
      {ConnectionId("prod-pg"), {.read_only = true, .allowed_actions = std::nullopt}},
      {ConnectionId("stage/es:1"), {.read_only = false, .allowed_actions = std::set<Action>{}}},
      {ConnectionId("x"), {.allowed_actions = std::set{Action::kRead, Action::kDelete}}}};
  policy.confirm_destructive = false;
  policy.ask_mode = AskMode::kElicit;
  policy.suspended = true;
  policy.suspend_reason = "drill: \"αβγ\"\nline two";
  policy.unreviewed_tools = UnreviewedTools::kAsDestructive;
  policy.trust_read_only_hint = true;
  policy.pinning = Pinning::kWarn;
  policy.limits = {.max_rows = 1000,
                   .max_bytes = 1 << 20,
                   .timeout = absl::Milliseconds(1500),
                   .read_only_session = true};
  policy.max_staleness = absl::Hours(24);
  policy.resources = Passage::kDeny;
  policy.prompts = Passage::kAllow;
  policy.require_proven = true;
  policy.audit = {.store_arguments = true, .mask = {"/password", "/a/0"}, .send_statements = true};
  policy.requires_features = {"feature-one", "feature-two"};
  return policy;
}

CatalogEntry FullEntry(std::string_view app, std::string_view server, std::string_view tool) {
  CatalogEntry entry = SampleEntry(app, server, tool, Risk::kSafe);
  entry.needs_connection = NeedsConnection::kYes;
  entry.connection_argument = "connection_id";
  entry.payload_rule = PayloadRule{.payload = "GRANT {privilege} ON {object} TO {grantee}",
                                   .dialect = "postgres",
                                   .harmless_arguments = {"format", "limit"}};
  entry.cap = Risk::kElevated;
  entry.raise = true;
  entry.disabled = true;
  entry.reviewed = false;
  entry.pin = std::string(64, 'a');
  return entry;
}

ConnectionRecord FullConnection(std::string_view app, std::string_view id) {
  ConnectionRecord record = SampleConnection(app, id, "Orders, Ελλάδα");
  record.sql_mode = "ANSI_QUOTES";
  record.standard_conforming_strings = false;
  record.safe_functions = {"public.add(integer, integer)", "public.now_utc()"};
  record.databases = {"archive", "orders"};
  record.allow_sensitive_reads = true;
  return record;
}

Mutation Put(RecordValue value, std::optional<int64_t> expected_revision) {
  RecordKey key = KeyOf(value);
  return {std::move(key), std::move(value), expected_revision};
}

Mutation Delete(RecordKey key, std::optional<int64_t> expected_revision) {
  return {std::move(key), std::nullopt, expected_revision};
}

RecordKey PolicyKey(std::string_view app) { return RecordKey::Policy(AppId(app)); }

CommitOptions By(std::string_view author, std::string_view request_id) {
  return {.author = std::string(author),
          .reason = "because",
          .time = absl::FromUnixNanos(1'790'000'000'123'456'789),
          .request_id = std::string(request_id)};
}

}  // namespace bridgekeeper::store
