// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/statement.h"

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"

namespace bridgekeeper::mysql {

using enum Keyword;

Statement::Statement(const Tokens& tokens, Range range, const Reading& reading,
                     const JudgeOptions& options, JudgementBuilder& found)
    : tokens_(tokens),
      at_(range.begin),
      end_(range.end),
      found_(found),
      scanner_(tokens, reading, options, found) {}

void Statement::Judge() {
  const size_t verb = at_;
  if (!JudgeVerb()) Unknown(at_ < end_ ? at_ : verb);
}

// ---- tokens ----

bool Statement::IsOperator(std::string_view spelling, size_t ahead) const {
  return Is(TokenKind::kOperator, ahead) && tokens_.Spelling(At(ahead)) == spelling;
}

bool Statement::Skip(Keyword keyword) {
  if (!Is(keyword)) return false;
  ++at_;
  return true;
}

bool Statement::Skip(std::initializer_list<Keyword> keywords) {
  size_t ahead = 0;
  for (const Keyword keyword : keywords) {
    if (!Is(keyword, ahead++)) return false;
  }
  at_ += ahead;
  return true;
}

bool Statement::SkipOneOf(std::initializer_list<Keyword> keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [&](Keyword word) { return Skip(word); });
}

size_t Statement::BehindGroup(size_t open) const {
  size_t depth = 0;
  for (size_t i = open; i < end_; ++i) {
    const TokenKind kind = tokens_.list[i].kind;
    if (kind == TokenKind::kOpen) ++depth;
    if (kind == TokenKind::kClose && --depth == 0) return i + 1;
  }
  return end_;
}

std::optional<Statement::Name> Statement::ReadName() {
  if (at_ == end_ || !At().MayBeName()) return std::nullopt;
  Name name;
  name.token = at_;
  if (Is(TokenKind::kDot, 1) && (Is(TokenKind::kWord, 2) || Is(TokenKind::kQuoted, 2))) {
    scanner_.CheckSchema(At());
    name.schema = tokens_.LowerName(At());
    at_ += 2;
  }
  name.name = tokens_.LowerName(At());
  ++at_;
  return name;
}

void Statement::CheckSchemas() {
  for (size_t i = at_; i + 1 < end_; ++i) {
    const Token& token = tokens_.list[i];
    const bool first = i == at_ || tokens_.list[i - 1].kind != TokenKind::kDot;
    if (first && token.MayBeName() && tokens_.list[i + 1].kind == TokenKind::kDot) {
      scanner_.CheckSchema(token);
    }
  }
}

// ---- effects ----

void Statement::Add(std::string_view kind, std::string_view object, size_t token, Risk risk,
                    std::string_view why) {
  found_.Add(kind, object, tokens_.list[token].begin, risk, why);
}

void Statement::Unknown(size_t token) {
  Add(effect::kUnknown, tokens_.Spelling(tokens_.list[token]), token, Risk::kDestructive,
      "is no statement that is known");
}

void Statement::Write(std::string_view kind, const Name& target, Risk risk, std::string_view why) {
  if (planned_) return;
  scanner_.NoteSystemWrite(target.schema, target.name, tokens_.list[target.token]);
  Add(kind, target.Full(), target.token, risk, why);
}

void Statement::CheckWords(size_t end, std::span<const Keyword> more) {
  for (size_t i = at_; i < end; ++i) {
    const Token& token = tokens_.list[i];
    if (!token.IsReservedWord()) continue;
    const Place place = PlaceOf(token.keyword);
    if (place == Place::kQuery) continue;
    const bool call = i + 1 < end && tokens_.list[i + 1].kind == TokenKind::kOpen;
    // LEFT and RIGHT stand before JOIN and OUTER too.
    const bool join = token.Is(kLeft) || token.Is(kRight);
    if (place == Place::kFunction && (call || join)) continue;
    if (std::find(more.begin(), more.end(), token.keyword) != more.end()) continue;
    const Token* const before = i > 0 ? &tokens_.list[i - 1] : nullptr;
    if (token.Is(kSet) && before != nullptr && (before->Is(kCharacter) || before->Is(kChar))) {
      continue;
    }
    // FOR UPDATE, INTO OUTFILE: noted for what they do.
    if (before != nullptr &&
        ((token.Is(kUpdate) && before->Is(kFor)) || (token.Is(kOutfile) && before->Is(kInto)))) {
      continue;
    }
    Add(effect::kUnknown, NameOf(token.keyword), i, Risk::kDestructive,
        "is a word that has no place here");
  }
}

void Statement::Rest(std::span<const Keyword> more, Scanner::Start start) {
  CheckWords(end_, more);
  scanner_.Scan(at_, end_, start);
  at_ = end_;
}

