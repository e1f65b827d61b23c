// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The tokens of a Transact-SQL text. A text that two readers could cut differently
// is refused: a number that runs into a name, a backslash outside of a string, a
// carriage return that may or may not end a `--` comment, a line of a string or
// comment that some clients take for the end of a batch, and every character outside
// of ASCII that is no plain letter.
//
// Source: Transact-SQL reference (identifiers, constants, comments, backslash line
// continuation, reserved keywords, GO); the token rules of SQL Server's own public
// script parser.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_TOKEN_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/ascii.h"

namespace bridgekeeper::sqlserver {

enum class TokenKind : uint8_t {
  kWord,       // a name or a keyword
  kReserved,   // a keyword that is never a name without quotes
  kName,       // [x]
  kQuoted,     // "x": a name, or a string where QUOTED_IDENTIFIER is off
  kString,     // 'x' N'x'
  kNumber,     // 1 1.5e3 0x1F $1.50
  kVariable,   // @x @@x
  kPseudo,     // $action $partition
  kParameter,  // ?
  kOpen,
  kClose,
  kComma,
  kDot,
  kSemicolon,
  kOperator,
  kGo,   // a line that ends a batch for clients; never seen by the server
  kEnd,  // behind the last token
};

struct Token {
  uint32_t begin = 0;  // byte offset in the text
  uint32_t size = 0;   // bytes, quotes included
  TokenKind kind = TokenKind::kEnd;
  bool repeats = false;  // kGo: with a count

  bool MayBeName() const {
    return kind == TokenKind::kWord || kind == TokenKind::kName || kind == TokenKind::kQuoted;
  }
};

struct Tokens {
  std::string_view text;
  // Without white space and comments; the last one is kEnd.
  std::vector<Token> list;
  // Where the text stops being readable, and why; empty: it does not.
  size_t error_position = 0;
  std::string error;

  std::string_view Spelling(const Token& token) const {
    return text.substr(token.begin, token.size);
  }
  // What a token names: without quotes, ASCII letters in lower case.
  std::string Name(const Token& token) const;
  // The token is the word `upper`, in any case and without quotes.
  bool IsWord(const Token& token, std::string_view upper) const {
    if (token.size != upper.size() ||
        (token.kind != TokenKind::kWord && token.kind != TokenKind::kReserved)) {
      return false;
    }
    for (size_t i = 0; i < upper.size(); ++i) {
      if (ToAsciiUpper(text[token.begin + i]) != upper[i]) return false;
    }
    return true;
  }
};

// REQUIRES: no NUL byte in `text`, valid UTF-8, fewer than 2^32 bytes.
Tokens Tokenize(std::string_view text);

// How a name that may stand for another under some collation of the server is looked
// up: full-width forms as ASCII, characters without weight left out, and `*` for a
// letter that equals one or more plain ones where accents do not count. A name in
// ASCII is itself. REQUIRES: `name` is valid UTF-8 in lower case.
std::string FoldName(std::string_view name);

}  // namespace bridgekeeper::sqlserver

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_TOKEN_H_
