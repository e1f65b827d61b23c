// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/dynamodb/partiql.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::dynamodb {
namespace {

enum class Kind : uint8_t {
  kWord,
  kQuoted,  // "x": a name
  kString,  // 'x'
  kNumber,
  kParameter,  // ?
  kSymbol,
  kEnd,
};

struct Token {
  size_t begin;
  size_t size;
  Kind kind;
};

bool StartsWord(char c) { return IsAsciiLetter(c) || c == '_' || c == '$'; }
bool IsWordByte(char c) { return StartsWord(c) || IsAsciiDigit(c); }

struct Tokens {
  std::string_view text;
  std::vector<Token> list;
  std::optional<StatementProblem> problem;
};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) { tokens_.text = text; }

  Tokens Run() && {
    while (at_ < text_.size() && !tokens_.problem.has_value()) Next();
    tokens_.list.push_back({text_.size(), 0, Kind::kEnd});
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Fail(std::string_view why) {
    tokens_.problem = StatementProblem{
        .message = absl::StrFormat("PartiQL: %s at byte %d", why, at_), .position = at_};
  }

  void Add(Kind kind, size_t size) {
    tokens_.list.push_back({at_, size, kind});
    at_ += size;
  }

  void Next() {
    const char c = Peek();
    if (IsJsonSpace(c)) {
      ++at_;
    } else if (c == '-' && Peek(1) == '-') {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.find('\r') != line.npos) {
        return Fail("got a -- comment with a carriage return that some readers end it at");
      }
      at_ = end;
    } else if (c == '/' && Peek(1) == '*') {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) return Fail("got a comment without its end");
      // Some readers nest them.
      if (text_.substr(at_ + 2, end - at_ - 2).find("/*") != text_.npos) {
        return Fail("got a comment in a comment");
      }
      at_ = end + 2;
    } else if (c == '\'' || c == '"') {
      Quoted(c);
    } else if (StartsWord(c)) {
      size_t size = 1;
      while (IsWordByte(Peek(size))) ++size;
      Add(Kind::kWord, size);
    } else if (IsAsciiDigit(c) || (c == '.' && IsAsciiDigit(Peek(1)))) {
      Number();
    } else if (c == '?') {
      Add(Kind::kParameter, 1);
    } else {
      static constexpr std::string_view kSymbols[] = {
          "<<", ">>", "<=", ">=", "<>", "!=", "||", "=", "<", ">", "+", "-", "*",
          "/",  "%",  "(",  ")",  "[",  "]",  "{",  "}", ",", ".", ":", ";"};
      for (const std::string_view symbol : kSymbols) {
        if (text_.substr(at_).starts_with(symbol)) return Add(Kind::kSymbol, symbol.size());
      }
      Fail("got a byte that begins no token");
    }
  }

  void Quoted(char quote) {
    size_t end = at_ + 1;
    while (true) {
      end = text_.find(quote, end);
      if (end == text_.npos) return Fail("got quotes without their end");
      if (end + 1 >= text_.size() || text_[end + 1] != quote) break;
      end += 2;
    }
    Add(quote == '"' ? Kind::kQuoted : Kind::kString, end + 1 - at_);
  }

  void Number() {
    size_t size = 0;
    while (IsAsciiDigit(Peek(size))) ++size;
    if (Peek(size) == '.') {
      ++size;
      while (IsAsciiDigit(Peek(size))) ++size;
    }
    if (Peek(size) == 'e' || Peek(size) == 'E') {
      ++size;
      if (Peek(size) == '+' || Peek(size) == '-') ++size;
      if (!IsAsciiDigit(Peek(size))) return Fail("got a number without its exponent");
      while (IsAsciiDigit(Peek(size))) ++size;
    }
    if (IsWordByte(Peek(size))) return Fail("got a number that runs into a name");
    Add(Kind::kNumber, size);
  }

  std::string_view text_;
  size_t at_ = 0;
  Tokens tokens_;
};

// Words that are no names without quotes: they begin or part clauses.
constexpr std::string_view kReserved[] = {
    "ALL",  "AND",   "ANY",     "AS",     "ASC",    "BETWEEN", "BY",        "CREATE", "DELETE",
    "DESC", "DROP",  "EXEC",    "FALSE",  "FROM",   "GROUP",   "HAVING",    "IN",     "INSERT",
    "INTO", "IS",    "JOIN",    "LET",    "LIKE",   "LIMIT",   "MISSING",   "NOT",    "NULL",
    "ON",   "OR",    "ORDER",   "PIVOT",  "REMOVE", "REPLACE", "RETURNING", "SELECT", "SET",
    "TRUE", "UNION", "UNPIVOT", "UPDATE", "UPSERT", "VALUE",   "VALUES",    "WHERE",  "WITH"};

// What functions DynamoDB's PartiQL has: all of them compute.
constexpr std::string_view kFunctions[] = {"ATTRIBUTE_TYPE", "BEGINS_WITH", "CONTAINS",
                                           "EXISTS",         "LIST_APPEND", "MISSING",
                                           "SET_ADD",        "SET_DELETE",  "SIZE"};

