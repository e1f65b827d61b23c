// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The built-in MongoDB tools with the judge that really judges: every argument that a
// tool has is known, and each does what its catalogue entry says, unless it is refused
// or raised.
//
// Source: policy/spec.md, clauses C5 to C8, D10, D13 and G60 to G66.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/base/json.h"
#include "policy/engine/engine.h"
#include "policy/guard/guard.h"

namespace bridgekeeper {
namespace {

struct Row {
  const char* name;
  const char* tool;
  const char* arguments;  // besides the connection's
  ReasonCode reason;
  Risk risk;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.tool << row.arguments; }
};

using enum Risk;
constexpr ReasonCode kAllowed = ReasonCode::kAllowed;
constexpr ReasonCode kAsked = ReasonCode::kConfirmDestructive;
constexpr ReasonCode kExceeds = ReasonCode::kStatementExceedsTool;
constexpr ReasonCode kMissing = ReasonCode::kPayloadMissing;
constexpr ReasonCode kInvalid = ReasonCode::kInvalidRequest;
constexpr ReasonCode kElsewhere = ReasonCode::kConnectionNotAllowed;

// The first row of each tool has every argument that it takes.
constexpr Row kRows[] = {
    {"AggregateReads", "mongo__aggregate",
     R"({"collection":"t","pipeline":[{"$match":{"a":1}},{"$group":{"_id":"$b"}}],"database":"shop"})",
     kAllowed, kSafe},
    {"AggregateMerges", "mongo__aggregate", R"({"collection":"t","pipeline":[{"$merge":"u"}]})",
     kAllowed, kElevated},
    {"AggregateReplaces", "mongo__aggregate", R"({"collection":"t","pipeline":[{"$out":"u"}]})",
     kAsked, kDestructive},
    {"AggregateReplacesDeepInside", "mongo__aggregate",
     R"({"collection":"t","pipeline":[{"$facet":{"a":[{"$lookup":{"from":"x","as":"y","pipeline":[{"$out":"u"}]}}]}}]})",
     kAsked, kDestructive},
    {"AggregateElsewhere", "mongo__aggregate",
     R"({"collection":"t","pipeline":[{"$lookup":{"from":{"db":"payroll","coll":"x"},"as":"y"}}]})",
     kElsewhere, kDestructive},
    {"AggregatePipelineIsMissing", "mongo__aggregate", R"({"collection":"t"})", kMissing, kSafe},
    {"BulkWriteWrites", "mongo__bulk_write",
     R"({"collection":"t","operations":[{"op":"insert_one","document":{"a":1}},{"op":"update_many","filter":{},"update":{"$set":{"a":1}}}],"database":"shop"})",
     kAllowed, kElevated},
    {"BulkWriteDeletes", "mongo__bulk_write",
     R"({"collection":"t","operations":[{"op":"insert_one","document":{}},{"op":"delete_many","filter":{}}]})",
     kAsked, kDestructive},
    {"CloneCopies", "mongo__clone_collection",
     R"({"source_collection":"t","target_collection":"u","database":"shop"})", kAllowed, kElevated},
    {"CloneOverSystem", "mongo__clone_collection",
     R"({"source_collection":"t","target_collection":"system.js"})", kExceeds, kDestructive},
    {"CollectionStats", "mongo__collection_stats", R"({"collection":"t","database":"shop"})",
     kAllowed, kSafe},
    {"CollectionStatsElsewhere", "mongo__collection_stats",
     R"({"collection":"t","database":"payroll"})", kElsewhere, kDestructive},
    {"CountWithText", "mongo__count_documents",
     R"({"collection":"t","filter":"{\"a\":{\"$gt\":1}}","database":"shop"})", kAllowed, kSafe},
    {"CountAll", "mongo__count_documents", R"({"collection":"t"})", kAllowed, kSafe},
    {"CountRunsJavaScript", "mongo__count_documents",
     R"({"collection":"t","filter":"{\"$where\":\"sleep(1000)\"}"})", kExceeds, kDestructive},
    {"CountFilterIsNoJson", "mongo__count_documents", R"({"collection":"t","filter":"{a: 1}"})",
     kMissing, kSafe},
    {"CreateCollection", "mongo__create_collection",
     R"({"collection":"t","database":"shop","options":{"validator":{"$jsonSchema":{"required":["a"]}}}})",
     kAllowed, kElevated},
    {"CreateCappedCollection", "mongo__create_collection",
     R"({"collection":"t","options":{"capped":true,"size":100}})", kAsked, kDestructive},
    {"CreateDatabase", "mongo__create_database", R"({"database":"shop","collection":"t"})",
     kAllowed, kElevated},
    {"CreateDatabaseElsewhere", "mongo__create_database", R"({"database":"x","collection":"t"})",
     kElsewhere, kDestructive},
    {"CreateIndex", "mongo__create_index",
     R"({"collection":"t","keys":{"a":1},"database":"shop","name":"a","unique":"true","sparse":"true","expire_after_seconds":null})",
     kAllowed, kElevated},
    {"CreateExpiringIndex", "mongo__create_index",
     R"({"collection":"t","keys":{"at":1},"expire_after_seconds":0})", kAsked, kDestructive},
    {"DatabaseStats", "mongo__database_stats", R"({"database":"shop"})", kAllowed, kSafe},
    {"DatabaseStatsElsewhere", "mongo__database_stats", R"({"database":"payroll"})", kElsewhere,
     kDestructive},
    {"DeleteDocument", "mongo__delete_document",
     R"({"collection":"t","id":"507f1f77bcf86cd799439011","database":"shop"})", kAsked,
     kDestructive},
    {"DeleteMany", "mongo__delete_many", R"({"collection":"t","filter":{},"database":"shop"})",
     kAsked, kDestructive},
    {"DeleteManyElsewhere", "mongo__delete_many",
     R"({"collection":"t","filter":{},"database":"payroll"})", kElsewhere, kDestructive},
    {"Distinct", "mongo__distinct",
     R"({"collection":"t","field":"a","filter":{"b":1},"database":"shop"})", kAllowed, kSafe},
    {"DistinctRunsJavaScript", "mongo__distinct",
     R"({"collection":"t","field":"a","filter":{"$expr":{"$function":{"body":"f","args":[],"lang":"js"}}}})",
     kExceeds, kDestructive},
    {"DropCollection", "mongo__drop_collection", R"({"collection":"t","database":"shop"})", kAsked,
     kDestructive},
    {"DropDatabase", "mongo__drop_database", R"({"database":"shop"})", kAsked, kDestructive},
    {"DropDatabaseElsewhere", "mongo__drop_database", R"({"database":"payroll"})", kElsewhere,
     kDestructive},
    {"DropIndex", "mongo__drop_index", R"({"collection":"t","index_name":"a","database":"shop"})",
     kAsked, kDestructive},
    {"Find", "mongo__find",
     R"({"collection":"t","filter":{"a":{"$gt":30}},"database":"shop","projection":{"a":1},"limit":20,"sort":{"a":-1}})",
     kAllowed, kSafe},
    {"FindRunsJavaScript", "mongo__find", R"({"collection":"t","filter":{"$where":"1"}})", kExceeds,
     kDestructive},
    {"FindProjectsWithJavaScript", "mongo__find",
     R"({"collection":"t","filter":{},"projection":{"a":{"$function":{"body":"f","args":[],"lang":"js"}}}})",
     kExceeds, kDestructive},
    {"FindShowsCredentials", "mongo__find",
     R"({"collection":"system.users","filter":{},"database":"admin"})", kElsewhere, kDestructive},
    {"FindShowsStatements", "mongo__find", R"({"collection":"system.profile","filter":{}})",
     kExceeds, kElevated},
    {"FindWithAnotherArgument", "mongo__find", R"({"collection":"t","filter":{},"hint":"a"})",
     kInvalid, kSafe},
    {"FindOneAndUpdate", "mongo__find_one_and_update",
     R"({"collection":"t","filter":{"a":1},"update":{"$inc":{"n":1}},"database":"shop","options":{"returnDocument":"after"}})",
     kAllowed, kElevated},
    {"FindOneAndRemove", "mongo__find_one_and_update",
     R"({"collection":"t","filter":{},"update":{"$inc":{"n":1}},"options":{"remove":true}})",
     kExceeds, kDestructive},
    {"GetSlowQueries", "mongo__get_slow_queries", "{}", kAllowed, kElevated},
    {"InsertMany", "mongo__insert_many",
     R"({"collection":"t","documents":[{"a":1},{"a":2}],"database":"shop"})", kAllowed, kElevated},
    {"InsertManyIntoSystem", "mongo__insert_many",
     R"({"collection":"system.js","documents":[{"_id":"f"}]})", kExceeds, kDestructive},
    {"InsertOne", "mongo__insert_one",
     R"({"collection":"t","document":{"a":{"$oid":"507f1f77bcf86cd799439011"}},"database":"shop"})",
     kAllowed, kElevated},
    {"InsertOneElsewhere", "mongo__insert_one",
     R"({"collection":"t","document":{},"database":"payroll"})", kElsewhere, kDestructive},
    {"ListCollections", "mongo__list_collections", R"({"database":"shop"})", kAllowed, kSafe},
    {"ListCollectionsElsewhere", "mongo__list_collections", R"({"database":"payroll"})", kElsewhere,
     kDestructive},
    {"ListDatabases", "mongo__list_databases", "{}", kAllowed, kSafe},
    {"ListDatabasesWithAnArgument", "mongo__list_databases", R"({"filter":{"$where":"1"}})",
     kInvalid, kSafe},
    {"ListIndexes", "mongo__list_indexes", R"({"collection":"t","database":"shop"})", kAllowed,
     kSafe},
    {"ListUsers", "mongo__list_users", "{}", kAllowed, kElevated},
    {"RenameCollection", "mongo__rename_collection",
     R"({"collection":"t","to_collection":"u","database":"shop"})", kAsked, kDestructive},
    {"RenameCollectionInOwnDatabase", "mongo__rename_collection",
     R"({"collection":"t","to_collection":"u"})", kAsked, kDestructive},
    {"RenameCollectionElsewhere", "mongo__rename_collection",
     R"({"collection":"t","to_collection":"u","database":"payroll"})", kElsewhere, kDestructive},
    {"ReplSetStatus", "mongo__repl_set_status", "{}", kAllowed, kSafe},
    {"SampleDocuments", "mongo__sample_documents",
     R"({"collection":"t","database":"shop","limit":5})", kAllowed, kSafe},
    {"SampleStatements", "mongo__sample_documents", R"({"collection":"system.profile"})", kExceeds,
     kElevated},
    {"ServerStatus", "mongo__server_status", "{}", kAllowed, kSafe},
    {"ShardStatus", "mongo__shard_status", "{}", kAllowed, kSafe},
    {"TruncateCollection", "mongo__truncate_collection", R"({"collection":"t","database":"shop"})",
     kAsked, kDestructive},
    {"UpdateDocument", "mongo__update_document",
     R"({"collection":"t","id":"7","document":"{\"a\":1}","database":"shop"})", kAllowed,
     kElevated},
    {"UpdateDocumentIsNoJson", "mongo__update_document",
     R"({"collection":"t","id":"7","document":"a=1"})", kMissing, kElevated},
    {"UpdateMany", "mongo__update_many",
     R"({"collection":"t","filter":{"a":1},"update":{"$set":{"b":2}},"database":"shop","upsert":"true"})",
     kAllowed, kElevated},
    {"UpdateManyReplaces", "mongo__update_many",
     R"({"collection":"t","filter":{},"update":[{"$replaceWith":{}}]})", kExceeds, kDestructive},
    {"UpdateManyByJavaScript", "mongo__update_many",
     R"({"collection":"t","filter":{"$where":"1"},"update":{"$set":{"b":2}}})", kExceeds,
     kDestructive},
};

