// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/postgres/role_report.h"

#include <cstddef>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace bridgekeeper::bridge {
namespace {

using Row = std::vector<std::optional<std::string>>;

// The columns of kRoleReportQuery.
enum Column : size_t {
  kRole,
  kDatabase,
  kVersion,
  kTempFileLimit,
  kConnectionLimit,
  kExtensions,
  kLanguages,
  kWritable,
  kCreateIn,
  kDatabaseRights,
  kForeignServers,
  kQuotedDatabase,
  kReadableSchemas,
  kColumns,
};

std::string Cell(const Row& row, Column column) {
  return row.size() == kColumns ? row[column].value_or("") : "";
}

struct Note {
  Column column;
  std::string_view name;
  std::string_view text;  // what is found stands behind it
};

// Those that are there where the column is not empty.
constexpr Note kNotes[] = {
    {kExtensions, "extensions",
     "installed, and able to reach other servers, the host's files or raw pages: "},
    {kLanguages, "untrusted_languages",
     "installed: functions in them do what the server's own user may: "},
    {kWritable, "writable_tables", "tables that it may change: "},
    {kCreateIn, "create_in_schemas", "schemas that it may create objects in: "},
    {kDatabaseRights, "database_rights", "rights on the database beyond CONNECT: "},
    {kForeignServers, "foreign_servers", "foreign servers that it may use: "},
};

}  // namespace

// Every name is qualified: the search path is the session's.
const char kRoleReportQuery[] = R"sql(
SELECT session_user, pg_catalog.current_database(), pg_catalog.current_setting('server_version'),
  pg_catalog.current_setting('temp_file_limit'),
  (SELECT r.rolconnlimit::pg_catalog.text FROM pg_catalog.pg_roles r
   WHERE r.rolname OPERATOR(pg_catalog.=) session_user),
  (SELECT pg_catalog.string_agg(e.extname::pg_catalog.text, ', ' ORDER BY e.extname)
   FROM pg_catalog.pg_extension e
   WHERE e.extname IN ('adminpack', 'dblink', 'file_fdw', 'http', 'lo', 'pageinspect', 'pg_cron',
                       'pg_net', 'pg_surgery', 'plsh', 'postgres_fdw')),
  (SELECT pg_catalog.string_agg(l.lanname::pg_catalog.text, ', ' ORDER BY l.lanname)
   FROM pg_catalog.pg_language l WHERE l.lanispl AND NOT l.lanpltrusted),
  (SELECT CASE WHEN pg_catalog.count(*) > 5
          THEN pg_catalog.count(*)::pg_catalog.text
          ELSE pg_catalog.string_agg(c.oid::pg_catalog.regclass::pg_catalog.text, ', ') END
   FROM pg_catalog.pg_class c
   WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
     AND c.relnamespace NOT IN (SELECT n.oid FROM pg_catalog.pg_namespace n
                                WHERE n.nspname ~ '^pg_' OR n.nspname = 'information_schema')
     AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
  (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.nspname), ', ' ORDER BY n.nspname)
   FROM pg_catalog.pg_namespace n
   WHERE n.nspname !~ '^pg_' AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')),
  pg_catalog.concat_ws(', ',
    CASE WHEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
         THEN 'CREATE' END,
    CASE WHEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMPORARY')
         THEN 'TEMPORARY' END),
  (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(s.srvname), ', ' ORDER BY s.srvname)
   FROM pg_catalog.pg_foreign_server s WHERE pg_catalog.has_server_privilege(s.oid, 'USAGE')),
  pg_catalog.quote_ident(pg_catalog.current_database()),
  (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(n.nspname), E'\n' ORDER BY n.nspname)
   FROM pg_catalog.pg_namespace n
   WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
     AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
     AND EXISTS (SELECT FROM pg_catalog.pg_class c
                 WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm')
                   AND pg_catalog.has_table_privilege(c.oid, 'SELECT')))
)sql";

std::string RoleAndDatabase(const Row& row) {
  return absl::StrFormat("%s on %s, PostgreSQL %s", Cell(row, kRole), Cell(row, kDatabase),
                         Cell(row, kVersion));
}

std::vector<Finding> NotesOnRole(const Row& row) {
  std::vector<Finding> notes;
  if (Cell(row, kTempFileLimit) == "-1") {
    notes.push_back({Finding::Level::kNote, "temp_file_limit",
                     "not set: one sort of a read can fill the server's disk"});
  }
  if (Cell(row, kConnectionLimit) == "-1") {
    notes.push_back({Finding::Level::kNote, "connection_limit",
                     "not set: it can take every session that the server has"});
  }
  for (const Note& note : kNotes) {
    const std::string found = Cell(row, note.column);
    if (found.empty()) continue;
    notes.push_back(
        {Finding::Level::kNote, std::string(note.name), std::string(note.text) + found});
  }
  return notes;
}

std::string ReadOnlyRoleSql(const Row& row) {
  const std::string database = Cell(row, kQuotedDatabase);
  std::string sql = absl::StrFormat(
      "CREATE ROLE keeper_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT\n"
      "  NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 10;\n"
      "-- its password: \\password keeper_reader\n"
      "ALTER ROLE keeper_reader SET default_transaction_read_only = on;\n"
      "ALTER ROLE keeper_reader SET temp_file_limit = '1GB';\n"
      "GRANT CONNECT ON DATABASE %s TO keeper_reader;\n",
      database);
  for (const absl::string_view schema :
       absl::StrSplit(Cell(row, kReadableSchemas), '\n', absl::SkipEmpty())) {
    sql += absl::StrFormat(
        "GRANT USAGE ON SCHEMA %s TO keeper_reader;\n"
        "GRANT SELECT ON ALL TABLES IN SCHEMA %s TO keeper_reader;\n",
        schema, schema);
  }
  sql += absl::StrFormat(
      "-- These two take rights from every role that has them through PUBLIC:\n"
      "REVOKE CREATE ON SCHEMA public FROM PUBLIC;\n"
      "REVOKE TEMPORARY ON DATABASE %s FROM PUBLIC;\n",
      database);
  return sql;
}

}  // namespace bridgekeeper::bridge
