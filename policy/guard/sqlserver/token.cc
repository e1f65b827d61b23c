// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlserver/token.h"

#include <algorithm>
#include <iterator>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::sqlserver {
namespace {

// The keywords of the Transact-SQL reference that are reserved in any release: one
// that is free in some release is no name here.
constexpr std::string_view kReserved[] = {
    "ADD",
    "ALL",
    "ALTER",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "AUTHORIZATION",
    "BACKUP",
    "BEGIN",
    "BETWEEN",
    "BREAK",
    "BROWSE",
    "BULK",
    "BY",
    "CASCADE",
    "CASE",
    "CHECK",
    "CHECKPOINT",
    "CLOSE",
    "CLUSTERED",
    "COALESCE",
    "COLLATE",
    "COLUMN",
    "COMMIT",
    "COMPUTE",
    "CONSTRAINT",
    "CONTAINS",
    "CONTAINSTABLE",
    "CONTINUE",
    "CONVERT",
    "CREATE",
    "CROSS",
    "CURRENT",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "CURSOR",
    "DATABASE",
    "DBCC",
    "DEALLOCATE",
    "DECLARE",
    "DEFAULT",
    "DELETE",
    "DENY",
    "DESC",
    "DISK",
    "DISTINCT",
    "DISTRIBUTED",
    "DOUBLE",
    "DROP",
    "DUMP",
    "ELSE",
    "END",
    "ERRLVL",
    "ESCAPE",
    "EXCEPT",
    "EXEC",
    "EXECUTE",
    "EXISTS",
    "EXIT",
    "EXTERNAL",
    "FETCH",
    "FILE",
    "FILLFACTOR",
    "FOR",
    "FOREIGN",
    "FREETEXT",
    "FREETEXTTABLE",
    "FROM",
    "FULL",
    "FUNCTION",
    "GOTO",
    "GRANT",
    "GROUP",
    "HAVING",
    "HOLDLOCK",
    "IDENTITY",
    "IDENTITYCOL",
    "IDENTITY_INSERT",
    "IF",
    "IN",
    "INDEX",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "JOIN",
    "KEY",
    "KILL",
    "LEFT",
    "LIKE",
    "LINENO",
    "LOAD",
    "MERGE",
    "NATIONAL",
    "NOCHECK",
    "NONCLUSTERED",
    "NOT",
    "NULL",
    "NULLIF",
    "OF",
    "OFF",
    "OFFSETS",
    "ON",
    "OPEN",
    "OPENDATASOURCE",
    "OPENQUERY",
    "OPENROWSET",
    "OPENXML",
    "OPTION",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PERCENT",
    "PIVOT",
    "PLAN",
    "PRECISION",
    "PRIMARY",
    "PRINT",
    "PROC",
    "PROCEDURE",
    "PUBLIC",
    "RAISERROR",
    "READ",
    "READTEXT",
    "RECONFIGURE",
    "REFERENCES",
    "REPLICATION",
    "RESTORE",
    "RESTRICT",
    "RETURN",
    "REVERT",
    "REVOKE",
    "RIGHT",
    "ROLLBACK",
    "ROWCOUNT",
    "ROWGUIDCOL",
    "RULE",
    "SAVE",
    "SCHEMA",
    "SECURITYAUDIT",
    "SELECT",
    "SEMANTICKEYPHRASETABLE",
    "SEMANTICSIMILARITYDETAILSTABLE",
    "SEMANTICSIMILARITYTABLE",
    "SESSION_USER",
    "SET",
    "SETUSER",
    "SHUTDOWN",
    "SOME",
    "STATISTICS",
    "SYSTEM_USER",
    "TABLE",
    "TABLESAMPLE",
    "TEXTSIZE",
    "THEN",
    "TO",
    "TOP",
    "TRAN",
    "TRANSACTION",
    "TRIGGER",
    "TRUNCATE",
    "TRY_CONVERT",
    "TSEQUAL",
    "UNION",
    "UNIQUE",
    "UNPIVOT",
    "UPDATE",
    "UPDATETEXT",
    "USE",
    "USER",
    "VALUES",
    "VARYING",
    "VIEW",
    "WAITFOR",
    "WHEN",
    "WHERE",
    "WHILE",
    "WITH",
    "WITHIN",
    "WRITETEXT",
};
static_assert(std::is_sorted(std::begin(kReserved), std::end(kReserved)));
constexpr size_t kLongestReserved = 30;  // SEMANTICSIMILARITYDETAILSTABLE

bool IsReserved(std::string_view word) {
  if (word.size() > kLongestReserved) return false;
  char upper[kLongestReserved];
  std::transform(word.begin(), word.end(), upper, ToAsciiUpper);
  return std::binary_search(std::begin(kReserved), std::end(kReserved),
                            std::string_view(upper, word.size()));
}

// Every control character is white space.
bool IsSpace(char c) { return c >= '\x01' && c <= ' '; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }
bool StartsWord(char c) { return IsAsciiLetter(c) || c == '_' || c == '#' || IsBeyondAscii(c); }
bool IsWordByte(char c) { return StartsWord(c) || IsAsciiDigit(c) || c == '@' || c == '$'; }

struct CodePoint {
  char32_t value;
  size_t size;
};

// The character at the front of `text`. REQUIRES: valid UTF-8, not empty.
CodePoint Decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const auto rest = [&](size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
  if (first < 0xE0) return {(static_cast<char32_t>(first & 0x1F) << 6) | rest(1), 2};
  if (first < 0xF0) {
    return {(static_cast<char32_t>(first & 0x0F) << 12) | (rest(1) << 6) | rest(2), 3};
  }
  return {(static_cast<char32_t>(first & 0x07) << 18) | (rest(1) << 12) | (rest(2) << 6) | rest(3),
          4};
}

struct CharRange {
  char32_t first;
  char32_t last;
};

template <size_t kSize>
bool Within(const CharRange (&ranges)[kSize], char32_t c) {
  return std::any_of(ranges, ranges + kSize,
                     [c](const CharRange& range) { return c >= range.first && c <= range.last; });
}

// Letters that are no other character's form and whose upper case is outside of
// ASCII: a name may hold them without quotes.
constexpr CharRange kPlainLetters[] = {
    {0x00C0, 0x00D6}, {0x00D8, 0x00F6}, {0x00F8, 0x012F}, {0x0134, 0x017E}, {0x0180, 0x024F},
    {0x0386, 0x0386}, {0x0388, 0x03FF}, {0x0400, 0x0481}, {0x048A, 0x0559}, {0x0561, 0x0587},
    {0x05D0, 0x05EA}, {0x0620, 0x064A}, {0x0671, 0x06D3}, {0x0904, 0x0939}, {0x0E01, 0x0E30},
    {0x10D0, 0x10FA}, {0x1E00, 0x1EFF}, {0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x30FC, 0x30FC},
    {0x3105, 0x312D}, {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3},
};

// What some collation gives no weight.
constexpr CharRange kWeightless[] = {
    {0x0001, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},    {0x0300, 0x036F}, {0x180E, 0x180E},
    {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x206F},    {0xE000, 0xF8FF}, {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFF}, {0x10000, 0x10FFFF},
};

// What some collation takes for one or more plain letters.
constexpr CharRange kLatinForms[] = {
    {0x00AA, 0x00AA}, {0x00B2, 0x00B3}, {0x00B9, 0x00BA}, {0x00C0, 0x024F}, {0x0250, 0x02FF},
    {0x1D00, 0x1DBF}, {0x1E00, 0x1EFF}, {0x2070, 0x209F}, {0x2100, 0x218F}, {0x2460, 0x24FF},
    {0x2C60, 0x2C7F}, {0x3200, 0x33FF}, {0xA720, 0xA7FF}, {0xFB00, 0xFB06}, {0xFF5F, 0xFFEF},
};

constexpr char32_t kFullWidthFirst = 0xFF01;
constexpr char32_t kFullWidthLast = 0xFF5E;
constexpr char32_t kFullWidthOffset = 0xFF01 - 0x21;

// Whether `line` is GO, with or without a count, for a client that looks at lines.
bool IsGoLine(std::string_view line) {
  while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
  if (line.size() < 2 || AsciiLower(line.substr(0, 2)) != "go") return false;
  line.remove_prefix(2);
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return IsSpace(c) || IsAsciiDigit(c) || c == ';'; });
}