std::shared_ptr<const CompiledPolicy> ThePolicy() {
  McpPolicy policy;
  policy.app = AppId("app");
  policy.mode = Mode::kFullAccess;
  ConnectionRecord record;
  record.app = policy.app;
  record.id = ConnectionId("m");
  record.type = "MONGODB";
  record.databases = {"shop"};
  return CompiledPolicy::Compile({.policy = policy, .catalog = {}, .connections = {record}});
}

Decision Ask(const char* tool, const JsonDocument& arguments) {
  static const PayloadJudge* const guard = MakeGuard().release();
  static const auto& policy = *new std::shared_ptr<const CompiledPolicy>(ThePolicy());
  ToolCall call;
  call.tool = tool;
  call.connection = "m";
  call.arguments = arguments.root();
  return Decide(PolicyView::Of(*policy), call, guard);
}

class BuiltinMongoTest : public testing::TestWithParam<Row> {};

TEST_P(BuiltinMongoTest, Decides) {
  const auto arguments = JsonDocument::Parse(GetParam().arguments);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  const Decision decision = Ask(GetParam().tool, *arguments);
  EXPECT_EQ(Name(decision.reason), Name(GetParam().reason));
  EXPECT_EQ(Name(decision.effective_risk), Name(GetParam().risk));
}

