// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"
#include "policy/guard/mysql/catalogue.h"
#include "policy/guard/mysql/statement.h"

namespace bridgekeeper::mysql {

using enum Keyword;

namespace {

constexpr Keyword kTableWords[] = {
    kUnique, kFulltext, kSpatial, kConstraint, kForeign, kReferences, kCascade, kRestrict,
    kSet,    kUpdate,   kDelete,  kCheck,      kColumn,  kZerofill,   kVarying, kLong,
    kLinear, kMaxvalue, kAdd,     kLock,       kRead,    kWrite};
constexpr Keyword kViewWords[] = {kCheck, kCascade};

// Options of a table that say how it is kept and nothing else.
constexpr std::string_view kPlainOptions[] = {"auto_increment",
                                              "avg_row_length",
                                              "charset",
                                              "checksum",
                                              "comment",
                                              "compression",
                                              "delay_key_write",
                                              "encrypted",
                                              "encryption",
                                              "encryption_key_id",
                                              "engine",
                                              "key_block_size",
                                              "max_rows",
                                              "min_rows",
                                              "pack_keys",
                                              "page_checksum",
                                              "page_compressed",
                                              "page_compression_level",
                                              "row_format",
                                              "sequence",
                                              "stats_auto_recalc",
                                              "stats_persistent",
                                              "stats_sample_pages",
                                              "storage",
                                              "table_checksum",
                                              "transactional"};

// What begins a CREATE or ALTER that gives rights or reach.
struct Kind {
  Keyword keyword;
  std::string_view effect;
  std::string_view why;
};
constexpr Kind kHarmfulKinds[] = {
    {kUser, effect::kPrivilege, "changes who may log in"},
    {kRole, effect::kPrivilege, "changes roles"},
    {kServer, effect::kExternal, "defines another server"},
    {kFunction, effect::kStoredCode, "stores code that runs later, or loads a library"},
    {kProcedure, effect::kStoredCode, "stores code that runs later"},
    {kTrigger, effect::kStoredCode, "stores code that runs later"},
    {kEvent, effect::kStoredCode, "stores code that runs later"},
    {kPackage, effect::kStoredCode, "stores code that runs later"},
    {kTablespace, effect::kHostFile, "makes a file on the server's host"},
};

}  // namespace

bool Statement::Create() {
  const size_t verb = at_++;
  if (Skip({kOr, kReplace})) {
    Add(effect::kReplace, "", verb, Risk::kDestructive, "replaces an object that is there");
  }
  Skip(kTemporary);
  scanner_.set_definition(true);
  if (Skip(kTable)) return CreateTable();
  if (SkipOneOf({kDatabase, kSchema})) return CreateDatabase();
  if (Is(kView) || Is(kAlgorithm) || Is(kSql)) return CreateView();
  if (Skip(kSequence)) return CreateSequence();
  Skip(kOnline);
  if (SkipOneOf({kUnique, kFulltext, kSpatial}) || Is(kIndex)) return CreateIndex();
  // DEFINER = user may stand before a kind; with one, the object acts for that user.
  for (size_t i = at_; i < end_ && tokens_.list[i].kind != TokenKind::kOpen; ++i) {
    for (const Kind& kind : kHarmfulKinds) {
      if (!tokens_.list[i].Is(kind.keyword)) continue;
      Add(kind.effect, "", verb, Risk::kDestructive, kind.why);
      at_ = i + 1;
      Skip({kIf, kNot, kExists});
      ReadName();
      return true;
    }
    if (tokens_.list[i].Is(kView)) {
      Add(effect::kPrivilege, "", at_, Risk::kDestructive, "acts with the rights of another user");
      at_ = i;
      return CreateView();
    }
  }
  return false;
}

// `[IF NOT EXISTS] name` of an object that is made.
std::optional<Statement::Name> Statement::ReadNewName() {
  Skip({kIf, kNot, kExists});
  auto name = ReadName();
  if (name.has_value()) Write(effect::kCreate, *name, Risk::kElevated, "makes a new object");
  return name;
}

bool Statement::CreateTable() {
  if (!ReadNewName().has_value()) return false;
  if (Is(kLike) || (Is(TokenKind::kOpen) && Is(kLike, 1))) {
    at_ += Is(kLike) ? 1 : 2;
    Rest({}, Scanner::Start::kTables);
    return true;
  }
  if (Is(TokenKind::kOpen) && !Is(kSelect, 1) && !Is(kWith, 1) && !Is(TokenKind::kOpen, 1)) {
    const size_t behind = BehindGroup(at_);
    if (tokens_.list[behind - 1].kind != TokenKind::kClose) return false;
    const size_t begin = at_ + 1;
    at_ = begin;
    CheckWords(behind - 1, kTableWords);
    scanner_.Scan(begin, behind - 1, Scanner::Start::kDefinitions);
    at_ = behind;
  }
  if (!TableOptions()) return false;
  if (at_ == end_) return true;
  // [IGNORE] [AS] SELECT ...: the query runs now. With REPLACE it may delete.
  Skip(kIgnore);
  Skip(kAs);
  const bool query = Is(kSelect) || Is(kWith) || Is(kValues) || Is(kTable) || Is(TokenKind::kOpen);
  if (!query) return false;
  scanner_.set_definition(false);
  Rest({});
  return true;
}

// From at_ to the query, the partitions or the end: words, each on the list, and their
// values.
bool Statement::TableOptions() {
  while (at_ < end_) {
    if (Is(TokenKind::kComma)) {
      ++at_;
      continue;
    }
    if (Is(kIgnore) || Is(kAs) || Is(kSelect) || Is(kWith) || Is(kValues) || Is(kTable) ||
        Is(TokenKind::kOpen)) {
      return true;
    }
    if (Is(kPartition)) break;
    Skip(kDefault);
    const size_t option = at_;
    if (Skip({kCharacter, kSet}) || Skip(kCollate)) {
      if (IsOperator("=")) ++at_;
    } else if (At().kind == TokenKind::kWord) {
      const std::string name = tokens_.LowerName(At());
      if (std::find(std::begin(kPlainOptions), std::end(kPlainOptions), name) ==
          std::end(kPlainOptions)) {
        break;
      }
      ++at_;
      if (IsOperator("=")) ++at_;
      if (name == "engine" && at_ < end_ && !IsPlainEngine(tokens_.LowerName(At()))) break;
    } else {
      break;
    }
    if (at_ == end_ || !(At().MayBeName() || Is(TokenKind::kString) || Is(TokenKind::kNumber) ||
                         Is(kDefault) || Is(kBinary))) {
      at_ = option;
      return false;
    }
    ++at_;
  }
  if (at_ == end_) return true;
  if (!Is(kPartition)) {
    // CONNECTION, DATA DIRECTORY, UNION, an engine that reaches elsewhere ...
    Add(effect::kExternal, tokens_.Spelling(At()), at_, Risk::kDestructive,
        "is an option that may put the table's rows elsewhere");
    at_ = end_;
    return true;
  }
  // Partitions: what stands in their parentheses may name folders and engines too.
  for (size_t i = at_; i < end_; ++i) {
    const Token& token = tokens_.list[i];
    const bool value = i + 1 < end_;
    if (token.Is(kDirectory)) {
      Add(effect::kHostFile, "", i, Risk::kDestructive, "names a folder on the server's host");
    } else if (token.Is(kEngine) && value) {
      const size_t at = i + (tokens_.Spelling(tokens_.list[i + 1]) == "=" ? 2 : 1);
      if (at >= end_ || !IsPlainEngine(tokens_.LowerName(tokens_.list[at]))) {
        Add(effect::kExternal, "", i, Risk::kDestructive,
            "is an option that may put the table's rows elsewhere");
      }
    } else if (token.Is(kConnection) || token.Is(kTablespace)) {
      Add(effect::kExternal, tokens_.Spelling(token), i, Risk::kDestructive,
          "is an option that may put the table's rows elsewhere");
    }
  }
  Rest(kTableWords, Scanner::Start::kDefinitions);
  return true;
}

bool Statement::CreateView() {
  while (at_ < end_ && !Is(kView)) {
    if (Is(kDefiner) && IsOperator("=", 1)) {
      Add(effect::kPrivilege, "", at_, Risk::kDestructive, "acts with the rights of another user");
    }
    ++at_;
  }
  if (!Skip(kView) || !ReadNewName().has_value()) return false;
  if (Is(TokenKind::kOpen) && !Is(kSelect, 1)) at_ = BehindGroup(at_);
  if (!Skip(kAs)) return false;
  Rest(kViewWords);
  return true;
}

bool Statement::CreateIndex() {
  if (!Skip(kIndex)) return false;
  Skip({kIf, kNot, kExists});
  const auto index = ReadName();
  if (!index.has_value()) return false;
  if (Skip(kUsing)) ++at_;
  if (at_ >= end_ || !Skip(kOn)) return false;
  const auto table = ReadName();
  if (!table.has_value() || !Is(TokenKind::kOpen)) return false;
  Write(effect::kCreate, *index, Risk::kElevated, "makes a new index");
  scanner_.NoteSystemWrite(table->schema, table->name, tokens_.list[table->token]);
  Rest(kTableWords, Scanner::Start::kDefinitions);
  return true;
}

bool Statement::CreateDatabase() {
  Skip({kIf, kNot, kExists});
  if (at_ == end_ || !At().MayBeName()) return false;
  scanner_.CheckSchema(At());
  Add(effect::kCreate, tokens_.Name(At()), at_, Risk::kElevated, "makes a new database");
  ++at_;
  // Only how its text is kept.
  for (; at_ < end_; ++at_) {
    const bool plain = Is(kDefault) || Is(kCharacter) || Is(kSet) || Is(kCollate) || Is(kCharset) ||
                       Is(kBinary) || IsOperator("=") || At().MayBeName() || Is(TokenKind::kString);
    if (!plain) return false;
  }
  return true;
}

bool Statement::CreateSequence() {
  if (!ReadNewName().has_value()) return false;
  Rest({}, Scanner::Start::kDefinitions);
  return true;
}

bool Statement::Alter() {
  const size_t verb = at_++;
  if (Skip(kTable)) return AlterTable();
  for (const Kind& kind : kHarmfulKinds) {
    if (!Is(kind.keyword)) continue;
    Add(kind.effect, "", verb, Risk::kDestructive, kind.why);
    return true;
  }
  if (SkipOneOf({kDatabase, kSchema})) {
    if (at_ < end_ && At().MayBeName()) scanner_.CheckSchema(At());
  }
  CheckSchemas();
  Add(effect::kAlter, "", verb, Risk::kDestructive, "changes an object that is there");
  return true;
}

// ALTER TABLE t ADD ..., ADD ...: adds only where each part does.
bool Statement::AlterTable() {
  Skip({kIf, kExists});
  const auto table = ReadName();
  if (!table.has_value()) return false;
  const size_t parts = at_;
  bool adds = Is(kAdd);
  size_t depth = 0;
  for (size_t i = at_; i < end_; ++i) {
    const Token& token = tokens_.list[i];
    if (token.kind == TokenKind::kOpen) ++depth;
    if (token.kind == TokenKind::kClose && depth > 0) --depth;
    if (token.kind != TokenKind::kComma || depth > 0 || i + 1 == end_) continue;
    const Token& next = tokens_.list[i + 1];
    adds &= next.Is(kAdd) || next.Is(kAlgorithm) || next.Is(kLock);
  }
  for (size_t i = parts; adds && i < end_; ++i) {
    // ADD PARTITION may name a folder. PARTITION BY and REMOVE PARTITIONING need no
    // comma.
    const Token& token = tokens_.list[i];
    adds &= !token.Is(kDirectory) && !token.Is(kConnection) &&
            !(token.Is(kPartition) && !tokens_.list[i - 1].Is(kAdd)) &&
            !(token.kind == TokenKind::kWord && tokens_.LowerName(token) == "remove");
  }
  if (!adds) {
    Write(effect::kAlter, *table, Risk::kDestructive, "changes a table that is there");
    CheckSchemas();
    return true;
  }
  Write(effect::kAlter, *table, Risk::kElevated, "adds to a table");
  scanner_.set_definition(true);
  Rest(kTableWords, Scanner::Start::kDefinitions);
  return true;
}

bool Statement::Drop() {
  const size_t verb = at_++;
  if (Skip(kPrepare)) return Session("gives up a prepared statement");
  Skip(kTemporary);
  if (at_ == end_) return false;
  const size_t what = at_;
  if (SkipOneOf({kUser, kRole})) {
    Add(effect::kPrivilege, "", verb, Risk::kDestructive, "changes who may log in");
    return true;
  }
  if (SkipOneOf({kDatabase, kSchema})) {
    Skip({kIf, kExists});
    if (at_ < end_ && At().MayBeName()) scanner_.CheckSchema(At());
  } else {
    ++at_;
    Skip({kIf, kExists});
    CheckSchemas();
  }
  const bool named = at_ < end_ && At().MayBeName();
  Add(effect::kDrop, tokens_.Spelling(tokens_.list[named ? at_ : what]), verb, Risk::kDestructive,
      "drops an object");
  return true;
}

}  // namespace bridgekeeper::mysql
