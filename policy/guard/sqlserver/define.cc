// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/effects.h"
#include "policy/guard/sqlserver/parser.h"

namespace bridgekeeper::sqlserver {

using enum TokenKind;

bool Parser::Create() {
  const size_t verb = at_;
  ++at_;
  if (SkipWords({"OR", "ALTER"})) {
    Add(effect::kReplace, "", verb, Risk::kDestructive, "replaces what is there");
    SkipBatch();
    return true;
  }
  if (Skip("TABLE")) return CreateTable();
  if (Skip("VIEW")) return CreateView();
  if (Skip("SEQUENCE")) return CreateSequence();
  if (Skip("STATISTICS")) return CreateStatistics();
  if (Is("INDEX") || IsOneOf({"UNIQUE", "CLUSTERED", "NONCLUSTERED"})) return CreateIndex();
  if (Skip("SCHEMA")) {
    const auto name = ReadName();
    if (!name.has_value()) return false;
    NoteWrite(effect::kCreate, *name, Risk::kElevated, "makes a schema");
    return true;
  }
  struct Kind {
    std::string_view word;
    std::string_view kind;
    std::string_view why;
  };
  static constexpr std::string_view kRuns = "stores code that runs later";
  static constexpr Kind kKinds[] = {
      {"PROC", effect::kStoredCode, kRuns},
      {"PROCEDURE", effect::kStoredCode, kRuns},
      {"FUNCTION", effect::kStoredCode, kRuns},
      {"TRIGGER", effect::kStoredCode, kRuns},
      {"AGGREGATE", effect::kExtension, kRuns},
      {"ASSEMBLY", effect::kExtension, "loads code into the server"},
      {"DATABASE", effect::kServer, "makes a database and its files"},
      {"EXTERNAL", effect::kExternal, "makes a way to another server or its files"},
      {"LOGIN", effect::kPrivilege, "makes an account"},
      {"USER", effect::kPrivilege, "makes an account"},
      {"ROLE", effect::kPrivilege, "makes a role"},
      {"SECURITY", effect::kPrivilege, "changes who sees which rows"},
      {"SYNONYM", effect::kStoredCode, "makes a name that stands for another object"},
  };
  for (const Kind& kind : kKinds) {
    if (!Is(kind.word)) continue;
    Add(kind.kind, "", at_, Risk::kDestructive, kind.why);
    SkipBatch();
    return true;
  }
  return false;
}

bool Parser::CreateTable() {
  const auto name = ReadName();
  if (!name.has_value()) return false;
  NoteWrite(effect::kCreate, *name, Risk::kElevated, "makes a table");
  definition_ = true;
  if (!Skip(kOpen) || !Definitions(1)) return false;
  while (true) {
    if (SkipOneOf({"ON", "TEXTIMAGE_ON"})) {
      if (!At().MayBeName() && !Is("PRIMARY") && !Is("DEFAULT")) return false;
      ++at_;
      if (Is(kOpen) && !Columns()) return false;
    } else if (Is("WITH")) {
      if (!Options({"DATA_COMPRESSION", "XML_COMPRESSION", "NONE", "ROW", "PAGE", "ON", "OFF"})) {
        return false;
      }
    } else {
      return true;
    }
  }
}

// Columns and constraints: from inside of `opened` parentheses to behind them, or,
// where it is 0, to where they end.
bool Parser::Definitions(size_t opened) {
  // What may stand in a definition besides types and expressions. None of them begins
  // a statement.
  const auto word = [&] {
    return SkipOneOf({"CONSTRAINT",   "PRIMARY", "KEY",   "UNIQUE",      "CLUSTERED",
                      "NONCLUSTERED", "NULL",    "NOT",   "SPARSE",      "ROWGUIDCOL",
                      "PERSISTED",    "FOREIGN", "INDEX", "ASC",         "DESC",
                      "HIDDEN",       "PERIOD",  "FOR",   "SYSTEM_TIME", "REPLICATION"});
  };
  while (true) {
    if (Is(kEnd) || Is(kSemicolon) || Is(kGo)) return opened == 0;
    if (Is(kClose)) {
      if (opened == 0) return false;
      ++at_;
      if (--opened == 0) return true;
      continue;
    }
    if (Skip(kComma) || Skip(kNumber)) continue;
    if (Is("DEFAULT") || Is("CHECK") || Is("AS")) {
      ++at_;
      // An expression; behind AS it is the value of a computed column.
      if (SkipWords({"NOT", "FOR", "REPLICATION"})) {
      }
      if (!Operand()) {
        if (!SkipOperator("-") || !Operand()) return false;
      }
      if (!Postfix()) return false;
      while (Is(kOperator)) {
        ++at_;
        if (!Operand() || !Postfix()) return false;
      }
      continue;
    }
    if (Skip("IDENTITY")) {
      if (Is(kOpen) && !SkipGroup()) return false;
      continue;
    }
    if (Skip("COLLATE")) {
      if (!At().MayBeName()) return false;
      ++at_;
      continue;
    }
    if (Skip("REFERENCES")) {
      const auto table = ReadName();
      if (!table.has_value()) return false;
      NoteTable(*table);
      if (Is(kOpen) && !Columns()) return false;
      continue;
    }
    if (SkipWords({"GENERATED", "ALWAYS", "AS", "ROW"})) {
      if (!SkipOneOf({"START", "END"})) return false;
      continue;
    }
    if (Skip("ON")) {
      // ON DELETE CASCADE, or where the index of a constraint lies.
      if (SkipOneOf({"DELETE", "UPDATE"})) {
        if (!Skip("CASCADE") && !SkipWords({"NO", "ACTION"}) && !SkipWords({"SET", "NULL"}) &&
            !SkipWords({"SET", "DEFAULT"})) {
          return false;
        }
      } else if (!ReadName().has_value()) {
        return false;
      }
      continue;
    }
    if (SkipWords({"WITH", "VALUES"})) continue;
    if (Is("WITH")) {
      if (!Options({"PAD_INDEX", "FILLFACTOR", "IGNORE_DUP_KEY", "STATISTICS_NORECOMPUTE",
                    "ALLOW_ROW_LOCKS", "ALLOW_PAGE_LOCKS", "OPTIMIZE_FOR_SEQUENTIAL_KEY",
                    "DATA_COMPRESSION", "ONLINE", "MAXDOP", "SORT_IN_TEMPDB"})) {
        return false;
      }
      continue;
    }
    if (word()) continue;
    if (opened == 0 && Is(kReserved)) return true;  // the next statement
    if (Skip(kOpen)) {
      ++opened;
      continue;
    }
    // A column with its type, or the name of a constraint.
    if (!ReadName().has_value()) return false;
    if (Is(kName) || Is(kQuoted) || Is(kWord)) {
      if (!Type()) return false;
    } else if (SkipWords({"NATIONAL"}) || SkipWords({"DOUBLE", "PRECISION"})) {
      continue;
    }
  }
}

// WITH (option = value, ...).
bool Parser::Options(std::initializer_list<std::string_view> harmless) {
  ++at_;
  if (!Skip(kOpen)) return false;
  do {
    if (!SkipOneOf(harmless)) return false;
    if (!SkipOperator("=")) return false;
    if (!Skip(kNumber) &&
        !SkipOneOf({"ON", "OFF", "NONE", "ROW", "PAGE", "COLUMNSTORE", "COLUMNSTORE_ARCHIVE"})) {
      return false;
    }
    if (Is(kOpen) && !SkipGroup()) return false;
    SkipOneOf({"MINUTES", "PERCENT"});
  } while (Skip(kComma));
  return Skip(kClose);
}

bool Parser::CreateView() {
  const auto name = ReadName();
  if (!name.has_value()) return false;
  NoteWrite(effect::kCreate, *name, Risk::kElevated, "makes a view");
  definition_ = true;
  if (Is(kOpen) && !Columns()) return false;
  if (Skip("WITH")) {
    do {
      if (!SkipOneOf({"ENCRYPTION", "SCHEMABINDING", "VIEW_METADATA"})) return false;
    } while (Skip(kComma));
  }
  if (!Skip("AS")) return false;
  if (Is("WITH") && !CommonTables()) return false;
  if (!Query()) return false;
  SkipWords({"WITH", "CHECK", "OPTION"});
  return true;
}

bool Parser::CreateIndex() {
  Skip("UNIQUE");
  SkipOneOf({"CLUSTERED", "NONCLUSTERED"});
  Skip("COLUMNSTORE");
  if (!Skip("INDEX") || !At().MayBeName()) return false;
  ++at_;
  if (!Skip("ON")) return false;
  const auto table = ReadName();
  if (!table.has_value()) return false;
  NoteWrite(effect::kCreate, *table, Risk::kElevated, "makes an index");
  definition_ = true;
  if (Skip(kOpen)) {
    do {
      if (!ReadName().has_value()) return false;
      SkipOneOf({"ASC", "DESC"});
    } while (Skip(kComma));
    if (!Skip(kClose)) return false;
  }
  if (Skip("INCLUDE") && !Columns()) return false;
  if (Skip("ORDER") && !Columns()) return false;
  if (Skip("WHERE") && !Expression()) return false;
  if (Is("WITH")) {
    // DROP_EXISTING replaces the index that is there.
    if (!Options({"PAD_INDEX", "FILLFACTOR", "SORT_IN_TEMPDB", "IGNORE_DUP_KEY",
                  "STATISTICS_NORECOMPUTE", "STATISTICS_INCREMENTAL", "ONLINE", "RESUMABLE",
                  "MAX_DURATION", "ALLOW_ROW_LOCKS", "ALLOW_PAGE_LOCKS",
                  "OPTIMIZE_FOR_SEQUENTIAL_KEY", "MAXDOP", "DATA_COMPRESSION", "XML_COMPRESSION",
                  "COMPRESSION_DELAY"})) {
      return false;
    }
  }
  while (SkipOneOf({"ON", "FILESTREAM_ON"})) {
    if (!At().MayBeName() && !Is("PRIMARY") && !Is("DEFAULT")) return false;
    ++at_;
    if (Is(kOpen) && !Columns()) return false;
  }
  return true;
}

bool Parser::CreateSequence() {
  const auto name = ReadName();
  if (!name.has_value()) return false;
  NoteWrite(effect::kCreate, *name, Risk::kElevated, "makes a sequence");
  if (Skip("AS") && !Type()) return false;
  while (true) {
    if (SkipOneOf({"NO"})) {
      if (!SkipOneOf({"MINVALUE", "MAXVALUE", "CYCLE", "CACHE"})) return false;
    } else if (SkipWords({"START", "WITH"}) || SkipWords({"INCREMENT", "BY"}) ||
               SkipOneOf({"MINVALUE", "MAXVALUE", "CACHE"})) {
      SkipOperator("-");
      Skip(kNumber);
    } else if (!Skip("CYCLE")) {
      return true;
    }
  }
}

bool Parser::CreateStatistics() {
  if (!At().MayBeName()) return false;
  ++at_;
  if (!Skip("ON")) return false;
  const auto table = ReadName();
  if (!table.has_value()) return false;
  NoteWrite(effect::kCreate, *table, Risk::kElevated, "makes statistics");
  definition_ = true;
  if (!Columns()) return false;
  if (Skip("WHERE") && !Expression()) return false;
  if (!Skip("WITH")) return true;
  do {
    if (SkipOneOf({"FULLSCAN", "NORECOMPUTE"})) continue;
    if (!Skip("SAMPLE") || !Skip(kNumber) || !SkipOneOf({"PERCENT", "ROWS"})) return false;
  } while (Skip(kComma));
  return true;
}

// ALTER TABLE t [WITH CHECK | NOCHECK] ADD ...; nothing else only adds.
bool Parser::Alter() {
  const size_t verb = at_;
  ++at_;
  if (Skip("TABLE")) {
    const auto table = ReadName();
    if (!table.has_value()) return false;
    if (Is("WITH") && IsOneOf({"CHECK", "NOCHECK"}, 1)) at_ += 2;
    if (Skip("ADD")) {
      NoteWrite(effect::kAlter, *table, Risk::kElevated, "adds to a table");
      definition_ = true;
      return Definitions(0);
    }
    NoteWrite(effect::kAlter, *table, Risk::kDestructive, "changes or drops a part of a table");
    SkipToEnd();
    return true;
  }
  const bool code = IsOneOf({"PROC", "PROCEDURE", "FUNCTION", "TRIGGER", "VIEW"});
  const bool rights = IsOneOf({"LOGIN", "USER", "ROLE", "AUTHORIZATION", "SECURITY", "SERVER"});
  Add(code     ? effect::kStoredCode
      : rights ? effect::kPrivilege
               : effect::kAlter,
      tokens_.Spelling(At()), verb, Risk::kDestructive, "changes what is there");
  if (code) {
    SkipBatch();
  } else {
    SkipToEnd();
  }
  return true;
}

bool Parser::Drop() {
  Add(effect::kDrop, tokens_.Spelling(At(1)), at_, Risk::kDestructive, "drops an object");
  ++at_;
  if (!SkipOneOf({"TABLE", "VIEW", "PROC", "PROCEDURE", "FUNCTION", "SEQUENCE", "SYNONYM"})) {
    SkipToEnd();
    return true;
  }
  SkipWords({"IF", "EXISTS"});
  do {
    const auto name = ReadName();
    if (!name.has_value()) return false;
    NoteWrite(effect::kDrop, *name, Risk::kDestructive, "drops an object");
  } while (Skip(kComma));
  return true;
}

}  // namespace bridgekeeper::sqlserver
