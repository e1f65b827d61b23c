// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgePostgres asks PostgreSQL 15's own parser (libpg_query) what a text is and
// walks its parse tree. Nothing is executed and no server is asked, so relations,
// types and operators are taken as plain and no judgement is `proven`.
//
// Source: policy/spec.md, clauses G1 to G9.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_H_

#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Source: measured with libpg_query 15-4.0.0. A tree takes at most 64 bytes of
// stack a token where a rule is left-recursive (`1+1+...`, a chain of UNION or
// JOIN) and at most 2 MiB in all where it is not (the parser's own stack ends at
// 10,000 entries): 13 MiB of the 64 MiB that StackPool gives. A token becomes up to
// 150 bytes of JSON.
inline constexpr TextLimits kPostgresLimits = {.max_bytes = kMaxJudgedBytes, .max_tokens = 200'000};

// Judges `text`. REQUIRES: ScanText(text, kPostgresLimits) found nothing; runs on a
// stack of at least 32 MiB.
Judgement JudgePostgres(std::string_view text, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_H_
