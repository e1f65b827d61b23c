// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/sqlserver/parser.h"

namespace bridgekeeper::sqlserver {

using enum TokenKind;

// EXEC name, EXEC @result = name, EXEC ('text'), EXECUTE AS.
bool Parser::Execute() {
  const size_t verb = at_;
  ++at_;
  if (Is(kOpen)) {
    Add(effect::kDynamicCode, "", verb, Risk::kDestructive, "runs text that it is given");
    SkipToEnd();
    return true;
  }
  if (Is("AS")) {
    Add(effect::kPrivilege, "", verb, Risk::kDestructive, "goes on with another's rights");
    SkipToEnd();
    return true;
  }
  if (Is(kVariable) && IsOperator("=", 1)) at_ += 2;
  if (Is(kVariable)) {
    Add(effect::kDynamicCode, tokens_.Name(At()), at_, Risk::kDestructive,
        "runs a procedure that is named in a variable");
    SkipToEnd();
    return true;
  }
  const auto name = ReadName();
  return name.has_value() && Procedure(*name);
}

// The arguments of a call of `name`.
bool Parser::Procedure(const Name& name) {
  const std::string last = FoldName(name.last());
  const bool own =
      name.parts.size() == 1 || (name.parts.size() == 2 && FoldName(name.Before(1)) == "sys");
  const auto does = FindProcedure(last);
  if (!own || !does.has_value() || definition_) {
    if (!name.Before(3).empty()) {
      Add(effect::kExternal, name.Full(), name.token, Risk::kDestructive,
          "runs a procedure of a linked server");
    }
    NoteDatabase(name.Before(2), name.token);
    const bool program =
        last == "xp_cmdshell" || last.starts_with("sp_oa") || last == "sp_execute_external_script";
    Add(program ? effect::kHostProgram : effect::kDynamicCode, name.Full(), name.token,
        Risk::kDestructive, program ? "starts a program on the server's host" : "runs a procedure");
    SkipToEnd();
    return true;
  }
  const bool describes = *does == Does::kDescribes;
  if (!describes) NoteDoes(name.Full(), name.token, *does);
  // A word is a text here.
  bool text_next = describes;
  do {
    if (Is(kVariable) && IsOperator("=", 1)) {
      const std::string parameter = tokens_.Name(At());
      text_next = describes && parameter != "@params" && parameter != "@browse_information_mode";
      at_ += 2;
    }
    if (text_next) NoteDescribed(name, at_);
    text_next = false;
    SkipOperator("-");
    if (!Skip(kString) && !Skip(kNumber) && !Skip(kVariable) && !Skip(kParameter) &&
        !SkipOneOf({"NULL", "DEFAULT"})) {
      if (!At().MayBeName()) break;
      ++at_;
    }
  } while (Skip(kComma));
  return true;
}

// DECLARE @v type [= value], ...; DECLARE @t TABLE (...); DECLARE c CURSOR FOR query.
bool Parser::Declare() {
  const size_t verb = at_;
  ++at_;
  Add(effect::kSession, tokens_.Spelling(At()), verb, Risk::kElevated,
      "declares a variable or a cursor");
  if (!Is(kVariable)) {
    if (!At().MayBeName()) return false;
    ++at_;
    SkipOneOf({"INSENSITIVE", "SCROLL"});
    Skip("SCROLL");
    if (!Skip("CURSOR")) return false;
    while (SkipOneOf({"LOCAL", "GLOBAL", "FORWARD_ONLY", "SCROLL", "STATIC", "KEYSET", "DYNAMIC",
                      "FAST_FORWARD", "READ_ONLY", "OPTIMISTIC", "TYPE_WARNING"})) {
    }
    if (Is("SCROLL_LOCKS")) {
      Add(effect::kLock, "", at_, Risk::kElevated, "locks more than reading needs");
      ++at_;
    }
    if (!Skip("FOR")) return false;
    if (Is("WITH") && !CommonTables()) return false;
    return Query();
  }
  do {
    if (!Skip(kVariable)) return false;
    Skip("AS");
    if (Skip("TABLE")) {
      if (!Skip(kOpen) || !Definitions(1)) return false;
      continue;
    }
    if (Skip("CURSOR")) continue;
    if (!Type()) return false;
    if (SkipOperator("=") && !Expression()) return false;
  } while (Skip(kComma));
  return true;
}

// SET @v = value; SET option ON | OFF | value.
bool Parser::Set() {
  const size_t verb = at_;
  ++at_;
  if (Is(kVariable)) {
    Add(effect::kSession, tokens_.Spelling(At()), at_, Risk::kElevated, "sets a variable");
    ++at_;
    if (Is(kDot)) return Postfix();
    if (!Is(kOperator) || !tokens_.Spelling(At()).ends_with("=")) return false;
    ++at_;
    return Expression();
  }
  if (SkipWords({"TRANSACTION", "ISOLATION", "LEVEL"})) {
    Add(effect::kTransaction, "", verb, Risk::kElevated, "controls the transaction");
    return SkipWords({"READ", "UNCOMMITTED"}) || SkipWords({"READ", "COMMITTED"}) ||
           SkipWords({"REPEATABLE", "READ"}) || SkipOneOf({"SNAPSHOT", "SERIALIZABLE"});
  }
  const size_t option = at_;
  const bool statistics = SkipWords({"STATISTICS"});
  if (statistics ? SkipOneOf({"IO", "TIME", "XML", "PROFILE"})
                 : SkipOneOf({"NOCOUNT", "DATEFORMAT", "DATEFIRST", "LANGUAGE", "TEXTSIZE",
                              "LOCK_TIMEOUT", "SHOWPLAN_ALL", "SHOWPLAN_TEXT", "SHOWPLAN_XML"})) {
    Add(effect::kSetting, tokens_.Spelling(tokens_.list[option]), option, Risk::kElevated,
        "changes how the session shows values, or how long it waits");
    SkipOperator("-");
    if (!SkipOneOf({"ON", "OFF"}) && !Skip(kNumber) && !Skip(kString) && !Skip(kVariable)) {
      if (!At().MayBeName()) return false;
      ++at_;
    }
    return true;
  }
  Add(effect::kSetting, tokens_.Spelling(At()), verb, Risk::kDestructive,
      "changes a setting of the session");
  SkipToEnd();
  return true;
}

// Every later call of the session is in another database.
bool Parser::Use() {
  ++at_;
  if (!At().MayBeName()) return false;
  const std::string database = tokens_.Name(At());
  NoteDatabase(database, at_);
  const bool covered =
      std::any_of(options_.databases.begin(), options_.databases.end(),
                  [&](const std::string& known) { return AsciiLower(known) == database; });
  Add(effect::kSession, database, at_, covered ? Risk::kElevated : Risk::kDestructive,
      "goes on in another database");
  ++at_;
  return true;
}

// BEGIN TRANSACTION; BEGIN alone opens a block.
bool Parser::Begin() {
  const size_t verb = at_;
  if (IsOneOf({"TRAN", "TRANSACTION"}, 1)) {
    Add(effect::kTransaction, "", verb, Risk::kElevated, "controls the transaction");
    at_ += 2;
    if (At().MayBeName() || Is(kVariable)) ++at_;
    if (SkipWords({"WITH", "MARK"})) Skip(kString);
    return true;
  }
  if (Is("DISTRIBUTED", 1)) {
    Add(effect::kExternal, "", verb, Risk::kDestructive, "begins a transaction over servers");
    SkipToEnd();
    return true;
  }
  Add(effect::kUnknown, "begin", verb, Risk::kDestructive, "is a block of statements");
  SkipBatch();
  return true;
}

// COMMIT, ROLLBACK, SAVE.
bool Parser::Transact() {
  Add(effect::kTransaction, "", at_, Risk::kElevated, "controls the transaction");
  const bool save = Is("SAVE");
  ++at_;
  if (SkipOneOf({"TRAN", "TRANSACTION"})) {
    if (At().MayBeName() || Is(kVariable)) ++at_;
  } else {
    if (save) return false;
    Skip("WORK");
  }
  if (Is("WITH") && Is(kOpen, 1)) {
    at_ += 2;
    return Skip("DELAYED_DURABILITY") && SkipOperator("=") && SkipOneOf({"ON", "OFF"}) &&
           Skip(kClose);
  }
  return true;
}

// OPEN, FETCH, CLOSE, DEALLOCATE of a cursor; OPEN and CLOSE of a key.
bool Parser::Cursor() {
  const size_t verb = at_;
  ++at_;
  if (IsOneOf({"SYMMETRIC", "MASTER", "ALL"}) && IsOneOf({"KEY", "SYMMETRIC"}, 1)) {
    Add(effect::kPrivilege, "", verb, Risk::kDestructive, "opens or closes a key");
    SkipToEnd();
    return true;
  }
  Add(effect::kSession, "", verb, Risk::kElevated, "uses a cursor of the session");
  if (SkipOneOf({"NEXT", "PRIOR", "FIRST", "LAST"})) {
    if (!Skip("FROM")) return false;
  } else if (SkipOneOf({"ABSOLUTE", "RELATIVE"})) {
    SkipOperator("-");
    if (!Skip(kNumber) && !Skip(kVariable)) return false;
    if (!Skip("FROM")) return false;
  } else {
    Skip("FROM");
  }
  Skip("GLOBAL");
  if (!Skip(kVariable)) {
    if (!At().MayBeName()) return false;
    ++at_;
  }
  if (!Skip("INTO")) return true;
  do {
    if (!Skip(kVariable)) return false;
  } while (Skip(kComma));
  return true;
}

bool Parser::Print() {
  ++at_;
  return Expression();
}

bool Parser::WaitFor() {
  const size_t verb = at_;
  ++at_;
  if (SkipOneOf({"DELAY", "TIME"})) {
    Add(effect::kResource, "", verb, Risk::kElevated, "waits, and holds the connection");
    return Skip(kString) || Skip(kVariable) || Skip(kParameter);
  }
  // WAITFOR (RECEIVE ...) takes messages from a queue.
  return false;
}

// DBCC command [(arguments)] [WITH options].
bool Parser::Dbcc() {
  const size_t verb = at_;
  ++at_;
  if (SkipOneOf({"USEROPTIONS", "HELP", "INPUTBUFFER", "OPENTRAN", "SHOWCONTIG", "SHOW_STATISTICS",
                 "PROCCACHE", "TRACESTATUS"})) {
    NoteDoes(tokens_.Name(tokens_.list[at_ - 1]), verb, Does::kSensitive);
  } else if (SkipOneOf({"CHECKDB", "CHECKTABLE", "CHECKALLOC", "CHECKCATALOG", "CHECKCONSTRAINTS",
                        "CHECKFILEGROUP"})) {
    Add(effect::kMaintenance, tokens_.Name(tokens_.list[at_ - 1]), verb, Risk::kElevated,
        "reads every page of a table or database");
  } else {
    Add(effect::kServer, tokens_.Spelling(At()), verb, Risk::kDestructive,
        "changes or shows what lies below the tables");
    SkipToEnd();
    return true;
  }
  if (Skip(kOpen)) {
    do {
      // A repair is an argument: REPAIR_ALLOW_DATA_LOSS.
      if (!Skip(kString) && !Skip(kNumber) && !SkipOperator("-")) {
        if (!At().MayBeName() || tokens_.Name(At()).starts_with("repair")) return false;
        if (!ReadName().has_value()) return false;
      }
    } while (Skip(kComma));
    if (!Skip(kClose)) return false;
  }
  if (!Skip("WITH")) return true;
  do {
    if (!SkipOneOf({"NO_INFOMSGS", "ALL_ERRORMSGS", "PHYSICAL_ONLY", "TABLERESULTS", "TABLOCK",
                    "ESTIMATEONLY", "DATA_PURITY", "STAT_HEADER", "DENSITY_VECTOR", "HISTOGRAM",
                    "FAST", "ALL_INDEXES"})) {
      return false;
    }
  } while (Skip(kComma));
  return true;
}

bool Parser::Checkpoint() {
  Add(effect::kMaintenance, "", at_, Risk::kElevated, "writes pages to the disk");
  ++at_;
  Skip(kNumber);
  return true;
}

}  // namespace bridgekeeper::sqlserver
