// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"

namespace bridgekeeper::convert {
namespace {

CatalogKey ReadKey(const v1::CatalogKey& key, Problems& problems) {
  problems.CheckOptionalId("key.app", key.app());
  problems.CheckOptionalId("key.server", key.server());
  problems.CheckId("key.tool", key.tool());
  CatalogKey out;
  if (!key.app().empty()) out.app = AppId(key.app());
  if (!key.server().empty()) out.server = ServerId(key.server());
  out.tool = ToolName(key.tool());
  return out;
}

PayloadRule ReadRule(const v1::PayloadRule& rule, Problems& problems) {
  PayloadRule out;
  problems.CheckText("payload_rule.payload", rule.payload(), kMaxPayloadTemplateBytes);
  problems.CheckText("payload_rule.dialect", rule.dialect(), kMaxTypeBytes);
  out.payload = rule.payload();
  out.dialect = rule.dialect();
  const auto count = static_cast<size_t>(rule.harmless_arguments_size());
  if (problems.CheckCount("payload_rule.harmless_arguments", count, kMaxHarmlessArguments)) {
    for (const std::string& name : rule.harmless_arguments()) {
      if (name.empty()) {
        problems.Invalid("payload_rule.harmless_arguments", "got 0 bytes, want at least 1");
      }
      problems.CheckText("payload_rule.harmless_arguments", name, kMaxArgumentNameBytes);
      out.harmless_arguments.insert(name);
    }
  }
  return out;
}

// A cap allows payloads up to a risk, so the strictest reading of a value that
// this build does not know is the lowest one.
std::optional<Risk> ReadCap(v1::Risk cap) {
  if (cap == v1::RISK_UNSPECIFIED) return std::nullopt;
  return v1::Risk_IsValid(cap) ? FromProto(cap) : Risk::kSafe;
}

}  // namespace

v1::CatalogKey ToProto(const CatalogKey& key) {
  v1::CatalogKey out;
  if (key.app) out.set_app(key.app->value());
  if (key.server) out.set_server(key.server->value());
  out.set_tool(key.tool.value());
  return out;
}

v1::CatalogEntry ToProto(const CatalogEntry& entry) {
  v1::CatalogEntry out;
  *out.mutable_key() = ToProto(entry.key);
  out.set_risk(ToProto(entry.risk));
  out.set_needs_connection(ToProto(entry.needs_connection));
  out.set_connection_argument(entry.connection_argument);
  if (entry.payload_rule) {
    v1::PayloadRule& rule = *out.mutable_payload_rule();
    rule.set_payload(entry.payload_rule->payload);
    rule.set_dialect(entry.payload_rule->dialect);
    for (const std::string& name : entry.payload_rule->harmless_arguments) {
      rule.add_harmless_arguments(name);
    }
  }
  if (entry.cap) out.set_cap(ToProto(*entry.cap));
  out.set_raise(entry.raise);
  out.set_disabled(entry.disabled);
  out.set_reviewed(entry.reviewed);
  out.set_pin(entry.pin);
  out.set_builtin(entry.builtin);
  return out;
}

absl::StatusOr<CatalogKey> FromProto(const v1::CatalogKey& key) {
  Problems problems;
  CatalogKey out = ReadKey(key, problems);
  if (!problems.empty()) return problems.ToStatus();
  return out;
}

absl::StatusOr<CatalogEntry> FromProto(const v1::CatalogEntry& entry) {
  Problems problems;
  CatalogEntry out;
  out.key = ReadKey(entry.key(), problems);
  out.risk = FromProto(entry.risk());
  out.needs_connection = FromProto(entry.needs_connection());
  problems.CheckText("connection_argument", entry.connection_argument(), kMaxArgumentNameBytes);
  out.connection_argument = entry.connection_argument();
  if (entry.has_payload_rule()) out.payload_rule = ReadRule(entry.payload_rule(), problems);
  out.cap = ReadCap(entry.cap());
  out.raise = entry.raise();
  out.disabled = entry.disabled();
  out.reviewed = entry.reviewed();
  if (!entry.pin().empty()) problems.CheckDigest("pin", entry.pin());
  out.pin = entry.pin();
  // `builtin` is not read: only this program's own table makes an entry built-in.
  if (!problems.empty()) return problems.ToStatus();
  return out;
}

}  // namespace bridgekeeper::convert
