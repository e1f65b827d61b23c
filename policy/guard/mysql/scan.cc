// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/scan.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/safe_function.h"

namespace bridgekeeper::mysql {
namespace {

using enum Keyword;

// Words that end the tables of a FROM, or begin something else altogether.
bool EndsTables(Keyword keyword) {
  static constexpr Keyword kWords[] = {kSelect, kValues, kWhere, kGroup, kHaving,
                                       kOrder,  kLimit,  kUnion, kSet,   kWith,
                                       kFor,    kLock,   kInto,  kFetch, kTable};
  return std::find(std::begin(kWords), std::end(kWords), keyword) != std::end(kWords);
}

// Reserved in some versions only; a table may have the name in others.
bool BeginsSetOperation(const Token& token) { return token.Is(kExcept) || token.Is(kIntersect); }

}  // namespace

void Scanner::Scan(size_t begin, size_t end, Start start) {
  begin_ = begin;
  end_ = end;
  at_ = begin;
  Frame base;
  base.selects = true;
  if (start == Start::kTables) {
    base.clause = Clause::kTable;
    base.tables = true;
  }
  if (start == Start::kDefinitions) base.clause = Clause::kDefinitions;
  frames_.assign(1, base);
  derived_end_ = 0;
  while (at_ < end_) Next();
  if (frames_.size() > 1) {
    found_.Add(effect::kUnknown, "(", At(frames_.back().open).begin, Risk::kDestructive,
               "a parenthesis is not closed");
  }
}

void Scanner::Next() {
  const Token& token = At(at_);
  switch (token.kind) {
    case TokenKind::kOpen:
      return Open(token);
    case TokenKind::kClose:
      Close();
      ++at_;
      return;
    case TokenKind::kComma:
      return Comma();
    case TokenKind::kAssign:
      found_.Add(effect::kSession, "", token.begin, Risk::kElevated, "sets a variable");
      break;
    case TokenKind::kSystemVariable:
      NoteVariable(token);
      break;
    case TokenKind::kOperator:
      // `FROM {OJ a LEFT JOIN b}`: the word is no table.
      if (frames_.back().clause == Clause::kTable && tokens_.Spelling(token) == "{" &&
          IsAt(at_ + 1, TokenKind::kWord)) {
        ++at_;
      }
      break;
    case TokenKind::kWord:
    case TokenKind::kQuoted: {
      const Clause clause = frames_.back().clause;
      if (token.IsReservedWord()) return Word(token);
      if (clause == Clause::kCommonTable) {
        // Its `(`, if any, holds columns and is read as a group.
        if (token.Is(kRecursive) && Follows(kWith)) break;
        frames_.back().clause = Clause::kAfterCommonTable;
        break;
      }
      if (clause == Clause::kTable) {
        if (token.Is(kLateral) && IsAt(at_ + 1, TokenKind::kOpen)) break;
        return Name(true);
      }
      if (BeginsSetOperation(token) && IsAt(at_ + 1, kSelect)) {
        frames_.back().clause = Clause::kExpression;
        frames_.back().tables = false;
        break;
      }
      if (token.Is(kNext) && IsAt(at_ + 1, kValue) && IsAt(at_ + 2, kFor)) {
        found_.Add(effect::kSequence, "", token.begin, Risk::kElevated, "moves a sequence on");
        frames_.back().clause = Clause::kTable;
        at_ += 2;
        break;
      }
      return Name(false);
    }
    case TokenKind::kString:
    case TokenKind::kNumber:
    case TokenKind::kVariable:
    case TokenKind::kParameter:
    case TokenKind::kDot:
    case TokenKind::kSemicolon:
      break;
  }
  ++at_;
}

void Scanner::Open(const Token&) {
  Frame& frame = frames_.back();
  Frame inner;
  inner.open = at_;
  inner.place = frame.clause;
  switch (frame.clause) {
    case Clause::kTable:
      // `FROM (a JOIN b)`; a query in its place says so by its first word.
      inner.clause = Clause::kTable;
      inner.tables = true;
      frame.clause = Clause::kAfterTable;
      break;
    case Clause::kDefinitions:
      // CHECK and AS hold an expression; all else, an index or a type, a list.
      if (!Follows(kCheck) && !Follows(kAs)) inner.clause = Clause::kList;
      break;
    case Clause::kExpression:
    case Clause::kAfterTable:
    case Clause::kDefault:
    case Clause::kList:
    case Clause::kCommonTable:
    case Clause::kAfterCommonTable:
      break;
  }
  ++at_;
  frames_.push_back(inner);
}

void Scanner::Close() {
  if (frames_.size() == 1) {
    found_.Add(effect::kUnknown, ")", At(at_).begin, Risk::kDestructive,
               "a parenthesis was not opened");
    return;
  }
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.opener == Opener::kCall) {
    NoteCall(frame, at_ == frame.open + 1 ? 0 : frame.commas + 1);
  } else if (frame.place == Clause::kTable) {
    const size_t first = frame.open + 1;
    const bool query =
        IsAt(first, kSelect) || IsAt(first, kValues) || IsAt(first, kTable) || IsAt(first, kWith);
    // `((SELECT 1))` and `((SELECT 1) UNION (SELECT 2))`, no join in parentheses.
    const bool nested = IsAt(first, TokenKind::kOpen) && (!frame.tables || derived_end_ + 1 == at_);
    if (query || nested) derived_end_ = at_;
  }
}

