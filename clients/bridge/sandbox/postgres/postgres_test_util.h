// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The back end with a real server behind it, for the tests of this folder.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_POSTGRES_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_POSTGRES_TEST_UTIL_H_

#include <stdlib.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clients/bridge/sandbox/backend_test_util.h"
#include "clients/bridge/sandbox/postgres/postgres_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"
#include "tests/support/postgres_server.h"
#include "tests/support/postgres_session.h"

namespace bridgekeeper::bridge {

inline constexpr char kPostgresTestSchema[] = R"sql(
  CREATE ROLE reader LOGIN;
  CREATE ROLE writer LOGIN;
  CREATE ROLE owner LOGIN;
  CREATE ROLE boss CREATEROLE;
  CREATE ROLE becomes_boss LOGIN NOINHERIT IN ROLE boss;
  CREATE ROLE watcher LOGIN IN ROLE pg_read_all_stats;
  CREATE ROLE replicator LOGIN REPLICATION;
  CREATE ROLE bypasser LOGIN BYPASSRLS;
  CREATE ROLE reads_all LOGIN IN ROLE pg_read_all_data;
  CREATE TABLE customer (id int8 PRIMARY KEY, name text NOT NULL DEFAULT 'x', paid numeric(10,2));
  COMMENT ON TABLE customer IS 'who pays';
  CREATE INDEX by_name ON customer (lower(name));
  CREATE TABLE "order" (id int8 PRIMARY KEY, customer int8 REFERENCES customer (id));
  CREATE VIEW payer AS SELECT id FROM customer WHERE paid > 0;
  CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * a';
  CREATE PROCEDURE nothing() LANGUAGE sql AS 'SELECT 1';
  CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE TRIGGER stamped BEFORE UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION stamp();
  INSERT INTO customer SELECT i, 'name ' || i, i FROM generate_series(1, 10) i;
  GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
  GRANT ALL ON ALL TABLES IN SCHEMA public TO writer;
  CREATE TABLE owned (a int);
  ALTER TABLE owned OWNER TO owner;
)sql";

class PostgresBackendTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = support::PostgresServer::Start();
    ASSERT_THAT(server, IsOk());
    server_ = std::move(*server).release();
    auto admin = support::PostgresSession::Connect(server_->Dsn());
    ASSERT_THAT(admin, IsOk());
    const auto made = admin->RunScript(kPostgresTestSchema);
    ASSERT_TRUE(made.ok()) << made.message;
    admin_ = new support::PostgresSession(*std::move(admin));
  }
  static void TearDownTestSuite() {
    delete admin_;
    delete server_;
  }

  std::unique_ptr<Backend> BackendFor(const std::string& user, bool writes = false,
                                      std::vector<std::string> role_risks = {}) {
    return BackendAt(server_->Dsn(user), writes, std::move(role_risks));
  }

  std::unique_ptr<Backend> BackendAt(const std::string& dsn, bool writes = false,
                                     std::vector<std::string> role_risks = {},
                                     std::set<std::string> safe_functions = {}) {
    setenv("BK_TEST_DSN", dsn.c_str(), 1);
    auto source = DsnSource::Variable("BK_TEST_DSN");
    EXPECT_THAT(source, IsOk());
    return MakePostgresBackend({.id = "db",
                                .dsn = *std::move(source),
                                .writes = writes,
                                .role_risks = std::move(role_risks),
                                .safe_functions = std::move(safe_functions)},
                               clock_, log_);
  }

  std::string Run(Backend& backend, const std::string& sql, bool writes = false,
                  RunLimits limits = {}) {
    return AnswerText(backend.Run(
        {.sql = sql, .parameters = {}, .writes = writes, .callers = true, .database = {}}, limits,
        stop_));
  }
  std::string Read(const std::string& sql, RunLimits limits = {}) {
    return Run(*BackendFor("reader"), sql, /*writes=*/false, limits);
  }

  // One value that the administrator sees.
  static std::string Ask(const std::string& sql) {
    const auto result = admin_->Run(sql);
    if (!result.ok() || result.rows.empty()) return result.sqlstate + result.message;
    return result.rows[0][0];
  }

  inline static support::PostgresServer* server_ = nullptr;
  inline static support::PostgresSession* admin_ = nullptr;
  RealClock clock_;
  FakeLogger log_;
  StopSignal stop_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_POSTGRES_TEST_UTIL_H_
