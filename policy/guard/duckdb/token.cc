// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/token.h"

#include <algorithm>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::duckdb {
namespace {

bool IsWordStart(char c) { return IsAsciiLetter(c) || c == '_'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsAsciiDigit(c) || c == '$'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) { out_.text = text; }

  Tokens Scan() {
    while (out_.error.empty() && at_ < out_.text.size()) Next();
    return std::move(out_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < out_.text.size() ? out_.text[at_ + ahead] : '\0';
  }

  void Fail(std::string_view what, size_t position) {
    out_.error = what;
    out_.error_position = position;
  }

  void Add(TokenKind kind, size_t begin) { out_.tokens.push_back({kind, begin, at_}); }

  void Next() {
    const char c = Peek();
    const size_t begin = at_;
    if (IsAsciiSpace(c)) {
      ++at_;
    } else if (c == '-' && Peek(1) == '-') {
      at_ = std::min(out_.text.find_first_of("\r\n", at_), out_.text.size());
    } else if (c == '/' && Peek(1) == '*') {
      SkipComment();
    } else if (c == '\'') {
      Quoted('\'', false, begin, TokenKind::kString);
    } else if (c == '"') {
      Quoted('"', false, begin, TokenKind::kQuotedName);
    } else if (Peek(1) == '\'' && (c == 'e' || c == 'E')) {
      ++at_;
      Quoted('\'', true, begin, TokenKind::kString);
    } else if ((Peek(1) == '\'' && IsWordStart(c)) ||
               ((c == 'u' || c == 'U') && Peek(1) == '&' && (Peek(2) == '\'' || Peek(2) == '"'))) {
      Fail("a string with a prefix that is not read", begin);
    } else if (IsWordStart(c)) {
      while (IsWordPart(Peek())) ++at_;
      Add(TokenKind::kWord, begin);
    } else if (IsAsciiDigit(c) || (c == '.' && IsAsciiDigit(Peek(1)))) {
      Number(begin);
    } else if (c == '$') {
      Dollar(begin);
    } else if (c == '?') {
      ++at_;
      Add(TokenKind::kParameter, begin);
    } else if (c > ' ' && c < '\x7F') {
      ++at_;
      Add(TokenKind::kSymbol, begin);
    } else {
      Fail("a character that is not ASCII outside quotes", begin);
    }
  }

  // Comments nest.
  void SkipComment() {
    const size_t begin = at_;
    int depth = 0;
    do {
      if (at_ + 1 >= out_.text.size()) return Fail("a comment without its end", begin);
      if (Peek() == '/' && Peek(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (Peek() == '*' && Peek(1) == '/') {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0);
  }

  // At the opening quote. A quote is doubled to stand for itself.
  void Quoted(char quote, bool backslashes, size_t begin, TokenKind kind) {
    for (++at_; at_ < out_.text.size(); ++at_) {
      if (backslashes && Peek() == '\\') {
        ++at_;
      } else if (Peek() == quote) {
        if (Peek(1) != quote) {
          ++at_;
          return Add(kind, begin);
        }
        ++at_;
      }
    }
    Fail("a quote without its end", begin);
  }

  void Number(size_t begin) {
    // Digits, letters of a base, an exponent's sign: what follows is never a name.
    while (IsWordPart(Peek()) || Peek() == '.' ||
           ((Peek() == '+' || Peek() == '-') && (out_.text[at_ - 1] | 0x20) == 'e' &&
            IsAsciiDigit(Peek(1)))) {
      if (Peek() == '$') return Fail("a number that runs into a name", begin);
      ++at_;
    }
    const std::string_view number = out_.text.substr(begin, at_ - begin);
    const bool based = number.size() > 1 && number[0] == '0' && IsWordStart(number[1]);
    const bool plain = std::all_of(number.begin(), number.end(), [](char c) {
      return IsAsciiDigit(c) || c == '.' || c == '_' || c == 'e' || c == 'E' || c == '+' ||
             c == '-';
    });
    // `1e5e` and `1from` are two tokens to some scanners.
    const auto exponents =
        std::count_if(number.begin(), number.end(), [](char c) { return c == 'e' || c == 'E'; });
    if (!based &&
        (!plain || exponents > 1 || (number.back() | 0x20) == 'e' || number.back() == '_')) {
      return Fail("a number that runs into a name", begin);
    }
    Add(TokenKind::kNumber, begin);
  }

  // A parameter or a dollar quote.
  void Dollar(size_t begin) {
    size_t end = at_ + 1;
    while (end < out_.text.size() && IsWordPart(out_.text[end]) && out_.text[end] != '$') ++end;
    if (end < out_.text.size() && out_.text[end] == '$') {
      const std::string_view tag = out_.text.substr(at_, end + 1 - at_);
      if (tag.size() > 2 && IsAsciiDigit(tag[1]))
        return Fail("a dollar sign that is not read", begin);
      const size_t close = out_.text.find(tag, end + 1);
      if (close == std::string_view::npos) return Fail("a quote without its end", begin);
      at_ = close + tag.size();
      return Add(TokenKind::kString, begin);
    }
    if (end == at_ + 1) return Fail("a dollar sign that is not read", begin);
    at_ = end;
    Add(TokenKind::kParameter, begin);
  }

  Tokens out_;
  size_t at_ = 0;
};

}  // namespace

bool Tokens::IsWord(size_t i, std::string_view lower) const {
  return i < tokens.size() && tokens[i].kind == TokenKind::kWord && AsciiLower(raw(i)) == lower;
}

bool Tokens::IsSymbol(size_t i, char symbol) const {
  return i < tokens.size() && tokens[i].kind == TokenKind::kSymbol &&
         text[tokens[i].begin] == symbol;
}

bool Tokens::IsName(size_t i) const {
  return i < tokens.size() &&
         (tokens[i].kind == TokenKind::kWord || tokens[i].kind == TokenKind::kQuotedName);
}

std::string Tokens::Value(size_t i) const {
  const std::string_view whole = raw(i);
  if (tokens[i].kind == TokenKind::kWord) return AsciiLower(whole);
  const char quote = whole[0];
  if (quote != '\'' && quote != '"') return std::string(whole);
  std::string value;
  for (size_t at = 1; at + 1 < whole.size(); ++at) {
    if (whole[at] == quote) ++at;
    value += whole[at];
  }
  return value;
}

Tokens Tokenize(std::string_view text) { return Scanner(text).Scan(); }

}  // namespace bridgekeeper::duckdb
