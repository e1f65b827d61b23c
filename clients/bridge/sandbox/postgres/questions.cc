// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/postgres/questions.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

using enum SandboxTool;

// A statement of ours: `parameters` names the arguments that are $1, $2 ...
struct Question {
  SandboxTool tool;
  std::vector<std::string_view> parameters;
  std::string_view sql;
  Shape shape = Shape::kList;
};

// Where $1 is a schema: it, or every schema but the engine's own.
#define BK_IN_SCHEMA                                                                   \
  " (($1::text IS NULL AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')" \
  " OR n.nspname = $1) "
// A table $2, in schema $1 or where the search path finds it.
#define BK_IS_TABLE                                               \
  " c.relname = $2 AND (n.nspname = $1 OR ($1::text IS NULL AND " \
  "pg_catalog.pg_table_is_visible(c.oid))) "

#define BK_FOREIGN_KEYS                                                                        \
  "SELECT n.nspname AS schema, c.relname AS table, k.conname AS name,"                         \
  " (SELECT pg_catalog.string_agg(a.attname, ', ' ORDER BY u.i) FROM"                          \
  "   pg_catalog.unnest(k.conkey) WITH ORDINALITY u(attnum, i) JOIN pg_catalog.pg_attribute a" \
  "   ON a.attrelid = k.conrelid AND a.attnum = u.attnum) AS columns,"                         \
  " k.confrelid::pg_catalog.regclass::text AS references_table,"                               \
  " pg_catalog.pg_get_constraintdef(k.oid) AS definition"                                      \
  " FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid"          \
  " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE k.contype = 'f' AND"

#define BK_ROUTINES                                                                     \
  "SELECT n.nspname AS schema, p.proname AS name,"                                      \
  " pg_catalog.pg_get_function_identity_arguments(p.oid) AS arguments,"                 \
  " pg_catalog.pg_get_function_result(p.oid) AS returns, l.lanname AS language"         \
  " FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace" \
  " JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE" BK_IN_SCHEMA "AND p.prokind "

