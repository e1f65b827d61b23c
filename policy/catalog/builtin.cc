// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/catalog/catalog.h"

namespace bridgekeeper {
namespace {

using enum Risk;

// What sets one built-in tool apart; the rest is the same for all of them.
struct BuiltinTool {
  std::string_view tool;
  Risk risk;
  NeedsConnection needs_connection = NeedsConnection::kYes;
  // The template of the payload rule; absent: the tool has none.
  std::optional<std::string_view> payload = std::nullopt;
  bool raise = false;
  // Of the payload; empty: the connection's type names it.
  std::string_view dialect = {};
  // Arguments outside the payload that cannot make the call worse than `risk`, with
  // spaces between.
  std::string_view harmless = {};
};

// Each is judged as the request that it sends.
constexpr BuiltinTool Elasticsearch(std::string_view tool, Risk risk, std::string_view payload,
                                    std::string_view harmless = {}) {
  return {.tool = tool,
          .risk = risk,
          .payload = payload,
          .dialect = "elasticsearch",
          .harmless = harmless};
}

// Has no payload: its own statement is fixed, and its arguments are names in it.
constexpr BuiltinTool Sqlkit(std::string_view tool, Risk risk, std::string_view harmless) {
  return {.tool = tool, .risk = risk, .payload = "", .harmless = harmless};
}

constexpr bool kRaises = true;

// Each is judged as the request that it sends. A put replaces the item that is there
// unless the tool is told to skip it, and expiry, streams and recovery can be switched
// either way: they raise, since no other tool does the same.
constexpr BuiltinTool Dynamo(std::string_view tool, Risk risk, std::string_view payload,
                             bool raise = false) {
  return {.tool = tool, .risk = risk, .payload = payload, .raise = raise, .dialect = "dynamodb"};
}

// Each is judged as the command that it sends. `create_collection`, `create_index` and
// `bulk_write` can let the server delete documents or delete them: they raise, since no
// other tool does the same. What takes no arguments but the connection has an empty rule.
constexpr BuiltinTool Mongo(std::string_view tool, Risk risk, std::string_view payload,
                            bool raise = false) {
  return {.tool = tool, .risk = risk, .payload = payload, .raise = raise, .dialect = "mongodb"};
}

// Sorted by name. The risk is what the tool can do, which is not always what its
// own app says: a tool that ends sessions, hands out rights, renames, drops an
// index or restores over what is there destroys, and one that shows other people's
// statements or accounts reads more than data (policy/spec.md, clause C5).
constexpr auto kTools = std::to_array<BuiltinTool>({
    {.tool = "dockit__list_connections", .risk = kSafe, .needs_connection = NeedsConnection::kNo},
    Dynamo("dynamo__batch_get_items", kSafe,
           R"({"operation":"BatchGetItem","request":{"RequestItems":"{request_items:json}"}})"),
    Dynamo("dynamo__batch_write_items", kElevated,
           R"({"operation":"tool.PutItems","request":{"TableName":"{table_name}",)"
           R"("Items":"{items:json}","SkipExisting":"{skip_existing:json?}",)"
           R"("PartitionKey":"{partition_key?}"}})",
           kRaises),
    Dynamo("dynamo__create_backup", kElevated,
           R"({"operation":"CreateBackup","request":{"TableName":"{table_name}",)"
           R"("BackupName":"{backup_name}"}})"),
    Dynamo("dynamo__create_gsi", kElevated,
           R"({"operation":"UpdateTable","request":{"TableName":"{table_name}",)"
           R"("GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"{index_name}",)"
           R"("KeySchema":"{key_schema}","Projection":["{projection_type}",)"
           R"("{projected_attributes?}"],"ProvisionedThroughput":["{read_capacity_units?}",)"
           R"("{write_capacity_units?}"],"WarmThroughput":"{warm_throughput?}"}}]}})"),
    Dynamo("dynamo__create_item", kElevated,
           R"({"operation":"tool.PutItems","request":{"TableName":"{table_name}",)"
           R"("Items":"{attributes:json}","SkipExisting":"{skip_existing:json?}",)"
           R"("PartitionKey":"{partition_key?}"}})",
           kRaises),
    Dynamo("dynamo__create_table", kElevated,
           R"({"operation":"CreateTable","request":{"TableName":"{table_name}",)"
           R"("KeySchema":["{partition_key}","{partition_key_type?}","{sort_key?}",)"
           R"("{sort_key_type?}"],"BillingMode":"{billing_mode?}",)"
           R"("ProvisionedThroughput":["{read_capacity_units?}","{write_capacity_units?}"],)"
           R"("GlobalSecondaryIndexes":"{global_secondary_indexes?}",)"
           R"("LocalSecondaryIndexes":"{local_secondary_indexes?}",)"
           R"("StreamSpecification":"{stream_specification?}",)"
           R"("SSESpecification":"{sse_specification?}","Tags":"{tags?}"}})"),
    Dynamo("dynamo__delete_gsi", kDestructive,
           R"({"operation":"UpdateTable","request":{"TableName":"{table_name}",)"
           R"("GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"{index_name}"}}]}})"),
    Dynamo("dynamo__delete_item", kDestructive,
           R"({"operation":"DeleteItem","request":{"TableName":"{table_name}","Key":"{keys}"}})"),
    Dynamo("dynamo__delete_table", kDestructive,
           R"({"operation":"DeleteTable","request":{"TableName":"{table_name}"}})"),
    Dynamo("dynamo__describe_backup", kSafe,
           R"({"operation":"DescribeBackup","request":{"BackupArn":"{backup_arn}"}})"),
    Dynamo("dynamo__describe_continuous_backups", kSafe,
           R"({"operation":"DescribeContinuousBackups","request":{"TableName":"{table_name}"}})"),
    Dynamo("dynamo__describe_limits", kSafe, R"({"operation":"DescribeLimits","request":{}})"),
    Dynamo("dynamo__describe_table", kSafe,
           R"({"operation":"DescribeTable","request":{"TableName":"{table_name}"}})"),
    Dynamo("dynamo__describe_ttl", kSafe,
           R"({"operation":"DescribeTimeToLive","request":{"TableName":"{table_name}"}})"),
    Dynamo("dynamo__execute_delete", kDestructive, "{statement}"),
    Dynamo("dynamo__execute_query", kSafe, "{statement}"),
    Dynamo("dynamo__execute_write", kElevated, "{statement}"),
    Dynamo("dynamo__get_table_metrics", kSafe,
           R"({"operation":"tool.TableMetrics","request":{"TableName":"{table_name}",)"
           R"("PeriodHours":"{period_hours?}"}})"),
    Dynamo("dynamo__list_backups", kSafe,
           R"({"operation":"ListBackups","request":{"TableName":"{table_name?}",)"
           R"("BackupType":"{backup_type?}"}})"),
    Dynamo("dynamo__list_tables", kSafe, R"({"operation":"ListTables","request":{}})"),
    Dynamo("dynamo__list_tags", kSafe,
           R"({"operation":"ListTagsOfResource","request":{"ResourceArn":"{resource_arn}"}})"),
    Dynamo("dynamo__query_table", kSafe,
           R"({"operation":"Query","request":{"TableName":"{table_name}",)"
           R"("IndexName":"{index_name?}","KeyConditions":["{partition_key}","{sort_key?}"],)"
           R"("QueryFilter":"{filters?}","Limit":"{limit?}",)"
           R"("ExclusiveStartKey":"{exclusive_start_key?}"}})"),
    Dynamo("dynamo__restore_table", kElevated,
           R"({"operation":"tool.RestoreTable","request":{)"
           R"("SourceTableName":"{source_table_name}","TargetTableName":"{target_table_name}",)"
           R"("BackupArn":"{source_backup_arn?}",)"
           R"("UseLatestRestorableTime":"{use_latest_restorable_time?}",)"
           R"("RestoreDateTime":"{restore_date_time?}",)"
           R"("BillingModeOverride":"{billing_mode_override?}",)"
           R"("GlobalSecondaryIndexOverride":"{global_secondary_index_override?}"}})"),
    Dynamo("dynamo__scan_table", kSafe,
           R"({"operation":"Scan","request":{"TableName":"{table_name}",)"
           R"("IndexName":"{index_name?}","ScanFilter":"{filters?}","Limit":"{limit?}",)"
           R"("ExclusiveStartKey":"{exclusive_start_key?}"}})"),
    Dynamo("dynamo__tag_resource", kElevated,
           R"({"operation":"TagResource","request":{"ResourceArn":"{resource_arn}",)"
           R"("Tags":"{tags}"}})"),
    Dynamo("dynamo__transact_write_items", kElevated,
           R"({"operation":"TransactWriteItems","request":{)"
           R"("TransactItems":"{transact_items:json}"}})",
           kRaises),
    Dynamo("dynamo__truncate_table", kDestructive,
           R"({"operation":"tool.TruncateTable","request":{"TableName":"{table_name}"}})"),
    Dynamo("dynamo__update_gsi", kElevated,
           R"({"operation":"UpdateTable","request":{"TableName":"{table_name}",)"
           R"("GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"{index_name}",)"
           R"("ProvisionedThroughput":["{read_capacity_units}","{write_capacity_units}"]}}]}})"),
    Dynamo("dynamo__update_item", kElevated,
           R"({"operation":"UpdateItem","request":{"TableName":"{table_name}","Key":"{keys}",)"
           R"("AttributeUpdates":"{attributes}"}})"),
    Dynamo("dynamo__update_pitr", kElevated,
           R"({"operation":"UpdateContinuousBackups","request":{"TableName":"{table_name}",)"
           R"("PointInTimeRecoverySpecification":{)"
           R"("PointInTimeRecoveryEnabled":"{enabled:json}"}}})",
           kRaises),
    Dynamo("dynamo__update_streams", kElevated,
           R"({"operation":"UpdateTable","request":{"TableName":"{table_name}",)"
           R"("StreamSpecification":{"StreamEnabled":"{enabled:json}",)"
           R"("StreamViewType":"{stream_view_type?}"}}})",
           kRaises),
    Dynamo("dynamo__update_table_config", kElevated,
           R"({"operation":"UpdateTable","request":{"TableName":"{table_name}",)"
           R"("BillingMode":"{billing_mode?}","ProvisionedThroughput":["{read_capacity_units?}",)"
           R"("{write_capacity_units?}"],"TableClass":"{table_class?}"}})"),
    Dynamo("dynamo__update_ttl", kElevated,
           R"({"operation":"UpdateTimeToLive","request":{"TableName":"{table_name}",)"
           R"("TimeToLiveSpecification":{"Enabled":"{enabled:json}",)"
           R"("AttributeName":"{attribute_name?}"}}})",
           kRaises),
    Elasticsearch("es__bulk", kElevated,
                  R"({"method":"POST","path":"/{index}/_bulk","body":"{body}"})"),
    Elasticsearch("es__cat_aliases", kSafe,
                  R"({"method":"GET","path":"/_cat/aliases?format=json"})"),
    Elasticsearch("es__cat_indices", kSafe,
                  R"({"method":"GET","path":"/_cat/indices?format=json&expand_wildcards=all"})",
                  "include_system"),
    Elasticsearch("es__cat_nodes", kSafe, R"({"method":"GET","path":"/_cat/nodes?format=json"})"),
    Elasticsearch("es__cat_shards", kSafe, R"({"method":"GET","path":"/_cat/shards?format=json"})"),
    Elasticsearch("es__cluster_health", kSafe, R"({"method":"GET","path":"/_cluster/health"})"),
    Elasticsearch("es__count", kSafe,
                  R"({"method":"POST","path":"/{index?}/_count","body":"{body?}"})"),
    Elasticsearch("es__create_index", kElevated,
                  R"({"method":"PUT","path":"/{index}","body":"{body?}"})"),
    Elasticsearch("es__delete_alias", kDestructive,
                  R"({"method":"DELETE","path":"/{index}/_alias/{name}"})"),
    Elasticsearch("es__delete_by_query", kDestructive,
                  R"({"method":"POST","path":"/{index}/_delete_by_query","body":"{body}"})"),
    Elasticsearch("es__delete_document", kDestructive,
                  R"({"method":"DELETE","path":"/{index}/_doc/{id}"})"),
    Elasticsearch("es__delete_index", kDestructive, R"({"method":"DELETE","path":"/{index}"})"),
    Elasticsearch("es__get_alias", kSafe, R"({"method":"GET","path":"/{index}/_alias"})"),
    Elasticsearch("es__get_document", kSafe, R"({"method":"GET","path":"/{index}/_doc/{id}"})"),
    Elasticsearch("es__get_mapping", kSafe, R"({"method":"GET","path":"/{index}/_mapping"})"),
    Elasticsearch("es__index_document", kElevated,
                  R"({"method":"POST","path":"/{index}/_doc/{id?}","body":"{body}"})"),
    Elasticsearch("es__list_snapshots", kSafe,
                  R"({"method":"GET","path":"/_cat/snapshots?format=json"})"),
    Elasticsearch("es__put_alias", kElevated,
                  R"({"method":"PUT","path":"/{index}/_alias/{name}","body":"{body?}"})"),
    Elasticsearch("es__put_mapping", kElevated,
                  R"({"method":"PUT","path":"/{index}/_mapping","body":"{body}"})"),
    Elasticsearch("es__reindex", kElevated,
                  R"({"method":"POST","path":"/_reindex","body":"{body}"})"),
    Elasticsearch(
        "es__restore_snapshot", kDestructive,
        R"({"method":"POST","path":"/_snapshot/{repo}/{snap}/_restore","body":"{body?}"})"),
    Elasticsearch("es__search", kSafe,
                  R"({"method":"POST","path":"/{index}/_search","body":"{body}"})"),
    Elasticsearch("es__update_aliases", kElevated,
                  R"({"method":"POST","path":"/_aliases","body":"{body}"})"),
    Elasticsearch("es__update_document", kElevated,
                  R"({"method":"POST","path":"/{index}/_update/{id}","body":"{body}"})"),
    Mongo("mongo__aggregate", kSafe,
          R"({"aggregate":"{collection}","pipeline":"{pipeline}","cursor":{},)"
          R"("$db":"{database?}"})",
          kRaises),
    Mongo("mongo__bulk_write", kElevated,
          R"({"bulkWrite":"{collection}","operations":"{operations}","$db":"{database?}"})",
          kRaises),
    Mongo("mongo__clone_collection", kElevated,
          R"({"aggregate":"{source_collection}",)"
          R"("pipeline":[{"$merge":{"into":"{target_collection}","whenMatched":"fail"}}],)"
          R"("$db":"{database?}"})"),
    Mongo("mongo__collection_stats", kSafe, R"({"collStats":"{collection}","$db":"{database?}"})"),
    Mongo("mongo__count_documents", kSafe,
          R"({"count":"{collection}","query":"{filter:json?}","$db":"{database?}"})"),
    Mongo("mongo__create_collection", kElevated,
          R"({"create":"{collection}","options":"{options?}","$db":"{database?}"})", kRaises),
    Mongo("mongo__create_database", kElevated, R"({"create":"{collection}","$db":"{database}"})"),
    Mongo("mongo__create_index", kElevated,
          R"({"createIndexes":"{collection}","indexes":[{"key":"{keys}","name":"{name?}",)"
          R"("unique":"{unique?}","sparse":"{sparse?}",)"
          R"("expireAfterSeconds":"{expire_after_seconds?}"}],"$db":"{database?}"})",
          kRaises),
    Mongo("mongo__database_stats", kSafe, R"({"dbStats":1,"$db":"{database?}"})"),
    Mongo("mongo__delete_document", kDestructive,
          R"({"delete":"{collection}","deletes":[{"q":{"_id":"{id}"},"limit":1}],)"
          R"("$db":"{database?}"})"),
    Mongo("mongo__delete_many", kDestructive,
          R"({"delete":"{collection}","deletes":[{"q":"{filter}","limit":0}],)"
          R"("$db":"{database?}"})"),
    Mongo("mongo__distinct", kSafe,
          R"({"distinct":"{collection}","key":"{field}","query":"{filter?}",)"
          R"("$db":"{database?}"})"),
    Mongo("mongo__drop_collection", kDestructive, R"({"drop":"{collection}","$db":"{database?}"})"),
    Mongo("mongo__drop_database", kDestructive, R"({"dropDatabase":1,"$db":"{database}"})"),
    Mongo("mongo__drop_index", kDestructive,
          R"({"dropIndexes":"{collection}","index":"{index_name}","$db":"{database?}"})"),
    Mongo("mongo__find", kSafe,
          R"({"find":"{collection}","filter":"{filter?}","projection":"{projection?}",)"
          R"("sort":"{sort?}","limit":"{limit?}","$db":"{database?}"})"),
    Mongo("mongo__find_one_and_update", kElevated,
          R"({"findAndModify":"{collection}","query":"{filter}","update":"{update}",)"
          R"("options":"{options?}","$db":"{database?}"})"),
    Mongo("mongo__get_slow_queries", kElevated, ""),
    Mongo("mongo__insert_many", kElevated,
          R"({"insert":"{collection}","documents":"{documents}","$db":"{database?}"})"),
    Mongo("mongo__insert_one", kElevated,
          R"({"insert":"{collection}","documents":["{document}"],"$db":"{database?}"})"),
    Mongo("mongo__list_collections", kSafe, R"({"listCollections":1,"$db":"{database?}"})"),
    Mongo("mongo__list_databases", kSafe, ""),
    Mongo("mongo__list_indexes", kSafe, R"({"listIndexes":"{collection}","$db":"{database?}"})"),
    Mongo("mongo__list_users", kElevated, ""),
    Mongo("mongo__rename_collection", kDestructive,
          R"({"renameCollection":"{database?}.{collection}",)"
          R"("to":"{database?}.{to_collection}"})"),
    Mongo("mongo__repl_set_status", kSafe, ""),
    Mongo("mongo__sample_documents", kSafe,
          R"({"find":"{collection}","limit":"{limit?}","$db":"{database?}"})"),
    Mongo("mongo__server_status", kSafe, ""),
    Mongo("mongo__shard_status", kSafe, ""),
    Mongo("mongo__truncate_collection", kDestructive,
          R"({"delete":"{collection}","deletes":[{"q":{},"limit":0}],"$db":"{database?}"})"),
    Mongo("mongo__update_document", kElevated,
          R"({"update":"{collection}","updates":[{"q":{"_id":"{id}"},)"
          R"("u":{"$set":"{document:json}"}}],"$db":"{database?}"})"),
    Mongo("mongo__update_many", kElevated,
          R"({"update":"{collection}","updates":[{"q":"{filter}","u":"{update}",)"
          R"("multi":true,"upsert":"{upsert?}"}],"$db":"{database?}"})"),
    Sqlkit("sqlkit__describe_table", kSafe, "database schema table"),
    {.tool = "sqlkit__execute_ddl", .risk = kDestructive, .payload = "{sql}"},
    {.tool = "sqlkit__execute_delete", .risk = kDestructive, .payload = "{sql}"},
    {.tool = "sqlkit__execute_query", .risk = kSafe, .payload = "{sql}"},
    {.tool = "sqlkit__execute_write", .risk = kElevated, .payload = "{sql}"},
    {.tool = "sqlkit__explain_query", .risk = kSafe, .payload = "{sql}"},
    Sqlkit("sqlkit__get_foreign_keys", kSafe, "database schema"),
    Sqlkit("sqlkit__get_object_ddl", kSafe, "database object_name object_type schema"),
    Sqlkit("sqlkit__get_schema", kSafe, "database schema"),
    Sqlkit("sqlkit__get_slow_queries", kElevated, "database limit"),
    Sqlkit("sqlkit__get_table_info", kSafe, "database schema table"),
    {.tool = "sqlkit__grant_privilege",
     .risk = kDestructive,
     .payload = "GRANT {privilege} ON {object} TO {grantee}"},
    Sqlkit("sqlkit__kill_session", kDestructive, "session_id"),
    {.tool = "sqlkit__list_connections", .risk = kSafe, .needs_connection = NeedsConnection::kNo},
    Sqlkit("sqlkit__list_databases", kSafe, ""),
    Sqlkit("sqlkit__list_foreign_keys", kSafe, "database schema table"),
    Sqlkit("sqlkit__list_functions", kSafe, "database schema"),
    Sqlkit("sqlkit__list_indexes", kSafe, "database schema table"),
    Sqlkit("sqlkit__list_procedures", kSafe, "database schema"),
    Sqlkit("sqlkit__list_schemas", kSafe, "database"),
    Sqlkit("sqlkit__list_sessions", kElevated, "database"),
    Sqlkit("sqlkit__list_tables", kSafe, "database schema"),
    Sqlkit("sqlkit__list_triggers", kSafe, "database schema table"),
    Sqlkit("sqlkit__list_views", kSafe, "database schema"),
    {.tool = "sqlkit__revoke_privilege",
     .risk = kDestructive,
     .payload = "REVOKE {privilege} ON {object} FROM {grantee}"},
});

