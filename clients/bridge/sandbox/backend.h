// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Backend is one database that the bridge serves itself. A new engine is one pair of
// files that implements it and one row of engines.cc.
//
// A back end runs what was decided; it decides nothing. It is the second wall: what a
// wrong judgement lets through meets the engine's own read-only scope, which is checked
// before the statement is sent.
//
// Source: design of the sandbox: one statement by a path that cannot carry two, nothing
// lasts between calls, limits act while the result is produced.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_BACKEND_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_BACKEND_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "clients/bridge/sandbox/stop_signal.h"
#include "clients/bridge/sandbox/tools.h"
#include "policy/model/enums.h"

namespace bridgekeeper::bridge {

// What a call may use up. A policy or a connection can only lower them.
struct RunLimits {
  int64_t max_rows = 1000;                     // rows of a result
  int64_t max_bytes = 1 << 20;                 // bytes of the answer as it is sent
  absl::Duration timeout = absl::Seconds(60);  // connecting included
};

// What the answer looks like.
enum class Shape : uint8_t {
  kRows,  // {columns, columnTypes, rows, rowCount, ...}
  kList,  // {data: [{...}]}
  kText,  // {data: "..."}: the first column, a line a row
};

// One statement.
struct Statement {
  std::string sql;
  std::vector<std::optional<std::string>> parameters;  // as text
  Shape shape = Shape::kRows;
  // It may change data: it runs in a transaction of its own, which is committed.
  bool writes = false;
  // The text is the caller's, not ours.
  bool callers = false;
  // It was decided as DESTRUCTIVE: what nobody knows of it could be no worse.
  bool destroys = false;
  // Functions that the connection's record lists as harmless, besides the configuration's.
  std::set<std::string> safe_functions = {};
  // The database that the caller named; empty: the connection's own. Another one than
  // that is an error: a connection covers one.
  std::string database;
};

// Why a statement did not run, or not to its end.
struct RunError {
  // The engine's own code (an SQLSTATE), or one of ours:
  //   CONNECTION  - the database cannot be reached, or the session ended
  //   ROLE_RISK   - the role could do more than the connection accepts
  //   SCOPE       - the read-only scope does not stand
  //   TIMEOUT, CANCELLED
  //   UNSUPPORTED - the engine, or this connection, has no such thing
  //   UNKNOWN_EFFECT - the statement reaches what its text does not show, and that is more
  //                 harmful than its tool may be, or nobody knows it: a denial
  //   TOO_LARGE   - the result of a change is larger than the limits
  std::string code;
  std::string message;  // for the caller: no value of the database, no credential
  // UNKNOWN_EFFECT: how harmful what it reaches has to be taken for.
  Risk risk = Risk::kDestructive;
};

// The code of what the database's catalogue refuses (RunError).
inline constexpr std::string_view kUnknownEffect = "UNKNOWN_EFFECT";

// What TOO_LARGE says.
inline constexpr std::string_view kTooLargeChange =
    "the answer of the change is larger than the limits allow; it was rolled back";

// What is added where a change was on its way to be kept when its end was lost: it may have
// come to that.
inline constexpr std::string_view kMayBeMade =
    "; whether the change was made is not known: look before it is tried again";

// The answer, which is JSON, or why there is none.
using RunResult = std::variant<std::string, RunError>;

// What an operator should know of a connection.
struct Finding {
  enum class Level : uint8_t {
    kNote,      // worth a look; stops nothing
    kAccepted,  // would be a reason to refuse, had `role_risks` not accepted it
    kRefused,   // a reason to refuse every call
  };
  Level level = Level::kNote;
  std::string name;
  std::string text;
};
struct Examination {
  std::optional<RunError> refusal;  // why every call is refused; nullopt: calls run
  std::string who;                  // the role and the database, for people; empty: no roles
  std::vector<Finding> findings;
  std::string advice;  // SQL for an administrator: makes a role that only reads; may be empty
};

// Thread safety: all methods may be called at the same time.
class Backend {
 public:
  virtual ~Backend() = default;

  // What answers `tool` on this engine; nullopt: it has no such thing. The texts are
  // ours, but for `sql` of the tools that run the caller's.
  virtual std::optional<Statement> StatementFor(SandboxTool tool,
                                                const ToolArguments& arguments) const = 0;

  // Runs one statement in a session of its own, on the caller's thread. Returns soon
  // after `stop` is raised, once the engine was told to stop too.
  virtual RunResult Run(const Statement& statement, const RunLimits& limits,
                        const StopSignal& stop) = 0;

  // Looks at the connection for its operator, by reads of our own. Here: runs what lists
  // the tables.
  virtual Examination Examine(const RunLimits& limits, const StopSignal& stop);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_BACKEND_H_
