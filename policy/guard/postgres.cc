// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres.h"

#include <pg_query.h>

#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/guard/effects.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper {
namespace {

// Owns the answer of pg_query_parse().
class Parse {
 public:
  explicit Parse(const std::string& text) : result_(pg_query_parse(text.c_str())) {}
  ~Parse() { pg_query_free_parse_result(result_); }
  Parse(const Parse&) = delete;
  Parse& operator=(const Parse&) = delete;

  const PgQueryError* error() const { return result_.error; }
  std::string_view tree() const { return result_.parse_tree; }

 private:
  PgQueryParseResult result_;
};

// Byte offset of the character with this number, from 1, as the parser counts.
size_t ByteOfCharacter(std::string_view text, int character) {
  size_t at = 0;
  for (int left = character - 1; left > 0 && at < text.size(); --left) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  return at;
}

Judgement SyntaxError(std::string_view text, const PgQueryError& error) {
  const std::string message =
      absl::StrFormat("PostgreSQL 15's parser: %s (syntax that is newer cannot be judged)",
                      error.message != nullptr ? error.message : "no reason given");
  if (error.cursorpos <= 0) return JudgementError(Judgement::Error::kUnreadable, message);
  return JudgementError(Judgement::Error::kUnreadable, message, 0,
                        ByteOfCharacter(text, error.cursorpos));
}

}  // namespace

Judgement JudgePostgres(std::string_view text, const JudgeOptions&) {
  const Parse parse{std::string(text)};
  if (parse.error() != nullptr) return SyntaxError(text, *parse.error());
  JudgementBuilder found;
  found.Add(effect::kUnknown, "", std::nullopt, Risk::kDestructive, "no statement kind is known");
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
