// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/token.h"

#include <algorithm>
#include <iterator>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::sqlite {
namespace {

struct KeywordRow {
  std::string_view name;
  bool reserved;
};

constexpr KeywordRow kKeywords[] = {{"", false},
#define BRIDGEKEEPER_SQLITE_KEYWORD(enumerator, name, reserved) {name, reserved},
                                    BRIDGEKEEPER_SQLITE_KEYWORDS(BRIDGEKEEPER_SQLITE_KEYWORD)
#undef BRIDGEKEEPER_SQLITE_KEYWORD
};
static_assert(std::is_sorted(std::begin(kKeywords), std::end(kKeywords),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

constexpr size_t kLongestKeyword = 17;  // CURRENT_TIMESTAMP

bool StartsWord(char c) { return IsAsciiLetter(c) || c == '_' || IsBeyondAscii(c); }
bool IsWordByte(char c) { return StartsWord(c) || IsAsciiDigit(c) || c == '$'; }

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) { tokens_.text = text; }

  Tokens Run() && {
    while (at_ < text_.size() && tokens_.error.empty()) Next();
    return std::move(tokens_);
  }

 private:
  // The byte `ahead` of the current one; NUL past the end, as SQLite sees it.
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Fail(std::string_view why) {
    tokens_.error_position = at_;
    tokens_.error = why;
  }

  void Add(TokenKind kind, size_t size, Keyword keyword = Keyword::kNone) {
    tokens_.list.push_back(
        {static_cast<uint32_t>(at_), static_cast<uint32_t>(size), kind, keyword});
    at_ += size;
  }

  void Next() {
    const char c = Peek();
    // A vertical tab is white space only after other white space.
    if (IsAsciiSpace(c) && c != '\v') {
      while (at_ < text_.size() && IsAsciiSpace(text_[at_])) ++at_;
    } else if (c == '-' && Peek(1) == '-') {
      // A carriage return does not end it.
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && Peek(1) == '*' && at_ + 2 < text_.size()) {
      // `/*/` does not close itself; the end of the text closes it.
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() : end + 2;
    } else if ((c == 'x' || c == 'X') && Peek(1) == '\'') {
      Blob();
    } else if (text_.substr(at_).starts_with(kByteOrderMark)) {
      // White space for some releases, a letter for others.
      Fail("got a byte order mark");
    } else if (StartsWord(c)) {
      Word();
    } else if (IsAsciiDigit(c) || (c == '.' && IsAsciiDigit(Peek(1)))) {
      Number();
    } else if (c == '\'' || c == '"' || c == '`') {
      Quoted(c);
    } else if (c == '[') {
      const size_t end = text_.find(']', at_);
      if (end == text_.npos) return Fail("got a name in [brackets] without its end");
      Add(TokenKind::kQuoted, end + 1 - at_);
    } else if (c == '?') {
      size_t size = 1;
      while (IsAsciiDigit(Peek(size))) ++size;
      Add(TokenKind::kVariable, size);
    } else if (c == '$' || c == '@' || c == ':' || c == '#') {
      Variable();
    } else {
      Symbol(c);
    }
  }

  void Word() {
    size_t size = 1;
    while (IsWordByte(Peek(size))) ++size;
    Add(TokenKind::kWord, size, FindKeyword(text_.substr(at_, size)));
  }

  void Blob() {
    size_t size = 2;
    while (IsHexDigit(Peek(size))) ++size;
    if (Peek(size) != '\'' || size % 2 != 0) return Fail("got a blob that is not hexadecimal");
    Add(TokenKind::kBlob, size + 1);
  }

  void Number() {
    size_t size = 0;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') && IsHexDigit(Peek(2))) {
      size = 3;
      while (IsHexDigit(Peek(size)) || Peek(size) == '_') ++size;
    } else {
      // Digit separators are a later release's; 3.40 refuses the number.
      const auto digits = [&] {
        while (IsAsciiDigit(Peek(size)) || Peek(size) == '_') ++size;
      };
      digits();
      if (Peek(size) == '.') {
        ++size;
        digits();
      }
      if (Peek(size) == 'e' || Peek(size) == 'E') {
        const size_t sign = Peek(size + 1) == '+' || Peek(size + 1) == '-' ? 1 : 0;
        if (IsAsciiDigit(Peek(size + 1 + sign))) {
          size += 1 + sign;
          digits();
        }
      }
    }
    // Hexadecimal digits may be followed by a name in 3.40; nobody writes that.
    if (IsWordByte(Peek(size))) return Fail("got a number that runs into a name");
    Add(TokenKind::kNumber, size);
  }

