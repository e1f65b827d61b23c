// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlserver.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/guard/effects.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlserver/parser.h"
#include "policy/guard/sqlserver/token.h"

namespace bridgekeeper {

namespace {

// Judges the texts that the server is told to describe, and those within them: each is
// shorter than the one it stands in.
void JudgeDescribed(std::vector<sqlserver::Parser::Described> texts, const JudgeOptions& options,
                    JudgementBuilder& found) {
  while (!texts.empty()) {
    const auto [position, text] = std::move(texts.back());
    texts.pop_back();
    JudgementBuilder inner;
    const sqlserver::Tokens tokens = sqlserver::Tokenize(text);
    sqlserver::Parser parser(tokens, options, inner);
    const bool read = tokens.error.empty() && parser.Judge() == 1 && !parser.too_deep();
    if (!read) {
      found.Add(effect::kUnknown, "", position, Risk::kDestructive,
                "describes a text that is not one statement that is known");
    }
    for (const Effect& effect : std::move(inner).Finish(1).effects) {
      found.Add(effect.kind, effect.object, position, effect.risk, effect.why);
    }
    for (const auto& [inside, more] : parser.described()) texts.push_back({position, more});
  }
}

}  // namespace

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
  JudgeDescribed(parser.described(), options, found);
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
