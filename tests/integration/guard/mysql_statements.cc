// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/mysql_statements.h"

#include <iterator>
#include <utility>

namespace bridgekeeper {

const std::string_view kMysqlSchema[] = {
    "CREATE DATABASE app CHARACTER SET utf8mb4",
    "CREATE DATABASE other",
    "CREATE TABLE app.t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b INT, name VARCHAR(50), doc "
    "TEXT, "
    "d DATETIME, updated_at DATETIME, KEY i (a), KEY j (b), KEY k (a, b), FULLTEXT KEY (name))",
    "CREATE TABLE app.u (id INT PRIMARY KEY, a INT, b INT)",
    "CREATE TABLE app.w (a INT)",
    "CREATE TABLE app.x (a INT)",
    "CREATE TABLE app.y (a INT)",
    "CREATE TABLE app.z (a INT)",
    "CREATE TABLE app.user (a INT)",
    "CREATE TABLE app.`1st_table` (a INT)",
    "CREATE TABLE other.t (a INT)",
    "CREATE SEQUENCE app.s",
    "CREATE VIEW app.v AS SELECT a, LOWER(name) AS name FROM app.t",
    "INSERT INTO app.t (a, b, name, doc, d) SELECT seq, seq % 3, CONCAT('n', seq), "
    "'{\"a\": {\"b\": 1}}', '2024-01-01' FROM app.seq_1_to_8",
    "INSERT INTO app.t (a, b, name, doc, d) SELECT a, b, 'x', '[]', NULL FROM app.t",
    "INSERT INTO app.u SELECT id, a, b FROM app.t",
    "INSERT INTO app.w VALUES (1), (2)",
    "INSERT INTO other.t VALUES (1)",
    "CREATE FUNCTION app.my_fn(x INT) RETURNS INT NO SQL RETURN x",
    "CREATE FUNCTION app.f(x INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO app.w VALUES "
    "(x); "
    "RETURN x; END",
    "CREATE FUNCTION app.`count`(x INT) RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO app.w "
    "VALUES "
    "(x); RETURN x; END",
    "CREATE PROCEDURE app.p() INSERT INTO app.w VALUES (9)",
};
const size_t kMysqlSchemaSize = std::size(kMysqlSchema);

namespace {

struct Function {
  std::string_view name;
  int arguments;
  bool quotable;
};
constexpr Function kFunctions[] = {
    {"ABS", 1, true},        {"LOWER", 1, true},    {"REPLACE", 3, false}, {"COALESCE", 2, false},
    {"SUBSTRING", 2, false}, {"ROUND", 1, true},    {"IF", 3, false},      {"CONCAT", 2, true},
    {"LEFT", 2, false},      {"INSTR", 2, true},    {"HEX", 1, true},      {"NULLIF", 2, true},
    {"MOD", 2, false},       {"GREATEST", 2, true}, {"DATE", 1, false},    {"JSON_ARRAY", 2, true},
    {"TRUNCATE", 2, false},  {"INSERT", 4, false},  {"LENGTH", 1, true},   {"MD5", 1, true}};

}  // namespace

std::string MysqlStatements::Read() {
  harmful_in_ = -1;
  static const std::vector<std::string_view> kBegins = {"",         "",         "",
                                                        "EXPLAIN ", "ANALYZE ", "/* x */ "};
  return Pick(kBegins) + Query(3) + (OneIn(3) ? ";" : "");
}

std::string MysqlStatements::Harmful() {
  while (true) {
    harmful_in_ = static_cast<int>(Below(8));
    std::string text = Query(3);
    if (harmful_in_ < 0) return text;
  }
}

std::string MysqlStatements::Gap() {
  static const std::vector<std::string_view> kGaps = {
      " ", " ", " ", " ", "\n", "\t", " /* ' ; */ ", " -- ` (\n", "/*/ x*/", "\r\n", " # '\n"};
  return Pick(kGaps);
}

std::string MysqlStatements::Case(std::string_view word) {
  std::string text(word);
  if (!OneIn(4)) return text;
  for (char& c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && OneIn(2)) c = static_cast<char>(c ^ 0x20);
  }
  return text;
}

