// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What judging costs, beside what the parser alone costs for the same text.

#include <benchmark/benchmark.h>
#include <pg_query.h>

#include <memory>
#include <string>

#include "policy/base/json.h"
#include "policy/guard/duckdb.h"
#include "policy/guard/duckdb/engine.h"
#include "policy/guard/dynamodb.h"
#include "policy/guard/elasticsearch.h"
#include "policy/guard/guard.h"
#include "policy/guard/mongodb.h"
#include "policy/guard/mysql.h"
#include "policy/guard/postgres.h"
#include "policy/guard/sqlserver.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper {
namespace {

constexpr char kTenLines[] =
    "SELECT c.name,\n"
    "       count(DISTINCT o.id) AS orders,\n"
    "       sum(i.quantity * i.price) AS revenue,\n"
    "       max(o.created_at) AS last_order\n"
    "FROM customers c\n"
    "LEFT JOIN orders o ON o.customer_id = c.id\n"
    "LEFT JOIN items i ON i.order_id = o.id\n"
    "WHERE c.country = 'DE' AND o.created_at > now() - interval '90 days'\n"
    "GROUP BY c.name\n"
    "HAVING sum(i.quantity * i.price) > 1000 ORDER BY revenue DESC LIMIT 50";
constexpr char kOneLine[] = "SELECT id, name FROM customers WHERE id = 4711";

void PgQueryParse(benchmark::State& state, const char* text) {
  for (auto _ : state) {
    const PgQueryParseResult result = pg_query_parse(text);
    benchmark::DoNotOptimize(result.parse_tree);
    pg_query_free_parse_result(result);
  }
}
BENCHMARK_CAPTURE(PgQueryParse, TenLines, kTenLines);
BENCHMARK_CAPTURE(PgQueryParse, OneLine, kOneLine);

// The judge alone, on this thread.
void JudgePostgresText(benchmark::State& state, const char* text) {
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(JudgePostgres(text, options));
}
BENCHMARK_CAPTURE(JudgePostgresText, TenLines, kTenLines);
BENCHMARK_CAPTURE(JudgePostgresText, OneLine, kOneLine);

void JudgeMysqlText(benchmark::State& state, const char* text) {
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(JudgeMysql(text, options));
}
BENCHMARK_CAPTURE(JudgeMysqlText, TenLines, kTenLines);
BENCHMARK_CAPTURE(JudgeMysqlText, OneLine, kOneLine);
// Four ways to cut it by sql_mode, two by the executable comment.
BENCHMARK_CAPTURE(
    JudgeMysqlText, EightReadings,
    "SELECT /*!40001 SQL_NO_CACHE */ id, \"it's\" FROM customers WHERE name = 'a\\'b'");

// As callers see it: scanned, on a thread of the pool, nothing remembered.
void GuardCold(benchmark::State& state, const char* text) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(guard->JudgeText("postgres", text, options));
}
BENCHMARK_CAPTURE(GuardCold, TenLines, kTenLines)->UseRealTime();
BENCHMARK_CAPTURE(GuardCold, OneLine, kOneLine)->UseRealTime();

// A repeated text.
void GuardCached(benchmark::State& state, const char* text) {
  static const PayloadJudge* const guard = MakeGuard().release();
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(guard->JudgeText("postgres", text, options));
}
BENCHMARK_CAPTURE(GuardCached, TenLines, kTenLines)->UseRealTime();
BENCHMARK_CAPTURE(GuardCached, OneLine, kOneLine)->UseRealTime();
BENCHMARK_CAPTURE(GuardCached, Refused, "SELECT pg_sleep(1), f(2) FROM pg_authid")->UseRealTime();

// A MongoDB command as a reporting agent sends it.
constexpr char kPipeline[] = R"({"aggregate":"orders","pipeline":[
  {"$match":{"country":"DE","at":{"$gte":{"$date":"2026-01-01T00:00:00Z"}}}},
  {"$lookup":{"from":"customers","let":{"c":"$customer"},"pipeline":[
    {"$match":{"$expr":{"$eq":["$_id","$$c"]}}},{"$project":{"name":1}}],"as":"customer"}},
  {"$unwind":"$items"},
  {"$group":{"_id":"$customer.name","orders":{"$addToSet":"$_id"},
    "revenue":{"$sum":{"$multiply":["$items.quantity","$items.price"]}},"last":{"$max":"$at"}}},
  {"$match":{"revenue":{"$gt":1000}}},{"$sort":{"revenue":-1}},{"$limit":50}],"cursor":{}})";
constexpr char kFindOne[] = R"({"find":"customers","filter":{"_id":4711},"limit":1})";

// The judge alone; the arguments of a call are read before it in any case.
void JudgeMongodbObject(benchmark::State& state, const char* text) {
  const JudgeOptions options;
  const auto document = JsonDocument::Parse(text);
  for (auto _ : state) benchmark::DoNotOptimize(JudgeMongodb(document->root(), options));
}
BENCHMARK_CAPTURE(JudgeMongodbObject, Pipeline, kPipeline);
BENCHMARK_CAPTURE(JudgeMongodbObject, FindOne, kFindOne);

void GuardColdMongodb(benchmark::State& state, const char* text) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  const JudgeOptions options;
  const auto document = JsonDocument::Parse(text);
  for (auto _ : state) {
    benchmark::DoNotOptimize(guard->JudgeObject("mongodb", document->root(), options));
  }
}
BENCHMARK_CAPTURE(GuardColdMongodb, Pipeline, kPipeline)->UseRealTime();

