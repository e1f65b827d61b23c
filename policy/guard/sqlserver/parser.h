// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Parser holds the statements of a text against a part of Transact-SQL's grammar and
// notes what they do. It builds no tree. Where the server's grammar is narrower (an
// expression that mixes values and conditions, a clause twice) the server refuses the
// text; what matters is that no text that the server takes is derived here as
// something that does less.
//
// A statement needs no semicolon: it ends where its grammar ends, and the word behind
// it begins another one.
//
// query.cc: queries and expressions · source.cc: what stands in FROM · data.cc:
// statements that change rows · define.cc: CREATE and ALTER · session.cc: the rest ·
// parser.cc: names, calls, and the walk over the statements.
//
// Source: policy/spec.md, clauses G4 to G16 and those of SQL Server.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_PARSER_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_PARSER_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlserver/inventory.h"
#include "policy/guard/sqlserver/token.h"

namespace bridgekeeper::sqlserver {

// Open parentheses, CASEs and queries at one time. SQL Server itself stops earlier
// (32 nested queries). Measured in sqlserver_test.cc: the deepest text takes less than
// 2 MiB of stack, of the 64 MiB that the guard's threads have.
inline constexpr int kMaxNesting = 1000;

class Parser {
 public:
  Parser(const Tokens& tokens, const JudgeOptions& options, JudgementBuilder& found)
      : tokens_(tokens), options_(options), found_(found) {}

  // Judges the whole text. Returns the number of statements; the effects are whole
  // where it is one.
  int Judge();

  // A text that the server is told to describe, and the offset of the constant it stands
  // in. To describe it the server looks up what it names: it counts as if it were run.
  struct Described {
    size_t position;
    std::string text;
  };
  const std::vector<Described>& described() const { return described_; }

  // Where the text nests deeper than kMaxNesting; nullopt: it does not.
  std::optional<size_t> too_deep() const { return too_deep_; }

 private:
  // A dotted name. A part may be empty: `db..t`.
  struct Name {
    size_t token = 0;  // of its last part
    std::vector<std::string> parts;
    bool quoted = false;  // the last part is in quotes

    const std::string& last() const { return parts.back(); }
    // The part `before` the last; empty where there is none.
    std::string Before(size_t before) const {
      return parts.size() > before ? parts[parts.size() - 1 - before] : std::string();
    }
    std::string Full() const;
  };

  struct Arguments {
    size_t count = 0;
    size_t first = 0;  // token behind `(`
    size_t end = 0;    // token of `)`
  };

  // Counts what is open; a level too many fails whatever is being read.
  class Level {
   public:
    explicit Level(Parser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool ok() const { return ok_; }

   private:
    Parser& parser_;
    bool ok_;
  };

  // ---- tokens ----

  const Token& At(size_t ahead = 0) const {
    const size_t index = at_ + ahead;
    return index < tokens_.list.size() ? tokens_.list[index] : tokens_.list.back();
  }
  bool Is(std::string_view word, size_t ahead = 0) const { return tokens_.IsWord(At(ahead), word); }
  bool Is(TokenKind kind, size_t ahead = 0) const { return At(ahead).kind == kind; }
  bool IsOperator(std::string_view op, size_t ahead = 0) const {
    return Is(TokenKind::kOperator, ahead) && tokens_.Spelling(At(ahead)) == op;
  }
  bool IsOneOf(std::initializer_list<std::string_view> words, size_t ahead = 0) const;
  bool Skip(std::string_view word) { return Is(word) && ++at_; }
  bool Skip(TokenKind kind) { return Is(kind) && ++at_; }
  bool SkipOperator(std::string_view op) { return IsOperator(op) && ++at_; }
  // All of them, one behind the other, or none.
  bool SkipWords(std::initializer_list<std::string_view> words);
  bool SkipOneOf(std::initializer_list<std::string_view> words) { return IsOneOf(words) && ++at_; }
  // From `(` to behind its `)`, whatever stands between; false where there is none.
  bool SkipGroup();
  // The rest of a statement that is judged already, up to a semicolon or GO.
  void SkipToEnd();
  // The rest of the batch: a body of statements.
  void SkipBatch();

