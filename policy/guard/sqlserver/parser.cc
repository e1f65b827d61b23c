// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlserver/parser.h"

#include <algorithm>
#include <charconv>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/safe_function.h"

namespace bridgekeeper::sqlserver {
namespace {

using enum TokenKind;

// Parts of the longest name: server, database, schema, table, column.
constexpr size_t kMaxParts = 5;

// Schemas that every database has, so that `schema.value(...)` is no method.
bool IsOwnSchema(std::string_view name) {
  return name == "dbo" || name == "sys" || name == "guest" || name == "information_schema";
}

// Methods of geography, geometry and hierarchyid whose names nobody gives a function:
// `app.Filter(...)` may be one.
bool IsColumnMethod(std::string_view method) {
  if (method.starts_with("st")) return FindMethod(method).has_value();
  static constexpr std::string_view kMethods[] = {"asgml",          "astextzm",
                                                  "getancestor",    "getdescendant",
                                                  "getlevel",       "getreparentedvalue",
                                                  "isdescendantof", "isvaliddetailed",
                                                  "makevalid",      "tostring"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

// Databases that belong to the server.
bool IsSystemDatabase(std::string_view name) {
  return name == "master" || name == "msdb" || name == "model" || name == "distribution" ||
         name == "mssqlsystemresource";
}

}  // namespace

std::string Parser::Name::Full() const {
  std::string full;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) full += '.';
    full += part;
  }
  return full;
}

Parser::Level::Level(Parser& parser) : parser_(parser) {
  ok_ = ++parser.depth_ <= kMaxNesting;
  if (!ok_ && !parser.too_deep_.has_value()) parser.too_deep_ = parser.At().begin;
}

// ---- tokens ----

bool Parser::IsOneOf(std::initializer_list<std::string_view> words, size_t ahead) const {
  const TokenKind kind = At(ahead).kind;
  if (kind != kWord && kind != kReserved) return false;
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return Is(word, ahead); });
}

bool Parser::SkipWords(std::initializer_list<std::string_view> words) {
  size_t ahead = 0;
  for (const std::string_view word : words) {
    if (!Is(word, ahead++)) return false;
  }
  at_ += ahead;
  return true;
}

bool Parser::SkipGroup() {
  if (!Is(kOpen)) return false;
  size_t open = 0;
  do {
    if (Is(kEnd) || Is(kGo)) return false;
    if (Is(kOpen)) ++open;
    if (Is(kClose)) --open;
    ++at_;
  } while (open > 0);
  return true;
}

void Parser::SkipToEnd() {
  while (!Is(kSemicolon) && !Is(kGo) && !Is(kEnd)) ++at_;
}

void Parser::SkipBatch() {
  while (!Is(kGo) && !Is(kEnd)) ++at_;
}

// ---- effects ----

void Parser::Add(std::string_view kind, std::string_view object, size_t token, Risk risk,
                 std::string_view why) {
  found_.Add(kind, object, tokens_.list[token].begin, risk, why);
}

void Parser::Unknown(size_t token) {
  const std::string_view spelling = tokens_.Spelling(tokens_.list[token]);
  Add(effect::kUnknown, spelling, token, Risk::kDestructive,
      spelling.empty() ? "the statement ends where its grammar goes on"
                       : "is no statement that is known, from here on");
}

void Parser::NoteDoes(const std::string& object, size_t token, Does does) {
  if (does == Does::kHarmless) return;
  if (does == Does::kSensitive && options_.allow_sensitive_reads) return;
  const DoesInfo& info = InfoOf(does);
  Add(info.kind, object, token, info.risk, info.why);
  if (definition_) {
    Add(effect::kStoredCode, object, token, Risk::kDestructive,
        "stores a call or a read that is not harmless");
  }
}

void Parser::NoteDatabase(const std::string& database, size_t token) {
  if (database.empty() || options_.databases.empty()) return;
  const bool covered =
      std::any_of(options_.databases.begin(), options_.databases.end(),
                  [&](const std::string& known) { return AsciiLower(known) == database; });
  if (covered) return;
  Add(effect::kOtherConnection, database, token, Risk::kDestructive,
      "names a database that the connection does not cover");
}

