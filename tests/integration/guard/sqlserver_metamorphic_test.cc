// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold of every Transact-SQL text: another way to write it is judged no
// better, and more of it never makes it SAFE. The texts are the vectors'.
//
// Source: policy/spec.md, clauses G1, G13 and G40 to G43.

#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/guard.h"
#include "policy/guard/sqlserver/token.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

using sqlserver::Token;
using sqlserver::TokenKind;
using sqlserver::Tokens;

Judgement Judge(const std::string& text, const JudgeOptions& options) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  return guard->JudgeText("sqlserver", text, options);
}

struct Case {
  GuardVector vector;
  Tokens tokens;  // of vector.sql
  Judgement judgement;

  bool IsQuery() const {
    return tokens.IsWord(tokens.list[0], "SELECT") || tokens.list[0].kind == TokenKind::kOpen;
  }
  bool HasGo() const {
    for (const Token& token : tokens.list) {
      if (token.kind == TokenKind::kGo) return true;
    }
    return false;
  }
};

// The vectors that are one readable statement.
const std::vector<std::unique_ptr<const Case>>& Cases() {
  static const auto& cases = *[] {
    auto* made = new std::vector<std::unique_ptr<const Case>>;
    for (GuardVector& vector : LoadGuardVectors("sqlserver")) {
      if (vector.error != Judgement::Error::kNone) continue;
      auto one = std::make_unique<Case>();
      one->vector = std::move(vector);
      one->tokens = sqlserver::Tokenize(one->vector.sql);
      one->judgement = Judge(one->vector.sql, one->vector.options);
      made->push_back(std::move(one));
    }
    return made;
  }();
  return cases;
}

// The tokens with `between` around each, changed by `spell`.
template <typename Spell>
std::string Write(const Case& one, std::string_view between, const Spell& spell) {
  std::string text(between);
  for (const Token& token : one.tokens.list) {
    if (token.kind == TokenKind::kGo) continue;
    text += spell(token);
    text += between;
  }
  return text;
}

std::string Write(const Case& one, std::string_view between) {
  return Write(one, between,
               [&](const Token& token) { return std::string(one.tokens.Spelling(token)); });
}

void ExpectNoBetter(const Case& from, const std::string& text) {
  const Judgement judgement = Judge(text, from.vector.options);
  EXPECT_FALSE(MoreHarmful(from.judgement.risk, judgement.risk))
      << from.vector.name << ": got " << Name(judgement.risk) << ", want at least "
      << Name(from.judgement.risk) << "\n  of " << text;
}

void ExpectSame(const Case& from, const std::string& text) {
  const Judgement judgement = Judge(text, from.vector.options);
  EXPECT_EQ(judgement.risk, from.judgement.risk) << from.vector.name << "\n  of " << text;
  EXPECT_EQ(judgement.error, from.judgement.error) << from.vector.name << "\n  of " << text;
  EXPECT_EQ(judgement.effects.size(), from.judgement.effects.size()) << from.vector.name;
}

TEST(SqlServerMetamorphic, WhiteSpaceAndCommentsChangeNothing) {
  for (const auto& one : Cases()) {
    for (const char* between : {" ", "\t", "/**/", " /* ' [ \" */ ", "/* a /* b */ c */"}) {
      ExpectSame(*one, Write(*one, between));
    }
    // A name GO that comes to stand alone on its line ends a batch.
    for (const char* between : {"\n", "\r\n", "--x\n", " -- it's /*\n"}) {
      ExpectNoBetter(*one, Write(*one, between));
    }
  }
}

TEST(SqlServerMetamorphic, CaseChangesNothing) {
  for (const auto& one : Cases()) {
    for (const bool upper : {false, true}) {
      ExpectSame(*one, Write(*one, " ", [&](const Token& token) {
        std::string spelling(one->tokens.Spelling(token));
        if (token.kind == TokenKind::kString) return spelling;
        for (char& c : spelling) {
          const auto byte = static_cast<unsigned char>(c);
          if (byte < 0x80) c = static_cast<char>(upper ? std::toupper(byte) : std::tolower(byte));
        }
        return spelling;
      }));
    }
  }
}

