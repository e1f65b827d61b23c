// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The write path against a real server, with no guard before it.

#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/postgres/postgres_test_util.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A change as `sqlkit__execute_write` runs it.
class WritePathTest : public PostgresBackendTest {
 protected:
  std::string Write(const std::string& sql, RunLimits limits = {}) {
    return Run(*BackendFor("writer", /*writes=*/true), sql, /*writes=*/true, limits);
  }
  static std::string Rows() { return Ask("SELECT count(*) FROM customer"); }
};

TEST_F(WritePathTest, IsDoneOnceAndCommitted) {
  const std::string before = Ask("SELECT pg_catalog.txid_current()");
  EXPECT_THAT(Write("INSERT INTO customer VALUES (1001, 'a') RETURNING id"),
              AllOf(HasSubstr(R"("rows":[{"id":1001}])"), HasSubstr(R"("rowsAffected":1)")));
  EXPECT_EQ(Ask("SELECT count(*) FROM customer WHERE id = 1001"), "1");
  EXPECT_EQ(
      Ask(absl::StrFormat("SELECT xmin::text::int8 - %s FROM customer WHERE id = 1001", before)),
      "1")
      << "one transaction came between";
  EXPECT_THAT(Write("DELETE FROM customer WHERE id = 1001"), HasSubstr(R"("rowsAffected":1)"));
  EXPECT_THAT(Write("SELECT 1 AS a"),
              AllOf(HasSubstr(R"([{"a":1}])"), Not(HasSubstr("rowsAffected"))));
}

TEST_F(WritePathTest, AnErrorAtAnyPointLeavesNothingBehind) {
  const std::string before = Rows();
  // In the middle, at the last row, at the commit, and at a limit.
  EXPECT_THAT(
      Write("INSERT INTO customer SELECT 2000 + i, 10 / (3 - i) FROM generate_series(1, 9) i"),
      HasSubstr("22012: "));
  EXPECT_THAT(Write("INSERT INTO customer SELECT CASE i WHEN 9 THEN 1 ELSE 2000 + i END"
                    " FROM generate_series(1, 9) i"),
              HasSubstr("23505: "));
  ASSERT_TRUE(admin_
                  ->RunScript("CREATE TABLE part (customer int8 REFERENCES customer (id)"
                              " DEFERRABLE INITIALLY DEFERRED);"
                              "GRANT ALL ON part TO writer")
                  .ok());
  EXPECT_THAT(Write("INSERT INTO part VALUES (424242)"), HasSubstr("23503: "));
  EXPECT_EQ(Ask("SELECT count(*) FROM part"), "0");
  EXPECT_THAT(Write("INSERT INTO customer VALUES (2001) RETURNING repeat('x', 5000000)"),
              HasSubstr("TOO_LARGE: "));
  EXPECT_THAT(Write("INSERT INTO customer SELECT 2002, pg_sleep(60)::text",
                    {.timeout = absl::Milliseconds(300)}),
              HasSubstr("TIMEOUT: "));
  EXPECT_EQ(Rows(), before);
}

TEST_F(WritePathTest, ACommitWhoseEndIsLostIsNotCalledUndone) {
  ASSERT_TRUE(admin_
                  ->RunScript("CREATE TABLE fragile (id int8); GRANT ALL ON fragile TO writer;"
                              "CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql"
                              " SECURITY DEFINER AS 'BEGIN"
                              " PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';"
                              "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON fragile DEFERRABLE"
                              " INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_session()")
                  .ok());
  EXPECT_THAT(Write("INSERT INTO fragile VALUES (1)"),
              AllOf(HasSubstr("CONNECTION: "), HasSubstr("whether the change was made")));
  EXPECT_THAT(Write("INSERT INTO fragile SELECT 1 / 0"),
              AllOf(HasSubstr("22012: "), Not(HasSubstr("whether the change was made"))));
}

TEST_F(WritePathTest, ACancelledChangeIsRolledBack) {
  const std::string before = Rows();
  const auto running = [] {
    return Ask(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO customer%62%'"
        " AND state = 'active'");
  };
  std::string answer;
  std::jthread call(
      [&] { answer = Write("INSERT INTO customer SELECT 2003, pg_sleep(62)::text"); });
  EXPECT_TRUE(support::WaitUntil([&] { return running() == "1"; }));
  stop_.Raise();
  call.join();
  EXPECT_THAT(answer, HasSubstr("CANCELLED: "));
  EXPECT_TRUE(support::WaitUntil([&] { return running() == "0"; }));
  EXPECT_EQ(Rows(), before);
}