// A table, view or synonym that is read.
void Parser::NoteTable(const Name& name) {
  const std::string last = FoldName(name.last());
  const std::string schema = FoldName(name.Before(1));
  const std::string database = FoldName(name.Before(2));
  if (name.parts.size() > 4) return Unknown(name.token);
  if (!name.Before(3).empty()) {
    Add(effect::kExternal, name.Full(), name.token, Risk::kDestructive,
        "names a table of a linked server");
  }
  NoteDatabase(name.Before(2), name.token);
  // `*` in a folded name may stand for any letters.
  const bool odd_schema = schema.find('*') != schema.npos;
  if (schema == "sys" || odd_schema) {
    const auto does = FindSystemView(last);
    NoteDoes(name.Full(), name.token,
             does.value_or(odd_schema ? Does::kHarmless : Does::kSensitive));
    if (!odd_schema) return;
  }
  if (schema == "information_schema") return;
  if (const auto does = FindOldView(last)) NoteDoes(name.Full(), name.token, *does);
  if (database.empty() || database == "msdb" || database.find('*') != database.npos) {
    if (const auto does = FindJobTable(last)) NoteDoes(name.Full(), name.token, *does);
  }
}

// A table whose rows or definition change.
void Parser::NoteWrite(std::string_view kind, const Name& target, Risk risk, std::string_view why) {
  const std::string last = FoldName(target.last());
  const std::string schema = FoldName(target.Before(1));
  const std::string database = FoldName(target.Before(2));
  if (target.parts.size() > 4) return Unknown(target.token);
  if (!target.Before(3).empty()) {
    Add(effect::kExternal, target.Full(), target.token, Risk::kDestructive,
        "changes a table of a linked server");
  }
  NoteDatabase(target.Before(2), target.token);
  const bool odd = (schema + database).find('*') != std::string::npos;
  if (odd || schema == "sys" || schema == "information_schema" || IsSystemDatabase(database) ||
      FindOldView(last).has_value() || (database.empty() && FindJobTable(last).has_value())) {
    Add(effect::kSystemWrite, target.Full(), target.token, Risk::kDestructive,
        "changes what the server keeps for itself");
  }
  Add(kind, target.Full(), target.token, risk, why);
}

bool Parser::IsString(size_t token) const { return tokens_.list[token].kind == kString; }

bool Parser::IsXmlMethod(const Name& name, const Arguments& arguments) const {
  if (name.quoted || name.parts.size() < 2 || IsOwnSchema(FoldName(name.Before(1)))) return false;
  const std::string& method = name.last();
  if (method == "value") {
    return arguments.count == 2 && arguments.end == arguments.first + 3 &&
           IsString(arguments.first) && IsString(arguments.first + 2);
  }
  return (method == "query" || method == "exist" || method == "nodes") && arguments.count == 1 &&
         arguments.end == arguments.first + 1 && IsString(arguments.first);
}

void Parser::NoteMethod(const Name& name, const Arguments& arguments) {
  const std::string& method = name.last();
  if (method == "modify" || method == "write") {
    Add(effect::kUpdate, method, name.token, Risk::kElevated, "changes a part of a value");
    return;
  }
  if (FindMethod(FoldName(method)).has_value() || IsListedSafe(name, arguments.count)) return;
  Add(definition_ ? effect::kStoredCode : effect::kFunction, name.Full(), name.token,
      definition_ ? Risk::kDestructive : Risk::kElevated,
      "calls a method that is not known to be harmless");
}

