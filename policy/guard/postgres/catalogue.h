// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Relations and settings of PostgreSQL that are not plain data: reads that show
// more than tables, writes that are code, settings that weaken a guard.
//
// Source: policy/spec.md, clauses G4 and G6.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_CATALOGUE_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_CATALOGUE_H_

#include <optional>
#include <string_view>

#include "policy/guard/postgres/functions.h"

namespace bridgekeeper::postgres {

// What reading a relation shows beyond data: kSensitive, kSecret or nothing.
// `schema` is empty for an unqualified name.
std::optional<FunctionEffect> ReadingShows(std::string_view schema, std::string_view name);

// True where writing to a relation changes the server's own catalogue.
bool IsSystemRelation(std::string_view schema, std::string_view name);

// True for a schema whose rows a scheduler or a queue acts on (pg_cron, pgmq, ...),
// so that a write is a command.
bool IsQueueSchema(std::string_view schema);

// True for a setting that anybody may know (SHOW, current_setting). Names compare
// without case, as the server does.
bool IsHarmlessToShow(std::string_view setting);

// True for a setting of the session that changes only how values are written.
bool IsHarmlessToSet(std::string_view setting);

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_CATALOGUE_H_