TEST_F(WritePathTest, ALockThatOthersHoldIsNotWaitedForLongerThanTheLimit) {
  auto other = support::PostgresSession::Connect(server_->Dsn());
  ASSERT_THAT(other, IsOk());
  ASSERT_TRUE(other->Run("BEGIN").ok());
  ASSERT_TRUE(other->Run("LOCK TABLE customer IN ACCESS EXCLUSIVE MODE").ok());
  EXPECT_THAT(Write("UPDATE customer SET name = 'z'", {.timeout = absl::Milliseconds(500)}),
              AnyOf(HasSubstr("55P03: "), HasSubstr("TIMEOUT: ")));
  ASSERT_TRUE(other->Run("ROLLBACK").ok());
  EXPECT_EQ(Ask("SELECT count(*) FROM customer WHERE name = 'z'"), "0");
}

TEST_F(WritePathTest, NothingThatEndsOrLeavesTheTransactionGetsByWithIt) {
  const std::string before = Rows();
  for (const char* sql : {"COMMIT", "ROLLBACK", "ABORT", "END", "COMMIT AND CHAIN",
                          "ROLLBACK AND CHAIN", "PREPARE TRANSACTION 'x'"}) {
    EXPECT_THAT(Write(sql), AnyOf(HasSubstr("SCOPE: "), HasSubstr("55000: "))) << sql;
  }
  for (const char* sql :
       {"INSERT INTO customer VALUES (2004); COMMIT", "COMMIT; INSERT INTO customer VALUES (2004)",
        "INSERT INTO customer VALUES (2004); INSERT INTO customer VALUES (2005)"}) {
    EXPECT_THAT(Write(sql), HasSubstr("42601: ")) << sql;
  }
  for (const char* sql : {"COPY customer FROM STDIN", "COPY customer TO STDOUT"}) {
    EXPECT_THAT(Write(sql), HasSubstr("UNSUPPORTED: ")) << sql;
  }
  EXPECT_EQ(Rows(), before);
  EXPECT_EQ(Ask("SELECT count(*) FROM pg_prepared_xacts"), "0");
}

TEST_F(WritePathTest, NoStateOfASessionReachesTheNextCall) {
  const auto backend = BackendFor("writer", /*writes=*/true);
  const auto value = [&](const std::string& sql, bool writes) {
    return Run(*backend, sql, writes);
  };
  for (const char* sql :
       {"SET search_path = nowhere", "SET SESSION statement_timeout = 0",
        "SET default_transaction_read_only = off", "PREPARE p AS SELECT 1",
        "CREATE TEMP TABLE customer (a int)", "LISTEN news", "SELECT pg_advisory_lock(43)",
        "DECLARE c CURSOR WITH HOLD FOR SELECT 1"}) {
    value(sql, /*writes=*/true);
  }
  EXPECT_THAT(value("SHOW search_path", false), HasSubstr("pg_catalog"));
  EXPECT_THAT(value("SHOW default_transaction_read_only", false), HasSubstr(R"("on")"));
  EXPECT_THAT(value("EXECUTE p", false), HasSubstr("26000: "));
  EXPECT_THAT(value("FETCH ALL FROM c", false), HasSubstr("34000: "));
  EXPECT_THAT(value("SELECT count(name) AS n FROM customer", false), HasSubstr(R"([{"n":)"))
      << "the table of the schema, not a temporary one";
  EXPECT_EQ(Ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
}

TEST_F(WritePathTest, IsDeniedWhereTheConnectionDoesNotAllowIt) {
  const std::string before = Rows();
  for (const char* sql : {"INSERT INTO customer VALUES (2006)", "SELECT 1", "COMMIT"}) {
    EXPECT_THAT(Run(*BackendFor("writer"), sql, /*writes=*/true), HasSubstr("UNSUPPORTED: "));
  }
  EXPECT_EQ(Rows(), before);
}

}  // namespace
}  // namespace bridgekeeper::bridge
