// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/sqlite/sqlite_backend.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "clients/bridge/sandbox/engine_workers.h"
#include "clients/bridge/sandbox/sqlite/sqlite_dsn.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

using enum SandboxTool;

constexpr std::string_view kMain = "main";

// A statement of ours; `parameter` names the argument that is ?1, empty: none.
struct Question {
  SandboxTool tool;
  std::string_view parameter;
  std::string_view sql;
  Shape shape = Shape::kList;
};

#define BK_NOT_INTERNAL " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "

constexpr Question kQuestions[] = {
    {kListDatabases, "", "SELECT 'main' AS name"},
    {kListSchemas, "", "SELECT 'main' AS name"},
    {kListTables, "",
     "SELECT 'main' AS schema, name, CASE WHEN sql LIKE 'create virtual%' THEN 'virtual table' "
     "ELSE 'table' END AS type FROM sqlite_master WHERE type = 'table'" BK_NOT_INTERNAL
     "ORDER BY name"},
    {kListViews, "",
     "SELECT 'main' AS schema, name FROM sqlite_master WHERE type = 'view' ORDER BY name"},
    {kDescribeTable, "table",
     "SELECT name, type, NOT \"notnull\" AS nullable, dflt_value AS \"default\", pk > 0 AS "
     "primary_key FROM pragma_table_xinfo(?1) ORDER BY cid"},
    {kGetTableInfo, "table",
     "SELECT 'main' AS schema, name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') "
     "AND name = ?1 COLLATE NOCASE"},
    {kListIndexes, "table",
     "SELECT l.name, l.\"unique\", l.origin, l.partial, m.sql AS definition FROM "
     "pragma_index_list(?1) l LEFT JOIN sqlite_master m ON m.type = 'index' AND m.name = l.name "
     "ORDER BY l.name"},
    {kListTriggers, "table",
     "SELECT name, sql AS definition FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1 "
     "COLLATE NOCASE ORDER BY name"},
    {kListForeignKeys, "table",
     "SELECT id, seq, \"from\" AS column, \"table\" AS references_table, \"to\" AS "
     "references_column, on_update, on_delete FROM pragma_foreign_key_list(?1) ORDER BY id, seq"},
    {kGetForeignKeys, "",
     "SELECT m.name AS \"table\", f.id, f.seq, f.\"from\" AS column, f.\"table\" AS "
     "references_table, f.\"to\" AS references_column FROM sqlite_master m, "
     "pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq"},
    {kGetSchema, "",
     "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL" BK_NOT_INTERNAL
     "ORDER BY type DESC, name",
     Shape::kText},
};

#undef BK_NOT_INTERNAL

class SqliteBackend : public Backend {
 public:
  SqliteBackend(SqliteOptions options, const Clock& clock, Logger& log)
      : options_(std::move(options)),
        workers_(kSqliteWorker, options_.program, options_.id, clock, log) {}

  std::optional<Statement> StatementFor(SandboxTool tool,
                                        const ToolArguments& arguments) const override {
    const auto argument = [&](std::string_view name) {
      const auto found = arguments.find(name);
      return found == arguments.end() ? std::string() : found->second;
    };
    Statement statement;
    // A database has no schemas but itself.
    statement.database = argument("schema").empty() ? argument("database") : argument("schema");
    if (RunsSqlOfCaller(tool)) {
      statement.sql = argument("sql");
      statement.writes = tool != kExecuteQuery;
      return statement;
    }
    if (tool == kExplainQuery) {
      statement.sql = "EXPLAIN QUERY PLAN " + argument("sql");
      return statement;
    }
    if (tool == kGetObjectDdl) {
      statement.sql =
          "SELECT sql || ';' FROM sqlite_master WHERE type = ?1 AND name = ?2 COLLATE NOCASE";
      statement.parameters = {AsciiLower(argument("object_type")), argument("object_name")};
      statement.shape = Shape::kText;
      return statement;
    }
    for (const Question& question : kQuestions) {
      if (question.tool != tool) continue;
      statement.sql = std::string(question.sql);
      statement.shape = question.shape;
      if (!question.parameter.empty()) {
        statement.parameters.emplace_back(argument(question.parameter));
      }
      return statement;
    }
    return std::nullopt;
  }

  RunResult Run(const Statement& statement, const RunLimits& limits,
                const StopSignal& stop) override {
    if (statement.writes && !options_.writes) {
      return RunError{"UNSUPPORTED", "this connection only reads"};
    }
    if (!statement.database.empty() && statement.database != kMain) {
      return RunError{"UNSUPPORTED", "the connection covers one database, `main`"};
    }
    const auto dsn = options_.dsn.Read();
    const absl::Status usable = dsn.ok() ? ParseSqliteDsn(dsn->Reveal()).status() : dsn.status();
    if (!usable.ok()) {
      return workers_.Failed({"CONNECTION", "the database is not configured"}, usable);
    }
    const auto run = [&](const Statement& one) {
      return workers_.Run({.dsn = dsn->Reveal(), .folder = {}, .statement = one, .limits = limits},
                          stop);
    };
    RunResult result = run(statement);
    if (statement.writes || !options_.writes || !IsReadOnlyError(result)) return result;
    // A writer that was killed leaves a journal, which a reader may not roll back.
    // Source: sqlite.org/lockingv3.html, "Dealing with hot journals".
    run({.sql = "SELECT 1 FROM sqlite_master", .writes = true});
    return run(statement);
  }

 private:
  static bool IsReadOnlyError(const RunResult& result) {
    const RunError* const error = std::get_if<RunError>(&result);
    return error != nullptr && error->code == "SQLITE_READONLY";
  }

  const SqliteOptions options_;
  EngineWorkers workers_;
};

}  // namespace

std::unique_ptr<Backend> MakeSqliteBackend(SqliteOptions options, const Clock& clock, Logger& log) {
  return std::make_unique<SqliteBackend>(std::move(options), clock, log);
}

}  // namespace bridgekeeper::bridge