TEST(SqlServerMetamorphic, QuotesAroundANameAreJudgedNoBetter) {
  for (const auto& one : Cases()) {
    for (const auto& [open, close] : {std::pair{"[", "]"}, {"\"", "\""}}) {
      // One name at a time: a word that is no name here makes another text.
      for (const Token& quoted : one->tokens.list) {
        if (quoted.kind != TokenKind::kWord) continue;
        ExpectNoBetter(*one, Write(*one, " ", [&](const Token& token) {
          const std::string spelling(one->tokens.Spelling(token));
          return token.begin == quoted.begin ? open + spelling + close : spelling;
        }));
      }
    }
  }
}

TEST(SqlServerMetamorphic, AQueryInsideOfAnotherIsJudgedNoBetter) {
  for (const auto& one : Cases()) {
    if (!one->IsQuery() || one->HasGo()) continue;
    const std::string text = Write(*one, " ");
    for (const auto& [before, after] : {std::pair<std::string, std::string>{"(", ")"},
                                        {"SELECT * FROM (", ") AS x"},
                                        {"SELECT 1 WHERE EXISTS (", ")"},
                                        {"SELECT (", ")"},
                                        {"WITH x AS (", ") SELECT 1"},
                                        {"SELECT 1 UNION ALL ", ""},
                                        {"INSERT INTO t ", ""},
                                        {"SELECT CASE WHEN a IN (", ") THEN 1 END"}}) {
      ExpectNoBetter(*one, before + text + after);
    }
  }
}

TEST(SqlServerMetamorphic, ASecondStatementIsNeverSafe) {
  for (const auto& one : Cases()) {
    const std::string text = Write(*one, " ");
    for (const char* between : {";", " ", "\n", "/**/", "\nGO\n"}) {
      for (const char* second : {"SELECT 1",
                                 "(SELECT 1)",
                                 "DELETE FROM t",
                                 "DROP TABLE t",
                                 "TRUNCATE TABLE t",
                                 "EXEC p",
                                 "EXECUTE('x')",
                                 "INSERT t VALUES (1)",
                                 "UPDATE t SET a = 1",
                                 "WITH x AS (SELECT 1 a) DELETE x",
                                 "SHUTDOWN",
                                 "KILL 5",
                                 "WAITFOR DELAY '1'",
                                 "IF 1 = 1 DELETE FROM t",
                                 "BEGIN TRAN",
                                 "BEGIN DELETE t END",
                                 "USE x",
                                 "SET XACT_ABORT ON",
                                 "SET NOCOUNT ON",
                                 "DECLARE @a int",
                                 "RECONFIGURE",
                                 "GRANT x TO y",
                                 "BACKUP DATABASE x TO y",
                                 "DBCC x",
                                 "FETCH NEXT FROM c",
                                 "MERGE t USING u ON 1 = 1 WHEN MATCHED THEN DELETE",
                                 "RETURN",
                                 "PRINT 1",
                                 "CHECKPOINT",
                                 "REVERT",
                                 "DENY x",
                                 "BULK INSERT t FROM 'x'",
                                 "ALTER TABLE t DROP COLUMN a",
                                 "CREATE TABLE x (a int)",
                                 "RAISERROR('x', 1, 1)",
                                 "ROLLBACK",
                                 "GOTO x",
                                 "a: SELECT 1"}) {
        const std::string both = text + between + second;
        const Judgement judgement = Judge(both, one->vector.options);
        EXPECT_NE(judgement.risk, Risk::kSafe) << both;
        EXPECT_FALSE(MoreHarmful(one->judgement.risk, judgement.risk)) << both;
        // A read behind a procedure's name may be its argument, as in `p (SELECT 1)`;
        // what is not two statements is nothing that is known.
        if (judgement.error == Judgement::Error::kNone) {
          EXPECT_EQ(judgement.risk, Risk::kDestructive) << both;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bridgekeeper
