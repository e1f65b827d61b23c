// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PostgresServer is a real PostgreSQL 15 for the length of a test: a cluster of its
// own in the test's temporary folder, reachable through a Unix socket there and
// nowhere else, run by an unprivileged user where the test is root.

#ifndef BRIDGEKEEPER_TESTS_SUPPORT_POSTGRES_SERVER_H_
#define BRIDGEKEEPER_TESTS_SUPPORT_POSTGRES_SERVER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process.h"

namespace bridgekeeper::support {

class PostgresServer {
 public:
  // Makes a cluster and starts it with `settings`, each "name=value". Waits until
  // it answers.
  //
  // Errors:
  //   kNotFound            - there is no PostgreSQL 15 on this machine.
  //   kFailedPrecondition  - it did not start; the message holds its log.
  static absl::StatusOr<std::unique_ptr<PostgresServer>> Start(
      const std::vector<std::string>& settings = {});

  // Stops the server and removes its files.
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // A libpq connection string for `user` (a superuser by default; nobody is asked
  // for a password).
  std::string Dsn(std::string_view user = "postgres", std::string_view database = "postgres") const;

  // The cluster's folder, readable for the test.
  std::string data_dir() const { return folder_ + "/data"; }
  // What the server said so far.
  std::string Log() const;

 private:
  PostgresServer(std::string folder, ChildProcess process);

  std::string folder_;
  ChildProcess process_;
};

}  // namespace bridgekeeper::support

#endif  // BRIDGEKEEPER_TESTS_SUPPORT_POSTGRES_SERVER_H_
