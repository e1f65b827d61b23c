// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/scan.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/safe_function.h"

namespace bridgekeeper::sqlite {
namespace {

// Schemas that every connection has.
bool IsOwnSchema(std::string_view name) { return name == "main" || name == "temp"; }

// Operators that SQLite turns into a call of the function with their name.
bool IsCallingOperator(const Token& token) {
  return token.Is(Keyword::kLike) || token.Is(Keyword::kGlob) || token.Is(Keyword::kMatch) ||
         token.Is(Keyword::kRegexp);
}

// Words that end the tables of a FROM, or begin something else altogether.
bool EndsTables(Keyword keyword) {
  static constexpr Keyword kWords[] = {Keyword::kSelect,    Keyword::kValues, Keyword::kWhere,
                                       Keyword::kGroup,     Keyword::kHaving, Keyword::kOrder,
                                       Keyword::kLimit,     Keyword::kUnion,  Keyword::kExcept,
                                       Keyword::kIntersect, Keyword::kSet,    Keyword::kReturning};
  return std::find(std::begin(kWords), std::end(kWords), keyword) != std::end(kWords);
}

// Whether `format`, spelled out, asks for no width or precision that is computed (`*`)
// and for no more than kMaxBlobBytes in all.
bool IsNarrow(std::string_view format) {
  int64_t total = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    // Flags, width, precision and lengths, in whatever order; then what it converts.
    int64_t number = 0;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == '*') return false;
      if (IsAsciiDigit(c)) {
        number = number * 10 + (c - '0');
        if (total + number > kMaxBlobBytes) return false;
        continue;
      }
      total += number;
      number = 0;
      if (std::string_view("-+ #!,.l").find(c) == std::string_view::npos) break;
    }
    total += number;
  }
  return true;
}

}  // namespace

void Scanner::Scan(size_t begin, size_t end, Start start) {
  begin_ = begin;
  end_ = end;
  at_ = begin;
  Frame base;
  if (start == Start::kTable) base.clause = Clause::kTable;
  if (start == Start::kDefinitions) base.clause = Clause::kDefinitions;
  frames_.assign(1, base);
  while (at_ < end_) Next();
  if (frames_.size() > 1) {
    found_.Add(effect::kUnknown, "(", At(frames_.back().open).begin, Risk::kDestructive,
               "a parenthesis is not closed");
  }
}

void Scanner::Next() {
  const Token& token = At(at_);
  Frame& frame = frames_.back();
  if (token.kind == TokenKind::kOpen) {
    Frame inner;
    inner.open = at_++;
    // `FROM (a JOIN b)`; a query in its place says so by its first word.
    if (frame.clause == Clause::kTable) {
      inner.clause = Clause::kTable;
      frame.clause = Clause::kAfterTable;
    }
    frames_.push_back(inner);
    return;
  }
  if (token.kind == TokenKind::kClose) {
    Close();
    ++at_;
    return;
  }
  if (token.kind == TokenKind::kComma) {
    ++frame.commas;
    if (frame.clause == Clause::kAfterTable) frame.clause = Clause::kTable;
    if (frame.clause == Clause::kAfterCommonTable) frame.clause = Clause::kCommonTable;
    ++at_;
    return;
  }
  if (frame.clause == Clause::kCommonTable && token.MayBeObjectName()) {
    // Its `(`, if any, holds columns and is read as a group.
    frame.clause = Clause::kAfterCommonTable;
    ++at_;
    return;
  }
  const bool begins_query = token.Is(Keyword::kWith) && BeginsFrame();
  if (frame.clause == Clause::kTable && token.MayBeObjectName() && !begins_query) return Table();
  if (token.IsReservedWord() || begins_query) return Word(token);
  if (token.MayBeObjectName() && IsAt(at_ + 1, TokenKind::kOpen) &&
      frame.clause != Clause::kDefinitions && IsCallHere(token)) {
    Frame call;
    call.opener = Opener::kCall;
    call.name = at_;
    call.open = at_ + 1;
    at_ += 2;
    frames_.push_back(call);
    return;
  }
  if (token.Is(Keyword::kOffset)) frames_.back().limited = false;
  if (IsCallingOperator(token)) {
    NoteCall(token, 2, FindFunction(tokens_.Name(token)));
  }
  ++at_;
}

