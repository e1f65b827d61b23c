// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PostgresSession is one session with a server, for one statement of a caller: the only
// file that uses libpq. Every wait ends at the deadline or when the stop is raised.
//
// Thread safety: used by one thread at a time.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_SESSION_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/sandbox/result_writer.h"
#include "clients/bridge/sandbox/stop_signal.h"
#include "policy/base/clock.h"
#include "policy/base/secret.h"
#include "runtime/unique_fd.h"

struct pg_conn;
struct pg_result;

namespace bridgekeeper::bridge {

class PostgresSession {
 public:
  // A failure of the engine or of the way to it. `detail` is for the operator's log: it
  // may name hosts and users, never a password.
  struct Failure {
    RunError error;
    std::string detail;
  };
  using MaybeFailure = std::optional<Failure>;

  PostgresSession(const Clock& clock, absl::Duration deadline, const StopSignal& stop);
  ~PostgresSession();
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  // `settings` are those of the server's `options`: "-c name=value ...".
  MaybeFailure Connect(const Secret& dsn, const std::string& settings);
  std::string database() const;

  // Runs a statement of ours whose result is small; the cells of its first row go to
  // `row`, NULL as nullopt. `parameter`: its one parameter; null: it has none.
  MaybeFailure RunOwn(const char* sql, std::vector<std::optional<std::string>>* row = nullptr,
                      const char* parameter = nullptr);

  // Has the server read the caller's statement and resolve its names; nothing of it runs.
  // Run() runs what was prepared.
  MaybeFailure Prepare(const Statement& statement);

  // Runs the caller's statement and hands its rows to `writer`. Once the writer is cut a
  // read is ended and its session is of no use any more; a change goes on to its end,
  // its rows dropped. A value of more than `max_bytes` ends both.
  MaybeFailure Run(const Statement& statement, int64_t max_bytes, ResultWriter& writer);

  // Whether the session is inside the transaction block that the caller's statement began
  // in, and it has not failed.
  bool in_transaction() const;
  // Tells the server to end what it does, and drops the session.
  void Cancel();

 private:
  struct ConnectionCloser {
    void operator()(pg_conn* connection) const;
  };
  struct ResultCloser {
    void operator()(pg_result* result) const;
  };
  using Result = std::unique_ptr<pg_result, ResultCloser>;

  // Waits for the socket `fd`. Nullopt: it is ready.
  MaybeFailure Await(int fd, short events);
  MaybeFailure Flush();
  // Stands between the server and libpq from here on: what libpq reads is what we feed.
  MaybeFailure BeginFeeding();
  // The opposite; only where everything was fed and read.
  void EndFeeding();
  // Reads a piece from the server and feeds it.
  MaybeFailure Feed();
  MaybeFailure WriteRow(const pg_result* row, ResultWriter& writer);
  void SetColumns(const pg_result* result, ResultWriter& writer) const;
  Failure FailureOf(const pg_result* result, std::string_view statement) const;
  Failure Lost() const;
  // Waits for the end of what was sent, of which nothing but the first row is kept.
  MaybeFailure Finish(std::string_view sql, std::vector<std::optional<std::string>>* row);

  const Clock& clock_;
  const absl::Duration deadline_;
  const StopSignal& stop_;
  std::unique_ptr<pg_conn, ConnectionCloser> connection_;
  bool is_prepared_ = false;
  bool has_ended_transaction_ = false;

  // While feeding.
  UniqueFd server_;           // the connection's own socket
  UniqueFd feed_;             // our end of the pair whose other end libpq reads
  std::vector<char> buffer_;  // kReceiveBytes
  int64_t bytes_since_row_ = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_SESSION_H_
