// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/effects.h"
#include "policy/guard/mysql/statement.h"

namespace bridgekeeper::mysql {

using enum Keyword;

namespace {

constexpr Keyword kInsertWords[] = {kSet, kUpdate};
constexpr Keyword kUpdateWords[] = {kSet};

}  // namespace

bool Statement::Insert() {
  ++at_;
  SkipOneOf({kLowPriority, kDelayed, kHighPriority});
  Skip(kIgnore);
  Skip(kInto);
  const auto table = ReadName();
  if (!table.has_value()) return false;
  Write(effect::kInsert, *table, Risk::kElevated, "adds rows");
  for (size_t ahead = 0; at_ + ahead < end_; ++ahead) {
    if (Is(kDuplicate, ahead) && Is(kKey, ahead + 1) && Is(kUpdate, ahead + 2)) {
      Write(effect::kUpdate, *table, Risk::kElevated, "changes rows");
    }
  }
  // A list of columns is read as a group of names.
  Rest(kInsertWords);
  return true;
}

bool Statement::Replace() {
  ++at_;
  SkipOneOf({kLowPriority, kDelayed});
  Skip(kInto);
  const auto table = ReadName();
  if (!table.has_value()) return false;
  Write(effect::kReplace, *table, Risk::kDestructive,
        "deletes the rows that are in the way of a new one");
  Rest(kInsertWords);
  return true;
}

// UPDATE t SET ..., and UPDATE t JOIN u SET ...
bool Statement::Update() {
  ++at_;
  Skip(kLowPriority);
  Skip(kIgnore);
  const size_t tables = at_;
  const auto table = ReadName();
  if (table.has_value()) {
    Write(effect::kUpdate, *table, Risk::kElevated, "changes rows");
  } else if (Is(TokenKind::kOpen)) {
    if (!planned_) Add(effect::kUpdate, "", at_, Risk::kElevated, "changes rows");
  } else {
    return false;
  }
  at_ = tables;
  scanner_.set_writes(true);
  Rest(kUpdateWords, Scanner::Start::kTables);
  return true;
}

// DELETE FROM t, DELETE t FROM t JOIN u, DELETE FROM t USING t JOIN u.
bool Statement::Delete() {
  const size_t verb = at_++;
  while (SkipOneOf({kLowPriority, kIgnore})) {
  }
  if (at_ < end_ && tokens_.LowerName(At()) == "quick") ++at_;
  Skip(kIgnore);
  Skip(kFrom);
  const size_t tables = at_;
  const auto table = ReadName();
  if (!table.has_value()) return false;
  if (planned_) {
    at_ = tables;
  } else {
    Add(effect::kDelete, table->Full(), verb, Risk::kDestructive, "removes rows");
    at_ = tables;
    scanner_.set_writes(true);
  }
  Rest({}, Scanner::Start::kTables);
  return true;
}

}  // namespace bridgekeeper::mysql
