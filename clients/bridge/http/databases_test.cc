// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The bridge's own databases as clients meet them: decided by the policy and the guard,
// run on a real PostgreSQL.

#include <stdlib.h>

#include "clients/bridge/http/bridge_server_test_util.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/guard/guard.h"
#include "tests/support/postgres_server.h"
#include "tests/support/postgres_session.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kConfig[] = R"(
app: app
connections:
  shop: {name: The shop, type: postgres, dsn_env: BK_TEST_DSN}
  open: {type: postgres, dsn_env: BK_TEST_DSN, writes: allowed}
  gone: {type: postgres, dsn_env: BK_TEST_GONE}
  short: {type: postgres, dsn_env: BK_TEST_DSN, limits: {timeout: 1s}}
data_studio: {max_risk: DESTRUCTIVE}
)";

class DatabasesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = support::PostgresServer::Start();
    ASSERT_THAT(server, IsOk());
    server_ = std::move(*server).release();
    auto admin = support::PostgresSession::Connect(server_->Dsn());
    ASSERT_THAT(admin, IsOk());
    admin_ = new support::PostgresSession(*std::move(admin));
    const auto made = admin_->RunScript(
        "CREATE ROLE agent LOGIN; CREATE TABLE t (id int8, name text);"
        "GRANT ALL ON t TO agent; INSERT INTO t SELECT i, 'n' || i FROM generate_series(1, 9) i");
    ASSERT_TRUE(made.ok()) << made.message;
    setenv("BK_TEST_GONE", "host=/nowhere user=hunter2 password=hunter2", 1);
    setenv("BK_TEST_DSN", (server_->Dsn("agent") + " password=hunter2").c_str(), 1);
  }
  static void TearDownTestSuite() {
    delete admin_;
    delete server_;
  }

  // A bridge with both connections under `policy`.
  std::unique_ptr<TestBridge> Bridge(AppData policy) {
    ParsedConfig parsed = ParseBridgeConfig(kConfig);
    EXPECT_FALSE(HasErrors(parsed.issues));
    return std::make_unique<TestBridge>(parsed.config.servers, std::move(policy),
                                        BridgeServerLimits{}, parsed.config, judge_.get());
  }
  static AppData FullAccess() {
    AppData data;
    data.policy.app = AppId("app");
    data.policy.mode = Mode::kFullAccess;
    return data;
  }

  static std::string CallOf(std::string_view tool, std::string_view sql,
                            std::string_view connection = "shop") {
    std::string arguments;
    JsonObject object(arguments);
    object.String("connection_id", connection);
    if (!sql.empty()) object.String("sql", sql);
    object.Close();
    return Request("tools/call", "1",
                   absl::StrFormat(R"({"name":"%s","arguments":%s})", tool, arguments));
  }

  // What a call answers at the databases' own path, in a session that has seen the list.
  static std::string Answer(TestBridge& bridge, const std::string& call) {
    const std::string path = "/servers/databases/mcp";
    const auto fields = bridge.Begin(path);
    EXPECT_EQ(bridge.Client().Ask("POST", path, Request("tools/list", "9"), fields).status, 200);
    return bridge.Client().Ask("POST", path, call, fields).body;
  }

  static std::string Invoke(TestBridge& bridge, std::string_view tool, std::string_view args,
                            std::string_view connection = "shop") {
    return bridge.Client()
        .Ask("POST", "/invoke",
             absl::StrFormat(R"({"name":"%s","args":%s,"connection_id":"%s"})", tool, args,
                             connection))
        .body;
  }

  static std::string Count(const std::string& from) {
    const auto result = admin_->Run("SELECT count(*) FROM " + from);
    return result.ok() ? result.rows[0][0] : result.message;
  }

  static support::PostgresServer* server_;
  static support::PostgresSession* admin_;
  const std::unique_ptr<PayloadJudge> judge_ = MakeGuard();
};

support::PostgresServer* DatabasesTest::server_ = nullptr;
support::PostgresSession* DatabasesTest::admin_ = nullptr;

