// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the back end answers, and within which limits.

#include "clients/bridge/sandbox/duckdb/duckdb_backend.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/duckdb/duckdb_backend_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/status_matchers.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Keeps the engine busy for hours.
constexpr char kEndless[] =
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b "
    "WHERE (a.range * 3 + b.range) % 7 = 3";

TEST_F(DuckdbBackendTest, ReadsEveryTypeWithoutLoss) {
  struct Row {
    const char* sql;
    const char* want;
  };
  for (const Row& row : {
           Row{"true", "true"},
           {"NULL", "null"},
           {"(-128)::TINYINT", "-128"},
           {"9007199254740991::BIGINT", "9007199254740991"},
           {"9007199254740993::BIGINT", R"("9007199254740993")"},
           {"18446744073709551615::UBIGINT", R"("18446744073709551615")"},
           {"(-170141183460469231731687303715884105728)::HUGEINT",
            R"("-170141183460469231731687303715884105728")"},
           {"340282366920938463463374607431768211455::UHUGEINT",
            R"("340282366920938463463374607431768211455")"},
           {"'-12345678901234567890123456789012345678901234567890'::BIGNUM",
            R"("-12345678901234567890123456789012345678901234567890")"},
           {"0::BIGNUM", "0"},
           {"0.1::DOUBLE", "0.1"},
           {"0.1::FLOAT", "0.1"},
           {"'nan'::DOUBLE", R"("nan")"},
           {"'-inf'::FLOAT", R"("-inf")"},
           {"-0.05::DECIMAL(4,2)", R"("-0.05")"},
           {"12345678901234567890.123456789::DECIMAL(38,9)", R"("12345678901234567890.123456789")"},
           {"DATE '2020-02-29'", R"("2020-02-29")"},
           {"'infinity'::DATE", R"("infinity")"},
           {"'-infinity'::TIMESTAMP", R"("-infinity")"},
           {"TIME '23:59:59.5'", R"("23:59:59.5")"},
           {"'12:00:00+05:30'::TIMETZ", R"("12:00:00+05:30")"},
           {"TIMESTAMP '1969-12-31 23:59:59.999999'", R"("1969-12-31 23:59:59.999999")"},
           {"'2020-01-01 00:00:00.123456789'::TIMESTAMP_NS", R"("2020-01-01 00:00:00.123456789")"},
           {"'2020-01-01 00:00:00'::TIMESTAMP_S", R"("2020-01-01 00:00:00")"},
           {"'2020-01-01 00:00:00.12'::TIMESTAMP_MS", R"("2020-01-01 00:00:00.12")"},
           {"'2020-01-01 02:00:00+02'::TIMESTAMPTZ", R"("2020-01-01 00:00:00+00")"},
           // CAST to VARCHAR is a millisecond off here.
           {"make_timestamptz(9223372036854775806)", R"("294247-01-10 04:00:54.775806+00")"},
           {"INTERVAL '14 months 3 days 04:05:06.7'", R"("1 year 2 months 3 days 04:05:06.7")"},
           {"'ab\u00e9'", "\"ab\u00e9\""},
           {"'\\x00\\xFF'::BLOB", R"({"$base64":"AP8="})"},
           {"'10110'::BIT", R"("10110")"},
           {"'b'::ENUM('a', 'b')", R"("b")"},
           {"'eeccb8c5-9943-b2bb-bb5e-222f4e14b687'::UUID",
            R"("eeccb8c5-9943-b2bb-bb5e-222f4e14b687")"},
           {R"('{"a": 1}'::JSON)", R"("{\"a\": 1}")"},
           {"[18446744073709551615::UBIGINT, NULL, 7]", R"(["18446744073709551615",null,7])"},
           {"[1, 2]::INTEGER[2]", "[1,2]"},
           {"[]", "[]"},
           {"{'a': [{'b': 'x'}], 'c': NULL}", R"({"a":[{"b":"x"}],"c":null})"},
           {"row(1, 'x')", R"([1,"x"])"},
           {"map {'k\"': 1, 'l': NULL}", R"({"k\"":1,"l":null})"},
           {"map {1: DATE '2020-01-01'}", R"({"1":"2020-01-01"})"},
           {"map {[1, 2]: 'x'}", R"({"[1,2]":"x"})"},
           {"'x'::UNION(n INTEGER, t VARCHAR)", R"("x")"},
           {"union_value(n := 3)", "3"},
           {"list_value('nan'::DOUBLE, 1e300)", R"(["nan",1e+300])"},
       }) {
    EXPECT_THAT(Read(absl::StrFormat("SELECT %s AS a", row.sql)),
                HasSubstr(absl::StrFormat(R"("rows":[{"a":%s}],)", row.want)))
        << row.sql;
  }
  EXPECT_THAT(
      Read("SELECT 1 AS a, 2 AS a, 3 AS \"A\", 'x'::VARCHAR AS b FROM customer WHERE false"),
      AllOf(HasSubstr(R"("columns":["a","a_2","A","b"])"),
            HasSubstr(R"("columnTypes":["INTEGER","INTEGER","INTEGER","VARCHAR"])"),
            HasSubstr(R"("rows":[],"rowCount":0,)"), HasSubstr(R"("truncated":false)")));
  EXPECT_THAT(
      Read("SELECT {'a b': [1], 'c': map {'x': 1.5}} AS s, '{}'::JSON AS j"),
      HasSubstr(R"x(STRUCT(\"a b\" INTEGER[], \"c\" MAP(VARCHAR, DECIMAL(2,1)))","JSON")x"));
  EXPECT_THAT(Read("SELECT 1::VARIANT AS v"), StartsWith("UNSUPPORTED: column 1 is of a type"));
  EXPECT_THAT(Read("SELECT CAST(1::VARIANT AS VARCHAR) AS v"), HasSubstr(R"([{"v":"1"}])"));
}

TEST_F(DuckdbBackendTest, ShowsTheTextThatTheEngineItselfShows) {
  for (const char* column :
       {"bool",     "tinyint",  "smallint",  "int",         "bigint",       "hugeint",
        "uhugeint", "utinyint", "usmallint", "uint",        "ubigint",      "bignum",
        "date",     "time",     "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns",
        "time_tz",  "dec_4_1",  "dec_9_4",   "dec_18_6",    "dec38_10",     "uuid",
        "interval", "varchar",  "bit",       "small_enum",  "medium_enum",  "large_enum",
        "time_ns"}) {
    const std::string answer = Read(absl::StrFormat(
        "SELECT \"%s\" AS a, \"%s\"::VARCHAR AS b FROM test_all_types()", column, column));
    const auto document = JsonDocument::Parse(answer);
    ASSERT_THAT(document, IsOk()) << column << answer;
    const auto rows = document->root().Find("rows");
    ASSERT_TRUE(rows) << column << answer;
    EXPECT_EQ(rows->size(), 3U);
    for (const JsonValue row : *rows) {
      const JsonValue a = *row.Find("a");
      const JsonValue b = *row.Find("b");
      EXPECT_EQ(a.is_string() ? a.string() : a.raw(), b.is_string() ? b.string() : b.raw())
          << column;
    }
  }
  // All that nests, and bytes.
  EXPECT_THAT(Read("SELECT COLUMNS('array|struct|map|union|blob|geometry') FROM test_all_types()"),
              AllOf(HasSubstr(R"("truncated":false)"), HasSubstr(R"("rowCount":3)")));
  EXPECT_THAT(Read("SELECT i, [i, i * 2] AS l FROM (SELECT unnest([3, 1, 2]) AS i) ORDER BY i"),
              HasSubstr(R"([{"i":1,"l":[1,2]},{"i":2,"l":[2,4]},{"i":3,"l":[3,6]}])"));
}

TEST_F(DuckdbBackendTest, RunsTheReadsOfAnAnalyst) {
  struct Row {
    const char* sql;
    const char* want;
  };
  const auto before = Files();
  for (const Row& row :
       {Row{"SELECT count(*) AS n, sum(paid) AS s FROM customer;", R"([{"n":10,"s":55}])"},
        {"SELECT max(id) AS m FROM shop.main.payer", R"([{"m":10}])"},
        {"FROM customer SELECT id ORDER BY paid DESC LIMIT 1", R"([{"id":10}])"},
        {"SELECT id, rank() OVER (ORDER BY paid DESC) AS r FROM customer QUALIFY r = 1",
         R"([{"id":10,"r":1}])"},
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT "
         "sum(i)::BIGINT AS s FROM n",
         R"([{"s":6}])"},
        {"SELECT c.id, o.id AS o FROM customer c LEFT JOIN \"order\" o ON o.customer = c.id "
         "WHERE c.id = 1",
         R"([{"id":1,"o":null}])"},
        {"SELECT b FROM line WHERE a = 2", R"([{"b":"two"}])"},
        {"SELECT twice(21) AS a", R"([{"a":42}])"},
        {"SELECT strftime(DATE '2020-02-29', '%Y') AS y", R"([{"y":"2020"}])"},
        {"PIVOT customer ON id IN (1, 2) USING sum(paid) GROUP BY name ORDER BY name LIMIT 1",
         R"("name":"name 1","1":1,"2":null)"},
        {"SHOW TABLES", R"({"name":"customer"})"},
        {"DESCRIBE customer", R"("column_name":"name","column_type":"VARCHAR")"},
        {"SUMMARIZE customer", R"("column_name":"paid")"},
        {"EXPLAIN SELECT * FROM customer", "SEQ_SCAN"},
        {"EXPLAIN ANALYZE SELECT * FROM customer", "Total Time"},
        {"EXPLAIN (ANALYZE, FORMAT json) SELECT * FROM customer", "analyzed_plan"},
        {"EXPLAIN ANALYZE (SELECT 1)", "Total Time"},
        {"VALUES (1)", R"([{"col0":1}])"}}) {
    EXPECT_THAT(Read(row.sql), HasSubstr(row.want)) << row.sql;
  }
  EXPECT_EQ(Files(), before);
}

