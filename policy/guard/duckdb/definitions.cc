// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Statements that define, describe or set: CREATE, ALTER, COMMENT, PRAGMA.

#include <algorithm>
#include <iterator>

#include "policy/base/strings.h"
#include "policy/guard/duckdb/statements.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::duckdb {
namespace {

// What may stand before a parenthesis in a column's definition and is no call.
constexpr std::string_view kNoCalls[] = {
    "always",    "and",       "as",    "between", "bit",     "bpchar",  "case", "char",
    "character", "check",     "dec",   "decimal", "default", "else",    "enum", "float",
    "in",        "is",        "key",   "like",    "list",    "map",     "not",  "null",
    "numeric",   "nvarchar",  "or",    "row",     "string",  "struct",  "text", "then",
    "time",      "timestamp", "union", "unique",  "varchar", "varying", "when",
};

// Words that begin a query: none has a place in a column's definition.
constexpr std::string_view kQueryParts[] = {"from", "select", "values", "with"};

bool Contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

void StatementJudge::Create(Range range) {
  size_t at = range.begin + 1;
  if (Take(at, range.end, "or")) {
    Note(effect::kReplace, "", range.begin, Risk::kDestructive, "replaces an object that is there");
    if (!Take(at, range.end, "replace")) return Unknown(at, "is not read in CREATE");
  }
  Take(at, range.end, "persistent");
  if (!Take(at, range.end, "temp")) Take(at, range.end, "temporary");
  const size_t kind = at;
  if (Take(at, range.end, "table")) return CreateTable({at, range.end}, "table");
  if (Take(at, range.end, "view")) return CreateTable({at, range.end}, "view");
  if (Take(at, range.end, "type")) return CreateType({at, range.end});
  Take(at, range.end, "unique");
  if (Take(at, range.end, "index")) return CreateIndex({at, range.end});
  at = kind;
  if (Take(at, range.end, "schema") || Take(at, range.end, "sequence")) {
    TakeIfNotExists(at, range.end);
    const size_t name = at;
    const std::string object = Name(at, range.end);
    if (object.empty()) return Unknown(at, "is not read as a name");
    for (; at < range.end; ++at) {
      const bool option = tokens_.tokens[at].kind == TokenKind::kWord ||
                          tokens_.tokens[at].kind == TokenKind::kNumber ||
                          tokens_.IsSymbol(at, '-');
      if (!option) return Unknown(at, "has no place in this statement");
    }
    return Note(effect::kCreate, object, name, Risk::kElevated, "creates an object");
  }
  if (tokens_.IsWord(kind, "secret")) {
    return Note(effect::kExternal, "", kind, Risk::kDestructive, "stores credentials");
  }
  if (tokens_.IsWord(kind, "macro") || tokens_.IsWord(kind, "function")) {
    return Note(effect::kStoredCode, "", kind, Risk::kDestructive, "stores code to be run later");
  }
  Unknown(kind, "is an object that is not known");
}

// name (definitions) | name [(names)] AS query [WITH [NO] DATA]
void StatementJudge::CreateTable(Range range, std::string_view kind) {
  size_t at = range.begin;
  TakeIfNotExists(at, range.end);
  const size_t target = at;
  const std::string name = Name(at, range.end);
  if (name.empty()) return Unknown(at, "is not read as a name");
  Note(effect::kCreate, name, target, Risk::kElevated, "creates an object");
  size_t close = at;
  if (tokens_.IsSymbol(at, '(')) {
    close = Closing(at, range.end);
    if (close + 1 == range.end && kind == "table") return Definitions({at + 1, close});
    if (!IsNameList({at + 1, close})) return Unknown(at, "is not read in CREATE");
    at = close + 1;
  }
  if (!Take(at, range.end, "as")) return Unknown(at, "is not read in CREATE");
  size_t end = range.end;
  if (end - at > 2 && tokens_.IsWord(end - 1, "data")) {
    if (tokens_.IsWord(end - 2, "with")) end -= 2;
    if (end == range.end && end - at > 3 && tokens_.IsWord(end - 2, "no") &&
        tokens_.IsWord(end - 3, "with")) {
      end -= 3;
    }
  }
  Query({at, end}, kind == "view");
}

// name ON table [USING word] (expressions)
void StatementJudge::CreateIndex(Range range) {
  size_t at = range.begin;
  TakeIfNotExists(at, range.end);
  const size_t target = at;
  const std::string name = Name(at, range.end);
  if (name.empty() || !Take(at, range.end, "on")) return Unknown(at, "is not read in CREATE INDEX");
  Note(effect::kCreate, name, target, Risk::kElevated, "creates an object");
  if (Name(at, range.end).empty()) return Unknown(at, "is not read as a table");
  if (Take(at, range.end, "using") && !Take(at, range.end, "art")) {
    return Unknown(at, "is a kind of index that is not known");
  }
  if (!tokens_.IsSymbol(at, '(') || Closing(at, range.end) + 1 != range.end) {
    return Unknown(at, "is not read in CREATE INDEX");
  }
  Expressions({at + 1, range.end - 1}, true);
}

// name AS ENUM ('a', ...) | name AS ENUM (query) | name AS type
void StatementJudge::CreateType(Range range) {
  size_t at = range.begin;
  TakeIfNotExists(at, range.end);
  const size_t target = at;
  const std::string name = Name(at, range.end);
  if (name.empty() || !Take(at, range.end, "as")) return Unknown(at, "is not read in CREATE TYPE");
  Note(effect::kCreate, name, target, Risk::kElevated, "creates an object");
  if (tokens_.IsWord(at, "enum") && tokens_.IsSymbol(at + 1, '(') &&
      Closing(at + 1, range.end) + 1 == range.end && at + 2 < range.end - 1 &&
      tokens_.tokens[at + 2].kind != TokenKind::kString) {
    return Query({at + 2, range.end - 1});
  }
  Definitions({at, range.end});
}

// ALTER TABLE name ADD [COLUMN] definition: everything else changes what is there.
void StatementJudge::Alter(Range range) {
  size_t at = range.begin + 1;
  bool adds = Take(at, range.end, "table");
  if (adds && tokens_.IsWord(at, "if") && tokens_.IsWord(at + 1, "exists")) at += 2;
  const size_t target = at;
  const std::string name = adds ? Name(at, range.end) : "";
  adds = adds && !name.empty() && Take(at, range.end, "add");
  if (!adds) {
    return Note(effect::kAlter, name, range.begin, Risk::kDestructive,
                "changes an object that is there");
  }
  Note(effect::kAlter, name, target, Risk::kElevated, "adds to a table");
  Take(at, range.end, "column");
  TakeIfNotExists(at, range.end);
  for (size_t i = at; i < range.end; ++i) {
    if (tokens_.IsSymbol(i, '(')) i = Closing(i, range.end);
    if (tokens_.IsSymbol(i, ',')) return Unknown(i, "may begin another change");
  }
  Definitions({at, range.end});
}

// Types, constraints and defaults: no query stands here, and each call is a name
// before a parenthesis.
void StatementJudge::Definitions(Range range) {
  if (range.empty()) return Unknown(range.begin, "lacks a definition");
  Notes notes(options_, true, found_);
  for (size_t i = range.begin; i < range.end; ++i) {
    if (!tokens_.IsName(i)) continue;
    const bool quoted = tokens_.tokens[i].kind == TokenKind::kQuotedName;
    const std::string word = tokens_.Value(i);
    if (!quoted && Contains(kQueryParts, word)) {
      return Unknown(i, "has no place in a definition");
    }
    if (!quoted && word == "references") {
      size_t at = i + 1;
      if (Name(at, range.end).empty()) return Unknown(at, "is not read as a table");
      if (tokens_.IsSymbol(at, '(')) at = Closing(at, range.end) + 1;
      i = at - 1;
      continue;
    }
    if (!tokens_.IsSymbol(i + 1, '(')) continue;
    if (!quoted && Contains(kNoCalls, word)) continue;
    // A default may draw from a sequence.
    if (Find(Kind::kFunction, AsciiLower(word)) == Does::kSequence) continue;
    notes.AddCall(false, "", word, CountArguments(i + 1), std::nullopt, PositionOf(i));
  }
}

size_t StatementJudge::CountArguments(size_t open) const {
  const size_t close = Closing(open, tokens_.tokens.size());
  if (close <= open + 1) return 0;
  size_t count = 1;
  for (size_t i = open + 1; i < close; ++i) {
    if (tokens_.IsSymbol(i, ',')) ++count;
    if (tokens_.IsSymbol(i, '(') || tokens_.IsSymbol(i, '[') || tokens_.IsSymbol(i, '{')) {
      i = Closing(i, close);
    }
  }
  return count;
}

// COMMENT ON kind name IS text
void StatementJudge::Comment(Range range) {
  size_t at = range.begin + 1;
  if (!Take(at, range.end, "on") || !tokens_.IsName(at)) {
    return Unknown(at, "is not read in COMMENT");
  }
  ++at;
  const size_t target = at;
  while (at < range.end && (tokens_.IsName(at) || tokens_.IsSymbol(at, '.')) &&
         !tokens_.IsWord(at, "is")) {
    ++at;
  }
  const bool text = Take(at, range.end, "is") && at + 1 == range.end &&
                    (tokens_.tokens[at].kind == TokenKind::kString || tokens_.IsWord(at, "null"));
  if (!text || target == at) return Unknown(at, "is not read in COMMENT");
  size_t name = target;
  Note(effect::kComment, Name(name, range.end), target, Risk::kElevated, "changes a comment");
}

// PRAGMA name | PRAGMA name('table')
void StatementJudge::Pragma(Range range) {
  size_t at = range.begin + 1;
  if (!tokens_.IsName(at)) return Unknown(at, "is not read in PRAGMA");
  const std::string name = AsciiLower(tokens_.Value(at));
  const size_t position = PositionOf(at);
  const auto does = Find(Kind::kPragma, name);
  if (!does.has_value()) {
    return Note(effect::kSetting, name, at, Risk::kDestructive,
                "is a PRAGMA that is not on the list: it may change a setting");
  }
  if (at + 1 == range.end) return notes_.AddDoes(*does, name, position);
  const bool one_argument = range.end - at == 4 && tokens_.IsSymbol(at + 1, '(') &&
                            tokens_.IsSymbol(at + 3, ')') &&
                            tokens_.tokens[at + 2].kind != TokenKind::kSymbol;
  if (!one_argument) return Unknown(at + 1, "is not read in PRAGMA");
  notes_.AddDoes(*does, name, position);
  if (*does == Does::kNamesTable || *does == Does::kSensitive) {
    const std::string table = tokens_.Value(at + 2);
    const size_t dot = table.rfind('.');
    const bool dotted = dot != table.npos;
    notes_.AddRelation("", dotted ? table.substr(0, dot) : "",
                       dotted ? table.substr(dot + 1) : table, PositionOf(at + 2));
  } else if (*does == Does::kHarmless) {
    Unknown(at + 2, "is an argument where this PRAGMA has none");
  }
}

}  // namespace bridgekeeper::duckdb
