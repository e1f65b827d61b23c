// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "policy/guard/effects.h"
#include "policy/guard/mysql/catalogue.h"
#include "policy/guard/mysql/statement.h"

namespace bridgekeeper::mysql {

using enum Keyword;

bool Statement::Show() {
  ++at_;
  if (Skip(kCreate)) return ShowCreate();
  if (Is(kCount) && Is(TokenKind::kOpen, 1)) {
    at_ = BehindGroup(at_ + 1);
    return SkipOneOf({kWarnings, kErrors}) && at_ == end_;
  }
  SkipOneOf({kFull, kExtended});
  Skip(kFull);
  Skip(kStorage);
  SkipOneOf({kGlobal, kSession, kLocal});
  if (at_ == end_) return false;
  if (Is(kVariables)) return ShowVariables();
  if (SkipOneOf(
          {kDatabases, kSchemas, kStatus, kEngines, kPlugins, kPrivileges, kCollation, kCharset}) ||
      Skip({kCharacter, kSet}) || Skip({kProcedure, kStatus}) || Skip({kFunction, kStatus}) ||
      Skip({kPackage, kStatus})) {
    return Filter();
  }
  if (SkipOneOf({kWarnings, kErrors})) {
    Rest({});
    return true;
  }
  if (SkipOneOf({kTables, kTriggers, kEvents}) || Skip({kOpen, kTables}) ||
      Skip({kTable, kStatus})) {
    return ShowOf(false);
  }
  if (SkipOneOf({kColumns, kFields, kIndex, kIndexes, kKeys})) return ShowOf(true);
  if (Is(kGrants)) {  // MariaDB shows the hash of the password with them
    scanner_.NoteShows(Shows::kSecret, "GRANTS", At());
    return true;
  }
  if (Is(kProcesslist) || Is(kMaster) || Is(kSlave) || Is(kReplica) || Is(kBinlog) || Is(kBinary) ||
      Is(kEngine) || Is(kProfile) || Is(kProfiles) || Is(kExplain) || Is(kAnalyze) || Is(kLogs)) {
    // Names are of users, connections, files of logs and engines: none of a database's.
    scanner_.NoteShows(Shows::kSensitive, NameOf(At().keyword), At());
    return true;
  }
  return false;
}

// SHOW CREATE TABLE t, ... DATABASE d, ... USER u
bool Statement::ShowCreate() {
  if (Is(kUser)) {
    scanner_.NoteShows(Shows::kSecret, "USER", At());
    return true;
  }
  if (SkipOneOf({kDatabase, kSchema})) {
    Skip({kIf, kNot, kExists});
    if (at_ == end_ || !At().MayBeName()) return false;
    scanner_.CheckSchema(At());
    ++at_;
    return at_ == end_;
  }
  if (!SkipOneOf({kTable, kView, kProcedure, kFunction, kTrigger, kEvent, kSequence, kPackage})) {
    return false;
  }
  return ReadName().has_value() && at_ == end_;
}

bool Statement::ShowVariables() {
  const Token& variables = At();
  ++at_;
  const bool named = Is(kLike) && Is(TokenKind::kString, 1) && at_ + 2 == end_;
  if (named) {
    const std::string_view quoted = tokens_.Spelling(At(1));
    const std::string_view pattern = quoted.substr(1, quoted.size() - 2);
    scanner_.NoteShows(VariablesShow(pattern), pattern, variables);
    return true;
  }
  // WHERE Variable_name = 'x' and IN ('x', 'y'), and nothing else about it.
  bool plain = Is(kWhere) && at_ + 1 < end_ && tokens_.LowerName(At(1)) == "variable_name" &&
               (IsOperator("=", 2) || Is(kIn, 2));
  size_t strings = 0;
  size_t commas = 0;
  Shows shows = Shows::kPlain;
  for (size_t i = at_ + 3; plain && i < end_; ++i) {
    const Token& token = tokens_.list[i];
    if (token.kind == TokenKind::kString) {
      const std::string_view quoted = tokens_.Spelling(token);
      ++strings;
      shows = std::max(shows, VariablesShow(quoted.substr(1, quoted.size() - 2)));
      // Strings without a comma between them are one.
      plain = quoted.find('%') == quoted.npos && strings == commas + 1;
    } else {
      if (token.kind == TokenKind::kComma) ++commas;
      plain = token.kind == TokenKind::kOpen || token.kind == TokenKind::kClose ||
              token.kind == TokenKind::kComma;
    }
  }
  if (plain && strings > 0) {
    scanner_.NoteShows(shows, "VARIABLES", variables);
    return true;
  }
  scanner_.NoteShows(Shows::kSecret, "VARIABLES", variables);  // all of them
  return Filter();
}

// [FROM table] [FROM database] [LIKE 'x' | WHERE ...], where IN means FROM.
bool Statement::ShowOf(bool table) {
  if (table && !(SkipOneOf({kFrom, kIn}) && ReadName().has_value())) return false;
  if (SkipOneOf({kFrom, kIn})) {
    if (at_ == end_ || !At().MayBeName()) return false;
    scanner_.CheckSchema(At());
    ++at_;
  }
  return Filter();
}

bool Statement::Filter() {
  if (at_ == end_) return true;
  if (!Is(kLike) && !Is(kWhere)) return false;
  Rest({});
  return true;
}

// DESCRIBE t [column], EXPLAIN statement, EXPLAIN ANALYZE statement
bool Statement::Explain() {
  ++at_;
  if (at_ == end_) return false;
  if (Is(kFor)) {  // FOR CONNECTION n
    scanner_.NoteShows(Shows::kSensitive, "CONNECTION", At());
    return Is(kConnection, 1) && Is(TokenKind::kNumber, 2) && at_ + 3 == end_;
  }
  bool runs = Skip(kAnalyze);
  while (at_ < end_) {
    if (Is(kFormat) && IsOperator("=", 1)) {
      at_ += 3;
      // EXPLAIN FORMAT=JSON INTO @x
      if (Is(kInto)) return false;
      if (Is(kFor)) {
        scanner_.NoteShows(Shows::kSensitive, "CONNECTION", At());
        return Is(kConnection, 1) && Is(TokenKind::kNumber, 2) && at_ + 3 == end_;
      }
    } else if (!SkipOneOf({kExtended, kPartitions})) {
      break;
    }
  }
  runs |= Skip(kAnalyze);
  if (at_ >= end_) return false;
  const bool statement = Is(kSelect) || Is(kWith) || Is(kValues) || Is(kInsert) || Is(kReplace) ||
                         Is(kUpdate) || Is(kDelete) || Is(kTable) || Is(TokenKind::kOpen);
  if (statement) return Planned(runs);
  if (runs || !ReadName().has_value()) return false;
  // A column's name or a pattern.
  if (at_ < end_ && (At().MayBeName() || Is(TokenKind::kString))) ++at_;
  return at_ == end_;
}

// MariaDB's ANALYZE statement runs it; ANALYZE TABLE is maintenance.
bool Statement::Analyze() {
  if (Is(kTable, 1) || Is(kTables, 1) || Is(kLocal, 1) || Is(kNoWriteToBinlog, 1)) {
    return Maintain();
  }
  ++at_;
  if (Is(kFormat) && IsOperator("=", 1)) at_ += 3;
  if (at_ >= end_) return false;
  const bool statement = Is(kSelect) || Is(kWith) || Is(kValues) || Is(kInsert) || Is(kReplace) ||
                         Is(kUpdate) || Is(kDelete) || Is(TokenKind::kOpen);
  return statement && Planned(true);
}

bool Statement::Planned(bool runs) {
  planned_ = !runs;
  scanner_.set_planned(planned_);
  return JudgeVerb();
}

}  // namespace bridgekeeper::mysql
