// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/effects.h"
#include "policy/guard/sqlserver/parser.h"

namespace bridgekeeper::sqlserver {

using enum TokenKind;

bool Parser::TableSources() {
  do {
    if (!TableSource()) return false;
  } while (Skip(kComma));
  return true;
}

// Tables with joins between them. ON is taken behind any of them: joins nest without
// parentheses, `a JOIN b JOIN c ON ... ON ...`.
bool Parser::TableSource() {
  if (!TablePrimary(false)) return false;
  while (true) {
    if (IsOneOf({"CROSS", "OUTER"}) && Is("APPLY", 1)) {
      at_ += 2;
      if (!TablePrimary(true)) return false;
    } else if (IsOneOf({"INNER", "LEFT", "RIGHT", "FULL", "CROSS", "JOIN"})) {
      if (!Is("JOIN")) ++at_;
      Skip("OUTER");
      SkipOneOf({"LOOP", "HASH", "MERGE", "REMOTE"});
      if (!Skip("JOIN") || !TablePrimary(false)) return false;
    } else if (Skip("ON")) {
      if (!Expression()) return false;
    } else if (IsOneOf({"PIVOT", "UNPIVOT"})) {
      if (!Pivot()) return false;
    } else {
      return true;
    }
  }
}

bool Parser::TablePrimary(bool applied) {
  const Level level(*this);
  if (!level.ok()) return false;
  if (Is(kOpen)) return ParenthesizedTable() && TableTail();
  if (Is(kReserved)) return ReservedTable() && TableTail();
  if (Is(kVariable)) {
    ++at_;
    return Postfix() && TableTail();
  }
  SkipOperator("::");  // how functions of the server were once called
  return NamedTable(applied) && TableTail();
}

// A query, rows, or tables with joins.
bool Parser::ParenthesizedTable() {
  ++at_;
  if (Is("SELECT")) {
    if (!Query()) return false;
  } else if (Is("VALUES")) {
    if (!Rows()) return false;
  } else {
    if (!TableSources()) return false;
    if (IsSetOperation() && !SetOperations()) return false;
    if (!QueryTail()) return false;
  }
  return Skip(kClose);
}

// VALUES (...), (...).
bool Parser::Rows() {
  ++at_;
  do {
    if (!Is(kOpen) || !Group()) return false;
  } while (Skip(kComma));
  return true;
}

bool Parser::NamedTable(bool applied) {
  if (Is("OPENJSON") && Is(kOpen, 1)) return OpenJson();
  const auto name = ReadName();
  if (!name.has_value()) return false;
  // `t (NOLOCK)` is a table with a hint. What is applied is never one: there the
  // parentheses may hold a column of that name.
  if (Is(kOpen) && (applied || !IsHintGroup(0))) {
    if (FoldName(name->last()) == "changetable" && name->parts.size() == 1) {
      // (CHANGES t, n) or (VERSION t, (c), (v))
      ++at_;
      if (!SkipOneOf({"CHANGES", "VERSION"})) return false;
      const auto table = ReadName();
      if (!table.has_value() || !Skip(kComma)) return false;
      NoteTable(*table);
      return Expressions() && Skip(kClose);
    }
    return Call(*name, true) && Postfix();
  }
  NoteTable(*name);
  return true;
}

bool Parser::ReservedTable() {
  const size_t at = at_;
  if (IsOneOf({"OPENROWSET", "OPENQUERY", "OPENDATASOURCE"})) {
    Add(effect::kExternal, tokens_.Name(At()), at, Risk::kDestructive, "reads from another server");
    if (Is("OPENROWSET") && Is("BULK", 2)) {
      Add(effect::kHostFile, Is(kString, 3) ? tokens_.Name(At(3)) : "", at, Risk::kDestructive,
          "reads a file that the server can reach");
    }
    ++at_;
    if (!SkipGroup()) return false;
    // OPENDATASOURCE(...).db.schema.t
    while (Skip(kDot)) {
      if (At().MayBeName()) ++at_;
    }
    if (Is("WITH") && Is(kOpen, 1) && !IsHintGroup(1)) {
      ++at_;
      return SkipGroup();
    }
    return true;
  }
  if (SkipOneOf({"CONTAINSTABLE", "FREETEXTTABLE", "SEMANTICKEYPHRASETABLE",
                 "SEMANTICSIMILARITYTABLE", "SEMANTICSIMILARITYDETAILSTABLE"})) {
    // (t, columns, text, ...)
    if (!Skip(kOpen)) return false;
    const auto table = ReadName();
    if (!table.has_value()) return false;
    NoteTable(*table);
    while (Skip(kComma)) {
      if (SkipOperator("*")) continue;
      Skip("LANGUAGE");
      if (!Expression()) return false;
    }
    return Skip(kClose);
  }
  if (Is("OPENXML")) {
    Add(effect::kSession, "openxml", at, Risk::kElevated,
        "reads a document that the session has prepared");
    ++at_;
    Arguments arguments;
    if (!ReadArguments(arguments)) return false;
    if (Is("WITH") && Is(kOpen, 1)) {
      ++at_;
      return SkipGroup();
    }
    return true;
  }
  return false;
}

// OPENJSON (value [, path]) [WITH (column type ['path'] [AS JSON], ...)].
bool Parser::OpenJson() {
  ++at_;
  Arguments arguments;
  if (!ReadArguments(arguments)) return false;
  if (!Is("WITH") || !Is(kOpen, 1) || IsHintGroup(1)) return true;
  at_ += 2;
  do {
    if (!At().MayBeName()) return false;
    ++at_;
    if (!Type()) return false;
    Skip(kString);
    SkipWords({"AS", "JSON"});
  } while (Skip(kComma));
  return Skip(kClose);
}

// [FOR SYSTEM_TIME ...] [TABLESAMPLE ...] [[AS] alias [(columns)]] [WITH (hints)].
bool Parser::TableTail() {
  bool aliased = false;
  while (true) {
    if (Is("FOR") && Is("SYSTEM_TIME", 1)) {
      at_ += 2;
      if (Skip("ALL")) continue;
      if (SkipWords({"AS", "OF"})) {
        if (!Operand()) return false;
      } else if (Skip("FROM")) {
        if (!Operand() || !Skip("TO") || !Operand()) return false;
      } else if (Skip("BETWEEN")) {
        if (!Operand() || !Skip("AND") || !Operand()) return false;
      } else if (!SkipWords({"CONTAINED", "IN"}) || !Group()) {
        return false;
      }
    } else if (Skip("TABLESAMPLE")) {
      Skip("SYSTEM");
      if (!Skip(kOpen) || !Operand()) return false;
      SkipOneOf({"PERCENT", "ROWS"});
      if (!Skip(kClose)) return false;
      if (Skip("REPEATABLE") && !Group()) return false;
    } else if (Is("WITH") && Is(kOpen, 1)) {
      at_ += 2;
      if (!TableHints()) return false;
    } else if (IsHintGroup(0)) {
      ++at_;
      if (!TableHints()) return false;
    } else if (!aliased && (Is("AS") || At().MayBeName())) {
      // Words that are free, and begin the next clause here.
      if ((Is("WINDOW") && Is("AS", 2)) || Is("USING") || Is("OUTPUT")) return true;
      if (!Alias()) return false;
      aliased = true;
    } else {
      return true;
    }
  }
}

bool Parser::Alias() {
  Skip("AS");
  if (!At().MayBeName()) return false;
  ++at_;
  return !Is(kOpen) || IsHintGroup(0) || Columns();
}

// PIVOT (f(a) FOR b IN (...)) AS p, UNPIVOT (a FOR b IN (...)) AS u.
bool Parser::Pivot() {
  ++at_;
  if (!Skip(kOpen) || !Expressions() || !Skip("FOR")) return false;
  if (!ReadName().has_value() || !Skip("IN") || !Columns()) return false;
  return Skip(kClose) && Alias();
}

// Whether `(` and only table hints stand `ahead`.
bool Parser::IsHintGroup(size_t ahead) const {
  if (!Is(kOpen, ahead)) return false;
  const Token& first = At(ahead + 1);
  if (first.kind != kWord && first.kind != kReserved) return false;
  if (FindHint(tokens_.Name(first)) == HintClass::kUnknown) return false;
  // `(NOLOCK)` and `(INDEX (1), ...)`; `(index + 1)` is an argument.
  return Is(kClose, ahead + 2) || Is(kComma, ahead + 2) || Is(kOpen, ahead + 2) ||
         IsOperator("=", ahead + 2) || Is(kWord, ahead + 2) || Is(kReserved, ahead + 2);
}

// Behind `(`, to behind its `)`.
bool Parser::TableHints() {
  while (!Skip(kClose)) {
    if (Skip(kComma)) continue;
    if (!Is(kWord) && !Is(kReserved)) return false;
    const std::string name = tokens_.Name(At());
    switch (FindHint(name)) {
      case HintClass::kUnknown:
        return false;
      case HintClass::kPlain:
        break;
      case HintClass::kLocks:
        Add(effect::kLock, name, at_, Risk::kElevated, "locks more than reading needs");
        break;
    }
    ++at_;
    if (SkipOperator("=")) {
      if (!Is(kOpen) && !Skip(kNumber) && !At().MayBeName()) return false;
      if (At().MayBeName()) ++at_;
    }
    if (Is(kOpen) && !SkipGroup()) return false;
  }
  return true;
}

}  // namespace bridgekeeper::sqlserver