void Scanner::Comma() {
  Frame& frame = frames_.back();
  ++frame.commas;
  ++at_;
  if (frame.tables) {
    frame.clause = Clause::kTable;
  } else if (frame.clause == Clause::kAfterCommonTable) {
    frame.clause = Clause::kCommonTable;
  } else if (frame.clause == Clause::kDefault) {
    frame.clause = Clause::kDefinitions;
  }
}

// Whether a query may begin here.
bool Scanner::BeginsQuery() const {
  return at_ == begin_ || (frames_.size() > 1 && at_ == frames_.back().open + 1);
}

void Scanner::Word(const Token& token) {
  Frame& frame = frames_.back();
  const Keyword word = token.keyword;
  if (word == kFrom) {
    From();
  } else if (word == kJoin || word == kStraightJoin) {
    if (frame.tables) frame.clause = Clause::kTable;
  } else if (word == kOn) {
    if (frame.tables) frame.clause = Clause::kExpression;
  } else if (word == kUsing && frame.tables && !IsAt(at_ + 1, TokenKind::kOpen)) {
    frame.clause = Clause::kTable;  // DELETE FROM t USING u
  } else if (word == kInto) {
    Into();
  } else if (word == kWith && BeginsQuery()) {
    frame.clause = Clause::kCommonTable;
    frame.tables = false;
  } else if (word == kFor && (IsAt(at_ + 1, kUpdate) || IsAt(at_ + 1, kShare))) {
    NoteLock(token);
    ++at_;  // behind it, OF and names
  } else if (word == kLock) {
    NoteLock(token);
  } else if (word == kFor && frame.tables &&
             (IsAt(at_ + 1, kJoin) || IsAt(at_ + 1, kOrder) || IsAt(at_ + 1, kGroup))) {
    ++at_;  // what an index hint is for
  } else if (word == kFor && frame.tables) {
    frame.clause = Clause::kExpression;  // FOR SYSTEM_TIME AS OF expression
  } else if (frame.clause == Clause::kDefinitions || frame.clause == Clause::kDefault) {
    const bool calls = word == kDefault || (word == kUpdate && Follows(kOn));
    frame.clause = calls ? Clause::kDefault : Clause::kDefinitions;
    // A definition ends where the query of CREATE TABLE ... SELECT begins.
    if (word == kSelect || word == kValues) frame.clause = Clause::kExpression;
  } else if (EndsTables(word)) {
    frame.clause = Clause::kExpression;
    frame.tables = false;
    if (frames_.size() == 1) writes_ = false;
    if (word == kSelect) frame.selects = true;
    if (word == kTable && !IsAt(at_ + 1, TokenKind::kOpen)) {
      frame.clause = Clause::kTable;
    }
  }
  ++at_;
}

void Scanner::From() {
  Frame& frame = frames_.back();
  // In TRIM(x FROM y) and EXTRACT(DAY FROM x) it brings no table.
  if (frame.opener == Opener::kCall && !frame.selects) return;
  frame.clause = Clause::kTable;
  frame.tables = true;
}

void Scanner::Into() {
  const Token& token = At(at_);
  if (IsAt(at_ + 1, kOutfile) || IsAt(at_ + 1, kDumpfile)) {
    const bool named = IsAt(at_ + 2, TokenKind::kString);
    found_.Add(effect::kHostFile, named ? tokens_.Spelling(At(at_ + 2)) : "", token.begin,
               Risk::kDestructive, "writes a file on the server's host");
  } else if (IsAt(at_ + 1, TokenKind::kVariable)) {
    found_.Add(effect::kSession, tokens_.Spelling(At(at_ + 1)), token.begin, Risk::kElevated,
               "sets a variable");
  } else {
    found_.Add(effect::kUnknown, "INTO", token.begin, Risk::kDestructive,
               "writes its result to somewhere that is not known");
  }
  frames_.back().clause = Clause::kExpression;
  frames_.back().tables = false;
}

