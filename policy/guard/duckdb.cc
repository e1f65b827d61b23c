// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/guard/duckdb/answer.h"
#include "policy/guard/duckdb/engine.h"
#include "policy/guard/duckdb/statements.h"
#include "policy/guard/duckdb/token.h"
#include "policy/guard/duckdb/tree.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper {
namespace duckdb {
namespace {

Judgement Unreadable(std::string_view why, std::optional<size_t> position = std::nullopt) {
  return JudgementError(Judgement::Error::kUnreadable, std::string(why), 0, position);
}

Judgement TooMany(int count) {
  return JudgementError(Judgement::Error::kMultiple,
                        absl::StrFormat("got %d statements, want one", count), count);
}

Judgement JudgeQuery(const Answer& answer, std::string_view text, const JudgeOptions& options) {
  const int count = static_cast<int>(answer.statements().size());
  if (count == 0) return JudgementError(Judgement::Error::kEmpty, "got no statement");
  if (count > 1) return TooMany(count);
  JudgementBuilder found;
  Notes notes(options, false, found);
  TreeWalker walker(text, {}, notes);
  walker.WalkStatement(answer.statements().at(0).value_unsafe());
  if (walker.too_deep()) {
    return Unreadable(absl::StrFormat("got nesting deeper than %d", kMaxTreeDepth));
  }
  return std::move(found).Finish(1);
}

// `text` parses, and is no query or has several statements.
Judgement JudgeOther(SqlParser& parser, std::string_view text, const JudgeOptions& options) {
  Tokens tokens = Tokenize(text);
  if (!tokens.error.empty()) {
    return Unreadable(absl::StrFormat("DuckDB: %s at byte %d", tokens.error, tokens.error_position),
                      tokens.error_position);
  }
  int count = 0;
  bool after_semicolon = true;
  std::vector<Token> kept;
  for (size_t i = 0; i < tokens.tokens.size(); ++i) {
    const bool semicolon = tokens.IsSymbol(i, ';');
    if (!semicolon) {
      count += after_semicolon ? 1 : 0;
      kept.push_back(tokens.tokens[i]);
    }
    after_semicolon = semicolon;
  }
  if (count == 0) return JudgementError(Judgement::Error::kEmpty, "got no statement");
  if (count > 1) return TooMany(count);
  tokens.tokens = std::move(kept);

  JudgementBuilder found;
  const absl::Status status = StatementJudge(tokens, parser, options, found).Judge();
  if (!status.ok()) return Unreadable(AsStd(status.message()));
  Judgement judgement = std::move(found).Finish(1);
  // A PRAGMA acts when it is extracted, and an unknown text may hold one.
  if (judgement.risk == Risk::kDestructive || tokens.IsWord(0, "pragma")) return judgement;
  const auto extracted = parser.CountStatements(text);
  if (!extracted.ok()) return Unreadable(AsStd(extracted.status().message()));
  if (*extracted != 1) return TooMany(*extracted);
  return judgement;
}

}  // namespace

Judgement JudgeWith(SqlParser& parser, std::string_view text, const JudgeOptions& options) {
  const auto json = parser.Serialize(text);
  if (!json.ok()) return Unreadable(AsStd(json.status().message()));
  const Answer answer(*json);
  switch (answer.kind()) {
    case Answer::Kind::kTree:
      return JudgeQuery(answer, text, options);
    case Answer::Kind::kNotQuery:
      return JudgeOther(parser, text, options);
    case Answer::Kind::kSyntax: {
      const bool known = answer.position().has_value() && *answer.position() <= text.size();
      return Unreadable(absl::StrFormat("DuckDB's parser: %s", answer.message()),
                        known ? answer.position() : std::nullopt);
    }
    case Answer::Kind::kUnreadable:
      return Unreadable(
          "DuckDB's parse tree was not read: it is too deep, or a number is too large");
  }
  return Unreadable("DuckDB's parse tree was not read");
}

}  // namespace duckdb

Judgement JudgeDuckdb(std::string_view text, const JudgeOptions& options) {
  duckdb::SqlParser* const parser = duckdb::LoadedEngine();
  if (parser == nullptr) {
    return JudgementError(Judgement::Error::kUnreadable,
                          "DuckDB is judged in a worker process, and this is none");
  }
  return duckdb::JudgeWith(*parser, text, options);
}

}  // namespace bridgekeeper