void Scanner::Close() {
  if (frames_.size() == 1) {
    found_.Add(effect::kUnknown, ")", At(at_).begin, Risk::kDestructive,
               "a parenthesis was not opened");
    return;
  }
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.opener == Opener::kGroup) return;
  const Token& name = At(frame.name);
  const size_t arguments = at_ == frame.open + 1 ? 0 : frame.commas + 1;
  const std::string lower = tokens_.Name(name);
  if (frame.opener == Opener::kTableCall) return NoteCall(name, arguments, FindTable(lower));
  std::optional<Does> does = FindFunction(lower);
  if (does == Does::kAllocates && at_ == frame.open + 2) {
    const std::string_view size = tokens_.Spelling(At(frame.open + 1));
    int bytes = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), bytes);
    if (error == std::errc() && end == size.data() + size.size() && bytes <= kMaxBlobBytes) {
      does = Does::kHarmless;
    }
  }
  if (does == Does::kFormats) {
    const Token& format = At(frame.open + 1);
    const bool alone = IsAt(frame.open + 2, TokenKind::kComma) || at_ == frame.open + 2;
    if (arguments == 0 ||
        (alone && format.kind == TokenKind::kString && IsNarrow(tokens_.Spelling(format)))) {
      does = Does::kHarmless;
    }
  }
  NoteCall(name, arguments, does);
}

void Scanner::Word(const Token& token) {
  Frame& frame = frames_.back();
  ++at_;
  if (token.Is(Keyword::kWith)) {
    frame.clause = Clause::kCommonTable;
    if (at_ < end_ && At(at_).Is(Keyword::kRecursive)) ++at_;
  } else if (token.Is(Keyword::kFrom)) {
    if (!IsDistinctFrom(at_ - 1)) frame.clause = Clause::kTable;
  } else if (token.Is(Keyword::kJoin)) {
    frame.clause = Clause::kTable;
  } else if (token.Is(Keyword::kIn) && at_ < end_ && At(at_).MayBeObjectName()) {
    // `a IN t` and `a IN f(x)` read a table; the clause goes on behind it.
    const size_t depth = frames_.size() - 1;
    const Clause clause = frame.clause;
    Table();
    frames_[depth].clause = clause;
  } else if (frame.clause != Clause::kDefinitions && EndsTables(token.keyword)) {
    frame.clause = Clause::kExpression;
    frame.limited = token.Is(Keyword::kLimit);
  }
}

void Scanner::Table() {
  frames_.back().clause = Clause::kAfterTable;
  if (IsAt(at_ + 1, TokenKind::kDot) && at_ + 2 < end_ && At(at_ + 2).MayBeObjectName()) {
    CheckSchema(At(at_));
    at_ += 2;
  }
  const Token& name = At(at_);
  if (IsAt(at_ + 1, TokenKind::kOpen)) {
    Frame call;
    call.opener = Opener::kTableCall;
    call.name = at_;
    call.open = at_ + 1;
    at_ += 2;
    frames_.push_back(call);
    return;
  }
  // An eponymous table needs no parentheses, and a PRAGMA that is not known may be one.
  const std::string lower = tokens_.Name(name);
  const auto does = FindTable(lower);
  if (does.has_value() || lower.starts_with("pragma_")) NoteCall(name, 0, does);
  ++at_;
}

// Whether a query may begin here. Elsewhere `with` is the name of a column.
bool Scanner::BeginsFrame() const {
  const Frame& frame = frames_.back();
  if (frames_.size() == 1) return at_ == begin_;
  return frame.opener == Opener::kGroup && at_ == frame.open + 1;
}

// Whether the FROM at `index` belongs to the operator `a IS [NOT] DISTINCT FROM b`.
bool Scanner::IsDistinctFrom(size_t index) const {
  return index >= begin_ + 2 && At(index - 1).Is(Keyword::kDistinct) &&
         (At(index - 2).Is(Keyword::kIs) || At(index - 2).Is(Keyword::kNot));
}

