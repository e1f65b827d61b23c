// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/host_name.h"
#include "clients/bridge/http/bridge_server.h"
#include "clients/bridge/http/serving_judge.h"
#include "clients/bridge/keeper_link.h"
#include "clients/bridge/metrics/metrics.h"
#include "clients/bridge/program.h"
#include "clients/bridge/reloader.h"
#include "clients/bridge/report_observer.h"
#include "runtime/clock.h"
#include "runtime/file_watch.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "runtime/signals.h"

namespace bridgekeeper::bridge {
namespace {

using boost::system::error_code;

// How long a file stays as it is before it is read: one that is written in place comes in
// pieces, and a half of it may be valid.
constexpr std::chrono::milliseconds kSettle{100};

// Sends every signal of `signals` to the server: it stops, and a second one hurries it.
void StopOnSignal(boost::asio::signal_set& signals, boost::asio::io_context& io,
                  BridgeServer& server, Logger& log) {
  signals.async_wait([&](const error_code& error, int signal) {
    if (error) return;
    log.Info("stopping", {{"signal", signal}});
    server.Stop([&io] { io.stop(); });
    StopOnSignal(signals, io, server, log);
  });
}

void ReloadOnSignal(boost::asio::signal_set& signals, Reloader& reloader) {
  signals.async_wait([&](const error_code& error, int) {
    if (error) return;
    reloader.Reload(Reloader::Cause::kSignal);
    ReloadOnSignal(signals, reloader);
  });
}

// Reloads when the file has changed and then stayed for kSettle.
class ReloadOnChange {
 public:
  ReloadOnChange(boost::asio::io_context& io, FileWatch watch, Reloader& reloader, Logger& log)
      : watch_(std::move(watch)),
        reloader_(reloader),
        log_(log),
        events_(io, watch_.fd()),
        timer_(io) {
    Wait();
  }
  ~ReloadOnChange() { events_.release(); }  // the watch closes it
  ReloadOnChange(const ReloadOnChange&) = delete;
  ReloadOnChange& operator=(const ReloadOnChange&) = delete;

 private:
  void Wait() {
    events_.async_wait(
        boost::asio::posix::stream_descriptor::wait_read, [this](const error_code& e) {
          if (e == boost::asio::error::operation_aborted) return;
          if (e) {
            log_.Error("the configuration's file is not watched any more", {{"why", e.message()}});
            return;
          }
          // Other files of the folder, however busy, put nothing off.
          if (watch_.Drain()) Settle();
          Wait();
        });
  }
  void Settle() {
    timer_.expires_after(kSettle);
    timer_.async_wait([this](const error_code& error) {
      if (error) return;
      reloader_.Reload(Reloader::Cause::kFileChange);
    });
  }

  FileWatch watch_;
  Reloader& reloader_;
  Logger& log_;
  boost::asio::posix::stream_descriptor events_;
  boost::asio::steady_timer timer_;
};

}  // namespace

ExitCode RunServe(ServeCommand command) {
  RealClock clock;
  RandomIdSource ids;
  JsonLogger log(STDERR_FILENO, LogLevel::kInfo, clock);
  const auto fail = [&](std::string_view what, const absl::Status& status, ExitCode code) {
    log.Error(what, {{"why", std::string(status.message())}});
    return code;
  };

  std::vector<Issue> warnings;
  // Before the file is read: what changes after that is seen.
  std::optional<FileWatch> watch;
  if (command.reload_on_change) {
    auto watched = FileWatch::Create(command.config_file);
    if (!watched.ok()) return fail("--reload-on-change", watched.status(), ExitCode::kUsage);
    watch.emplace(*std::move(watched));
  }
  auto config = LoadServed(command, &warnings);
  if (!config.ok()) {
    // For people, who just wrote the file: a line a problem.
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return ExitCode::kUsage;
  }
  if (command.check_only) {
    for (const Issue& warning : warnings) {
      std::fprintf(stderr, "%s\n", FormatIssue(warning, command.config_file).c_str());
    }
    std::printf("%s is valid\n", command.config_file.c_str());
    return ExitCode::kOk;
  }
  LogWarnings(warnings, command, log);
  RaiseFileLimit();
  KeepFreedMemory();

  const std::string host = HostName();
  const std::string name = absl::StrFormat("%s/%d", host.substr(0, 100), getpid());
  const KeeperLink::Target target = TargetOf(command, *config);
  const size_t apps = target.apps.size();
  const std::string address = target.channel.address;
  const auto keeper =
      KeeperLink::Create(target, {.bridge = name, .version = BK_VERSION}, clock, ids);
  if (!keeper.ok()) return fail("the way to keeperd", keeper.status(), ExitCode::kUsage);

  BridgeMetrics metrics;
  const std::unique_ptr<PayloadJudge> judge =
      MakeServingJudge(log, [&metrics](JudgeFault fault) { metrics.CountJudgeFault(fault); });
  const std::string run = ids.NewId();
  ReloadCounts reloads;
  boost::asio::io_context io(1);
  boost::asio::signal_set reload_signals(io, SIGHUP);
  const auto server = BridgeServer::Create(
      io, *std::move(config),
      {.policies = **keeper,
       .judge = judge.get(),
       .clock = clock,
       .ids = ids,
       .log = log,
       .metrics = metrics,
       .make_observer = [&](const ServerConfig& behind) -> std::unique_ptr<BridgeObserver> {
         return std::make_unique<ReportObserver>(**keeper, behind.app.value(), behind.name,
                                                 behind.builtin_catalog, host, run);
       },
       .report_counts =
           [&] {
             const clients::ReporterStats sent = (*keeper)->ReportStats();
             return ReportCounts{
                 .reported = sent.decisions, .dropped = sent.dropped, .queued = sent.queued};
           },
       .reload_counts = [&] { return reloads; },
       .version = BK_VERSION});
  if (!server.ok()) {
    const bool is_config = server.status().code() != absl::StatusCode::kUnavailable;
    return fail("the bridge does not start", server.status(),
                is_config ? ExitCode::kUsage : ExitCode::kNotStarted);
  }
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  StopOnSignal(signals, io, **server, log);
  Reloader reloader(command, **keeper, **server, reloads, log);
  ReloadOnSignal(reload_signals, reloader);
  std::optional<ReloadOnChange> on_change;
  if (watch) on_change.emplace(io, *std::move(watch), reloader, log);
  log.Info("serving", {{"address", (*server)->address()},
                       {"config", command.config_file},
                       {"apps", apps},
                       {"keeper", address}});
  io.run();
  const bool all_reported = (*keeper)->Flush(kFlushTimeout);
  const clients::ReporterStats sent = (*keeper)->ReportStats();
  log.Log(all_reported ? LogLevel::kInfo : LogLevel::kWarning, "ended",
          {{"decisions", sent.decisions},
           {"denials", sent.denials},
           {"reports_lost", sent.dropped + (all_reported ? 0 : sent.queued)}});
  return ExitCode::kOk;
}

}  // namespace bridgekeeper::bridge
