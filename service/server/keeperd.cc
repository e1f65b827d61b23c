// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/server/keeperd.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "runtime/signals.h"
#include "service/server/server.h"
#include "service/server/version.h"
#include "store/factory/store_factory.h"

namespace bridgekeeper::service {
namespace {

// How long a stop may take beyond drain_timeout: closing the store.
constexpr absl::Duration kStopGrace = absl::Seconds(15);

void Print(std::FILE* to, const std::string& text) {
  // What cannot be printed cannot be told either.
  (void)std::fwrite(text.data(), 1, text.size(), to);
  (void)std::fflush(to);
}

int RefuseConfiguration(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) Print(stderr, "keeperd: " + problem + "\n");
  Print(stderr, "keeperd: `keeperd --help` lists the options\n");
  return kExitConfiguration;
}

int RefuseData(const absl::Status& status) {
  Print(stderr, absl::StrFormat("keeperd: %s\n", AsStd(status.message())));
  return kExitDataRefused;
}

// SIGTERM and SIGINT wait for WaitForStop(), in this thread and those it starts.
void HoldStopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int WaitForStop() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
  return signal;
}

// A second signal while stopping means now.
void LetStopSignalsEnd() {
  struct sigaction action = {};
  action.sa_handler = [](int) { _exit(kExitSomethingLost); };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// A terminal to tell a secret to: one of our own streams, or nothing. A pipe may end
// in a log.
std::FILE* Terminal() {
  for (std::FILE* stream : {stderr, stdout}) {
    if (isatty(fileno(stream)) == 1) return stream;
  }
  return nullptr;
}

// Says what keeps KEEPER_TOKEN from being a token; empty: nothing, or it is not set. A blank
// one is a slip that anybody could guess, and no header carries it.
std::string TokenProblem(const StartedWith& start) {
  const auto it = start.environment.find("KEEPER_TOKEN");
  if (it == start.environment.end()) return "";
  const bool is_visible = std::all_of(it->second.begin(), it->second.end(),
                                      [](char c) { return c >= 0x21 && c <= 0x7e; });
  if (is_visible) return "";
  return "environment KEEPER_TOKEN: got a byte that is no visible ASCII character, want one token";
}

// The token that writes need: from the environment, or made now and shown once.
std::optional<std::string> AdminToken(const StartedWith& start, IdSource& ids) {
  if (const auto it = start.environment.find("KEEPER_TOKEN");
      it != start.environment.end() && !it->second.empty()) {
    return it->second;
  }
  std::FILE* terminal = Terminal();
  if (terminal == nullptr) return std::nullopt;
  std::string token = ids.NewId() + ids.NewId();
  Print(terminal, absl::StrFormat("\nAdmin token of this run, for writes (shown once):\n\n"
                                  "  export KEEPER_TOKEN=%s\n\n",
                                  token));
  return token;
}

store::StoreOptions StoreOptionsOf(const Options& options, IdSource& ids) {
  store::StoreOptions out;
  out.kind = options.data_dir.empty() ? "memory" : "rocksdb";
  out.new_incarnation = ids.NewId();
  out.keep_revisions = options.keep_revisions;
  out.path = options.data_dir;
  out.block_cache_bytes = static_cast<size_t>(options.store_cache_bytes);
  return out;
}

int Restore(const CommandLine& command, IdSource& ids) {
  const auto token =
      store::RestoreStore(command.restore_from, StoreOptionsOf(command.options, ids));
  if (!token.ok()) return RefuseData(token.status());
  Print(stdout, absl::StrFormat("restored `%s` into `%s`: revision %d, incarnation %s\n",
                                command.restore_from, command.options.data_dir,
                                token->revision.value, token->incarnation));
  return kExitClean;
}

void LogOpen(const store::OpenReport& report, Logger& log) {
  if (report.dropped_records > 0) {
    log.Warning("a write that a crash left unfinished, and that was never acknowledged, is dropped",
                {{"records", report.dropped_records}, {"bytes", report.dropped_bytes}});
  }
  for (const std::string& note : report.notes) log.Info("store opened", {{"note", note}});
}

void LogStart(const Server& server, const store::PolicyStore& store, bool has_token,
              const Options& options, Logger& log) {
  if (options.dev) {
    log.Warning("dev mode: no identities, whoever reaches this address may read and decide");
  }
  if (!has_token) {
    log.Warning(
        "writes are refused: neither a terminal to print an admin token to nor KEEPER_TOKEN");
  }
  log.Info("serving", {{"version", Version()},
                       {"grpc_address", server.grpc_address()},
                       {"http_address", server.http_address()},
                       {"metrics_address", server.metrics_address()},
                       {"store", store.name()},
                       {"revision", store.Token().revision.value},
                       {"policies", store.PolicyCount()}});
}

// Ends the process where a stop hangs: a request that waits for a disk cannot be
// cancelled. What was acknowledged is on disk.
class StopWatchdog {
 public:
  StopWatchdog(absl::Duration timeout, Logger& log)
      : thread_([this, timeout, &log](std::stop_token) {
          MutexLock lock(mu_);
          if (done_.WaitFor(mu_, absl::ToChronoNanoseconds(timeout), [this] { return is_done_; })) {
            return;
          }
          log.Error("the stop hangs in a request that does not end; leaving");
          _exit(kExitSomethingLost);
        }) {}
  ~StopWatchdog() {
    MutexLock lock(mu_);
    is_done_ = true;
    done_.NotifyAll();
  }

 private:
  Mutex mu_;
  CondVar done_;
  bool is_done_ ABSL_GUARDED_BY(mu_) = false;
  std::jthread thread_;
};

int Serve(const StartedWith& start, const CommandLine& command, IdSource& ids) {
  const Options& options = command.options;
  if (const std::string problem = TokenProblem(start); !problem.empty()) {
    return RefuseConfiguration({problem});
  }
  const RealClock clock;
  JsonLogger log(STDERR_FILENO, options.log_level, clock);

  auto opened = store::OpenStore(StoreOptionsOf(options, ids));
  if (!opened.ok()) return RefuseData(opened.status());
  const store::PolicyStore& store = *opened->store;
  LogOpen(opened->report, log);

  std::optional<std::string> token = AdminToken(start, ids);
  auto server = Server::Start(options, std::move(opened->store), token,
                              {log, clock, ids, [&log] { return log.dropped(); }});
  if (!server.ok()) {
    Print(stderr, absl::StrFormat("keeperd: %s\n", AsStd(server.status().message())));
    return kExitConfiguration;
  }
  LogStart(**server, store, token.has_value(), options, log);
  if (token) token->assign(token->size(), '\0');  // its digest is enough

  const int signal = WaitForStop();
  LetStopSignalsEnd();
  log.Info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"},
                        {"drain_timeout", options.drain_timeout}});
  bool drained = false;
  {
    const StopWatchdog watchdog(options.drain_timeout + kStopGrace, log);
    drained = (*server)->Stop();
    server->reset();
  }
  if (drained) {
    log.Info("stopped");
    return kExitClean;
  }
  log.Error("stopped with requests cancelled that did not end within drain_timeout");
  return kExitSomethingLost;
}

}  // namespace

int RunKeeperd(const StartedWith& start) {
  std::vector<std::string> problems;
  const CommandLine command = ReadCommandLine(start, problems);
  if (command.action == CommandLine::Action::kHelp) {
    Print(stdout, HelpText());
    return kExitClean;
  }
  if (command.action == CommandLine::Action::kVersion) {
    Print(stdout, absl::StrFormat("keeperd %s\n", Version()));
    return kExitClean;
  }
  if (!problems.empty()) return RefuseConfiguration(problems);
  if (command.action == CommandLine::Action::kCheckConfig) return kExitClean;
  if (command.action == CommandLine::Action::kPrintConfig) {
    Print(stdout, PrintConfig(command));
    return kExitClean;
  }

  IgnoreSigpipe();
  ForbidDumps();
  HoldStopSignals();
  RandomIdSource ids;
  if (command.action == CommandLine::Action::kRestore) return Restore(command, ids);
  return Serve(start, command, ids);
}

}  // namespace bridgekeeper::service
