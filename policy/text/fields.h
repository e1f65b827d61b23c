// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The fields of each document, once: their names in documents, where they live in
// the model, and their range. A visitor reads, prints or lists them; see Reader in
// document.cc and Writer in print.cc.
//
// `Model` is const for visitors that only look.
//
// Source: policy/spec.md, clauses T4 to T6; ranges: policy/model/limits.h.

#ifndef BRIDGEKEEPER_POLICY_TEXT_FIELDS_H_
#define BRIDGEKEEPER_POLICY_TEXT_FIELDS_H_

#include <concepts>
#include <type_traits>

#include "policy/model/limits.h"
#include "policy/model/policy.h"

namespace bridgekeeper::text_internal {

template <typename Visitor, typename Model>
void VisitOverride(Visitor& v, Model& m) {
  v.Bool("read_only", m.read_only);
  v.Actions("allowed_actions", m.allowed_actions);
}

template <typename Visitor, typename Model>
void VisitLimits(Visitor& v, Model& m) {
  v.Integer("max_rows", m.max_rows, 1, kMaxRowsLimit);
  v.Integer("max_bytes", m.max_bytes, 1, kMaxBytesLimit);
  v.Time("timeout", m.timeout, kMinTimeoutLimit, kMaxTimeoutLimit);
  v.Bool("read_only_session", m.read_only_session);
}

template <typename Visitor, typename Model>
void VisitAudit(Visitor& v, Model& m) {
  v.Bool("store_arguments", m.store_arguments);
  v.Pointers("mask", m.mask, kMaxMaskPointers, kMaxMaskPointerBytes);
  v.Bool("send_statements", m.send_statements);
}

template <typename Visitor, typename Model>
void VisitFields(Visitor& v,
                 Model& m) requires std::same_as<std::remove_const_t<Model>, McpPolicy> {
  v.App("app", m.app);
  v.Enum("mode", m.mode);
  v.Ids("allowed_connection_ids", m.allowed_connection_ids, kMaxPolicyConnections);
  v.Overrides("connection_overrides", m.connection_overrides, kMaxPolicyConnections);
  v.Bool("confirm_destructive", m.confirm_destructive);
  v.Enum("ask_mode", m.ask_mode);
  v.Bool("suspended", m.suspended);
  v.Text("suspend_reason", m.suspend_reason, 0, kMaxReasonBytes);
  v.Enum("unreviewed_tools", m.unreviewed_tools);
  v.Bool("trust_read_only_hint", m.trust_read_only_hint);
  v.Enum("pinning", m.pinning);
  v.Object("limits", m.limits, [](auto& inner, auto& limits) { VisitLimits(inner, limits); });
  v.Time("max_staleness", m.max_staleness, kMinMaxStaleness, kMaxMaxStaleness);
  v.Enum("resources", m.resources);
  v.Enum("prompts", m.prompts);
  v.Bool("require_proven", m.require_proven);
  v.Object("audit", m.audit, [](auto& inner, auto& audit) { VisitAudit(inner, audit); });
  v.Features("requires", m.requires_features, kMaxRequires);
}

template <typename Visitor, typename Model>
void VisitPayloadRule(Visitor& v, Model& m) {
  v.Text("payload", m.payload, 0, kMaxPayloadTemplateBytes);
  v.Text("dialect", m.dialect, 0, kMaxTypeBytes);
  v.Texts("harmless_arguments", m.harmless_arguments, kMaxHarmlessArguments, kMaxArgumentNameBytes,
          kMaxHarmlessArguments * kMaxArgumentNameBytes);
  v.Need("payload");
}

template <typename Visitor, typename Model>
void VisitFields(Visitor& v,
                 Model& m) requires std::same_as<std::remove_const_t<Model>, CatalogEntry> {
  v.Scope("app", m.key.app);
  v.Scope("server", m.key.server);
  v.Id("tool", m.key.tool);
  v.Enum("risk", m.risk);
  v.Enum("needs_connection", m.needs_connection);
  v.Text("connection_argument", m.connection_argument, 0, kMaxArgumentNameBytes);
  v.Object("payload_rule", m.payload_rule,
           [](auto& inner, auto& rule) { VisitPayloadRule(inner, rule); });
  v.Enum("cap", m.cap);
  v.Bool("raise", m.raise);
  v.Bool("disabled", m.disabled);
  v.Bool("reviewed", m.reviewed);
  v.Digest("pin", m.pin);
  v.Need("tool");
  v.Need("risk");
}

template <typename Visitor, typename Model>
void VisitFields(Visitor& v,
                 Model& m) requires std::same_as<std::remove_const_t<Model>, ConnectionRecord> {
  v.App("app", m.app);
  v.Id("id", m.id);
  v.Text("name", m.name, 0, kMaxConnectionNameBytes);
  v.Text("type", m.type, 0, kMaxTypeBytes);
  v.Text("sql_mode", m.sql_mode, 0, kMaxSqlModeBytes);
  v.Bool("standard_conforming_strings", m.standard_conforming_strings);
  v.Texts("safe_functions", m.safe_functions, kMaxSafeFunctions, kMaxSafeFunctionBytes,
          kMaxSafeFunctionsBytes);
  v.Texts("databases", m.databases, kMaxDatabases, kMaxDatabaseBytes,
          kMaxDatabases * kMaxDatabaseBytes);
  v.Bool("allow_sensitive_reads", m.allow_sensitive_reads);
  v.Need("id");
}

}  // namespace bridgekeeper::text_internal

#endif  // BRIDGEKEEPER_POLICY_TEXT_FIELDS_H_