TEST_F(DatabasesTest, ToolsAreListedWithTheirRiskAndReadsRun) {
  const auto bridge = Bridge(FullAccess());
  const std::string tools = Answer(*bridge, Request("tools/list"));
  EXPECT_THAT(tools, AllOf(HasSubstr(R"("name":"sqlkit__execute_query")"),
                           HasSubstr(R"("name":"sqlkit__kill_session")")));
  for (const char* name : {"sqlkit__execute_query", "execute_query"}) {
    EXPECT_THAT(TextIn(Answer(*bridge, CallOf(name, "SELECT id, name FROM t WHERE id = 3"))),
                AllOf(HasSubstr(R"({"columns":["id","name"],)"),
                      HasSubstr(R"("rows":[{"id":3,"name":"n3"}],"rowCount":1,)")));
  }
  const auto fields = bridge->Begin("/mcp");
  EXPECT_THAT(
      bridge->Client()
          .Ask("POST", "/mcp",
               CallOf("databases__sqlkit__execute_query", "SELECT count(*) AS n FROM t"), fields)
          .body,
      HasSubstr(R"([{\"n\":9}])"));
}

TEST_F(DatabasesTest, WhatIsDeniedDoesNotRun) {
  AppData policy = FullAccess();
  ConnectionRecord mysql;
  mysql.app = AppId("app");
  mysql.id = ConnectionId("open");
  mysql.type = "postgres";
  mysql.standard_conforming_strings = false;
  const auto bridge = Bridge(policy);
  policy.connections = {mysql};
  const auto by_other_rules = Bridge(policy);
  policy.connections[0].type = "mysql";
  const auto of_other_type = Bridge(policy);
  struct Row {
    TestBridge& bridge;
    const char* tool;
    const char* sql;
    const char* connection;
    const char* want;
  };
  for (const Row& row :
       {Row{*bridge, "sqlkit__execute_query", "DELETE FROM t", "shop", "STATEMENT_EXCEEDS_TOOL"},
        {*bridge, "execute_query", "DELETE FROM t", "shop", "STATEMENT_EXCEEDS_TOOL"},
        {*bridge, "sqlkit__explain_query", "DELETE FROM t", "shop", "STATEMENT_EXCEEDS_TOOL"},
        {*bridge, "sqlkit__execute_query", "SELECT 1; DELETE FROM t", "shop", "STATEMENT_MULTIPLE"},
        {*bridge, "sqlkit__execute_query", "SELECT pg_sleep(9)", "shop", "STATEMENT_EXCEEDS_TOOL"},
        {*bridge, "sqlkit__execute_query", "", "shop", "PAYLOAD_MISSING"},
        {*bridge, "sqlkit__execute_write", "INSERT INTO t VALUES (10)", "shop", "READ_ONLY_BRIDGE"},
        {*bridge, "sqlkit__execute_delete", "DELETE FROM t", "shop", "READ_ONLY_BRIDGE"},
        {*bridge, "sqlkit__execute_ddl", "COMMIT", "open", "STATEMENT_EXCEEDS_TOOL"},
        {*bridge, "sqlkit__execute_ddl", "PREPARE TRANSACTION 'x'", "open",
         "STATEMENT_EXCEEDS_TOOL"},
        {*bridge, "sqlkit__execute_query", "SELECT 1", "elsewhere", "DIALECT_UNKNOWN"},
        {*bridge, "sqlkit__drop_everything", "SELECT 1", "shop", "UNKNOWN_TOOL"},
        {*by_other_rules, "sqlkit__execute_query", "SELECT 1", "open", "DIALECT_UNKNOWN"},
        {*of_other_type, "sqlkit__execute_query", "SELECT 1", "open", "DIALECT_UNKNOWN"}}) {
    EXPECT_THAT(Answer(row.bridge, CallOf(row.tool, row.sql, row.connection)),
                AllOf(HasSubstr(absl::StrFormat(R"("reason_code":"%s")", row.want)),
                      HasSubstr(R"("isError":true)")))
        << row.tool << ": " << row.sql;
  }
  EXPECT_EQ(Count("t"), "9");
}

