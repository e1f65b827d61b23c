// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/postgres/postgres_backend.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/sandbox/error_text.h"
#include "clients/bridge/sandbox/postgres/live_catalogue.h"
#include "clients/bridge/sandbox/postgres/questions.h"
#include "clients/bridge/sandbox/postgres/role_report.h"
#include "clients/bridge/sandbox/postgres/role_risks.h"
#include "clients/bridge/sandbox/postgres/session.h"
#include "clients/bridge/sandbox/result_writer.h"
#include "policy/base/strings.h"
#include "policy/guard/guard.h"

namespace bridgekeeper::bridge {
namespace {

// The settings that what we send is read under, and that bound what the server does for
// us should we be gone. `search_path`: what the engine has comes before what others made.
// `jit`: what is asked of the catalogue looks dear to the planner, which would compile it at
// every call: a quarter of a second for milliseconds of work.
std::string Settings(absl::Duration left) {
  const auto ms = [](absl::Duration time) {
    return std::max<int64_t>(absl::ToInt64Milliseconds(time), 1);
  };
  return absl::StrFormat(
      "-c default_transaction_read_only=on -c statement_timeout=%d -c lock_timeout=%d "
      "-c idle_in_transaction_session_timeout=%d -c client_connection_check_interval=1000 "
      "-c search_path=pg_catalog,public,pg_temp -c standard_conforming_strings=on "
      "-c row_security=on -c DateStyle=ISO -c IntervalStyle=postgres -c bytea_output=hex "
      "-c extra_float_digits=1 -c jit=off",
      ms(left), ms(std::min(left, kLockTimeout)), ms(left + kServerGrace));
}

// Bytes of what is said of what a statement reaches.
constexpr size_t kMaxReachedBytes = 200;

class PostgresBackend : public Backend {
 public:
  PostgresBackend(PostgresOptions options, const Clock& clock, Logger& log)
      : options_(std::move(options)), clock_(clock), log_(log) {}

  std::optional<Statement> StatementFor(SandboxTool tool,
                                        const ToolArguments& arguments) const override {
    return PostgresStatementFor(tool, arguments);
  }

  RunResult Run(const Statement& statement, const RunLimits& limits,
                const StopSignal& stop) override {
    if (statement.writes && !options_.writes) {
      return RunError{"UNSUPPORTED", "this connection only reads"};
    }
    const absl::Duration begin = clock_.SinceBoot();
    PostgresSession session(clock_, begin + limits.timeout + kServerGrace, stop);
    ResultWriter writer(statement.shape, limits);
    auto failure = RunIn(session, statement, limits, begin, writer);
    const bool ended_by_us = failure ? failure->error.code == "CANCELLED" ||
                                           failure->error.code == "TIMEOUT" ||
                                           failure->error.code == "TOO_LARGE"
                                     : writer.is_cut() && !statement.writes;
    if (ended_by_us) session.Cancel();
    if (!failure) return std::move(writer).Finish(clock_.SinceBoot() - begin);
    // query_canceled: the server's own limit of time came first.
    if (failure->error.code == "57014" && clock_.SinceBoot() - begin >= limits.timeout * 0.9) {
      failure->error = {"TIMEOUT", "the call ran out of time"};
    }
    if (failure->error.code == "TIMEOUT") {
      failure->error.message =
          absl::StrFormat("the call took longer than %s", absl::FormatDuration(limits.timeout));
    }
    if (!failure->detail.empty()) {
      log_.Warning(
          "a call on a database did not run",
          {{"connection", options_.id}, {"code", failure->error.code}, {"why", failure->detail}});
    }
    return std::move(failure->error);
  }

  Examination Examine(const RunLimits& limits, const StopSignal& stop) override {
    PostgresSession session(clock_, clock_.SinceBoot() + limits.timeout + kServerGrace, stop);
    Examination examination;
    if (auto failure = ExamineIn(session, limits, examination)) {
      if (!failure->detail.empty()) {
        log_.Warning(
            "a call on a database did not run",
            {{"connection", options_.id}, {"code", failure->error.code}, {"why", failure->detail}});
      }
      examination.refusal = std::move(failure->error);
    }
    return examination;
  }

 private:
  using MaybeFailure = PostgresSession::MaybeFailure;
  using Failure = PostgresSession::Failure;

  // A role that would be refused is looked at all the same.
  MaybeFailure ExamineIn(PostgresSession& session, const RunLimits& limits,
                         Examination& examination) {
    if (auto failure = Connect(session, limits)) return failure;
    if (auto failure = session.RunOwn("BEGIN READ ONLY")) return failure;
    std::vector<std::optional<std::string>> scope;
    if (auto failure = session.RunOwn(kScopeAndRoleQuery, &scope)) return failure;
    std::vector<std::optional<std::string>> report;
    if (auto failure = session.RunOwn(kRoleReportQuery, &report)) return failure;
    const std::string found = scope.size() == 4 ? scope[3].value_or("") : "";
    const std::vector<std::string> refused = RisksNotAccepted(found, options_.role_risks);
    for (const RoleRisk* risk : RisksFound(found)) {
      const bool is_refused =
          std::find(refused.begin(), refused.end(), risk->name) != refused.end();
      examination.findings.push_back(
          {is_refused ? Finding::Level::kRefused : Finding::Level::kAccepted,
           std::string(risk->name), absl::StrFormat("it is, or may become, %s", risk->meaning)});
    }
    for (Finding& note : NotesOnRole(report)) examination.findings.push_back(std::move(note));
    examination.who = RoleAndDatabase(report);
    examination.advice = ReadOnlyRoleSql(report);
    return CheckScope(scope, /*writes=*/false);
  }

