// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// StatementJudge judges what json_serialize_sql does not read: every statement that
// is no query. It follows the tokens along a list of shapes and has each query and
// each expression in them serialized by itself. Any other shape is DESTRUCTIVE.
//
// Source: policy/spec.md, clauses G10 to G14 and G28 and G29; DuckDB's grammar
// (third_party/libpg_query/grammar/statements).

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_STATEMENTS_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_STATEMENTS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "policy/guard/duckdb/parser.h"
#include "policy/guard/duckdb/token.h"
#include "policy/guard/duckdb/tree.h"
#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper::duckdb {

class StatementJudge {
 public:
  // `tokens` hold one statement, without a semicolon.
  StatementJudge(const Tokens& tokens, SqlParser& parser, const JudgeOptions& options,
                 JudgementBuilder& found)
      : tokens_(tokens),
        parser_(parser),
        options_(options),
        found_(found),
        notes_(options, false, found) {}

  // Judges it. Not OK where the parser failed: nothing is known then.
  //
  // Errors:
  //   kUnavailable       - from the parser.
  //   kResourceExhausted - a tree is too deep.
  absl::Status Judge();

 private:
  // Tokens [begin, end).
  struct Range {
    size_t begin;
    size_t end;
    bool empty() const { return begin >= end; }
  };

  void Statement(Range range, bool planned);
  void Explain(Range range);
  void With(Range range, bool planned);
  void Insert(Range range, bool planned);
  void OnConflict(Range range, bool planned, std::string_view table);
  void Update(Range range, bool planned);
  void Delete(Range range, bool planned);
  void Create(Range range);
  void CreateTable(Range range, std::string_view kind);
  void CreateIndex(Range range);
  void CreateType(Range range);
  void Alter(Range range);
  void Pragma(Range range);
  void Comment(Range range);
  void Plain(Range range, std::string_view kind, std::string_view why);

  // Parts, each serialized by itself.
  void Query(Range range, bool definition = false) { Serialize("", range, definition); }
  void Expressions(Range range, bool definition = false) {
    Serialize("SELECT ", range, definition);
  }
  void Relations(Range range) { Serialize("SELECT 1 FROM ", range, false); }
  void Serialize(std::string_view prefix, Range range, bool definition);
  void Assignments(Range range);
  // Types, constraints and defaults.
  void Definitions(Range range);
  size_t CountArguments(size_t open) const;

  // Reads a dotted name at `at`, moves on, checks its catalogue, returns its last part;
  // empty where there is none.
  std::string Name(size_t& at, size_t end);
  // Takes `word` at `at` where it stands there.
  bool Take(size_t& at, size_t end, std::string_view word) const;
  void TakeIfNotExists(size_t& at, size_t end) const;
  // The first token in the range outside parentheses that is `word`, else range.end.
  size_t FindWord(Range range, std::string_view word) const;
  // The parenthesis that closes the one at `open`, else `end`.
  size_t Closing(size_t open, size_t end) const;
  bool IsNameList(Range range) const;

  void Note(std::string_view kind, std::string_view object, size_t at, Risk risk,
            std::string_view why);
  void Unknown(size_t at, std::string_view why);
  size_t PositionOf(size_t at) const;

  const Tokens& tokens_;
  SqlParser& parser_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
  Notes notes_;
  absl::Status status_;
  int depth_ = 0;
};

// Walks the one statement that `json`, the answer of Serialize(), holds. Returns false
// where there is another number, or none could be read.
//
// Errors:
//   kResourceExhausted - the tree is too deep.
absl::Status WalkOne(std::string_view json, std::string_view text, Place place, Notes& notes,
                     bool& read);

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_STATEMENTS_H_
