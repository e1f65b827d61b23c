// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The kinds whose meaning depends on more than their name; kinds.cc lists them.
// Each notes what its node does and visits what is below it.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_HANDLERS_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_HANDLERS_H_

#include <cstdint>

#include "policy/guard/postgres/walk.h"

namespace bridgekeeper::postgres {

// calls.cc: calls and references, in every position.
void OnFuncCall(Walker& walker, int16_t kind, Object node, Context context);
void OnColumnRef(Walker& walker, int16_t kind, Object node, Context context);
void OnIndirection(Walker& walker, int16_t kind, Object node, Context context);
void OnRangeVar(Walker& walker, int16_t kind, Object node, Context context);
void OnTableSample(Walker& walker, int16_t kind, Object node, Context context);
void OnTypeName(Walker& walker, int16_t kind, Object node, Context context);

// data.cc: reading and writing rows.
void OnInsert(Walker& walker, int16_t kind, Object node, Context context);
void OnUpdate(Walker& walker, int16_t kind, Object node, Context context);
void OnDelete(Walker& walker, int16_t kind, Object node, Context context);
void OnMerge(Walker& walker, int16_t kind, Object node, Context context);
void OnMergeWhen(Walker& walker, int16_t kind, Object node, Context context);
void OnInto(Walker& walker, int16_t kind, Object node, Context context);
void OnLocking(Walker& walker, int16_t kind, Object node, Context context);
void OnCopy(Walker& walker, int16_t kind, Object node, Context context);
void OnExplain(Walker& walker, int16_t kind, Object node, Context context);

// definitions.cc: creating and changing objects.
void OnCreateTable(Walker& walker, int16_t kind, Object node, Context context);
void OnCreateTableAs(Walker& walker, int16_t kind, Object node, Context context);
void OnCreateView(Walker& walker, int16_t kind, Object node, Context context);
void OnCreateIndex(Walker& walker, int16_t kind, Object node, Context context);
void OnCreateSchema(Walker& walker, int16_t kind, Object node, Context context);
void OnAlterTable(Walker& walker, int16_t kind, Object node, Context context);
void OnAlterEnum(Walker& walker, int16_t kind, Object node, Context context);

// session.cc: settings, transactions and what a session keeps.
void OnSet(Walker& walker, int16_t kind, Object node, Context context);
void OnShow(Walker& walker, int16_t kind, Object node, Context context);
void OnTransaction(Walker& walker, int16_t kind, Object node, Context context);
void OnDiscard(Walker& walker, int16_t kind, Object node, Context context);
void OnExecute(Walker& walker, int16_t kind, Object node, Context context);

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_HANDLERS_H_
