// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The tokens of an SQLite text, cut where SQLite 3.40 cuts them.
//
// Source: SQLite's tokenize.c and parse.y, checked against the linked library by
// token_test.cc.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLITE_TOKEN_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLITE_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::sqlite {

// Every keyword of SQLite, in the order of their names. The last column: reserved,
// so never a name without quotes. The others are names wherever the grammar has no
// use for the keyword.
// clang-format off
#define BRIDGEKEEPER_SQLITE_KEYWORDS(X) \
  X(kAbort, "ABORT", false) \
  X(kAction, "ACTION", false) \
  X(kAdd, "ADD", true) \
  X(kAfter, "AFTER", false) \
  X(kAll, "ALL", true) \
  X(kAlter, "ALTER", true) \
  X(kAlways, "ALWAYS", false) \
  X(kAnalyze, "ANALYZE", false) \
  X(kAnd, "AND", true) \
  X(kAs, "AS", true) \
  X(kAsc, "ASC", false) \
  X(kAttach, "ATTACH", false) \
  X(kAutoincrement, "AUTOINCREMENT", true) \
  X(kBefore, "BEFORE", false) \
  X(kBegin, "BEGIN", false) \
  X(kBetween, "BETWEEN", true) \
  X(kBy, "BY", false) \
  X(kCascade, "CASCADE", false) \
  X(kCase, "CASE", true) \
  X(kCast, "CAST", false) \
  X(kCheck, "CHECK", true) \
  X(kCollate, "COLLATE", true) \
  X(kColumn, "COLUMN", false) \
  X(kCommit, "COMMIT", true) \
  X(kConflict, "CONFLICT", false) \
  X(kConstraint, "CONSTRAINT", true) \
  X(kCreate, "CREATE", true) \
  X(kCross, "CROSS", false) \
  X(kCurrent, "CURRENT", false) \
  X(kCurrentDate, "CURRENT_DATE", false) \
  X(kCurrentTime, "CURRENT_TIME", false) \
  X(kCurrentTimestamp, "CURRENT_TIMESTAMP", false) \
  X(kDatabase, "DATABASE", false) \
  X(kDefault, "DEFAULT", true) \
  X(kDeferrable, "DEFERRABLE", true) \
  X(kDeferred, "DEFERRED", false) \
  X(kDelete, "DELETE", true) \
  X(kDesc, "DESC", false) \
  X(kDetach, "DETACH", false) \
  X(kDistinct, "DISTINCT", true) \
  X(kDo, "DO", false) \
  X(kDrop, "DROP", true) \
  X(kEach, "EACH", false) \
  X(kElse, "ELSE", true) \
  X(kEnd, "END", false) \
  X(kEscape, "ESCAPE", true) \
  X(kExcept, "EXCEPT", true) \
  X(kExclude, "EXCLUDE", false) \
  X(kExclusive, "EXCLUSIVE", false) \
  X(kExists, "EXISTS", true) \
  X(kExplain, "EXPLAIN", false) \
  X(kFail, "FAIL", false) \
  X(kFilter, "FILTER", false) \
  X(kFirst, "FIRST", false) \
  X(kFollowing, "FOLLOWING", false) \
  X(kFor, "FOR", false) \
  X(kForeign, "FOREIGN", true) \
  X(kFrom, "FROM", true) \
  X(kFull, "FULL", false) \
  X(kGenerated, "GENERATED", false) \
  X(kGlob, "GLOB", false) \
  X(kGroup, "GROUP", true) \
  X(kGroups, "GROUPS", false) \
  X(kHaving, "HAVING", true) \
  X(kIf, "IF", false) \
  X(kIgnore, "IGNORE", false) \
  X(kImmediate, "IMMEDIATE", false) \
  X(kIn, "IN", true) \
  X(kIndex, "INDEX", true) \
  X(kIndexed, "INDEXED", false) \
  X(kInitially, "INITIALLY", false) \
  X(kInner, "INNER", false) \
  X(kInsert, "INSERT", true) \
  X(kInstead, "INSTEAD", false) \
  X(kIntersect, "INTERSECT", true) \
  X(kInto, "INTO", true) \
  X(kIs, "IS", true) \
  X(kIsnull, "ISNULL", true) \
  X(kJoin, "JOIN", true) \
  X(kKey, "KEY", false) \
  X(kLast, "LAST", false) \
  X(kLeft, "LEFT", false) \
  X(kLike, "LIKE", false) \
  X(kLimit, "LIMIT", true) \
  X(kMatch, "MATCH", false) \
  X(kMaterialized, "MATERIALIZED", false) \
  X(kNatural, "NATURAL", false) \
  X(kNo, "NO", false) \
  X(kNot, "NOT", true) \
  X(kNothing, "NOTHING", true) \
  X(kNotnull, "NOTNULL", true) \
  X(kNull, "NULL", true) \
  X(kNulls, "NULLS", false) \
  X(kOf, "OF", false) \
  X(kOffset, "OFFSET", false) \
  X(kOn, "ON", true) \
  X(kOr, "OR", true) \
  X(kOrder, "ORDER", true) \
  X(kOthers, "OTHERS", false) \
  X(kOuter, "OUTER", false) \
  X(kOver, "OVER", false) \
  X(kPartition, "PARTITION", false) \
  X(kPlan, "PLAN", false) \
  X(kPragma, "PRAGMA", false) \
  X(kPreceding, "PRECEDING", false) \
  X(kPrimary, "PRIMARY", true) \
  X(kQuery, "QUERY", false) \
  X(kRaise, "RAISE", false) \
  X(kRange, "RANGE", false) \
  X(kRecursive, "RECURSIVE", false) \
  X(kReferences, "REFERENCES", true) \
  X(kRegexp, "REGEXP", false) \
  X(kReindex, "REINDEX", false) \
  X(kRelease, "RELEASE", false) \
  X(kRename, "RENAME", false) \
  X(kReplace, "REPLACE", false) \
  X(kRestrict, "RESTRICT", false) \
  X(kReturning, "RETURNING", true) \
  X(kRight, "RIGHT", false) \
  X(kRollback, "ROLLBACK", false) \
  X(kRow, "ROW", false) \
  X(kRows, "ROWS", false) \
  X(kSavepoint, "SAVEPOINT", false) \
  X(kSelect, "SELECT", true) \
  X(kSet, "SET", true) \
  X(kTable, "TABLE", true) \
  X(kTemp, "TEMP", false) \
  X(kTemporary, "TEMPORARY", false) \
  X(kThen, "THEN", true) \
  X(kTies, "TIES", false) \
  X(kTo, "TO", true) \
  X(kTransaction, "TRANSACTION", true) \
  X(kTrigger, "TRIGGER", false) \
  X(kUnbounded, "UNBOUNDED", false) \
  X(kUnion, "UNION", true) \
  X(kUnique, "UNIQUE", true) \
  X(kUpdate, "UPDATE", true) \
  X(kUsing, "USING", true) \
  X(kVacuum, "VACUUM", false) \
  X(kValues, "VALUES", true) \
  X(kView, "VIEW", false) \
  X(kVirtual, "VIRTUAL", false) \
  X(kWhen, "WHEN", true) \
  X(kWhere, "WHERE", true) \
  X(kWindow, "WINDOW", false) \
  X(kWith, "WITH", false) \
  X(kWithout, "WITHOUT", false)
