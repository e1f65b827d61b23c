// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/dynamodb/operations.h"

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"

namespace bridgekeeper::dynamodb {
namespace {

using enum Reads;
using enum Risk;

constexpr std::string_view kPrivileges = "changes who may use a table";
constexpr std::string_view kRegions = "copies a table to another region or account";
constexpr std::string_view kStreams = "sends every change to a stream elsewhere";

constexpr Operation kOperations[] = {
    {"BatchExecuteStatement", kStatements, "", kSafe, "", "Statements ReturnConsumedCapacity"},
    {"BatchGetItem", kNothing, "", kSafe, "", "RequestItems ReturnConsumedCapacity"},
    {"BatchWriteItem", kBatchWrite, "", kSafe, "",
     "RequestItems ReturnConsumedCapacity ReturnItemCollectionMetrics"},
    {"CreateBackup", kNothing, effect::kCreate, kElevated, "makes a backup",
     "TableName BackupName"},
    {"CreateGlobalTable", kNothing, effect::kExternal, kDestructive, kRegions,
     "GlobalTableName ReplicationGroup"},
    {"CreateTable", kNothing, effect::kCreate, kElevated, "makes a table",
     "AttributeDefinitions TableName KeySchema LocalSecondaryIndexes GlobalSecondaryIndexes "
     "BillingMode ProvisionedThroughput StreamSpecification SSESpecification Tags TableClass "
     "DeletionProtectionEnabled WarmThroughput OnDemandThroughput"},
    {"DeleteBackup", kNothing, effect::kDrop, kDestructive, "removes a backup", "BackupArn"},
    {"DeleteItem", kNothing, effect::kDelete, kDestructive, "removes an item",
     "TableName Key Expected ConditionalOperator ReturnValues ReturnConsumedCapacity "
     "ReturnItemCollectionMetrics ConditionExpression ExpressionAttributeNames "
     "ExpressionAttributeValues ReturnValuesOnConditionCheckFailure"},
    {"DeleteResourcePolicy", kNothing, effect::kPrivilege, kDestructive, kPrivileges,
     "ResourceArn ExpectedRevisionId"},
    {"DeleteTable", kNothing, effect::kDrop, kDestructive, "removes a table and its items",
     "TableName"},
    {"DescribeBackup", kNothing, "", kSafe, "", "BackupArn"},
    {"DescribeContinuousBackups", kNothing, "", kSafe, "", "TableName"},
    {"DescribeContributorInsights", kNothing, "", kSafe, "", "TableName IndexName"},
    {"DescribeEndpoints", kNothing, "", kSafe, "", ""},
    {"DescribeExport", kNothing, "", kSafe, "", "ExportArn"},
    {"DescribeGlobalTable", kNothing, "", kSafe, "", "GlobalTableName"},
    {"DescribeGlobalTableSettings", kNothing, "", kSafe, "", "GlobalTableName"},
    {"DescribeImport", kNothing, "", kSafe, "", "ImportArn"},
    {"DescribeKinesisStreamingDestination", kNothing, "", kSafe, "", "TableName"},
    {"DescribeLimits", kNothing, "", kSafe, "", ""},
    {"DescribeStream", kNothing, "", kSafe, "",
     "StreamArn Limit ExclusiveStartShardId ShardFilter"},
    {"DescribeTable", kNothing, "", kSafe, "", "TableName"},
    {"DescribeTableReplicaAutoScaling", kNothing, "", kSafe, "", "TableName"},
    {"DescribeTimeToLive", kNothing, "", kSafe, "", "TableName"},
    {"DisableKinesisStreamingDestination", kNothing, effect::kSetting, kDestructive,
     "stops the stream of changes that others read",
     "TableName StreamArn EnableKinesisStreamingConfiguration"},
    {"EnableKinesisStreamingDestination", kNothing, effect::kExternal, kDestructive, kStreams,
     "TableName StreamArn EnableKinesisStreamingConfiguration"},
    {"ExecuteStatement", kStatement, "", kSafe, "",
     "Statement Parameters ConsistentRead NextToken ReturnConsumedCapacity Limit "
     "ReturnValuesOnConditionCheckFailure"},
    {"ExecuteTransaction", kTransactStatements, "", kSafe, "",
     "TransactStatements ClientRequestToken ReturnConsumedCapacity"},
    {"ExportTableToPointInTime", kNothing, effect::kExternal, kDestructive,
     "writes a table to a bucket",
     "TableArn ExportTime ClientToken S3Bucket S3BucketOwner S3Prefix S3SseAlgorithm S3SseKmsKeyId "
     "ExportFormat ExportType IncrementalExportSpecification"},
    {"GetItem", kNothing, "", kSafe, "",
     "TableName Key AttributesToGet ConsistentRead ReturnConsumedCapacity ProjectionExpression "
     "ExpressionAttributeNames"},
    {"GetRecords", kNothing, effect::kSensitiveRead, kElevated,
     "shows what others change, before and after", "ShardIterator Limit"},
    {"GetResourcePolicy", kNothing, effect::kSensitiveRead, kElevated, "shows who may use a table",
     "ResourceArn"},
    {"GetShardIterator", kNothing, "", kSafe, "",
     "StreamArn ShardId ShardIteratorType SequenceNumber"},
    {"ImportTable", kNothing, effect::kExternal, kDestructive, "reads a table from a bucket",
     "ClientToken S3BucketSource InputFormat InputFormatOptions InputCompressionType "
     "TableCreationParameters"},
    {"ListBackups", kNothing, "", kSafe, "",
     "TableName Limit TimeRangeLowerBound TimeRangeUpperBound ExclusiveStartBackupArn BackupType"},
    {"ListContributorInsights", kNothing, "", kSafe, "", "TableName NextToken MaxResults"},
    {"ListExports", kNothing, "", kSafe, "", "TableArn MaxResults NextToken"},
    {"ListGlobalTables", kNothing, "", kSafe, "", "ExclusiveStartGlobalTableName Limit RegionName"},
    {"ListImports", kNothing, "", kSafe, "", "TableArn PageSize NextToken"},
    {"ListStreams", kNothing, "", kSafe, "", "TableName Limit ExclusiveStartStreamArn"},
    {"ListTables", kNothing, "", kSafe, "", "ExclusiveStartTableName Limit"},
    {"ListTagsOfResource", kNothing, "", kSafe, "", "ResourceArn NextToken"},
    {"PutItem", kPut, "", kSafe, "",
     "TableName Item Expected ReturnValues ReturnConsumedCapacity ReturnItemCollectionMetrics "
     "ConditionalOperator ConditionExpression ExpressionAttributeNames ExpressionAttributeValues "
     "ReturnValuesOnConditionCheckFailure"},
    {"PutResourcePolicy", kNothing, effect::kPrivilege, kDestructive, kPrivileges,
     "ResourceArn Policy ExpectedRevisionId ConfirmRemoveSelfResourceAccess"},
    {"Query", kNothing, "", kSafe, "",
     "TableName IndexName Select AttributesToGet Limit ConsistentRead KeyConditions QueryFilter "
     "ConditionalOperator ScanIndexForward ExclusiveStartKey ReturnConsumedCapacity "
     "ProjectionExpression FilterExpression KeyConditionExpression ExpressionAttributeNames "
     "ExpressionAttributeValues"},
    {"RestoreTableFromBackup", kNothing, effect::kCreate, kElevated,
     "makes a new table of a backup",
     "TargetTableName BackupArn BillingModeOverride GlobalSecondaryIndexOverride "
     "LocalSecondaryIndexOverride ProvisionedThroughputOverride OnDemandThroughputOverride "
     "SSESpecificationOverride"},
    {"RestoreTableToPointInTime", kNothing, effect::kCreate, kElevated,
     "makes a new table of a backup",
     "SourceTableName TargetTableName UseLatestRestorableTime RestoreDateTime BillingModeOverride "
     "GlobalSecondaryIndexOverride LocalSecondaryIndexOverride ProvisionedThroughputOverride "
     "OnDemandThroughputOverride SSESpecificationOverride"},
    {"Scan", kNothing, "", kSafe, "",
     "TableName IndexName AttributesToGet Limit Select ScanFilter ConditionalOperator "
     "ExclusiveStartKey ReturnConsumedCapacity TotalSegments Segment ProjectionExpression "
     "FilterExpression ExpressionAttributeNames ExpressionAttributeValues ConsistentRead"},
    {"TagResource", kNothing, effect::kAlter, kElevated, "adds tags, or changes them",
     "ResourceArn Tags"},
    {"TransactGetItems", kNothing, "", kSafe, "", "TransactItems ReturnConsumedCapacity"},
    {"TransactWriteItems", kTransactWrite, "", kSafe, "",
     "TransactItems ReturnConsumedCapacity ReturnItemCollectionMetrics ClientRequestToken"},
    {"UntagResource", kNothing, effect::kAlter, kDestructive,
     "removes tags, which rules of access may rest on", "ResourceArn TagKeys"},
    {"UpdateContinuousBackups", kBackups, "", kSafe, "",
     "TableName PointInTimeRecoverySpecification"},
    {"UpdateContributorInsights", kNothing, effect::kSetting, kElevated,
     "switches the statistics of a table",
     "TableName IndexName ContributorInsightsAction ContributorInsightsMode"},
    {"UpdateGlobalTable", kNothing, effect::kExternal, kDestructive, kRegions,
     "GlobalTableName ReplicaUpdates"},
    {"UpdateGlobalTableSettings", kNothing, effect::kAlter, kDestructive,
     "changes a table in every region",
     "GlobalTableName GlobalTableBillingMode GlobalTableProvisionedWriteCapacityUnits "
     "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate "
     "GlobalTableGlobalSecondaryIndexSettingsUpdate ReplicaSettingsUpdate"},
    {"UpdateItem", kNothing, effect::kUpdate, kElevated, "changes an item",
     "TableName Key AttributeUpdates Expected ConditionalOperator ReturnValues "
     "ReturnConsumedCapacity ReturnItemCollectionMetrics UpdateExpression ConditionExpression "
     "ExpressionAttributeNames ExpressionAttributeValues ReturnValuesOnConditionCheckFailure"},
    {"UpdateKinesisStreamingDestination", kNothing, effect::kExternal, kDestructive, kStreams,
     "TableName StreamArn UpdateKinesisStreamingConfiguration"},
    {"UpdateTable", kUpdateTable, "", kSafe, "",
     "AttributeDefinitions TableName BillingMode ProvisionedThroughput GlobalSecondaryIndexUpdates "
     "StreamSpecification SSESpecification TableClass DeletionProtectionEnabled OnDemandThroughput "
     "WarmThroughput"},
    {"UpdateTableReplicaAutoScaling", kNothing, effect::kAlter, kDestructive,
     "changes a table in other regions",
     "GlobalSecondaryIndexUpdates TableName ProvisionedWriteCapacityAutoScalingUpdate "
     "ReplicaUpdates"},
    {"UpdateTimeToLive", kTimeToLive, "", kSafe, "", "TableName TimeToLiveSpecification"},
    {"tool.PutItems", kPutByTool, "", kSafe, "", "TableName Items SkipExisting PartitionKey"},
    {"tool.RestoreTable", kNothing, effect::kCreate, kElevated, "makes a new table of a backup",
     "SourceTableName TargetTableName BackupArn UseLatestRestorableTime RestoreDateTime "
     "BillingModeOverride GlobalSecondaryIndexOverride"},
    {"tool.TableMetrics", kNothing, "", kSafe, "", "TableName PeriodHours"},
    {"tool.TruncateTable", kNothing, effect::kDelete, kDestructive, "removes every item",
     "TableName"},
};
static_assert(std::is_sorted(std::begin(kOperations), std::end(kOperations),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

// They may stand in a request though no list of members has them.
constexpr Member kMembers[] = {
    {"GlobalTableSettingsReplicationMode", effect::kExternal, kRegions},
    {"GlobalTableSourceArn", effect::kExternal, kRegions},
    {"GlobalTableWitnessUpdates", effect::kExternal, kRegions},
    {"MultiRegionConsistency", effect::kExternal, kRegions},
    {"ReplicaUpdates", effect::kExternal, kRegions},
    {"ResourcePolicy", effect::kPrivilege, kPrivileges},
    {"SourceTableArn", effect::kExternal, "reads a table of another region or account"},
};

}  // namespace

std::span<const Operation> Operations() { return kOperations; }

const Operation* FindOperation(std::string_view name) {
  const auto* const row = std::lower_bound(
      std::begin(kOperations), std::end(kOperations), name,
      [](const Operation& operation, std::string_view wanted) { return operation.name < wanted; });
  return row == std::end(kOperations) || row->name != name ? nullptr : row;
}

const Member* FindMember(std::string_view name) {
  const auto* const row = std::find_if(std::begin(kMembers), std::end(kMembers),
                                       [&](const Member& member) { return member.name == name; });
  return row == std::end(kMembers) ? nullptr : row;
}

bool IsOneOf(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace bridgekeeper::dynamodb