std::string MysqlStatements::Harm() {
  static const std::vector<std::string_view> kHarms = {
      "SLEEP(0)",
      "sleep/**/(0)",
      "`sleep`(0)",
      "GET_LOCK('x', 0)",
      "LOAD_FILE('x')",
      "BENCHMARK(1, 1)",
      "my_fn(1)",
      "app.my_fn(1)",
      "`count`(1)",
      "COUNT (1)",
      "NEXT VALUE FOR s",
      "NEXTVAL(s)",
      "@@datadir",
      "@@global.socket",
      "LAST_INSERT_ID(7)",
      "(@v := 1)",
      "(SELECT MAX(User) FROM mysql.user)",
      "(SELECT COUNT(*) FROM information_schema.processlist)",
      "(SELECT a FROM t LIMIT 1 FOR UPDATE)",
      "(SELECT a FROM t LIMIT 1 LOCK IN SHARE MODE)",
      "/*!50000 SLEEP(0) + */ 1",
      "/*M! GET_LOCK('y', 0) + */ 1",
      "f(7)",
      "IS_USED_LOCK('x') + sleep(0)"};
  return Pick(kHarms);
}

std::string MysqlStatements::Call(int depth) {
  const Function& function = kFunctions[Below(std::size(kFunctions))];
  std::string text =
      function.quotable && OneIn(4) ? "`" + std::string(function.name) + "`" : Case(function.name);
  // With white space some names are those of stored functions.
  if (function.quotable && OneIn(4)) text += Gap();
  text += "(";
  for (int i = 0; i < function.arguments; ++i) {
    text += (i > 0 ? "," + Gap() : "") + Expression(depth - 1);
  }
  return text + ")";
}

std::string MysqlStatements::Expression(int depth) {
  if (harmful_in_ >= 0 && harmful_in_-- == 0) return Harm();
  static const std::vector<std::string_view> kLeaves = {
      "1",    "2.5",   "'x'",      "NULL", "x'41'", "0x41",      "'it''s'", "'a\\'b'",
      "TRUE", "FALSE", "_utf8'x'", "N'x'", "@u",    "@@version", "b'01'",   "1e3"};
  // Which columns there are goes by the tables, which are not kept in mind.
  if (OneIn(20)) return Pick({"a", "`a`", "t.a", "app.t.b", "name"});
  if (depth <= 0 || OneIn(4)) return Pick(kLeaves);
  const auto inner = [&] { return Expression(depth - 1); };
  switch (Below(16)) {
    case 0:
    case 1:
      return Call(depth);
    case 2:
      return "(" + inner() + Gap() + Pick({"+", "-", "*", "=", "<=>", "<>", "||", "&&", ">>"}) +
             Gap() + inner() + ")";
    case 3:
      return Case("CASE") + Gap() + Case("WHEN") + Gap() + inner() + Gap() + Case("THEN") + Gap() +
             inner() + Gap() + Case("END");
    case 4:
      return "CAST(" + inner() + " AS CHAR(10))";
    case 5:
      return inner() + " IN (" + inner() + ", " + inner() + ")";
    case 6:
      return Case("EXISTS") + "(" + Query(depth - 1) + ")";
    case 7:
      return "(SELECT" + Gap() + inner() + " LIMIT 1)";
    case 8:
      return inner() + " IS NOT NULL";
    case 9:
      return "NOT" + Gap() + inner();
    case 10:
      return inner() + Gap() + Case("BETWEEN") + " 1 AND" + Gap() + "3";
    case 11:
      return "CONCAT(" + inner() + ", 'DELETE FROM t;')";
    case 12:
      return inner() + Gap() + Pick({"LIKE", "NOT LIKE", "RLIKE"}) + " 'x'";
    case 13:
      return "TRIM(BOTH 'x' FROM" + Gap() + inner() + ")";
    case 14:
      return "(" + inner() + ")";
    default:
      return "-" + inner();
  }
}

std::string MysqlStatements::Table(int depth) {
  static const std::vector<std::string_view> kTables = {"t", "u", "w", "x", "app.t", "v", "`y`"};
  if (depth > 0 && OneIn(4)) return "(" + Query(depth - 1) + ") AS q" + std::to_string(Below(100));
  if (harmful_in_ >= 0 && OneIn(6)) {
    harmful_in_ = -1;
    return Pick({"mysql.user", "mysql . global_priv", "information_schema.processlist",
                 "`performance_schema`.`threads`"});
  }
  return Pick(kTables) + (OneIn(2) ? " AS k" + std::to_string(Below(1000)) : "");
}