void Parser::NoteCall(const Name& name, const Arguments& arguments, bool in_from) {
  const std::string last = FoldName(name.last());
  const std::string schema = FoldName(name.Before(1));
  if (!name.Before(3).empty()) {
    Add(effect::kExternal, name.Full(), name.token, Risk::kDestructive,
        "calls a function of a linked server");
  }
  if (name.parts.size() <= 4) NoteDatabase(name.Before(2), name.token);
  const bool own = name.parts.size() == 1 || schema == "sys";
  auto does = in_from ? FindTableFunction(last) : FindFunction(last);
  if (own && does.has_value()) {
    if (*does == Does::kAllocates) {
      // A constant is at most 8,000 bytes and so is what is made of it.
      const std::string_view count = tokens_.Spelling(tokens_.list[arguments.end - 1]);
      int times = 0;
      const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), times);
      const bool small = error == std::errc() && end == count.data() + count.size() &&
                         tokens_.list[arguments.end - 2].kind == kComma && times <= kMaxRepetitions;
      const bool constant = arguments.count == 2 && IsString(arguments.first) &&
                            tokens_.list[arguments.first + 1].kind == kComma;
      if (small || constant) return;
    }
    if (last == "serverproperty" && arguments.end == arguments.first + 1 &&
        IsString(arguments.first) &&
        IsHarmlessProperty(FoldName(tokens_.Name(tokens_.list[arguments.first])))) {
      return;
    }
    if (last == "loginproperty") {
      const bool plain = arguments.count == 2 && arguments.end == arguments.first + 3 &&
                         IsString(arguments.end - 1) &&
                         tokens_.Name(tokens_.list[arguments.end - 1]) != "passwordhash";
      if (!plain) does = Does::kSecret;
    }
    if (*does == Does::kDescribes) return NoteDescribed(name, arguments.first);
    return NoteDoes(name.Full(), name.token, *does);
  }
  // A function of the server that harms is one in any schema.
  if (does.has_value() && *does != Does::kHarmless && *does != Does::kAllocates) {
    NoteDoes(name.Full(), name.token, *does);
  }
  if (IsXmlMethod(name, arguments)) return;
  if (name.parts.size() >= 2 && (name.last() == "modify" || name.last() == "write")) {
    return NoteMethod(name, arguments);
  }
  // A method of a geography or hierarchyid column.
  if (!in_from && !name.quoted && name.parts.size() >= 2 && !IsOwnSchema(schema) &&
      IsColumnMethod(name.last())) {
    return;
  }
  if (IsListedSafe(name, arguments.count)) return;
  Add(definition_ ? effect::kStoredCode : effect::kFunction, name.Full(), name.token,
      definition_ ? Risk::kDestructive : Risk::kElevated,
      definition_ ? "stores a call that is not known to be harmless"
                  : "calls a function that is not known to be harmless");
}

void Parser::NoteDescribed(const Name& name, size_t text) {
  const TokenKind behind = IsString(text) ? tokens_.list[text + 1].kind : kOperator;
  const bool constant = behind == kComma || behind == kClose || behind == kSemicolon ||
                        behind == kGo || behind == kEnd;
  if (!constant || definition_) return NoteDoes(name.Full(), name.token, Does::kDescribes);
  // In lower case, which means the same.
  described_.push_back({tokens_.list[text].begin, tokens_.Name(tokens_.list[text])});
}

// An entry is `schema.name(type, ...)`, of whose types only the number counts. A call
// with a database is covered by an entry with that database.
bool Parser::IsListedSafe(const Name& name, size_t arguments) const {
  return std::any_of(options_.safe_functions.begin(), options_.safe_functions.end(),
                     [&](const std::string& entry) {
                       const auto function = ParseSafeFunction(entry);
                       return function && !function->qualifiers.empty() &&
                              function->arguments == arguments &&
                              AsciiLower(function->name.text) == name.last() &&
                              std::equal(function->qualifiers.begin(), function->qualifiers.end(),
                                         name.parts.begin(), name.parts.end() - 1,
                                         [](const SafeFunction::Part& part, const std::string& of) {
                                           return AsciiLower(part.text) == of;
                                         });
                     });
}

// ---- names, types ----

