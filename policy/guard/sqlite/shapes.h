// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The statements that are known, by their shapes.
//
// Source: policy/spec.md, clauses G10 to G14 and G21 to G24.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLITE_SHAPES_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLITE_SHAPES_H_

#include <cstddef>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlite/token.h"

namespace bridgekeeper::sqlite {

// The tokens [begin, end) of one statement, without its semicolon.
struct Range {
  size_t begin = 0;
  size_t end = 0;
};

// The statements of a text that are not empty. The semicolons in the body of a
// trigger end none.
std::vector<Range> SplitStatements(const Tokens& tokens);

// Notes what one statement does. REQUIRES: `statement` is not empty.
void JudgeStatement(const Tokens& tokens, Range statement, const JudgeOptions& options,
                    JudgementBuilder& found);

}  // namespace bridgekeeper::sqlite

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLITE_SHAPES_H_
