// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// bk_propagation measures how long a change of a policy takes to be enforced:
//
//   bk_propagation run --app A --writes N --processes 2 --watchers 50 --bridge COMMAND
//
// It suspends and resumes the app (KEEPER_ADDRESS, KEEPER_TOKEN) and takes, from the
// moment before the request leaves, the time until each watcher's copy holds the
// change and until each bridge answers a call by it. Watchers are copies of the SDK
// in processes of their own (`bk_propagation watch`), each with its own connection.
// Every time is of CLOCK_MONOTONIC, which the processes of a machine share.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "clients/sdk/channel.h"
#include "clients/sdk/channel_grpc.h"
#include "clients/sdk/watch_policy_source.h"
#include "nlohmann/json.hpp"
#include "policy/base/mutex.h"
#include "policy/base/status_macros.h"
#include "runtime/clock.h"
#include "runtime/signals.h"
#include "tests/bench/mcp/session.h"

namespace bridgekeeper::bench {
namespace {

constexpr std::chrono::seconds kDeadline{20};

struct Flags {
  std::string self;
  std::string app = "bench";
  int writes = 100;
  int processes = 2;
  int watchers = 50;  // a process
  int bridges = 5;
  std::string bridge;  // command; empty: no bridges
  std::string json;
};

int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

absl::StatusOr<std::shared_ptr<clients::Channel>> Connect() {
  return clients::Channel::Create(
      clients::ChannelOptionsFromEnvironment(clients::ProcessEnvironment));
}

// ---- bk_propagation watch: prints `ready`, then `REVISION NANOSECONDS` for each
// change that one of its copies took in, and `end` once its standard input has ended.

absl::Status Watch(const Flags& flags) {
  RealClock clock;
  RandomIdSource ids;
  std::vector<std::unique_ptr<clients::WatchPolicySource>> sources;
  std::vector<std::unique_ptr<clients::PolicySource::Subscription>> subscriptions;
  std::atomic<bool> ready = false;
  Mutex out;
  for (int i = 0; i < flags.watchers; ++i) {
    BK_ASSIGN_OR_RETURN(auto channel, Connect());
    BK_ASSIGN_OR_RETURN(
        auto source, clients::WatchPolicySource::Create(std::move(channel),
                                                        {.apps = {AppId(flags.app)}}, clock, ids));
    subscriptions.push_back(source->Subscribe([&, copy = source.get()](std::span<const AppId>) {
      const int64_t now = NowNs();
      if (!ready) return;
      const std::string line =
          absl::StrFormat("%d %d\n", copy->View(flags.app).token.revision.value, now);
      MutexLock lock(out);
      std::cout << line << std::flush;
    }));
    sources.push_back(std::move(source));
  }
  for (const auto& source : sources) {
    if (!source->WaitForFirst(absl::FromChrono(kDeadline))) {
      return absl::DeadlineExceededError("no snapshot: " + source->Stats().last_error);
    }
  }
  ready = true;
  {
    MutexLock lock(out);
    std::cout << "ready" << std::endl;
  }
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  subscriptions.clear();
  std::cout << "end" << std::endl;
  return absl::OkStatus();
}

// ---- bk_propagation run

// Collects when which copy held which revision.
class Arrivals {
 public:
  void Add(int64_t revision, int64_t ns) {
    MutexLock lock(mu_);
    at_[revision].push_back(ns);
    added_.NotifyAll();
  }
  // The times of `revision`, once there are `count`.
  absl::StatusOr<std::vector<int64_t>> Wait(int64_t revision, size_t count) {
    MutexLock lock(mu_);
    const bool all = added_.WaitFor(mu_, kDeadline, [&] {
      mu_.AssertHeld();
      return at_[revision].size() >= count;
    });
    if (!all) {
      return absl::DeadlineExceededError(absl::StrFormat("revision %d reached %d of %d watchers",
                                                         revision, at_[revision].size(), count));
    }
    return at_[revision];
  }