  MaybeFailure Connect(PostgresSession& session, const RunLimits& limits) {
    const auto dsn = options_.dsn.Read();
    if (!dsn.ok()) {
      return Failure{{"CONNECTION", "the database is not configured"},
                     std::string(dsn.status().message())};
    }
    return session.Connect(*dsn, Settings(limits.timeout));
  }

  MaybeFailure RunIn(PostgresSession& session, const Statement& statement, const RunLimits& limits,
                     absl::Duration begin, ResultWriter& writer) {
    if (auto failure = Connect(session, limits)) return failure;
    if (!statement.database.empty() && statement.database != session.database()) {
      return Failure{{"UNSUPPORTED", "the connection covers one database, and not the one named"},
                     {}};
    }
    if (auto failure = session.RunOwn(statement.writes ? "BEGIN READ WRITE" : "BEGIN READ ONLY")) {
      return failure;
    }
    std::vector<std::optional<std::string>> scope;
    if (auto failure = session.RunOwn(kScopeAndRoleQuery, &scope)) return failure;
    if (auto failure = CheckScope(scope, statement.writes)) return failure;
    if (statement.callers && !statement.destroys) {
      if (auto failure = CheckReach(session, statement)) return failure;
    }
    if (clock_.SinceBoot() - begin >= limits.timeout) return Failure{{"TIMEOUT", ""}, {}};
    if (auto failure = session.Run(statement, limits.max_bytes, writer)) return failure;
    if (!statement.writes) return std::nullopt;  // never committed: the session ends
    if (!session.in_transaction()) {
      return Failure{{"SCOPE", "the statement has ended the transaction that it ran in"}, {}};
    }
    auto failure = session.RunOwn("COMMIT");
    // What the server says itself is certain: it has rolled back.
    const bool is_lost =
        failure && (failure->error.code == "CONNECTION" || failure->error.code == "TIMEOUT" ||
                    failure->error.code == "CANCELLED");
    if (is_lost) failure->error.message += kMayBeMade;
    return failure;
  }

  // Refuses what runs more than its text shows: of a read what is no read, or not known;
  // of a change what is worse than one.
  MaybeFailure CheckReach(PostgresSession& session, const Statement& statement) {
    if (auto failure = session.Prepare(statement)) return failure;
    std::vector<std::optional<std::string>> reached;
    if (auto failure = session.RunOwn(kReachedQuery, &reached, statement.sql.c_str())) {
      return failure;
    }
    std::set<std::string> safe_functions = options_.safe_functions;
    safe_functions.insert(statement.safe_functions.begin(), statement.safe_functions.end());
    const auto unknown = UnknownBehind(reached, statement.writes ? Risk::kElevated : Risk::kSafe,
                                       safe_functions, *judge_);
    if (!unknown) return std::nullopt;
    return Failure{{std::string(kUnknownEffect),
                    absl::StrFormat("what the statement does is not known, because of %s. An "
                                    "administrator may list a harmless function in the "
                                    "connection's `safe_functions`",
                                    EscapeForPeople(unknown->what, kMaxReachedBytes)),
                    unknown->risk},
                   {}};
  }

  MaybeFailure CheckScope(const std::vector<std::optional<std::string>>& scope, bool writes) const {
    const Failure no_scope = {{"SCOPE", "the session is not as it must be; nothing was run"}, {}};
    if (scope.size() != 4 || scope[0] != (writes ? "off" : "on") || scope[1] != "on" ||
        scope[2] != "UTF8") {
      return no_scope;
    }
    const std::vector<std::string> risks =
        RisksNotAccepted(scope[3].value_or(""), options_.role_risks);
    if (risks.empty()) return std::nullopt;
    return Failure{
        {"ROLE_RISK", absl::StrFormat("the role of this connection can do more than it should: "
                                      "%s. An administrator must give it a role that only reads, "
                                      "or accept that in `role_risks`",
                                      absl::StrJoin(risks, ", "))},
        absl::StrFormat("role_risks: %s", absl::StrJoin(risks, ", "))};
  }

  const PostgresOptions options_;
  const Clock& clock_;
  Logger& log_;
  // Of definitions, which come again and again.
  const std::unique_ptr<PayloadJudge> judge_ =
      MakeGuard({.pool = {.threads = 1}, .cache_bytes = size_t{4} << 20});
};

}  // namespace

std::unique_ptr<Backend> MakePostgresBackend(PostgresOptions options, const Clock& clock,
                                             Logger& log) {
  return std::make_unique<PostgresBackend>(std::move(options), clock, log);
}

}  // namespace bridgekeeper::bridge