class Reader {
 public:
  Reader(const Tokens& tokens, std::optional<size_t> offset, const JudgeOptions& options,
         JudgementBuilder& found)
      : tokens_(tokens), offset_(offset), options_(options), found_(found) {}

  std::optional<StatementProblem> Read() {
    int statements = 0;
    while (!Is(Kind::kEnd)) {
      if (SkipSymbol(";")) continue;
      ++statements;
      depth_ = 0;
      if (!Statement() || !(IsSymbol(";") || Is(Kind::kEnd))) {
        if (deep_) {
          return StatementProblem{
              .message = absl::StrFormat("PartiQL: got more than %d levels", kMaxNesting)};
        }
        Add(effect::kUnknown, Spelling(), Risk::kDestructive,
            "is no statement that is known, from here on");
        while (!IsSymbol(";") && !Is(Kind::kEnd)) ++at_;
      }
    }
    if (statements == 1) return std::nullopt;
    if (statements == 0) {
      return StatementProblem{.error = Judgement::Error::kEmpty, .message = "got no statement"};
    }
    return StatementProblem{.error = Judgement::Error::kMultiple,
                            .message = absl::StrFormat("got %d statements, want one", statements),
                            .statements = statements};
  }

 private:
  const Token& At(size_t ahead = 0) const {
    return tokens_.list[std::min(at_ + ahead, tokens_.list.size() - 1)];
  }
  std::string_view Spelling(size_t ahead = 0) const {
    return tokens_.text.substr(At(ahead).begin, At(ahead).size);
  }
  bool Is(Kind kind) const { return At().kind == kind; }
  bool IsSymbol(std::string_view symbol, size_t ahead = 0) const {
    return At(ahead).kind == Kind::kSymbol && Spelling(ahead) == symbol;
  }
  bool IsWord(std::string_view upper, size_t ahead = 0) const {
    return At(ahead).kind == Kind::kWord && At(ahead).size == upper.size() &&
           AsciiLower(Spelling(ahead)) == AsciiLower(upper);
  }
  bool SkipSymbol(std::string_view symbol) { return IsSymbol(symbol) && ++at_; }
  bool Skip(std::string_view word) { return IsWord(word) && ++at_; }
  bool SkipOneOf(std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return Skip(w); });
  }
  bool IsName() const {
    if (Is(Kind::kQuoted)) return true;
    return Is(Kind::kWord) && std::none_of(std::begin(kReserved), std::end(kReserved),
                                           [&](std::string_view word) { return IsWord(word); });
  }

  std::optional<size_t> Position(size_t token) const {
    if (!offset_.has_value()) return std::nullopt;
    return *offset_ + tokens_.list[token].begin;
  }
  void Add(std::string_view kind, std::string_view object, Risk risk, std::string_view why) {
    found_.Add(kind, object, Position(std::min(at_, tokens_.list.size() - 1)), risk, why);
  }

  std::string Name() const {
    std::string_view spelling = Spelling();
    if (Is(Kind::kWord)) return std::string(spelling);
    spelling = spelling.substr(1, spelling.size() - 2);
    std::string name;
    for (size_t i = 0; i < spelling.size(); ++i) {
      name += spelling[i];
      if (spelling[i] == '"') ++i;
    }
    return name;
  }

  // "table"["."index"]. Notes an effect on the table where there is a kind.
  bool Table(std::string_view kind, Risk risk, std::string_view why) {
    if (!IsName()) return false;
    const std::string table = Name();
    NoteTable(table, Position(at_), options_, found_);
    if (!kind.empty()) Add(kind, table, risk, why);
    ++at_;
    if (SkipSymbol(".")) {
      if (!IsName()) return false;
      ++at_;
    }
    return true;
  }

  bool Statement() {
    if (IsWord("SELECT")) return Select();
    if (Skip("INSERT")) {
      if (!Skip("INTO")) return false;
      // It fails where there is an item with the same key.
      if (!Table(effect::kInsert, Risk::kElevated, "adds an item")) return false;
      return Skip("VALUE") && Expression();
    }
    if (Skip("UPDATE")) {
      if (!Table(effect::kUpdate, Risk::kElevated, "changes an item")) return false;
      bool any = false;
      while (true) {
        if (Skip("SET")) {
          do {
            if (!Path() || !SkipSymbol("=") || !Expression()) return false;
          } while (SkipSymbol(","));
        } else if (Skip("REMOVE")) {
          do {
            if (!Path()) return false;
          } while (SkipSymbol(","));
        } else {
          break;
        }
        any = true;
      }
      return any && Where() && Returning();
    }
    if (Skip("DELETE")) {
      if (!Skip("FROM")) return false;
      if (!Table(effect::kDelete, Risk::kDestructive, "removes an item")) return false;
      return Where() && Returning();
    }
    // EXISTS (SELECT ...): a condition of a transaction.
    if (Skip("EXISTS")) return SkipSymbol("(") && Select() && SkipSymbol(")");
    return false;
  }

  bool Select() {
    if (!Skip("SELECT")) return false;
    do {
      if (SkipSymbol("*")) continue;
      if (!Expression()) return false;
      if (Skip("AS")) {
        if (!IsName()) return false;
        ++at_;
      }
    } while (SkipSymbol(","));
    if (!Skip("FROM") || !Table({}, Risk::kSafe, {}) || !Where()) return false;
    if (!Skip("ORDER")) return true;
    if (!Skip("BY")) return false;
    do {
      if (!Path()) return false;
      SkipOneOf({"ASC", "DESC"});
    } while (SkipSymbol(","));
    return true;
  }

  bool Where() { return !Skip("WHERE") || Expression(); }

  bool Returning() {
    if (!Skip("RETURNING")) return true;
    return SkipOneOf({"ALL", "MODIFIED"}) && SkipOneOf({"OLD", "NEW"}) && SkipSymbol("*");
  }

  // a.b[0]."c"
  bool Path() {
    if (!IsName()) return false;
    ++at_;
    while (true) {
      if (SkipSymbol(".")) {
        if (!IsName()) return false;
        ++at_;
      } else if (SkipSymbol("[")) {
        if (!Is(Kind::kNumber) && !Is(Kind::kString)) return false;
        ++at_;
        if (!SkipSymbol("]")) return false;
      } else {
        return true;
      }
    }
  }

  bool Expression() {
    while (true) {
      while (SkipSymbol("-") || SkipSymbol("+") || Skip("NOT")) {
      }
      if (!Operand()) return false;
      if (Skip("IS")) {
        Skip("NOT");
        if (!SkipOneOf({"NULL", "MISSING"})) {
          if (!IsName()) return false;  // a type
          ++at_;
        }
      }
      if (IsWord("NOT") && (IsWord("IN", 1) || IsWord("BETWEEN", 1))) ++at_;
      if (SkipOneOf({"AND", "OR", "IN", "BETWEEN"})) continue;
      bool binary = false;
      for (const std::string_view op :
           {"=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "%", "||"}) {
        if (SkipSymbol(op)) {
          binary = true;
          break;
        }
      }
      if (!binary) return true;
    }
  }

  // `open` is behind. Reads to behind `close`; `name: value` where it is a structure.
  bool List(std::string_view close, bool structure) {
    if (++depth_ > kMaxNesting) {
      deep_ = true;
      return false;
    }
    if (!IsSymbol(close)) {
      do {
        if (structure) {
          if (!Is(Kind::kString)) return false;
          ++at_;
          if (!SkipSymbol(":")) return false;
        }
        if (!Expression()) return false;
      } while (SkipSymbol(","));
    }
    --depth_;
    return SkipSymbol(close);
  }

  bool Operand() {
    if (Is(Kind::kNumber) || Is(Kind::kString) || Is(Kind::kParameter)) {
      ++at_;
      return true;
    }
    if (SkipOneOf({"NULL", "TRUE", "FALSE"})) return true;
    if (SkipSymbol("(")) return List(")", false);
    if (SkipSymbol("[")) return List("]", false);
    if (SkipSymbol("<<")) return List(">>", false);
    if (SkipSymbol("{")) return List("}", true);
    if (Is(Kind::kWord) && IsSymbol("(", 1)) {
      if (IsWord("EXISTS")) {
        at_ += 2;
        if (++depth_ > kMaxNesting) {
          deep_ = true;
          return false;
        }
        const bool read = Select() && SkipSymbol(")");
        --depth_;
        return read;
      }
      const bool known = std::any_of(std::begin(kFunctions), std::end(kFunctions),
                                     [&](std::string_view name) { return IsWord(name); });
      if (!known) {
        if (!IsName()) return false;
        Add(effect::kFunction, AsciiLower(Spelling()), Risk::kElevated,
            "calls a function that is not known to be harmless");
      }
      at_ += 2;
      return List(")", false);
    }
    return Path();
  }

  const Tokens& tokens_;
  const std::optional<size_t> offset_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
  size_t at_ = 0;
  int depth_ = 0;
  bool deep_ = false;
};

}  // namespace

std::optional<StatementProblem> ReadStatement(std::string_view text, std::optional<size_t> offset,
                                              const JudgeOptions& options,
                                              JudgementBuilder& found) {
  const Tokens tokens = Tokenizer(text).Run();
  if (tokens.problem.has_value()) return tokens.problem;
  return Reader(tokens, offset, options, found).Read();
}

void NoteTable(std::string_view table, std::optional<size_t> position, const JudgeOptions& options,
               JudgementBuilder& found) {
  if (options.databases.empty() || !AsciiLower(table.substr(0, 4)).starts_with("arn:")) return;
  // arn:partition:dynamodb:region:account:table/name
  std::string_view rest = table;
  for (int i = 0; i < 4; ++i) {
    const size_t colon = rest.find(':');
    rest = colon == rest.npos ? std::string_view() : rest.substr(colon + 1);
  }
  const std::string_view account = rest.substr(0, rest.find(':'));
  if (options.databases.contains(std::string(account))) return;
  found.Add(effect::kOtherConnection, table, position, Risk::kDestructive,
            "names a table of an account that the connection does not cover");
}

}  // namespace bridgekeeper::dynamodb