TEST_F(DatabasesTest, WritesRunWhereTheConnectionAllowsThemAndTheClientWasTold) {
  const auto bridge = Bridge(FullAccess());
  EXPECT_THAT(Answer(*bridge, CallOf("sqlkit__execute_write", "INSERT INTO t VALUES (10)", "open")),
              HasSubstr(R"(\"rowsAffected\":1)"));
  EXPECT_EQ(Count("t"), "10");
  EXPECT_THAT(
      Answer(*bridge, CallOf("sqlkit__execute_delete", "DELETE FROM t WHERE id = 10", "open")),
      HasSubstr(R"(\"rowsAffected\":1)"));
  EXPECT_EQ(Count("t"), "9");
  AppData policy = FullAccess();
  policy.policy.limits.read_only_session = true;
  EXPECT_THAT(
      Answer(*Bridge(policy), CallOf("sqlkit__execute_write", "INSERT INTO t VALUES (11)", "open")),
      HasSubstr("READ_ONLY_BRIDGE"));
  EXPECT_EQ(Count("t"), "9");
}

// What a bridge has decided, by reason.
std::string Decisions(TestBridge& bridge, std::string_view reason) {
  const std::string page = bridge.Client().Ask("GET", "/metrics").body;
  const std::string line = absl::StrFormat("bridgekeeper_decisions_total{reason=\"%s\"} ", reason);
  const size_t at = page.find(line);
  if (at == std::string::npos) return page;
  return page.substr(at + line.size(), page.find('\n', at) - at - line.size());
}

TEST_F(DatabasesTest, WhatTheCatalogueShowsIsADenialAndCountedAsOne) {
  ASSERT_TRUE(admin_
                  ->RunScript("CREATE FUNCTION probe(a int8) RETURNS int8 LANGUAGE plpgsql AS"
                              " 'BEGIN RETURN a; END';"
                              "CREATE VIEW calls AS SELECT probe(id) AS p FROM t;"
                              "CREATE VIEW shows AS SELECT rolpassword FROM pg_authid;"
                              "CREATE TABLE ruled (id int8);"
                              "CREATE RULE more AS ON INSERT TO ruled DO ALSO DELETE FROM t;"
                              "CREATE TABLE stamped (id int8);"
                              "CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS"
                              " 'BEGIN RETURN NEW; END';"
                              "CREATE TRIGGER s BEFORE INSERT ON stamped FOR EACH ROW"
                              " EXECUTE FUNCTION stamp();"
                              "GRANT ALL ON calls, shows, ruled, stamped TO agent")
                  .ok());
  const auto bridge = Bridge(FullAccess());
  struct Row {
    const char* tool;
    const char* sql;
    const char* risk;
    const char* because;
  };
  int denials = 0;
  for (const Row& row :
       {Row{"sqlkit__execute_query", "SELECT * FROM calls", "ELEVATED",
            "because of the view calls, which calls public.probe"},
        {"execute_query", "SELECT * FROM shows", "DESTRUCTIVE", "the view shows: pg_authid"},
        {"sqlkit__explain_query", "SELECT * FROM calls", "ELEVATED", "the view calls"},
        {"sqlkit__execute_write", "INSERT INTO ruled VALUES (1)", "DESTRUCTIVE",
         "the rule more of ruled"},
        {"sqlkit__execute_write", "INSERT INTO t SELECT 1, rolpassword FROM shows", "DESTRUCTIVE",
         "the view shows"}}) {
    const std::string answer = Answer(*bridge, CallOf(row.tool, row.sql, "open"));
    EXPECT_THAT(answer, AllOf(HasSubstr(R"("reason_code":"STATEMENT_EXCEEDS_TOOL")"),
                              HasSubstr(absl::StrFormat(R"("effective_risk":"%s")", row.risk)),
                              HasSubstr("Denied: the statement is "), HasSubstr(row.because),
                              HasSubstr("`safe_functions`"), HasSubstr(R"("isError":true)")))
        << row.sql;
    ++denials;
    EXPECT_EQ(Decisions(*bridge, "STATEMENT_EXCEEDS_TOOL"), std::to_string(denials)) << row.sql;
    EXPECT_EQ(Decisions(*bridge, "ALLOWED"), "0") << row.sql;
  }
  EXPECT_THAT(Invoke(*bridge, "execute_query", R"({"sql":"SELECT * FROM calls"})"),
              HasSubstr(R"({"status":403,)"));
  // A function of somebody's counts as a change does, so a trigger is no reason to refuse one.
  EXPECT_THAT(
      Answer(*bridge, CallOf("sqlkit__execute_write", "INSERT INTO stamped VALUES (1)", "open")),
      HasSubstr(R"(\"rowsAffected\":1)"));
  EXPECT_EQ(Decisions(*bridge, "ALLOWED"), "1");
  EXPECT_EQ(Count("t"), "9");
  EXPECT_EQ(Count("ruled"), "0");
  ASSERT_TRUE(admin_
                  ->RunScript("DROP VIEW calls, shows; DROP TABLE ruled, stamped;"
                              "DROP FUNCTION probe(int8), stamp()")
                  .ok());
}

