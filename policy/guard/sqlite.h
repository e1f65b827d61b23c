// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeSqlite cuts a text into tokens by SQLite's own rules and holds it against a
// list of known shapes; what is not on the list is DESTRUCTIVE. Nothing is compiled:
// without the schema a compiler knows no table, and several PRAGMAs act while they
// are compiled, under EXPLAIN too. Tables are taken as plain and no judgement is
// `proven`. The back end that runs statements has the schema: it compiles them
// under an authorizer that denies by default, as a second gate after this one.
//
// Source: policy/spec.md, clauses G1 to G14, G16 and G21 to G24.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLITE_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLITE_H_

#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Nothing here recurses: memory and time grow with the text and no stack does.
inline constexpr TextLimits kSqliteLimits = {};

// Judges `text`. REQUIRES: ScanText(text, kSqliteLimits) found nothing.
Judgement JudgeSqlite(std::string_view text, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLITE_H_
