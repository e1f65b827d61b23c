// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/token.h"

#include <algorithm>
#include <utility>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::mysql {
namespace {

bool IsControl(char c) { return (c >= '\0' && c < ' ') || c == '\x7F'; }
bool IsWordByte(char c) {
  return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '_' || c == '$' || IsBeyondAscii(c);
}

// White space for a session whose character set is a single-byte one, a letter for
// the others.
constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Tokenizer {
 public:
  Tokenizer(std::string_view text, const Reading& reading) : text_(text), reading_(reading) {
    tokens_.text = text;
  }

  Tokens Run() && {
    while (at_ < text_.size() && tokens_.error.empty()) Next();
    if (tokens_.error.empty() && in_code_comment_) {
      at_ = code_comment_;
      Unterminated("got an executable comment without its end");
    }
    return std::move(tokens_);
  }

 private:
  // The byte `ahead` of the current one; NUL past the end, as the server sees it.
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Fail(std::string_view why) {
    tokens_.error_position = at_;
    tokens_.error = why;
  }
  void Refused(std::string_view why) {
    Fail(why);
    tokens_.refusal = Refusal::kServer;
  }
  void Unterminated(std::string_view why) {
    Fail(why);
    tokens_.refusal = Refusal::kEverywhere;
  }

  void Add(TokenKind kind, size_t size, Keyword keyword = Keyword::kNone) {
    tokens_.list.push_back(
        {static_cast<uint32_t>(at_), static_cast<uint32_t>(size), kind, keyword});
    at_ += size;
  }

  const Token* Last() const { return tokens_.list.empty() ? nullptr : &tokens_.list.back(); }
  bool LastTouches() const { return Last() != nullptr && Last()->begin + Last()->size == at_; }

  void Next() {
    const char c = Peek();
    if (IsAsciiSpace(c)) {
      ++at_;
    } else if (c == '#' ||
               (c == '-' && Peek(1) == '-' && (IsAsciiSpace(Peek(2)) || IsControl(Peek(2))))) {
      LineComment();
    } else if (c == '/' && Peek(1) == '*') {
      Comment();
    } else if (in_code_comment_ && c == '*' && Peek(1) == '/') {
      in_code_comment_ = false;
      at_ += 2;
    } else if ((c == 'x' || c == 'X' || c == 'b' || c == 'B') && Peek(1) == '\'') {
      Binary(c == 'x' || c == 'X');
    } else if ((c == 'n' || c == 'N') && Peek(1) == '\'') {
      Quoted(1, TokenKind::kString);
    } else if (IsWordByte(c) || (c == '.' && IsAsciiDigit(Peek(1)))) {
      WordOrNumber();
    } else if (c == '\'') {
      Quoted(0, TokenKind::kString);
    } else if (c == '"') {
      Quoted(0, reading_.ansi_quotes ? TokenKind::kQuoted : TokenKind::kString);
    } else if (c == '`') {
      Quoted(0, TokenKind::kQuoted);
    } else if (c == '@') {
      Variable();
    } else {
      Symbol(c);
    }
  }

  // To the end of the line; a carriage return does not end it.
  void LineComment() {
    // For the server it swallows the `*/` too; for whoever takes the outer one for a
    // comment it does not.
    if (in_code_comment_) return Fail("got a comment inside of an executable comment");
    at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void Comment() {
    if (in_code_comment_) return Fail("got a comment inside of an executable comment");
    const char mark = Peek(2);
    // MySQL's, MariaDB's, and `/*T!` of a server that speaks MySQL's protocol.
    const size_t head = mark == '!' ? 3 : (IsAsciiLetter(mark) && Peek(3) == '!' ? 4 : 0);
    if (head > 0) return CodeComment(head);
    const size_t end = text_.find("*/", at_ + 2);
    if (end == text_.npos) return Unterminated("got a comment without its end");
    const std::string_view body = text_.substr(at_ + 2, end - at_ - 2);
    if (mark != '+') {
      at_ = end + 2;  // it does not nest, and `/*/` does not close itself
      return;
    }
    // Hints are tokens of a grammar of their own, where a quote may hold the `*/`.
    if (body.find_first_of("'\"`") != body.npos) {
      return Fail("got a quote in an optimizer hint");
    }
    const size_t size = end + 2 - at_;
    tokens_.hints.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(size)});
    at_ += size;
  }