// ---- the list ----

struct Statement::Verb {
  Keyword keyword;
  // Under EXPLAIN it is only planned; the others cannot stand there.
  bool can_be_planned;
  bool (*judge)(Statement&);
};

bool Statement::JudgeVerb() {
  static constexpr Verb kVerbs[] = {
      {kSelect, true, [](Statement& s) { return s.Query(); }},
      {kValues, true, [](Statement& s) { return s.Query(); }},
      {kTable, true, [](Statement& s) { return s.Query(); }},
      {kWith, true, [](Statement& s) { return s.With(); }},
      {kInsert, true, [](Statement& s) { return s.Insert(); }},
      {kReplace, true, [](Statement& s) { return s.Replace(); }},
      {kUpdate, true, [](Statement& s) { return s.Update(); }},
      {kDelete, true, [](Statement& s) { return s.Delete(); }},
      {kShow, false, [](Statement& s) { return s.Show(); }},
      {kExplain, false, [](Statement& s) { return s.Explain(); }},
      {kDescribe, false, [](Statement& s) { return s.Explain(); }},
      {kDesc, false, [](Statement& s) { return s.Explain(); }},
      {kAnalyze, false, [](Statement& s) { return s.Analyze(); }},
      {kHelp, false, [](Statement& s) { return s.Help(); }},
      {kCreate, false, [](Statement& s) { return s.Create(); }},
      {kAlter, false, [](Statement& s) { return s.Alter(); }},
      {kDrop, false, [](Statement& s) { return s.Drop(); }},
      {kTruncate, false,
       [](Statement& s) { return s.Harmful(effect::kTruncate, "removes all rows"); }},
      {kRename, false, [](Statement& s) { return s.Harmful(effect::kRename, "renames objects"); }},
      {kGrant, false, [](Statement& s) { return s.Harmful(effect::kPrivilege, "gives rights"); }},
      {kRevoke, false, [](Statement& s) { return s.Harmful(effect::kPrivilege, "takes rights"); }},
      {kCall, false,
       [](Statement& s) {
         return s.Harmful(effect::kStoredCode, "runs a procedure that is not looked into");
       }},
      {kDo, false,
       [](Statement& s) {
         return s.Harmful(effect::kFunction, "evaluates expressions for what they do");
       }},
      {kPrepare, false,
       [](Statement& s) { return s.Harmful(effect::kDynamicCode, "makes a statement of a text"); }},
      {kExecute, false,
       [](Statement& s) { return s.Harmful(effect::kDynamicCode, "runs a text as a statement"); }},
      {kDeallocate, false, [](Statement& s) { return s.Session("gives up a prepared statement"); }},
      {kLoad, false,
       [](Statement& s) {
         return s.Harmful(effect::kHostFile, "reads a file of the server's host or the client's");
       }},
      {kImport, false,
       [](Statement& s) {
         return s.Harmful(effect::kHostFile, "reads files of the server's host");
       }},
      {kInstall, false,
       [](Statement& s) { return s.Harmful(effect::kExtension, "loads code into the server"); }},
      {kUninstall, false,
       [](Statement& s) { return s.Harmful(effect::kExtension, "takes code from the server"); }},
      {kKill, false,
       [](Statement& s) { return s.Harmful(effect::kOtherSession, "ends another session"); }},
      {kFlush, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "changes what the server keeps"); }},
      {kReset, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "changes what the server keeps"); }},
      {kPurge, false, [](Statement& s) { return s.Harmful(effect::kServer, "removes logs"); }},
      {kChange, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "changes the replication"); }},
      {kStop, false, [](Statement& s) { return s.Harmful(effect::kServer, "stops replication"); }},
      {kClone, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "copies or replaces the server"); }},
      {kBinlog, false,
       [](Statement& s) { return s.Harmful(effect::kDynamicCode, "runs events of a log"); }},
      {kBackup, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "stops writes to the server"); }},
      {kShutdown, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "stops the server"); }},
      {kRestart, false,
       [](Statement& s) { return s.Harmful(effect::kServer, "stops the server"); }},
      {kXa, false,
       [](Statement& s) {
         return s.Harmful(effect::kTransaction, "controls a transaction over several servers");
       }},
      {kDelimiter, false,
       [](Statement& s) {
         return s.Harmful(effect::kUnknown, "is a command of the mysql client, no statement");
       }},
      {kRepair, false,
       [](Statement& s) {
         return s.Harmful(effect::kMaintenance, "rewrites a table and may lose rows");
       }},
      {kCheck, false, [](Statement& s) { return s.Maintain(); }},
      {kOptimize, false, [](Statement& s) { return s.Maintain(); }},
      {kChecksum, false, [](Statement& s) { return s.Checksum(); }},
      {kSet, false, [](Statement& s) { return s.Set(); }},
      {kUse, false, [](Statement& s) { return s.Use(); }},
      {kHandler, false, [](Statement& s) { return s.Handler(); }},
      {kLock, false, [](Statement& s) { return s.LockTables(); }},
      {kUnlock, false, [](Statement& s) { return s.LockTables(); }},
      {kStart, false, [](Statement& s) { return s.Transact(); }},
      {kBegin, false, [](Statement& s) { return s.Transact(); }},
      {kCommit, false, [](Statement& s) { return s.Transact(); }},
      {kRollback, false, [](Statement& s) { return s.Transact(); }},
      {kSavepoint, false, [](Statement& s) { return s.Transact(); }},
      {kRelease, false, [](Statement& s) { return s.Transact(); }}};
  if (at_ == end_) return false;
  if (Is(TokenKind::kOpen)) return Group();
  if (At().kind != TokenKind::kWord) return false;
  for (const Verb& verb : kVerbs) {
    if (verb.keyword != At().keyword) continue;
    if (planned_ && !verb.can_be_planned) return false;
    return verb.judge(*this);
  }
  return false;
}