std::string MysqlStatements::Tables(int depth) {
  std::string text = Table(depth);
  for (size_t more = Below(3); more > 0; --more) {
    switch (Below(4)) {
      case 0:
        text += "," + Gap() + Table(depth);
        break;
      case 1:
        text += Gap() + Case("LEFT JOIN") + Gap() + Table(depth) + " ON " + Expression(depth - 1);
        break;
      case 2:
        text += Gap() + Case("CROSS JOIN") + Gap() + Table(depth);
        break;
      default:
        text += Gap() + Case("JOIN") + " (" + Table(depth) + ")";
        break;
    }
  }
  return text;
}

std::string MysqlStatements::Query(int depth) {
  std::string text = Case("SELECT") + Gap() + Expression(depth);
  for (size_t more = Below(3); more > 0; --more) {
    text += "," + Gap() + Expression(depth) + (OneIn(3) ? " AS c" + std::to_string(Below(9)) : "");
  }
  if (!OneIn(4)) {
    text += Gap() + Case("FROM") + Gap() + Tables(depth);
    if (OneIn(2)) text += Gap() + Case("WHERE") + Gap() + Expression(depth);
    if (OneIn(5)) text += Gap() + Case("GROUP BY") + Gap() + Expression(depth - 1);
    if (OneIn(4)) text += Gap() + Case("ORDER BY") + " 1";
    if (OneIn(4)) text += Gap() + Case("LIMIT") + " 3";
  }
  if (depth > 0 && OneIn(6)) {
    text = "(" + text + ")" + Gap() + Case("UNION ALL") + Gap() + "(" + Query(depth - 1) + ")";
  }
  if (depth == 3 && OneIn(8)) text = "WITH c1 (n) AS (" + Query(1) + ") " + text;
  return text;
}

std::string MysqlStatements::Mutated(std::string_view text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
    };
    size_t end = i + 1;
    while (is_word(text[i]) && end < text.size() && is_word(text[end])) ++end;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  static const std::vector<std::string_view> kPieces = {"'",
                                                        "\"",
                                                        "`",
                                                        "\\",
                                                        "/*",
                                                        "*/",
                                                        "/*!",
                                                        "/*!50000 ",
                                                        "/*!99999 ",
                                                        "/*M!",
                                                        "/*!100100 ",
                                                        "-- ",
                                                        "--",
                                                        "#",
                                                        "\n",
                                                        ";",
                                                        "(",
                                                        ")",
                                                        ",",
                                                        ".",
                                                        "@",
                                                        "@@",
                                                        " ",
                                                        "''",
                                                        "\\'",
                                                        "\\\"",
                                                        "/*+",
                                                        "{",
                                                        "}",
                                                        " FOR UPDATE ",
                                                        " INTO @v ",
                                                        " INTO OUTFILE 'zz' ",
                                                        " SLEEP(0) ",
                                                        " GET_LOCK('m', 0) ",
                                                        " @v := 1 ",
                                                        " ; INSERT INTO w VALUES (1) ",
                                                        " ; SET @v = 1 ",
                                                        " DELETE FROM w ",
                                                        " f(1) ",
                                                        " count (1) ",
                                                        " FROM mysql.user ",
                                                        ", other.t ",
                                                        " NEXT VALUE FOR s ",
                                                        " UNION SELECT f(2) ",
                                                        " LOCK IN SHARE MODE ",
                                                        " PROCEDURE ANALYSE() ",
                                                        "1e",
                                                        ".5",
                                                        "0x",
                                                        "N'",
                                                        "_utf8",
                                                        " AS x(a) "};
  for (size_t changes = 1 + Below(3); changes > 0 && !tokens.empty(); --changes) {
    const size_t at = Below(tokens.size());
    switch (Below(6)) {
      case 0:
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[at]);
        break;
      case 2:
        std::swap(tokens[at], tokens[Below(tokens.size())]);
        break;
      default:
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), Pick(kPieces));
        break;
    }
  }
  std::string out;
  for (const std::string& token : tokens) out += token;
  return out;
}

}  // namespace bridgekeeper
