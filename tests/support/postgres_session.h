// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PostgresSession is one connection to a test's server. A statement is sent by the
// extended protocol, which runs one and no more.

#ifndef BRIDGEKEEPER_TESTS_SUPPORT_POSTGRES_SESSION_H_
#define BRIDGEKEEPER_TESTS_SUPPORT_POSTGRES_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

struct pg_conn;

namespace bridgekeeper::support {

struct PostgresResult {
  // "" where the statement ran, else its SQLSTATE; "connection" where the server
  // ended the session.
  std::string sqlstate;
  std::string message;
  // Rows of a query; NULL is "\\N". What COPY TO STDOUT sends is dropped.
  std::vector<std::vector<std::string>> rows;
  bool ok() const { return sqlstate.empty(); }
};

class PostgresSession {
 public:
  // Connects. Errors: kUnavailable with what libpq says.
  static absl::StatusOr<PostgresSession> Connect(const std::string& dsn);

  PostgresSession(PostgresSession&&) = default;
  PostgresSession& operator=(PostgresSession&&) = default;

  // Runs one statement to its end.
  PostgresResult Run(const std::string& sql);

  // Runs a script of ours by the simple protocol.
  PostgresResult RunScript(const std::string& sql);

  // True inside a transaction block, failed or not.
  bool InTransaction() const;
  bool alive() const;

 private:
  struct Closer {
    void operator()(pg_conn* connection) const;
  };
  explicit PostgresSession(pg_conn* connection) : connection_(connection) {}
  PostgresResult Collect();

  std::unique_ptr<pg_conn, Closer> connection_;
};

}  // namespace bridgekeeper::support

#endif  // BRIDGEKEEPER_TESTS_SUPPORT_POSTGRES_SESSION_H_