bool Statement::Query() {
  Rest({});
  return true;
}

// `(SELECT ...) UNION ...`
bool Statement::Group() {
  size_t ahead = 0;
  while (Is(TokenKind::kOpen, ahead)) ++ahead;
  const bool query =
      Is(kSelect, ahead) || Is(kValues, ahead) || Is(kTable, ahead) || Is(kWith, ahead);
  return query && Query();
}

// WITH a AS (...), ... SELECT, UPDATE or DELETE.
bool Statement::With() {
  const size_t begin = at_;
  ++at_;
  Skip(kRecursive);
  do {
    if (at_ == end_ || !At().MayBeName()) return false;
    ++at_;
    if (Is(TokenKind::kOpen)) at_ = BehindGroup(at_);
    if (!Skip(kAs) || !Is(TokenKind::kOpen)) return false;
    at_ = BehindGroup(at_);
  } while (Is(TokenKind::kComma) && ++at_ < end_);
  if (at_ == end_) return false;
  const size_t verb = at_;
  at_ = begin;
  CheckWords(verb, {});
  scanner_.Scan(begin, verb, Scanner::Start::kExpression);
  at_ = verb;
  const bool may_follow = Is(kSelect) || Is(kValues) || Is(kTable) || Is(kUpdate) || Is(kDelete) ||
                          Is(TokenKind::kOpen);
  return may_follow && JudgeVerb();
}

// ---- what belongs to a session ----

// A statement that is known to do harm, whatever follows.
bool Statement::Harmful(std::string_view kind, std::string_view why) {
  Add(kind, NameOf(At().keyword), at_, Risk::kDestructive, why);
  ++at_;
  CheckSchemas();
  return true;
}

bool Statement::Session(std::string_view why) {
  Add(effect::kSession, "", at_, Risk::kElevated, why);
  return true;
}

bool Statement::Transact() {
  const size_t verb = at_;
  if (Skip(kStart)) {
    // START SLAVE, START GROUP_REPLICATION
    if (!Is(kTransaction)) {
      at_ = verb;
      return Harmful(effect::kServer, "starts replication");
    }
  } else if (Skip(kBegin)) {
    Skip(kWork);
    if (at_ != end_) {  // BEGIN NOT ATOMIC
      at_ = verb;
      return Harmful(effect::kDynamicCode, "runs a block of statements");
    }
  } else if (Skip(kRelease)) {
    if (!Skip(kSavepoint)) return false;
  }
  Add(effect::kTransaction, "", verb, Risk::kElevated, "controls the transaction");
  return true;
}

bool Statement::Maintain() {
  const size_t verb = at_++;
  SkipOneOf({kNoWriteToBinlog, kLocal});
  if (!SkipOneOf({kTable, kTables})) return false;
  CheckSchemas();
  const auto table = ReadName();
  if (!table.has_value()) return false;
  Add(effect::kMaintenance, table->Full(), verb, Risk::kElevated,
      "checks or rewrites a table, its indexes or their statistics");
  return true;
}

bool Statement::Checksum() {
  ++at_;
  if (!SkipOneOf({kTable, kTables})) return false;
  Rest({}, Scanner::Start::kTables);
  return true;
}

// LOCK TABLES t READ, UNLOCK TABLES; LOCK INSTANCE FOR BACKUP is not known.
bool Statement::LockTables() {
  const size_t verb = at_++;
  if (!SkipOneOf({kTables, kTable})) return false;
  CheckSchemas();
  Add(effect::kLock, "", verb, Risk::kElevated, "takes or gives up locks of tables");
  return true;
}

