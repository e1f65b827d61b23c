// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/effects.h"
#include "policy/guard/sqlserver/parser.h"

namespace bridgekeeper::sqlserver {

using enum TokenKind;

// WITH ... SELECT, INSERT, UPDATE, DELETE or MERGE.
bool Parser::With() {
  if (!CommonTables()) return false;
  if (Is(kOpen)) return Query();
  if (!IsOneOf({"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"})) return false;
  return FindVerb()->judge(*this);
}

// What an INSERT, UPDATE, DELETE or MERGE changes, and its hints.
bool Parser::Target(std::string_view kind, Risk risk, std::string_view why) {
  if (IsOneOf({"OPENQUERY", "OPENROWSET", "OPENDATASOURCE"})) {
    return ReservedTable();
  }
  if (Is(kVariable)) {
    Add(kind, tokens_.Name(At()), at_, risk, why);
    ++at_;
  } else {
    const auto target = ReadName();
    if (!target.has_value()) return false;
    NoteWrite(kind, *target, risk, why);
  }
  if (!Is("WITH") || !Is(kOpen, 1)) return true;
  at_ += 2;
  return TableHints();
}

bool Parser::Insert() {
  ++at_;
  if (Is("TOP") && !Top()) return false;
  Skip("INTO");
  if (!Target(effect::kInsert, Risk::kElevated, "adds rows")) return false;
  // `INSERT t (SELECT ...)` has no columns.
  if (Is(kOpen) && !Is("SELECT", 1) && !Is(kOpen, 1) && !Columns()) return false;
  if (Is("OUTPUT") && !Output()) return false;
  if (SkipWords({"DEFAULT", "VALUES"})) return true;
  if (Is("VALUES")) {
    if (!Rows()) return false;
    return !Is("OPTION") || QueryHints();
  }
  if (IsOneOf({"EXEC", "EXECUTE"})) return Execute();
  if (Is("WITH") && !CommonTables()) return false;
  return Query();
}

// SET a = 1, @v = a = 1, a += 1, a.WRITE(...), ...
bool Parser::Assignments() {
  do {
    if (Is(kVariable)) {
      ++at_;
    } else {
      const auto column = ReadName();
      if (!column.has_value()) return false;
      if (Is(kOpen)) {
        Arguments arguments;
        if (!ReadArguments(arguments)) return false;
        if (column->parts.size() < 2) return false;
        NoteMethod(*column, arguments);
        continue;
      }
    }
    if (!Is(kOperator) || !tokens_.Spelling(At()).ends_with("=")) return false;
    ++at_;
    if (!Expression()) return false;
    // `@v = a += 1`
    if (Is(kOperator) && tokens_.Spelling(At()).ends_with("=")) {
      ++at_;
      if (!Expression()) return false;
    }
  } while (Skip(kComma));
  return true;
}

// OUTPUT a, b [INTO t [(columns)]] [OUTPUT ...].
bool Parser::Output() {
  while (Skip("OUTPUT")) {
    do {
      if (!SelectItem()) return false;
    } while (Skip(kComma));
    if (!Skip("INTO")) continue;
    if (!Target(effect::kInsert, Risk::kElevated, "adds rows")) return false;
    if (Is(kOpen) && !Is("SELECT", 1) && !Columns()) return false;
  }
  return true;
}

bool Parser::Update() {
  ++at_;
  if (Skip("STATISTICS")) {
    const auto table = ReadName();
    if (!table.has_value()) return false;
    NoteDatabase(table->Before(2), table->token);
    Add(effect::kMaintenance, table->Full(), table->token, Risk::kElevated,
        "counts the values of a table anew");
    if (Is(kOpen)) {
      if (!Columns()) return false;
    } else if (At().MayBeName()) {
      ++at_;
    }
    if (!Skip("WITH")) return true;
    do {
      if (!SkipOneOf({"FULLSCAN", "RESAMPLE", "NORECOMPUTE", "ALL", "COLUMNS", "INDEX"})) {
        if (!Skip("SAMPLE") || !Skip(kNumber) || !SkipOneOf({"PERCENT", "ROWS"})) return false;
      }
    } while (Skip(kComma));
    return true;
  }
  if (Is("TOP") && !Top()) return false;
  if (!Target(effect::kUpdate, Risk::kElevated, "changes rows")) return false;
  if (!Skip("SET") || !Assignments()) return false;
  if (Is("OUTPUT") && !Output()) return false;
  if (Skip("FROM") && !TableSources()) return false;
  if (Skip("WHERE")) {
    if (SkipWords({"CURRENT", "OF"})) {
      Skip("GLOBAL");
      if (!Skip(kVariable) && !ReadName().has_value()) return false;
    } else if (!Expression()) {
      return false;
    }
  }
  return !Is("OPTION") || QueryHints();
}

bool Parser::Delete() {
  ++at_;
  if (Is("TOP") && !Top()) return false;
  Skip("FROM");
  if (!Target(effect::kDelete, Risk::kDestructive, "removes rows")) return false;
  if (Is("OUTPUT") && !Output()) return false;
  if (Skip("FROM") && !TableSources()) return false;
  if (Skip("WHERE")) {
    if (SkipWords({"CURRENT", "OF"})) {
      Skip("GLOBAL");
      if (!Skip(kVariable) && !ReadName().has_value()) return false;
    } else if (!Expression()) {
      return false;
    }
  }
  return !Is("OPTION") || QueryHints();
}

bool Parser::Merge() {
  ++at_;
  if (Is("TOP") && !Top()) return false;
  Skip("INTO");
  if (!Target(effect::kMerge, Risk::kElevated, "adds and changes rows")) return false;
  if (Is("AS") || (At().MayBeName() && !Is("USING"))) {
    Skip("AS");
    ++at_;
  }
  if (!Skip("USING") || !TableSource()) return false;
  bool any = false;
  while (Skip("WHEN")) {
    any = true;
    Skip("NOT");
    if (!Skip("MATCHED")) return false;
    if (Skip("BY") && !SkipOneOf({"TARGET", "SOURCE"})) return false;
    if (Skip("AND") && !Expression()) return false;
    if (!Skip("THEN") || !MergeAction()) return false;
  }
  if (!any) return false;
  if (Is("OUTPUT") && !Output()) return false;
  return !Is("OPTION") || QueryHints();
}

bool Parser::MergeAction() {
  if (Is("DELETE")) {
    Add(effect::kDelete, "", at_, Risk::kDestructive, "removes rows");
    ++at_;
    return true;
  }
  if (Skip("UPDATE")) return Skip("SET") && Assignments();
  if (!Skip("INSERT")) return false;
  if (Is(kOpen) && !Columns()) return false;
  if (SkipWords({"DEFAULT", "VALUES"})) return true;
  return Is("VALUES") && Rows();
}

bool Parser::Truncate() {
  ++at_;
  if (!Skip("TABLE")) return false;
  const auto table = ReadName();
  if (!table.has_value()) return false;
  NoteWrite(effect::kTruncate, *table, Risk::kDestructive, "removes every row");
  if (Skip("WITH") && !SkipGroup()) return false;
  return true;
}

}  // namespace bridgekeeper::sqlserver
