// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What judging costs, beside what the parser alone costs for the same text.

#include <benchmark/benchmark.h>
#include <pg_query.h>

#include <memory>
#include <string>

#include "policy/base/json.h"
#include "policy/guard/guard.h"
#include "policy/guard/mongodb.h"
#include "policy/guard/postgres.h"

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

}  // namespace
}  // namespace bridgekeeper