bool Statement::Handler() {
  const size_t verb = at_++;
  const auto table = ReadName();
  if (!table.has_value()) return false;
  if (Is(kOpen)) {
    scanner_.NoteTable(table->schema, table->name, tokens_.list[table->token]);
  } else if (!Is(kRead) && !(at_ < end_ && tokens_.LowerName(At()) == "close")) {
    return false;
  }
  Add(effect::kSession, table->Full(), verb, Risk::kElevated,
      "reads through a handle of the session");
  const Keyword kMore[] = {kRead};
  Rest(kMore);
  return true;
}

// SET @a = 1, @b = 2 is a matter of the session; every other SET changes a setting, a
// password or a role.
bool Statement::Set() {
  const size_t verb = at_++;
  size_t depth = 0;
  bool variable_next = true;
  bool variables_only = at_ < end_;
  for (size_t i = at_; i < end_; ++i) {
    const Token& token = tokens_.list[i];
    if (variable_next) {
      const bool assigned = i + 1 < end_ && (tokens_.list[i + 1].kind == TokenKind::kAssign ||
                                             tokens_.Spelling(tokens_.list[i + 1]) == "=");
      variables_only &= token.kind == TokenKind::kVariable && assigned;
    }
    if (token.kind == TokenKind::kOpen) ++depth;
    if (token.kind == TokenKind::kClose && depth > 0) --depth;
    variable_next = token.kind == TokenKind::kComma && depth == 0;
  }
  if (!variables_only) {
    at_ = verb;
    return Harmful(effect::kSetting, "changes a setting, a password or a role");
  }
  Add(effect::kSession, "", verb, Risk::kElevated, "sets variables");
  Rest({});
  return true;
}

bool Statement::Help() {
  ++at_;
  if (at_ == end_) return false;
  ++at_;
  return at_ == end_;
}

// What every later name of the session means goes by it.
bool Statement::Use() {
  const size_t verb = at_++;
  if (at_ + 1 != end_ || !At().MayBeName()) return false;
  scanner_.CheckSchema(At());
  Add(effect::kSetting, tokens_.Name(At()), verb, Risk::kDestructive,
      "changes the database that later names are looked up in");
  return true;
}

// ---- where statements end ----

namespace {

// CREATE ... PROCEDURE, FUNCTION, TRIGGER, EVENT, PACKAGE, or BEGIN NOT ATOMIC, at `at`.
bool IsProgram(const Tokens& tokens, size_t at) {
  const std::vector<Token>& list = tokens.list;
  if (list[at].Is(kBegin)) return at + 1 < list.size() && list[at + 1].Is(kNot);
  if (!list[at].Is(kCreate) && !list[at].Is(kAlter)) return false;
  for (size_t i = at + 1; i < list.size() && list[i].kind != TokenKind::kSemicolon; ++i) {
    const Token& token = list[i];
    if (token.Is(kProcedure) || token.Is(kFunction) || token.Is(kTrigger) || token.Is(kEvent) ||
        token.Is(kPackage)) {
      return true;
    }
    // A body can stand behind none of these.
    if (token.kind == TokenKind::kOpen || token.Is(kTable) || token.Is(kView)) return false;
  }
  return false;
}

// The semicolon that ends the statement at `begin`, or the end of the text.
size_t EndOf(const Tokens& tokens, size_t begin) {
  const std::vector<Token>& list = tokens.list;
  const bool program = IsProgram(tokens, begin);
  size_t depth = 0;
  for (size_t i = begin; i < list.size(); ++i) {
    if (list[i].kind == TokenKind::kSemicolon && depth == 0) return i;
    if (!program) continue;
    // IF, LOOP, REPEAT and WHILE stand within a BEGIN, and END IF closes none.
    if (list[i].Is(kBegin) || list[i].Is(kCase)) {
      const bool closes = i > 0 && list[i - 1].Is(kEnd);
      if (!closes) ++depth;
    } else if (list[i].Is(kEnd) && depth > 0) {
      const bool inner = i + 1 < list.size() && (list[i + 1].Is(kIf) || list[i + 1].Is(kLoop) ||
                                                 list[i + 1].Is(kRepeat) || list[i + 1].Is(kWhile));
      if (!inner) --depth;
    }
  }
  return list.size();
}

}  // namespace

std::vector<Range> SplitStatements(const Tokens& tokens) {
  std::vector<Range> statements;
  for (size_t begin = 0; begin < tokens.list.size();) {
    const size_t end = EndOf(tokens, begin);
    if (end > begin) statements.push_back({begin, end});
    begin = end + 1;
  }
  return statements;
}

}  // namespace bridgekeeper::mysql