#ifdef BK_DUCKDB_LIBRARY
// DuckDB's parser alone: json_serialize_sql of the text.
void JsonSerializeSql(benchmark::State& state, const char* text) {
  if (!duckdb::LoadEngine(BK_DUCKDB_LIBRARY).ok()) return state.SkipWithError("no DuckDB");
  for (auto _ : state) benchmark::DoNotOptimize(duckdb::LoadedEngine()->Serialize(text));
}
BENCHMARK_CAPTURE(JsonSerializeSql, TenLines, kTenLines);
BENCHMARK_CAPTURE(JsonSerializeSql, OneLine, kOneLine);

// The judge alone, on this thread.
void JudgeDuckdbText(benchmark::State& state, const char* text) {
  if (!duckdb::LoadEngine(BK_DUCKDB_LIBRARY).ok()) return state.SkipWithError("no DuckDB");
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(JudgeDuckdb(text, options));
}
BENCHMARK_CAPTURE(JudgeDuckdbText, TenLines, kTenLines);
BENCHMARK_CAPTURE(JudgeDuckdbText, OneLine, kOneLine);

// As callers see it: in the worker process, nothing remembered.
void GuardColdDuckdb(benchmark::State& state, const char* text) {
  static const PayloadJudge* const guard =
      MakeGuard({.cache_bytes = 0,
                 .isolated = MakeJudgeWorkers({.program = BK_JUDGE_WORKER}),
                 .deadline = absl::Seconds(60)})
          .release();
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(guard->JudgeText("duckdb", text, options));
}
BENCHMARK_CAPTURE(GuardColdDuckdb, TenLines, kTenLines)->UseRealTime();
BENCHMARK_CAPTURE(GuardColdDuckdb, OneLine, kOneLine)->UseRealTime();
#endif

// The first query in Transact-SQL.
constexpr char kTenLinesOfSqlServer[] =
    "SELECT TOP (50) c.name,\n"
    "       COUNT(DISTINCT o.id) AS orders,\n"
    "       SUM(i.quantity * i.price) AS revenue,\n"
    "       MAX(o.created_at) AS last_order\n"
    "FROM dbo.customers AS c WITH (NOLOCK)\n"
    "LEFT JOIN dbo.orders AS o ON o.customer_id = c.id\n"
    "LEFT JOIN dbo.items AS i ON i.order_id = o.id\n"
    "WHERE c.country = N'DE' AND o.created_at > DATEADD(day, -90, SYSUTCDATETIME())\n"
    "GROUP BY c.name\n"
    "HAVING SUM(i.quantity * i.price) > 1000 ORDER BY revenue DESC";

void JudgeSqlServerText(benchmark::State& state, const char* text) {
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(JudgeSqlServer(text, options));
}
BENCHMARK_CAPTURE(JudgeSqlServerText, TenLines, kTenLinesOfSqlServer);
BENCHMARK_CAPTURE(JudgeSqlServerText, OneLine, kOneLine);

void JudgeDynamoDbText(benchmark::State& state, const char* text) {
  const JudgeOptions options;
  for (auto _ : state) benchmark::DoNotOptimize(JudgeDynamoDbStatement(text, options));
}
BENCHMARK_CAPTURE(JudgeDynamoDbText, Select,
                  "SELECT id, total FROM \"orders\".\"by-day\" WHERE day = ? AND total > 100");

void JudgeDynamoDbObject(benchmark::State& state, const char* text) {
  const JudgeOptions options;
  const auto document = JsonDocument::Parse(text);
  for (auto _ : state) benchmark::DoNotOptimize(JudgeDynamoDbRequest(document->root(), options));
}
BENCHMARK_CAPTURE(JudgeDynamoDbObject, Query,
                  R"({"operation":"Query","request":{"TableName":"orders","IndexName":"by-day",
"KeyConditionExpression":"#d = :d AND total > :t","ExpressionAttributeNames":{"#d":"day"},
"ExpressionAttributeValues":{":d":{"S":"2026-11-30"},":t":{"N":"100"}},"Limit":50}})");

// An Elasticsearch report as an agent asks for it, and fifty documents in one `_bulk`.
constexpr char kSearch[] = R"({"method":"POST","path":"/logs-*/_search","body":{"size":0,
  "query":{"bool":{"filter":[{"range":{"@timestamp":{"gte":"now-7d/d"}}},{"term":{"level":"error"}}],
    "must_not":[{"terms":{"service":["canary","test"]}}]}},
  "aggs":{"day":{"date_histogram":{"field":"@timestamp","calendar_interval":"day"},
    "aggs":{"service":{"terms":{"field":"service","size":20},"aggs":{"p":{"percentiles":{"field":"ms"}}}}}}}}})";

std::string BulkRequest() {
  std::string lines;
  for (int i = 0; i < 50; ++i) {
    lines += R"({\"index\":{\"_index\":\"orders\"}}\n{\"customer\":4711,\"total\":12.5}\n)";
  }
  return R"({"method":"POST","path":"/_bulk","body":")" + lines + R"("})";
}

void JudgeElasticsearchObject(benchmark::State& state, const std::string& text) {
  const JudgeOptions options;
  const auto document = JsonDocument::Parse(text);
  for (auto _ : state) benchmark::DoNotOptimize(JudgeElasticsearch(document->root(), options));
}
BENCHMARK_CAPTURE(JudgeElasticsearchObject, Search, kSearch);
BENCHMARK_CAPTURE(JudgeElasticsearchObject, Bulk50, BulkRequest());

}  // namespace
}  // namespace bridgekeeper
