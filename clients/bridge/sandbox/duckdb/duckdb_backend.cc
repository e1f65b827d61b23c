// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/duckdb/duckdb_backend.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/bridge/sandbox/call_folder.h"
#include "clients/bridge/sandbox/duckdb/duckdb_dsn.h"
#include "clients/bridge/sandbox/engine_workers.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

using enum SandboxTool;

// Statements of ours. $1 is the database that was named or NULL, $2 the schema, $3 the
// table or object where the tool has one. Our own catalogues and the empty database in
// which the set-up's views live, where it has none, are left out.
#define BK_WITHIN                                                                           \
  " WHERE NOT internal AND ($1::VARCHAR IS NULL OR database_name = $1) AND ($2::VARCHAR IS" \
  " NULL OR schema_name = $2) "
// Of tables that have no `internal`: what is listed there is never ours.
#define BK_AT                                                                                  \
  " WHERE ($1::VARCHAR IS NULL OR database_name = $1) AND ($2::VARCHAR IS NULL OR schema_name" \
  " = $2) "
#define BK_OF_TABLE "AND lower(table_name) = lower($3) "

struct Question {
  SandboxTool tool;
  std::string_view named;  // the argument that is $3; empty: it has only two
  std::string_view sql;
  Shape shape = Shape::kList;
};

constexpr Question kQuestions[] = {
    {kListDatabases, "",
     "SELECT database_name AS name, type, readonly AS read_only FROM duckdb_databases()"
     " WHERE NOT internal AND ($1::VARCHAR IS NULL OR $1 = database_name) AND $2::VARCHAR IS NULL"
     " ORDER BY name"},
    {kListSchemas, "",
     "SELECT database_name AS database, schema_name AS name FROM duckdb_schemas()" BK_AT
     "AND database_name NOT IN ('system', 'temp') AND schema_name NOT IN ('information_schema',"
     " 'pg_catalog') ORDER BY database, name"},
    {kListTables, "",
     "SELECT database_name AS database, schema_name AS schema, table_name AS name, 'table' AS"
     " type, comment FROM duckdb_tables()" BK_WITHIN "ORDER BY database, schema, name"},
    {kListViews, "",
     "SELECT database_name AS database, schema_name AS schema, view_name AS name, comment FROM"
     " duckdb_views()" BK_WITHIN "ORDER BY database, schema, name"},
    {kDescribeTable, "table",
     "SELECT column_name AS name, data_type AS type, is_nullable AS nullable, column_default AS"
     " \"default\", comment FROM duckdb_columns()" BK_WITHIN BK_OF_TABLE
     "ORDER BY database_name, schema_name, column_index"},
    {kGetTableInfo, "table",
     "SELECT database_name AS database, schema_name AS schema, table_name AS name, 'table' AS"
     " type, estimated_size AS estimated_rows, column_count AS columns, has_primary_key, comment"
     " FROM duckdb_tables()" BK_WITHIN BK_OF_TABLE
     "UNION ALL SELECT database_name, schema_name, view_name, 'view', NULL, column_count, false,"
     " comment FROM duckdb_views()" BK_WITHIN "AND lower(view_name) = lower($3)"},
    {kListIndexes, "table",
     "SELECT index_name AS name, is_unique AS \"unique\", is_primary AS \"primary\", sql AS"
     " definition FROM duckdb_indexes()" BK_AT BK_OF_TABLE "ORDER BY name"},
    {kListForeignKeys, "table",
     "SELECT constraint_name AS name, constraint_column_names AS columns, referenced_table AS"
     " references_table, referenced_column_names AS references_columns FROM"
     " duckdb_constraints()" BK_AT BK_OF_TABLE "AND constraint_type = 'FOREIGN KEY' ORDER BY name"},
    {kGetForeignKeys, "",
     "SELECT database_name AS database, schema_name AS schema, table_name AS \"table\","
     " constraint_name AS name, constraint_column_names AS columns, referenced_table AS"
     " references_table, referenced_column_names AS references_columns FROM"
     " duckdb_constraints()" BK_AT
     "AND constraint_type = 'FOREIGN KEY' ORDER BY database, schema, \"table\", name"},
    {kListFunctions, "",
     "SELECT database_name AS database, schema_name AS schema, function_name AS name,"
     " function_type AS type, parameters FROM duckdb_functions()" BK_WITHIN
     "ORDER BY database, schema, name"},
    {kGetSchema, "",
     "SELECT sql FROM (SELECT sql, database_name, schema_name, 0 AS kind, table_name AS name FROM"
     " duckdb_tables()" BK_WITHIN
     "UNION ALL SELECT sql, database_name, schema_name, 1, view_name FROM duckdb_views()" BK_WITHIN
     ") ORDER BY database_name, schema_name, kind, name",
     Shape::kText},
};