  // ---- effects ----

  void Add(std::string_view kind, std::string_view object, size_t token, Risk risk,
           std::string_view why);
  void Unknown(size_t token);
  void NoteDoes(const std::string& object, size_t token, Does does);
  void NoteTable(const Name& name);
  void NoteCall(const Name& name, const Arguments& arguments, bool in_from);
  void NoteMethod(const Name& name, const Arguments& arguments);
  // Whether the call is one of a method of xml: only constants, and none of ours.
  bool IsXmlMethod(const Name& name, const Arguments& arguments) const;
  void NoteDatabase(const std::string& database, size_t token);
  void NoteWrite(std::string_view kind, const Name& target, Risk risk, std::string_view why);
  // `text` is the token that should be the constant to describe.
  void NoteDescribed(const Name& name, size_t text);
  bool IsListedSafe(const Name& name, size_t arguments) const;
  bool IsString(size_t token) const;

  // ---- names, types ----

  std::optional<Name> ReadName();
  bool Type();
  // `(a, b, ...)`.
  bool Columns();

  // ---- query.cc ----

  // A query with its ORDER BY, FOR and OPTION.
  bool Query();
  bool QueryExpression();
  bool SetOperations();
  bool IsSetOperation() const { return IsOneOf({"UNION", "EXCEPT", "INTERSECT"}); }
  bool QueryTail();
  bool CommonTables();
  bool Select();
  bool Top();
  bool SelectItem();
  bool GroupBy();
  bool Windows();
  bool OrderBy();
  bool ForClause();
  bool QueryHints();
  bool Over();
  bool WindowSpecification();
  bool Expressions();
  bool Expression();
  bool Operand();
  bool ReservedOperand();
  bool NamedOperand();
  bool Postfix();
  // `( query )` or `( expressions )`.
  bool Group();
  bool Case();
  bool Call(const Name& name, bool in_from);
  bool CallTail();
  bool ReadArguments(Arguments& arguments);
  bool SpecialCall(const Name& name, bool& handled);

  // ---- source.cc ----

  bool TableSources();
  bool TableSource();
  bool TablePrimary(bool applied);
  bool ParenthesizedTable();
  bool NamedTable(bool applied);
  bool ReservedTable();
  bool OpenJson();
  bool TableTail();
  bool Alias();
  bool Pivot();
  bool IsHintGroup(size_t ahead) const;
  bool TableHints();
  bool Rows();

  // ---- data.cc ----

  bool Insert();
  bool Update();
  bool Delete();
  bool Merge();
  bool MergeAction();
  bool Target(std::string_view kind, Risk risk, std::string_view why);
  bool Assignments();
  bool Output();
  bool Truncate();
  bool With();

  // ---- define.cc ----

  bool Create();
  bool CreateTable();
  bool Definitions(size_t opened);
  bool CreateView();
  bool CreateIndex();
  bool CreateSequence();
  bool CreateStatistics();
  bool Alter();
  bool Drop();
  bool Options(std::initializer_list<std::string_view> harmless);

  // ---- session.cc ----

  bool Execute();
  bool Procedure(const Name& name);
  bool Declare();
  bool Set();
  bool Use();
  bool Begin();
  bool Transact();
  bool Cursor();
  bool Print();
  bool WaitFor();
  bool Dbcc();
  bool Checkpoint();

  struct Verb {
    std::string_view word;
    // Returns false where the shape is not known; then at_ is where it stopped being so.
    // Null: whatever follows, it has the effect `kind`, DESTRUCTIVE.
    bool (*judge)(Parser&);
    std::string_view kind = {};
    std::string_view why = {};
    bool whole_batch = false;  // statements stand in it
  };
  static std::span<const Verb> Verbs();
  const Verb* FindVerb() const;
  bool Statement(bool begins_batch);

  const Tokens& tokens_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<size_t> too_deep_;
  std::vector<Described> described_;
  // What is read is stored with an object and runs later.
  bool definition_ = false;
};

}  // namespace bridgekeeper::sqlserver

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_PARSER_H_