// `OVER (`: a window and its specification.
bool Scanner::IsOver(const Token& token) const {
  return token.Is(kOver) && at_ > begin_ && At(at_ - 1).kind == TokenKind::kClose;
}

// `FROM (SELECT ...) AS name (columns)`, with and without AS. No other table has columns
// there: what looks so is a call in a clause that begins with a word that may be a name.
bool Scanner::IsColumnsOfDerived() const {
  return derived_end_ > 0 && (at_ == derived_end_ + 1 || (at_ == derived_end_ + 2 && Follows(kAs)));
}

// Whether `token`, behind tables and before `(`, begins something where no server takes
// it for a function: `QUALIFY (a)`, `EXCEPT (SELECT ...)`, `TABLESAMPLE BERNOULLI (10)`.
bool Scanner::IsClauseWord(const Token& token) const {
  if (token.kind != TokenKind::kWord) return false;
  if (token.Is(kQualify) || BeginsSetOperation(token) || IsOver(token)) return true;
  const std::string name = tokens_.LowerName(token);
  const std::string before = tokens_.LowerName(At(at_ - 1));
  return name == "tablesample" ||
         (before == "tablesample" && (name == "system" || name == "bernoulli"));
}

// Whether the name at at_, which `(` follows, is called.
bool Scanner::IsCallHere() const {
  const Token& token = At(at_);
  switch (frames_.back().clause) {
    case Clause::kDefinitions:
      return false;
    case Clause::kList:
      return !(IsAt(at_ + 2, TokenKind::kNumber) && IsAt(at_ + 3, TokenKind::kClose));
    case Clause::kAfterTable:
      return !IsColumnsOfDerived() && !IsClauseWord(token);
    case Clause::kExpression:
    case Clause::kDefault:
      return !IsOver(token);
    case Clause::kTable:
    case Clause::kCommonTable:
    case Clause::kAfterCommonTable:
      return true;
  }
  return true;
}

void Scanner::Name(bool table) {
  const size_t first = at_;
  size_t last = at_;
  size_t parts = 1;
  while (IsAt(last + 1, TokenKind::kDot) && last + 2 < end_ &&
         (At(last + 2).kind == TokenKind::kWord || At(last + 2).kind == TokenKind::kQuoted)) {
    last += 2;
    ++parts;
  }
  const bool open = IsAt(last + 1, TokenKind::kOpen);
  if (open && parts == 1 && !IsCallHere()) {
    at_ = last + 1;
    return;
  }
  if (open) {
    if (table) frames_.back().clause = Clause::kAfterTable;
    if (parts > 1) CheckSchema(At(first));
    Frame call;
    call.opener = Opener::kCall;
    call.name = last;
    call.open = last + 1;
    call.qualified = parts > 1;
    at_ = last + 2;
    frames_.push_back(call);
    return;
  }
  at_ = last + 1;
  if (table) {
    frames_.back().clause = Clause::kAfterTable;
    if (parts > 1) CheckSchema(At(first));
    const std::string schema = parts > 1 ? tokens_.LowerName(At(first)) : "";
    const std::string name = tokens_.LowerName(At(parts > 1 ? first + 2 : first));
    NoteTable(schema, name, At(first));
    if (writes_) NoteSystemWrite(schema, name, At(first));
    return;
  }
  if (parts == 1) return;
  // `schema.table.column`, or `alias.column`: an alias may be named as a schema of the
  // server's, and is taken for that schema.
  const bool star = IsAt(last + 1, TokenKind::kDot) && IsSpelled(last + 2, "*");
  if (parts > 2 || star) CheckSchema(At(first));
  const std::string schema = tokens_.LowerName(At(first));
  if (IsSystemSchema(schema)) NoteTable(schema, tokens_.LowerName(At(first + 2)), At(first));
}

void Scanner::NoteTable(std::string_view schema, std::string_view table, const Token& token) {
  if (!schema.empty()) {
    if (IsSystemSchema(schema)) {
      NoteShows(ReadingShows(schema, table), std::string(schema) + "." + std::string(table), token);
    }
    return;
  }
  // Where the record names a schema of the server's own, it may be the current one.
  for (const std::string& database : options_.databases) {
    const std::string lower = AsciiLower(database);
    if (IsSystemSchema(lower)) NoteShows(ReadingShows(lower, table), table, token);
  }
}

