// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/sqlite_statements.h"

#include <algorithm>
#include <utility>

#include "policy/guard/sqlite/token.h"

namespace bridgekeeper {

const char kSqliteSchema[] = R"(
PRAGMA page_size = 512;
CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, name TEXT, doc TEXT, updated_at TEXT);
CREATE INDEX t_b ON t(b);
CREATE TABLE u(id INTEGER PRIMARY KEY, a, b);
CREATE TABLE w(a);
CREATE TABLE x(a);
CREATE TABLE t2(deleted_at, isdeleted, updated_at, "drop table", "insert", "a""b;");
CREATE TABLE k(key, action, "replace", plan, query);
CREATE TABLE view_(a);
CREATE TABLE r("returning");
CREATE TABLE names(pragma_optimize, load_extension, sqlite_stmt);
CREATE TABLE s(id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE VIEW v AS SELECT a, lower(name) AS name FROM t;
CREATE VIRTUAL TABLE ft USING fts5(a, b);
CREATE VIRTUAL TABLE ft3 USING fts4(a);
CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1);
CREATE TEMP TABLE x2(a);
INSERT INTO t SELECT value, value % 3, value % 2, 'n' || value, '{"a": {"b": 1}, "items": []}', ''
  FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8]');
INSERT INTO u SELECT id, a, b FROM t;
INSERT INTO w VALUES (1), (2);
INSERT INTO s DEFAULT VALUES;
INSERT INTO ft SELECT name, name FROM t;
INSERT INTO ft SELECT name, 'x' FROM t;
INSERT INTO ft3 SELECT 'x ' || name FROM t;
INSERT INTO ft3 SELECT 'y' FROM t;
INSERT INTO rt VALUES (1, 1, 2);
ANALYZE;
)";

namespace {

struct Function {
  std::string_view name;
  size_t arguments;
};
constexpr Function kFunctions[] = {
    {"abs", 1},        {"lower", 1},  {"replace", 3}, {"coalesce", 2}, {"substr", 2}, {"round", 1},
    {"typeof", 1},     {"iif", 3},    {"glob", 2},    {"like", 2},     {"max", 2},    {"instr", 2},
    {"json_array", 2}, {"ifnull", 2}, {"date", 1},    {"hex", 1},      {"nullif", 2}, {"char", 1}};

}  // namespace

std::string SqliteStatements::Read() {
  harmful_in_ = -1;
  static const std::vector<std::string_view> kBegins = {"", "", "", "EXPLAIN ",
                                                        "EXPLAIN QUERY PLAN "};
  return Pick(kBegins) + Query(3) + (OneIn(3) ? ";" : "");
}

std::string SqliteStatements::Harmful() {
  while (true) {
    harmful_in_ = static_cast<int>(Below(8));
    std::string text = Query(3);
    if (harmful_in_ < 0) return text;
  }
}

std::string SqliteStatements::Gap() {
  static const std::vector<std::string_view> kGaps = {
      " ", " ", " ", " ", "\n", "\t", " /* ' ; */ ", " -- \" (\n", "/*/ x*/", "\r\n"};
  return Pick(kGaps);
}

std::string SqliteStatements::Quoted(std::string_view name, bool as_table) {
  std::string text(name);
  if (OneIn(4) && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  switch (Below(as_table ? 8 : 7)) {
    case 0:
      return "\"" + text + "\"";
    case 1:
      return "[" + text + "]";
    case 2:
      return "`" + text + "`";
    case 7:
      return "'" + text + "'";
    default:
      return text;
  }
}

std::string SqliteStatements::Arguments(int depth, size_t count) {
  std::string text = "(";
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? "," + Gap() : "") + Expression(depth - 1);
  return text + ")";
}

std::string SqliteStatements::Call(int depth) {
  if (harmful_in_ >= 0 && harmful_in_-- == 0) {
    static const std::vector<std::string_view> kHarmful = {
        "my_fn", "left",     "offset",       "filter",         "over",       "by",
        "key",   "conflict", "materialized", "load_extension", "sqlite_log", "fts3_tokenizer"};
    const std::string name = Pick(kHarmful);
    return Quoted(name, false) + (OneIn(3) ? Gap() : "") +
           Arguments(depth, name == "sqlite_log" || name == "fts3_tokenizer" ? 2 : 1);
  }
  const Function& function = kFunctions[Below(std::size(kFunctions))];
  return Quoted(function.name, false) + (OneIn(3) ? Gap() : "") +
         Arguments(depth, function.arguments);
}

