// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/postgres/live_catalogue.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/json.h"
#include "policy/guard/postgres/functions.h"
#include "policy/guard/postgres/safe_functions.h"

namespace bridgekeeper::bridge {
namespace {

// The columns of kReachedQuery: JSON arrays, or NULL where there is nothing.
enum Column : size_t { kForeign, kCode, kBehind, kNamed, kRules, kColumns };

std::string TextIn(JsonValue row, std::string_view key) {
  return std::string(TextOf(row.Find(key)));
}

// Of a function that nobody knows.
constexpr Risk kRiskOfFunction = Risk::kElevated;

// A function that is no extension's.
struct Function {
  std::string schema;
  std::string name;
  size_t arguments = 0;
  std::string of;  // what calls it, for people
};

Function FunctionOf(JsonValue row) {
  const auto arguments = row.Find("arguments");
  return {.schema = TextIn(row, "schema"),
          .name = TextIn(row, "name"),
          .arguments = arguments && arguments->is_number()
                           ? static_cast<size_t>(arguments->integer().value_or(0))
                           : 0,
          .of = TextIn(row, "of")};
}

// Whether the guard takes a call of this name for a function of the inventory.
bool IsTakenForAnother(const Function& function) {
  return postgres::LookUpCall("", function.name, std::nullopt).has_value() ||
         postgres::LookUpCall(function.schema, function.name, std::nullopt).has_value();
}

}  // namespace

// Every name is qualified: the search path is the session's. So is every operator, by the types
// of what stands on both sides: one of the very same types in pg_catalog comes first. 16384 is the
// first object that is not the engine's own.
const char kReachedQuery[] = R"sql(
WITH RECURSIVE used(oid) AS (
  SELECT l.relation FROM pg_catalog.pg_locks l
  WHERE l.pid = pg_catalog.pg_backend_pid() AND l.locktype = 'relation' AND l.relation >= 16384::pg_catalog.oid
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                      WHERE d.datname = pg_catalog.current_database())
  UNION
  SELECT next.oid FROM used u JOIN pg_catalog.pg_class c ON c.oid = u.oid
  CROSS JOIN LATERAL (
    SELECT d.refobjid FROM pg_catalog.pg_rewrite r
    JOIN pg_catalog.pg_depend d
      ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid AND d.objid = r.oid
    WHERE c.relkind = 'v' AND r.ev_class = c.oid
      AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
    UNION ALL
    SELECT d.refobjid FROM pg_catalog.pg_policy p
    JOIN pg_catalog.pg_depend d
      ON d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass::pg_catalog.oid AND d.objid = p.oid
    WHERE c.relrowsecurity AND p.polrelid = c.oid
      AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
    UNION ALL
    SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid) AS next(oid)),
reached AS (SELECT c.* FROM used u JOIN pg_catalog.pg_class c ON c.oid = u.oid),
-- The types whose checks a conversion may run: those that the text names, and those of the
-- columns that it reads, with all that they are made of. A type is named by itself, by its
-- array or by its table.
types(oid) AS (
  (SELECT t.oid FROM pg_catalog.pg_type t
   WHERE t.oid >= 16384::pg_catalog.oid
     AND ($1::pg_catalog.text ~* 'u&"' OR t.typname ~ '"'
          OR pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(t.typname)) > 0)
   UNION
   SELECT a.atttypid FROM used u JOIN pg_catalog.pg_attribute a ON a.attrelid = u.oid
   WHERE a.attnum > 0 AND $1 ~* '::|cast|populate')
  UNION
  SELECT next.oid FROM types n JOIN pg_catalog.pg_type t ON t.oid = n.oid
  CROSS JOIN LATERAL (
    SELECT t.typelem WHERE t.typelem <> 0::pg_catalog.oid
    UNION ALL
    SELECT t.typbasetype WHERE t.typbasetype <> 0::pg_catalog.oid
    UNION ALL
    SELECT a.atttypid FROM pg_catalog.pg_attribute a
    WHERE t.typrelid <> 0::pg_catalog.oid AND a.attrelid = t.typrelid AND a.attnum > 0) AS next(oid)),
