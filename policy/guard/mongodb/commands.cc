// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Commands, their fields, and the statements in them.

#include <iterator>

#include "policy/guard/effects.h"
#include "policy/guard/mongodb/inventory.h"
#include "policy/guard/mongodb/table.h"

namespace bridgekeeper::mongodb {
namespace {

using enum Risk;
using enum Takes;
using enum Target;

// ---- what fields and commands do ----------------------------------------------

constexpr Act kAdds = {effect::kInsert, kElevated, "adds documents"};
constexpr Act kChanges = {effect::kUpdate, kElevated, "changes documents"};
constexpr Act kRemoves = {effect::kDelete, kDestructive, "removes documents"};
constexpr Act kUpserts = {effect::kInsert, kElevated, "adds a document where none matches"};
constexpr Act kUnvalidated = {effect::kSetting, kDestructive,
                              "goes past the collection's validator"};
constexpr Act kExpires = {effect::kDelete, kDestructive,
                          "lets the server delete documents by their age"};
constexpr Act kCapped = {effect::kDelete, kDestructive,
                         "lets the server delete the oldest documents"};
constexpr Act kDropsDuplicates = {effect::kDelete, kDestructive,
                                  "deletes documents with the same key"};
constexpr Act kStorage = {effect::kSetting, kDestructive,
                          "hands a text of settings to the storage engine"};
constexpr Act kTransaction = {effect::kTransaction, kElevated,
                              "works in a transaction that stays open"};

constexpr Act kCreates = {effect::kCreate, kElevated, "creates a collection, a view or an index"};
constexpr Act kDrops = {effect::kDrop, kDestructive, "drops a collection, a database or an index"};
constexpr Act kAlters = {effect::kAlter, kDestructive, "changes an existing collection or index"};
constexpr Act kRenames = {effect::kRename, kDestructive, "renames a collection"};
constexpr Act kRights = {effect::kPrivilege, kDestructive, "changes who may do what"};
constexpr Act kSettings = {effect::kSetting, kDestructive, "changes a setting of the server"};
constexpr Act kJavaScript = {effect::kDynamicCode, kDestructive, "runs JavaScript in the server"};
constexpr Act kEndsOthers = {effect::kOtherSession, kDestructive,
                             "ends or signals other sessions' work"};
constexpr Act kWholeServer = {effect::kServer, kDestructive, "acts on the whole server or cluster"};
constexpr Act kElsewhere = {effect::kExternal, kDestructive, "reaches another server"};
constexpr Act kRawWrites = {effect::kSystemWrite, kDestructive,
                            "writes as replication does, past every check"};
constexpr Act kUpkeep = {effect::kMaintenance, kElevated,
                         "maintains and loses nothing, but may block others"};
constexpr Act kSessions = {effect::kSession, kElevated, "begins or ends a session"};
constexpr Act kEndsTransaction = {effect::kTransaction, kElevated, "ends a transaction"};
constexpr Act kCredentials = {effect::kSensitiveRead, kDestructive, "shows credentials"};
constexpr Act kHostFiles = {effect::kHostFile, kDestructive,
                            "shows or changes files of the server's host"};
constexpr Act kShowsAccounts = {effect::kSensitiveRead, kElevated, "shows accounts and roles"};
constexpr Act kShowsSettings = {effect::kSensitiveRead, kElevated, "shows settings of the server"};
constexpr Act kShowsOthers = {effect::kSensitiveRead, kElevated,
                              "shows what other sessions ask or did"};
constexpr Act kShowsReplication = {effect::kSensitiveRead, kElevated,
                                   "shows how data is replicated"};
constexpr Act kShowsHosts = {effect::kSensitiveRead, kElevated, "shows the hosts of the cluster"};
constexpr Act kWaits = {effect::kResource, kElevated, "waits, and holds the connection"};
constexpr Act kTests = {effect::kResource, kDestructive,
                        "a test command that holds or breaks the server"};

// ---- fields that every command has ----------------------------------------------

constexpr Field kCommon[] = {
    {"$clusterTime"},
    {"$db", kDatabase},
    {"$readPreference"},
    {"apiDeprecationErrors"},
    {"apiStrict"},
    {"apiVersion", kText},
    {"autocommit", kPresent, kTransaction},
    {"collation"},
    {"comment"},
    {"lsid"},
    {"maxTimeMS"},
    {"readConcern"},
    {"readPreference"},
    {"startTransaction", kFlag, kTransaction},
    {"txnNumber"},
    {"writeConcern"},
};
static_assert(IsSorted(kCommon));
constexpr Shape kCommonShape = {kCommon};

// ---- reads ----------------------------------------------------------------------

constexpr Field kFindFields[] = {
    {"allowDiskUse"},
    {"allowPartialResults"},
    {"awaitData"},
    {"batchSize"},
    {"filter", kFilter},
    {"hint"},
    {"let", kExpression},
    {"limit"},
    {"max"},
    {"maxAwaitTimeMS"},
    {"min"},
    {"noCursorTimeout"},
    {"ntoreturn"},
    {"oplogReplay"},
    {"projection", kProjection},
    {"readOnce"},
    {"returnKey"},
    {"showRecordId"},
    {"singleBatch"},
    {"skip"},
    {"snapshot"},
    {"sort", kExpression},
    {"tailable"},
};
constexpr Shape kFind = {kFindFields};

constexpr Field kAggregateFields[] = {
    {"allowDiskUse"},
    {"bypassDocumentValidation", kFlag, kUnvalidated},
    {"cursor"},
    {"explain"},
    {"hint"},
    {"let", kExpression},
    {"options", kOptions},
    {"pipeline", kPipeline},
};
constexpr Shape kAggregate = {kAggregateFields};

constexpr Field kCountFields[] = {{"fields"}, {"hint"}, {"limit"}, {"query", kFilter}, {"skip"}};
constexpr Shape kCount = {kCountFields};

constexpr Field kDistinctFields[] = {{"hint"}, {"key", kText}, {"query", kFilter}};
constexpr Shape kDistinct = {kDistinctFields};

constexpr Field kListFields[] = {{"authorizedCollections"},
                                 {"authorizedDatabases"},
                                 {"cursor"},
                                 {"filter", kFilter},
                                 {"nameOnly"}};
constexpr Shape kList = {kListFields};

constexpr Field kStatsFields[] = {{"freeStorage"}, {"scale"}, {"verbose"}};
constexpr Shape kStats = {kStatsFields};

constexpr Field kDataSizeFields[] = {{"estimate"}, {"keyPattern"}, {"max"}, {"min"}};
constexpr Shape kDataSize = {kDataSizeFields};

constexpr Field kGetMoreFields[] = {{"batchSize"}, {"collection", kReadsFrom}};
constexpr Shape kGetMore = {kGetMoreFields};

constexpr Field kHelloFields[] = {{"client"},       {"compression"},        {"helloOk"},
                                  {"loadBalanced"}, {"saslSupportedMechs"}, {"topologyVersion"}};
constexpr Shape kHello = {kHelloFields};

// Sections of the answer, each switched on or off.
constexpr Field kServerStatusFields[] = {
    {"advisoryHostFQDNs"},
    {"asserts"},
    {"catalogStats"},
    {"connections"},
    {"encryptionAtRest"},
    {"extra_info"},
    {"flowControl"},
    {"globalLock"},
    {"indexBulkBuilder"},
    {"indexStats"},
    {"latchAnalysis"},
    {"locks"},
    {"logicalSessionRecordCache"},
    {"mem"},
    {"metrics"},
    {"mirroredReads"},
    {"network"},
    {"none"},
    {"opLatencies"},
    {"opReadConcernCounters"},
    {"opcounters"},
    {"opcountersRepl"},
    {"oplog"},
    {"oplogTruncation"},
    {"queryAnalyzers"},
    {"readConcernCounters"},
    {"readPreferenceCounters"},
    {"repl"},
    {"scramCache"},
    {"security"},
    {"sharding"},
    {"shardingStatistics"},
    {"storageEngine"},
    {"tcmalloc"},
    {"tenantMigrations"},
    {"transactions"},
    {"watchdog"},
    {"wiredTiger"},
};
constexpr Shape kServerStatus = {kServerStatusFields};

constexpr Field kConnectionStatusFields[] = {{"showPrivileges"}};
constexpr Shape kConnectionStatus = {kConnectionStatusFields};

constexpr Field kReplStatusFields[] = {{"initialSync"}};
constexpr Shape kReplStatus = {kReplStatusFields};

constexpr Field kUsersInfoFields[] = {
    {"filter", kFilter},
    {"showAuthenticationRestrictions"},
    {"showCredentials", kFlag, kCredentials},
    {"showCustomData"},
    {"showPrivileges"},
};
constexpr Shape kUsersInfo = {kUsersInfoFields};

constexpr Field kRolesInfoFields[] = {
    {"showAuthenticationRestrictions"}, {"showBuiltinRoles"}, {"showPrivileges"}};
constexpr Shape kRolesInfo = {kRolesInfoFields};

// Any other member is a part of a query on the answer.
constexpr Field kCurrentOpFields[] = {
    {"$all"}, {"$ownOps"}, {"$truncateOps"}, {kAnyOther, kQueryMember}};
constexpr Shape kCurrentOp = {kCurrentOpFields};

constexpr Field kExplainFields[] = {{"verbosity"}};
constexpr Shape kExplain = {kExplainFields};

constexpr Field kGetLastErrorFields[] = {{"fsync", kFlag, kWaits},
                                         {"j", kFlag, kWaits},
                                         {"w", kPresent, kWaits},
                                         {"wtimeout", kPresent, kWaits}};
constexpr Shape kGetLastError = {kGetLastErrorFields};

constexpr Field kValidateFields[] = {
    {"background"}, {"checkBSONConformance"},    {"fixMultikey", kFlag, kAlters}, {"full"},
    {"metadata"},   {"repair", kFlag, kRemoves},
};
constexpr Shape kValidate = {kValidateFields};

constexpr Shape kNothingMore = {};

// ---- writes of documents ----------------------------------------------------------

constexpr Field kInsertFields[] = {
    {"bypassDocumentValidation", kFlag, kUnvalidated},
    {"bypassEmptyTsReplacement"},
    {"documents"},
    {"ordered"},
};
constexpr Shape kInsert = {kInsertFields};

constexpr Field kUpdateStatementFields[] = {
    {"arrayFilters", kFilters},
    {"c", kExpression},
    {"collation"},
    {"hint"},
    {"multi"},
    {"q", kFilter},
    {"sort", kExpression},
    {"u", kUpdate},
    {"upsert", kFlag, kUpserts},
};
constexpr Shape kUpdateStatement = {kUpdateStatementFields};
constexpr Field kUpdateFields[] = {
    {"bypassDocumentValidation", kFlag, kUnvalidated},
    {"bypassEmptyTsReplacement"},
    {"let", kExpression},
    {"ordered"},
    {"updates", kObjects, {}, &kUpdateStatement},
};
constexpr Shape kUpdateShape = {kUpdateFields};

constexpr Field kDeleteStatementFields[] = {{"collation"}, {"hint"}, {"limit"}, {"q", kFilter}};
constexpr Shape kDeleteStatement = {kDeleteStatementFields};
constexpr Field kDeleteFields[] = {
    {"deletes", kObjects, {}, &kDeleteStatement}, {"let", kExpression}, {"ordered"}};
constexpr Shape kDelete = {kDeleteFields};

// With the names that drivers give the same options.
constexpr Field kFindAndModifyFields[] = {
    {"arrayFilters", kFilters},
    {"bypassDocumentValidation", kFlag, kUnvalidated},
    {"fields", kProjection},
    {"hint"},
    {"includeResultMetadata"},
    {"let", kExpression},
    {"new"},
    {"options", kOptions},
    {"projection", kProjection},
    {"query", kFilter},
    {"remove", kFlag, kRemoves},
    {"returnDocument"},
    {"returnNewDocument"},
    {"returnOriginal"},
    {"return_document"},
    {"sort", kExpression},
    {"update", kUpdate},
    {"upsert", kFlag, kUpserts},
};
constexpr Shape kFindAndModify = {kFindAndModifyFields};

constexpr Field kNamespaceFields[] = {{"ns", kNamespace}};
constexpr Shape kNamespaces = {kNamespaceFields};
constexpr Field kBulkWriteFields[] = {
    {"bypassDocumentValidation", kFlag, kUnvalidated},
    {"cursor"},
    {"errorsOnly"},
    {"let", kExpression},
    {"nsInfo", kObjects, {}, &kNamespaces},
    {"operations", kOperations},
    {"ops", kBulk},
    {"options", kOptions},
    {"ordered"},
};
constexpr Shape kBulkWrite = {kBulkWriteFields};

// One operation of a bulk: the server's, whose name is a member with the number of a
// collection, and the drivers', whose name is the only member or the value of one.
constexpr Field kBulkInsertFields[] = {{"document"}, {"insert"}};
constexpr Shape kBulkInsert = {kBulkInsertFields};
constexpr Field kBulkUpdateFields[] = {
    {"arrayFilters", kFilters},  {"collation"}, {"constants", kExpression},
    {"filter", kFilter},         {"hint"},      {"multi"},
    {"sort", kExpression},       {"update"},    {"updateMods", kUpdate},
    {"upsert", kFlag, kUpserts},
};
constexpr Shape kBulkUpdate = {kBulkUpdateFields};
constexpr Field kBulkDeleteFields[] = {
    {"collation"}, {"delete"}, {"filter", kFilter}, {"hint"}, {"multi"}};
constexpr Shape kBulkDelete = {kBulkDeleteFields};

constexpr Operator kBulkOperations[] = {
    {"delete", kObject, kRemoves, &kBulkDelete},
    {"insert", kObject, kAdds, &kBulkInsert},
    {"update", kObject, kChanges, &kBulkUpdate},
};
static_assert(IsSorted(kBulkOperations));

constexpr Field kInsertOneFields[] = {{"document"}};
constexpr Shape kInsertOne = {kInsertOneFields};
constexpr Field kUpdateOneFields[] = {
    {"arrayFilters", kFilters},
    {"array_filters", kFilters},
    {"collation"},
    {"filter", kFilter},
    {"hint"},
    {"sort", kExpression},
    {"update", kUpdate},
    {"upsert", kFlag, kUpserts},
};
constexpr Shape kUpdateOne = {kUpdateOneFields};
constexpr Field kUpdateManyFields[] = {
    {"arrayFilters", kFilters},
    {"array_filters", kFilters},
    {"collation"},
    {"filter", kFilter},
    {"hint"},
    {"update", kUpdateMany},
    {"upsert", kFlag, kUpserts},
};
constexpr Shape kUpdateManyShape = {kUpdateManyFields};
constexpr Field kReplaceOneFields[] = {
    {"collation"},         {"filter", kFilter},         {"hint"}, {"replacement", kUpdate},
    {"sort", kExpression}, {"upsert", kFlag, kUpserts},
};
constexpr Shape kReplaceOne = {kReplaceOneFields};
constexpr Field kDeleteOneFields[] = {{"collation"}, {"filter", kFilter}, {"hint"}};
constexpr Shape kDeleteOne = {kDeleteOneFields};

constexpr Operator kOperationTable[] = {
    {"deleteMany", kObject, kRemoves, &kDeleteOne},
    {"deleteOne", kObject, kRemoves, &kDeleteOne},
    {"delete_many", kObject, kRemoves, &kDeleteOne},
    {"delete_one", kObject, kRemoves, &kDeleteOne},
    {"insertOne", kObject, kAdds, &kInsertOne},
    {"insert_one", kObject, kAdds, &kInsertOne},
    {"replaceOne", kObject, kChanges, &kReplaceOne},
    {"replace_one", kObject, kChanges, &kReplaceOne},
    {"updateMany", kObject, kChanges, &kUpdateManyShape},
    {"updateOne", kObject, kChanges, &kUpdateOne},
    {"update_many", kObject, kChanges, &kUpdateManyShape},
    {"update_one", kObject, kChanges, &kUpdateOne},
};
static_assert(IsSorted(kOperationTable));

// ---- definitions ------------------------------------------------------------------

constexpr Field kIndexFields[] = {
    {"2dsphereIndexVersion"},
    {"background"},
    {"bits"},
    {"bucketSize"},
    {"clustered"},
    {"collation"},
    {"default_language"},
    {"dropDups", kFlag, kDropsDuplicates},
    {"expireAfterSeconds", kPresent, kExpires},
    {"hidden"},
    {"key"},
    {"language_override"},
    {"max"},
    {"min"},
    {"name"},
    {"ns"},
    {"partialFilterExpression", kFilter},
    {"prepareUnique"},
    {"sparse"},
    {"storageEngine", kPresent, kStorage},
    {"textIndexVersion"},
    {"unique"},
    {"v"},
    {"weights"},
    {"wildcardProjection"},
};
constexpr Shape kIndex = {kIndexFields};
constexpr Field kCreateIndexesFields[] = {{"commitQuorum"}, {"indexes", kObjects, {}, &kIndex}};
constexpr Shape kCreateIndexes = {kCreateIndexesFields};

constexpr Field kClusteredFields[] = {
    {"expireAfterSeconds", kPresent, kExpires}, {"key"}, {"name"}, {"unique"}, {"v"}};
constexpr Shape kClustered = {kClusteredFields};
constexpr Field kCreateFields[] = {
    {"autoIndexId"},
    {"capped", kFlag, kCapped},
    {"changeStreamPreAndPostImages"},
    {"clusteredIndex", kObject, {}, &kClustered},
    {"encryptedFields"},
    {"expireAfterSeconds", kPresent, kExpires},
    {"flags"},
    {"idIndex", kObject, {}, &kIndex},
    {"indexOptionDefaults", kPresent, kStorage},
    {"max"},
    {"options", kOptions},
    {"pipeline", kStored},
    {"size"},
    {"storageEngine", kPresent, kStorage},
    {"timeseries"},
    {"validationAction"},
    {"validationLevel"},
    {"validator", kFilter},
    {"viewOn", kReadsFrom},
};
constexpr Shape kCreate = {kCreateFields};

constexpr Field kCreateSearchFields[] = {{"indexes"}};
constexpr Shape kCreateSearch = {kCreateSearchFields};

constexpr Field kRenameFields[] = {{"dropTarget", kFlag, kDrops}, {"stayTemp"}, {"to", kNamespace}};
constexpr Shape kRename = {kRenameFields};

constexpr Field kProfileFields[] = {{"filter", kPresent, kSettings},
                                    {"ratelimit", kPresent, kSettings},
                                    {"sampleRate", kPresent, kSettings},
                                    {"slowms", kPresent, kSettings}};
constexpr Shape kProfile = {kProfileFields};

constexpr Field kFsyncFields[] = {
    {"async"}, {"fsyncLockAcquisitionTimeoutMillis"}, {"lock", kFlag, kWholeServer}};
constexpr Shape kFsync = {kFsyncFields};

constexpr Field kCompactFields[] = {{"dryRun"}, {"force"}, {"freeSpaceTargetMB"}};
constexpr Shape kCompact = {kCompactFields};

// ---- the commands -----------------------------------------------------------------

constexpr Command kCommands[] = {
    {"$eval", kOnServer, kJavaScript},
    {"abortMoveCollection", kOnServer, kWholeServer},
    {"abortReshardCollection", kOnServer, kWholeServer},
    {"abortTransaction", kOnServer, kEndsTransaction},
    {"abortUnshardCollection", kOnServer, kWholeServer},
    {"addShard", kOnServer, kWholeServer},
    {"addShardToZone", kOnServer, kWholeServer},
    {"aggregate", kOnCollectionOrDatabase, {}, &kAggregate},
    {"analyze", kOnCollection, kUpkeep},
    {"analyzeShardKey", kOnNamespace, kUpkeep},
    {"appendOplogNote", kOnServer, kRawWrites},
    {"applyOps", kOnServer, kRawWrites},
    {"authSchemaUpgrade", kOnServer, kRights},
    {"authenticate", kOnServer, kRights},
    {"autoCompact", kOnServer, kSettings},
    {"balancerCollectionStatus", kOnNamespace, {}, &kNothingMore},
    {"balancerStart", kOnServer, kWholeServer},
    {"balancerStatus", kOnServer, {}, &kNothingMore},
    {"balancerStop", kOnServer, kWholeServer},
    {"buildInfo", kOnServer, {}, &kNothingMore},
    {"buildinfo", kOnServer, {}, &kNothingMore},
    {"bulkWrite", kOnCollectionOrDatabase, kChanges, &kBulkWrite, true},
    {"captrunc", kOnServer, kTests},
    {"cleanupOrphaned", kOnServer, kWholeServer},
    {"cleanupReshardCollection", kOnServer, kWholeServer},
    {"cleanupStructuredEncryptionData", kOnCollection, kAlters, nullptr, true},
    {"clearJumboFlag", kOnServer, kWholeServer},
    {"clone", kOnServer, kElsewhere},
    {"cloneCollection", kOnServer, kElsewhere},
    {"cloneCollectionAsCapped", kOnCollection, kCapped, nullptr, true},
    {"collMod", kOnCollection, kAlters, nullptr, true},
    {"collStats", kOnCollection, {}, &kStats},
    {"collstats", kOnCollection, {}, &kStats},
    {"commitReshardCollection", kOnServer, kWholeServer},
    {"commitTransaction", kOnServer, kEndsTransaction},
    {"compact", kOnCollection, kUpkeep, &kCompact, true},
    {"compactStructuredEncryptionData", kOnCollection, kAlters, nullptr, true},
    {"configureCollectionBalancing", kOnServer, kWholeServer},
    {"configureFailPoint", kOnServer, kTests},
    {"configureQueryAnalyzer", kOnServer, kSettings},
    {"connPoolStats", kOnServer, {}, &kNothingMore},
    {"connectionStatus", kOnServer, {}, &kConnectionStatus},
    {"convertToCapped", kOnCollection, kCapped, nullptr, true},
    {"coordinateCommitTransaction", kOnServer, kRawWrites},
    {"copydb", kOnServer, kElsewhere},
    {"copydbgetnonce", kOnServer, kElsewhere},
    {"copydbsaslstart", kOnServer, kElsewhere},
    {"count", kOnCollection, {}, &kCount},
    {"create", kOnCollection, kCreates, &kCreate, true},
    {"createIndexes", kOnCollection, kCreates, &kCreateIndexes, true},
    {"createRole", kOnDatabase, kRights},
    {"createSearchIndexes", kOnCollection, kCreates, &kCreateSearch, true},
    {"createUser", kOnDatabase, kRights},
    {"currentOp", kOnServer, kShowsOthers, &kCurrentOp},
    {"dataSize", kOnNamespace, {}, &kDataSize},
    {"datasize", kOnNamespace, {}, &kDataSize},
    {"dbHash", kOnDatabase, kUpkeep},
    {"dbStats", kOnDatabase, {}, &kStats},
    {"dbhash", kOnDatabase, kUpkeep},
    {"dbstats", kOnDatabase, {}, &kStats},
    {"delete", kOnCollection, kRemoves, &kDelete, true},
    {"deleteIndexes", kOnCollection, kDrops, nullptr, true},
    {"distinct", kOnCollection, {}, &kDistinct},
    {"doTxn", kOnServer, kRawWrites},
    {"drop", kOnCollection, kDrops, nullptr, true},
    {"dropAllRolesFromDatabase", kOnDatabase, kRights},
    {"dropAllUsersFromDatabase", kOnDatabase, kRights},
    {"dropConnections", kOnServer, kEndsOthers},
    {"dropDatabase", kOnDatabase, kDrops, nullptr, true},
    {"dropIndexes", kOnCollection, kDrops, nullptr, true},
    {"dropRole", kOnDatabase, kRights},
    {"dropSearchIndex", kOnCollection, kDrops, nullptr, true},
    {"dropUser", kOnDatabase, kRights},
    {"emptycapped", kOnServer, kTests},
    {"enableSharding", kOnServer, kWholeServer},
    {"endSessions", kOnServer, kSessions},
    {"eval", kOnServer, kJavaScript},
    {"explain", kOnCommand, {}, &kExplain},
    {"features", kOnServer, {}, &kNothingMore},
    {"find", kOnCollection, {}, &kFind},
    {"findAndModify", kOnCollection, kChanges, &kFindAndModify, true},
    {"findandmodify", kOnCollection, kChanges, &kFindAndModify, true},
    {"flushRouterConfig", kOnServer, kWholeServer},
    {"forceerror", kOnServer, kTests},
    {"fsync", kOnServer, kUpkeep, &kFsync},
    {"fsyncUnlock", kOnServer, kWholeServer},
    {"getClusterParameter", kOnServer, kShowsSettings},
    {"getCmdLineOpts", kOnServer, kHostFiles},
    {"getDefaultRWConcern", kOnServer, {}, &kNothingMore},
    {"getLastError", kOnServer, {}, &kGetLastError},
    {"getLog", kOnServer, kShowsOthers, &kNothingMore},
    {"getMore", kOnServer, {}, &kGetMore},
    {"getParameter", kOnServer, kShowsSettings},
    {"getShardMap", kOnServer, kShowsHosts, &kNothingMore},
    {"getShardVersion", kOnNamespace, {}, &kNothingMore},
    {"getlasterror", kOnServer, {}, &kGetLastError},
    {"getnonce", kOnServer, kRights},
    {"godinsert", kOnCollection, kRawWrites},
    {"grantPrivilegesToRole", kOnDatabase, kRights},
    {"grantRolesToRole", kOnDatabase, kRights},
    {"grantRolesToUser", kOnDatabase, kRights},
    {"group", kOnServer, kJavaScript},
    {"hello", kOnServer, {}, &kHello},
    {"hostInfo", kOnServer, kShowsSettings, &kNothingMore},
    {"hostinfo", kOnServer, kShowsSettings, &kNothingMore},
    {"insert", kOnCollection, kAdds, &kInsert, true},
    {"invalidateUserCache", kOnServer, kRights},
    {"isMaster", kOnServer, {}, &kHello},
    {"isdbgrid", kOnServer, {}, &kNothingMore},
    {"ismaster", kOnServer, {}, &kHello},
    {"killAllSessions", kOnServer, kEndsOthers},
    {"killAllSessionsByPattern", kOnServer, kEndsOthers},
    {"killCursors", kOnCollection, kEndsOthers},
    {"killOp", kOnServer, kEndsOthers},
    {"killSessions", kOnServer, kEndsOthers},
    {"listCollections", kOnDatabase, {}, &kList},
    {"listCommands", kOnServer, {}, &kNothingMore},
    {"listDatabases", kOnServer, {}, &kList},
    {"listIndexes", kOnCollection, {}, &kList},
    {"listShards", kOnServer, kShowsHosts, &kNothingMore},
    {"lockInfo", kOnServer, kShowsOthers},
    {"logApplicationMessage", kOnServer, kSettings},
    {"logRotate", kOnServer, kHostFiles},
    {"logout", kOnServer, kRights},
    {"mapReduce", kOnCollection, kJavaScript},
    {"mapreduce", kOnCollection, kJavaScript},
    {"mergeAllChunksOnShard", kOnServer, kWholeServer},
    {"mergeChunks", kOnServer, kWholeServer},
    {"moveChunk", kOnServer, kWholeServer},
    {"moveCollection", kOnServer, kWholeServer},
    {"movePrimary", kOnServer, kWholeServer},
    {"moveRange", kOnServer, kWholeServer},
    {"oidReset", kOnServer, kWholeServer},
    {"ping", kOnServer, {}, &kNothingMore},
    {"planCacheClear", kOnCollection, kSettings},
    {"planCacheClearFilters", kOnCollection, kSettings},
    {"planCacheListFilters", kOnCollection, kShowsOthers, &kNothingMore},
    {"planCacheSetFilter", kOnCollection, kSettings},
    {"prepareTransaction", kOnServer, kRawWrites},
    {"profile", kOnProfiler, {}, &kProfile},
    {"reIndex", kOnCollection, kUpkeep, &kNothingMore, true},
    {"refineCollectionShardKey", kOnServer, kWholeServer},
    {"refreshSessions", kOnServer, kSessions},
    {"removeQuerySettings", kOnServer, kSettings},
    {"removeShard", kOnServer, kWholeServer},
    {"removeShardFromZone", kOnServer, kWholeServer},
    {"renameCollection", kOnNamespace, kRenames, &kRename, true},
    {"repairDatabase", kOnDatabase, kRemoves},
    {"repairShardedCollectionChunksHistory", kOnServer, kWholeServer},
    {"replSetAbortPrimaryCatchUp", kOnServer, kWholeServer},
    {"replSetFreeze", kOnServer, kWholeServer},
    {"replSetGetConfig", kOnServer, kShowsReplication},
    {"replSetGetRBID", kOnServer, kShowsReplication, &kNothingMore},
    {"replSetGetStatus", kOnServer, kShowsReplication, &kReplStatus},
    {"replSetInitiate", kOnServer, kWholeServer},
    {"replSetMaintenance", kOnServer, kWholeServer},
    {"replSetReconfig", kOnServer, kWholeServer},
    {"replSetResizeOplog", kOnServer, kWholeServer},
    {"replSetStepDown", kOnServer, kWholeServer},
    {"replSetStepUp", kOnServer, kWholeServer},
    {"replSetSyncFrom", kOnServer, kWholeServer},
    {"reshardCollection", kOnServer, kWholeServer},
    {"resync", kOnServer, kWholeServer},
    {"revokePrivilegesFromRole", kOnDatabase, kRights},
    {"revokeRolesFromRole", kOnDatabase, kRights},
    {"revokeRolesFromUser", kOnDatabase, kRights},
    {"rolesInfo", kOnServer, kShowsAccounts, &kRolesInfo},
    {"rotateCertificates", kOnServer, kRights},
    {"saslContinue", kOnServer, kRights},
    {"saslStart", kOnServer, kRights},
    {"serverStatus", kOnServer, {}, &kServerStatus},
    {"setAllowMigrations", kOnServer, kWholeServer},
    {"setClusterParameter", kOnServer, kSettings},
    {"setDefaultRWConcern", kOnServer, kSettings},
    {"setFeatureCompatibilityVersion", kOnServer, kSettings},
    {"setFreeMonitoring", kOnServer, kSettings},
    {"setParameter", kOnServer, kSettings},
    {"setProfilingFilterGlobally", kOnServer, kSettings},
    {"setQuerySettings", kOnServer, kSettings},
    {"setUserWriteBlockMode", kOnServer, kSettings},
    {"shardCollection", kOnServer, kWholeServer},
    {"shardConnPoolStats", kOnServer, {}, &kNothingMore},
    {"shardingState", kOnServer, {}, &kNothingMore},
    {"shutdown", kOnServer, kWholeServer},
    {"sleep", kOnServer, kTests},
    {"split", kOnServer, kWholeServer},
    {"splitChunk", kOnServer, kWholeServer},
    {"splitVector", kOnServer, kWholeServer},
    {"startSession", kOnServer, kSessions, &kNothingMore},
    {"top", kOnServer, {}, &kNothingMore},
    {"transitionFromDedicatedConfigServer", kOnServer, kWholeServer},
    {"transitionToDedicatedConfigServer", kOnServer, kWholeServer},
    {"unsetSharding", kOnServer, kWholeServer},
    {"unshardCollection", kOnServer, kWholeServer},
    {"update", kOnCollection, kChanges, &kUpdateShape, true},
    {"updateRole", kOnDatabase, kRights},
    {"updateSearchIndex", kOnCollection, kAlters, nullptr, true},
    {"updateUser", kOnDatabase, kRights},
    {"updateZoneKeyRange", kOnServer, kWholeServer},
    {"usersInfo", kOnServer, kShowsAccounts, &kUsersInfo},
    {"validate", kOnCollection, kUpkeep, &kValidate},
    {"whatsmyuri", kOnServer, {}, &kNothingMore},
};
static_assert(IsSorted(kCommands));

}  // namespace

const Command* FindCommand(std::string_view name) { return Find(kCommands, name); }

const Operator* FindOperation(std::string_view name) { return Find(kOperationTable, name); }
const Operator* FindBulkOperation(std::string_view name) { return Find(kBulkOperations, name); }

const Shape& CommonFields() { return kCommonShape; }

}  // namespace bridgekeeper::mongodb
