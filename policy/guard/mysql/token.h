// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The tokens of a MySQL or MariaDB text, cut where those servers cut them.
//
// Where they cut depends on the session's sql_mode and, for executable comments, on
// the server's name and version. A Reading is one such way; modes.h lists the ones
// that a text has to be judged in.
//
// Source: MySQL 5.7 and 8.0 sql/sql_lex.cc, MariaDB 10.11 sql/sql_lex.cc; MySQL
// Reference Manual, "Language Structure"; checked against a server by
// tests/integration/guard/mysql_soundness_test.cc.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_TOKEN_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/mysql/keyword.h"

namespace bridgekeeper::mysql {

// What one executable comment (`/*!50003 x */`, `/*M! x */`) is for a server.
enum class Version : uint8_t {
  kCode,            // its text, behind a version of five or six digits, is run
  kCodeFiveDigits,  // the same for a server that knows five digits only: the sixth is code
  kComment,         // the server is older, or another
};

// One way to read a text.
struct Reading {
  bool backslash_escapes = true;  // off: NO_BACKSLASH_ESCAPES
  bool ansi_quotes = false;       // "x" is a name
  // IGNORE_SPACE: `count (` calls the server's own function. Off: a stored one.
  bool ignore_space = false;
  // What each executable comment is, in the order of the text; those behind the end
  // of the list are code.
  std::vector<Version> versions;
};

enum class TokenKind : uint8_t {
  kWord,            // a name or a keyword
  kQuoted,          // `x`, and "x" where that is a name
  kString,          // 'x', "x", N'x', x'00', b'01'
  kNumber,          // 1 1.5 .5e3 0x00 0b01
  kVariable,        // @x @`x` @'x'
  kSystemVariable,  // @@x: the names behind it are part of it
  kParameter,       // ?
  kOpen,
  kClose,
  kComma,
  kDot,
  kSemicolon,
  kAssign,  // :=
  kOperator,
};

struct Token {
  uint32_t begin = 0;  // byte offset in the text
  uint32_t size = 0;   // bytes, quotes included
  TokenKind kind = TokenKind::kOperator;
  // Of a kWord that can be a keyword where it stands: no part of a dotted name.
  Keyword keyword = Keyword::kNone;

  bool Is(Keyword wanted) const { return keyword == wanted && kind == TokenKind::kWord; }
  // Is a keyword that no server takes for a name.
  bool IsReservedWord() const { return kind == TokenKind::kWord && IsReserved(keyword); }
  // May be a name: of a column, a table, a function.
  bool MayBeName() const {
    return kind == TokenKind::kQuoted || (kind == TokenKind::kWord && !IsReserved(keyword));
  }
  // Nothing stands between it and `next`.
  bool Touches(const Token& next) const { return begin + size == next.begin; }
};

enum class Refusal : uint8_t {
  kUncertain,   // some may read on
  kServer,      // every server refuses the text from there on; a client may act on it
  kEverywhere,  // a quote or a comment without its end: everyone refuses it
};

struct Tokens {
  std::string_view text;
  std::vector<Token> list;   // without white space and comments
  std::vector<Token> hints;  // comments that may be hints for the optimizer: /*+ x */
  // Where the text cannot be read, and why; empty: it can.
  size_t error_position = 0;
  std::string error;
  // What the error says of servers that read the text this way.
  Refusal refusal = Refusal::kUncertain;
  // What each executable comment was taken for, and the number of choices it had.
  std::vector<Version> versions;
  std::vector<uint8_t> choices;

  std::string_view Spelling(const Token& token) const {
    return text.substr(token.begin, token.size);
  }
  // What a kWord or kQuoted names, without quotes, as it is written.
  std::string Name(const Token& token) const;
  // The same with ASCII letters in lower case.
  std::string LowerName(const Token& token) const;
};

// REQUIRES: no NUL byte in `text`; valid UTF-8; fewer than 2^32 bytes.
Tokens Tokenize(std::string_view text, const Reading& reading);

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_TOKEN_H_