  void Quoted(char quote) {
    size_t end = at_ + 1;
    while (true) {
      end = text_.find(quote, end);
      if (end == text_.npos) {
        return Fail(quote == '\'' ? "got a string without its end"
                                  : "got a quoted name without its end");
      }
      if (end + 1 >= text_.size() || text_[end + 1] != quote) break;
      end += 2;
    }
    Add(quote == '\'' ? TokenKind::kString : TokenKind::kQuoted, end + 1 - at_);
  }

  // `$a::b(c)` takes what is in the parentheses, quotes and semicolons too.
  void Variable() {
    size_t size = 1;
    size_t letters = 0;
    while (true) {
      const char c = Peek(size);
      if (IsWordByte(c)) {
        ++letters;
        ++size;
      } else if (c == ':' && Peek(size + 1) == ':') {
        size += 2;
      } else if (c == '(' && letters > 0) {
        do ++size;
        while (Peek(size) != '\0' && !IsAsciiSpace(Peek(size)) && Peek(size) != ')');
        if (Peek(size) != ')') return Fail("got a variable without its `)`");
        ++size;
        break;
      } else {
        break;
      }
    }
    if (letters == 0) return Fail("got a variable without a name");
    Add(TokenKind::kVariable, size);
  }

  void Symbol(char c) {
    switch (c) {
      case '(':
        return Add(TokenKind::kOpen, 1);
      case ')':
        return Add(TokenKind::kClose, 1);
      case ',':
        return Add(TokenKind::kComma, 1);
      case '.':
        return Add(TokenKind::kDot, 1);
      case ';':
        return Add(TokenKind::kSemicolon, 1);
      default:
        break;
    }
    static constexpr std::string_view kOperators[] = {
        "->>", "->", "==", "<=", "<>", "<<", ">=", ">>", "!=", "||", "=",
        "<",   ">",  "|",  "+",  "-",  "*",  "/",  "%",  "&",  "~"};
    for (const std::string_view op : kOperators) {
      if (text_.substr(at_).starts_with(op)) return Add(TokenKind::kOperator, op.size());
    }
    Fail("got a byte that begins no token");
  }

  std::string_view text_;
  size_t at_ = 0;
  Tokens tokens_;
};

}  // namespace

Keyword FindKeyword(std::string_view word) {
  if (word.size() > kLongestKeyword) return Keyword::kNone;
  char upper[kLongestKeyword];
  std::transform(word.begin(), word.end(), upper, ToAsciiUpper);
  const std::string_view name(upper, word.size());
  const auto* const row =
      std::lower_bound(std::begin(kKeywords), std::end(kKeywords), name,
                       [](const KeywordRow& a, std::string_view b) { return a.name < b; });
  if (row == std::end(kKeywords) || row->name != name) return Keyword::kNone;
  return static_cast<Keyword>(row - kKeywords);
}

bool IsReserved(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword)].reserved; }

std::string_view NameOf(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword)].name; }

std::string Tokens::Name(const Token& token) const {
  const std::string_view spelling = Spelling(token);
  if (token.kind != TokenKind::kQuoted && token.kind != TokenKind::kString) {
    return AsciiLower(spelling);
  }
  const char quote = spelling.front() == '[' ? ']' : spelling.front();
  std::string name;
  for (size_t i = 1; i + 1 < spelling.size(); ++i) {
    name.push_back(spelling[i]);
    if (spelling[i] == quote && quote != ']') ++i;
  }
  return AsciiLower(name);
}

Tokens Tokenize(std::string_view text) { return Tokenizer(text).Run(); }

}  // namespace bridgekeeper::sqlite
