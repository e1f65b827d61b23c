// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/record_size.h"

#include <variant>

namespace bridgekeeper::service {
namespace {

// Tags and lengths of a string field; the small fields of a whole message.
constexpr size_t kFieldBytes = 2;
constexpr size_t kMessageBytes = 64;

template <typename Strings>
size_t BytesOf(const Strings& strings) {
  size_t bytes = 0;
  for (const auto& text : strings) bytes += text.size() + kFieldBytes;
  return bytes;
}

struct Sizer {
  size_t operator()(const McpPolicy& policy) const {
    size_t bytes = policy.app.value().size() + policy.suspend_reason.size();
    for (const ConnectionId& id : policy.allowed_connection_ids) {
      bytes += id.value().size() + kFieldBytes;
    }
    for (const auto& [id, override] : policy.connection_overrides) {
      bytes += id.value().size() + 4 * kFieldBytes;
    }
    return bytes + BytesOf(policy.audit.mask) + BytesOf(policy.requires_features);
  }
  size_t operator()(const CatalogEntry& entry) const {
    size_t bytes = entry.key.tool.value().size() + entry.connection_argument.size() +
                   entry.pin.size() + (entry.key.app ? entry.key.app->value().size() : 0) +
                   (entry.key.server ? entry.key.server->value().size() : 0);
    if (entry.payload_rule) {
      bytes += entry.payload_rule->payload.size() + entry.payload_rule->dialect.size() +
               BytesOf(entry.payload_rule->harmless_arguments);
    }
    return bytes;
  }
  size_t operator()(const ConnectionRecord& record) const {
    return record.app.value().size() + record.id.value().size() + record.name.size() +
           record.type.size() + (record.sql_mode ? record.sql_mode->size() : 0) +
           BytesOf(record.safe_functions) + BytesOf(record.databases);
  }
};

}  // namespace

size_t ApproximateBytes(const store::Record& record) {
  return kMessageBytes + record.author.size() + record.reason.size() +
         (record.value ? std::visit(Sizer{}, *record.value) : 0);
}

}  // namespace bridgekeeper::service