const Question kQuestions[] = {
    {kListDatabases,
     {},
     "SELECT datname AS name FROM pg_catalog.pg_database WHERE NOT datistemplate AND datallowconn "
     "ORDER BY 1"},
    {kListSchemas,
     {},
     "SELECT nspname AS name FROM pg_catalog.pg_namespace "
     "WHERE nspname !~ '^pg_' ORDER BY 1"},
    {kListTables,
     {"schema"},
     "SELECT n.nspname AS schema, c.relname AS name, CASE c.relkind WHEN 'r' THEN 'table' "
     "WHEN 'p' THEN 'partitioned table' ELSE 'foreign table' END AS type, "
     "pg_catalog.obj_description(c.oid, 'pg_class') AS comment "
     "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "WHERE c.relkind IN ('r', 'p', 'f') AND" BK_IN_SCHEMA "ORDER BY 1, 2"},
    {kListViews,
     {"schema"},
     "SELECT n.nspname AS schema, c.relname AS name, CASE c.relkind WHEN 'v' THEN 'view' "
     "ELSE 'materialized view' END AS type "
     "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "WHERE c.relkind IN ('v', 'm') AND" BK_IN_SCHEMA "ORDER BY 1, 2"},
    {kListFunctions, {"schema"}, BK_ROUTINES "IN ('f', 'a', 'w') ORDER BY 1, 2, 3"},
    {kListProcedures, {"schema"}, BK_ROUTINES "= 'p' ORDER BY 1, 2, 3"},
    {kDescribeTable,
     {"schema", "table"},
     "SELECT a.attname AS name, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, "
     "NOT a.attnotnull AS nullable, pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS default, "
     "EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p' "
     "AND a.attnum = ANY (k.conkey)) AS primary_key, "
     "pg_catalog.col_description(c.oid, a.attnum) AS comment "
     "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
     "LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum "
     "WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND" BK_IS_TABLE "ORDER BY a.attnum"},
    {kGetTableInfo,
     {"schema", "table"},
     "SELECT n.nspname AS schema, c.relname AS name, "
     "CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN "
     "'foreign table' WHEN 'v' THEN 'view' ELSE 'materialized view' END AS type, "
     "pg_catalog.pg_get_userbyid(c.relowner) AS owner, c.reltuples::int8 AS estimated_rows, "
     "pg_catalog.pg_total_relation_size(c.oid) AS bytes, c.relrowsecurity AS row_security, "
     "pg_catalog.obj_description(c.oid, 'pg_class') AS comment "
     "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND" BK_IS_TABLE},
    {kListIndexes,
     {"schema", "table"},
     "SELECT i.relname AS name, x.indisunique AS unique, x.indisprimary AS primary, "
     "x.indisvalid AS valid, pg_catalog.pg_get_indexdef(i.oid) AS definition "
     "FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid "
     "JOIN pg_catalog.pg_class c ON c.oid = x.indrelid "
     "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE" BK_IS_TABLE "ORDER BY 1"},
    {kListTriggers,
     {"schema", "table"},
     "SELECT t.tgname AS name, t.tgenabled <> 'D' AS enabled, "
     "pg_catalog.pg_get_triggerdef(t.oid) AS definition "
     "FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid "
     "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "WHERE NOT t.tgisinternal AND" BK_IS_TABLE "ORDER BY 1"},
    {kListForeignKeys, {"schema", "table"}, BK_FOREIGN_KEYS BK_IS_TABLE "ORDER BY 1, 2, 3"},
    {kGetForeignKeys, {"schema"}, BK_FOREIGN_KEYS BK_IN_SCHEMA "ORDER BY 1, 2, 3"},
    {kGetSchema,
     {"schema"},
     "SELECT n.nspname || '.' || c.relname || ' (' || pg_catalog.string_agg(a.attname || ' ' || "
     "pg_catalog.format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' not null' "
     "ELSE '' END, ', ' ORDER BY a.attnum) || ')' "
     "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
     "WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND" BK_IN_SCHEMA
     "GROUP BY n.nspname, c.relname ORDER BY n.nspname, c.relname",
     Shape::kText},
    {kListSessions,
     {},
     "SELECT pid AS session_id, usename AS user, application_name, client_addr::text AS client, "
     "state, backend_start AS started, query_start, wait_event_type, wait_event, query "
     "FROM pg_catalog.pg_stat_activity WHERE datname = pg_catalog.current_database() "
     "AND pid <> pg_catalog.pg_backend_pid() ORDER BY pid"},
    // The extension may stand in any schema; where it is not installed, the engine says so.
    {kGetSlowQueries,
     {"limit"},
     "SELECT query, calls, total_exec_time AS total_ms, mean_exec_time AS mean_ms, rows "
     "FROM pg_stat_statements s JOIN pg_catalog.pg_database d ON d.oid = s.dbid "
     "WHERE d.datname = pg_catalog.current_database() ORDER BY mean_exec_time DESC "
     "LIMIT COALESCE($1::int8, 20)"},
    {kKillSession, {"session_id"}, "SELECT pg_catalog.pg_terminate_backend($1::int4) AS ended"},
};

// get_object_ddl by object_type: $1 schema, $2 name.
struct Definition {
  std::string_view type;
  std::string_view sql;
};

#define BK_RELATION                                                                       \
  " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace " \
  "WHERE" BK_IS_TABLE "AND c.relkind "

#define BK_ROUTINE                                                                             \
  "SELECT pg_catalog.pg_get_functiondef(p.oid) FROM pg_catalog.pg_proc p JOIN "                \
  "pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE p.proname = $2 AND (n.nspname = " \
  "$1 OR ($1::text IS NULL AND pg_catalog.pg_function_is_visible(p.oid))) AND p.prokind "

constexpr Definition kDefinitions[] = {
    {"table",
     "WITH t AS MATERIALIZED (SELECT c.oid, c.oid::pg_catalog.regclass::text AS name" BK_RELATION
     "IN ('r', 'p', 'f'))"
     " SELECT line FROM ("
     "SELECT 1 AS part, 0::int8 AS i, 'CREATE TABLE ' || name || ' (' AS line FROM t"
     " UNION ALL SELECT 2, pg_catalog.row_number() OVER (ORDER BY k, i), '  ' || body || CASE WHEN"
     " pg_catalog.row_number() OVER (ORDER BY k DESC, i DESC) = 1 THEN '' ELSE ',' END FROM ("
     "SELECT 1 AS k, a.attnum::int8 AS i, pg_catalog.quote_ident(a.attname) || ' ' ||"
     " pg_catalog.format_type(a.atttypid, a.atttypmod) || CASE WHEN d.adbin IS NULL THEN '' WHEN"
     " a.attgenerated = 's' THEN ' GENERATED ALWAYS AS (' || pg_catalog.pg_get_expr(d.adbin,"
     " d.adrelid) || ') STORED' ELSE ' DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid)"
     " END || CASE WHEN a.attidentity = 'a' THEN ' GENERATED ALWAYS AS IDENTITY' WHEN a.attidentity"
     " = 'd' THEN ' GENERATED BY DEFAULT AS IDENTITY' ELSE '' END ||"
     " CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS body"
     " FROM t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT"
     " a.attisdropped LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum"
     " UNION ALL SELECT 2, pg_catalog.row_number() OVER (ORDER BY k.conname), 'CONSTRAINT ' ||"
     " pg_catalog.quote_ident(k.conname) || ' ' || pg_catalog.pg_get_constraintdef(k.oid)"
     " FROM t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid WHERE k.contype <> 't') parts"
     " UNION ALL SELECT 3, 0, ');' FROM t"
     " UNION ALL SELECT 4, pg_catalog.row_number() OVER (ORDER BY x.indexrelid),"
     " pg_catalog.pg_get_indexdef(x.indexrelid) || ';' FROM t JOIN pg_catalog.pg_index x ON"
     " x.indrelid = t.oid WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid"
     " = x.indexrelid)) lines ORDER BY part, i"},
    {"view",
     "SELECT 'CREATE VIEW ' || c.oid::pg_catalog.regclass::text || E' AS\\n' || "
     "pg_catalog.pg_get_viewdef(c.oid, true)" BK_RELATION "= 'v'"},
    {"materialized_view",
     "SELECT 'CREATE MATERIALIZED VIEW ' || c.oid::pg_catalog.regclass::text || E' AS\\n' || "
     "pg_catalog.pg_get_viewdef(c.oid, true)" BK_RELATION "= 'm'"},
    {"index", "SELECT pg_catalog.pg_get_indexdef(c.oid) || ';'" BK_RELATION "IN ('i', 'I')"},
    {"sequence",
     "SELECT 'CREATE SEQUENCE ' || c.oid::pg_catalog.regclass::text || ' AS ' || "
     "pg_catalog.format_type(s.seqtypid, NULL) || ' INCREMENT ' || s.seqincrement || ' MINVALUE ' "
     "|| s.seqmin || ' MAXVALUE ' || s.seqmax || ' START ' || s.seqstart || ' CACHE ' || "
     "s.seqcache || CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END || ';' "
     "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "JOIN pg_catalog.pg_sequence s ON s.seqrelid = c.oid WHERE" BK_IS_TABLE},
    {"function", BK_ROUTINE "IN ('f', 'w')"},
    {"procedure", BK_ROUTINE "= 'p'"},
    {"trigger",
     "SELECT pg_catalog.pg_get_triggerdef(t.oid, true) || ';' FROM pg_catalog.pg_trigger t "
     "JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid "
     "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
     "WHERE NOT t.tgisinternal AND t.tgname = $2 AND (n.nspname = $1 OR $1::text IS NULL)"},
};

#undef BK_ROUTINE
#undef BK_RELATION
#undef BK_ROUTINES
#undef BK_FOREIGN_KEYS
#undef BK_IS_TABLE
#undef BK_IN_SCHEMA

std::optional<std::string> Argument(const ToolArguments& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? std::nullopt : std::optional(found->second);
}

Statement OfCaller(std::string sql, bool writes, bool destroys = false) {
  return {.sql = std::move(sql),
          .parameters = {},
          .writes = writes,
          .callers = true,
          .destroys = destroys,
          .database = {}};
}

}  // namespace

std::optional<Statement> PostgresStatementFor(SandboxTool tool, const ToolArguments& arguments) {
  const auto text = [&](std::string_view name) { return Argument(arguments, name).value_or(""); };
  switch (tool) {
    case kExecuteQuery:
      return OfCaller(text("sql"), /*writes=*/false);
    case kExecuteWrite:
      return OfCaller(text("sql"), /*writes=*/true);
    case kExecuteDelete:
    case kExecuteDdl:
      return OfCaller(text("sql"), /*writes=*/true, /*destroys=*/true);
    case kExplainQuery: {
      // The options stand here, so that nothing at the beginning of the text is taken
      // for one.
      Statement explain = OfCaller("EXPLAIN (FORMAT TEXT) " + text("sql"), /*writes=*/false);
      explain.shape = Shape::kText;
      return explain;
    }
    // As the catalogue's rule has them, which is what was judged.
    case kGrantPrivilege:
      return OfCaller(absl::StrFormat("GRANT %s ON %s TO %s", text("privilege"), text("object"),
                                      text("grantee")),
                      /*writes=*/true, /*destroys=*/true);
    case kRevokePrivilege:
      return OfCaller(absl::StrFormat("REVOKE %s ON %s FROM %s", text("privilege"), text("object"),
                                      text("grantee")),
                      /*writes=*/true, /*destroys=*/true);
    case kGetObjectDdl:
      for (const Definition& definition : kDefinitions) {
        if (definition.type != AsciiLower(text("object_type"))) continue;
        return Statement{.sql = std::string(definition.sql),
                         .parameters = {Argument(arguments, "schema"), text("object_name")},
                         .shape = Shape::kText,
                         .database = text("database")};
      }
      return std::nullopt;
    case kListConnections:
      return std::nullopt;  // the transport's own
    case kDescribeTable:
    case kGetForeignKeys:
    case kGetSchema:
    case kGetSlowQueries:
    case kGetTableInfo:
    case kKillSession:
    case kListDatabases:
    case kListForeignKeys:
    case kListFunctions:
    case kListIndexes:
    case kListProcedures:
    case kListSchemas:
    case kListSessions:
    case kListTables:
    case kListTriggers:
    case kListViews:
      break;
  }
  for (const Question& question : kQuestions) {
    if (question.tool != tool) continue;
    Statement statement{.sql = std::string(question.sql),
                        .parameters = {},
                        .shape = question.shape,
                        .writes = tool == kKillSession,
                        .database = text("database")};
    for (const std::string_view name : question.parameters) {
      statement.parameters.push_back(Argument(arguments, name));
    }
    return statement;
  }
  return std::nullopt;
}

}  // namespace bridgekeeper::bridge