TEST_F(DuckdbBackendTest, NothingLastsBetweenCalls) {
  EXPECT_THAT(Read("SELECT * FROM enable_logging('QueryLog')"), HasSubstr("rows"));
  EXPECT_THAT(Read("SELECT count(*) AS n FROM duckdb_logs"), HasSubstr(R"([{"n":0}])"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary_));
}

TEST_F(DuckdbBackendTest, RunsOneStatement) {
  const auto before = Files();
  for (const char* sql :
       {"SELECT 1; DELETE FROM customer", "SELECT 1; SELECT 2",
        "SELECT 1;; /* */ DROP TABLE customer", "DELETE FROM customer; SELECT 1",
        "PIVOT customer ON name USING count(*)", "SELECT 1 -- x\r; DROP TABLE \"order\""}) {
    EXPECT_THAT(Read(sql), HasSubstr("UNSUPPORTED: got more than one statement")) << sql;
  }
  EXPECT_THAT(Read("SELECT 1; nonsense"), StartsWith("DUCKDB_PARSER: "));
  for (const char* sql : {"", ";", "-- nothing"}) {
    EXPECT_THAT(Read(sql), HasSubstr("UNSUPPORTED: there is no statement")) << sql;
  }
  EXPECT_THAT(Read("SELECT $1"), StartsWith("UNSUPPORTED: the statement has parameters"));
  EXPECT_THAT(Read("SELECT 1 AS a;; -- only this"), HasSubstr(R"([{"a":1}])"));
  EXPECT_EQ(Files(), before);
}

