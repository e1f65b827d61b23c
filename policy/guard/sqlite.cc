// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlite/shapes.h"
#include "policy/guard/sqlite/token.h"

namespace bridgekeeper {

Judgement JudgeSqlite(std::string_view text, const JudgeOptions& options) {
  const sqlite::Tokens tokens = sqlite::Tokenize(text);
  if (!tokens.error.empty()) {
    return JudgementError(
        Judgement::Error::kUnreadable,
        absl::StrFormat("SQLite: %s at byte %d", tokens.error, tokens.error_position), 0,
        tokens.error_position);
  }
  const auto statements = sqlite::SplitStatements(tokens);
  if (statements.empty()) return JudgementError(Judgement::Error::kEmpty, "got no statement");
  if (statements.size() > 1) {
    const int count = static_cast<int>(statements.size());
    return JudgementError(Judgement::Error::kMultiple,
                          absl::StrFormat("got %d statements, want one", count), count);
  }
  JudgementBuilder found;
  sqlite::JudgeStatement(tokens, statements[0], options, found);
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
