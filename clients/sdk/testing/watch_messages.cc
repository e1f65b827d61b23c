// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/testing/watch_messages.h"

#include <string>
#include <utility>

#include "proto/convert/convert.h"

namespace bridgekeeper::clients {
namespace {

v1::Change At(int64_t revision) {
  v1::Change change;
  change.set_revision(revision);
  return change;
}

CatalogKey KeyOf(std::string_view app, std::string_view server, std::string_view tool) {
  CatalogKey key;
  if (!app.empty()) key.app = AppId(app);
  if (!server.empty()) key.server = ServerId(server);
  key.tool = ToolName(tool);
  return key;
}

}  // namespace

v1::Change PolicyChange(int64_t revision, std::string_view app, Mode mode) {
  McpPolicy policy;
  policy.app = AppId(app);
  policy.mode = mode;
  v1::Change change = At(revision);
  *change.mutable_policy() = convert::ToProto(policy);
  return change;
}

v1::Change PolicyDeleted(int64_t revision, std::string_view app) {
  v1::Change change = At(revision);
  change.set_deleted_policy_app(std::string(app));
  return change;
}

v1::Change EntryChange(int64_t revision, std::string_view app, std::string_view server,
                       std::string_view tool, Risk risk) {
  CatalogEntry entry;
  entry.key = KeyOf(app, server, tool);
  entry.risk = risk;
  v1::Change change = At(revision);
  *change.mutable_catalog_entry() = convert::ToProto(entry);
  return change;
}

v1::Change EntryDeleted(int64_t revision, std::string_view app, std::string_view server,
                        std::string_view tool) {
  v1::Change change = At(revision);
  *change.mutable_deleted_catalog_key() = convert::ToProto(KeyOf(app, server, tool));
  return change;
}

v1::Change ConnectionChange(int64_t revision, std::string_view app, std::string_view id,
                            std::string_view type) {
  ConnectionRecord record;
  record.app = AppId(app);
  record.id = ConnectionId(id);
  record.type = std::string(type);
  v1::Change change = At(revision);
  *change.mutable_connection() = convert::ToProto(record);
  return change;
}

v1::Change ConnectionDeleted(int64_t revision, std::string_view app, std::string_view id) {
  v1::Change change = At(revision);
  change.mutable_deleted_connection()->set_app(std::string(app));
  change.mutable_deleted_connection()->set_id(std::string(id));
  return change;
}

v1::Change UnreadablePolicy(int64_t revision, std::string_view app) {
  v1::Change change = PolicyChange(revision, app);
  change.mutable_policy()->mutable_limits()->set_max_rows(0);
  change.mutable_policy()->mutable_max_staleness()->set_seconds(1);
  return change;
}

v1::WatchPoliciesResponse Changes(int64_t revision, std::vector<v1::Change> changes,
                                  std::string_view incarnation) {
  v1::WatchPoliciesResponse message;
  message.mutable_token()->set_incarnation(std::string(incarnation));
  message.mutable_token()->set_revision(revision);
  for (v1::Change& change : changes) *message.add_changes() = std::move(change);
  return message;
}

v1::WatchPoliciesResponse Heartbeat(int64_t revision, std::string_view incarnation) {
  return Changes(revision, {}, incarnation);
}

v1::WatchPoliciesResponse Snapshot(int64_t revision, std::vector<v1::Change> changes,
                                   std::string_view incarnation) {
  return SnapshotPart(revision, {.begin = true, .end = true}, std::move(changes), incarnation);
}

v1::WatchPoliciesResponse SnapshotPart(int64_t revision, Part part, std::vector<v1::Change> changes,
                                       std::string_view incarnation) {
  v1::WatchPoliciesResponse message = Changes(revision, std::move(changes), incarnation);
  message.set_snapshot(true);
  message.set_snapshot_begin(part.begin);
  message.set_snapshot_end(part.end);
  return message;
}

}  // namespace bridgekeeper::clients