-- The types that values of the statement may have: of columns, of what is named, of what a
-- function that is named hands out.
present(oid) AS (
  (SELECT a.atttypid FROM used u JOIN pg_catalog.pg_attribute a ON a.attrelid = u.oid
   WHERE a.attnum > 0
   UNION
   SELECT c.reltype FROM used u JOIN pg_catalog.pg_class c ON c.oid = u.oid
   UNION
   SELECT t.oid FROM pg_catalog.pg_type t
   WHERE t.oid >= 16384::pg_catalog.oid
     AND ($1 ~* 'u&"' OR t.typname ~ '"'
          OR pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(t.typname)) > 0)
   UNION
   SELECT r.oid FROM pg_catalog.pg_proc p
   CROSS JOIN LATERAL pg_catalog.unnest(
     pg_catalog.array_append(p.proallargtypes, p.prorettype)) AS r(oid)
   WHERE p.oid >= 16384::pg_catalog.oid
     AND ($1 ~* 'u&"' OR p.proname ~ '"'
          OR pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(p.proname)) > 0))
  UNION
  SELECT next.oid FROM present n JOIN pg_catalog.pg_type t ON t.oid = n.oid
  CROSS JOIN LATERAL (
    SELECT t.typelem WHERE t.typelem <> 0::pg_catalog.oid
    UNION ALL
    SELECT t.typbasetype WHERE t.typbasetype <> 0::pg_catalog.oid
    UNION ALL
    SELECT g.rngsubtype FROM pg_catalog.pg_range g WHERE t.oid IN (g.rngtypid, g.rngmultitypid)
    UNION ALL
    SELECT a.atttypid FROM pg_catalog.pg_attribute a
    WHERE t.typrelid <> 0::pg_catalog.oid AND a.attrelid = t.typrelid AND a.attnum > 0) AS next(oid)),
-- Types that no value of it has, and that none becomes by itself.
absent(oid) AS (
  SELECT t.oid FROM pg_catalog.pg_type t
  LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
  WHERE t.oid >= 16384::pg_catalog.oid AND 'd' NOT IN (t.typtype, coalesce(e.typtype, t.typtype))
    AND coalesce(e.oid, t.oid) NOT IN (SELECT p.oid FROM present p)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast k
                    WHERE k.casttarget IN (t.oid, e.oid) AND k.castcontext = 'i')),
-- What runs on the way, its text, and what it is called for people.
parts(classid, objid, of, text) AS (
  SELECT 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid, r.oid,
         'the view ' || c.oid::pg_catalog.regclass::pg_catalog.text, pg_catalog.pg_get_viewdef(c.oid)
  FROM reached c JOIN pg_catalog.pg_rewrite r ON r.ev_class = c.oid WHERE c.relkind = 'v'
  UNION ALL
  SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass::pg_catalog.oid, p.oid,
         'a policy of ' || c.oid::pg_catalog.regclass::pg_catalog.text,
         'SELECT ' || coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'true')
  FROM reached c JOIN pg_catalog.pg_policy p ON p.polrelid = c.oid WHERE c.relrowsecurity
  UNION ALL
  SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass::pg_catalog.oid, k.oid,
         'the domain ' || t.oid::pg_catalog.regtype::pg_catalog.text,
         'SELECT ' || pg_catalog.pg_get_expr(k.conbin, 0)
  FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_type t ON t.oid = k.contypid
  WHERE k.contypid >= 16384::pg_catalog.oid AND k.contype = 'c' AND k.contypid IN (SELECT y.oid FROM types y)),
own_functions AS (
  SELECT p.oid, p.proname, n.nspname, p.pronargs, p.proargtypes
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE p.oid >= 16384::pg_catalog.oid
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
                    WHERE e.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
                      AND e.objid = p.oid AND e.deptype = 'e')),
