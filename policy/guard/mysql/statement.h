// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// One statement, held against the list of shapes that are known. What is not on the
// list is DESTRUCTIVE.
//
//   statement.cc    the list, queries, and what belongs to a session
//   data.cc         INSERT, REPLACE, UPDATE, DELETE
//   definitions.cc  CREATE, ALTER, DROP and their kin
//   show.cc         SHOW, DESCRIBE, EXPLAIN
//
// Source: policy/spec.md, clauses G10 to G14 and G30 to G33; the statements' chapters
// of the MySQL and MariaDB manuals.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_STATEMENT_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_STATEMENT_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/mysql/scan.h"
#include "policy/guard/mysql/token.h"

namespace bridgekeeper::mysql {

// The tokens [begin, end) of one statement, without its semicolon.
struct Range {
  size_t begin = 0;
  size_t end = 0;
};

// The statements of a text that are not empty. The semicolons in the body of a stored
// program end none.
std::vector<Range> SplitStatements(const Tokens& tokens);

class Statement {
 public:
  // REQUIRES: `range` is not empty.
  Statement(const Tokens& tokens, Range range, const Reading& reading, const JudgeOptions& options,
            JudgementBuilder& found);

  // Notes what it does.
  void Judge();

 private:
  // ---- tokens: statement.cc ----

  const Token& At(size_t ahead = 0) const { return tokens_.list[at_ + ahead]; }
  bool Is(Keyword keyword, size_t ahead = 0) const {
    return at_ + ahead < end_ && At(ahead).Is(keyword);
  }
  bool Is(TokenKind kind, size_t ahead = 0) const {
    return at_ + ahead < end_ && At(ahead).kind == kind;
  }
  bool IsOperator(std::string_view spelling, size_t ahead = 0) const;
  bool Skip(Keyword keyword);
  bool Skip(std::initializer_list<Keyword> keywords);
  bool SkipOneOf(std::initializer_list<Keyword> keywords);
  // From `(` to behind its `)`; to the end where there is none.
  size_t BehindGroup(size_t open) const;

  struct Name {
    size_t token = 0;
    std::string schema;  // in lower case; may be empty
    std::string name;    // in lower case

    std::string Full() const { return schema.empty() ? name : schema + "." + name; }
  };
  // `[schema.]name`; a schema that is not covered is noted.
  std::optional<Name> ReadName();
  // Notes the schema before each dot of the rest of the statement.
  void CheckSchemas();

  // ---- effects: statement.cc ----

  void Add(std::string_view kind, std::string_view object, size_t token, Risk risk,
           std::string_view why);
  void Unknown(size_t token);
  // Notes a write to `target`, unless it is only planned.
  void Write(std::string_view kind, const Name& target, Risk risk, std::string_view why);
  // Notes each reserved word from at_ to `end` that has no place there.
  void CheckWords(size_t end, std::span<const Keyword> more);
  // Checks and scans the rest of the statement.
  void Rest(std::span<const Keyword> more, Scanner::Start start = Scanner::Start::kExpression);

  // ---- statements ----
  // Each returns false where the shape is not known; then at_ is where it stopped being
  // so.

  struct Verb;
  bool JudgeVerb();
  bool Query();
  bool With();
  bool Group();
  bool Harmful(std::string_view kind, std::string_view why);
  bool Session(std::string_view why);
  bool Transact();
  bool Maintain();
  bool Checksum();
  bool LockTables();
  bool Handler();
  bool Set();
  bool Help();
  bool Use();

  bool Insert();
  bool Replace();
  bool Update();
  bool Delete();

  bool Create();
  bool CreateTable();
  bool TableOptions();
  bool CreateView();
  bool CreateIndex();
  bool CreateDatabase();
  bool CreateSequence();
  bool Alter();
  bool AlterTable();
  bool Drop();
  std::optional<Name> ReadNewName();

  bool Show();
  bool ShowCreate();
  bool ShowVariables();
  bool ShowOf(bool table);
  bool Filter();
  bool Explain();
  bool Analyze();
  bool Planned(bool runs);

  const Tokens& tokens_;
  size_t at_;
  size_t end_;
  JudgementBuilder& found_;
  Scanner scanner_;
  // Under EXPLAIN: calls count, since planning may make them; writes and locks do not.
  bool planned_ = false;
};

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_STATEMENT_H_
