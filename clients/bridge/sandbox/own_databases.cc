// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/own_databases.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/sandbox/sandbox_transport.h"
#include "clients/bridge/sandbox/tools.h"
#include "policy/guard/dialects.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::bridge {
namespace {

struct FaultRow {
  std::string_view code;  // of a RunError
  DatabaseFault fault;
};
constexpr FaultRow kFaults[] = {
    {"EVALUATION_FAULT", DatabaseFault::kDied},
    {"53200", DatabaseFault::kOutOfMemory},
    {"DUCKDB_OUT_OF_MEMORY", DatabaseFault::kOutOfMemory},
    {"SQLITE_NOMEM", DatabaseFault::kOutOfMemory},
    {"TIMEOUT", DatabaseFault::kLate},
    {"CONNECTION", DatabaseFault::kUnavailable},
    {"ROLE_RISK", DatabaseFault::kUnavailable},
    {"SCOPE", DatabaseFault::kUnavailable},
    {"OVERLOADED", DatabaseFault::kFull},
};

class OwnDatabasesOf : public OwnDatabases {
 public:
  explicit OwnDatabasesOf(std::vector<ConnectionConfig> connections)
      : connections_(std::move(connections)) {
    for (const ConnectionConfig& connection : connections_) {
      safe_functions_[connection.id.value()] = {connection.safe_functions.begin(),
                                                connection.safe_functions.end()};
    }
  }

  std::optional<std::string_view> TypeOf(std::string_view id) const override {
    const ConnectionConfig* connection = Find(id);
    return connection == nullptr ? std::nullopt : std::optional<std::string_view>(connection->type);
  }

  ReasonCode Refusal(const CompiledPolicy& policy, std::string_view tool, const Decision& decision,
                     const Judgement* judgement) const override {
    const ConnectionConfig* connection = Find(decision.connection);
    if (connection == nullptr) return ReasonCode::kUnspecified;  // the back end says so
    const ConnectionRecord* record = policy.FindConnection(decision.connection);
    if (record != nullptr && (FindDialect(record->type) != FindDialect(connection->type) ||
                              !record->standard_conforming_strings.value_or(true))) {
      return ReasonCode::kDialectUnknown;
    }
    const ToolRow* row = FindTool(tool);
    const bool only_reads = !connection->writes || (decision.obligations != nullptr &&
                                                    decision.obligations->read_only_session);
    if (row != nullptr && row->writes && only_reads) return ReasonCode::kReadOnlyBridge;
    const bool controls_transactions =
        judgement != nullptr &&
        std::any_of(judgement->effects.begin(), judgement->effects.end(),
                    [](const Effect& effect) { return effect.kind == effect::kTransaction; });
    return controls_transactions ? ReasonCode::kStatementExceedsTool : ReasonCode::kUnspecified;
  }

  const std::set<std::string>& SafeFunctionsOf(std::string_view connection) const override {
    static const std::set<std::string> kNone;
    const auto found = safe_functions_.find(connection);
    return found == safe_functions_.end() ? kNone : found->second;
  }

  std::optional<DatabaseFault> FaultOf(JsonValue result) const override {
    const auto error = Member(result.Find("_meta"), kErrorMetaKey);
    if (!error) return std::nullopt;
    const std::string_view code = TextOf(error->Find("code"));
    const auto* const row = std::find_if(std::begin(kFaults), std::end(kFaults),
                                         [&](const FaultRow& each) { return each.code == code; });
    return row == std::end(kFaults) ? std::nullopt : std::optional(row->fault);
  }

  std::optional<Judgement> FoundInCatalogue(JsonValue result) const override {
    const auto error = Member(result.Find("_meta"), kErrorMetaKey);
    if (!error || TextOf(error->Find("code")) != kUnknownEffect) return std::nullopt;
    const std::string_view why = TextOf(error->Find("message"));
    Judgement found;
    found.risk = ParseEnum<Risk>(TextOf(error->Find("risk"))).value_or(Risk::kDestructive);
    found.error = Judgement::Error::kNone;
    found.statements = 1;
    found.effects.push_back({.kind = std::string(effect::kUnknown),
                             .object = {},
                             .position = std::nullopt,
                             .risk = found.risk,
                             .why = std::string(why)});
    return found;
  }

 private:
  const ConnectionConfig* Find(std::string_view id) const {
    for (const ConnectionConfig& connection : connections_) {
      if (connection.id.value() == id) return &connection;
    }
    return nullptr;
  }

  const std::vector<ConnectionConfig> connections_;
  std::map<std::string, std::set<std::string>, std::less<>> safe_functions_;  // by connection
};

}  // namespace

std::unique_ptr<OwnDatabases> MakeOwnDatabases(std::vector<ConnectionConfig> connections) {
  return std::make_unique<OwnDatabasesOf>(std::move(connections));
}

}  // namespace bridgekeeper::bridge
