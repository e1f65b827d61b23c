// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/effects.h"
#include "policy/guard/sqlserver/parser.h"

namespace bridgekeeper::sqlserver {

using enum TokenKind;

bool Parser::Query() { return QueryExpression() && QueryTail(); }

bool Parser::QueryExpression() {
  const Level level(*this);
  if (!level.ok()) return false;
  if (Skip(kOpen)) {
    if (!Query() || !Skip(kClose)) return false;
  } else if (!Select()) {
    return false;
  }
  return SetOperations();
}

bool Parser::SetOperations() {
  while (IsSetOperation()) {
    const bool can_be_all = Is("UNION");
    ++at_;
    if (can_be_all) Skip("ALL");
    if (Skip(kOpen)) {
      const Level level(*this);
      if (!level.ok() || !Query() || !Skip(kClose)) return false;
    } else if (!Select()) {
      return false;
    }
  }
  return true;
}

bool Parser::QueryTail() {
  if (Is("ORDER") && !OrderBy()) return false;
  if (Is("FOR") && !ForClause()) return false;
  return !Is("OPTION") || QueryHints();
}

// WITH a [(columns)] AS (query), ..., and the namespaces of xml.
bool Parser::CommonTables() {
  ++at_;
  if (Skip("XMLNAMESPACES")) {
    if (!Skip(kOpen)) return false;
    do {
      Skip("DEFAULT");
      if (!Skip(kString)) return false;
      if (Skip("AS")) {
        if (!At().MayBeName()) return false;
        ++at_;
      }
    } while (Skip(kComma));
    if (!Skip(kClose)) return false;
    if (!Skip(kComma)) return true;
  }
  do {
    if (!At().MayBeName()) return false;
    ++at_;
    if (Is(kOpen) && !Columns()) return false;
    if (!Skip("AS") || !Skip(kOpen)) return false;
    const Level level(*this);
    if (!level.ok() || !Query() || !Skip(kClose)) return false;
  } while (Skip(kComma));
  return true;
}

bool Parser::Select() {
  if (!Skip("SELECT")) return false;
  SkipOneOf({"ALL", "DISTINCT"});
  if (Is("TOP") && !Top()) return false;
  do {
    if (!SelectItem()) return false;
  } while (Skip(kComma));
  if (Skip("INTO")) {
    const auto target = ReadName();
    if (!target.has_value()) return false;
    NoteWrite(effect::kCreate, *target, Risk::kElevated, "makes a table of the rows of a query");
    if (Skip("ON")) {
      if (!At().MayBeName()) return false;
      ++at_;
    }
  }
  if (Skip("FROM") && !TableSources()) return false;
  if (Skip("WHERE") && !Expression()) return false;
  if (Is("GROUP") && !GroupBy()) return false;
  if (Skip("HAVING") && !Expression()) return false;
  return !(Is("WINDOW") && Is("AS", 2)) || Windows();
}

// TOP 5, TOP (expression) [PERCENT] [WITH TIES].
bool Parser::Top() {
  ++at_;
  if (Is(kOpen)) {
    if (!Group()) return false;
  } else if (!Skip(kNumber) && !Skip(kVariable) && !Skip(kParameter)) {
    return false;
  }
  Skip("PERCENT");
  SkipWords({"WITH", "TIES"});
  return true;
}

bool Parser::SelectItem() {
  if (SkipOperator("*")) return true;
  if (Is(kVariable) && Is(kOperator, 1)) {
    const std::string_view op = tokens_.Spelling(At(1));
    if (op.ends_with("=") && op != "<=" && op != ">=" && op != "!=") {
      Add(effect::kSession, tokens_.Spelling(At()), at_, Risk::kElevated, "sets a variable");
      at_ += 2;
      return Expression();
    }
  }
  if (!Expression()) return false;
  if (Skip("AS")) {
    if (!At().MayBeName() && !Is(kString)) return false;
    ++at_;
    return true;
  }
  if (Is("WINDOW") && Is("AS", 2)) return true;
  if (At().MayBeName() || Is(kString)) ++at_;
  return true;
}

bool Parser::GroupBy() {
  if (!SkipWords({"GROUP", "BY"})) return false;
  Skip("ALL");
  do {
    if (SkipWords({"GROUPING"})) {
      if (!Skip("SETS")) return false;
    }
    if (!Expression()) return false;
  } while (Skip(kComma));
  if (Is("WITH")) {
    if (Is("ROLLUP", 1) || Is("CUBE", 1)) {
      at_ += 2;
    } else if (!SkipWords({"WITH"}) || !Skip(kOpen) || !Skip("DISTRIBUTED_AGG") || !Skip(kClose)) {
      return false;
    }
  }
  return true;
}

// WINDOW w AS (...), ...
bool Parser::Windows() {
  ++at_;
  do {
    if (!At().MayBeName()) return false;
    ++at_;
    if (!Skip("AS") || !WindowSpecification()) return false;
  } while (Skip(kComma));
  return true;
}

// ORDER BY a [ASC | DESC], ... [OFFSET n ROWS [FETCH NEXT n ROWS ONLY]].
bool Parser::OrderBy() {
  if (!SkipWords({"ORDER", "BY"})) return false;
  do {
    if (!Expression()) return false;
    SkipOneOf({"ASC", "DESC"});
  } while (Skip(kComma));
  if (!Is("OFFSET")) return true;
  ++at_;
  if (!Expression() || !SkipOneOf({"ROW", "ROWS"})) return false;
  // FETCH begins a statement of its own as well.
  if (!Is("FETCH") || !IsOneOf({"FIRST", "NEXT"}, 1) || Is("FROM", 2)) return true;
  at_ += 2;
  return Expression() && SkipOneOf({"ROW", "ROWS"}) && Skip("ONLY");
}

// FOR XML, FOR JSON, FOR BROWSE.
bool Parser::ForClause() {
  if (SkipWords({"FOR", "BROWSE"})) return true;
  if (!SkipWords({"FOR", "XML"}) && !SkipWords({"FOR", "JSON"})) return false;
  do {
    bool any = false;
    while (SkipOneOf({"RAW", "AUTO", "EXPLICIT", "PATH", "BINARY", "BASE64", "TYPE", "ROOT",
                      "XMLDATA", "XMLSCHEMA", "ELEMENTS", "XSINIL", "ABSENT", "INCLUDE_NULL_VALUES",
                      "WITHOUT_ARRAY_WRAPPER"})) {
      any = true;
    }
    if (!any) return false;
    if (Skip(kOpen) && (!Skip(kString) || !Skip(kClose))) return false;
  } while (Skip(kComma));
  return true;
}

// OPTION (hint, ...).
bool Parser::QueryHints() {
  ++at_;
  if (!Skip(kOpen)) return false;
  size_t open = 1;
  while (open > 0) {
    if (Is("TABLE")) {
      // TABLE HINT (t, hint, ...)
      if (!SkipWords({"TABLE", "HINT"}) || !Skip(kOpen) || !ReadName().has_value()) return false;
      if (Skip(kClose)) continue;
      if (!Skip(kComma) || !TableHints()) return false;
      continue;
    }
    if (Is("QUERYTRACEON")) {
      Add(effect::kSetting, "querytraceon", at_, Risk::kElevated,
          "switches a trace flag of the server for this query");
    }
    if (Skip(kOpen)) {
      ++open;
    } else if (Skip(kClose)) {
      --open;
    } else if (!Skip(kComma) && !Skip(kNumber) && !Skip(kString) && !Skip(kVariable) &&
               !SkipOperator("=") && !SkipOperator("-") &&
               !SkipOneOf({"HASH",
                           "ORDER",
                           "CONCAT",
                           "MERGE",
                           "UNION",
                           "LOOP",
                           "JOIN",
                           "GROUP",
                           "DISABLE_OPTIMIZED_PLAN_FORCING",
                           "EXPAND",
                           "VIEWS",
                           "FAST",
                           "FORCE",
                           "FORCED",
                           "SIMPLE",
                           "DISABLE",
                           "EXTERNALPUSHDOWN",
                           "SCALEOUTEXECUTION",
                           "IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX",
                           "KEEP",
                           "KEEPFIXED",
                           "PLAN",
                           "LABEL",
                           "MAX_GRANT_PERCENT",
                           "MIN_GRANT_PERCENT",
                           "MAXDOP",
                           "MAXRECURSION",
                           "NO_PERFORMANCE_SPOOL",
                           "OPTIMIZE",
                           "FOR",
                           "UNKNOWN",
                           "PARAMETERIZATION",
                           "QUERYTRACEON",
                           "RECOMPILE",
                           "ROBUST",
                           "USE",
                           "HINT"})) {
      return false;
    }
  }
  return true;
}

bool Parser::Expressions() {
  do {
    if (!Expression()) return false;
  } while (Skip(kComma));
  return true;
}

// Operands with operators between them: values and conditions alike.
bool Parser::Expression() {
  while (true) {
    while (SkipOperator("+") || SkipOperator("-") || SkipOperator("~") || Skip("NOT")) {
    }
    if (!Operand() || !Postfix()) return false;
    if (Skip("IS")) {
      Skip("NOT");
      if (SkipWords({"DISTINCT", "FROM"})) continue;
      if (!Skip("NULL")) return false;
    }
    if (Is("NOT") && IsOneOf({"LIKE", "IN", "BETWEEN"}, 1)) ++at_;
    if (SkipOneOf({"AND", "OR", "LIKE", "IN", "BETWEEN", "ESCAPE"})) continue;
    if (!Is(kOperator)) return true;
    const std::string_view op = tokens_.Spelling(At());
    static constexpr std::string_view kBinary[] = {"+",  "-",  "*",  "/",  "%",  "&",  "|",
                                                   "^",  "=",  "<",  ">",  "<=", ">=", "<>",
                                                   "!=", "!<", "!>", "||", "<<", ">>", "*="};
    bool binary = false;
    for (const std::string_view known : kBinary) binary |= op == known;
    if (!binary) return true;
    ++at_;
    if (op == "=" && IsOperator("*")) ++at_;  // the old outer join
  }
}

bool Parser::Postfix() {
  while (true) {
    if (Is(kDot)) {
      // A method or a property of a value.
      if (!At(1).MayBeName()) return false;
      ++at_;
      Name name;
      name.token = at_;
      name.parts = {tokens_.Name(At())};
      ++at_;
      if (!Is(kOpen)) continue;
      Arguments arguments;
      if (!ReadArguments(arguments)) return false;
      NoteMethod(name, arguments);
    } else if (Skip("COLLATE")) {
      if (!At().MayBeName() && !Is("DATABASE_DEFAULT")) return false;
      ++at_;
    } else if (Is("AT") && Is("TIME", 1) && Is("ZONE", 2)) {
      at_ += 3;
      if (!Operand()) return false;
    } else {
      return true;
    }
  }
}

bool Parser::Group() {
  const Level level(*this);
  if (!level.ok() || !Skip(kOpen)) return false;
  if (Skip(kClose)) return true;  // GROUPING SETS ((a), ())
  if (Is("SELECT")) {
    if (!Query()) return false;
  } else if (Is("VALUES")) {
    if (!Rows()) return false;
  } else {
    if (!Expressions()) return false;
    // `((SELECT 1) UNION SELECT 2)`
    if (IsSetOperation() && !SetOperations()) return false;
    if (!QueryTail()) return false;
  }
  return Skip(kClose);
}

bool Parser::Operand() {
  switch (At().kind) {
    case kNumber:
    case kString:
    case kParameter:
      ++at_;
      return true;
    case kVariable: {
      const std::string name = tokens_.Name(At());
      if (name.starts_with("@@")) {
        const auto does = FindGlobal(FoldName(name));
        NoteDoes(name, at_, does.value_or(Does::kSensitive));
      }
      ++at_;
      return true;
    }
    case kPseudo: {
      const bool partition = tokens_.Name(At()) == "$partition";
      ++at_;
      if (!partition) return true;
      // $PARTITION.function(value): it computes, and runs no code.
      if (!Skip(kDot) || !At().MayBeName()) return false;
      ++at_;
      Arguments arguments;
      return ReadArguments(arguments);
    }
    case kOpen:
      return Group();
    case kOperator: {
      // ODBC: {d '...'}, {fn name(...)}.
      if (!SkipOperator("{")) return false;
      const Level level(*this);
      if (!level.ok()) return false;
      if (SkipOneOf({"D", "T", "TS", "GUID"})) {
        if (!Skip(kString)) return false;
      } else if (!Skip("FN") || !Operand()) {
        return false;
      }
      return SkipOperator("}");
    }
    case kReserved:
      return ReservedOperand();
    case kWord:
    case kName:
    case kQuoted:
    case kDot:
      return NamedOperand();
    case kClose:
    case kComma:
    case kSemicolon:
    case kGo:
    case kEnd:
      return false;
  }
  return false;
}

bool Parser::ReservedOperand() {
  if (SkipOneOf({"NULL", "DEFAULT", "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME",
                 "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER", "IDENTITYCOL",
                 "ROWGUIDCOL"})) {
    return true;
  }
  if (SkipOneOf({"EXISTS", "ANY", "ALL", "SOME"})) return Group();
  if (Is("CASE")) return Case();
  Arguments arguments;
  if (SkipOneOf({"COALESCE", "NULLIF", "LEFT", "RIGHT"})) return ReadArguments(arguments);
  if (SkipOneOf({"CONVERT", "TRY_CONVERT"})) {
    const Level level(*this);
    return level.ok() && Skip(kOpen) && Type() && Skip(kComma) && Expressions() && Skip(kClose);
  }
  if (Skip("IDENTITY")) {
    return Skip(kOpen) && Type() && (!Skip(kComma) || Expressions()) && Skip(kClose);
  }
  if (SkipOneOf({"CONTAINS", "FREETEXT"})) {
    // ({column | (columns) | *}, text [, LANGUAGE l])
    if (!Skip(kOpen)) return false;
    if (Is(kOpen) ? !SkipGroup() : (!SkipOperator("*") && !ReadName().has_value())) return false;
    if (!Skip(kComma) || (!Skip(kString) && !Skip(kVariable) && !Skip(kParameter))) return false;
    if (Skip(kComma) && (!Skip("LANGUAGE") || !Operand())) return false;
    return Skip(kClose);
  }
  return false;
}

bool Parser::Case() {
  const Level level(*this);
  if (!level.ok()) return false;
  ++at_;
  if (!Is("WHEN") && !Expression()) return false;
  if (!Is("WHEN")) return false;
  while (Skip("WHEN")) {
    if (!Expression() || !Skip("THEN") || !Expression()) return false;
  }
  if (Skip("ELSE") && !Expression()) return false;
  return Skip("END");
}

// A column, a call, NEXT VALUE FOR.
bool Parser::NamedOperand() {
  if (Is("NEXT") && Is("VALUE", 1) && Is("FOR", 2)) {
    at_ += 3;
    const auto sequence = ReadName();
    if (!sequence.has_value()) return false;
    NoteDatabase(sequence->Before(2), sequence->token);
    // A default that draws from a sequence is plain (G10).
    if (!definition_) NoteDoes(sequence->Full(), sequence->token, Does::kSequence);
    return !Is("OVER") || Over();
  }
  const auto name = ReadName();
  if (!name.has_value()) return false;
  if (SkipOperator("::")) {
    // A static method of a type.
    if (!At().MayBeName()) return false;
    Name method;
    method.token = at_;
    method.parts = {tokens_.Name(At())};
    ++at_;
    const std::string type = FoldName(name->last());
    const bool own = name->parts.size() == 1 &&
                     (type == "geography" || type == "geometry" || type == "hierarchyid");
    Arguments arguments;
    if (Is(kOpen) && !ReadArguments(arguments)) return false;
    if (own) {
      NoteMethod(method, arguments);
    } else if (!IsListedSafe(*name, arguments.count)) {
      Add(definition_ ? effect::kStoredCode : effect::kFunction, name->Full(), name->token,
          definition_ ? Risk::kDestructive : Risk::kElevated,
          "calls a method of a type that is not the server's own");
    }
    return true;
  }
  if (!Is(kOpen)) return true;
  return Call(*name, false);
}

// DISTINCT, `*`, expressions.
bool Parser::ReadArguments(Arguments& arguments) {
  const Level level(*this);
  if (!level.ok() || !Skip(kOpen)) return false;
  arguments.first = at_;
  if (!Is(kClose)) {
    if (!IsOneOf({"ALL"}) || !Is(kOpen, 1)) SkipOneOf({"DISTINCT", "ALL"});
    do {
      ++arguments.count;
      if (SkipOperator("*")) continue;
      if (!Expression()) return false;
    } while (Skip(kComma));
  }
  arguments.end = at_;
  return Skip(kClose);
}

// At `(`.
bool Parser::Call(const Name& name, bool in_from) {
  bool handled = false;
  if (!SpecialCall(name, handled)) return false;
  if (!handled) {
    Arguments arguments;
    if (!ReadArguments(arguments)) return false;
    NoteCall(name, arguments, in_from);
  }
  return in_from || CallTail();
}

// Calls whose arguments have a grammar of their own.
bool Parser::SpecialCall(const Name& name, bool& handled) {
  handled = false;
  if (name.parts.size() != 1 || name.quoted) return true;
  const std::string& word = name.last();
  const bool cast = word == "cast" || word == "try_cast";
  const bool parse = word == "parse" || word == "try_parse";
  const bool json = word == "json_object" || word == "json_array" || word == "json_objectagg" ||
                    word == "json_arrayagg" || word == "json_value" || word == "json_query";
  const bool trim = word == "trim";
  if (!cast && !parse && !json && !trim) return true;
  handled = true;
  const Level level(*this);
  if (!level.ok() || !Skip(kOpen)) return false;
  if (cast || parse) {
    if (!Expression() || !Skip("AS") || !Type()) return false;
    if (parse && Skip("USING") && !Expression()) return false;
    return Skip(kClose);
  }
  if (trim) {
    SkipOneOf({"LEADING", "TRAILING", "BOTH"});
    if (!Expression() || (Skip("FROM") && !Expression())) return false;
    return Skip(kClose);
  }
  if (!Is(kClose) && !IsOneOf({"NULL", "ABSENT"})) {
    do {
      if (!Expression() || (SkipOperator(":") && !Expression())) return false;
    } while (Skip(kComma));
  }
  if (Is("ORDER") && !OrderBy()) return false;
  if (IsOneOf({"NULL", "ABSENT"}) && Is("ON", 1) && Is("NULL", 2)) at_ += 3;
  if (Skip("RETURNING") && !Type()) return false;
  if (Is("WITH") && Is("WRAPPER", 1)) at_ += 2;
  return Skip(kClose);
}

// What may stand behind a call: WITHIN GROUP, IGNORE NULLS, OVER.
bool Parser::CallTail() {
  if (Skip("WITHIN")) {
    if (!Skip("GROUP") || !Skip(kOpen) || !OrderBy() || !Skip(kClose)) return false;
  }
  if (IsOneOf({"IGNORE", "RESPECT"}) && Is("NULLS", 1)) at_ += 2;
  return !Is("OVER") || Over();
}

bool Parser::Over() {
  ++at_;
  if (!Is(kOpen)) {
    if (!At().MayBeName()) return false;
    ++at_;
    return true;
  }
  return WindowSpecification();
}

// ([w] [PARTITION BY ...] [ORDER BY ...] [ROWS ...]).
bool Parser::WindowSpecification() {
  const Level level(*this);
  if (!level.ok() || !Skip(kOpen)) return false;
  if (At().MayBeName() && !(Is("PARTITION") && Is("BY", 1)) && !IsOneOf({"ROWS", "RANGE"})) ++at_;
  if (SkipWords({"PARTITION", "BY"}) && !Expressions()) return false;
  if (Is("ORDER") && !OrderBy()) return false;
  if (SkipOneOf({"ROWS", "RANGE"})) {
    Skip("BETWEEN");
    do {
      if (SkipWords({"CURRENT", "ROW"})) continue;
      if (!Skip("UNBOUNDED") && !Skip(kNumber) && !Skip(kVariable)) return false;
      if (!SkipOneOf({"PRECEDING", "FOLLOWING"})) return false;
    } while (Skip("AND"));
  }
  return Skip(kClose);
}

}  // namespace bridgekeeper::sqlserver
