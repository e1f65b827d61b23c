// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/postgres_statements.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string_view>
#include <utility>

namespace bridgekeeper {
namespace {

constexpr char kSchema[] = R"(
create role agent login;
grant pg_read_all_data to agent;
create sequence s;
select nextval('s');
create table t (id int primary key, a int, b int, c int, d boolean, e int, name text, doc xml, at timestamptz);
create table u (id int, a int, b int, c int, x boolean);
create table v (a int, b int); create table w (a int); create table items (id int, order_id int, quantity int, price int);
create table orders (id int, customer_id int, total int, status text, created_at timestamptz, user_id int);
create table customers (id int, name text, country text); create table users (id int, email text);
create table logs (id int, message text); create table emp (id int, name text, manager int);
create table nodes (id int, parent int, name text);
insert into t select i, i, i * 2, 1, true, 0, 'n' || i, '<a/>', now() from generate_series(1, 20) i;
insert into u select i, i, i, i, true from generate_series(1, 20) i;
create materialized view m as select 1 as one;
create function f() returns int language sql volatile as 'select 1';
create function f(int) returns int language sql volatile as 'select 1';
create schema app; create schema ext;
create type mood as enum ('a', 'b');
grant all on all tables in schema public to agent;
grant all on schema public, app to agent;
vacuum (freeze, analyze);
vacuum (freeze);
checkpoint;
)";

// Constants by type; what is not here is a NULL of the type.
const std::map<std::string, std::string>& Constants() {
  static const auto* const constants = new std::map<std::string, std::string>{
      {"smallint", "1::int2"},
      {"integer", "1"},
      {"bigint", "1::int8"},
      {"oid", "1259::oid"},
      {"real", "1::float4"},
      {"double precision", "0.5::float8"},
      {"numeric", "1.5"},
      {"text", "'x'::text"},
      {"character varying", "'x'::varchar"},
      {"character", "'x'::bpchar"},
      {"\"char\"", "'x'::\"char\""},
      {"name", "'t'::name"},
      {"cstring", "'1'::cstring"},
      {"boolean", "true"},
      {"bytea", "'\\x01'::bytea"},
      {"regclass", "'t'::regclass"},
      {"regtype", "'int4'::regtype"},
      {"regproc", "'lower'::regproc"},
      {"regnamespace", "'public'::regnamespace"},
      {"date", "'2020-01-01'::date"},
      {"timestamp without time zone", "'2020-01-01'::timestamp"},
      {"timestamp with time zone", "'2020-01-01'::timestamptz"},
      {"interval", "'1 ms'::interval"},
      {"time without time zone", "'12:00'::time"},
      {"json", "'{\"a\": 1}'::json"},
      {"jsonb", "'{\"a\": 1}'::jsonb"},
      {"xml", "'<a/>'::xml"},
      {"uuid", "uuid_nil()"},
      {"inet", "'10.0.0.1'::inet"},
      {"point", "'(1,2)'::point"},
      {"tid", "'(0,1)'::tid"},
      {"tsquery", "'a'::tsquery"},
      {"tsvector", "'a'::tsvector"},
      {"pg_lsn", "'0/1'::pg_lsn"},
      {"hstore", "'a=>1'::hstore"},
      {"int4range", "int4range(1, 5)"},
      {"anyelement", "1"},
      {"anyarray", "ARRAY[1, 2]"},
      {"anycompatible", "1"},
      {"anycompatiblearray", "ARRAY[1, 2]"},
      {"anynonarray", "1"},
      {"\"any\"", "1"},
      {"anyenum", "'a'::mood"},
      {"anyrange", "int4range(1, 2)"},
      {"anymultirange", "int4multirange(int4range(1, 2))"},
      {"record", "ROW(1)"},
      {"text[]", "ARRAY['x']"},
      {"integer[]", "ARRAY[1, 2]"},
      {"regconfig", "'english'::regconfig"},
      {"regdictionary", "'simple'::regdictionary"},
  };
  return *constants;
}

constexpr char kFunctions[] = R"(
select n.nspname, p.proname, coalesce(e.extname, ''), p.pronargs - p.pronargdefaults,
       case when p.provariadic <> 0 then -1 else p.pronargs end, p.prokind,
       array_to_string(p.proargtypes::oid[]::regtype[], '|')
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
left join pg_depend d on d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e'
left join pg_extension e on e.oid = d.refobjid
where n.nspname in ('pg_catalog', 'information_schema') or e.extname is not null
order by 1, 2, 7
)";

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// `%` stands for the call.
struct Position {
  std::string_view pattern;
  bool reads;
};