-- An identifier that is written with escapes, or holds a quote, may be any of them.
escaped(yes) AS (SELECT $1 ~* 'u&"'),
behind(of, oid) AS (
  SELECT p.of, d.refobjid FROM parts p
  JOIN pg_catalog.pg_depend d ON d.classid = p.classid AND d.objid = p.objid
  WHERE d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
  UNION
  SELECT p.of || ' with the operator ' || o.oprname::pg_catalog.text, o.oprcode::pg_catalog.oid FROM parts p
  JOIN pg_catalog.pg_depend d ON d.classid = p.classid AND d.objid = p.objid
  JOIN pg_catalog.pg_operator o ON o.oid = d.refobjid
  WHERE d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass::pg_catalog.oid
  UNION
  -- An operator of the text, and those that no token shows, as IN, BETWEEN and USING do. One
  -- between two types that are not there is not meant; of one such type a literal may be.
  SELECT 'the operator ' || o.oprname::pg_catalog.text, o.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator o
  WHERE o.oid >= 16384::pg_catalog.oid
    AND ((o.oprnamespace = ANY (SELECT n.oid FROM pg_catalog.pg_namespace n
                                WHERE n.nspname = ANY (pg_catalog.current_schemas(true)))
          AND (pg_catalog.strpos($1, o.oprname) > 0
               OR (o.oprname = '<>' AND pg_catalog.strpos($1, '!=') > 0)
               OR EXISTS (SELECT FROM (VALUES
                    ('=', '\m(in|any|some|all|distinct|using|natural|case|nullif)\M'),
                    ('<>', '\m(in|any|some|all|distinct)\M'),
                    ('<', '\mbetween\M'), ('<=', '\mbetween\M'),
                    ('>', '\mbetween\M'), ('>=', '\mbetween\M'),
                    ('~~', 'like'), ('!~~', 'like'), ('~~*', 'like'), ('!~~*', 'like'),
                    ('~', '\msimilar\M'), ('!~', '\msimilar\M')) AS word(operator, text)
                  WHERE word.operator = o.oprname AND $1 ~* word.text))
          AND NOT (o.oprleft IN (SELECT a.oid FROM absent a)
                   AND o.oprright IN (SELECT a.oid FROM absent a)))
         OR ($1 ~* 'operator' AND pg_catalog.strpos($1, o.oprname) > 0))
  UNION
  -- What sorts, groups, hashes and compares values of a type: no token shows it.
  SELECT 'the order of ' || t.oid::pg_catalog.regtype::pg_catalog.text, c.function
  FROM (SELECT p.amproclefttype, p.amproc::pg_catalog.oid FROM pg_catalog.pg_amproc p
        UNION ALL
        SELECT m.amoplefttype, o.oprcode::pg_catalog.oid FROM pg_catalog.pg_amop m
        JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr) AS c(type, function)
  JOIN pg_catalog.pg_type t ON t.oid = c.type
  WHERE c.function >= 16384::pg_catalog.oid AND t.oid NOT IN (SELECT a.oid FROM absent a)
  UNION
  -- One that the engine applies by itself, or that a type's name asks for.
  SELECT 'the cast to ' || t.oid::pg_catalog.regtype::pg_catalog.text, k.castfunc FROM pg_catalog.pg_cast k
  JOIN pg_catalog.pg_type t ON t.oid = k.casttarget
  WHERE k.oid >= 16384::pg_catalog.oid AND k.castfunc <> 0::pg_catalog.oid
    AND (k.castcontext = 'i' OR k.casttarget < 16384::pg_catalog.oid
         OR pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(t.typname)) > 0))
