// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/api/store.h"

#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper::store {

RecordKey RecordKey::Policy(const AppId& app) { return {RecordKind::kPolicy, app.value(), "", ""}; }

RecordKey RecordKey::Catalog(const CatalogKey& key) {
  return {RecordKind::kCatalogEntry, key.app ? key.app->value() : "",
          key.server ? key.server->value() : "", key.tool.value()};
}

RecordKey RecordKey::Connection(const AppId& app, const ConnectionId& id) {
  return {RecordKind::kConnection, app.value(), "", id.value()};
}

CatalogKey RecordKey::ToCatalogKey() const {
  BK_CHECK(kind == RecordKind::kCatalogEntry);
  CatalogKey out;
  if (!app.empty()) out.app = AppId(app);
  if (!server.empty()) out.server = ServerId(server);
  out.tool = ToolName(id);
  return out;
}

RecordKey KeyOf(const RecordValue& value) {
  struct Visitor {
    RecordKey operator()(const McpPolicy& p) const { return RecordKey::Policy(p.app); }
    RecordKey operator()(const CatalogEntry& e) const { return RecordKey::Catalog(e.key); }
    RecordKey operator()(const ConnectionRecord& c) const {
      return RecordKey::Connection(c.app, c.id);
    }
  };
  return std::visit(Visitor{}, value);
}

bool IsValidKey(const RecordKey& key) {
  switch (key.kind) {
    case RecordKind::kPolicy:
      return IsValidId(key.app) && key.server.empty() && key.id.empty();
    case RecordKind::kCatalogEntry:
      return (key.app.empty() || IsValidId(key.app)) &&
             (key.server.empty() || IsValidId(key.server)) && IsValidToolName(key.id);
    case RecordKind::kConnection:
      return IsValidId(key.app) && key.server.empty() && IsValidId(key.id);
  }
  return false;
}

std::string Describe(const RecordKey& key) {
  const auto name = [](const std::string& id) {
    return id.empty() ? "*" : EscapeForPeople(id, 128);
  };
  switch (key.kind) {
    case RecordKind::kPolicy:
      return absl::StrFormat("policy `%s`", name(key.app));
    case RecordKind::kCatalogEntry:
      return absl::StrFormat("catalogue entry `%s`/`%s`/`%s`", name(key.app), name(key.server),
                             name(key.id));
    case RecordKind::kConnection:
      return absl::StrFormat("connection `%s`/`%s`", name(key.app), name(key.id));
  }
  return "record of an unknown kind";
}

}  // namespace bridgekeeper::store