// Whether a whole line of what stands between a pair of quotes or comment marks is
// GO. The first and the last one are not whole.
bool HoldsGoLine(std::string_view text) {
  size_t begin = text.find_first_of("\r\n");
  while (begin != text.npos) {
    const size_t end = text.find_first_of("\r\n", begin + 1);
    if (end == text.npos) return false;
    if (IsGoLine(text.substr(begin + 1, end - begin - 1))) return true;
    begin = end;
  }
  return false;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) { tokens_.text = text; }

  Tokens Run() && {
    while (at_ < text_.size() && tokens_.error.empty()) Next();
    at_ = text_.size();
    Add(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Fail(std::string_view why) {
    tokens_.error_position = at_;
    tokens_.error = why;
  }

  void Add(TokenKind kind, size_t size) {
    tokens_.list.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(size), kind});
    at_ += size;
    at_line_start_ = false;
  }

  void Next() {
    const char c = Peek();
    if (IsSpace(c)) {
      at_line_start_ |= IsLineEnd(c);
      ++at_;
    } else if (c == '-' && Peek(1) == '-') {
      LineComment();
    } else if (c == '/' && Peek(1) == '*') {
      BlockComment();
    } else if (c == '\'') {
      Quoted(TokenKind::kString, '\'', 0);
    } else if ((c == 'n' || c == 'N') && Peek(1) == '\'') {
      Quoted(TokenKind::kString, '\'', 1);
    } else if (c == '"') {
      Quoted(TokenKind::kQuoted, '"', 0);
    } else if (c == '[') {
      Quoted(TokenKind::kName, ']', 0);
    } else if (StartsWord(c)) {
      Word();
    } else if (IsAsciiDigit(c) || (c == '.' && IsAsciiDigit(Peek(1)))) {
      Number(0);
    } else if (c == '@') {
      size_t size = 1;
      while (IsWordByte(Peek(size))) ++size;
      if (size == 1 || Peek(size - 1) == '@') return Fail("got a variable without a name");
      if (!ReadsPlain(1, size)) return;
      Add(TokenKind::kVariable, size);
    } else if (c == '$') {
      Dollar();
    } else {
      Symbol(c);
    }
  }

  // Ends at a line feed. Readers do not agree on the other ends of a line, nor on a
  // backslash before it.
  void LineComment() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_of("\r\v\f") != line.npos || line.find("\xC2\x85") != line.npos ||
        line.find("\xE2\x80\xA8") != line.npos || line.find("\xE2\x80\xA9") != line.npos) {
      return Fail("got a -- comment with a character that some readers end it at");
    }
    if (line.ends_with('\\')) {
      return Fail("got a -- comment that ends in a backslash, which some readers join lines at");
    }
    at_ = end;
  }

  // Comments nest.
  void BlockComment() {
    const size_t begin = at_;
    size_t depth = 0;
    size_t at = at_;
    do {
      at = text_.find_first_of("/*", at);
      if (at == text_.npos || at + 1 >= text_.size()) return Fail("got a comment without its end");
      if (text_[at] == '/' && text_[at + 1] == '*') {
        ++depth;
        at += 2;
      } else if (text_[at] == '*' && text_[at + 1] == '/') {
        --depth;
        at += 2;
      } else {
        ++at;
      }
    } while (depth > 0);
    const std::string_view comment = text_.substr(begin, at - begin);
    if (HoldsGoLine(comment)) return FailGo();
    at_line_start_ |= comment.find_first_of("\r\n") != comment.npos;
    at_ = at;
  }

  void FailGo() {
    Fail("got a line with GO inside of quotes or a comment, which some clients end the batch at");
  }

  void Quoted(TokenKind kind, char quote, size_t prefix) {
    size_t end = at_ + prefix + 1;
    while (true) {
      end = text_.find(quote, end);
      if (end == text_.npos) {
        return Fail(kind == TokenKind::kString ? "got a string without its end"
                                               : "got a quoted name without its end");
      }
      if (end + 1 >= text_.size() || text_[end + 1] != quote) break;
      end += 2;
    }
    const std::string_view all = text_.substr(at_, end + 1 - at_);
    if (HoldsGoLine(all)) return FailGo();
    if (kind != TokenKind::kString) {
      if (all.size() == 2 && kind == TokenKind::kName) return Fail("got a name of no letters");
      if (all.find("\\\n") != all.npos || all.find("\\\r") != all.npos) {
        return Fail("got a backslash at the end of a line inside of a name");
      }
    }
    Add(kind, all.size());
  }

  // Fails where [from, to) ahead holds a character that may be read as another.
  bool ReadsPlain(size_t from, size_t to) {
    std::string_view rest = text_.substr(at_ + from, to - from);
    while (!rest.empty()) {
      const CodePoint point = Decode(rest);
      if (point.value >= 0x80 && !Within(kPlainLetters, point.value)) {
        at_ = static_cast<size_t>(rest.data() - text_.data());
        Fail("got a character outside of quotes that the server may read as another");
        return false;
      }
      rest.remove_prefix(point.size);
    }
    return true;
  }

  void Word() {
    size_t size = 1;
    while (IsWordByte(Peek(size))) ++size;
    if (!ReadsPlain(0, size)) return;
    if (at_line_start_ && size == 2 && Go()) return;
    Add(IsReserved(text_.substr(at_, size)) ? TokenKind::kReserved : TokenKind::kWord, size);
  }

  // GO alone on its line, with a count, a semicolon or a comment behind it.
  bool Go() {
    const std::string_view line = text_.substr(at_, text_.find_first_of("\r\n", at_) - at_);
    const std::string_view code = line.substr(0, std::min(line.find("--"), line.find("/*")));
    if (!IsGoLine(code)) return false;
    const bool repeats = std::any_of(code.begin(), code.end(), IsAsciiDigit);
    Add(TokenKind::kGo, code.size());
    tokens_.list.back().repeats = repeats;
    return true;
  }

  // At the first digit, or the point, `prefix` bytes ahead.
  void Number(size_t prefix) {
    size_t size = prefix;
    if (Peek(size) == '0' && (Peek(size + 1) == 'x' || Peek(size + 1) == 'X')) {
      size += 2;
      while (true) {
        if (IsHexDigit(Peek(size))) {
          ++size;
        } else if (Peek(size) == '\\' &&
                   (Peek(size + 1) == '\n' || (Peek(size + 1) == '\r' && Peek(size + 2) == '\n'))) {
          size += Peek(size + 1) == '\n' ? 2 : 3;
        } else {
          break;
        }
      }
    } else {
      while (IsAsciiDigit(Peek(size))) ++size;
      if (Peek(size) == '.') {
        ++size;
        while (IsAsciiDigit(Peek(size))) ++size;
      }
      // An exponent needs no digits: `1e` is a number, whatever follows.
      if (Peek(size) == 'e' || Peek(size) == 'E') {
        ++size;
        if (Peek(size) == '+' || Peek(size) == '-') ++size;
        if (!IsAsciiDigit(Peek(size))) return Fail("got a number without its exponent");
        while (IsAsciiDigit(Peek(size))) ++size;
      }
    }
    // `1DELETE` is a number and a statement for the server.
    if (IsWordByte(Peek(size)) || Peek(size) == '.')
      return Fail("got a number that runs into a name");
    Add(TokenKind::kNumber, size);
  }

  // `$1`, `$-1`, `$action`.
  void Dollar() {
    size_t size = 1;
    if (IsAsciiLetter(Peek(1)) || Peek(1) == '_') {
      while (IsWordByte(Peek(size))) ++size;
      if (!ReadsPlain(1, size)) return;
      return Add(TokenKind::kPseudo, size);
    }
    if (Peek(size) == '-' || Peek(size) == '+') ++size;
    if (!IsAsciiDigit(Peek(size)) && !(Peek(size) == '.' && IsAsciiDigit(Peek(size + 1)))) {
      return Fail("got a `$` that begins no token");
    }
    Number(size);
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
      default:
        break;
    }
    static constexpr std::string_view kOperators[] = {
        "||=", "::", "<=", "<>", "<<", ">=", ">>", "!=", "!<", "!>", "+=", "-=",
        "*=",  "/=", "%=", "&=", "|=", "^=", "||", "=",  "<",  ">",  "+",  "-",
        "*",   "/",  "%",  "&",  "|",  "^",  "~",  ":",  "{",  "}"};
    for (const std::string_view op : kOperators) {
      if (text_.substr(at_).starts_with(op)) return Add(TokenKind::kOperator, op.size());
    }
    Fail("got a byte that begins no token");
  }

  std::string_view text_;
  size_t at_ = 0;
  bool at_line_start_ = true;  // no token yet on this line
  Tokens tokens_;
};

}  // namespace