// clang-format on

enum class Keyword : uint8_t {
  kNone,
#define BRIDGEKEEPER_SQLITE_KEYWORD(enumerator, name, reserved) enumerator,
  BRIDGEKEEPER_SQLITE_KEYWORDS(BRIDGEKEEPER_SQLITE_KEYWORD)
#undef BRIDGEKEEPER_SQLITE_KEYWORD
};

// The keyword that is `word`, ASCII case ignored.
Keyword FindKeyword(std::string_view word);
bool IsReserved(Keyword keyword);
std::string_view NameOf(Keyword keyword);

enum class TokenKind : uint8_t {
  kWord,    // a name or a keyword
  kQuoted,  // "x", `x`, [x]: a name
  kString,  // 'x': a string, or a name where only a name can stand
  kNumber,
  kBlob,      // x'00'
  kVariable,  // ?1 :a @a $a $a::b(c)
  kOpen,
  kClose,
  kComma,
  kDot,
  kSemicolon,
  kOperator,
};

struct Token {
  uint32_t begin = 0;  // byte offset in the text
  uint32_t size = 0;   // bytes, quotes included
  TokenKind kind = TokenKind::kOperator;
  Keyword keyword = Keyword::kNone;  // kWord only

  bool Is(Keyword wanted) const { return keyword == wanted && kind == TokenKind::kWord; }
  // Is a keyword that the grammar never takes for a name.
  bool IsReservedWord() const { return kind == TokenKind::kWord && IsReserved(keyword); }
  // May be a name: of a column, a table, a function.
  bool MayBeName() const {
    return kind == TokenKind::kQuoted || (kind == TokenKind::kWord && !IsReserved(keyword));
  }
  // May be a name where only a name can stand: of a table, an index, a PRAGMA.
  bool MayBeObjectName() const { return MayBeName() || kind == TokenKind::kString; }
};

struct Tokens {
  std::string_view text;
  std::vector<Token> list;  // without white space and comments
  // Where the text stops being SQLite, and why; empty: it does not.
  size_t error_position = 0;
  std::string error;

  std::string_view Spelling(const Token& token) const {
    return text.substr(token.begin, token.size);
  }
  // What a token names: without quotes, ASCII letters in lower case.
  std::string Name(const Token& token) const;
};

// REQUIRES: no NUL byte in `text`; fewer than 2^32 bytes.
Tokens Tokenize(std::string_view text);

}  // namespace bridgekeeper::sqlite

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLITE_TOKEN_H_