  void CodeComment(size_t head) {
    size_t digits = 0;
    while (IsAsciiDigit(Peek(head + digits))) ++digits;
    // Servers differ in what they do with others.
    if (digits != 0 && digits != 5 && digits != 6) {
      return Fail("got an executable comment whose version has neither five nor six digits");
    }
    const size_t number = tokens_.versions.size();
    const Version version =
        number < reading_.versions.size() ? reading_.versions[number] : Version::kCode;
    tokens_.versions.push_back(version);
    tokens_.choices.push_back(digits == 6 ? 3 : 2);
    if (version != Version::kComment) {
      in_code_comment_ = true;
      code_comment_ = at_;
      at_ += head + (version == Version::kCodeFiveDigits ? 5 : digits);
      return;
    }
    const size_t end = text_.find("*/", at_ + head);
    if (end == text_.npos) return Unterminated("got an executable comment without its end");
    // A server that skips it counts nested comments; others do not.
    const size_t nested = text_.substr(0, end).find("/*", at_ + head);
    if (nested != text_.npos) return Fail("got a comment inside of an executable comment");
    at_ = end + 2;
  }

  void Binary(bool hexadecimal) {
    size_t size = 2;
    while (hexadecimal ? IsHexDigit(Peek(size)) : (Peek(size) == '0' || Peek(size) == '1')) ++size;
    if (Peek(size) != '\'' || (hexadecimal && size % 2 != 0)) {
      return Refused("got a literal whose digits do not fit");
    }
    Add(TokenKind::kString, size + 1);
  }

