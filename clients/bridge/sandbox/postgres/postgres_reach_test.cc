// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a read reaches that its text does not show, and what an operator is told of a role,
// against a real server.

#include <string>

#include "clients/bridge/sandbox/postgres/postgres_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ReachTest : public PostgresBackendTest {};
class ExamineTest : public PostgresBackendTest {};

// ---- what a text does not show --------------------------------------------------------

struct ReachCase {
  const char* name;
  const char* made;  // by the administrator, and undone
  const char* sql;
  const char* unknown;  // what the refusal names; null: it runs
  // Makes it run, or null.
  const char* safe_function = nullptr;
};

constexpr char kProbe[] =
    "CREATE FUNCTION probe(a int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN a; "
    "END';";

// A type that is sorted by a function of its own, under operators that no read has to name.
constexpr char kOwnOrder[] =
    "CREATE TYPE pair AS (a int8, b int8); CREATE TABLE v (p pair);"
    "CREATE FUNCTION less(pair, pair) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
    "CREATE FUNCTION compared(pair, pair) RETURNS int4 LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';"
    "CREATE OPERATOR <<< (FUNCTION = less, LEFTARG = pair, RIGHTARG = pair);"
    "CREATE OPERATOR <<= (FUNCTION = less, LEFTARG = pair, RIGHTARG = pair);"
    "CREATE OPERATOR === (FUNCTION = less, LEFTARG = pair, RIGHTARG = pair);"
    "CREATE OPERATOR >>= (FUNCTION = less, LEFTARG = pair, RIGHTARG = pair);"
    "CREATE OPERATOR >>> (FUNCTION = less, LEFTARG = pair, RIGHTARG = pair);"
    "CREATE OPERATOR CLASS ordered DEFAULT FOR TYPE pair USING btree AS OPERATOR 1 <<<,"
    " OPERATOR 2 <<=, OPERATOR 3 ===, OPERATOR 4 >>=, OPERATOR 5 >>>,"
    " FUNCTION 1 compared(pair, pair)";

