// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Pipeline stages, and the operators of expressions, queries and updates.

#include <iterator>

#include "policy/guard/effects.h"
#include "policy/guard/mongodb/inventory.h"
#include "policy/guard/mongodb/table.h"

namespace bridgekeeper::mongodb {
namespace {

using enum Risk;
using enum Takes;

constexpr Act kJavaScript = {effect::kDynamicCode, kDestructive, "runs JavaScript in the server"};
constexpr Act kShowsSessions = {effect::kSensitiveRead, kElevated,
                                "shows other sessions and their users"};
constexpr Act kShowsQueries = {effect::kSensitiveRead, kElevated,
                               "shows what other sessions asked, values included"};

// ---- stages ------------------------------------------------------------------

constexpr Field kGeoNearFields[] = {
    {"distanceField"}, {"distanceMultiplier"}, {"includeLocs"},    {"key"},       {"maxDistance"},
    {"minDistance"},   {"near", kExpression},  {"query", kFilter}, {"spherical"}, {"limit"},
    {"num"},           {"uniqueDocs"},
};
constexpr Shape kGeoNear = {kGeoNearFields};

constexpr Field kGraphLookupFields[] = {
    {"as"},
    {"connectFromField"},
    {"connectToField"},
    {"depthField"},
    {"from", kReadsFrom},
    {"maxDepth"},
    {"restrictSearchWithMatch", kFilter},
    {"startWith", kExpression},
};
constexpr Shape kGraphLookup = {kGraphLookupFields};

constexpr Field kLookupFields[] = {
    {"as"},         {"foreignField"},        {"from", kReadsFrom}, {"let", kExpression},
    {"localField"}, {"pipeline", kPipeline},
};
constexpr Shape kLookup = {kLookupFields};

constexpr Field kUnionWithFields[] = {
    {"coll", kReadsFrom}, {"db", kDatabase}, {"pipeline", kPipeline}};
constexpr Shape kUnionWith = {kUnionWithFields};

constexpr Field kSetWindowFields[] = {
    {"output", kWindows}, {"partitionBy", kExpression}, {"sortBy"}};
constexpr Shape kSetWindow = {kSetWindowFields};

constexpr Field kMergeFields[] = {
    {"into", kWritesTo},           {"let", kExpression},      {"on"},
    {"whenMatched", kWhenMatched}, {"whenNotMatched", kText},
};
constexpr Shape kMerge = {kMergeFields};

constexpr Field kFusedFields[] = {{"pipelines", kPipelines}, {"normalization", kText}};
constexpr Shape kFused = {kFusedFields};
constexpr Field kFusionFields[] = {
    {"combination", kExpression}, {"input", kObject, {}, &kFused}, {"scoreDetails"}};
constexpr Shape kFusion = {kFusionFields};

// Atlas has a text embedded by a service outside of the database.
constexpr Act kAsksModel = {effect::kFunction, kElevated,
                            "asks a model, which may be another server's"};
constexpr Field kVectorSearchFields[] = {
    {"exact"},
    {"filter", kFilter},
    {"index"},
    {"limit"},
    {"numCandidates"},
    {"path"},
    {"query", kPresent, kAsksModel},
    {"queryVector"},
    {"model", kPresent, kAsksModel},
    {"explainOptions"},
    {"embeddingParameters"},
    {"returnStoredSource"},
};
constexpr Shape kVectorSearch = {kVectorSearchFields};

constexpr Field kChangeStreamFields[] = {
    {"allChangesForCluster", kEveryDatabase},
    {"fullDocument"},
    {"fullDocumentBeforeChange"},
    {"resumeAfter"},
    {"showExpandedEvents"},
    {"startAfter"},
    {"startAtOperationTime"},
};
constexpr Shape kChangeStream = {kChangeStreamFields};

// Of $search the server hands the object to the search engine, which only reads. What
// it looks up in another collection (`synonyms`) is the index's own definition.
constexpr Operator kStages[] = {
    {"$addFields", kExpression},
    {"$backupCursor",
     kValue,
     {effect::kHostFile, kDestructive, "lists files of the server's host"}},
    {"$backupCursorExtend",
     kValue,
     {effect::kHostFile, kDestructive, "lists files of the server's host"}},
    {"$bucket", kExpression},
    {"$bucketAuto", kExpression},
    {"$changeStream",
     kObject,
     {effect::kSensitiveRead, kElevated, "shows changes as they are replicated"},
     &kChangeStream},
    {"$changeStreamSplitLargeEvent"},
    {"$collStats"},
    {"$count"},
    {"$currentOp", kValue, kShowsQueries},
    {"$densify"},
    {"$documents", kExpression},
    {"$facet", kPipelines},
    {"$fill", kExpression},
    {"$geoNear", kObject, {}, &kGeoNear},
    {"$graphLookup", kObject, {}, &kGraphLookup},
    {"$group", kExpression},
    {"$indexStats"},
    {"$limit"},
    {"$listLocalSessions", kValue, kShowsSessions},
    {"$listSampledQueries", kValue, kShowsQueries},
    {"$listSearchIndexes"},
    {"$listSessions", kValue, kShowsSessions},
    {"$lookup", kObject, {}, &kLookup},
    {"$match", kFilter},
    {"$merge",
     kWriterOr,
     {effect::kMerge, kElevated, "writes its result into a collection"},
     &kMerge},
    {"$out", kWritesTo, {effect::kReplace, kDestructive, "replaces a collection by its result"}},
    {"$planCacheStats", kValue, kShowsQueries},
    {"$project", kExpression},
    {"$queryStats", kValue, kShowsQueries},
    {"$rankFusion", kObject, {}, &kFusion},
    {"$redact", kExpression},
    {"$replaceRoot", kExpression},
    {"$replaceWith", kExpression},
    {"$sample"},
    {"$score", kExpression},
    {"$scoreFusion", kObject, {}, &kFusion},
    {"$search"},
    {"$searchMeta"},
    {"$set", kExpression},
    {"$setWindowFields", kObject, {}, &kSetWindow},
    {"$shardedDataDistribution"},
    {"$skip"},
    {"$sort", kExpression},
    {"$sortByCount", kExpression},
    {"$unionWith", kReaderOr, {}, &kUnionWith},
    {"$unset"},
    {"$unwind"},
    {"$vectorSearch", kObject, {}, &kVectorSearch},
};
static_assert(IsSorted(kStages));

// ---- expressions -------------------------------------------------------------

constexpr Operator kExpressions[] = {
    {"$abs", kExpression},
    {"$accumulator", kValue, kJavaScript},
    {"$acos", kExpression},
    {"$acosh", kExpression},
    {"$add", kExpression},
    {"$addToSet", kExpression},
    {"$allElementsTrue", kExpression},
    {"$and", kExpression},
    {"$anyElementTrue", kExpression},
    {"$arrayElemAt", kExpression},
    {"$arrayToObject", kExpression},
    {"$asin", kExpression},
    {"$asinh", kExpression},
    {"$atan", kExpression},
    {"$atan2", kExpression},
    {"$atanh", kExpression},
    {"$avg", kExpression},
    {"$binarySize", kExpression},
    {"$bitAnd", kExpression},
    {"$bitNot", kExpression},
    {"$bitOr", kExpression},
    {"$bitXor", kExpression},
    {"$bottom", kExpression},
    {"$bottomN", kExpression},
    {"$bsonSize", kExpression},
    {"$ceil", kExpression},
    {"$cmp", kExpression},
    {"$concat", kExpression},
    {"$concatArrays", kExpression},
    {"$cond", kExpression},
    {"$const"},
    {"$convert", kExpression},
    {"$cos", kExpression},
    {"$cosh", kExpression},
    {"$count", kExpression},
    {"$covariancePop", kExpression},
    {"$covarianceSamp", kExpression},
    {"$dateAdd", kExpression},
    {"$dateDiff", kExpression},
    {"$dateFromParts", kExpression},
    {"$dateFromString", kExpression},
    {"$dateSubtract", kExpression},
    {"$dateToParts", kExpression},
    {"$dateToString", kExpression},
    {"$dateTrunc", kExpression},
    {"$dayOfMonth", kExpression},
    {"$dayOfWeek", kExpression},
    {"$dayOfYear", kExpression},
    {"$degreesToRadians", kExpression},
    {"$denseRank", kExpression},
    {"$derivative", kExpression},
    {"$divide", kExpression},
    {"$documentNumber", kExpression},
    {"$eq", kExpression},
    {"$exp", kExpression},
    {"$expMovingAvg", kExpression},
    {"$filter", kExpression},
    {"$first", kExpression},
    {"$firstN", kExpression},
    {"$floor", kExpression},
    {"$function", kValue, kJavaScript},
    {"$getField", kExpression},
    {"$gt", kExpression},
    {"$gte", kExpression},
    {"$hour", kExpression},
    {"$ifNull", kExpression},
    {"$in", kExpression},
    {"$indexOfArray", kExpression},
    {"$indexOfBytes", kExpression},
    {"$indexOfCP", kExpression},
    {"$integral", kExpression},
    {"$isArray", kExpression},
    {"$isNumber", kExpression},
    {"$isoDayOfWeek", kExpression},
    {"$isoWeek", kExpression},
    {"$isoWeekYear", kExpression},
    {"$last", kExpression},
    {"$lastN", kExpression},
    {"$let", kExpression},
    {"$linearFill", kExpression},
    {"$literal"},
    {"$ln", kExpression},
    {"$locf", kExpression},
    {"$log", kExpression},
    {"$log10", kExpression},
    {"$lt", kExpression},
    {"$lte", kExpression},
    {"$ltrim", kExpression},
    {"$map", kExpression},
    {"$max", kExpression},
    {"$maxN", kExpression},
    {"$median", kExpression},
    {"$mergeObjects", kExpression},
    {"$meta", kText},
    {"$millisecond", kExpression},
    {"$min", kExpression},
    {"$minMaxScaler", kExpression},
    {"$minN", kExpression},
    {"$minute", kExpression},
    {"$mod", kExpression},
    {"$month", kExpression},
    {"$multiply", kExpression},
    {"$natural"},
    {"$ne", kExpression},
    {"$not", kExpression},
    {"$objectToArray", kExpression},
    {"$or", kExpression},
    {"$percentile", kExpression},
    {"$pow", kExpression},
    {"$push", kExpression},
    {"$radiansToDegrees", kExpression},
    {"$rand", kExpression},
    {"$range", kExpression},
    {"$rank", kExpression},
    {"$reduce", kExpression},
    {"$regexFind", kExpression},
    {"$regexFindAll", kExpression},
    {"$regexMatch", kExpression},
    {"$replaceAll", kExpression},
    {"$replaceOne", kExpression},
    {"$reverseArray", kExpression},
    {"$round", kExpression},
    {"$rtrim", kExpression},
    {"$sampleRate"},
    {"$second", kExpression},
    {"$setDifference", kExpression},
    {"$setEquals", kExpression},
    {"$setField", kExpression},
    {"$setIntersection", kExpression},
    {"$setIsSubset", kExpression},
    {"$setUnion", kExpression},
    {"$shift", kExpression},
    {"$sigmoid", kExpression},
    {"$sin", kExpression},
    {"$sinh", kExpression},
    {"$size", kExpression},
    {"$slice", kExpression},
    {"$sortArray", kExpression},
    {"$split", kExpression},
    {"$sqrt", kExpression},
    {"$stdDevPop", kExpression},
    {"$stdDevSamp", kExpression},
    {"$strLenBytes", kExpression},
    {"$strLenCP", kExpression},
    {"$strcasecmp", kExpression},
    {"$substr", kExpression},
    {"$substrBytes", kExpression},
    {"$substrCP", kExpression},
    {"$subtract", kExpression},
    {"$sum", kExpression},
    {"$switch", kExpression},
    {"$tan", kExpression},
    {"$tanh", kExpression},
    {"$toBool", kExpression},
    {"$toDate", kExpression},
    {"$toDecimal", kExpression},
    {"$toDouble", kExpression},
    {"$toHashedIndexKey", kExpression},
    {"$toInt", kExpression},
    {"$toLong", kExpression},
    {"$toLower", kExpression},
    {"$toObjectId", kExpression},
    {"$toString", kExpression},
    {"$toUUID", kExpression},
    {"$toUpper", kExpression},
    {"$top", kExpression},
    {"$topN", kExpression},
    {"$trim", kExpression},
    {"$trunc", kExpression},
    {"$tsIncrement", kExpression},
    {"$tsSecond", kExpression},
    {"$type", kExpression},
    {"$unsetField", kExpression},
    {"$week", kExpression},
    {"$where", kValue, kJavaScript},
    {"$year", kExpression},
    {"$zip", kExpression},
};
static_assert(IsSorted(kExpressions));

// ---- queries -----------------------------------------------------------------

// Operators stand on fields and above them; where each may stand does not matter here.
constexpr Operator kQueries[] = {
    {"$accumulator", kValue, kJavaScript},
    {"$all", kPredicate},
    {"$alwaysFalse"},
    {"$alwaysTrue"},
    {"$and", kFilters},
    {"$bitsAllClear"},
    {"$bitsAllSet"},
    {"$bitsAnyClear"},
    {"$bitsAnySet"},
    {"$box"},
    {"$center"},
    {"$centerSphere"},
    {"$code", kValue, kJavaScript},
    {"$comment"},
    {"$db", kText},
    {"$elemMatch", kPredicate},
    {"$eq", kPredicate},
    {"$exists"},
    {"$expr", kExpression},
    {"$function", kValue, kJavaScript},
    {"$geoIntersects", kPredicate},
    {"$geoWithin", kPredicate},
    {"$geometry"},
    {"$gt", kPredicate},
    {"$gte", kPredicate},
    {"$id", kPredicate},
    {"$in", kPredicate},
    {"$jsonSchema"},
    {"$lt", kPredicate},
    {"$lte", kPredicate},
    {"$maxDistance"},
    {"$minDistance"},
    {"$mod"},
    {"$ne", kPredicate},
    {"$near", kPredicate},
    {"$nearSphere", kPredicate},
    {"$nin", kPredicate},
    {"$nor", kFilters},
    {"$not", kPredicate},
    {"$options", kText},
    {"$or", kFilters},
    {"$polygon"},
    {"$ref", kText},
    {"$regex"},
    {"$sampleRate"},
    {"$size"},
    {"$text"},
    {"$type"},
    {"$uniqueDocs"},
    {"$where", kValue, kJavaScript},
    {"$within", kPredicate},
};
static_assert(IsSorted(kQueries));

// ---- updates -----------------------------------------------------------------

constexpr Operator kUpdates[] = {
    {"$addToSet"}, {"$bit"},         {"$currentDate"},
    {"$inc"},      {"$max"},         {"$min"},
    {"$mul"},      {"$pop"},         {"$pull", kPredicate},
    {"$pullAll"},  {"$push"},        {"$rename"},
    {"$set"},      {"$setOnInsert"}, {"$unset"},
};
static_assert(IsSorted(kUpdates));

}  // namespace

const Operator* FindStage(std::string_view name) { return Find(kStages, name); }
const Operator* FindExpression(std::string_view name) { return Find(kExpressions, name); }
const Operator* FindQuery(std::string_view name) { return Find(kQueries, name); }
const Operator* FindUpdate(std::string_view name) { return Find(kUpdates, name); }

}  // namespace bridgekeeper::mongodb
