// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Scanner goes once through the tokens of an expression, a query or a definition,
// and notes every function that is called, every table and variable that is read and
// every clause that does more than read, wherever it stands. It keeps a stack of open
// parentheses of its own and never recurses.
//
// It knows as much of the grammar as tells a call from `t(a)`, `IN (` and
// `decimal(10, 2)`, and a table from a column. A text that the server's grammar
// refuses may be noted in any way: it does not run.
//
// Source: policy/spec.md, clauses G5, G7, G13 and G31 to G33.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_SCAN_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/mysql/catalogue.h"
#include "policy/guard/mysql/inventory.h"
#include "policy/guard/mysql/token.h"

namespace bridgekeeper::mysql {

class Scanner {
 public:
  Scanner(const Tokens& tokens, const Reading& reading, const JudgeOptions& options,
          JudgementBuilder& found)
      : tokens_(tokens), reading_(reading), options_(options), found_(found) {}

  // How the first token of a range is read.
  enum class Start : uint8_t {
    kExpression,   // an expression, or a query from SELECT, VALUES, TABLE or WITH on
    kTables,       // tables as behind FROM
    kDefinitions,  // columns and indexes, where `name(` is a type
  };

  // Scans the tokens in [begin, end). Where the parentheses do not match it notes
  // UNKNOWN.
  void Scan(size_t begin, size_t end, Start start);

  // What follows is stored with an object and run later: a call that is not harmless
  // is STORED_CODE.
  void set_definition(bool definition) { definition_ = definition; }
  // What follows is only planned: its locks do not count.
  void set_planned(bool planned) { planned_ = planned; }
  // The tables of the next Start::kTables are written to: a system table among them is
  // SYSTEM_WRITE.
  void set_writes(bool writes) { writes_ = writes; }

  // Notes a table that is named at `token`; `schema` is empty where none is named.
  void NoteTable(std::string_view schema, std::string_view table, const Token& token);
  // Notes a write to it where it is the server's own.
  void NoteSystemWrite(std::string_view schema, std::string_view table, const Token& token);
  // Notes a schema that the connection does not cover.
  void CheckSchema(const Token& schema);
  // Notes a read that shows more than data.
  void NoteShows(Shows shows, std::string_view object, const Token& token);

 private:
  enum class Clause : uint8_t {
    kExpression,
    kTable,             // a table comes next
    kAfterTable,        // alias, hints, ON, USING; a comma or JOIN brings another table
    kDefinitions,       // columns, indexes, options
    kDefault,           // the same behind DEFAULT, where calls may stand
    kList,              // columns of an index: `name(10)` is a part of one
    kCommonTable,       // behind WITH: the name of a common table comes next
    kAfterCommonTable,  // its columns, AS, its query
  };
  enum class Opener : uint8_t { kGroup, kCall };
  struct Frame {
    Opener opener = Opener::kGroup;
    Clause clause = Clause::kExpression;
    Clause place = Clause::kExpression;  // kGroup: the clause that it stands in
    bool selects = false;                // a SELECT stands in it, so FROM brings tables
    bool tables = false;                 // behind FROM: a comma brings another table
    bool qualified = false;              // kCall: of schema.name
    size_t name = 0;                     // kCall: token of the name
    size_t open = 0;                     // token of the parenthesis
    uint32_t commas = 0;
  };

  void Next();
  void Open(const Token& token);
  void Close();
  void Comma();
  void Word(const Token& token);
  void From();
  void Into();
  // Reads a dotted name from at_ on; where `(` follows, a call of it.
  void Name(bool table);
  bool BeginsQuery() const;
  bool IsCallHere() const;
  bool IsOver(const Token& token) const;
  bool IsColumnsOfDerived() const;
  bool IsClauseWord(const Token& token) const;

  void NoteCall(const Frame& call, size_t arguments);
  void NoteVariable(const Token& token);
  void NoteLock(const Token& token);
  bool IsListedSafe(std::string_view schema, std::string_view name, size_t arguments) const;

  const Token& At(size_t index) const { return tokens_.list[index]; }
  bool IsAt(size_t index, TokenKind kind) const { return index < end_ && At(index).kind == kind; }
  bool IsAt(size_t index, Keyword keyword) const { return index < end_ && At(index).Is(keyword); }
  bool Follows(Keyword keyword) const { return at_ > begin_ && At(at_ - 1).Is(keyword); }
  bool IsSpelled(size_t index, std::string_view what) const {
    return index < end_ && tokens_.Spelling(At(index)) == what;
  }

  const Tokens& tokens_;
  const Reading& reading_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
  std::vector<Frame> frames_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t at_ = 0;
  size_t derived_end_ = 0;  // the `)` of the last derived table; 0: there is none
  bool definition_ = false;
  bool planned_ = false;
  bool writes_ = false;
};

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_SCAN_H_
