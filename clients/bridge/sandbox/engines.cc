// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/engines.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/sandbox/dsn_source.h"
#include "clients/bridge/sandbox/engine_workers.h"
#include "clients/bridge/sandbox/sqlite/sqlite_backend.h"
#include "clients/bridge/sandbox/sqlite/sqlite_worker.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/guard/dialects.h"

#ifdef BK_WITH_DUCKDB
#include "clients/bridge/sandbox/duckdb/duckdb_backend.h"
#include "clients/bridge/sandbox/duckdb/duckdb_worker.h"
#endif
#ifdef BK_WITH_POSTGRES
#include "clients/bridge/sandbox/postgres/postgres_backend.h"
#include "clients/bridge/sandbox/postgres/role_risks.h"
#endif

namespace bridgekeeper::bridge {
namespace {

#ifdef BK_WITH_POSTGRES
std::unique_ptr<Backend> MakePostgres(const ConnectionConfig& connection, DsnSource dsn,
                                      const Clock& clock, Logger& log) {
  return MakePostgresBackend(
      {.id = connection.id.value(),
       .dsn = std::move(dsn),
       .writes = connection.writes,
       .role_risks = connection.role_risks,
       .safe_functions = {connection.safe_functions.begin(), connection.safe_functions.end()}},
      clock, log);
}
#endif

std::unique_ptr<Backend> MakeSqlite(const ConnectionConfig& connection, DsnSource dsn,
                                    const Clock& clock, Logger& log) {
  return MakeSqliteBackend(
      {.id = connection.id.value(), .dsn = std::move(dsn), .writes = connection.writes}, clock,
      log);
}

#ifdef BK_WITH_DUCKDB
std::unique_ptr<Backend> MakeDuckdb(const ConnectionConfig& connection, DsnSource dsn,
                                    const Clock& clock, Logger& log) {
  return MakeDuckdbBackend(
      {.id = connection.id.value(), .dsn = std::move(dsn), .writes = connection.writes}, clock,
      log);
}
#endif

struct Engine {
  std::string_view dialect;
  std::span<const RoleRisk> (*role_risks)();  // null: its connections have no roles
  std::unique_ptr<Backend> (*make)(const ConnectionConfig& connection, DsnSource dsn,
                                   const Clock& clock, Logger& log);
  std::vector<WorkerKind> (*workers)();  // null: it runs elsewhere
};

constexpr Engine kEngines[] = {
#ifdef BK_WITH_DUCKDB
    {"duckdb", nullptr, &MakeDuckdb, &DuckdbWorkerKinds},
#endif
#ifdef BK_WITH_POSTGRES
    {"postgres", &AllRoleRisks, &MakePostgres, nullptr},
#endif
    {"sqlite", nullptr, &MakeSqlite, &SqliteWorkerKinds},
};

const Engine* FindEngine(std::string_view type) {
  const Dialect* dialect = FindDialect(type);
  for (const Engine& engine : kEngines) {
    if (dialect != nullptr && dialect->name == engine.dialect) return &engine;
  }
  return nullptr;
}

}  // namespace

absl::Status CheckIsServed(const ConnectionConfig& connection) {
  const std::string path = absl::StrFormat("connections.%s", connection.id.value());
  const Engine* engine = FindEngine(connection.type);
  if (engine == nullptr) {
    std::vector<std::string> names;
    for (const Engine& each : kEngines) names.emplace_back(each.dialect);
    return absl::UnimplementedError(
        absl::StrFormat("%s.type: this build serves %s", path, absl::StrJoin(names, ", ")));
  }
  for (const std::string& risk : connection.role_risks) {
    std::vector<std::string_view> known;
    if (engine->role_risks != nullptr) {
      for (const RoleRisk& each : engine->role_risks()) known.push_back(each.name);
    }
    if (std::find(known.begin(), known.end(), risk) != known.end()) continue;
    std::vector<std::string> names(known.begin(), known.end());
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s.role_risks: got `%s`, want of %s", path, EscapeForPeople(risk, 128),
        names.empty() ? "none: the engine has no roles" : absl::StrJoin(names, ", ")));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const ConnectionConfig& connection,
                                                     const Clock& clock, Logger& log) {
  BK_RETURN_IF_ERROR(CheckIsServed(connection));
  if (!connection.dsn_file.empty()) {
    return FindEngine(connection.type)
        ->make(connection, DsnSource::File(connection.dsn_file), clock, log);
  }
  BK_ASSIGN_OR_RETURN(DsnSource dsn, DsnSource::Variable(connection.dsn_variable));
  return FindEngine(connection.type)->make(connection, std::move(dsn), clock, log);
}

std::vector<WorkerKind> SandboxWorkerKinds() {
  std::vector<WorkerKind> kinds;
  for (const Engine& engine : kEngines) {
    if (engine.workers == nullptr) continue;
    for (WorkerKind& kind : engine.workers()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace bridgekeeper::bridge