INSTANTIATE_TEST_SUITE_P(Table, BuiltinMongoTest, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(BuiltinMongo, EveryToolHasARowWithAllItsArgumentsAtItsOwnRisk) {
  std::map<std::string, const Row*> first;
  for (const Row& row : kRows) first.emplace(row.tool, &row);
  size_t tools = 0;
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    const std::string& tool = entry.key.tool.value();
    if (!tool.starts_with("mongo__")) continue;
    ++tools;
    ASSERT_TRUE(first.contains(tool)) << tool;
    EXPECT_EQ(Name(first[tool]->risk), Name(entry.risk)) << tool;
    ASSERT_TRUE(entry.payload_rule.has_value()) << tool;
    EXPECT_TRUE(entry.payload_rule->harmless_arguments.empty()) << tool;
    EXPECT_EQ(entry.payload_rule->dialect, "mongodb") << tool;
  }
  EXPECT_EQ(tools, 32u);
  EXPECT_EQ(first.size(), tools);
}

// Neither in the template nor named harmless.
TEST(BuiltinMongo, AnotherArgumentIsRefusedByEveryTool) {
  for (const Row& row : kRows) {
    std::string with = row.arguments;
    with.pop_back();
    with += std::string(with.size() > 1 ? "," : "") + R"("unheard_of":1})";
    const auto arguments = JsonDocument::Parse(with);
    ASSERT_TRUE(arguments.ok()) << with;
    EXPECT_EQ(Name(Ask(row.tool, *arguments).reason), "INVALID_REQUEST") << row.name;
  }
}

}  // namespace
}  // namespace bridgekeeper
