// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/engines.h"

#include <stdlib.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::HasSubstr;

ConnectionConfig ConnectionTo(std::string type) {
  ConnectionConfig connection;
  connection.id = ConnectionId("c");
  connection.type = std::move(type);
  connection.dsn_variable = "BK_TEST_ENGINES_DSN";
  return connection;
}

TEST(CheckIsServed, SaysWhatThisBuildDoesNotHave) {
  EXPECT_THAT(CheckIsServed(ConnectionTo("sqlite")), IsOk());
  EXPECT_THAT(CheckIsServed(ConnectionTo("mysql")),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("connections.c.type: this build serves ")));
  ConnectionConfig risks = ConnectionTo("sqlite");
  risks.role_risks = {"superuser"};
  EXPECT_THAT(CheckIsServed(risks),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("connections.c.role_risks: got `superuser`, want of none")));
}

#ifdef BK_WITH_DUCKDB
TEST(CheckIsServed, ServesDuckdb) {
  ConnectionConfig writes = ConnectionTo("duckdb");
  EXPECT_THAT(CheckIsServed(writes), IsOk());
  writes.writes = true;
  EXPECT_THAT(CheckIsServed(writes), IsOk());
}
#endif

TEST(MakeBackend, WantsTheVariableThatHoldsTheCredential) {
  const RealClock clock;
  FakeLogger log;
  unsetenv("BK_TEST_ENGINES_DSN");
  EXPECT_THAT(MakeBackend(ConnectionTo("sqlite"), clock, log),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("`BK_TEST_ENGINES_DSN`")));
  setenv("BK_TEST_ENGINES_DSN", "/srv/shop.db", 1);
  EXPECT_THAT(MakeBackend(ConnectionTo("sqlite"), clock, log), IsOk());
}

}  // namespace
}  // namespace bridgekeeper::bridge