TEST_F(DuckdbBackendTest, LimitsActWhileTheResultComes) {
  const absl::Duration begin = clock_.SinceBoot();
  EXPECT_THAT(Read("SELECT range AS i FROM range(100000000000)", {.max_rows = 3}),
              AllOf(HasSubstr(R"("rows":[{"i":0},{"i":1},{"i":2}])"),
                    HasSubstr(R"("truncated":true,"truncatedBy":"rows")")));
  EXPECT_LT(clock_.SinceBoot() - begin, absl::Seconds(30));
  EXPECT_THAT(Read("SELECT id FROM customer LIMIT 3", {.max_rows = 3}),
              HasSubstr(R"("truncated":false)"));
  for (const char* value : {"repeat('x', 1000)", "[repeat('x', 1000)]",
                            "map {'a': repeat('x', 1000)}", "repeat('x', 1000)::BLOB"}) {
    const std::string many = Read(absl::StrFormat("SELECT %s AS v FROM range(100000000000)", value),
                                  {.max_rows = 1000000, .max_bytes = 20000});
    EXPECT_THAT(many, AllOf(HasSubstr(R"("rows":[{"v":)"), HasSubstr(R"("truncatedBy":"bytes")")));
    EXPECT_LE(many.size(), 20000U);
  }
  for (const char* value : {"repeat('x', 100000000)", "[repeat('x', 100000000)]", "range(10000000)",
                            "{'a': repeat('x', 100000000)}"}) {
    EXPECT_THAT(Read(absl::StrFormat("SELECT %s AS v", value)),
                AllOf(HasSubstr(R"("columns":["v"])"), HasSubstr(R"("rows":[])"),
                      HasSubstr(R"("truncatedBy":"bytes")")))
        << value;
  }
}

