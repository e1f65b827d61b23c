// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/duckdb_statements.h"

#include <utility>

namespace bridgekeeper {
namespace {

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

}  // namespace

std::string_view DuckdbStatements::Pick(std::initializer_list<std::string_view> of) {
  return of.begin()[Below(static_cast<int>(of.size()))];
}

std::string DuckdbStatements::Number(int depth) {
  if (!planted_.empty() && (depth <= 0 || Below(3) == 0)) return std::exchange(planted_, "");
  if (depth <= 0) return std::string(Pick({"1", "42", "a", "b", "t.a", "k", "-1", "1e3", "0.5"}));
  switch (Below(14)) {
    case 0:
      return Joined(
          {"(", Number(depth - 1), Pick({" + ", " - ", " * ", " % "}), Number(depth - 1), ")"});
    case 1:
      return Joined({Pick({"abs", "sqrt", "floor", "round", "sign", "exp", "ceil"}), "(",
                     Number(depth - 1), ")"});
    case 2:
      return Joined({"CASE WHEN ", Condition(depth - 1), " THEN ", Number(depth - 1), " ELSE ",
                     Number(depth - 1), " END"});
    case 3:
      return Joined({"coalesce(", Number(depth - 1), ", ", Number(depth - 1), ")"});
    case 4:
      return Joined({"length(", Text(depth - 1), ")"});
    case 5:
      return Joined({"(SELECT max(u.a) FROM u WHERE u.b > ", Number(depth - 1), ")"});
    case 6:
      return Joined({"list_sum(list_transform([", Number(depth - 1), ", 2], x -> x + 1))"});
    case 7:
      return Joined({"CAST(", Number(depth - 1), " AS DOUBLE)"});
    case 8:
      return Joined({"TRY_CAST(", Text(depth - 1), " AS INTEGER)"});
    case 9:
      return Joined({"date_part('", Pick({"year", "month", "day"}), "', d)"});
    case 10:
      return Joined({"sum(", Number(0), ") OVER (PARTITION BY t.a ORDER BY b)"});
    case 11:
      return Joined({"greatest(", Number(depth - 1), ", l[1], s.x, len(l))"});
    case 12:
      return Joined({"{'p': ", Number(depth - 1), "}.p"});
    default:
      return Joined({"[", Number(depth - 1), ", 3][1]"});
  }
}

std::string DuckdbStatements::Text(int depth) {
  if (depth <= 0)
    return std::string(Pick({"name", "'x'", "'it''s'", "$$a;b$$", "s.y", "j->>'$.a'"}));
  switch (Below(6)) {
    case 0:
      return Joined(
          {Pick({"upper", "lower", "reverse", "trim", "md5"}), "(", Text(depth - 1), ")"});
    case 1:
      return Joined({"(", Text(depth - 1), " || ", Text(depth - 1), ")"});
    case 2:
      return Joined({"replace(", Text(depth - 1), ", 'DROP TABLE', 'x')"});
    case 3:
      return Joined({"CAST(", Number(depth - 1), " AS VARCHAR)"});
    case 4:
      return Joined({"concat_ws('-', ", Text(depth - 1), ", ", Number(depth - 1), ")"});
    default:
      return Joined({"substring(", Text(depth - 1), " FROM 1 FOR 2)"});
  }
}

std::string DuckdbStatements::Condition(int depth) {
  if (depth <= 0) return Joined({Number(0), Pick({" > ", " = ", " <> "}), Number(0)});
  switch (Below(8)) {
    case 0:
      return Joined(
          {"(", Condition(depth - 1), Pick({" AND ", " OR "}), Condition(depth - 1), ")"});
    case 1:
      return Joined({"NOT (", Condition(depth - 1), ")"});
    case 2:
      return Joined(
          {Text(depth - 1), Pick({" LIKE ", " ILIKE ", " NOT LIKE ", " GLOB "}), "'%delete%'"});
    case 3:
      return Joined({Number(depth - 1), " BETWEEN 1 AND ", Number(depth - 1)});
    case 4:
      return Joined({Number(depth - 1), " IN (1, 2, ", Number(depth - 1), ")"});
    case 5:
      return Joined({"EXISTS (SELECT 1 FROM u WHERE u.a = ", Number(depth - 1), ")"});
    case 6:
      return Joined({Number(depth - 1), " IS NOT DISTINCT FROM ", Number(depth - 1)});
    default:
      return Joined({Text(depth - 1), Pick({" IS NULL", " IS NOT NULL"})});
  }
}

std::string DuckdbStatements::From(int depth) {
  if (depth <= 0) return "t";
  switch (Below(6)) {
    case 0:
      return Joined({"t ", Pick({"LEFT ", "", "FULL "}), "JOIN u ON t.a = u.a AND ", Condition(0)});
    case 1:
      return Joined({"t CROSS JOIN (", Query(0), ") q"});
    case 2:
      return "t, range(3) r(i)";
    case 3:
      return "t, unnest(t.l) AS w(x)";
    case 4:
      return "t SEMI JOIN v USING (a)";
    default:
      return "t";
  }
}

std::string DuckdbStatements::Query(int depth) {
  std::string text =
      depth > 0 && Below(4) == 0 ? Joined({"WITH c AS (", Query(depth - 1), ") "}) : std::string();
  text += Joined({"SELECT ", Number(depth), " AS n1, ", Text(depth), " AS n2 FROM ", From(depth)});
  if (Below(2) == 0) text += Joined({" WHERE ", Condition(depth)});
  if (Below(4) == 0) text += Joined({" ORDER BY ", Number(depth > 0 ? 1 : 0)});
  if (Below(4) == 0) text += " LIMIT 5";
  return text;
}

std::string DuckdbStatements::Read() {
  std::string text = Query(1 + Below(3));
  switch (Below(8)) {
    case 0:
      return "EXPLAIN " + text;
    case 1:
      return "DESCRIBE " + text;
    case 2:
      return Joined({"SELECT count(*), max(n1) FROM (", text, ") GROUP BY n2"});
    case 3:
      return Joined({"/* DROP */ ", text, " -- end"});
    case 4:
      return Joined({"FROM (", text, ") SELECT n1"});
    default:
      return text;
  }
}

std::string DuckdbStatements::Harmful() {
  planted_ = std::string(Pick({
      "(SELECT count(*) FROM 'plant.csv')",
      "(SELECT count(*) FROM plant.csv)",
      "(SELECT count(*) FROM read_text('plant.csv'))",
      "(SELECT max(a) FROM read_csv('plant.csv'))",
      "length(json_serialize_plan('FROM ''plant.csv'''))",
      "(SELECT count(*) FROM query('SELECT 1'))",
      "(SELECT count(*) FROM query_table('t'))",
      "nextval('seq')",
      "setseed(0.5)",
      "(SELECT count(*) FROM duckdb_settings())",
      "(SELECT count(*) FROM enable_logging())",
      "length(current_setting('http_proxy_password'))",
      "(SELECT count(*) FROM glob('*'))",
      "my_macro(1)",
  }));
  const std::string text = Query(2);
  if (planted_.empty()) return text;
  planted_.clear();
  return std::string(
             Pick({"INSERT INTO t (a) SELECT n1 FROM (", "CREATE TABLE w AS SELECT * FROM ("})) +
         text + ")";
}

}  // namespace bridgekeeper