std::string SqliteStatements::Expression(int depth) {
  static const std::vector<std::string_view> kLeaves = {"1",
                                                        "'x'",
                                                        "NULL",
                                                        "x'00'",
                                                        "a",
                                                        "b",
                                                        "0x1F",
                                                        ".5",
                                                        "?1",
                                                        ":p",
                                                        "$v::w(;')",
                                                        "CURRENT_DATE",
                                                        "'it''s ; --'",
                                                        "\"a\"",
                                                        "[b]",
                                                        "'pragma_optimize'",
                                                        "'load_extension(1)'"};
  if (depth <= 0) return Pick(kLeaves);
  const auto inner = [&] { return Expression(depth - 1); };
  static const std::vector<std::string_view> kBinary = {
      " + ",    " || ",       " = ",
      " <> ",   " AND ",      " OR ",
      " IS ",   " IS NOT ",   " IS NOT DISTINCT FROM ",
      " LIKE ", " NOT GLOB ", " IS DISTINCT FROM ",
      "<<",     ">=",         " NOT LIKE "};
  switch (Below(16)) {
    case 0:
      return inner() + Pick(kBinary) + "(" + inner() + ")";
    case 1:
      return "(" + inner() + ")" + Pick(kBinary) + inner();
    case 2:
      return "CASE WHEN (" + inner() + ") THEN" + Gap() + inner() + " ELSE (" + inner() + ") END";
    case 3:
      return "CAST" + Gap() + "(" + inner() + " AS DECIMAL(10, 2))";
    case 4:
      return "(" + inner() + ") IN (" + inner() + ", " + inner() + ")";
    case 5:
      return "1 IN" + Gap() + (OneIn(2) ? "main." : "") + Quoted("w", true);
    case 6:
      return "(" + inner() + ") NOT IN (SELECT a FROM" + Gap() + Table(depth - 1) + ")";
    case 7:
      return "EXISTS" + Gap() + "(" + Query(depth - 1) + ")";
    case 8:
      return "(SELECT" + Gap() + inner() + ")";
    case 9:
      return "(" + inner() + ") BETWEEN (" + inner() + ") AND (" + inner() + ")";
    case 10:
      return "NOT (" + inner() + ")";
    case 11:
      return "(" + inner() + ") COLLATE NOCASE";
    case 12:
      return "(SELECT count(*) FILTER (WHERE " + inner() + ") FROM w)";
    case 13:
      return "(" + inner() + ") NOTNULL";
    default:
      return Call(depth);
  }
}

std::string SqliteStatements::Table(int depth) {
  if (harmful_in_ >= 0 && harmful_in_-- == 0) {
    static const std::vector<std::string_view> kHarmful = {"pragma_optimize", "sqlite_stmt",
                                                           "pragma_database_list"};
    return Quoted(Pick(kHarmful), true) + " AS q";
  }
  static const std::vector<std::string_view> kTables = {
      "t",   "main.t",           "main . u",      "t AS z",
      "t z", "t INDEXED BY t_b", "t NOT INDEXED", "sqlite_master",
      "v",   "\"t\" 'alias'"};
  switch (depth > 0 ? Below(8) : 7) {
    case 0:
      return "(" + Query(depth - 1) + ") AS s";
    case 1:
      return "json_each" + Gap() + "(" + Expression(depth - 1) + ")";
    case 2:
      return "(" + Tables(depth - 1) + ")";
    case 3:
      return Quoted("pragma_table_info", true) + "('t')";
    case 4:
      return "pragma_user_version";
    default:
      return Pick(kTables);
  }
}

std::string SqliteStatements::Tables(int depth) {
  static const std::vector<std::string_view> kJoins = {
      ", ", " JOIN ", " LEFT JOIN ", " CROSS JOIN ", " LEFT OUTER JOIN ", " INNER JOIN "};
  std::string text = Table(depth);
  while (OneIn(3)) {
    text += Pick(kJoins) + Table(depth);
    if (text.find(',') == text.npos && OneIn(2)) text += " ON (" + Expression(depth - 1) + ")";
  }
  return text;
}