// The most memory that a worker of ours has had so far, in MiB.
int PeakOfWorkers() {
  int peak = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(entry.path() / "status");
    bool is_ours = false;
    for (std::string line; std::getline(status, line);) {
      if (line == absl::StrFormat("PPid:\t%d", getpid())) is_ours = true;
      int kib = 0;
      if (is_ours && line.starts_with("VmHWM:") &&
          absl::SimpleAtoi(line.substr(6, line.size() - 9), &kib)) {
        peak = std::max(peak, kib / 1024);
      }
    }
  }
  return peak;
}

TEST_F(DuckdbBackendTest, MemoryStaysFlatForALongResult) {
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
  const int before = PeakOfWorkers();
  ASSERT_GT(before, 0);
  EXPECT_THAT(Read("SELECT * FROM range(100000000)", {.max_rows = 1000000000}),
              HasSubstr(R"("truncatedBy":"bytes")"));
  EXPECT_THAT(Read("SELECT range, repeat('x', 100) FROM range(100000000)",
                   {.max_rows = 1000000000, .max_bytes = 2 << 20}),
              HasSubstr(R"("truncatedBy":"bytes")"));
  RecordProperty("peak_mib", PeakOfWorkers());
  EXPECT_LT(PeakOfWorkers(), before + 64);
}

TEST_F(DuckdbBackendTest, EndsAtItsTime) {
  const absl::Duration begin = clock_.SinceBoot();
  EXPECT_THAT(Read(kEndless, {.timeout = absl::Seconds(1)}),
              HasSubstr("TIMEOUT: the call took longer than 1s"));
  EXPECT_LT(clock_.SinceBoot() - begin, support::kDeadline);
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary_));
}

TEST_F(DuckdbBackendTest, CancellingEndsTheWork) {
  const auto backend = BackendAt(path_);
  std::string answer;
  const absl::Duration begin = clock_.SinceBoot();
  std::jthread call(
      [&] { answer = Run(*backend, kEndless, {.timeout = 10 * support::kDeadline}); });
  stop_.Raise();
  call.join();
  EXPECT_THAT(answer, HasSubstr("CANCELLED: "));
  EXPECT_LT(clock_.SinceBoot() - begin, support::kDeadline);
  EXPECT_TRUE(std::filesystem::is_empty(temporary_));
}

TEST_F(DuckdbBackendTest, AStatementThatCrashesTheEngineEndsOneCall) {
  EXPECT_THAT(
      Read("SELECT json_structure(repeat('{\"a\":', 20000) || '1' || repeat('}', 20000)) AS v"),
      StartsWith("EVALUATION_FAULT: "));
  EXPECT_FALSE(log_.events().empty());
  EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
}

