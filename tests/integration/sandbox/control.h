// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Controls of the engines that are libraries: a text with nothing before the engine, in a
// process of its own.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_CONTROL_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_CONTROL_H_

#include <cstdint>
#include <set>
#include <string>

namespace bridgekeeper::bridge {

// A text that runs for longer is `late`.
inline constexpr unsigned kControlSeconds = 2;
// What the process may have.
inline constexpr uint64_t kControlMemory = uint64_t{3} << 30;
// A text that takes more, or more than there is, is `memory`.
inline constexpr int64_t kControlBloat = int64_t{64} << 20;

// What a connection and its process are set to, as far as a reader may ask: one value.
inline constexpr char kSqliteSessionQuery[] =
    "SELECT (SELECT * FROM pragma_cache_size) || '|' || (SELECT * FROM pragma_foreign_keys) || '|' "
    "||"
    " (SELECT * FROM pragma_query_only) || '|' || (SELECT * FROM pragma_hard_heap_limit) || '|' ||"
    " (SELECT * FROM pragma_soft_heap_limit) || '|' || (SELECT * FROM pragma_temp_store) || '|' ||"
    " (SELECT * FROM pragma_trusted_schema) || '|' || (SELECT * FROM pragma_threads) || '|' ||"
    " (SELECT * FROM pragma_busy_timeout) || '|' || (SELECT * FROM pragma_read_uncommitted) || '|' "
    "||"
    " (SELECT * FROM pragma_synchronous) || '|' || (SELECT * FROM pragma_writable_schema) || '|' ||"
    " (SELECT * FROM pragma_reverse_unordered_selects) || '|' ||"
    " (SELECT * FROM pragma_ignore_check_constraints) AS s";

// The folder of a call is another each time.
inline constexpr char kDuckdbSessionQuery[] =
    "SELECT concat_ws('|',"
    " (SELECT string_agg(name || '=' || coalesce(value, ''), ',' ORDER BY name)"
    "  FROM duckdb_settings() WHERE name NOT IN ('temp_directory', 'allowed_directories')),"
    " (SELECT count(*) FROM duckdb_logs), (SELECT count(*) FROM duckdb_variables()),"
    " (SELECT string_agg(database_name, ',' ORDER BY database_name) FROM duckdb_databases()),"
    " (SELECT count(*) FROM duckdb_tables() WHERE temporary OR database_name = 'memory'),"
    " (SELECT count(*) FROM duckdb_views() WHERE temporary),"
    " (SELECT count(*) FROM duckdb_prepared_statements()), (SELECT count(*) FROM duckdb_secrets()),"
    " (SELECT count(*) FROM duckdb_extensions() WHERE loaded), current_database(),"
    " current_schema()) AS s";

// Runs `sql` on the database file `path` of an engine ("sqlite", "duckdb"). Returns words
// of EngineTarget::Control(), but for the parts that are looked at from outside.
std::set<std::string> RunControl(const std::string& engine, const std::string& path,
                                 const std::string& sql);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_CONTROL_H_
