// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/host_name.h"
#include "clients/bridge/http/bridge_server.h"
#include "clients/bridge/metrics/metrics.h"
#include "clients/bridge/program.h"
#include "clients/bridge/report_observer.h"
#include "clients/sdk/reporter.h"
#include "clients/sdk/watch_policy_source.h"
#include "policy/guard/guard.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/judge_worker.h"
#include "runtime/log.h"
#include "runtime/signals.h"

namespace bridgekeeper::bridge {
namespace {

// Sends every signal of `signals` to the server: it stops, and a second one hurries it.
void StopOnSignal(boost::asio::signal_set& signals, boost::asio::io_context& io,
                  BridgeServer& server, Logger& log) {
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    log.Info("stopping", {{"signal", signal}});
    server.Stop([&io] { io.stop(); });
    StopOnSignal(signals, io, server, log);
  });
}

}  // namespace

ExitCode RunServe(ServeCommand command) {
  RealClock clock;
  RandomIdSource ids;
  JsonLogger log(STDERR_FILENO, LogLevel::kInfo, clock);
  const auto fail = [&](std::string_view what, const absl::Status& status, ExitCode code) {
    log.Error(what, {{"why", std::string(status.message())}});
    return code;
  };

  auto config = LoadBridgeConfig(command.config_file);
  if (!config.ok()) {
    // For people, who just wrote the file: a line a problem.
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return ExitCode::kUsage;
  }
  if (const absl::Status served = CheckIsServed(*config); !served.ok()) {
    std::fprintf(stderr, "%s: error: %s\n", command.config_file.c_str(),
                 std::string(served.message()).c_str());
    return ExitCode::kUsage;
  }
  if (command.check_only) {
    std::printf("%s is valid\n", command.config_file.c_str());
    return ExitCode::kOk;
  }
  if (command.announce == "dockit") config->announce = Announce::kDockit;
  if (command.announce == "sqlkit") config->announce = Announce::kSqlkit;
  if (!config->keeper_addresses.empty()) command.keeper.address = config->keeper_addresses[0];
  if (!config->keeper_token_file.empty()) command.keeper.token_file = config->keeper_token_file;
  if (!config->keeper_ca_file.empty()) command.keeper.ca_file = config->keeper_ca_file;
  RaiseFileLimit();

  const std::string host = HostName();
  const std::string name = absl::StrFormat("%s/%d", host.substr(0, 100), getpid());
  const std::vector<AppId> apps = AppsOf(*config);
  std::vector<std::string> app_names;
  for (const AppId& app : apps) app_names.push_back(app.value());
  const auto channel = clients::Channel::Create(command.keeper);
  if (!channel.ok()) return fail("the address of keeperd", channel.status(), ExitCode::kUsage);
  const auto policies =
      clients::WatchPolicySource::Create(*channel, {.apps = apps, .bridge = name}, clock, ids);
  if (!policies.ok()) return fail("the watch of the policy", policies.status(), ExitCode::kUsage);
  const auto reporter = clients::Reporter::Create(
      *channel, {.bridge = name, .apps = app_names, .version = BK_VERSION}, **policies, clock, ids);
  if (!reporter.ok()) return fail("the reports", reporter.status(), ExitCode::kUsage);

  BridgeMetrics metrics;
  const std::unique_ptr<PayloadJudge> judge =
      MakeGuard({.isolated = MakeJudgeWorkers({.max_workers = 1, .log = &log}),
                 .on_fault = [&metrics](JudgeFault fault) { metrics.CountJudgeFault(fault); }});
  const std::string run = ids.NewId();
  boost::asio::io_context io(1);
  const auto server = BridgeServer::Create(
      io, *std::move(config),
      {.policies = **policies,
       .judge = judge.get(),
       .clock = clock,
       .ids = ids,
       .log = log,
       .metrics = metrics,
       .make_observer = [&](const ServerConfig& behind) -> std::unique_ptr<BridgeObserver> {
         return std::make_unique<ReportObserver>(**reporter, behind.app.value(), behind.name, host,
                                                 run);
       },
       .report_counts =
           [&] {
             const clients::ReporterStats sent = (*reporter)->Stats();
             return ReportCounts{
                 .reported = sent.decisions, .dropped = sent.dropped, .queued = sent.queued};
           },
       .version = BK_VERSION});
  if (!server.ok()) {
    const bool is_config = server.status().code() != absl::StatusCode::kUnavailable;
    return fail("the bridge does not start", server.status(),
                is_config ? ExitCode::kUsage : ExitCode::kNotStarted);
  }
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  StopOnSignal(signals, io, **server, log);
  log.Info("serving", {{"address", (*server)->address()},
                       {"config", command.config_file},
                       {"apps", app_names.size()},
                       {"keeper", command.keeper.address}});
  io.run();
  const bool all_reported = (*reporter)->Flush(kFlushTimeout);
  const clients::ReporterStats sent = (*reporter)->Stats();
  log.Log(all_reported ? LogLevel::kInfo : LogLevel::kWarning, "ended",
          {{"decisions", sent.decisions},
           {"denials", sent.denials},
           {"reports_lost", sent.dropped + (all_reported ? 0 : sent.queued)}});
  return ExitCode::kOk;
}

}  // namespace bridgekeeper::bridge
