// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/scan.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::sqlite {
namespace {

// Schemas that every connection has.
bool IsOwnSchema(std::string_view name) { return name == "main" || name == "temp"; }

// Operators that SQLite turns into a call of the function with their name.
bool IsCallingOperator(const Token& token) {
  return token.Is(Keyword::kLike) || token.Is(Keyword::kGlob) || token.Is(Keyword::kMatch) ||
         token.Is(Keyword::kRegexp);
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
  switch (token.kind) {
    case TokenKind::kOpen: {
      Frame inner;
      inner.open = at_;
      // `FROM (a JOIN b)`; a query in its place says so by its first word.
      if (frame.clause == Clause::kTable) {
        inner.clause = Clause::kTable;
        frame.clause = Clause::kAfterTable;
      }
      ++at_;
      frames_.push_back(inner);
      return;
    }
    case TokenKind::kClose:
      Close();
      ++at_;
      return;
    case TokenKind::kComma:
      ++frame.commas;
      if (frame.clause == Clause::kAfterTable) frame.clause = Clause::kTable;
      if (frame.clause == Clause::kAfterCommonTable) frame.clause = Clause::kCommonTable;
      ++at_;
      return;
    default:
      break;
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
  if (IsCallingOperator(token) && EndsOperand(at_)) {
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
  NoteCall(name, arguments, does);
}

void Scanner::Word(const Token& token) {
  Frame& frame = frames_.back();
  switch (token.keyword) {
    case Keyword::kWith:
      frame.clause = Clause::kCommonTable;
      if (at_ + 1 < end_ && At(at_ + 1).Is(Keyword::kRecursive)) ++at_;
      break;
    case Keyword::kFrom:
      // `a IS [NOT] DISTINCT FROM b` is an operator.
      if (at_ >= begin_ + 2 && At(at_ - 1).Is(Keyword::kDistinct) &&
          (At(at_ - 2).Is(Keyword::kIs) || At(at_ - 2).Is(Keyword::kNot))) {
        break;
      }
      frame.clause = Clause::kTable;
      break;
    case Keyword::kJoin:
      frame.clause = Clause::kTable;
      break;
    case Keyword::kIn:
      // `a IN t` and `a IN f(x)` read a table.
      if (at_ + 1 < end_ && At(at_ + 1).MayBeObjectName()) {
        const Clause clause = frame.clause;
        ++at_;
        Table();
        // Table() may have opened a frame; its parent is the one that was current.
        const size_t parent = At(at_ - 1).kind == TokenKind::kOpen ? 2 : 1;
        frames_[frames_.size() - parent].clause = clause;
        return;
      }
      break;
    case Keyword::kSelect:
    case Keyword::kValues:
    case Keyword::kWhere:
    case Keyword::kGroup:
    case Keyword::kHaving:
    case Keyword::kOrder:
    case Keyword::kLimit:
    case Keyword::kUnion:
    case Keyword::kExcept:
    case Keyword::kIntersect:
    case Keyword::kSet:
    case Keyword::kReturning:
      if (frame.clause != Clause::kDefinitions) frame.clause = Clause::kExpression;
      break;
    default:
      break;
  }
  ++at_;
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

bool Scanner::EndsOperand(size_t index) const {
  if (index == begin_) return false;
  const Token& token = At(index - 1);
  switch (token.kind) {
    case TokenKind::kOpen:
    case TokenKind::kComma:
    case TokenKind::kDot:
    case TokenKind::kSemicolon:
    case TokenKind::kOperator:
      return false;
    case TokenKind::kWord:
      // `a NOT LIKE b`, `a ISNULL`.
      return !token.IsReservedWord() || token.Is(Keyword::kNot) || token.Is(Keyword::kNull) ||
             token.Is(Keyword::kIsnull) || token.Is(Keyword::kNotnull);
    default:
      return true;
  }
}

// Whether `token`, which `(` follows, is the name of a function.
bool Scanner::IsCallHere(const Token& token) const {
  const auto previous_is = [&](Keyword keyword) { return at_ > begin_ && At(at_ - 1).Is(keyword); };
  const bool after_parenthesis = at_ > begin_ && At(at_ - 1).kind == TokenKind::kClose;
  switch (token.keyword) {
    case Keyword::kCast:
      return false;
    case Keyword::kBy:
      return !previous_is(Keyword::kOrder) && !previous_is(Keyword::kGroup) &&
             !previous_is(Keyword::kPartition);
    case Keyword::kOffset:
      return !EndsOperand(at_);
    case Keyword::kOver:
    case Keyword::kFilter:
      return !after_parenthesis;
    case Keyword::kConflict:
      return !previous_is(Keyword::kOn);
    case Keyword::kMaterialized:
      return !previous_is(Keyword::kAs) && !previous_is(Keyword::kNot);
    default:
      return true;
  }
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
                       std::string lower = AsciiLower(entry);
                       const size_t open = lower.find('(');
                       if (open != lower.npos) {
                         const std::string_view types = std::string_view(lower).substr(open + 1);
                         const auto commas = std::count(types.begin(), types.end(), ',');
                         const bool none = types.find_first_not_of(" )") == types.npos;
                         const size_t count = none ? 0 : static_cast<size_t>(commas) + 1;
                         if (count != arguments) return false;
                         lower.resize(open);
                       }
                       const size_t dot = lower.find('.');
                       if (dot != lower.npos) {
                         if (!IsOwnSchema(lower.substr(0, dot))) return false;
                         lower.erase(0, dot + 1);
                       }
                       return lower == name;
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
