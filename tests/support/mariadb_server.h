// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MariadbServer is a real MariaDB for the length of a test: its data in the test's
// temporary folder, reachable through a Unix socket there and nowhere else, run by an
// unprivileged user where the test is root.

#ifndef BRIDGEKEEPER_TESTS_SUPPORT_MARIADB_SERVER_H_
#define BRIDGEKEEPER_TESTS_SUPPORT_MARIADB_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/process.h"

struct st_mysql;

namespace bridgekeeper::support {

class MariadbServer {
 public:
  // Makes the server's own tables and starts it with `settings`, each "name=value".
  // Waits until it answers.
  //
  // Errors:
  //   kNotFound            - there is no MariaDB on this machine.
  //   kFailedPrecondition  - it did not start; the message holds its log.
  static absl::StatusOr<std::unique_ptr<MariadbServer>> Start(
      const std::vector<std::string>& settings = {});

  // Stops the server and removes its files.
  ~MariadbServer();
  MariadbServer(const MariadbServer&) = delete;
  MariadbServer& operator=(const MariadbServer&) = delete;

  std::string socket() const { return folder_ + "/socket"; }
  // The folder of its data, its socket and its log, readable for the test.
  const std::string& folder() const { return folder_; }
  // What the server said so far.
  std::string Log() const;

 private:
  MariadbServer(std::string folder, ChildProcess process);

  std::string folder_;
  ChildProcess process_;
};

struct MariadbResult {
  unsigned code = 0;  // the server's number of the error; 0: none
  std::string message;
  int results = 0;                             // statements that were run to an end
  std::vector<std::vector<std::string>> rows;  // of the first; "\\N" is NULL
};

// One connection. Several statements in one text are run one after the other, as a
// client may ask for.
class MariadbSession {
 public:
  // As `user`, who needs no password, in `database`.
  //
  // Errors:
  //   kUnavailable - the server does not let us in; the message is its own.
  static absl::StatusOr<MariadbSession> Connect(const std::string& socket, const std::string& user,
                                                const std::string& database);

  MariadbResult Run(const std::string& sql);

 private:
  struct Closer {
    void operator()(st_mysql* connection) const;
  };
  explicit MariadbSession(st_mysql* connection) : connection_(connection) {}

  std::unique_ptr<st_mysql, Closer> connection_;
};

}  // namespace bridgekeeper::support

#endif  // BRIDGEKEEPER_TESTS_SUPPORT_MARIADB_SERVER_H_