TEST_F(DuckdbBackendTest, AStatementThatBloatsTheEngineEndsOneCall) {
  for (const char* sql :
       {"SELECT length(repeat('x', 1900000000)) AS v", "SELECT lpad('', 2000000000, 'x') AS v",
        "SELECT printf('%2000000000d', 1) AS v",
        "SELECT levenshtein(repeat('a', 60000), repeat('b', 60000)) AS v"}) {
    const absl::Duration begin = clock_.SinceBoot();
    Read(sql, {.timeout = absl::Seconds(3)});
    EXPECT_LT(clock_.SinceBoot() - begin, support::kDeadline) << sql;
    EXPECT_THAT(Read("SELECT 1 AS a"), HasSubstr(R"([{"a":1}])")) << sql;
  }
}

TEST_F(DuckdbBackendTest, SpillsToAFolderOfTheCall) {
  EXPECT_THAT(Read("SELECT max(v) AS m FROM (SELECT v, row_number() OVER (ORDER BY v) AS r FROM "
                   "(SELECT (range * 7919) % 20000003 AS v FROM range(20000000))) WHERE r > 0"),
              HasSubstr(R"("rows":[{"m":)"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary_));
}

TEST_F(DuckdbBackendTest, TakesOnePathOrASetup) {
  const std::string count = "SELECT count(*) AS n FROM customer";
  for (const std::string& dsn : {path_.string(), "file:" + path_.string()}) {
    EXPECT_THAT(Run(*BackendAt(dsn), count), HasSubstr(R"([{"n":10}])")) << dsn;
  }
  std::filesystem::copy_file(path_, folder_ / "two.duckdb");
  const auto both = BackendAt(absl::StrFormat(
      R"({"attach": {"one": "%s", "two": "%s/two.duckdb"}})", path_.string(), folder_.string()));
  EXPECT_THAT(Run(*both, "SELECT count(*) AS n FROM two.customer, one.main.customer"),
              HasSubstr(R"([{"n":100}])"));
  EXPECT_THAT(Run(*BackendAt("{}"), "SELECT 1 AS a"), HasSubstr(R"([{"a":1}])"));
}

TEST_F(DuckdbBackendTest, NeverSaysWhatTheSetupHolds) {
  for (const std::string& dsn :
       {std::string("hunter2 is no dsn"), std::string("/nowhere/hunter2.duckdb"),
        std::string("file:hunter2"), std::string(R"({"attach": ["hunter2"]})"),
        std::string(R"({"attach": {"hunter2 ": "/x"}})"),
        std::string(R"({"attach": {"a": "hunter2"}})"),
        std::string(R"({"attach": {"temp": "/hunter2"}})"), std::string(R"({"hunter2)"),
        std::string(R"({"folders": ["/"]})"), std::string(R"({"folders": ["/hunter2/../"]})"),
        std::string(R"({"folders": ["hunter2/"]})"), std::string(R"({"folders": ["s3://"]})"),
        std::string(R"({"extensions": ["hunter2"]})"),
        std::string(R"({"extensions": ["/hunter2.duckdb_extension"]})"),
        std::string(R"({"secrets": [{"type": "s3", "secret": "hunter2"}]})"),
        std::string(R"({"secrets": [{"secret": "hunter2"}]})"),
        std::string(R"({"secrets": [{"type": "x) , ", "secret": "hunter2"}]})"),
        std::string(R"x({"views": {"v": "SELECT 1; CREATE TABLE hunter2 (a INT)"}})x"),
        std::string(R"({"views": {"v": "SELECT * FROM hunter2"}})")}) {
    EXPECT_THAT(Run(*BackendAt(dsn), "SELECT 1"),
                AllOf(StartsWith("CONNECTION: "), Not(HasSubstr("hunter2"))))
        << dsn;
  }
  for (const auto& event : log_.events()) {
    for (const auto& [name, value] : event.fields) EXPECT_THAT(value, Not(HasSubstr("hunter2")));
  }
}