 private:
  Mutex mu_;
  CondVar added_;
  std::map<int64_t, std::vector<int64_t>> at_ ABSL_GUARDED_BY(mu_);
};

// Suspends or resumes the app; returns the revision.
absl::StatusOr<int64_t> Write(clients::Channel& channel, v1::PolicyService::Stub& stub,
                              const std::string& app, bool suspend) {
  grpc::ClientContext context;
  BK_RETURN_IF_ERROR(clients::PrepareContext(channel, absl::Seconds(20), context));
  if (suspend) {
    v1::SuspendPoliciesRequest request;
    request.set_app(app);
    request.set_reason("a benchmark");
    v1::SuspendPoliciesResponse response;
    BK_RETURN_IF_ERROR(
        clients::FromGrpc(stub.SuspendPolicies(&context, request, &response), channel));
    return response.revision();
  }
  v1::ResumePoliciesRequest request;
  request.set_app(app);
  v1::ResumePoliciesResponse response;
  BK_RETURN_IF_ERROR(clients::FromGrpc(stub.ResumePolicies(&context, request, &response), channel));
  return response.revision();
}

// Waits until the bridge answers a call by the new policy, which it says beforehand;
// returns when.
absl::StatusOr<int64_t> WaitUntilEnforced(McpSession& bridge, bool suspended) {
  while (true) {
    BK_RETURN_IF_ERROR(bridge.WaitForListChange());
    BK_ASSIGN_OR_RETURN(const bool runs, bridge.CallOnce());
    if (runs != suspended) return NowNs();
  }
}

nlohmann::ordered_json Summary(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  nlohmann::ordered_json summary;
  summary["samples"] = ms.size();
  if (ms.empty()) return summary;
  summary["p50_ms"] = ms[ms.size() / 2];
  summary["p99_ms"] = ms[ms.size() * 99 / 100];
  summary["max_ms"] = ms.back();
  return summary;
}

absl::Status Run(const Flags& flags) {
  BK_ASSIGN_OR_RETURN(const auto channel, Connect());
  const auto stub = v1::PolicyService::NewStub(clients::GrpcChannel(*channel));

  Arrivals arrivals;
  std::vector<std::unique_ptr<LineProgram>> processes;
  for (int i = 0; i < flags.processes; ++i) {
    BK_ASSIGN_OR_RETURN(auto process,
                        LineProgram::Start({flags.self, "watch", "--app", flags.app, "--watchers",
                                            absl::StrFormat("%d", flags.watchers)}));
    BK_ASSIGN_OR_RETURN(const std::string ready, process->ReadLine());
    if (ready != "ready") return absl::InternalError("a watcher said `" + ready + "`");
    processes.push_back(std::move(process));
  }
  std::vector<std::unique_ptr<McpSession>> bridges;
  std::istringstream words(flags.bridge);
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  for (int i = 0; i < (command.empty() ? 0 : flags.bridges); ++i) {
    BK_ASSIGN_OR_RETURN(auto bridge, McpSession::Start(command));
    BK_ASSIGN_OR_RETURN(const bool runs, bridge->CallOnce());
    if (!runs) return absl::FailedPreconditionError("the call is denied from the beginning");
    bridges.push_back(std::move(bridge));
  }

  const size_t watchers =
      static_cast<size_t>(flags.processes) * static_cast<size_t>(flags.watchers);
  std::vector<std::thread> readers;
  for (const auto& process : processes) {
    readers.emplace_back([&arrivals, &process] {
      while (true) {
        const auto line = process->ReadLine();
        if (!line.ok() || *line == "end") return;
        std::istringstream fields(*line);
        int64_t revision = 0;
        int64_t ns = 0;
        fields >> revision >> ns;
        arrivals.Add(revision, ns);
      }
    });
  }

  std::vector<double> acknowledged_ms;
  std::vector<double> watcher_ms;
  std::vector<double> bridge_ms;
  std::vector<double> last_ms;
  absl::Status failure;
  for (int i = 0; i < flags.writes && failure.ok(); ++i) {
    const bool suspend = i % 2 == 0;
    const int64_t begin = NowNs();
    const auto since = [begin](int64_t ns) { return static_cast<double>(ns - begin) / 1e6; };
    std::vector<absl::StatusOr<int64_t>> enforced(bridges.size());
    std::vector<std::thread> askers;
    for (size_t b = 0; b < bridges.size(); ++b) {
      askers.emplace_back([&, b] { enforced[b] = WaitUntilEnforced(*bridges[b], suspend); });
    }
    const auto revision = Write(*channel, *stub, flags.app, suspend);
    acknowledged_ms.push_back(since(NowNs()));
    for (std::thread& asker : askers) asker.join();
    if (!revision.ok()) {
      failure = revision.status();
      break;
    }
    const auto at = arrivals.Wait(*revision, watchers);
    if (!at.ok()) {
      failure = at.status();
      break;
    }
    double last = 0;
    for (const int64_t ns : *at) {
      watcher_ms.push_back(since(ns));
      last = std::max(last, since(ns));
    }
    for (const auto& ns : enforced) {
      if (!ns.ok()) {
        failure = ns.status();
        break;
      }
      bridge_ms.push_back(since(*ns));
      last = std::max(last, since(*ns));
    }
    last_ms.push_back(last);
  }
  for (const auto& process : processes) process->CloseInput();  // ends the readers
  for (std::thread& reader : readers) reader.join();
  BK_RETURN_IF_ERROR(failure);

  nlohmann::ordered_json figures;
  figures["writes"] = flags.writes;
  figures["watchers"] = watchers;
  figures["bridges"] = bridges.size();
  figures["acknowledged"] = Summary(acknowledged_ms);
  figures["watcher"] = Summary(watcher_ms);
  figures["bridge"] = Summary(bridge_ms);
  figures["last"] = Summary(last_ms);
  std::cout << absl::StrFormat("%-40s %8s %9s %9s %9s\n", "from the write until", "samples",
                               "p50 ms", "p99 ms", "max ms");
  const std::pair<std::string, std::string> lines[] = {
      {"acknowledged", "the write is acknowledged"},
      {"watcher", "a watcher's copy holds it"},
      {"bridge", "a bridge enforces it"},
      {"last", "the last of them all has it"}};
  for (const auto& [key, text] : lines) {
    const auto& line = figures[key];
    if (line["samples"] == 0) continue;
    std::cout << absl::StrFormat("%-40s %8d %9.2f %9.2f %9.2f\n", text,
                                 line["samples"].get<int64_t>(), line["p50_ms"].get<double>(),
                                 line["p99_ms"].get<double>(), line["max_ms"].get<double>());
  }
  if (!flags.json.empty()) std::ofstream(flags.json) << figures.dump(2) << "\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace bridgekeeper::bench

int main(int argc, char** argv) {
  bridgekeeper::bench::Flags flags;
  flags.self = argv[0];
  CLI::App app{"Measures how long a change of a policy takes to be enforced."};
  app.require_subcommand(1);
  CLI::App* watch = app.add_subcommand("watch", "copies that tell when they change");
  watch->add_option("--app", flags.app);
  watch->add_option("--watchers", flags.watchers);
  CLI::App* run = app.add_subcommand("run", "write and wait");
  run->add_option("--app", flags.app);
  run->add_option("--writes", flags.writes);
  run->add_option("--processes", flags.processes, "of watchers");
  run->add_option("--watchers", flags.watchers, "in each process");
  run->add_option("--bridges", flags.bridges);
  run->add_option("--bridge", flags.bridge, "command of a bridge");
  run->add_option("--json", flags.json, "file for the figures");
  CLI11_PARSE(app, argc, argv);
  bridgekeeper::IgnoreSigpipe();
  const absl::Status status =
      run->parsed() ? bridgekeeper::bench::Run(flags) : bridgekeeper::bench::Watch(flags);
  if (status.ok()) return 0;
  std::cerr << "bk_propagation: " << status << "\n";
  return 1;
}
