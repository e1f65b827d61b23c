// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlserver.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlserver/parser.h"
#include "policy/guard/sqlserver/token.h"

namespace bridgekeeper {

Judgement JudgeSqlServer(std::string_view text, const JudgeOptions& options) {
  using Error = Judgement::Error;
  const sqlserver::Tokens tokens = sqlserver::Tokenize(text);
  if (!tokens.error.empty()) {
    return JudgementError(
        Error::kUnreadable,
        absl::StrFormat("SQL Server: %s at byte %d", tokens.error, tokens.error_position), 0,
        tokens.error_position);
  }
  JudgementBuilder found;
  sqlserver::Parser parser(tokens, options, found);
  const int statements = parser.Judge();
  if (const auto deep = parser.too_deep()) {
    return JudgementError(Error::kUnreadable,
                          absl::StrFormat("SQL Server: got more than %d levels at byte %d",
                                          sqlserver::kMaxNesting, *deep),
                          0, *deep);
  }
  if (statements == 0) return JudgementError(Error::kEmpty, "got no statement");
  if (statements > 1) {
    return JudgementError(Error::kMultiple,
                          absl::StrFormat("got %d statements, want one", statements), statements);
  }
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
