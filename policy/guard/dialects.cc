// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/dialects.h"

#include <cstddef>

#include "policy/base/ascii.h"
#include "policy/guard/duckdb.h"
#include "policy/guard/dynamodb.h"
#include "policy/guard/elasticsearch.h"
#include "policy/guard/mongodb.h"
#include "policy/guard/mysql.h"
#include "policy/guard/postgres.h"
#include "policy/guard/sqlite.h"
#include "policy/guard/sqlserver.h"

namespace bridgekeeper {
namespace {

constexpr std::string_view kElasticsearchAliases[] = {"es", "opensearch"};
constexpr std::string_view kMongodbAliases[] = {"mongo"};
constexpr std::string_view kMysqlAliases[] = {"mariadb"};
// CockroachDB and TimescaleDB speak PostgreSQL's SQL and have its functions; what they add
// is not read, or is a function outside the inventory.
constexpr std::string_view kPostgresAliases[] = {"pg", "postgresql", "cockroach", "cockroachdb",
                                                 "timescaledb"};
constexpr std::string_view kSqliteAliases[] = {"sqlite3"};
constexpr std::string_view kSqlServerAliases[] = {"azuresql", "mssql", "tsql"};

constexpr Dialect kDialects[] = {
    {.name = "duckdb",
     .limits = kDuckdbLimits,
     .text = &JudgeDuckdb,
     .object = nullptr,
     .isolated = true},
    {"dynamodb", {}, kDynamoDbLimits, &JudgeDynamoDbStatement, &JudgeDynamoDbRequest},
    {"elasticsearch", kElasticsearchAliases, kElasticsearchLimits, nullptr, &JudgeElasticsearch},
    {"mongodb", kMongodbAliases, kMongodbLimits, nullptr, &JudgeMongodb},
    {"mysql", kMysqlAliases, kMysqlLimits, &JudgeMysql, nullptr},
    {"postgres", kPostgresAliases, kPostgresLimits, &JudgePostgres, nullptr},
    {"sqlite", kSqliteAliases, kSqliteLimits, &JudgeSqlite, nullptr},
    {"sqlserver", kSqlServerAliases, kSqlServerLimits, &JudgeSqlServer, nullptr},
};

bool EqualFolded(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (ToAsciiLower(a[i]) != lower[i]) return false;
  }
  return true;
}

}  // namespace

std::span<const Dialect> AllDialects() { return kDialects; }

const Dialect* FindDialect(std::string_view name) {
  for (const Dialect& dialect : kDialects) {
    if (EqualFolded(name, dialect.name)) return &dialect;
    for (const std::string_view alias : dialect.aliases) {
      if (EqualFolded(name, alias)) return &dialect;
    }
  }
  return nullptr;
}

}  // namespace bridgekeeper
