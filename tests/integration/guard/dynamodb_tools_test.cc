// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Each built-in DynamoDB tool, decided with the real judge: at its catalogue risk, and
// raised or refused where its arguments do worse.
//
// A call whose payload cannot be made is refused unjudged, at the catalogue's risk.
//
// Source: policy/spec.md, clauses C5 to C8, D9 to D13 and G70 to G73.

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/catalog/catalog.h"
#include "policy/engine/engine.h"
#include "policy/guard/guard.h"

namespace bridgekeeper {
namespace {

struct ToolCase {
  const char* name;
  const char* tool;       // behind `dynamo__`
  const char* arguments;  // without the connection
  Risk risk;
  ReasonCode reason;

  friend void PrintTo(const ToolCase& row, std::ostream* out) {
    *out << row.tool << " " << row.arguments;
  }
};

constexpr auto kAllowed = ReasonCode::kAllowed;
constexpr auto kConfirm = ReasonCode::kConfirmDestructive;
constexpr auto kExceeds = ReasonCode::kStatementExceedsTool;
constexpr auto kMissing = ReasonCode::kPayloadMissing;
using enum Risk;

constexpr ToolCase kCases[] = {
    {"BatchGet", "batch_get_items",
     R"("request_items":"{\"t\":{\"Keys\":[{\"id\":{\"S\":\"1\"}}]}}")", kSafe, kAllowed},
    {"BatchGetIsNoJson", "batch_get_items", R"("request_items":"{t")", kSafe, kMissing},
    {"BatchGetThatIsNone", "batch_get_items", R"("request_items":"{\"t\":[{\"PutRequest\":{}}]}")",
     kDestructive, kExceeds},
    {"BatchWriteSkips", "batch_write_items",
     R"("table_name":"t","items":"[{\"id\":\"1\"},{\"id\":\"2\"}]",)"
     R"("skip_existing":"true","partition_key":"id")",
     kElevated, kAllowed},
    {"BatchWriteSkipsByNoAttributeOfOne", "batch_write_items",
     R"("table_name":"t","items":"[{\"id\":\"1\"},{}]","skip_existing":true,"partition_key":"id")",
     kDestructive, kConfirm},
    {"BatchWriteIsNoJson", "batch_write_items", R"("table_name":"t","items":"[{")", kElevated,
     kMissing},
    {"BatchWriteReplaces", "batch_write_items", R"("table_name":"t","items":"[]")", kDestructive,
     kConfirm},
    {"CreateBackup", "create_backup", R"("table_name":"t","backup_name":"b")", kElevated, kAllowed},
    {"CreateIndex", "create_gsi",
     R"("table_name":"t","index_name":"i","key_schema":"[]","projection_type":"ALL")", kElevated,
     kAllowed},
    {"CreateItemSkips", "create_item",
     R"("table_name":"t","attributes":"{\"id\":\"1\"}","skip_existing":true,"partition_key":"id")",
     kElevated, kAllowed},
    {"CreateItemSkipsByNoAttribute", "create_item",
     R"("table_name":"t","attributes":"{\"id\":\"1\"}","skip_existing":true,"partition_key":"no")",
     kDestructive, kConfirm},
    {"CreateItemReplaces", "create_item",
     R"("table_name":"t","attributes":"{\"id\":\"1\"}",)"
     R"("skip_existing":"false","partition_key":"id")",
     kDestructive, kConfirm},
    {"CreateItemSkipsByNoKey", "create_item",
     R"("table_name":"t","attributes":"{\"id\":\"1\"}","skip_existing":"true")", kDestructive,
     kConfirm},
    {"CreateTable", "create_table",
     R"("table_name":"t","partition_key":"id","billing_mode":"PAY_PER_REQUEST")", kElevated,
     kAllowed},
    {"DeleteIndex", "delete_gsi", R"("table_name":"t","index_name":"i")", kDestructive, kConfirm},
    {"DeleteItem", "delete_item", R"("table_name":"t","keys":"{}")", kDestructive, kConfirm},
    {"DeleteTable", "delete_table", R"("table_name":"t")", kDestructive, kConfirm},
    {"DescribeBackup", "describe_backup", R"("backup_arn":"x")", kSafe, kAllowed},
    {"DescribeContinuousBackups", "describe_continuous_backups", R"("table_name":"t")", kSafe,
     kAllowed},
    {"DescribeLimits", "describe_limits", "", kSafe, kAllowed},
    {"DescribeTable", "describe_table", R"("table_name":"t")", kSafe, kAllowed},
    {"DescribeTimeToLive", "describe_ttl", R"("table_name":"t")", kSafe, kAllowed},
    {"ExecuteDelete", "execute_delete", R"("statement":"DELETE FROM t WHERE id = '1'")",
     kDestructive, kConfirm},
    {"ExecuteQuery", "execute_query", R"("statement":"SELECT * FROM t")", kSafe, kAllowed},
    {"ExecuteQueryThatDeletes", "execute_query",
     R"("statement":"-- SELECT\nDELETE FROM t WHERE id = '1'")", kDestructive, kExceeds},
    {"ExecuteQueryOfTwo", "execute_query", R"("statement":"SELECT * FROM t; DELETE FROM t")",
     kDestructive, ReasonCode::kStatementMultiple},
    {"ExecuteWrite", "execute_write", R"("statement":"INSERT INTO t VALUE {'id': '1'}")", kElevated,
     kAllowed},
    {"ExecuteWriteThatDeletes", "execute_write", R"("statement":"DELETE FROM t WHERE id = '1'")",
     kDestructive, kExceeds},
    {"TableMetrics", "get_table_metrics", R"("table_name":"t","period_hours":"3")", kSafe,
     kAllowed},
    {"ListBackups", "list_backups", R"("backup_type":"USER")", kSafe, kAllowed},
    {"ListTables", "list_tables", "", kSafe, kAllowed},
    {"ListTags", "list_tags", R"("resource_arn":"x")", kSafe, kAllowed},
    {"QueryTable", "query_table",
     R"("table_name":"t","partition_key":"{}","sort_key":"{}","filters":"[]","limit":"5")", kSafe,
     kAllowed},
    {"QueryTableWithMore", "query_table", R"("table_name":"t","partition_key":"{}","more":"x")",
     kSafe, ReasonCode::kInvalidRequest},
    {"RestoreTable", "restore_table",
     R"("source_table_name":"t","target_table_name":"n","source_backup_arn":"x")", kElevated,
     kAllowed},
    {"ScanTable", "scan_table", R"("table_name":"t","filters":"[]")", kSafe, kAllowed},
    {"TagResource", "tag_resource", R"("resource_arn":"x","tags":"[]")", kElevated, kAllowed},
    {"TransactUpdates", "transact_write_items",
     R"("transact_items":"[{\"Update\":{\"TableName\":\"t\",\"Key\":{}}}]")", kElevated, kAllowed},
    {"TransactDeletes", "transact_write_items",
     R"("transact_items":"[{\"Delete\":{\"TableName\":\"t\",\"Key\":{}}}]")", kDestructive,
     kConfirm},
    {"TruncateTable", "truncate_table", R"("table_name":"t")", kDestructive, kConfirm},
    {"UpdateIndex", "update_gsi",
     R"("table_name":"t","index_name":"i","read_capacity_units":"1","write_capacity_units":"1")",
     kElevated, kAllowed},
    {"UpdateItem", "update_item", R"("table_name":"t","keys":"{}","attributes":"{}")", kElevated,
     kAllowed},
    {"RecoveryOn", "update_pitr", R"("table_name":"t","enabled":"true")", kElevated, kAllowed},
    {"RecoveryOff", "update_pitr", R"("table_name":"t","enabled":"false")", kDestructive, kConfirm},
    {"StreamsOn", "update_streams",
     R"("table_name":"t","enabled":true,"stream_view_type":"NEW_IMAGE")", kElevated, kAllowed},
    {"StreamsOff", "update_streams", R"("table_name":"t","enabled":false)", kDestructive, kConfirm},
    {"TableConfig", "update_table_config", R"("table_name":"t","billing_mode":"PROVISIONED")",
     kElevated, kAllowed},
    {"ExpiryOff", "update_ttl", R"("table_name":"t","enabled":"false")", kElevated, kAllowed},
    {"ExpiryOn", "update_ttl", R"("table_name":"t","enabled":"true","attribute_name":"e")",
     kDestructive, kConfirm},
};

class DynamoDbToolTest : public testing::TestWithParam<ToolCase> {};

TEST_P(DynamoDbToolTest, IsDecidedByWhatItDoes) {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = Mode::kFullAccess;
  const auto policy = CompiledPolicy::Compile(std::move(data));
  const std::string separator = *GetParam().arguments == 0 ? "" : ",";
  const std::string text =
      absl::StrFormat(R"({"connection_id":"c"%s%s})", separator, GetParam().arguments);
  const auto arguments = JsonDocument::Parse(text);
  ASSERT_TRUE(arguments.ok()) << arguments.status() << text;
  const std::string tool = absl::StrFormat("dynamo__%s", GetParam().tool);
  ToolCall call;
  call.tool = tool;
  call.arguments = arguments->root();
  static const PayloadJudge* const guard = MakeGuard().release();
  const Decision decision = Decide(PolicyView::Of(*policy), call, guard);
  EXPECT_EQ(Name(decision.reason), Name(GetParam().reason)) << text;
  EXPECT_EQ(Name(decision.effective_risk), Name(GetParam().risk)) << text;
}

INSTANTIATE_TEST_SUITE_P(Table, DynamoDbToolTest, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(DynamoDbTools, HaveACaseEachAtTheirCatalogueRisk) {
  std::set<std::string> at_risk;
  for (const ToolCase& row : kCases) {
    const std::string tool = absl::StrFormat("dynamo__%s", row.tool);
    const CatalogEntry* const entry = FindBuiltin(tool);
    ASSERT_NE(entry, nullptr) << tool;
    if (row.risk == entry->risk) at_risk.insert(tool);
  }
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    const std::string& tool = entry.key.tool.value();
    EXPECT_TRUE(!tool.starts_with("dynamo__") || at_risk.contains(tool)) << tool;
  }
}

}  // namespace
}  // namespace bridgekeeper