static_assert(std::is_sorted(kTools.begin(), kTools.end(),
                             [](const BuiltinTool& a, const BuiltinTool& b) {
                               return a.tool < b.tool;
                             }));

constexpr std::string_view kConnectionArgument = "connection_id";

CatalogEntry EntryOf(const BuiltinTool& tool) {
  CatalogEntry entry;
  entry.key.tool = ToolName(tool.tool);
  entry.risk = tool.risk;
  entry.needs_connection = tool.needs_connection;
  if (tool.needs_connection == NeedsConnection::kYes) {
    entry.connection_argument = std::string(kConnectionArgument);
  }
  if (tool.payload.has_value()) {
    entry.payload_rule =
        PayloadRule{.payload = std::string(*tool.payload), .dialect = std::string(tool.dialect)};
    std::string_view harmless = tool.harmless;
    while (!harmless.empty()) {
      const size_t end = std::min(harmless.find(' '), harmless.size());
      entry.payload_rule->harmless_arguments.emplace(harmless.substr(0, end));
      harmless.remove_prefix(std::min(end + 1, harmless.size()));
    }
  }
  entry.raise = tool.raise;
  entry.builtin = true;
  return entry;
}

}  // namespace

std::span<const CatalogEntry> BuiltinCatalog() {
  static const auto& entries = *[] {
    auto* built = new std::vector<CatalogEntry>;
    built->reserve(kTools.size());
    for (const BuiltinTool& tool : kTools) built->push_back(EntryOf(tool));
    return built;
  }();
  return entries;
}

const CatalogEntry* FindBuiltin(std::string_view tool) {
  static const auto& by_name = *[] {
    auto* built = new StringMap<const CatalogEntry*>;
    for (const CatalogEntry& entry : BuiltinCatalog()) {
      built->emplace(entry.key.tool.value(), &entry);
    }
    return built;
  }();
  const auto it = by_name.find(tool);
  return it == by_name.end() ? nullptr : it->second;
}

}  // namespace bridgekeeper