TEST_F(DatabasesTest, ACallIsCountedHoweverItEnds) {
  const auto bridge = Bridge(FullAccess());
  Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT 1/0"));
  EXPECT_EQ(Decisions(*bridge, "ALLOWED"), "1");
  Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT 1", "gone"));
  EXPECT_EQ(Decisions(*bridge, "ALLOWED"), "2");
  AppData policy = FullAccess();
  policy.policy.limits.timeout = absl::Seconds(1);
  const auto hurried = Bridge(policy);
  Answer(*hurried, CallOf("sqlkit__execute_query",
                          "SELECT count(*) FROM t a, (SELECT generate_series(1, 2000000000)) c"));
  EXPECT_EQ(Decisions(*hurried, "ALLOWED"), "1");
}

TEST_F(DatabasesTest, FaultsAreCountedByTheirReason) {
  AppData policy = FullAccess();
  const auto bridge = Bridge(policy);
  const auto faults = [&](std::string_view reason) {
    return bridge->Client()
               .Ask("GET", "/metrics")
               .body.find(absl::StrFormat(
                   "bridgekeeper_bridge_database_faults_total{reason=\"%s\"} 1\n", reason)) !=
           std::string::npos;
  };
  Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT 1/0"));
  for (const char* reason : {"died", "out_of_memory", "late", "unavailable", "overloaded"}) {
    EXPECT_FALSE(faults(reason)) << reason;
  }
  Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT 1", "gone"));
  EXPECT_TRUE(faults("unavailable"));
  Answer(*bridge,
         CallOf("sqlkit__execute_query",
                "SELECT count(*) FROM t a, (SELECT generate_series(1, 2000000000)) c", "short"));
  EXPECT_TRUE(faults("late"));
}

TEST_F(DatabasesTest, ADenialNamesWhatOfTheStatementStoppedIt) {
  const auto bridge = Bridge(FullAccess());
  for (const auto& [sql, want] : std::initializer_list<std::pair<const char*, const char*>>{
           {"SELECT * FORM t", "syntax error at or near \\\"FORM\\\""},
           {"SELECT * FORM t", "(at byte 9)"},
           {"SELECT public.add_tax(id) FROM t", "`public.add_tax`: what the function does is not"},
           {"SELECT public.add_tax(id) FROM t",
            "list the function in `safe_functions` of that connection, where it is harmless"},
           {"DELETE FROM t", "`t`: removes rows (at byte 12)"}}) {
    EXPECT_THAT(Answer(*bridge, CallOf("sqlkit__execute_query", sql)),
                AllOf(HasSubstr("Denied: "), HasSubstr(want)))
        << sql;
  }
}

