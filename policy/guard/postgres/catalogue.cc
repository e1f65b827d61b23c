// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/catalogue.h"

#include <algorithm>
#include <span>
#include <string>

#include "policy/base/strings.h"

namespace bridgekeeper::postgres {
namespace {

constexpr auto kSensitive = FunctionEffect::kSensitive;
constexpr auto kSecret = FunctionEffect::kSecret;

struct Relation {
  std::string_view name;
  FunctionEffect shows;
};

// Of schema pg_catalog. Ordered by name.
constexpr Relation kCatalogRelations[] = {
    {"pg_authid", kSecret},
    {"pg_backend_memory_contexts", kSensitive},
    {"pg_config", kSensitive},
    {"pg_cursors", kSensitive},
    {"pg_db_role_setting", kSensitive},
    {"pg_file_settings", kSecret},
    {"pg_hba_file_rules", kSecret},
    {"pg_ident_file_mappings", kSecret},
    {"pg_largeobject", kSensitive},
    {"pg_prepared_statements", kSensitive},
    {"pg_replication_origin_status", kSensitive},
    {"pg_replication_slots", kSensitive},
    {"pg_settings", kSensitive},
    {"pg_shadow", kSecret},
    {"pg_stat_activity", kSensitive},
    {"pg_stat_gssapi", kSensitive},
    {"pg_stat_replication", kSensitive},
    {"pg_stat_ssl", kSensitive},
    {"pg_stat_subscription", kSensitive},
    {"pg_stat_wal_receiver", kSensitive},
    {"pg_statistic", kSensitive},
    {"pg_statistic_ext_data", kSensitive},
    {"pg_stats", kSensitive},
    {"pg_stats_ext", kSensitive},
    {"pg_stats_ext_exprs", kSensitive},
    {"pg_subscription", kSecret},
    {"pg_user_mapping", kSecret},
    {"pg_user_mappings", kSensitive},
};

struct Elsewhere {
  std::string_view schema;  // empty: any, also none
  std::string_view name;
  FunctionEffect shows;
};

constexpr Elsewhere kElsewhereRelations[] = {
    {"", "pg_stat_statements", kSensitive},
    {"information_schema", "_pg_user_mappings", kSensitive},
    {"information_schema", "user_mapping_options", kSensitive},
    {"vault", "decrypted_secrets", kSecret},
    {"vault", "secrets", kSecret},
};

// pg_cron, pgAgent, pg_net, pgmq, graphile-worker, TimescaleDB, pg_partman,
// Supabase's hooks and vault, pg_tle.
constexpr std::string_view kQueueSchemas[] = {
    "_timescaledb_config", "cron",  "graphile_worker", "net", "partman", "pgagent", "pgmq", "pgtle",
    "supabase_functions",  "vault",
};

// Ordered by name.
constexpr std::string_view kHarmlessToShow[] = {
    "application_name",
    "array_nulls",
    "autovacuum",
    "backslash_quote",
    "block_size",
    "bytea_output",
    "client_encoding",
    "client_min_messages",
    "constraint_exclusion",
    "cpu_index_tuple_cost",
    "cpu_operator_cost",
    "cpu_tuple_cost",
    "cursor_tuple_fraction",
    "datestyle",
    "default_statistics_target",
    "default_text_search_config",
    "default_transaction_deferrable",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "effective_cache_size",
    "effective_io_concurrency",
    "enable_bitmapscan",
    "enable_hashagg",
    "enable_hashjoin",
    "enable_indexonlyscan",
    "enable_indexscan",
    "enable_material",
    "enable_memoize",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_parallel_append",
    "enable_parallel_hash",
    "enable_partition_pruning",
    "enable_partitionwise_aggregate",
    "enable_partitionwise_join",
    "enable_seqscan",
    "enable_sort",
    "enable_tidscan",
    "escape_string_warning",
    "extra_float_digits",
    "geqo",
    "hash_mem_multiplier",
    "idle_in_transaction_session_timeout",
    "in_hot_standby",
    "integer_datetimes",
    "intervalstyle",
    "is_superuser",
    "jit",
    "join_collapse_limit",
    "lc_collate",
    "lc_ctype",
    "lc_messages",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "lock_timeout",
    "maintenance_work_mem",
    "max_connections",
    "max_identifier_length",
    "max_index_keys",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "max_worker_processes",
    "parallel_setup_cost",
    "parallel_tuple_cost",
    "plan_cache_mode",
    "quote_all_identifiers",
    "random_page_cost",
    "role",
    "row_security",
    "search_path",
    "segment_size",
    "seq_page_cost",
    "server_encoding",
    "server_version",
    "server_version_num",
    "session_authorization",
    "shared_buffers",
    "standard_conforming_strings",
    "statement_timeout",
    "temp_buffers",
    "timezone",
    "timezone_abbreviations",
    "transaction_deferrable",
    "transaction_isolation",
    "transaction_read_only",
    "wal_block_size",
    "wal_level",
    "wal_segment_size",
    "work_mem",
    "xmlbinary",
    "xmloption",
};

// Ordered by name.
constexpr std::string_view kHarmlessToSet[] = {
    "application_name",   "bytea_output",  "datestyle",
    "extra_float_digits", "intervalstyle", "timezone",
};

bool Contains(std::span<const std::string_view> ordered, std::string_view name) {
  return std::binary_search(ordered.begin(), ordered.end(), name);
}

}  // namespace

std::optional<FunctionEffect> ReadingShows(std::string_view schema, std::string_view name) {
  if (schema.empty() || schema == "pg_catalog") {
    const auto row = std::lower_bound(
        std::begin(kCatalogRelations), std::end(kCatalogRelations), name,
        [](const Relation& relation, std::string_view wanted) { return relation.name < wanted; });
    if (row != std::end(kCatalogRelations) && row->name == name) return row->shows;
  }
  // The parts of long values, of any table.
  if (schema == "pg_toast") return kSensitive;
  for (const Elsewhere& row : kElsewhereRelations) {
    if (row.name == name && (row.schema.empty() || row.schema == schema)) return row.shows;
  }
  return std::nullopt;
}

bool IsSystemRelation(std::string_view schema, std::string_view name) {
  if (schema.empty()) return name.starts_with("pg_");
  return schema == "pg_catalog" || schema == "information_schema" || schema.starts_with("pg_toast");
}

bool IsQueueSchema(std::string_view schema) { return Contains(kQueueSchemas, schema); }

bool IsHarmlessToShow(std::string_view setting) {
  return Contains(kHarmlessToShow, AsciiLower(setting));
}

bool IsHarmlessToSet(std::string_view setting) {
  return Contains(kHarmlessToSet, AsciiLower(setting));
}

}  // namespace bridgekeeper::postgres
