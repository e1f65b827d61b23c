// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Scanner goes once through the tokens of an expression, a query or a definition,
// and notes every function that is called and every table that is read, wherever it
// stands. It keeps a stack of open parentheses of its own and never recurses.
//
// It knows as much of the grammar as tells a call from `t(a)`, `IN (` and
// `numeric(10, 2)`, and a table from a column. A text that SQLite's grammar refuses
// may be noted in any way: it does not run.
//
// Source: policy/spec.md, clauses G5, G7, G13 and G22.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLITE_SCAN_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLITE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlite/inventory.h"
#include "policy/guard/sqlite/token.h"

namespace bridgekeeper::sqlite {

class Scanner {
 public:
  Scanner(const Tokens& tokens, const JudgeOptions& options, JudgementBuilder& found)
      : tokens_(tokens), options_(options), found_(found) {}

  // How the first token of a range is read.
  enum class Start : uint8_t {
    kExpression,   // an expression, or a query from SELECT, VALUES or WITH on
    kTable,        // the tables of a FROM
    kDefinitions,  // columns and constraints, where `name(` is a type
  };

  // Scans the tokens in [begin, end). Where the parentheses do not match it notes
  // UNKNOWN.
  void Scan(size_t begin, size_t end, Start start);

  // What follows is stored with an object and run later: a call that is not harmless
  // is STORED_CODE.
  void set_definition(bool definition) { definition_ = definition; }

  // What follows is the rest of an INSERT: ON CONFLICT (columns) may stand in it.
  void set_upsert(bool upsert) { upsert_ = upsert; }

  // Notes a read that shows more than data.
  void NoteSensitive(const Token& name) { NoteDoes(name, Does::kSensitive); }

  // Notes a schema that the connection does not cover.
  void CheckSchema(const Token& schema);

 private:
  enum class Clause : uint8_t {
    kExpression,
    kTable,       // a table comes next
    kAfterTable,  // alias, ON, USING; a comma or JOIN brings another table
    kDefinitions,
    kCommonTable,      // after WITH: the name of a common table comes next
    kAfterCommonTable  // its columns, AS, its query
  };
  enum class Opener : uint8_t { kGroup, kCall, kTableCall };
  struct Frame {
    Opener opener = Opener::kGroup;
    Clause clause = Clause::kExpression;
    size_t name = 0;  // token of the function
    size_t open = 0;  // token of the parenthesis
    uint32_t commas = 0;
    bool limited = false;  // behind LIMIT, and its OFFSET may follow
  };

  void Next();
  void Close();
  void Word(const Token& token);
  // Reads `[schema.]table` from at_ on, and the `(` of its arguments.
  void Table();
  bool BeginsFrame() const;
  bool IsCallHere(const Token& token) const;
  bool IsDistinctFrom(size_t index) const;
  // Whether the token before `index` ends an operand, so that an operator may follow.
  bool EndsOperand(size_t index) const;

  void NoteCall(const Token& name, size_t arguments, std::optional<Does> does);
  void NoteDoes(const Token& name, Does does);
  bool IsListedSafe(std::string_view name, size_t arguments) const;

  const Token& At(size_t index) const { return tokens_.list[index]; }
  bool IsAt(size_t index, TokenKind kind) const { return index < end_ && At(index).kind == kind; }

  const Tokens& tokens_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
  std::vector<Frame> frames_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t at_ = 0;
  bool definition_ = false;
  bool upsert_ = false;
};

}  // namespace bridgekeeper::sqlite

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLITE_SCAN_H_
