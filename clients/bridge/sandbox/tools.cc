// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/tools.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

using enum SandboxTool;

constexpr std::string_view kNoArguments;
constexpr std::string_view kPlace = "database schema";

constexpr ToolRow kTools[] = {
    {kDescribeTable, "sqlkit__describe_table", "Columns of a table: type, nullability, default.",
     "table", kPlace},
    {kExecuteDdl, "sqlkit__execute_ddl",
     "Run one statement that changes definitions, such as CREATE, ALTER or DROP.", "sql",
     kNoArguments, true},
    {kExecuteDelete, "sqlkit__execute_delete", "Run one DELETE or TRUNCATE statement.", "sql",
     kNoArguments, true},
    {kExecuteQuery, "sqlkit__execute_query",
     "Run one statement that only reads. The answer has `columns`, `rows` (objects by column), "
     "`rowCount` and `truncated`. Integers beyond 2^53, decimals and times are text; bytes are "
     "{\"$base64\": ...}.",
     "sql", kNoArguments},
    {kExecuteWrite, "sqlkit__execute_write", "Run one INSERT, UPDATE or MERGE statement.", "sql",
     kNoArguments, true},
    {kExplainQuery, "sqlkit__explain_query",
     "Show the plan of one statement without running it. Give the statement without EXPLAIN.",
     "sql", kNoArguments},
    {kGetForeignKeys, "sqlkit__get_foreign_keys", "Foreign keys of all tables.", kNoArguments,
     kPlace},
    {kGetObjectDdl, "sqlkit__get_object_ddl",
     "The definition of an object. `object_type`: table, view, materialized_view, index, sequence, "
     "function, procedure or trigger.",
     "object_name object_type", kPlace},
    {kGetSchema, "sqlkit__get_schema", "All tables and views with their columns, as text.",
     kNoArguments, kPlace},
    {kGetSlowQueries, "sqlkit__get_slow_queries", "The statements that took the most time.",
     kNoArguments, "database limit"},
    {kGetTableInfo, "sqlkit__get_table_info", "Kind, owner, size and estimated rows of a table.",
     "table", kPlace},
    {kGrantPrivilege, "sqlkit__grant_privilege", "GRANT a privilege on an object to a role.",
     "privilege object grantee", kNoArguments, true},
    {kKillSession, "sqlkit__kill_session", "End another session of the database.", "session_id",
     kNoArguments, true},
    {kListConnections, "sqlkit__list_connections",
     "The databases that may be named as `connection_id`.", kNoArguments, kNoArguments},
    {kListDatabases, "sqlkit__list_databases", "Databases of the server.", kNoArguments,
     kNoArguments},
    {kListForeignKeys, "sqlkit__list_foreign_keys", "Foreign keys of a table.", "table", kPlace},
    {kListFunctions, "sqlkit__list_functions", "Functions, without those of the engine.",
     kNoArguments, kPlace},
    {kListIndexes, "sqlkit__list_indexes", "Indexes of a table.", "table", kPlace},
    {kListProcedures, "sqlkit__list_procedures", "Procedures.", kNoArguments, kPlace},
    {kListSchemas, "sqlkit__list_schemas", "Schemas of the database.", kNoArguments, "database"},
    {kListSessions, "sqlkit__list_sessions", "Sessions of the database.", kNoArguments, "database"},
    {kListTables, "sqlkit__list_tables", "Tables.", kNoArguments, kPlace},
    {kListTriggers, "sqlkit__list_triggers", "Triggers of a table.", "table", kPlace},
    {kListViews, "sqlkit__list_views", "Views.", kNoArguments, kPlace},
    {kRevokePrivilege, "sqlkit__revoke_privilege", "REVOKE a privilege on an object from a role.",
     "privilege object grantee", kNoArguments, true},
};

// Calls `use` with each word of `words`.
template <typename Use>
void EachWord(std::string_view words, Use use) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    use(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

bool HasWord(std::string_view words, std::string_view word) {
  bool found = false;
  EachWord(words, [&](std::string_view each) { found = found || each == word; });
  return found;
}

void AppendSchema(const ToolRow& row, std::string& out) {
  JsonObject schema(out);
  schema.String("type", "object").Key("properties");
  std::string required;
  JsonObject properties(out);
  const auto add = [&](std::string_view name, bool is_required) {
    std::string type;
    JsonObject object(type);
    object.String("type", name == "limit" ? "integer" : "string");
    object.Close();
    properties.Raw(name, type);
    if (!is_required) return;
    if (!required.empty()) required += ',';
    required += JsonString(name);
  };
  if (row.tool != kListConnections) add(kConnectionArgument, true);
  EachWord(row.required, [&](std::string_view name) { add(name, true); });
  EachWord(row.optional, [&](std::string_view name) { add(name, false); });
  properties.Close();
  schema.Raw("required", "[" + required + "]").Bool("additionalProperties", false);
  schema.Close();
}

}  // namespace

std::span<const ToolRow> AllTools() { return kTools; }

const ToolRow* FindTool(std::string_view name) {
  if (name.starts_with(kToolPrefix)) name.remove_prefix(kToolPrefix.size());
  for (const ToolRow& row : kTools) {
    if (row.name.substr(kToolPrefix.size()) == name) return &row;
  }
  return nullptr;
}

bool RunsSqlOfCaller(SandboxTool tool) {
  return tool == kExecuteQuery || tool == kExecuteWrite || tool == kExecuteDelete ||
         tool == kExecuteDdl;
}

std::string ToolsJson() {
  std::string out = "[";
  for (const ToolRow& row : kTools) {
    if (out.size() > 1) out += ',';
    JsonObject tool(out);
    tool.String("name", row.name).String("description", row.description).Key("inputSchema");
    AppendSchema(row, out);
    tool.Close();
  }
  out += ']';
  return out;
}

absl::StatusOr<ToolArguments> ReadArguments(const ToolRow& row, JsonValue arguments) {
  ToolArguments read;
  for (const JsonValue argument : arguments) {
    const std::string_view name = argument.key();
    if (name == kConnectionArgument) continue;
    if (!HasWord(row.required, name) && !HasWord(row.optional, name)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("`%s`: the tool has no such argument", EscapeForPeople(name, 128)));
    }
    if (argument.is_null()) continue;
    const bool is_integer = name == "limit";
    if (is_integer ? !argument.is_number() || !argument.integer() : !argument.is_string()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("`%s`: want %s", name, is_integer ? "an integer" : "a string"));
    }
    const std::string_view value = is_integer ? argument.raw() : argument.string();
    // A C string ends there for some engines, and so would what was judged.
    if (value.find('\0') != std::string_view::npos) {
      return absl::InvalidArgumentError(absl::StrFormat("`%s`: got a NUL character", name));
    }
    read.emplace(name, value);
  }
  std::string_view missing;
  EachWord(row.required, [&](std::string_view name) {
    if (!read.contains(name)) missing = name;
  });
  if (!missing.empty()) {
    return absl::InvalidArgumentError(absl::StrFormat("`%s` is missing", missing));
  }
  return read;
}

}  // namespace bridgekeeper::bridge