SELECT
  (SELECT pg_catalog.json_agg(c.oid::pg_catalog.regclass::pg_catalog.text) FROM reached c
   WHERE c.relkind = 'f'),
  (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('of', p.of, 'text', p.text,
            'shows', p.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid))
   FROM parts p),
  (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
            'of', b.of, 'schema', f.nspname, 'name', f.proname, 'arguments', f.pronargs))
   FROM behind b JOIN own_functions f ON f.oid = b.oid),
  (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
            'schema', f.nspname, 'name', f.proname, 'arguments', f.pronargs,
            'takes_row', f.pronargs = 1 AND EXISTS (
               SELECT FROM pg_catalog.pg_type t
               WHERE t.oid = f.proargtypes[0]
                 AND (t.typtype = 'c' OR t.typname = 'record' OR t.typtype = 'p'))))
   FROM own_functions f CROSS JOIN escaped e
   WHERE e.yes OR f.proname ~ '"'
      OR pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(f.proname)) > 0),
  (SELECT pg_catalog.json_agg('the rule ' || r.rulename::pg_catalog.text || ' of ' || c.oid::pg_catalog.regclass::pg_catalog.text)
   FROM reached c JOIN pg_catalog.pg_rewrite r ON r.ev_class = c.oid WHERE r.ev_type <> '1')
)sql";

std::optional<Reached> UnknownBehind(const std::vector<std::optional<std::string>>& row,
                                     Risk accepted, const std::set<std::string>& safe_functions,
                                     const PayloadJudge& judge) {
  if (row.size() != kColumns) return Reached{"the catalogue, which did not answer"};
  std::vector<JsonDocument> lists;
  for (const auto& column : row) {
    auto list = JsonDocument::Parse(column ? std::string_view(*column) : "[]");
    if (!list.ok() || !list->root().is_array()) {
      return Reached{"the catalogue, which is too large"};
    }
    lists.push_back(*std::move(list));
  }
  for (const JsonValue table : lists[kForeign].root()) {
    return Reached{absl::StrFormat("the foreign table %s", TextOf(table))};
  }
  const bool is_change = MoreHarmful(accepted, Risk::kSafe);
  for (const JsonValue rule : lists[kRules].root()) {
    if (is_change) return Reached{std::string(TextOf(rule))};
  }
  const bool takes_functions = !MoreHarmful(kRiskOfFunction, accepted);
  const postgres::SafeFunctions safe(safe_functions);
  for (const JsonValue each : lists[kBehind].root()) {
    const Function function = FunctionOf(each);
    if (takes_functions || safe.Cover(function.schema, function.name, function.arguments)) continue;
    return Reached{
        absl::StrFormat("%s, which calls %s.%s", function.of, function.schema, function.name),
        kRiskOfFunction};
  }
  for (const JsonValue part : lists[kCode].root()) {
    JudgeOptions options;
    options.safe_functions = safe_functions;
    // A policy and a check show nothing of what they read, such as a setting.
    options.allow_sensitive_reads = !IsTrue(part.Find("shows"));
    const Judgement judgement = judge.JudgeText("postgres", TextOf(part.Find("text")), options);
    if (judgement.error == Judgement::Error::kNone && !MoreHarmful(judgement.risk, accepted)) {
      continue;
    }
    if (judgement.effects.empty()) return Reached{TextIn(part, "of")};
    return Reached{absl::StrFormat("%s: %s %s", TextIn(part, "of"), judgement.effects[0].object,
                                   judgement.effects[0].why),
                   judgement.risk};
  }
  for (const JsonValue each : lists[kNamed].root()) {
    const Function function = FunctionOf(each);
    if (!IsTrue(each.Find("takes_row")) && !IsTakenForAnother(function)) continue;
    if (takes_functions || safe.Cover(function.schema, function.name, function.arguments)) continue;
    return Reached{absl::StrFormat("%s.%s, which a name in the statement may mean", function.schema,
                                   function.name),
                   kRiskOfFunction};
  }
  return std::nullopt;
}

}  // namespace bridgekeeper::bridge
