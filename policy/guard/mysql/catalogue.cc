// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/catalogue.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "policy/base/ascii.h"

namespace bridgekeeper::mysql {
namespace {

// Each list is in the order of its names. What is on none of them is sensitive, in
// schema mysql a secret.

constexpr std::string_view kPlainInformation[] = {
    "character_sets",
    "check_constraints",
    "collation_character_set_applicability",
    "collations",
    "columns",
    "columns_extensions",
    "engines",
    "events",
    "geometry_columns",
    "global_status",
    "innodb_cmp",
    "innodb_cmp_per_index",
    "innodb_cmpmem",
    "innodb_columns",
    "innodb_fields",
    "innodb_foreign",
    "innodb_foreign_cols",
    "innodb_ft_default_stopword",
    "innodb_indexes",
    "innodb_metrics",
    "innodb_sys_columns",
    "innodb_sys_fields",
    "innodb_sys_foreign",
    "innodb_sys_foreign_cols",
    "innodb_sys_indexes",
    "innodb_sys_tables",
    "innodb_sys_tablestats",
    "innodb_sys_virtual",
    "innodb_tables",
    "innodb_tablestats",
    "innodb_virtual",
    "json_duality_view_columns",
    "json_duality_view_links",
    "json_duality_view_tables",
    "json_duality_views",
    "key_caches",
    "key_column_usage",
    "keywords",
    "parameters",
    "partitions",
    "periods",
    "referential_constraints",
    "routines",
    "schemata",
    "schemata_extensions",
    "sequences",
    "session_status",
    "spatial_ref_sys",
    "sql_functions",
    "st_geometry_columns",
    "st_spatial_reference_systems",
    "st_units_of_measure",
    "statistics",
    "table_constraints",
    "table_constraints_extensions",
    "tables",
    "tables_extensions",
    "triggers",
    "view_routine_usage",
    "view_table_usage",
    "views",
};

// They hold the values of all variables, those of kSecretVariables too.
constexpr std::string_view kSecretInformation[] = {
    "global_variables",
    "session_variables",
    "system_variables",
};

constexpr std::string_view kSecretPerformance[] = {
    "global_variables",
    "persisted_variables",
    "session_variables",
    "variables_by_thread",
};

constexpr std::string_view kResettingInformation[] = {
    "innodb_cmp_per_index_reset",
    "innodb_cmp_reset",
    "innodb_cmpmem_reset",
};

constexpr std::string_view kFileInformation[] = {
    "files",
    "innodb_datafiles",
    "innodb_session_temp_tablespaces",
    "innodb_sys_datafiles",
    "innodb_sys_tablespaces",
    "innodb_tablespaces",
    "innodb_tablespaces_brief",
    "tablespaces",
    "tablespaces_extensions",
};

constexpr std::string_view kPlainPerformance[] = {
    "events_stages_summary_global_by_event_name",
    "events_statements_summary_global_by_event_name",
    "events_transactions_summary_global_by_event_name",
    "events_waits_summary_global_by_event_name",
    "global_status",
    "memory_summary_global_by_event_name",
    "objects_summary_global_by_type",
    "performance_timers",
    "session_status",
    "setup_consumers",
    "setup_instruments",
    "setup_objects",
    "setup_threads",
    "setup_timers",
    "table_io_waits_summary_by_index_usage",
    "table_io_waits_summary_by_table",
    "table_lock_waits_summary_by_table",
};

constexpr std::string_view kFilePerformance[] = {
    "file_instances",
    "file_summary_by_instance",
};

constexpr std::string_view kPlainSys[] = {
    "schema_auto_increment_columns", "schema_index_statistics",
    "schema_object_overview",        "schema_redundant_indexes",
    "schema_table_statistics",       "schema_tables_with_full_table_scans",
    "schema_unused_indexes",         "version",
};

constexpr std::string_view kPlainMysql[] = {
    "engine_cost",
    "help_category",
    "help_keyword",
    "help_relation",
    "help_topic",
    "innodb_index_stats",
    "innodb_table_stats",
    "server_cost",
    "time_zone",
    "time_zone_leap_second",
    "time_zone_name",
    "time_zone_transition",
    "time_zone_transition_type",
};

constexpr std::string_view kSensitiveMysql[] = {
    "column_stats",         "columns_priv",   "component",     "db",
    "default_roles",        "event",          "func",          "general_log",
    "gtid_executed",        "gtid_slave_pos", "host",          "index_stats",
    "ndb_binlog_index",     "plugin",         "proc",          "procs_priv",
    "proxies_priv",         "role_edges",     "roles_mapping", "slave_relay_log_info",
    "slave_worker_info",    "slow_log",       "table_stats",   "tables_priv",
    "transaction_registry",
};

constexpr std::string_view kPlainVariables[] = {
    "auto_increment_increment",
    "auto_increment_offset",
    "autocommit",
    "back_log",
    "big_tables",
    "binlog_format",
    "binlog_row_image",
    "block_encryption_mode",
    "bulk_insert_buffer_size",
    "character_set_client",
    "character_set_connection",
    "character_set_database",
    "character_set_filesystem",
    "character_set_results",
    "character_set_server",
    "character_set_system",
    "collation_connection",
    "collation_database",
    "collation_server",
    "completion_type",
    "concurrent_insert",
    "connect_timeout",
    "cte_max_recursion_depth",
    "date_format",
    "datetime_format",
    "default_collation_for_utf8mb4",
    "default_storage_engine",
    "default_tmp_storage_engine",
    "default_week_format",
    "div_precision_increment",
    "error_count",
    "event_scheduler",
    "explicit_defaults_for_timestamp",
    "foreign_key_checks",
    "ft_boolean_syntax",
    "ft_max_word_len",
    "ft_min_word_len",
    "group_concat_max_len",
    "have_compress",
    "have_geometry",
    "have_openssl",
    "have_profiling",
    "have_query_cache",
    "have_rtree_keys",
    "have_ssl",
    "histogram_size",
    "histogram_type",
    "identity",
    "in_transaction",
    "innodb_autoinc_lock_mode",
    "innodb_buffer_pool_instances",
    "innodb_buffer_pool_size",
    "innodb_default_row_format",
    "innodb_file_per_table",
    "innodb_flush_log_at_trx_commit",
    "innodb_ft_max_token_size",
    "innodb_ft_min_token_size",
    "innodb_io_capacity",
    "innodb_lock_wait_timeout",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_page_size",
    "innodb_read_only",
    "innodb_stats_persistent",
    "innodb_strict_mode",
    "innodb_version",
    "interactive_timeout",
    "join_buffer_size",
    "key_buffer_size",
    "last_insert_id",
    "lc_messages",
    "lc_time_names",
    "license",
    "lock_wait_timeout",
    "long_query_time",
    "lower_case_file_system",
    "lower_case_table_names",
    "max_allowed_packet",
    "max_connections",
    "max_execution_time",
    "max_heap_table_size",
    "max_join_size",
    "max_length_for_sort_data",
    "max_prepared_stmt_count",
    "max_recursive_iterations",
    "max_seeks_for_key",
    "max_sort_length",
    "max_sp_recursion_depth",
    "max_statement_time",
    "max_user_connections",
    "net_buffer_length",
    "net_read_timeout",
    "net_write_timeout",
    "old_mode",
    "open_files_limit",
    "optimizer_prune_level",
    "optimizer_search_depth",
    "optimizer_switch",
    "optimizer_use_condition_selectivity",
    "performance_schema",
    "port",
    "protocol_version",
    "query_cache_limit",
    "query_cache_size",
    "query_cache_type",
    "range_optimizer_max_mem_size",
    "read_buffer_size",
    "read_only",
    "read_rnd_buffer_size",
    "regexp_stack_limit",
    "regexp_time_limit",
    "sort_buffer_size",
    "sql_auto_is_null",
    "sql_big_selects",
    "sql_buffer_result",
    "sql_mode",
    "sql_notes",
    "sql_quote_show_create",
    "sql_safe_updates",
    "sql_select_limit",
    "sql_warnings",
    "storage_engine",
    "super_read_only",
    "sync_binlog",
    "system_time_zone",
    "table_definition_cache",
    "table_open_cache",
    "thread_cache_size",
    "time_format",
    "time_zone",
    "timestamp",
    "tmp_table_size",
    "transaction_isolation",
    "transaction_read_only",
    "tx_isolation",
    "tx_read_only",
    "unique_checks",
    "updatable_views_with_limit",
    "version",
    "version_comment",
    "version_compile_machine",
    "version_compile_os",
    "version_compile_zlib",
    "wait_timeout",
    "warning_count",
    "windowing_use_high_precision",
};

constexpr std::string_view kSecretVariables[] = {
    "authentication_ldap_sasl_bind_root_pwd",
    "authentication_ldap_simple_bind_root_pwd",
    "mysqlx_ssl_key",
    "report_password",
    "wsrep_provider_options",
    "wsrep_sst_auth",
};

constexpr std::string_view kPlainEngines[] = {
    "archive", "aria", "blackhole", "heap", "innodb", "memory", "myisam", "rocksdb", "tokudb",
};

// Every variable that begins so is plain.
constexpr std::string_view kPlainPrefixes[] = {
    "char",       "character_set", "collation",       "innodb_buffer_pool",
    "lower_case", "max_allowed",   "max_connections", "sql_mode",
    "time_zone",  "transaction_",  "version",         "wait_timeout",
};

bool Contains(std::span<const std::string_view> ordered, std::string_view name) {
  return std::binary_search(ordered.begin(), ordered.end(), name);
}

// Whether `name` is LIKE the pattern, which has no escapes.
bool IsLike(std::string_view name, std::string_view pattern) {
  size_t at = 0;
  size_t i = 0;
  size_t behind_percent = pattern.npos;
  size_t matched = 0;
  while (at < name.size()) {
    if (i < pattern.size() && pattern[i] == '%') {
      behind_percent = ++i;
      matched = at;
    } else if (i < pattern.size() && (pattern[i] == '_' || pattern[i] == name[at])) {
      ++i;
      ++at;
    } else if (behind_percent != pattern.npos) {
      i = behind_percent;
      at = ++matched;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('%', i) == pattern.npos;
}

}  // namespace

bool IsSystemSchema(std::string_view schema) {
  return schema == "mysql" || schema == "information_schema" || schema == "performance_schema" ||
         schema == "sys";
}

Shows ReadingShows(std::string_view schema, std::string_view table) {
  if (schema == "information_schema") {
    if (Contains(kPlainInformation, table)) return Shows::kPlain;
    if (Contains(kSecretInformation, table)) return Shows::kSecret;
    if (Contains(kResettingInformation, table)) return Shows::kResets;
    return Contains(kFileInformation, table) ? Shows::kFiles : Shows::kSensitive;
  }
  if (schema == "performance_schema") {
    if (Contains(kPlainPerformance, table)) return Shows::kPlain;
    if (Contains(kSecretPerformance, table)) return Shows::kSecret;
    return Contains(kFilePerformance, table) ? Shows::kFiles : Shows::kSensitive;
  }
  if (schema == "sys") return Contains(kPlainSys, table) ? Shows::kPlain : Shows::kSensitive;
  if (Contains(kPlainMysql, table)) return Shows::kPlain;
  return Contains(kSensitiveMysql, table) ? Shows::kSensitive : Shows::kSecret;
}

Shows VariableShows(std::string_view name) {
  if (Contains(kPlainVariables, name)) return Shows::kPlain;
  return Contains(kSecretVariables, name) ? Shows::kSecret : Shows::kSensitive;
}

Shows VariablesShow(std::string_view pattern) {
  // A collation takes other characters for letters, an `e` with an accent for `e`.
  constexpr std::string_view kPlainly =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%-.\\";
  if (pattern.find_first_not_of(kPlainly) != pattern.npos) return Shows::kSecret;
  // An escaped `_` or `%` matches no more than one that is not; other escapes are no text
  // that a name of a variable has.
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '\\') {
      name.push_back(ToAsciiLower(c));
    } else if (i + 1 == pattern.size() ||
               std::string_view("\\_%").find(pattern[i + 1]) == std::string_view::npos) {
      return Shows::kSecret;
    }
  }
  if (std::any_of(std::begin(kSecretVariables), std::end(kSecretVariables),
                  [&](std::string_view secret) { return IsLike(secret, name); })) {
    return Shows::kSecret;
  }
  // Here `_` is read as itself.
  const size_t percent = name.find('%');
  if (percent == name.npos) return VariableShows(name);
  const std::string_view begin = std::string_view(name).substr(0, percent);
  const bool plain =
      std::any_of(std::begin(kPlainPrefixes), std::end(kPlainPrefixes),
                  [&](std::string_view prefix) { return begin.starts_with(prefix); });
  return plain ? Shows::kPlain : Shows::kSensitive;
}

bool IsPlainEngine(std::string_view name) { return Contains(kPlainEngines, name); }

}  // namespace bridgekeeper::mysql
