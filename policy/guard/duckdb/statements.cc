// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/statements.h"

#include <algorithm>
#include <iterator>

#include "policy/base/strings.h"
#include "policy/guard/duckdb/answer.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::duckdb {
namespace {

constexpr int kMaxExplains = 16;

struct Destructive {
  std::string_view word;
  std::string_view kind;
  std::string_view why;
};

// Statements that are DESTRUCTIVE whatever follows the word.
constexpr Destructive kDestructive[] = {
    {"attach", effect::kHostFile, "opens a database file or a server"},
    {"call", effect::kFunction, "calls a function as a statement"},
    {"copy", effect::kHostFile, "reads or writes a file of the host"},
    {"detach", effect::kSession, "takes a database away from every session"},
    {"drop", effect::kDrop, "drops an object"},
    {"execute", effect::kDynamicCode, "runs a statement whose text is not here"},
    {"export", effect::kHostFile, "writes files of the host"},
    {"force", effect::kExtension, "installs an extension, or ends other transactions"},
    {"import", effect::kHostFile, "runs the files of a folder of the host"},
    {"install", effect::kExtension, "fetches an extension"},
    {"load", effect::kExtension, "loads code into the process"},
    {"merge", effect::kMerge, "merges rows, which may delete some"},
    {"pivot", effect::kUnknown, "is PIVOT as a statement: with IN (...) in FROM it can be read"},
    {"prepare", effect::kDynamicCode, "keeps a statement to be run later"},
    {"reset", effect::kSetting, "changes a setting"},
    {"set", effect::kSetting, "changes a setting or a variable"},
    {"truncate", effect::kTruncate, "removes all rows"},
    {"use", effect::kSetting, "changes what names stand for"},
};

constexpr std::string_view kQueryWords[] = {"desc",      "describe", "from",    "select", "show",
                                            "summarize", "table",    "unpivot", "values"};

bool Contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

absl::Status WalkOne(std::string_view json, std::string_view text, Place place, Notes& notes,
                     bool& read) {
  read = false;
  const Answer answer(json);
  if (answer.kind() != Answer::Kind::kTree || answer.statements().size() != 1) {
    return absl::OkStatus();
  }
  TreeWalker walker(text, place, notes);
  walker.WalkStatement(answer.statements().at(0).value_unsafe());
  if (walker.too_deep()) return absl::ResourceExhaustedError("the parse tree is too deep");
  read = true;
  return absl::OkStatus();
}

absl::Status StatementJudge::Judge() {
  Statement({0, tokens_.tokens.size()}, false);
  return status_;
}

void StatementJudge::Statement(Range range, bool planned) {
  if (range.empty()) return Unknown(range.begin, "lacks a statement");
  const size_t at = range.begin;
  const std::string word =
      tokens_.tokens[at].kind == TokenKind::kWord ? tokens_.Value(at) : std::string();
  const auto* const destructive =
      std::find_if(std::begin(kDestructive), std::end(kDestructive),
                   [&](const Destructive& row) { return row.word == word; });
  if (destructive != std::end(kDestructive)) {
    Note(destructive->kind, "", at, Risk::kDestructive, destructive->why);
  } else if (tokens_.IsSymbol(at, '(') || Contains(kQueryWords, word)) {
    Query(range);
  } else if (word == "explain") {
    Explain(range);
  } else if (word == "with") {
    With(range, planned);
  } else if (word == "insert") {
    Insert(range, planned);
  } else if (word == "update") {
    Update(range, planned);
  } else if (word == "delete") {
    Delete(range, planned);
  } else if (word == "create") {
    Create(range);
  } else if (word == "alter") {
    Alter(range);
  } else if (word == "pragma") {
    Pragma(range);
  } else if (word == "comment") {
    Comment(range);
  } else if (word == "abort" || word == "begin" || word == "commit" || word == "end" ||
             word == "rollback" || word == "start") {
    Plain(range, effect::kTransaction, "begins or ends a transaction");
  } else if (word == "analyze" || word == "checkpoint" || word == "vacuum") {
    Plain(range, effect::kMaintenance, "maintains without losing anything");
  } else if (word == "deallocate") {
    Plain(range, effect::kSession, "forgets a prepared statement");
  } else {
    Unknown(at, "is a statement that is not known");
  }
}

// Words, names, dots, commas and parentheses, and nothing that is computed.
void StatementJudge::Plain(Range range, std::string_view kind, std::string_view why) {
  for (size_t i = range.begin; i < range.end; ++i) {
    if (!tokens_.IsName(i) && !tokens_.IsSymbol(i, '.') && !tokens_.IsSymbol(i, ',') &&
        !tokens_.IsSymbol(i, '(') && !tokens_.IsSymbol(i, ')')) {
      return Unknown(i, "has no place in this statement");
    }
  }
  Note(kind, "", range.begin, Risk::kElevated, why);
}

// EXPLAIN [ANALYZE] or EXPLAIN (OPTION [VALUE], ...), then a statement.
void StatementJudge::Explain(Range range) {
  if (++depth_ > kMaxExplains) return Unknown(range.begin, "explains itself too often");
  size_t at = range.begin + 1;
  bool runs = Take(at, range.end, "analyze");
  // EXPLAIN (SELECT ...) has no options.
  if (!runs && tokens_.IsSymbol(at, '(') &&
      (tokens_.IsWord(at + 1, "analyze") || tokens_.IsWord(at + 1, "format"))) {
    const size_t close = Closing(at, range.end);
    for (size_t i = at + 1; i < close; ++i) {
      if (tokens_.IsWord(i, "format") && i + 1 < close &&
          tokens_.tokens[i + 1].kind != TokenKind::kSymbol) {
        ++i;
      } else if (tokens_.IsWord(i, "analyze")) {
        runs = true;
        if (i + 1 < close && (tokens_.IsWord(i + 1, "false") || tokens_.IsWord(i + 1, "off"))) {
          runs = false;
          ++i;
        } else if (i + 1 < close && !tokens_.IsSymbol(i + 1, ',')) {
          ++i;
        }
      } else if (!tokens_.IsSymbol(i, ',')) {
        return Unknown(i, "is an option of EXPLAIN that is not known");
      }
    }
    at = close + 1;
  }
  if (at >= range.end) return Unknown(range.begin, "explains nothing");
  Statement({at, range.end}, !runs);
}

// WITH [RECURSIVE] name [(...)] AS [[NOT] MATERIALIZED] (query), ... then a statement.
void StatementJudge::With(Range range, bool planned) {
  size_t at = range.begin + 1;
  Take(at, range.end, "recursive");
  while (true) {
    if (!tokens_.IsName(at)) return Unknown(at, "is not read in WITH");
    ++at;
    if (tokens_.IsSymbol(at, '(')) at = Closing(at, range.end) + 1;
    if (Take(at, range.end, "using")) {
      if (!Take(at, range.end, "key") || !tokens_.IsSymbol(at, '(')) {
        return Unknown(at, "is not read in WITH");
      }
      at = Closing(at, range.end) + 1;
    }
    if (!Take(at, range.end, "as")) return Unknown(at, "is not read in WITH");
    Take(at, range.end, "not");
    Take(at, range.end, "materialized");
    const size_t close = tokens_.IsSymbol(at, '(') ? Closing(at, range.end) : range.end;
    if (close >= range.end) return Unknown(at, "is not read in WITH");
    Query({at + 1, close});
    at = close + 1;
    if (at >= range.end) return Unknown(range.begin, "lacks a statement");
    if (!tokens_.IsSymbol(at, ',')) break;
    ++at;
  }
  if (tokens_.IsWord(at, "insert") || tokens_.IsWord(at, "update") ||
      tokens_.IsWord(at, "delete") || tokens_.IsWord(at, "merge")) {
    return Statement({at, range.end}, planned);
  }
  Query(range);
}

// INSERT [OR ...] INTO name [AS alias] [(names)] [BY ...] query [ON CONFLICT ...]
// [RETURNING ...].
void StatementJudge::Insert(Range range, bool planned) {
  size_t at = range.begin + 1;
  if (Take(at, range.end, "or")) {
    if (Take(at, range.end, "replace")) {
      Note(effect::kReplace, "", at - 1, planned ? Risk::kSafe : Risk::kDestructive,
           "replaces rows that are there");
    } else if (!Take(at, range.end, "ignore")) {
      return Unknown(at, "is not read in INSERT");
    }
  }
  if (!Take(at, range.end, "into")) return Unknown(at, "is not read in INSERT");
  const size_t target = at;
  const std::string table = Name(at, range.end);
  if (table.empty()) return Unknown(at, "is not read as a table");
  if (!planned) Note(effect::kInsert, table, target, Risk::kElevated, "adds rows");
  if (Take(at, range.end, "as")) ++at;
  if (Take(at, range.end, "by") && !Take(at, range.end, "name") &&
      !Take(at, range.end, "position")) {
    return Unknown(at, "is not read in INSERT");
  }
  if (tokens_.IsSymbol(at, '(')) {
    const size_t close = Closing(at, range.end);
    if (IsNameList({at + 1, close})) at = close + 1;
  }
  const size_t returning = FindWord({at, range.end}, "returning");
  size_t conflict = at;
  while (conflict < returning &&
         !(tokens_.IsWord(conflict, "on") && tokens_.IsWord(conflict + 1, "conflict"))) {
    conflict = tokens_.IsSymbol(conflict, '(') ? Closing(conflict, returning) + 1 : conflict + 1;
  }
  conflict = std::min(conflict, returning);
  if (tokens_.IsWord(at, "default") && tokens_.IsWord(at + 1, "values") && at + 2 == conflict) {
    at = conflict;
  } else if (at < conflict) {
    Query({at, conflict});
  } else {
    return Unknown(range.begin, "inserts nothing that is read");
  }
  if (conflict < returning) OnConflict({conflict + 2, returning}, planned, table);
  if (returning < range.end) Expressions({returning + 1, range.end});
}

// After ON CONFLICT: [(names) [WHERE ...]] DO NOTHING | DO UPDATE SET ... [WHERE ...]
void StatementJudge::OnConflict(Range range, bool planned, std::string_view table) {
  size_t at = range.begin;
  if (tokens_.IsSymbol(at, '(')) {
    const size_t close = Closing(at, range.end);
    if (!IsNameList({at + 1, close})) return Unknown(at, "is not read in ON CONFLICT");
    at = close + 1;
    if (Take(at, range.end, "where")) {
      const size_t action = FindWord({at, range.end}, "do");
      Expressions({at, action});
      at = action;
    }
  }
  if (!Take(at, range.end, "do")) return Unknown(at, "is not read in ON CONFLICT");
  if (Take(at, range.end, "nothing")) {
    if (at != range.end) Unknown(at, "is not read in ON CONFLICT");
    return;
  }
  if (!Take(at, range.end, "update") || !Take(at, range.end, "set")) {
    return Unknown(at, "is not read in ON CONFLICT");
  }
  if (!planned) {
    Note(effect::kUpdate, table, range.begin, Risk::kElevated, "changes rows that are there");
  }
  const size_t where = FindWord({at, range.end}, "where");
  Assignments({at, where});
  if (where < range.end) Expressions({where + 1, range.end});
}

// UPDATE name [[AS] alias] SET ... [FROM ...] [WHERE ...] [RETURNING ...].
void StatementJudge::Update(Range range, bool planned) {
  size_t at = range.begin + 1;
  const size_t target = at;
  const std::string table = Name(at, range.end);
  const size_t set = FindWord({at, range.end}, "set");
  if (table.empty() || set >= range.end) {
    // UPDATE EXTENSIONS has no SET.
    return Note(effect::kExtension, "", range.begin, Risk::kDestructive,
                "is UPDATE EXTENSIONS, or not read");
  }
  Take(at, set, "as");
  if (at < set && tokens_.IsName(at)) ++at;
  if (at != set) return Unknown(at, "is not read in UPDATE");
  if (!planned) Note(effect::kUpdate, table, target, Risk::kElevated, "changes rows");
  const size_t returning = FindWord({set, range.end}, "returning");
  const size_t where = FindWord({set, returning}, "where");
  const size_t from = FindWord({set, where}, "from");
  Assignments({set + 1, from});
  if (from < where) Relations({from + 1, where});
  if (where < returning) Expressions({where + 1, returning});
  if (returning < range.end) Expressions({returning + 1, range.end});
}

// DELETE FROM name [[AS] alias] [USING ...] [WHERE ...] [RETURNING ...].
void StatementJudge::Delete(Range range, bool planned) {
  size_t at = range.begin + 1;
  if (!planned) {
    Note(effect::kDelete, "", range.begin, Risk::kDestructive, "removes rows");
  }
  if (!Take(at, range.end, "from")) return Unknown(at, "is not read in DELETE");
  if (Name(at, range.end).empty()) return Unknown(at, "is not read as a table");
  const size_t returning = FindWord({at, range.end}, "returning");
  const size_t where = FindWord({at, returning}, "where");
  const size_t from = FindWord({at, where}, "using");
  Take(at, from, "as");
  if (at < from && tokens_.IsName(at)) ++at;
  if (at != from) return Unknown(at, "is not read in DELETE");
  if (from < where) Relations({from + 1, where});
  if (where < returning) Expressions({where + 1, returning});
  if (returning < range.end) Expressions({returning + 1, range.end});
}

// name = expression, (names) = expression, ...
void StatementJudge::Assignments(Range range) {
  size_t at = range.begin;
  if (range.empty()) return Unknown(at, "sets nothing that is read");
  while (at < range.end) {
    size_t next = at;
    size_t equals = range.end;
    while (next < range.end && !tokens_.IsSymbol(next, ',')) {
      if (tokens_.IsSymbol(next, '=') && equals == range.end) equals = next;
      const bool opens =
          tokens_.IsSymbol(next, '(') || tokens_.IsSymbol(next, '[') || tokens_.IsSymbol(next, '{');
      next = opens ? Closing(next, range.end) + 1 : next + 1;
    }
    next = std::min(next, range.end);
    size_t left = at;
    if (tokens_.IsSymbol(left, '(')) {
      const size_t close = Closing(left, range.end);
      if (!IsNameList({left + 1, close})) return Unknown(left, "is not read in SET");
      left = close + 1;
    } else if (Name(left, equals).empty()) {
      return Unknown(left, "is not read in SET");
    }
    if (left != equals || equals >= next) return Unknown(left, "is not read in SET");
    Expressions({equals + 1, next});
    at = next + 1;
  }
}

void StatementJudge::Serialize(std::string_view prefix, Range range, bool definition) {
  if (!status_.ok()) return;
  if (range.empty()) return Unknown(range.begin, "lacks an expression");
  const size_t begin = tokens_.tokens[range.begin].begin;
  const size_t end = tokens_.tokens[range.end - 1].end;
  const std::string text =
      std::string(prefix) + std::string(tokens_.text.substr(begin, end - begin));
  const auto json = parser_.Serialize(text);
  if (!json.ok()) {
    status_ = json.status();
    return;
  }
  Notes notes(options_, definition, found_);
  bool read = false;
  status_ = WalkOne(*json, tokens_.text, {prefix.size(), begin}, notes, read);
  if (status_.ok() && !read) Unknown(range.begin, "is no query or expression by itself");
}

std::string StatementJudge::Name(size_t& at, size_t end) {
  std::string parts[3];
  size_t count = 0;
  const size_t begin = at;
  while (at < end && tokens_.IsName(at) && count < 3) {
    parts[count++] = tokens_.Value(at++);
    if (at + 1 >= end || !tokens_.IsSymbol(at, '.')) break;
    ++at;
  }
  if (count == 0) return "";
  if (count > 1) {
    const std::string& schema = parts[count - 2];
    notes_.CheckConnection(count == 3 ? parts[0] : "", schema, PositionOf(begin));
    const std::string lower = AsciiLower(schema);
    if (lower == "pg_catalog" || lower == "information_schema") {
      Note(effect::kSystemWrite, schema, begin, Risk::kDestructive,
           "writes to the engine's own catalogue");
    }
  }
  return parts[count - 1];
}

bool StatementJudge::Take(size_t& at, size_t end, std::string_view word) const {
  if (at >= end || !tokens_.IsWord(at, word)) return false;
  ++at;
  return true;
}

void StatementJudge::TakeIfNotExists(size_t& at, size_t end) const {
  if (at + 2 < end && tokens_.IsWord(at, "if") && tokens_.IsWord(at + 1, "not") &&
      tokens_.IsWord(at + 2, "exists")) {
    at += 3;
  }
}

size_t StatementJudge::FindWord(Range range, std::string_view word) const {
  for (size_t i = range.begin; i < range.end; ++i) {
    if (tokens_.IsSymbol(i, '(')) {
      i = Closing(i, range.end);
    } else if (tokens_.IsWord(i, word)) {
      // IS DISTINCT FROM is an operator; after a dot it is a name.
      const bool is_operator = word == "from" && i > 0 && tokens_.IsWord(i - 1, "distinct");
      const bool is_name = i > 0 && tokens_.IsSymbol(i - 1, '.');
      if (!is_operator && !is_name) return i;
    }
  }
  return range.end;
}

size_t StatementJudge::Closing(size_t open, size_t end) const {
  int depth = 0;
  for (size_t i = open; i < end; ++i) {
    if (tokens_.tokens[i].kind != TokenKind::kSymbol) continue;
    const char c = tokens_.text[tokens_.tokens[i].begin];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return end;
}

bool StatementJudge::IsNameList(Range range) const {
  if (range.empty()) return false;
  for (size_t i = range.begin; i < range.end; ++i) {
    const bool comma = (i - range.begin) % 2 == 1;
    if (comma ? !tokens_.IsSymbol(i, ',') : !tokens_.IsName(i)) return false;
  }
  return (range.end - range.begin) % 2 == 1;
}

size_t StatementJudge::PositionOf(size_t at) const {
  return at < tokens_.tokens.size() ? tokens_.tokens[at].begin : tokens_.text.size();
}

void StatementJudge::Note(std::string_view kind, std::string_view object, size_t at, Risk risk,
                          std::string_view why) {
  if (risk != Risk::kSafe) notes_.Add(kind, object, PositionOf(at), risk, why);
}

void StatementJudge::Unknown(size_t at, std::string_view why) {
  const std::string word = at < tokens_.tokens.size() ? std::string(tokens_.raw(at)) : "";
  notes_.AddUnknown(word, PositionOf(at), why);
}

}  // namespace bridgekeeper::duckdb