  // From the quote, `prefix` bytes ahead, to its end.
  void Quoted(size_t prefix, TokenKind kind) {
    const char quote = Peek(prefix);
    const bool escapes = kind == TokenKind::kString && reading_.backslash_escapes;
    for (size_t i = at_ + prefix + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\' && escapes) {
        ++i;
      } else if (text_[i] == quote) {
        if (i + 1 < text_.size() && text_[i + 1] == quote) {
          ++i;
        } else {
          return Add(kind, i + 1 - at_);
        }
      }
    }
    Unterminated(kind == TokenKind::kString ? "got a string without its end"
                                            : "got a quoted name without its end");
  }

  void WordOrNumber() {
    const bool after_dot = LastTouches() && Last()->kind == TokenKind::kDot;
    // `db.2024_sales`: behind a name's dot all is name. Behind a quoted name, and
    // behind white space, servers take `.2024` for a number.
    if (Peek() == '.') {
      if (Last() != nullptr &&
          (Last()->kind == TokenKind::kQuoted ||
           (Last()->kind == TokenKind::kWord && (LastTouches() || !IsReserved(Last()->keyword))))) {
        if (Last()->kind == TokenKind::kWord && LastTouches()) return Add(TokenKind::kDot, 1);
        return Fail("got a number behind a name");
      }
      return Number();
    }
    size_t size = 0;
    bool digits = true;
    while (IsWordByte(Peek(size))) digits &= IsAsciiDigit(Peek(size++));
    const std::string_view word = text_.substr(at_, size);
    if (word.find(kNoBreakSpace) != word.npos) {
      return Fail("got a no-break space, which some sessions take for white space");
    }
    if (word.find(kByteOrderMark) != word.npos) return Fail("got a byte order mark");
    if (!after_dot && IsAsciiDigit(word[0])) {
      // `1e5x`, too, fails as a number.
      if (digits || IsHexOrBits(word) || IsExponent(word, size)) return Number();
      return Add(TokenKind::kWord, size);  // `1st`: a name may begin with a digit
    }
    // Directly before a dot and a letter a word is always a name.
    const bool before_name = Peek(size) == '.' && IsWordByte(Peek(size + 1));
    Add(TokenKind::kWord, size, after_dot || before_name ? Keyword::kNone : FindKeyword(word));
  }

  // `0x1F` and `0b01`; the prefix is in lower case.
  static bool IsHexOrBits(std::string_view word) {
    if (word.size() < 3 || word[0] != '0') return false;
    const auto digits = word.substr(2);
    if (word[1] == 'x') return std::all_of(digits.begin(), digits.end(), IsHexDigit);
    return word[1] == 'b' && digits.find_first_not_of("01") == digits.npos;
  }

  // `1e5`, and the `1e` of `1e-5`.
  bool IsExponent(std::string_view word, size_t size) const {
    const size_t e = word.find_first_not_of("0123456789");
    if (word[e] != 'e' && word[e] != 'E') return false;
    if (e + 1 == word.size()) {
      return (Peek(size) == '+' || Peek(size) == '-') && IsAsciiDigit(Peek(size + 1));
    }
    return IsAsciiDigit(word[e + 1]);
  }

  void Number() {
    size_t size = 0;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'b') && IsHexDigit(Peek(2))) {
      size = 3;
      while (IsHexDigit(Peek(size))) ++size;
    } else {
      const auto digits = [&] {
        while (IsAsciiDigit(Peek(size))) ++size;
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
    // `1.5x` and `1.e(` are cut in ways that nobody writes on purpose.
    if (IsWordByte(Peek(size)) || Peek(size) == '.') {
      return Fail("got a number that runs into a name");
    }
    Add(TokenKind::kNumber, size);
  }

  // @name @`name` @'name' @"name", and @@ with all that belongs to it.
  void Variable() {
    const bool system = Peek(1) == '@';
    size_t size = system ? 2 : 1;
    if (!system && (Peek(size) == '\'' || Peek(size) == '"' || Peek(size) == '`')) {
      const char quote = Peek(size);
      // Servers differ in whether a backslash escapes here.
      for (++size; Peek(size) != quote || Peek(size + 1) == quote; ++size) {
        if (at_ + size >= text_.size()) return Unterminated("got a variable without its end");
        if (Peek(size) == '\\') return Fail("got a backslash in the name of a variable");
        if (Peek(size) == quote) ++size;
      }
      return Add(TokenKind::kVariable, size + 1);
    }
    const size_t name = size;
    bool quoted = false;
    while (IsWordByte(Peek(size)) || Peek(size) == '.' || (system && Peek(size) == '`') ||
           (quoted && at_ + size < text_.size())) {
      quoted ^= system && Peek(size) == '`';
      ++size;
    }
    if (quoted) return Unterminated("got a variable without its end");
    if (size == name) return Fail("got a variable without a name");
    Add(system ? TokenKind::kSystemVariable : TokenKind::kVariable, size);
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
      case '?':
        return Add(TokenKind::kParameter, 1);
      case '\\':
        // `\G`, `\!` and their kind are commands of the client; `\N` is NULL for some.
        if (Peek(1) == 'N') return Fail("got \\N, which newer servers do not read");
        return Refused("got a backslash outside of quotes: a command of the mysql client");
      default:
        break;
    }
    if (c == ':' && Peek(1) == '=') return Add(TokenKind::kAssign, 2);
    static constexpr std::string_view kOperators[] = {
        "<=>", "->>", "->", "<=", "<>", "<<", ">=", ">>", "!=", "||", "&&", "=", "<",
        ">",   "|",   "+",  "-",  "*",  "/",  "%",  "&",  "~",  "^",  "!",  "{", "}"};
    for (const std::string_view op : kOperators) {
      if (text_.substr(at_).starts_with(op)) return Add(TokenKind::kOperator, op.size());
    }
    Refused("got a byte that begins no token");
  }

  std::string_view text_;
  const Reading& reading_;
  size_t at_ = 0;
  // Within an executable comment that is code, which begins at code_comment_.
  bool in_code_comment_ = false;
  size_t code_comment_ = 0;
  Tokens tokens_;
};

}  // namespace

std::string Tokens::Name(const Token& token) const {
  const std::string_view spelling = Spelling(token);
  if (token.kind != TokenKind::kQuoted) return std::string(spelling);
  std::string name;
  for (size_t i = 1; i + 1 < spelling.size(); ++i) {
    name.push_back(spelling[i]);
    if (spelling[i] == spelling.front()) ++i;
  }
  return name;
}

std::string Tokens::LowerName(const Token& token) const { return AsciiLower(Name(token)); }

Tokens Tokenize(std::string_view text, const Reading& reading) {
  return Tokenizer(text, reading).Run();
}

}  // namespace bridgekeeper::mysql
