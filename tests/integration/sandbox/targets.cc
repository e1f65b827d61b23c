// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/sandbox/engine_target.h"
#include "tests/integration/sandbox/sqlite_target.h"

#ifdef BK_WITH_DUCKDB
#include "tests/integration/sandbox/duckdb_target.h"
#endif
#ifdef BK_WITH_POSTGRES
#include "tests/integration/sandbox/postgres_target.h"
#endif

namespace bridgekeeper::bridge {
namespace {

constexpr EngineRow kEngines[] = {
#ifdef BK_WITH_DUCKDB
    {"duckdb", &StartDuckdbTarget},
#endif
#ifdef BK_WITH_POSTGRES
    {"postgres", &StartPostgresTarget},
#endif
    {"sqlite", &StartSqliteTarget},
};

}  // namespace

std::span<const EngineRow> AllEngines() { return kEngines; }

}  // namespace bridgekeeper::bridge
