// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadOnlyRunner runs statements the way a read runs (one statement, READ ONLY,
// rolled back) and sees what they leave behind: in the session, in the cluster, in
// the files of the server.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_POSTGRES_WATCH_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_POSTGRES_WATCH_H_

#include <optional>
#include <string>

#include "tests/support/postgres_server.h"
#include "tests/support/postgres_session.h"

namespace bridgekeeper {

class ReadOnlyRunner {
 public:
  // Runs as `user`. `server` must outlive the runner.
  ReadOnlyRunner(const support::PostgresServer& server, std::string user);

  struct Outcome {
    std::string sqlstate;  // "" where it ran
    std::string message;
    bool left_transaction = false;
    // Locks that it held beyond those of a read, before the rollback.
    std::string locks;
    bool Wrote() const { return sqlstate == "25006"; }
  };

  // Runs one statement in a session that is kept as long as it is as good as new.
  Outcome Run(const std::string& sql);

  // Everything that a read must leave as it is, as text.
  std::string State();

  // Where the write-ahead log ends. A read adds nothing, but the server itself now
  // and then does.
  std::string WalPosition();

 private:
  support::PostgresSession& Session();

  const support::PostgresServer& server_;
  const std::string user_;
  std::optional<support::PostgresSession> session_;
  std::optional<support::PostgresSession> observer_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_POSTGRES_WATCH_H_
