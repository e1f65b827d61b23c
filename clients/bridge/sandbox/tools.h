// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The tools of a built-in back end: names, arguments and descriptions, one row each.
// The names are those that clients of data-studio know; their risks are the built-in
// catalogue's (policy/catalog), which says nothing of a tool that has no row there.
//
// Thread safety: free functions without state.
// Source: data-studio-mcp 0.1.12 and sqlkit, tools.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_TOOLS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_TOOLS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/base/json.h"

namespace bridgekeeper::bridge {

// What every tool's name begins with; a client may leave it out.
inline constexpr std::string_view kToolPrefix = "sqlkit__";
// The argument that chooses the connection.
inline constexpr std::string_view kConnectionArgument = "connection_id";

enum class SandboxTool : uint8_t {
  kDescribeTable,
  kExecuteDdl,
  kExecuteDelete,
  kExecuteQuery,
  kExecuteWrite,
  kExplainQuery,
  kGetForeignKeys,
  kGetObjectDdl,
  kGetSchema,
  kGetSlowQueries,
  kGetTableInfo,
  kGrantPrivilege,
  kKillSession,
  kListConnections,
  kListDatabases,
  kListForeignKeys,
  kListFunctions,
  kListIndexes,
  kListProcedures,
  kListSchemas,
  kListSessions,
  kListTables,
  kListTriggers,
  kListViews,
  kRevokePrivilege,
};

struct ToolRow {
  SandboxTool tool;
  std::string_view name;  // with the prefix
  std::string_view description;
  std::string_view required;  // arguments, with a space between
  std::string_view optional;
  // Works on the write path: only where the connection allows writes.
  bool writes = false;
};

// All of them, in the order of their names.
std::span<const ToolRow> AllTools();

// The row of a tool by its name, with or without the prefix; null: none.
const ToolRow* FindTool(std::string_view name);

// Whether its argument `sql` is the statement itself.
bool RunsSqlOfCaller(SandboxTool tool);

// `tools` of a tools/list, a JSON array.
std::string ToolsJson();

// Arguments by name; what was null is not there.
using ToolArguments = std::map<std::string, std::string, std::less<>>;

// Reads the arguments of a call, the connection left out: `limit` is an integer, all
// else text.
//
// Errors:
//   kInvalidArgument - one is missing, unknown, or of another kind; the message names it.
absl::StatusOr<ToolArguments> ReadArguments(const ToolRow& row, JsonValue arguments);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_TOOLS_H_