struct Definition {
  std::string_view type;
  std::string_view sql;
};
constexpr Definition kDefinitions[] = {
    {"table", "SELECT sql FROM duckdb_tables()" BK_WITHIN BK_OF_TABLE},
    {"view", "SELECT sql FROM duckdb_views()" BK_WITHIN "AND lower(view_name) = lower($3)"},
    {"index", "SELECT sql FROM duckdb_indexes()" BK_AT "AND lower(index_name) = lower($3)"},
    {"sequence", "SELECT sql FROM duckdb_sequences()" BK_AT "AND lower(sequence_name) = lower($3)"},
    {"function",
     "SELECT 'CREATE MACRO ' || function_name || '(' || array_to_string(parameters, ', ') || ') AS "
     "' || if(function_type = 'table_macro', 'TABLE ', '') || macro_definition || ';' FROM"
     " duckdb_functions()" BK_WITHIN "AND lower(function_name) = lower($3)"},
};

#undef BK_OF_TABLE
#undef BK_AT
#undef BK_WITHIN

class DuckdbBackend : public Backend {
 public:
  DuckdbBackend(DuckdbOptions options, const Clock& clock, Logger& log)
      : options_(std::move(options)),
        workers_(kDuckdbWorker, options_.program, options_.id, clock, log) {
    SweepCallFolders();
  }

  std::optional<Statement> StatementFor(SandboxTool tool,
                                        const ToolArguments& arguments) const override {
    const auto argument = [&](std::string_view name) {
      const auto found = arguments.find(name);
      return found == arguments.end() ? std::nullopt : std::optional(found->second);
    };
    const auto text = [&](std::string_view name) { return argument(name).value_or(""); };
    Statement statement;
    if (RunsSqlOfCaller(tool)) {
      statement.sql = text("sql");
      statement.writes = tool != kExecuteQuery;
      return statement;
    }
    if (tool == kExplainQuery) {
      // With options, so that the text cannot begin with any.
      statement.sql = "EXPLAIN (FORMAT text) " + text("sql");
      return statement;
    }
    statement.parameters = {argument("database"), argument("schema")};
    if (tool == kGetObjectDdl) {
      for (const Definition& definition : kDefinitions) {
        if (definition.type != AsciiLower(text("object_type"))) continue;
        statement.sql = std::string(definition.sql);
        statement.shape = Shape::kText;
        statement.parameters.push_back(argument("object_name"));
        return statement;
      }
      return std::nullopt;
    }
    for (const Question& question : kQuestions) {
      if (question.tool != tool) continue;
      statement.sql = std::string(question.sql);
      statement.shape = question.shape;
      if (!question.named.empty()) statement.parameters.push_back(argument(question.named));
      return statement;
    }
    return std::nullopt;
  }

  RunResult Run(const Statement& statement, const RunLimits& limits,
                const StopSignal& stop) override {
    if (statement.writes && !options_.writes) {
      return RunError{"UNSUPPORTED", "this connection only reads"};
    }
    const auto dsn = options_.dsn.Read();
    const absl::Status usable = dsn.ok() ? ParseDuckdbDsn(dsn->Reveal()).status() : dsn.status();
    if (!usable.ok()) {
      return workers_.Failed({"CONNECTION", "the database is not configured"}, usable);
    }
    const CallFolder folder;
    if (folder.path().empty()) {
      return workers_.Failed({"CONNECTION", "the engine has no folder to spill to"},
                             absl::UnavailableError("no folder for temporary files can be made"));
    }
    return workers_.Run(
        {.dsn = dsn->Reveal(), .folder = folder.path(), .statement = statement, .limits = limits},
        stop);
  }

 private:
  const DuckdbOptions options_;
  EngineWorkers workers_;
};

}  // namespace

std::unique_ptr<Backend> MakeDuckdbBackend(DuckdbOptions options, const Clock& clock, Logger& log) {
  return std::make_unique<DuckdbBackend>(std::move(options), clock, log);
}

}  // namespace bridgekeeper::bridge
