// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a stdio bridge costs: the same calls of the same server, through its pipes
// directly and through a bridge that decides each call. The argument is the number of
// calls in flight; `p50_us` is the median time of one call.
//
//   ./dev bench bridge_bench

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmark/benchmark.h"
#include "clients/bridge/metrics/metrics.h"
#include "clients/bridge/stdio/stdio_bridge.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "policy/base/check.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "runtime/process.h"
#include "runtime/signals.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using Clock = std::chrono::steady_clock;

ProcessSpec Server() {
  const char* folder = getenv("BK_BIN_DIR");
  return {.command = {std::string(folder == nullptr ? "build/release/bin" : folder) +
                      "/tests/fake_mcp_server"}};
}

AppData Data() {
  AppData data;
  data.policy.app = AppId("app");
  CatalogEntry entry;
  entry.key = {AppId("app"), ServerId("stdio"), ToolName("do")};
  entry.risk = Risk::kSafe;
  entry.needs_connection = NeedsConnection::kNo;
  data.catalog = {entry};
  return data;
}

std::string CallOf(size_t id) {
  return absl::StrFormat(
      R"({"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"do","arguments":{"act":"echo","sql":"SELECT id, name FROM customers WHERE city = 'Bern' ORDER BY name LIMIT 10"}}})",
      id);
}

// The two ends that a client holds.
struct Ends {
  int to_server;
  int from_server;
};

// Keeps `in_flight` calls running, for as long as the benchmark says.
void RunCalls(benchmark::State& state, const Ends& ends) {
  const auto in_flight = static_cast<size_t>(state.range(0));
  std::vector<Clock::time_point> begun(in_flight);
  std::vector<double> micros;
  std::string answers;
  size_t sent = 0;
  size_t done = 0;
  const auto send = [&] {
    const size_t slot = sent++ % in_flight;
    begun[slot] = Clock::now();
    const std::string call = CallOf(sent) + "\n";
    BK_CHECK(write(ends.to_server, call.data(), call.size()) == static_cast<ssize_t>(call.size()));
  };
  const auto receive = [&] {
    size_t end;
    while ((end = answers.find('\n')) == std::string::npos) {
      pollfd ready = {.fd = ends.from_server, .events = POLLIN, .revents = 0};
      BK_CHECK(poll(&ready, 1, 10'000) == 1);
      char bytes[65536];
      const ssize_t n = read(ends.from_server, bytes, sizeof bytes);
      BK_CHECK(n > 0);
      answers.append(bytes, static_cast<size_t>(n));
    }
    answers.erase(0, end + 1);
    // The server answers in order.
    const auto took = Clock::now() - begun[done++ % in_flight];
    micros.push_back(std::chrono::duration<double, std::micro>(took).count());
  };
  for (size_t i = 0; i < in_flight; ++i) send();
  for (auto _ : state) {
    receive();
    send();
  }
  while (done < sent) receive();
  std::nth_element(micros.begin(), micros.begin() + static_cast<ptrdiff_t>(micros.size() / 2),
                   micros.end());
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["calls/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void Direct(benchmark::State& state) {
  auto server = ChildProcess::Spawn(Server());
  BK_CHECK(server.ok());
  RunCalls(state, {server->stdin_fd().get(), server->stdout_fd().get()});
}
BENCHMARK(Direct)->Arg(1)->Arg(16)->UseRealTime();

void Bridged(benchmark::State& state) {
  IgnoreSigpipe();
  clients::FakePolicySource policies;
  policies.SetPolicy(Data());

  RealClock clock;
  RandomIdSource ids;
  JsonLogger log(STDERR_FILENO, LogLevel::kWarning, clock);
  BridgeMetrics metrics;
  int in[2];
  int out[2];
  BK_CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  UniqueFd to_bridge(in[1]);
  UniqueFd from_bridge(out[0]);
  StdioOptions options;
  options.core = {.app = AppId("app"), .server = ServerId("stdio")};
  options.server = Server();
  options.client_in = UniqueFd(in[0]);
  options.client_out = UniqueFd(out[1]);
  options.handle_signals = false;
  auto bridge = StdioBridge::Create(std::move(options), {.policies = policies,
                                                         .judge = nullptr,
                                                         .clock = clock,
                                                         .ids = ids,
                                                         .log = log,
                                                         .observers = {&metrics}});
  BK_CHECK(bridge.ok());
  std::jthread thread([&] { (*bridge)->Run(); });
  RunCalls(state, {to_bridge.get(), from_bridge.get()});
  state.counters["bridge_cpu_us"] =
      absl::ToDoubleMicroseconds(support::CpuTimeOf(thread.native_handle())) /
      static_cast<double>(state.iterations());
  to_bridge.Reset();
}
BENCHMARK(Bridged)->Arg(1)->Arg(16)->UseRealTime();

// The bridge without its pipes: a call and its answer.
void CoreOnly(benchmark::State& state) {
  clients::FakePolicySource policies;
  policies.SetPolicy(Data());
  RealClock clock;
  RandomIdSource ids;
  JsonLogger log(STDERR_FILENO, LogLevel::kWarning, clock);
  BridgeMetrics metrics;
  BridgeCore core({.app = AppId("app"), .server = ServerId("stdio")}, {.policies = policies,
                                                                       .judge = nullptr,
                                                                       .clock = clock,
                                                                       .ids = ids,
                                                                       .log = log,
                                                                       .observers = {&metrics}});
  Output out;
  const std::string call = CallOf(1);
  core.OnClientFrame({Frame::Kind::kLine, call}, out);
  const size_t id = out.to_server.find("bridgekeeper/");
  const std::string own_id = out.to_server.substr(id, out.to_server.find('"', id) - id);
  core.OnServerFrame(
      {Frame::Kind::kLine, R"({"jsonrpc":"2.0","id":")" + own_id +
                               R"(","result":{"tools":[{"name":"do","inputSchema":{}}]}})"},
      out);
  const std::string answer =
      R"({"result":{"content":[{"type":"text","text":"some text of an answer"}]},"jsonrpc":"2.0","id":1})";
  core.OnServerFrame({Frame::Kind::kLine, answer}, out);
  for (auto _ : state) {
    out.to_client.clear();
    out.to_server.clear();
    core.OnClientFrame({Frame::Kind::kLine, call}, out);
    core.OnServerFrame({Frame::Kind::kLine, answer}, out);
    BK_CHECK(!out.to_client.empty() && !out.to_server.empty());
  }
}
BENCHMARK(CoreOnly);

}  // namespace
}  // namespace bridgekeeper::bridge