std::optional<Parser::Name> Parser::ReadName() {
  Name name;
  const size_t begin = at_;
  while (true) {
    if (At().MayBeName() || Is(kPseudo) || Is("IDENTITYCOL") || Is("ROWGUIDCOL")) {
      name.token = at_;
      name.quoted = !Is(kWord);
      name.parts.push_back(tokens_.Name(At()));
      ++at_;
      if (!Is(kDot)) break;
    } else if (Is(kDot)) {
      name.parts.emplace_back();
    } else if (!name.parts.empty() && SkipOperator("*")) {
      name.token = at_ - 1;
      name.parts.emplace_back("*");
      break;
    } else {
      return std::nullopt;
    }
    ++at_;  // the dot
    if (name.parts.size() > kMaxParts) return std::nullopt;
  }
  if (name.parts.size() > kMaxParts || at_ == begin) return std::nullopt;
  return name;
}

// int, decimal(10, 2), nvarchar(max), xml(schema), double precision, app.my_type.
bool Parser::Type() {
  Skip("NATIONAL");
  if (SkipWords({"DOUBLE", "PRECISION"})) return true;
  if (!ReadName().has_value()) return false;
  Skip("VARYING");
  if (!Skip(kOpen)) return true;
  do {
    if (IsOneOf({"CONTENT", "DOCUMENT"}) && At(1).MayBeName()) ++at_;
    if (!Skip(kNumber) && !ReadName().has_value()) return false;
  } while (Skip(kComma));
  return Skip(kClose);
}

bool Parser::Columns() {
  if (!Skip(kOpen)) return false;
  do {
    if (!ReadName().has_value()) return false;
  } while (Skip(kComma));
  return Skip(kClose);
}

// ---- statements ----

std::span<const Parser::Verb> Parser::Verbs() {
  static constexpr std::string_view kBlock = "is a block of statements";
  static constexpr std::string_view kRights = "changes rights, or acts with those of another";
  static constexpr std::string_view kText = "changes or reads a text by its address";
  static constexpr Verb kVerbs[] = {
      {"ALTER", [](Parser& p) { return p.Alter(); }},
      {"BACKUP", nullptr, effect::kHostFile, "writes a file that the server can reach"},
      {"BEGIN", [](Parser& p) { return p.Begin(); }},
      {"BREAK", nullptr, effect::kUnknown, kBlock, true},
      {"BULK", nullptr, effect::kHostFile, "loads rows from a file that the server can reach"},
      {"CHECKPOINT", [](Parser& p) { return p.Checkpoint(); }},
      {"CLOSE", [](Parser& p) { return p.Cursor(); }},
      {"COMMIT", [](Parser& p) { return p.Transact(); }},
      {"CONTINUE", nullptr, effect::kUnknown, kBlock, true},
      {"CREATE", [](Parser& p) { return p.Create(); }},
      {"DBCC", [](Parser& p) { return p.Dbcc(); }},
      {"DEALLOCATE", [](Parser& p) { return p.Cursor(); }},
      {"DECLARE", [](Parser& p) { return p.Declare(); }},
      {"DELETE", [](Parser& p) { return p.Delete(); }},
      {"DENY", nullptr, effect::kPrivilege, kRights},
      {"DISK", nullptr, effect::kHostFile, "makes or changes a file of the server"},
      {"DROP", [](Parser& p) { return p.Drop(); }},
      {"DUMP", nullptr, effect::kHostFile, "writes a file that the server can reach"},
      {"EXEC", [](Parser& p) { return p.Execute(); }},
      {"EXECUTE", [](Parser& p) { return p.Execute(); }},
      {"FETCH", [](Parser& p) { return p.Cursor(); }},
      {"GOTO", nullptr, effect::kUnknown, kBlock, true},
      {"GRANT", nullptr, effect::kPrivilege, kRights},
      {"IF", nullptr, effect::kUnknown, kBlock, true},
      {"INSERT", [](Parser& p) { return p.Insert(); }},
      {"KILL", nullptr, effect::kOtherSession, "ends another session or its transaction"},
      {"LINENO", nullptr, effect::kUnknown, "changes the line numbers of a batch"},
      {"LOAD", nullptr, effect::kHostFile, "restores from a file that the server can reach"},
      {"MERGE", [](Parser& p) { return p.Merge(); }},
      {"OPEN", [](Parser& p) { return p.Cursor(); }},
      {"PRINT", [](Parser& p) { return p.Print(); }},
      {"RAISERROR", nullptr, effect::kUnknown, "raises an error, which may end the session"},
      {"READTEXT", nullptr, effect::kUnknown, kText},
      {"RECONFIGURE", nullptr, effect::kSetting, "puts changed settings of the server in force"},
      {"RESTORE", nullptr, effect::kHostFile, "restores over a database from a file"},
      {"RETURN", nullptr, effect::kUnknown, kBlock, true},
      {"REVERT", nullptr, effect::kPrivilege, kRights},
      {"REVOKE", nullptr, effect::kPrivilege, kRights},
      {"ROLLBACK", [](Parser& p) { return p.Transact(); }},
      {"SAVE", [](Parser& p) { return p.Transact(); }},
      {"SELECT", [](Parser& p) { return p.Query(); }},
      {"SET", [](Parser& p) { return p.Set(); }},
      {"SETUSER", nullptr, effect::kPrivilege, kRights},
      {"SHUTDOWN", nullptr, effect::kServer, "stops the server"},
      {"TRUNCATE", [](Parser& p) { return p.Truncate(); }},
      {"UPDATE", [](Parser& p) { return p.Update(); }},
      {"UPDATETEXT", nullptr, effect::kUpdate, kText},
      {"USE", [](Parser& p) { return p.Use(); }},
      {"WAITFOR", [](Parser& p) { return p.WaitFor(); }},
      {"WHILE", nullptr, effect::kUnknown, kBlock, true},
      {"WITH", [](Parser& p) { return p.With(); }},
      {"WRITETEXT", nullptr, effect::kUpdate, kText},
  };
  return kVerbs;
}