constexpr ReachCase kReachCases[] = {
    {"AViewThatCallsAFunction", "CREATE VIEW v AS SELECT probe(id) AS p FROM customer",
     "SELECT * FROM v", "the view v, which calls public.probe", "public.probe(int8)"},
    {"AViewOfAView",
     "CREATE VIEW w AS SELECT probe(id) AS p FROM customer; CREATE VIEW v AS SELECT p FROM w",
     "SELECT * FROM v", "the view w, which calls public.probe", "public.probe(int8)"},
    {"AViewInASubSelect", "CREATE VIEW v AS SELECT probe(id) AS p FROM customer",
     "SELECT (SELECT max(p) FROM v)", "the view v, which calls public.probe"},
    {"AViewThatCallsWhatTheInventoryRefuses", "CREATE VIEW v AS SELECT pg_sleep(0)::text AS p",
     "SELECT * FROM v", "the view v: pg_sleep"},
    {"AViewThatShowsSecrets", "CREATE VIEW v AS SELECT rolpassword FROM pg_authid",
     "SELECT * FROM v", "the view v: pg_authid"},
    {"AViewOfHarmlessCalls", "CREATE VIEW v AS SELECT lower(name) AS p FROM customer",
     "SELECT * FROM v", nullptr},
    {"AViewWithAnOperatorOfSomebody",
     "CREATE OPERATOR @@@@ (FUNCTION = probe, RIGHTARG = int8);"
     "CREATE VIEW v AS SELECT @@@@ id AS p FROM customer",
     "SELECT * FROM v", "the view v with the operator @@@@, which calls public.probe",
     "public.probe(int8)"},
    {"AMaterializedViewIsData", "CREATE MATERIALIZED VIEW v AS SELECT probe(id) AS p FROM customer",
     "SELECT * FROM v", nullptr},
    {"APolicyThatCallsAFunction",
     "CREATE TABLE v (id int8); ALTER TABLE v ENABLE ROW LEVEL SECURITY;"
     "CREATE POLICY p ON v USING (probe(id) > 0)",
     "SELECT * FROM v", "a policy of v, which calls public.probe", "public.probe(int8)"},
    {"APolicyOfATableBehindAView",
     "CREATE TABLE t (id int8); ALTER TABLE t ENABLE ROW LEVEL SECURITY;"
     "CREATE POLICY p ON t USING (probe(id) > 0); CREATE VIEW v AS SELECT * FROM t",
     "SELECT * FROM v", "a policy of t, which calls public.probe"},
    {"APolicyByASetting",
     "CREATE TABLE v (id int8); ALTER TABLE v ENABLE ROW LEVEL SECURITY;"
     "CREATE POLICY p ON v USING (id::text = current_setting('app.tenant', true))",
     "SELECT * FROM v", nullptr},
    {"AForeignTable",
     "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
     "CREATE FOREIGN TABLE v (a text) SERVER files OPTIONS (filename '/dev/null')",
     "SELECT * FROM v", "the foreign table v"},
    {"APartitionThatIsAForeignTable",
     "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
     "CREATE TABLE v (a text) PARTITION BY LIST (a);"
     "CREATE FOREIGN TABLE part1 PARTITION OF v DEFAULT SERVER files OPTIONS (filename "
     "'/dev/null')",
     "SELECT * FROM v", "the foreign table part1"},
    {"AnOperatorInTheText", "CREATE OPERATOR @@@@ (FUNCTION = probe, RIGHTARG = int8)",
     "SELECT @@@@ id FROM customer", "the operator @@@@, which calls public.probe",
     "public.probe(int8)"},
    {"AnOperatorThatTheTextHasNot", "CREATE OPERATOR @@@@ (FUNCTION = probe, RIGHTARG = int8)",
     "SELECT id FROM customer", nullptr},
    {"AnOperatorThatNoTokenShows",
     "CREATE FUNCTION same(int8, text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = int8, RIGHTARG = text)",
     "SELECT id FROM customer WHERE id IN (name)", "the operator =, which calls public.same",
     "public.same(int8,text)"},
    {"AnOperatorOfTheMostCommonNameThatTheTextHasNot",
     "CREATE FUNCTION same(int8, text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = int8, RIGHTARG = text)",
     "SELECT id, name FROM customer ORDER BY id", nullptr},
    {"AnOperatorOfTheMostCommonNameThatTheTextHas",
     "CREATE FUNCTION same(int8, text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = int8, RIGHTARG = text)",
     "SELECT id FROM customer WHERE id=name", "the operator =, which calls public.same"},
    {"AnOperatorBetweenTypesThatNoValueHas",
     "CREATE TYPE pair AS (a int8, b int8);"
     "CREATE FUNCTION same(pair, pair) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = pair, RIGHTARG = pair)",
     "SELECT id FROM customer WHERE id = 1 OR name IN ('x', 'y')", nullptr},
    {"AnOperatorBetweenTypesOfAColumn",
     "CREATE TYPE pair AS (a int8, b int8); CREATE TABLE v (p pair);"
     "CREATE FUNCTION same(pair, pair) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = pair, RIGHTARG = pair)",
     "SELECT p FROM v WHERE p = p", "the operator =, which calls public.same",
     "public.same(pair,pair)"},
    {"AnOperatorBetweenTypesThatTheTextNames",
     "CREATE TYPE pair AS (a int8, b int8);"
     "CREATE FUNCTION same(pair, pair) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = pair, RIGHTARG = pair)",
     "SELECT '(1,2)'::pair = '(1,2)'", "the operator =, which calls public.same"},
    {"AnOperatorWhoseOneTypeALiteralMayHave",
     "CREATE TYPE pair AS (a int8, b int8);"
     "CREATE FUNCTION same(json, pair) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = json, RIGHTARG = pair)",
     "SELECT '1'::json = '(1,2)'", "the operator =, which calls public.same"},
    {"AnOperatorBetweenADomainAndWhatItIsMadeOf",
     "CREATE DOMAIN even AS json;"
     "CREATE FUNCTION same(even, even) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = even, RIGHTARG = even)",
     "SELECT '1'::json = '1'::json", "the operator =, which calls public.same"},
    {"AnOrderOfItsOwnThatNoTokenShows", kOwnOrder, "SELECT p FROM v ORDER BY p",
     "the order of pair, which calls public."},
    {"AnOrderOfItsOwnOfATypeThatNoValueHas", kOwnOrder, "SELECT id FROM customer ORDER BY id",
     nullptr},
    {"AnOperatorOfWhatARangeIsMadeOf",
     "CREATE TYPE pair AS (a int8, b int8); CREATE TYPE pairs AS RANGE (SUBTYPE = pair);"
     "CREATE TABLE v (r pairs);"
     "CREATE FUNCTION same(pair, pair) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN true; END';"
     "CREATE OPERATOR = (FUNCTION = same, LEFTARG = pair, RIGHTARG = pair)",
     "SELECT r FROM v WHERE lower(r) = upper(r)", "the operator =, which calls public.same"},
    {"AnOverloadOfABuiltIn",
     "CREATE FUNCTION lower(int8) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
     "SELECT lower(id) FROM customer", "public.lower, which a name in the statement may mean",
     "public.lower(int8)"},
    {"AnOverloadWrittenWithEscapes",
     "CREATE FUNCTION lower(int8) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
     "SELECT U&\"low\\0065r\"(id) FROM customer", "public.lower"},
    {"AnOverloadThatTheTextHasNot",
     "CREATE FUNCTION lower(int8) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
     "SELECT upper(name) FROM customer", nullptr},
    {"AFunctionWithTheNameOfAnExtensions",
     "CREATE FUNCTION similarity(text, text) RETURNS real LANGUAGE plpgsql AS"
     " 'BEGIN RETURN 1; END'",
     "SELECT similarity(name, name) FROM customer", "public.similarity"},
    {"AFieldThatIsACall",
     "CREATE FUNCTION leak(customer) RETURNS int8 LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
     "SELECT c.leak FROM customer c", "public.leak", "public.leak(customer)"},
    {"ADomainWhoseCheckCalls", "CREATE DOMAIN even AS int8 CHECK (probe(VALUE) % 2 = 0)",
     "SELECT CAST(2 AS even)", "the domain even, which calls public.probe", "public.probe(int8)"},
    {"ADomainWithAPlainCheck", "CREATE DOMAIN even AS int8 CHECK (VALUE % 2 = 0)",
     "SELECT CAST(2 AS even) AS two", nullptr},
    {"ACastThatCalls",
     "CREATE TYPE pair AS (a int8, b int8);"
     "CREATE FUNCTION to_pair(int8) RETURNS pair LANGUAGE plpgsql AS"
     " 'BEGIN RETURN ROW(1, 2)::pair; END';"
     "CREATE CAST (int8 AS pair) WITH FUNCTION to_pair(int8)",
     "SELECT id::pair FROM customer", "the cast to pair, which calls public.to_pair",
     "public.to_pair(int8)"},
};