TEST_F(DatabasesTest, ThePolicysLimitsHoldAndAreNoReasonToRefuse) {
  AppData policy = FullAccess();
  policy.policy.limits.max_rows = 2;
  policy.policy.limits.max_bytes = 4000;
  const auto bridge = Bridge(policy);
  EXPECT_THAT(TextIn(Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT id FROM t"))),
              AllOf(HasSubstr(R"("rowCount":2)"), HasSubstr(R"("truncatedBy":"rows")")));
  EXPECT_THAT(
      TextIn(Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT repeat('\"', 3000) AS a"))),
      AllOf(HasSubstr(R"("rows":[])"), HasSubstr(R"("truncatedBy":"bytes")")));
}

TEST_F(DatabasesTest, OnlyConnectionsOfTheAllowlistAreListed) {
  AppData policy = FullAccess();
  policy.policy.allowed_connection_ids = {ConnectionId("shop")};
  const auto bridge = Bridge(policy);
  const std::string listed =
      TextIn(Answer(*bridge, Request("tools/call", "1",
                                     R"({"name":"sqlkit__list_connections","arguments":{}})")));
  EXPECT_EQ(listed,
            R"({"data":[{"id":"shop","name":"The shop","type":"postgres","writes":false}]})");
  EXPECT_THAT(bridge->Client().Ask("POST", "/tools").body,
              HasSubstr(R"("connections":[{"id":"shop","name":"The shop","type":"postgres"}])"));
  EXPECT_THAT(Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT 1", "open")),
              HasSubstr("CONNECTION_NOT_ALLOWED"));
}

TEST_F(DatabasesTest, NoCredentialIsInAResultAnErrorTheLogOrWhatIsServedBesides) {
  const auto bridge = Bridge(FullAccess());
  EXPECT_THAT(
      Answer(*bridge, CallOf("sqlkit__execute_query", "SELECT 1", "gone")),
      AllOf(HasSubstr(R"("isError":true)"), HasSubstr("CONNECTION: "), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(Invoke(*bridge, "execute_query", R"({"sql":"SELECT 1"})", "gone"),
              AllOf(HasSubstr("CONNECTION: "), Not(HasSubstr("hunter2"))));
  for (const char* tool : {"sqlkit__list_sessions", "sqlkit__list_connections"}) {
    EXPECT_THAT(Answer(*bridge, CallOf(tool, "")), Not(HasSubstr("hunter2")));
  }
  for (const char* path : {"/health", "/metrics", "/tools"}) {
    EXPECT_THAT(bridge->Client().Ask(path == std::string("/tools") ? "POST" : "GET", path).body,
                Not(HasSubstr("hunter2")));
  }
  EXPECT_EQ(bridge->log.EventsOf("a call on a database did not run").size(), 2U);
  for (const auto& event : bridge->log.events()) {
    EXPECT_THAT(event.message, Not(HasSubstr("hunter2")));
    for (const auto& [name, value] : event.fields) EXPECT_THAT(value, Not(HasSubstr("hunter2")));
  }
}

TEST_F(DatabasesTest, DataStudioClientsGetTheShapesThatTheyRead) {
  const auto bridge = Bridge(FullAccess());
  EXPECT_THAT(
      Invoke(*bridge, "sqlkit__execute_query", R"({"sql":"SELECT id FROM t WHERE id < 3"})"),
      AllOf(HasSubstr(R"({"status":200,"data":{"columns":["id"],)"),
            HasSubstr(R"("rows":[{"id":1},{"id":2}],"rowCount":2)")));
  // The client calls these two without their prefix.
  EXPECT_EQ(Invoke(*bridge, "list_databases", "{}"),
            R"({"status":200,"data":{"data":[{"name":"postgres"}],"truncated":false}})");
  EXPECT_THAT(Invoke(*bridge, "get_schema", "{}"), HasSubstr("public.t (id bigint, name text)"));
  EXPECT_THAT(Invoke(*bridge, "sqlkit__execute_delete", R"({"sql":"DELETE FROM t"})"),
              HasSubstr(R"({"status":403,)"));
  EXPECT_THAT(Invoke(*bridge, "sqlkit__execute_query", R"({"sql":"SELECT 1/0"})"),
              HasSubstr(R"({"status":400,"message":"22012: division by zero"})"));
}

TEST_F(DatabasesTest, AClientThatGoesAwayEndsTheServersWork) {
  const auto bridge = Bridge(FullAccess());
  const std::string running =
      "pg_stat_activity WHERE usename = 'agent' AND state = 'active' AND query LIKE '%2000000000%'";
  {
    HttpClient client = bridge->Client();
    const std::string body =
        R"({"name":"execute_query","connection_id":"shop",)"
        R"("args":{"sql":"SELECT count(*) FROM t a, t b, (SELECT generate_series(1, 2000000000)) c"}})";
    client.SendBytes(
        absl::StrFormat("POST /invoke HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                        "application/json\r\nContent-Length: %d\r\n\r\n%s",
                        body.size(), body));
    EXPECT_TRUE(support::WaitUntil([&] { return Count(running) == "1"; }));
  }
  EXPECT_TRUE(support::WaitUntil([&] { return Count(running) == "0"; }));
  EXPECT_TRUE(support::WaitUntil([&] { return Decisions(*bridge, "ALLOWED") == "1"; }));
}

}  // namespace
}  // namespace bridgekeeper::bridge