const Parser::Verb* Parser::FindVerb() const {
  if (!Is(kReserved)) return nullptr;
  for (const Verb& verb : Verbs()) {
    if (Is(verb.word)) return &verb;
  }
  return nullptr;
}

bool Parser::Statement(bool begins_batch) {
  if (const Verb* const verb = FindVerb()) {
    if (verb->judge != nullptr) return verb->judge(*this);
    Add(verb->kind, tokens_.Name(At()), at_, Risk::kDestructive, verb->why);
    if (verb->whole_batch) {
      SkipBatch();
    } else {
      SkipToEnd();
    }
    return true;
  }
  if (Is(kOpen)) return Query();
  // The first word of a batch needs no EXEC to name a procedure.
  if (begins_batch && (At().MayBeName() || Is(kDot)) && !IsOperator(":", 1)) {
    const auto name = ReadName();
    return name.has_value() && Procedure(*name);
  }
  return false;
}

int Parser::Judge() {
  int statements = 0;
  bool begins_batch = true;
  bool leading_go = false;
  while (!Is(kEnd)) {
    if (Is(kGo)) {
      // Before any statement GO is the name of a procedure for who does not split at
      // it; with a count what stands before it runs again.
      leading_go |= statements == 0;
      if (At().repeats) ++statements;
      begins_batch = true;
      ++at_;
      continue;
    }
    if (Skip(kSemicolon)) continue;
    if (leading_go) {
      leading_go = false;
      ++statements;
    }
    ++statements;
    definition_ = false;
    const bool known = Statement(begins_batch);
    begins_batch = false;
    if (too_deep_.has_value()) return statements;
    const bool ends = Is(kSemicolon) || Is(kGo) || Is(kEnd) || Is(kOpen) || FindVerb() != nullptr;
    if (!known || !ends) {
      Unknown(at_);
      SkipToEnd();
    }
  }
  return statements;
}

}  // namespace bridgekeeper::sqlserver