TEST_F(DuckdbBackendTest, ErrorsCarryNoData) {
  EXPECT_THAT(Read("SELECT string_agg(name, ',')::INTEGER FROM customer"),
              AllOf(StartsWith("DUCKDB_CONVERSION: "), Not(HasSubstr("name 1"))));
  EXPECT_THAT(Read("SELECT (id * 7919)::TINYINT FROM customer WHERE id = 9"),
              AllOf(StartsWith("DUCKDB_CONVERSION: "), Not(HasSubstr("71271"))));
  EXPECT_THAT(Read("SELECT error(name) FROM customer"),
              AllOf(StartsWith("DUCKDB_INVALID_INPUT: "), Not(HasSubstr("name 1"))));
  EXPECT_THAT(Read("SELECT * FROM missing"), StartsWith("DUCKDB_CATALOG: Table with name missing"));
}

TEST_F(DuckdbBackendTest, AnswersTheToolsThatTheEngineHas) {
  const ToolArguments arguments = {{"table", "customer"},
                                   {"object_name", "customer"},
                                   {"object_type", "table"},
                                   {"sql", "SELECT id FROM customer"}};
  const std::map<SandboxTool, const char*> wanted = {
      {SandboxTool::kListDatabases, R"({"name":"shop","type":"duckdb","read_only":true})"},
      {SandboxTool::kListSchemas, R"({"database":"shop","name":"main"})"},
      {SandboxTool::kListTables,
       R"({"database":"shop","schema":"main","name":"customer","type":"table","comment":null})"},
      {SandboxTool::kListViews, R"("schema":"main","name":"payer")"},
      {SandboxTool::kDescribeTable,
       R"({"name":"name","type":"VARCHAR","nullable":false,"default":"'x'","comment":null})"},
      {SandboxTool::kGetTableInfo, R"("name":"customer","type":"table","estimated_rows":10)"},
      {SandboxTool::kListIndexes, R"("name":"by_name","unique":false)"},
      {SandboxTool::kListForeignKeys, R"({"data":[],)"},
      {SandboxTool::kGetForeignKeys,
       R"("columns":["customer"],"references_table":"customer","references_columns":["id"])"},
      {SandboxTool::kListFunctions, R"("name":"twice","type":"macro","parameters":["a"])"},
      {SandboxTool::kGetSchema, "CREATE VIEW payer AS"},
      {SandboxTool::kGetObjectDdl, "CREATE TABLE customer(id BIGINT"},
      {SandboxTool::kExplainQuery, "SEQ_SCAN"},
      {SandboxTool::kExecuteQuery, R"({"id":1})"},
  };
  const auto backend = BackendAt(Setup());
  for (const auto& [tool, want] : wanted) {
    const auto statement = backend->StatementFor(tool, arguments);
    ASSERT_TRUE(statement) << static_cast<int>(tool);
    EXPECT_THAT(AnswerText(backend->Run(*statement, {}, stop_)), HasSubstr(want));
  }
  for (const auto& [type, name, want] : std::initializer_list<std::array<const char*, 3>>{
           {"view", "payer", "CREATE VIEW payer AS"},
           {"index", "BY_NAME", "CREATE INDEX by_name ON customer"},
           {"sequence", "number", "CREATE SEQUENCE number"},
           {"function", "twice", "CREATE MACRO twice(a) AS (a * 2);"},
           {"table", "missing", R"("data":"")"}}) {
    const auto statement = backend->StatementFor(SandboxTool::kGetObjectDdl,
                                                 {{"object_type", type}, {"object_name", name}});
    ASSERT_TRUE(statement) << type;
    EXPECT_THAT(AnswerText(backend->Run(*statement, {}, stop_)), HasSubstr(want));
  }
  const auto nowhere = backend->StatementFor(SandboxTool::kListTables, {{"schema", "nowhere"}});
  EXPECT_THAT(AnswerText(backend->Run(*nowhere, {}, stop_)), HasSubstr(R"({"data":[],)"));
  for (const SandboxTool tool :
       {SandboxTool::kKillSession, SandboxTool::kListSessions, SandboxTool::kGrantPrivilege,
        SandboxTool::kListTriggers, SandboxTool::kListProcedures}) {
    EXPECT_FALSE(backend->StatementFor(tool, arguments)) << static_cast<int>(tool);
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