std::string Tokens::Name(const Token& token) const {
  std::string_view spelling = Spelling(token);
  if (token.kind != TokenKind::kName && token.kind != TokenKind::kQuoted &&
      token.kind != TokenKind::kString) {
    return AsciiLower(spelling);
  }
  if (token.kind == TokenKind::kString && spelling[0] != '\'') spelling.remove_prefix(1);
  const char quote = spelling.back();
  spelling = spelling.substr(1, spelling.size() - 2);
  std::string name;
  for (size_t i = 0; i < spelling.size(); ++i) {
    name += spelling[i];
    if (spelling[i] == quote) ++i;  // two stand for one
  }
  return AsciiLower(name);
}

std::string FoldName(std::string_view name) {
  // Trailing white space does not tell names apart.
  while (!name.empty() && IsSpace(name.back())) name.remove_suffix(1);
  const auto is_odd = [](char c) {
    return IsBeyondAscii(c) || (IsSpace(c) && c != ' ') || c == '\x7F';
  };
  if (std::none_of(name.begin(), name.end(), is_odd)) return std::string(name);
  std::string folded;
  while (!name.empty()) {
    const CodePoint point = Decode(name);
    if (point.value >= kFullWidthFirst && point.value <= kFullWidthLast) {
      folded += static_cast<char>(point.value - kFullWidthOffset);
    } else if (Within(kLatinForms, point.value)) {
      folded += '*';
    } else if (!Within(kWeightless, point.value)) {
      folded += name.substr(0, point.size);
    }
    name.remove_prefix(point.size);
  }
  return AsciiLower(folded);
}

Tokens Tokenize(std::string_view text) { return Tokenizer(text).Run(); }

}  // namespace bridgekeeper::sqlserver