bool Scanner::EndsOperand(size_t index) const {
  if (index == begin_) return false;
  const Token& token = At(index - 1);
  if (IsCallingOperator(token)) return false;
  return token.MayBeObjectName() || token.Is(Keyword::kNull) || token.kind == TokenKind::kNumber ||
         token.kind == TokenKind::kBlob || token.kind == TokenKind::kVariable ||
         token.kind == TokenKind::kClose;
}

// Whether `token`, which `(` follows, is the name of a function. A few words that
// may be names stand before a parenthesis in clauses of their own.
bool Scanner::IsCallHere(const Token& token) const {
  const auto follows = [&](std::initializer_list<Keyword> words) {
    return at_ > begin_ && std::any_of(words.begin(), words.end(),
                                       [&](Keyword word) { return At(at_ - 1).Is(word); });
  };
  using enum Keyword;
  const Frame& frame = frames_.back();
  if (token.Is(kCast)) return false;
  if (token.Is(kBy)) return !follows({kOrder, kGroup, kPartition});
  if (token.Is(kOffset)) return !frame.limited || !EndsOperand(at_);
  if (token.Is(kOver) || token.Is(kFilter)) {
    return at_ == begin_ || At(at_ - 1).kind != TokenKind::kClose;
  }
  // Behind a table without WHERE, ON begins the condition of a join.
  if (token.Is(kConflict)) {
    return !follows({kOn}) || !upsert_ || frames_.size() > 1 || frame.clause != Clause::kExpression;
  }
  if (token.Is(kMaterialized)) return frame.clause != Clause::kAfterCommonTable;
  return true;
}

void Scanner::NoteCall(const Token& name, size_t arguments, std::optional<Does> does) {
  if (does.has_value()) return NoteDoes(name, *does);
  const std::string lower = tokens_.Name(name);
  if (IsListedSafe(lower, arguments)) return;
  if (definition_) {
    found_.Add(effect::kStoredCode, lower, name.begin, Risk::kDestructive,
               "stores a call that is not known to be harmless");
  } else {
    found_.Add(effect::kFunction, lower, name.begin, Risk::kElevated,
               "calls a function that is not known to be harmless");
  }
}

void Scanner::NoteDoes(const Token& name, Does does) {
  if (does == Does::kHarmless) return;
  const DoesInfo& info = InfoOf(does);
  if (does == Does::kSensitive && options_.allow_sensitive_reads) return;
  const std::string lower = tokens_.Name(name);
  found_.Add(info.kind, lower, name.begin, info.risk, info.why);
  if (definition_) {
    found_.Add(effect::kStoredCode, lower, name.begin, Risk::kDestructive,
               "stores a call or a read that is not harmless");
  }
}

// An entry is `name`, or `name(type, ...)` where only that number of arguments
// counts; SQLite has no schemas and no types for functions.
bool Scanner::IsListedSafe(std::string_view name, size_t arguments) const {
  return std::any_of(options_.safe_functions.begin(), options_.safe_functions.end(),
                     [&](const std::string& entry) {
                       const auto function = ParseSafeFunction(entry);
                       if (!function || function->arguments.value_or(arguments) != arguments)
                         return false;
                       const bool fits = function->qualifiers.empty() ||
                                         (function->schema() != nullptr &&
                                          IsOwnSchema(AsciiLower(function->schema()->text)));
                       return fits && AsciiLower(function->name.text) == name;
                     });
}

void Scanner::CheckSchema(const Token& schema) {
  if (options_.databases.empty()) return;
  const std::string name = tokens_.Name(schema);
  const bool covered =
      IsOwnSchema(name) || std::any_of(options_.databases.begin(), options_.databases.end(),
                                       [&](const std::string& d) { return AsciiLower(d) == name; });
  if (covered) return;
  found_.Add(effect::kOtherConnection, name, schema.begin, Risk::kDestructive,
             "names a database that the connection does not cover");
}

}  // namespace bridgekeeper::sqlite
