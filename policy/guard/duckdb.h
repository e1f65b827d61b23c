// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeDuckdb asks DuckDB's own parser. A query is judged by its serialized tree,
// walked node by node; EXPLAIN by its inner text; INSERT, UPDATE, DELETE and plain
// CREATE by their tokens, with each query and expression in them serialized by
// itself. Every other statement is DESTRUCTIVE, save those that dialect-independent
// clauses name. Nothing is prepared: preparing opens the files that a text names.
//
// Some texts crash DuckDB's parser and some keep it busy for minutes, so this runs in
// a worker process (isolated.h): elsewhere no engine is loaded, and every text is
// unreadable.
//
// Source: policy/spec.md, clauses G1 to G16 and G25 to G29.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_H_

#include <string_view>

#include "policy/guard/duckdb/parser.h"
#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// No bound on tokens is proven for this parser: its process, deadline and memory are
// bounded instead. The limit keeps usual texts below the deadline: 50,000 tokens of
// the slowest known text (a chain of AND, quadratic) take 0.9 s of CPU, measured on a
// shared two-core machine.
inline constexpr TextLimits kDuckdbLimits = {.max_tokens = 50'000};

// Judges `text` with the engine that this process has loaded (duckdb/engine.h).
// REQUIRES: ScanText(text, kDuckdbLimits) found nothing; one thread at a time.
Judgement JudgeDuckdb(std::string_view text, const JudgeOptions& options);

namespace duckdb {

// The same with any parser.
Judgement JudgeWith(SqlParser& parser, std::string_view text, const JudgeOptions& options);

}  // namespace duckdb
}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_H_