TEST_F(ReachTest, AReadThatReachesWhatNobodyKnowsIsRefused) {
  for (const ReachCase& each : kReachCases) {
    const auto made = admin_->RunScript(std::string(kProbe) + each.made +
                                        "; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
    EXPECT_TRUE(made.ok()) << each.name << ": " << made.message;
    if (each.unknown == nullptr) {
      EXPECT_THAT(Read(each.sql), HasSubstr(R"("rows":)")) << each.name;
    } else {
      EXPECT_THAT(Read(each.sql), AllOf(HasSubstr("UNKNOWN_EFFECT: "), HasSubstr(each.unknown)))
          << each.name;
      // As one of our own it would run: what refuses it is the check, not the server.
      const Statement unchecked{.sql = each.sql, .parameters = {}, .database = {}};
      EXPECT_THAT(AnswerText(BackendFor("reader")->Run(unchecked, {}, stop_)),
                  AnyOf(HasSubstr(R"("rows":)"), HasSubstr("42501: ")))
          << each.name;
      const auto explained =
          BackendFor("reader")->StatementFor(SandboxTool::kExplainQuery, {{"sql", each.sql}});
      EXPECT_THAT(AnswerText(BackendFor("reader")->Run(*explained, {}, stop_)),
                  HasSubstr("UNKNOWN_EFFECT: "))
          << each.name;
    }
    if (each.safe_function != nullptr) {
      const auto safe = BackendAt(server_->Dsn("reader"), false, {}, {each.safe_function});
      EXPECT_THAT(Run(*safe, each.sql), HasSubstr(R"("rows":)")) << each.name;
    }
    const auto undone = admin_->RunScript(
        "DROP EXTENSION IF EXISTS file_fdw CASCADE;"
        "DO $$ DECLARE o record; BEGIN"
        " FOR o IN SELECT relname, CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN"
        "   'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind FROM pg_class"
        "   WHERE relname IN ('v', 'w', 't') AND relkind IN ('r', 'v', 'm', 'p') AND oid >= 16384"
        " LOOP EXECUTE 'DROP ' || o.kind || ' IF EXISTS ' || o.relname || ' CASCADE'; END LOOP;"
        " FOR o IN SELECT proname FROM pg_proc WHERE oid >= 16384"
        "   AND proname IN ('probe', 'same', 'lower', 'similarity', 'leak', 'to_pair')"
        " LOOP EXECUTE 'DROP FUNCTION public.' || o.proname || ' CASCADE'; END LOOP; END $$;"
        "DROP TYPE IF EXISTS pair CASCADE; DROP DOMAIN IF EXISTS even CASCADE");
    EXPECT_TRUE(undone.ok()) << each.name << ": " << undone.message;
  }
}

TEST_F(ReachTest, AViewThatIsReplacedIsLookedAtAgain) {
  const auto backend = BackendFor("reader");
  ASSERT_TRUE(admin_
                  ->RunScript(std::string(kProbe) + "CREATE VIEW later AS SELECT id FROM customer;"
                                                    "GRANT SELECT ON later TO reader")
                  .ok());
  EXPECT_THAT(Run(*backend, "SELECT * FROM later"), HasSubstr(R"("rows":)"));
  ASSERT_TRUE(
      admin_->Run("CREATE OR REPLACE VIEW later AS SELECT probe(id) AS id FROM customer").ok());
  EXPECT_THAT(Run(*backend, "SELECT * FROM later"), HasSubstr("UNKNOWN_EFFECT: "));
  ASSERT_TRUE(admin_->RunScript("DROP VIEW later; DROP FUNCTION probe(int8)").ok());
}

TEST_F(ReachTest, WhatWasPreparedForACallIsNoHandleForIt) {
  EXPECT_THAT(Read("EXECUTE keeper_bridge"), HasSubstr(": "));
  EXPECT_THAT(Read("DEALLOCATE ALL"), Not(HasSubstr("CONNECTION: ")));
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
}

// ---- what an operator is told -------------------------------------------------------

TEST_F(ExamineTest, ExaminesARole) {
  const Examination reader = BackendFor("reader")->Examine({}, stop_);
  EXPECT_FALSE(reader.refusal);
  EXPECT_THAT(reader.who, HasSubstr("reader on postgres, PostgreSQL 15."));
  const auto names = [](const Examination& examination, Finding::Level level) {
    std::string all;
    for (const Finding& finding : examination.findings) {
      if (finding.level == level) all += finding.name + ": " + finding.text + "\n";
    }
    return all;
  };
  EXPECT_THAT(names(reader, Finding::Level::kNote),
              AllOf(HasSubstr("temp_file_limit: not set"), HasSubstr("connection_limit: not set"),
                    Not(HasSubstr("writable_tables"))));
  EXPECT_THAT(names(BackendFor("writer")->Examine({}, stop_), Finding::Level::kNote),
              HasSubstr("writable_tables: tables that it may change: "));
  const Examination boss = BackendFor("becomes_boss")->Examine({}, stop_);
  ASSERT_TRUE(boss.refusal);
  EXPECT_EQ(boss.refusal->code, "ROLE_RISK");
  EXPECT_THAT(names(boss, Finding::Level::kRefused), HasSubstr("createrole: it is, or may become"));
  const Examination accepted =
      BackendFor("becomes_boss", false, {"createrole"})->Examine({}, stop_);
  EXPECT_FALSE(accepted.refusal);
  EXPECT_THAT(names(accepted, Finding::Level::kAccepted), HasSubstr("createrole"));
  const Examination nobody = BackendFor("nobody_known")->Examine({}, stop_);
  ASSERT_TRUE(nobody.refusal);
  EXPECT_EQ(nobody.refusal->code, "CONNECTION");
}

TEST_F(ExamineTest, TellsOfExtensionsAndLanguagesThatReachFurther) {
  const auto notes = [&] {
    std::string all;
    for (const Finding& finding : BackendFor("reader")->Examine({}, stop_).findings) {
      all += finding.name + ": " + finding.text + "\n";
    }
    return all;
  };
  EXPECT_THAT(notes(), AllOf(Not(HasSubstr("extensions")), Not(HasSubstr("foreign_servers"))));
  ASSERT_TRUE(admin_
                  ->RunScript("CREATE EXTENSION dblink; CREATE EXTENSION file_fdw;"
                              "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
                              "GRANT USAGE ON FOREIGN SERVER files TO reader")
                  .ok());
  EXPECT_THAT(notes(), AllOf(HasSubstr("extensions: installed, and able to"),
                             HasSubstr("dblink, file_fdw"), HasSubstr("it may use: files")));
  ASSERT_TRUE(admin_->RunScript("DROP EXTENSION file_fdw CASCADE; DROP EXTENSION dblink").ok());
}

TEST_F(ExamineTest, TheSqlThatItAdvisesMakesARoleThatReadsAndNoMore) {
  const std::string advice = BackendFor("reader")->Examine({}, stop_).advice;
  const auto made = admin_->RunScript(advice);
  ASSERT_TRUE(made.ok()) << made.message << "\n" << advice;
  const auto backend = BackendFor("keeper_reader");
  const Examination proper = backend->Examine({}, stop_);
  EXPECT_FALSE(proper.refusal);
  EXPECT_THAT(proper.findings, IsEmpty());
  EXPECT_THAT(Run(*backend, "SELECT count(*) AS n FROM customer"), HasSubstr(R"("n":)"));
  EXPECT_THAT(Run(*backend, "SHOW temp_file_limit"), HasSubstr("1GB"));
  EXPECT_THAT(Run(*backend, "INSERT INTO customer VALUES (3001)"), HasSubstr("25006: "));
}

}  // namespace
}  // namespace bridgekeeper::bridge
