// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres.h"

#include <pg_query.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/guard/effects.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/postgres/grammar.h"
#include "policy/guard/postgres/walk.h"

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
      absl::StrFormat("the parser of PostgreSQL 15 does not read it: %s",
                      error.message != nullptr ? error.message : "no reason given");
  if (error.cursorpos <= 0) return JudgementError(Judgement::Error::kUnreadable, message);
  return JudgementError(Judgement::Error::kUnreadable, message, 0,
                        ByteOfCharacter(text, error.cursorpos));
}

Judgement TooDeep() {
  return JudgementError(Judgement::Error::kUnreadable,
                        absl::StrFormat("got nesting deeper than %d", postgres::kMaxTreeDepth));
}

// The parser's JSON, read. The reader's memory is kept for the next tree of usual
// size.
class Tree {
 public:
  explicit Tree(std::string_view json) {
    thread_local simdjson::dom::parser kept;
    simdjson::dom::parser& parser = json.size() <= kKeptBytes ? kept : own_;
    if (parser.capacity() < json.size() &&
        parser.allocate(std::max(json.size(), kKeptBytes), kMaxJsonDepth) != simdjson::SUCCESS) {
      return;
    }
    simdjson::dom::object root;
    simdjson::dom::array statements;
    if (parser.parse(json.data(), json.size()).get(root) == simdjson::SUCCESS &&
        root.at_key("stmts").get(statements) == simdjson::SUCCESS) {
      statements_ = statements;
    }
  }

  // nullopt where the JSON was not read: it is too deep.
  const std::optional<simdjson::dom::array>& statements() const { return statements_; }

 private:
  static constexpr size_t kKeptBytes = size_t{256} << 10;
  // A level of the tree is two of its JSON, at times three (a list).
  static constexpr size_t kMaxJsonDepth = 3 * postgres::kMaxTreeDepth;

  simdjson::dom::parser own_;
  std::optional<simdjson::dom::array> statements_;
};

// Byte offset of the first character of a statement that is no white space.
size_t BeginOf(std::string_view text, postgres::Object raw_statement) {
  int64_t location = 0;
  if (const auto value = postgres::Get(raw_statement, "stmt_location")) {
    if (value->get(location) != simdjson::SUCCESS || location < 0) location = 0;
  }
  const size_t begin = text.find_first_not_of(" \t\r\n\f\v", static_cast<size_t>(location));
  return begin == std::string_view::npos ? 0 : begin;
}

Judgement JudgeStatement(std::string_view text, postgres::Object raw_statement,
                         const JudgeOptions& options) {
  JudgementBuilder found;
  postgres::Walker walker(options, BeginOf(text, raw_statement), found);
  const auto statement = postgres::GetObject(raw_statement, "stmt");
  if (!statement.has_value() || statement->size() != 1) {
    walker.Add(effect::kUnknown, "", std::nullopt, Risk::kDestructive,
               "the parser did not say what kind of statement this is");
  } else {
    static const int16_t raw_kind = *postgres::FindKind("RawStmt");
    walker.Walk(raw_kind, raw_statement, {});
  }
  if (walker.too_deep()) return TooDeep();
  return std::move(found).Finish(1);
}

}  // namespace

Judgement JudgePostgres(std::string_view text, const JudgeOptions& options) {
  // With the setting off a backslash escapes in plain strings, which this parser
  // does not know: a string could end elsewhere than it thinks.
  if (!options.standard_conforming_strings.value_or(true) && text.find('\\') != text.npos) {
    return JudgementError(Judgement::Error::kUnreadable,
                          "got a backslash where standard_conforming_strings is off", 0,
                          text.find('\\'));
  }
  const Parse parse{std::string(text)};
  if (parse.error() != nullptr) return SyntaxError(text, *parse.error());
  const Tree tree(parse.tree());
  if (!tree.statements().has_value()) return TooDeep();
  const int count = static_cast<int>(tree.statements()->size());
  if (count == 0) return JudgementError(Judgement::Error::kEmpty, "got no statement");
  if (count > 1) {
    return JudgementError(Judgement::Error::kMultiple,
                          absl::StrFormat("got %d statements, want one", count), count);
  }
  postgres::Object statement;
  if (tree.statements()->at(0).get(statement) != simdjson::SUCCESS) {
    return JudgementError(Judgement::Error::kUnreadable, "the parse tree has no statement");
  }
  return JudgeStatement(text, statement, options);
}

}  // namespace bridgekeeper
