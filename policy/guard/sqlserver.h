// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeSqlServer cuts a text into tokens by Transact-SQL's own rules and holds it
// against a grammar that is a part of Transact-SQL's: what that grammar derives has
// the effects that were found on the way, anything else is DESTRUCTIVE. Where two
// readers of Transact-SQL (the server, a client that splits at GO, QUOTED_IDENTIFIER
// on or off) could read a text differently, it counts as the worse reading or is not
// read at all. No server is asked, so no judgement is `proven`.
//
// Source: policy/spec.md, clauses G1 to G14, G16 and those of SQL Server; the
// Transact-SQL reference of SQL Server 2022.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_H_

#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Chains are read without a stack; what nests (parentheses, queries, CASE, joins in
// parentheses) recurses and is bounded by sqlserver::kMaxNesting, whatever the text.
inline constexpr TextLimits kSqlServerLimits = {};

// Judges `text`. REQUIRES: ScanText(text, kSqlServerLimits) found nothing.
Judgement JudgeSqlServer(std::string_view text, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_H_
