// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The tokens of a DuckDB text, cut where DuckDB 1.5 cuts them. Stricter than its
// scanner: a byte outside quotes and comments that is not ASCII (DuckDB takes some
// such characters for spaces) and a string form that is not used are errors.
//
// Source: DuckDB's scan.l (PostgreSQL's, with nested comments and a carriage return
// that ends a line comment), checked against the linked library by the soundness
// test.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_TOKEN_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::duckdb {

enum class TokenKind : uint8_t {
  kWord,        // a keyword or a name without quotes
  kQuotedName,  // "x"
  kString,      // 'x', E'x', $$x$$
  kNumber,
  kParameter,  // ?, $1, $name
  kSymbol,     // one byte of anything else: an operator is several
};

struct Token {
  TokenKind kind;
  size_t begin;
  size_t end;
};

struct Tokens {
  std::string_view text;
  std::vector<Token> tokens;
  std::string error;  // empty: the text was cut
  size_t error_position = 0;

  std::string_view raw(size_t i) const {
    return text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
  }
  // A word without quotes equals `lower`, ASCII case ignored.
  bool IsWord(size_t i, std::string_view lower) const;
  bool IsSymbol(size_t i, char symbol) const;
  // What a name or a plain string stands for: without its quotes, a word in lower
  // case. E and dollar strings: as they stand.
  std::string Value(size_t i) const;
  // A name, quoted or not.
  bool IsName(size_t i) const;
};

Tokens Tokenize(std::string_view text);

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_TOKEN_H_