std::string SqliteStatements::Query(int depth) {
  std::string text;
  if (OneIn(6)) {
    static const std::vector<std::string_view> kWith = {"WITH ", "WITH RECURSIVE "};
    text += Pick(kWith) + "c(n) AS" + (OneIn(2) ? " MATERIALIZED" : "") + Gap() + "(SELECT " +
            Expression(depth - 1) + "), \"lower\" AS NOT MATERIALIZED(VALUES (1)) ";
  }
  if (OneIn(10)) return text + "VALUES" + Gap() + Arguments(depth, 2) + ", " + Arguments(depth, 2);
  text += "SELECT" + Gap() + (OneIn(6) ? "DISTINCT " : "") + Expression(depth);
  if (OneIn(2)) text += ", " + Expression(depth) + " AS " + Quoted("e", true);
  if (OneIn(8)) {
    text += ", count(*) FILTER (WHERE (" + Expression(depth - 1) + ")) OVER" + Gap() +
            "(PARTITION BY (" + Expression(depth - 1) + ") ORDER BY" + Gap() +
            Expression(depth - 1) + ")";
  }
  text += Gap() + "FROM" + Gap() + Tables(depth);
  if (OneIn(2)) text += Gap() + "WHERE" + Gap() + Expression(depth);
  if (OneIn(5)) text += " GROUP BY (" + Expression(depth - 1) + ") HAVING " + Expression(depth - 1);
  if (OneIn(8))
    text += " WINDOW o AS (ORDER BY (1)), o2 AS (ORDER BY " + Expression(depth - 1) + ")";
  if (OneIn(4)) text += " ORDER BY (" + Expression(depth - 1) + ") DESC";
  if (OneIn(4)) text += " LIMIT (" + Expression(0) + ") OFFSET" + Gap() + "(1)";
  return text;
}

std::string SqliteStatements::Mutated(std::string_view text) {
  static const std::vector<std::string_view> kPieces = {"(",
                                                        ")",
                                                        ",",
                                                        ".",
                                                        ";",
                                                        "SELECT",
                                                        "FROM",
                                                        "WHERE",
                                                        "JOIN",
                                                        "IN",
                                                        "WITH",
                                                        "AS",
                                                        "VALUES",
                                                        "DISTINCT",
                                                        "IS",
                                                        "NOT",
                                                        "UNION",
                                                        "ON",
                                                        "USING",
                                                        "BY",
                                                        "ORDER",
                                                        "OVER",
                                                        "FILTER",
                                                        "WINDOW",
                                                        "OFFSET",
                                                        "LIMIT",
                                                        "MATERIALIZED",
                                                        "RECURSIVE",
                                                        "REPLACE",
                                                        "EXPLAIN",
                                                        "PRAGMA",
                                                        "DELETE",
                                                        "TO",
                                                        "my_fn(1)",
                                                        "my_fn",
                                                        "pragma_optimize",
                                                        "'pragma_optimize'",
                                                        "sqlite_stmt",
                                                        "\"sqlite_stmt\"",
                                                        "load_extension('x')",
                                                        "t",
                                                        "main",
                                                        "a",
                                                        "1",
                                                        "'x'",
                                                        "x'00'",
                                                        "$a(",
                                                        "/*",
                                                        "--",
                                                        "'",
                                                        "\"",
                                                        "[",
                                                        "=",
                                                        "->",
                                                        "*",
                                                        "-",
                                                        "END",
                                                        "INDEXED",
                                                        "LEFT",
                                                        "RETURNING",
                                                        "DO",
                                                        "UPDATE",
                                                        "SET",
                                                        "NULL",
                                                        "\n"};
  const sqlite::Tokens tokens = sqlite::Tokenize(text);
  std::vector<std::string> pieces;
  for (const sqlite::Token& token : tokens.list) pieces.emplace_back(tokens.Spelling(token));
  for (size_t change = 1 + Below(3); change > 0 && !pieces.empty(); --change) {
    const size_t at = Below(pieces.size());
    const auto place = pieces.begin() + static_cast<std::ptrdiff_t>(at);
    switch (Below(5)) {
      case 0:
        pieces.erase(place);
        break;
      case 1:
        pieces.insert(place, pieces[Below(pieces.size())]);
        break;
      case 2:
        std::swap(pieces[at], pieces[Below(pieces.size())]);
        break;
      case 3:
        pieces[at] = Pick(kPieces);
        break;
      default:
        pieces.insert(place, Pick(kPieces));
        break;
    }
  }
  std::string out;
  for (const std::string& piece : pieces) out += piece + (OneIn(8) ? Gap() : " ");
  return out;
}

}  // namespace bridgekeeper