void Scanner::NoteSystemWrite(std::string_view schema, std::string_view table, const Token& token) {
  const bool system = schema.empty()
                          ? std::any_of(options_.databases.begin(), options_.databases.end(),
                                        [](const auto& d) { return IsSystemSchema(AsciiLower(d)); })
                          : IsSystemSchema(schema);
  if (!system || planned_) return;
  const std::string name =
      schema.empty() ? std::string(table) : std::string(schema) + "." + std::string(table);
  found_.Add(effect::kSystemWrite, name, token.begin, Risk::kDestructive,
             "writes to a table that the server keeps for itself");
}

void Scanner::NoteShows(Shows shows, std::string_view object, const Token& token) {
  const auto add = [&](std::string_view kind, Risk risk, std::string_view why) {
    found_.Add(kind, object, token.begin, risk, why);
    if (definition_) {
      found_.Add(effect::kStoredCode, object, token.begin, Risk::kDestructive,
                 "stores a read that is not harmless");
    }
  };
  switch (shows) {
    case Shows::kPlain:
      return;
    case Shows::kSensitive:
      if (options_.allow_sensitive_reads && !definition_) return;
      return add(effect::kSensitiveRead, Risk::kElevated,
                 "shows settings, privileges, replication, statistics or other sessions");
    case Shows::kSecret:
      return add(effect::kSensitiveRead, Risk::kDestructive, "shows credentials");
    case Shows::kFiles:
      return add(effect::kHostFile, Risk::kDestructive, "shows names of files of the host");
    case Shows::kResets:
      return add(effect::kServer, Risk::kElevated, "sets statistics of the server back");
  }
}

void Scanner::NoteCall(const Frame& call, size_t arguments) {
  const Token& token = At(call.name);
  const std::string name = tokens_.LowerName(token);
  const std::string schema = call.qualified ? tokens_.Name(At(call.name - 2)) : std::string();
  auto known = call.qualified ? std::nullopt : FindFunction(name);
  if (known.has_value()) {
    const bool quoted = token.kind == TokenKind::kQuoted;
    const bool touches = reading_.ignore_space || token.Touches(At(call.open));
    if ((known->form != Form::kAnywhere && quoted) ||
        (known->form == Form::kAdjacent && !touches)) {
      known = std::nullopt;  // a stored function with the name of the server's own
    }
  }
  if (known.has_value()) {
    Does does = known->does;
    if (does == Does::kLastInsertId && arguments == 0) does = Does::kHarmless;
    if (does == Does::kHarmless) return;
    if (does == Does::kSensitive && options_.allow_sensitive_reads && !definition_) return;
    const DoesInfo& info = InfoOf(does);
    found_.Add(info.kind, name, token.begin, info.risk, info.why);
    if (does == Does::kSequence) return;  // a default may draw from a sequence
  } else {
    if (IsListedSafe(schema, name, arguments)) return;
    const std::string full = schema.empty() ? name : schema + "." + name;
    if (!definition_) {
      found_.Add(effect::kFunction, full, token.begin, Risk::kElevated,
                 "calls a function that is not known to be harmless");
    }
  }
  if (definition_) {
    found_.Add(effect::kStoredCode, name, token.begin, Risk::kDestructive,
               "stores a call that is not known to be harmless");
  }
}

void Scanner::NoteVariable(const Token& token) {
  std::string name = AsciiLower(tokens_.Spelling(token).substr(2));
  std::erase(name, '`');
  for (const std::string_view scope :
       {"global.", "session.", "local.", "persist.", "persist_only."}) {
    if (name.starts_with(scope)) {
      name.erase(0, scope.size());
      break;
    }
  }
  NoteShows(VariableShows(name), "@@" + name, token);
}

void Scanner::NoteLock(const Token& token) {
  if (planned_) return;
  found_.Add(effect::kLock, "", token.begin, Risk::kElevated, "locks the rows that it reads");
}

// An entry is `schema.name(type, ...)`; any other covers nothing. MySQL knows no overloads.
bool Scanner::IsListedSafe(std::string_view schema, std::string_view name, size_t arguments) const {
  return std::any_of(options_.safe_functions.begin(), options_.safe_functions.end(),
                     [&](const std::string& entry) {
                       const auto function = ParseSafeFunction(entry);
                       return function && function->schema() != nullptr &&
                              function->arguments == arguments &&
                              (schema.empty() || function->schema()->text == schema) &&
                              AsciiLower(function->name.text) == name;
                     });
}

void Scanner::CheckSchema(const Token& schema) {
  if (options_.databases.empty()) return;
  const std::string name = tokens_.Name(schema);
  // The server's own schemas belong to every connection; what they show is judged.
  if (IsSystemSchema(AsciiLower(name)) || options_.databases.contains(name)) return;
  found_.Add(effect::kOtherConnection, name, schema.begin, Risk::kDestructive,
             "names a database that the connection does not cover");
}

}  // namespace bridgekeeper::mysql
