// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/shapes.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policy/guard/effects.h"
#include "policy/guard/sqlite/inventory.h"
#include "policy/guard/sqlite/scan.h"

namespace bridgekeeper::sqlite {
namespace {

using enum Keyword;

// The reserved words that a query may hold without quotes. With any other SQLite's
// grammar refuses it.
constexpr Keyword kQueryWords[] = {
    kAll,    kAnd,    kAs,    kBetween, kCase,   kCollate, kDistinct,  kElse,  kEscape,
    kExcept, kExists, kFrom,  kGroup,   kHaving, kIn,      kIntersect, kIs,    kIsnull,
    kJoin,   kLimit,  kNot,   kNotnull, kNull,   kOn,      kOr,        kOrder, kSelect,
    kThen,   kUnion,  kUsing, kValues,  kWhen,   kWhere};
constexpr Keyword kInsertWords[] = {kDefault, kSet, kUpdate, kNothing, kReturning};
constexpr Keyword kUpdateWords[] = {kSet, kReturning};
constexpr Keyword kDeleteWords[] = {kReturning};
constexpr Keyword kDefinitionWords[] = {
    kPrimary,    kUnique,     kCheck, kDefault, kConstraint, kForeign, kAutoincrement,
    kReferences, kDeferrable, kSet,   kDelete,  kUpdate,     kInsert};

// Commands of a full-text table that lose nothing; the rest delete rows, or name a
// function that runs later.
constexpr std::string_view kFullTextUpkeep[] = {
    "automerge", "crisismerge", "flush",   "integrity-check", "merge",
    "optimize",  "pgsz",        "rebuild", "usermerge"};

// Options of a full-text table that read another table, or call a function, whenever
// it is read or written.
constexpr std::string_view kReachingOptions[] = {"compress", "content", "uncompress"};

// Of those, what fts5 takes for it as soon as one letter of it is there.
constexpr std::string_view kAbbreviated = "content";

template <typename Range, typename T>
bool Contains(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

class Statement {
 public:
  Statement(const Tokens& tokens, Range range, const JudgeOptions& options, JudgementBuilder& found)
      : tokens_(tokens),
        at_(range.begin),
        end_(range.end),
        found_(found),
        scanner_(tokens, options, found) {}

  void Judge() {
    const size_t verb = at_;
    if (Skip(kExplain)) {
      if (Skip(kQuery) && !Skip(kPlan)) return Unknown(verb);
      planned_ = true;
    }
    if (at_ == end_ || !JudgeVerb(At().keyword)) Unknown(at_ == end_ ? verb : at_);
  }

 private:
  // ---- tokens ----

  const Token& At(size_t ahead = 0) const { return tokens_.list[at_ + ahead]; }
  bool Is(Keyword keyword, size_t ahead = 0) const {
    return at_ + ahead < end_ && At(ahead).Is(keyword);
  }
  bool Is(TokenKind kind, size_t ahead = 0) const {
    return at_ + ahead < end_ && At(ahead).kind == kind;
  }
  bool Skip(Keyword keyword) {
    if (!Is(keyword)) return false;
    ++at_;
    return true;
  }
  bool Skip(std::initializer_list<Keyword> keywords) {
    size_t ahead = 0;
    for (const Keyword keyword : keywords) {
      if (!Is(keyword, ahead++)) return false;
    }
    at_ += ahead;
    return true;
  }

  // From `(` to behind its `)`; to the end where there is none.
  size_t BehindGroup(size_t open) const {
    size_t depth = 0;
    for (size_t i = open; i < end_; ++i) {
      const TokenKind kind = tokens_.list[i].kind;
      if (kind == TokenKind::kOpen) ++depth;
      if (kind == TokenKind::kClose && --depth == 0) return i + 1;
    }
    return end_;
  }

  struct Name {
    size_t token = 0;
    std::string schema;  // may be empty
    std::string name;

    std::string Full() const { return schema.empty() ? name : schema + "." + name; }
  };

  // `[schema.]name`; a schema that is not covered is noted.
  std::optional<Name> ReadName() {
    if (at_ == end_ || !At().MayBeObjectName()) return std::nullopt;
    Name name;
    if (Is(TokenKind::kDot, 1) && at_ + 2 < end_ && At(2).MayBeObjectName()) {
      scanner_.CheckSchema(At());
      name.schema = tokens_.Name(At());
      at_ += 2;
    }
    name.token = at_;
    name.name = tokens_.Name(At());
    ++at_;
    return name;
  }

  // ---- effects ----

  void Add(std::string_view kind, std::string_view object, size_t token, Risk risk,
           std::string_view why) {
    found_.Add(kind, object, tokens_.list[token].begin, risk, why);
  }

  void Unknown(size_t token) {
    Add(effect::kUnknown, tokens_.Spelling(tokens_.list[token]), token, Risk::kDestructive,
        "is no statement that is known");
  }

  // Notes a write to `target`.
  void Write(std::string_view kind, const Name& target, Risk risk, std::string_view why) {
    if (planned_) return;
    if (IsSystemTable(target.name)) {
      Add(effect::kSystemWrite, target.Full(), target.token, Risk::kDestructive,
          "writes to a table that SQLite keeps for itself");
    }
    Add(kind, target.Full(), target.token, risk, why);
  }

  // Notes each reserved word from at_ to `end` that has no place there.
  void CheckWords(size_t end, std::span<const Keyword> more) {
    for (size_t i = at_; i < end; ++i) {
      const Token& token = tokens_.list[i];
      if (!token.IsReservedWord() || Contains(kQueryWords, token.keyword) ||
          Contains(more, token.keyword)) {
        continue;
      }
      Add(effect::kUnknown, NameOf(token.keyword), i, Risk::kDestructive,
          "is a word that has no place here");
    }
  }

  // Checks and scans the rest of the statement.
  void Rest(std::span<const Keyword> more, Scanner::Start start = Scanner::Start::kExpression) {
    CheckWords(end_, more);
    scanner_.Scan(at_, end_, start);
    at_ = end_;
  }

  // ---- statements ----

  struct Verb {
    Keyword keyword;
    // Under EXPLAIN it is only planned. The others act while they are compiled.
    bool can_be_planned;
    // Returns false where the shape is not known; then at_ is where it stopped being so.
    bool (*judge)(Statement&);
  };

  bool JudgeVerb(Keyword keyword) {
    static constexpr Verb kVerbs[] = {
        {kSelect, true, [](Statement& s) { return s.Query(); }},
        {kValues, true, [](Statement& s) { return s.Query(); }},
        {kWith, true, [](Statement& s) { return s.With(); }},
        {kInsert, true, [](Statement& s) { return s.Insert(); }},
        {kReplace, true, [](Statement& s) { return s.Insert(); }},
        {kUpdate, true, [](Statement& s) { return s.Update(); }},
        {kDelete, true, [](Statement& s) { return s.Delete(); }},
        {kCreate, false, [](Statement& s) { return s.Create(); }},
        {kAlter, false, [](Statement& s) { return s.Alter(); }},
        {kDrop, false, [](Statement& s) { return s.Drop(); }},
        {kAttach, false, [](Statement& s) { return s.Attach(); }},
        {kDetach, false, [](Statement& s) { return s.Detach(); }},
        {kVacuum, false, [](Statement& s) { return s.Vacuum(); }},
        {kReindex, false, [](Statement& s) { return s.Maintain(); }},
        {kAnalyze, false, [](Statement& s) { return s.Maintain(); }},
        {kPragma, false, [](Statement& s) { return s.Pragma(); }},
        {kBegin, false, [](Statement& s) { return s.Transact(); }},
        {kCommit, false, [](Statement& s) { return s.Transact(); }},
        {kEnd, false, [](Statement& s) { return s.Transact(); }},
        {kRollback, false, [](Statement& s) { return s.Transact(); }},
        {kSavepoint, false, [](Statement& s) { return s.Transact(); }},
        {kRelease, false, [](Statement& s) { return s.Transact(); }}};
    for (const Verb& verb : kVerbs) {
      if (verb.keyword != keyword) continue;
      planned_ &= verb.can_be_planned;
      return verb.judge(*this);
    }
    return false;
  }

  bool Query() {
    Rest({});
    return true;
  }

  bool Attach() {
    Add(effect::kHostFile, FileName(), at_, Risk::kDestructive,
        "opens a file of the host, and makes it where there is none");
    return true;
  }

  bool Detach() {
    Add(effect::kSession, "", at_, Risk::kDestructive, "takes a database from the connection");
    return true;
  }

  bool Transact() {
    Add(effect::kTransaction, "", at_, Risk::kElevated, "controls the transaction");
    return true;
  }

  // WITH a AS (...), ... SELECT, INSERT, UPDATE or DELETE.
  bool With() {
    const size_t begin = at_;
    ++at_;
    Skip(kRecursive);
    do {
      if (at_ == end_ || !At().MayBeObjectName()) return false;
      ++at_;
      if (Is(TokenKind::kOpen)) at_ = BehindGroup(at_);
      if (!Skip(kAs)) return false;
      Skip(kNot);
      Skip(kMaterialized);
      if (!Is(TokenKind::kOpen)) return false;
      at_ = BehindGroup(at_);
    } while (Is(TokenKind::kComma) && ++at_ < end_);
    if (at_ == end_) return false;
    const size_t verb = at_;
    at_ = begin;
    CheckWords(verb, {});
    scanner_.Scan(begin, verb, Scanner::Start::kExpression);
    at_ = verb;
    constexpr Keyword kMayFollow[] = {kSelect, kValues, kInsert, kReplace, kUpdate, kDelete};
    return Contains(kMayFollow, At().keyword) && JudgeVerb(At().keyword);
  }

  // What OR says; kNone without it.
  Keyword SkipOr() {
    if (!Is(kOr) || at_ + 1 == end_) return kNone;
    const Keyword resolution = At(1).keyword;
    at_ += 2;
    return resolution;
  }

  bool Insert() {
    bool replaces = At().Is(kReplace);
    ++at_;
    replaces |= SkipOr() == kReplace;
    if (!Skip(kInto)) return false;
    const auto table = ReadName();
    if (!table.has_value()) return false;
    if (replaces) {
      Write(effect::kReplace, *table, Risk::kDestructive,
            "deletes the rows that are in the way of a new one");
    } else {
      Write(effect::kInsert, *table, Risk::kElevated, "adds rows");
    }
    if (Skip(kAs) && at_ < end_) ++at_;  // its other name
    if (Is(TokenKind::kOpen)) Columns(*table);
    scanner_.set_upsert(true);
    Rest(kInsertWords);
    return true;
  }

  // The columns of an INSERT. One with the table's own name is how a full-text table
  // takes commands.
  void Columns(const Name& table) {
    const size_t behind = BehindGroup(at_);
    bool command = false;
    for (; at_ < behind; ++at_) {
      command |= At().MayBeObjectName() && tokens_.Name(At()) == table.name;
    }
    if (!command || planned_) return;
    // The command stands alone, or before its number: `VALUES ('merge', 4)`. What is
    // not spelled out is not known.
    size_t strings = 0;
    bool upkeep = true;
    for (size_t i = at_; i < end_; ++i) {
      const Token& token = tokens_.list[i];
      if (token.kind == TokenKind::kString) {
        ++strings;
        upkeep &= Contains(kFullTextUpkeep, tokens_.Name(token));
      } else {
        upkeep &= token.Is(kValues) || token.kind == TokenKind::kOpen ||
                  token.kind == TokenKind::kClose || token.kind == TokenKind::kComma ||
                  token.kind == TokenKind::kNumber || token.kind == TokenKind::kOperator;
      }
    }
    if (upkeep && strings == 1) {
      Add(effect::kMaintenance, table.Full(), table.token, Risk::kElevated,
          "is a command for a full-text table, and loses nothing");
    } else {
      Add(effect::kDelete, table.Full(), table.token, Risk::kDestructive,
          "may be a command for a full-text table that deletes, or runs later");
    }
  }

  bool Update() {
    ++at_;
    const bool replaces = SkipOr() == kReplace;
    const auto table = ReadName();
    if (!table.has_value()) return false;
    if (replaces) {
      Write(effect::kReplace, *table, Risk::kDestructive,
            "deletes the rows that are in the way of a changed one");
    } else {
      Write(effect::kUpdate, *table, Risk::kElevated, "changes rows");
    }
    Rest(kUpdateWords);
    return true;
  }

  bool Delete() {
    ++at_;
    if (!Skip(kFrom)) return false;
    const auto table = ReadName();
    if (!table.has_value()) return false;
    Write(effect::kDelete, *table, Risk::kDestructive, "removes rows");
    Rest(kDeleteWords);
    return true;
  }

  bool Create() {
    const size_t verb = at_++;
    if (!Skip(kTemp)) Skip(kTemporary);
    scanner_.set_definition(true);
    if (Skip(kTable)) return CreateTable();
    if (Skip(kView)) return CreateView();
    if (Skip(kIndex) || Skip({kUnique, kIndex})) return CreateIndex();
    if (Skip({kVirtual, kTable})) return CreateVirtualTable();
    if (Skip(kTrigger)) {
      Skip({kIf, kNot, kExists});
      const auto name = ReadName();
      Add(effect::kStoredCode, name.has_value() ? name->Full() : "", verb, Risk::kDestructive,
          "stores statements that run later");
      return true;
    }
    return false;
  }

  // `[IF NOT EXISTS] name` of an object that is made.
  std::optional<Name> ReadNewName() {
    Skip({kIf, kNot, kExists});
    auto name = ReadName();
    if (name.has_value()) Write(effect::kCreate, *name, Risk::kElevated, "makes a new object");
    return name;
  }

  bool CreateTable() {
    if (!ReadNewName().has_value()) return false;
    if (Skip(kAs)) {
      scanner_.set_definition(false);  // the query runs now
      Rest({});
      return true;
    }
    if (!Is(TokenKind::kOpen)) return false;
    const size_t behind = BehindGroup(at_);
    if (tokens_.list[behind - 1].kind != TokenKind::kClose) return false;
    Definitions(at_ + 1, behind - 1);
    at_ = behind;
    Rest({}, Scanner::Start::kDefinitions);  // WITHOUT ROWID, STRICT
    return true;
  }

  // Columns and constraints.
  void Definitions(size_t begin, size_t end) {
    at_ = begin;
    CheckWords(end, kDefinitionWords);
    scanner_.Scan(begin, end, Scanner::Start::kDefinitions);
    for (at_ = begin; at_ + 2 < end; ++at_) {
      if (Is(kOn) && Is(kConflict, 1) && Is(kReplace, 2)) {
        Add(effect::kReplace, "", at_ + 2, Risk::kDestructive,
            "lets every later INSERT delete the rows that are in its way");
      }
    }
  }

  bool CreateView() {
    if (!ReadNewName().has_value()) return false;
    if (Is(TokenKind::kOpen)) at_ = BehindGroup(at_);
    if (!Skip(kAs)) return false;
    Rest({});
    return true;
  }

  bool CreateIndex() {
    if (!ReadNewName().has_value() || !Skip(kOn)) return false;
    if (!ReadName().has_value() || !Is(TokenKind::kOpen)) return false;
    Rest({});
    return true;
  }

  bool CreateVirtualTable() {
    if (!ReadNewName().has_value() || !Skip(kUsing)) return false;
    const size_t at = at_;
    const auto module = ReadName();
    if (!module.has_value()) return false;
    switch (FindModule(module->name)) {
      case ModuleClass::kPlain:
        break;
      case ModuleClass::kHostFile:
        Add(effect::kHostFile, module->name, at, Risk::kDestructive,
            "makes a table of a file of the host");
        break;
      case ModuleClass::kUnknown:
        Add(effect::kStoredCode, module->name, at, Risk::kDestructive,
            "makes a table of a module that is not known");
        break;
    }
    for (; at_ < end_; ++at_) {
      if (Is(TokenKind::kOperator, 1) && IsReachingOption(module->name) &&
          !(Is(TokenKind::kString, 2) && tokens_.Name(At(2)).empty())) {
        Add(effect::kStoredCode, tokens_.Name(At()), at_, Risk::kDestructive,
            "reads another table, or calls a function, whenever it is used");
      }
    }
    return true;
  }

  // Whether the token at at_ is the name of an option that reaches beyond the table.
  bool IsReachingOption(std::string_view module) const {
    const std::string option = tokens_.Name(At());
    if (Contains(kReachingOptions, option)) return true;
    return module == "fts5" && At().MayBeObjectName() && kAbbreviated.starts_with(option);
  }

  bool Alter() {
    ++at_;
    if (!Skip(kTable)) return false;
    const auto table = ReadName();
    if (!table.has_value()) return false;
    if (Skip(kAdd)) {
      Write(effect::kAlter, *table, Risk::kElevated, "adds a column");
      scanner_.set_definition(true);
      Definitions(at_, end_);
      return true;
    }
    if (Skip(kRename)) {
      Write(effect::kRename, *table, Risk::kDestructive, "renames a table or a column");
      return true;
    }
    if (Skip(kDrop)) {
      Write(effect::kDrop, *table, Risk::kDestructive, "drops a column");
      return true;
    }
    return false;
  }

  bool Drop() {
    ++at_;
    if (!Skip(kTable) && !Skip(kIndex) && !Skip(kView) && !Skip(kTrigger)) return false;
    Skip({kIf, kExists});
    const auto name = ReadName();
    if (!name.has_value()) return false;
    Write(effect::kDrop, *name, Risk::kDestructive, "drops an object");
    return true;
  }

  // The first string of the statement; empty where the name is computed.
  std::string_view FileName() const {
    for (size_t i = at_; i < end_; ++i) {
      const Token& token = tokens_.list[i];
      if (token.kind == TokenKind::kString) {
        const std::string_view spelling = tokens_.Spelling(token);
        return spelling.substr(1, spelling.size() - 2);
      }
    }
    return {};
  }

  bool Vacuum() {
    const size_t verb = at_++;
    if (at_ < end_ && At().MayBeObjectName()) scanner_.CheckSchema(tokens_.list[at_++]);
    if (Is(kInto)) {
      Add(effect::kHostFile, FileName(), at_, Risk::kDestructive,
          "writes a copy of the database to a file of the host");
      return true;
    }
    Add(effect::kMaintenance, "", verb, Risk::kElevated, "rewrites the database file");
    return at_ == end_;
  }

  bool Maintain() {
    const size_t verb = at_++;
    const auto name = ReadName();
    Add(effect::kMaintenance, name.has_value() ? name->Full() : "", verb, Risk::kElevated,
        "rewrites indexes or their statistics");
    return at_ == end_;
  }

  // Where a value follows, at_ is behind it. Returns whether there is one; nullopt
  // where what follows is no value.
  std::optional<bool> SkipPragmaValue() {
    if (at_ == end_) return false;
    const bool open = Is(TokenKind::kOpen);
    if (!open && !(Is(TokenKind::kOperator) && tokens_.Spelling(At()) == "=")) {
      return std::nullopt;
    }
    ++at_;
    if (Is(TokenKind::kOperator)) ++at_;  // a sign
    if (at_ == end_) return std::nullopt;
    const bool value =
        At().MayBeObjectName() || Is(TokenKind::kNumber) || Is(kOn) || Is(kDelete) || Is(kDefault);
    if (!value) return std::nullopt;
    ++at_;
    if (open) {
      if (!Is(TokenKind::kClose)) return std::nullopt;
      ++at_;
    }
    if (at_ != end_) return std::nullopt;
    return true;
  }

  bool Pragma() {
    ++at_;
    const auto name = ReadName();
    if (!name.has_value()) return false;
    const std::optional<bool> value = SkipPragmaValue();
    const std::optional<PragmaClass> pragma = FindPragma(name->name);
    if (!value.has_value() || !pragma.has_value()) {
      at_ = name->token;
      return false;
    }
    const auto add = [&](std::string_view kind, Risk risk, std::string_view why) {
      Add(kind, name->name, name->token, risk, why);
    };
    switch (*pragma) {
      case PragmaClass::kReads:
        break;
      case PragmaClass::kShowsOrStores:
        if (*value) add(effect::kUpdate, Risk::kElevated, "changes a number that the file keeps");
        break;
      case PragmaClass::kShowsPaths:
        scanner_.NoteSensitive(tokens_.list[name->token]);
        break;
      case PragmaClass::kShowsOrSetsPaths:
        scanner_.NoteSensitive(tokens_.list[name->token]);
        [[fallthrough]];
      case PragmaClass::kShowsOrSets:
        if (!*value) break;
        [[fallthrough]];
      case PragmaClass::kSets:
        add(effect::kSetting, Risk::kDestructive,
            "changes a setting of the connection, the file or the process");
        break;
      case PragmaClass::kMaintains:
        add(effect::kMaintenance, Risk::kElevated, "rewrites the file, its log or its statistics");
        break;
    }
    return true;
  }

  const Tokens& tokens_;
  size_t at_;
  size_t end_;
  JudgementBuilder& found_;
  Scanner scanner_;
  // Under EXPLAIN: of what only would run, functions count, since compiling may call
  // them, and no write does.
  bool planned_ = false;
};

// CREATE [TEMP] TRIGGER, at `at`, under any EXPLAIN.
bool IsTrigger(const Tokens& tokens, size_t at) {
  const auto is = [&](Keyword keyword) {
    return at < tokens.list.size() && tokens.list[at].Is(keyword);
  };
  for (const Keyword keyword : {kExplain, kQuery, kPlan}) at += is(keyword) ? 1 : 0;
  if (!is(kCreate)) return false;
  ++at;
  if (is(kTemp) || is(kTemporary)) ++at;
  return is(kTrigger);
}

// The semicolon that ends the statement at `begin`, or the end of the text.
size_t EndOf(const Tokens& tokens, size_t begin) {
  const std::vector<Token>& list = tokens.list;
  const bool trigger = IsTrigger(tokens, begin);
  for (size_t i = begin; i < list.size(); ++i) {
    if (list[i].kind != TokenKind::kSemicolon) continue;
    // A trigger ends with `; END ;`.
    if (!trigger || (list[i - 1].Is(kEnd) && list[i - 2].kind == TokenKind::kSemicolon)) return i;
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

void JudgeStatement(const Tokens& tokens, Range statement, const JudgeOptions& options,
                    JudgementBuilder& found) {
  Statement judged(tokens, statement, options, found);
  judged.Judge();
}

}  // namespace bridgekeeper::sqlite
