// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/host_name.h"
#include "clients/bridge/keeper_link.h"
#include "clients/bridge/mcp/origin.h"
#include "clients/bridge/metrics/metrics.h"
#include "clients/bridge/report_observer.h"
#include "clients/bridge/stdio/stdio_bridge.h"
#include "clients/sdk/reporter.h"
#include "clients/sdk/watch_policy_source.h"
#include "policy/guard/guard.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/judge_worker.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {
namespace {

ExitCode CodeOf(BridgeEnd end) {
  switch (end) {
    case BridgeEnd::kClient:
    case BridgeEnd::kSignal:
      return ExitCode::kOk;
    case BridgeEnd::kServer:
      return ExitCode::kServerEnded;
  }
  return ExitCode::kServerEnded;
}

}  // namespace

ExitCode RunStdio(StdioCommand command) {
  RealClock clock;
  RandomIdSource ids;
  JsonLogger log(STDERR_FILENO, LogLevel::kInfo, clock);
  const auto fail = [&](std::string_view what, const absl::Status& status, ExitCode code) {
    log.Error(what, {{"why", std::string(status.message())}});
    return code;
  };

  const std::string app = command.core.app.value();
  const std::string server = command.core.server.value();
  const std::string host = HostName();
  const std::string name = absl::StrFormat("%s/%d", host.substr(0, 100), getpid());

  const auto channel = clients::Channel::Create(command.keeper);
  if (!channel.ok()) return fail("the way to keeperd", channel.status(), ExitCode::kUsage);
  const auto policies = clients::WatchPolicySource::Create(
      *channel, {.apps = {command.core.app}, .bridge = name}, clock, ids);
  if (!policies.ok()) return fail("the watch of the policy", policies.status(), ExitCode::kUsage);
  const auto reporter = clients::Reporter::Create(
      *channel, {.bridge = name, .apps = {app}, .version = BK_VERSION}, **policies, clock, ids);
  if (!reporter.ok()) return fail("the reports", reporter.status(), ExitCode::kUsage);

  BridgeMetrics metrics;
  // The whole environment is handed on: no name of it is configured.
  command.core.origin = std::make_shared<const std::string>(
      OriginOfCommand(command.command, /*environment=*/{}, /*folder=*/""));
  ReportObserver reports(**reporter, app, server, command.core.builtin_catalog, host, ids.NewId());
  StdioOptions options;
  options.core = std::move(command.core);
  options.server = {.command = command.command, .environment = ServerEnvironment()};
  // Duplicates: what is opened after the bridge has closed them is not taken for our
  // standard streams.
  options.client_in = UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  options.client_out = UniqueFd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  options.metrics_address = command.metrics_address;
  options.metrics_page = [&](const CoreStats& stats, size_t requests_in_flight) {
    const clients::ReporterStats sent = (*reporter)->Stats();
    return metrics.Page(
        stats, requests_in_flight, (*policies)->Stats(),
        {.reported = sent.decisions, .dropped = sent.dropped, .queued = sent.queued});
  };
  const std::unique_ptr<PayloadJudge> judge =
      MakeGuard({.isolated = MakeJudgeWorkers({.max_workers = 1, .log = &log}),
                 .on_fault = [&metrics](JudgeFault fault) { metrics.CountJudgeFault(fault); }});
  const auto bridge = StdioBridge::Create(std::move(options), {.policies = **policies,
                                                               .judge = judge.get(),
                                                               .clock = clock,
                                                               .ids = ids,
                                                               .log = log,
                                                               .observers = {&metrics, &reports}});
  if (!bridge.ok())
    return fail("the bridge does not start", bridge.status(), ExitCode::kNotStarted);

  // The command's arguments may hold secrets: only its name is told.
  log.Info("serving", {{"app", app},
                       {"server", server},
                       {"command", command.command[0]},
                       {"keeper", command.keeper.address},
                       {"metrics_address", (*bridge)->metrics_address()}});
  const BridgeEnd end = (*bridge)->Run();
  const bool all_reported = (*reporter)->Flush(kFlushTimeout);
  const clients::ReporterStats sent = (*reporter)->Stats();
  log.Log(all_reported ? LogLevel::kInfo : LogLevel::kWarning, "ended",
          {{"decisions", sent.decisions},
           {"denials", sent.denials},
           {"reports_lost", sent.dropped + (all_reported ? 0 : sent.queued)}});
  return CodeOf(end);
}

}  // namespace bridgekeeper::bridge