constexpr Position kPositions[] = {
    {"SELECT %", true},
    {"SELECT a, (%) FROM t", true},
    {"SELECT * FROM %", true},
    {"SELECT * FROM t, LATERAL % AS x", true},
    {"SELECT * FROM ROWS FROM (%, generate_series(1, 2)) AS x", true},
    {"SELECT * FROM t WHERE (%) IS NOT NULL", true},
    {"SELECT * FROM t JOIN u ON (%) IS NULL", true},
    {"SELECT count(*) FROM t GROUP BY (%)", true},
    {"SELECT count(*) FROM t HAVING (%) IS NULL", true},
    {"SELECT a FROM t ORDER BY (%)", true},
    {"SELECT a FROM t LIMIT (SELECT 1 WHERE (%) IS NULL)", true},
    {"SELECT CASE WHEN (%) IS NULL THEN 1 ELSE 2 END", true},
    {"SELECT coalesce(NULL, (%)::text)", true},
    {"SELECT ARRAY[(%)]", true},
    {"SELECT ROW((%), 1)", true},
    {"SELECT ((%)::text)::varchar", true},
    {"SELECT count(*) FILTER (WHERE (%) IS NULL) FROM t", true},
    {"SELECT array_agg(a ORDER BY (%)) FROM t", true},
    {"SELECT sum(a) OVER (PARTITION BY (%) ORDER BY b) FROM t", true},
    {"SELECT a FROM t WINDOW w AS (ORDER BY (%))", true},
    {"SELECT a IN (SELECT 1 WHERE (%) IS NULL) FROM t", true},
    {"SELECT EXISTS (SELECT (%))", true},
    {"SELECT 1 UNION ALL SELECT count(%) FROM t", true},
    {"WITH x AS (SELECT (%)) SELECT * FROM x", true},
    {"WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x WHERE i < 3 AND (%) IS NULL) "
     "SELECT * FROM x",
     true},
    {"VALUES (1, (%)::text)", true},
    {"SELECT DISTINCT ON ((%)) a FROM t", true},
    {"SELECT a FROM t GROUP BY GROUPING SETS ((a), ((%)))", true},
    {"INSERT INTO t (name) VALUES ((%)::text)", false},
    {"INSERT INTO t (name) SELECT (%)::text RETURNING a", false},
    {"UPDATE t SET name = (%)::text", false},
    {"UPDATE t SET a = 1 RETURNING (%)", false},
    {"DELETE FROM t WHERE (%) IS NULL", false},
    {"MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND (%) IS NULL THEN UPDATE SET a = 1",
     false},
    {"SELECT (%) FROM t FOR UPDATE OF t", false},
    {"SELECT (%) INTO made", false},
    {"CREATE TABLE made AS SELECT (%)", false},
    {"CREATE VIEW made AS SELECT (%) AS x", false},
    {"CREATE TABLE made (a text DEFAULT (%)::text)", false},
    {"CREATE INDEX ON t ((%))", false},
    {"ALTER TABLE t ADD COLUMN made text DEFAULT (%)::text", false},
    {"WITH d AS (DELETE FROM t RETURNING a) SELECT (%) FROM d", false},
};

struct Wrapping {
  std::string_view pattern;  // `%` stands for the statement
  // Whether a read stays one; a write under a plain EXPLAIN is a read.
  bool reads;
  bool plans_only = false;
};

constexpr Wrapping kWrappings[] = {
    {"%", true},
    {"%", true},
    {"/* c */ %;", true},
    {"-- c\n%", true},
    {"EXPLAIN %", true, true},
    {"EXPLAIN (VERBOSE, ANALYZE off) %", true, true},
    {"EXPLAIN ANALYZE %", true},
    {"EXPLAIN (ANALYZE, COSTS off) %", true},
    {"PREPARE p AS %", false},
    {"DECLARE c CURSOR FOR %", false},
    {"COPY (%) TO STDOUT", true},
};

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

std::string Fill(std::string_view pattern, std::string_view value) {
  const size_t at = pattern.find('%');
  return std::string(pattern.substr(0, at)) + std::string(value) +
         std::string(pattern.substr(at + 1));
}

}  // namespace

void MakeSchema(support::PostgresSession& session) {
  const auto extensions = session.Run("select name from pg_available_extensions order by 1");
  for (const auto& row : extensions.rows) {
    const auto made = session.Run("create extension if not exists \"" + row[0] + "\" cascade");
    EXPECT_TRUE(made.ok()) << row[0] << ": " << made.message;
  }
  for (const std::string& statement : Split(kSchema, ';')) {
    if (statement.find_first_not_of(" \n") == std::string::npos) continue;
    const auto result = session.Run(statement);
    EXPECT_TRUE(result.ok()) << statement << ": " << result.message;
  }
}

std::vector<ServerFunction> ListFunctions(support::PostgresSession& session) {
  std::vector<ServerFunction> functions;
  for (const auto& row : session.Run(kFunctions).rows) {
    functions.push_back({row[0], row[1], row[2], std::stoi(row[3]), std::stoi(row[4]), row[5][0],
                         Split(row[6], '|')});
  }
  return functions;
}

std::string CallOf(const ServerFunction& function) {
  std::string call = "\"" + function.name + "\"(";
  if (function.schema != "public") call = "\"" + function.schema + "\"." + call;
  for (size_t i = 0; i < function.types.size(); ++i) {
    const auto constant = Constants().find(function.types[i]);
    if (i > 0) call += ", ";
    // An ordered-set aggregate is called like any other here, and refused.
    if (i + 1 == function.types.size() && function.most == -1 && function.types[i] != "\"any\"") {
      call += "VARIADIC ";
    }
    call += constant != Constants().end() ? constant->second : "NULL::" + function.types[i];
  }
  call += ")";
  if (function.kind == 'w') call += " OVER ()";
  return call;
}

Generated StatementGenerator::Next() {
  Generated out;
  out.function = &functions_[Pick(functions_.size())];
  const Position& position = kPositions[Pick(std::size(kPositions))];
  const Wrapping& wrapping = kWrappings[Pick(std::size(kWrappings))];
  const std::string statement = Fill(position.pattern, CallOf(*out.function));
  out.sql = statement;
  out.reads = position.reads;
  // Grammar: not every statement can be explained, prepared, declared or copied.
  const bool query = StartsWithAny(statement, {"SELECT", "WITH", "VALUES"});
  const bool data = query || StartsWithAny(statement, {"INSERT", "UPDATE", "DELETE", "MERGE"});
  const bool plain = StartsWithAny(wrapping.pattern, {"%", "/*", "--"});
  const bool fits = plain || (StartsWithAny(wrapping.pattern, {"DECLARE", "COPY"}) ? query : data);
  if (fits) {
    out.sql = Fill(wrapping.pattern, statement);
    out.reads = wrapping.reads && (position.reads || wrapping.plans_only);
  }
  return out;
}

}  // namespace bridgekeeper
