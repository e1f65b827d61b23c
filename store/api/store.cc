// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/api/store.h"

#include "policy/base/check.h"

namespace bridgekeeper::store {

RecordKey RecordKey::Policy(const AppId& app) {
  return {RecordKind::kPolicy, app.value(), "", ""};
}

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

}  // namespace bridgekeeper::store
