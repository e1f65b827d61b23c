// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What one decision costs in process. The figure that counts is
// DecideAllowedOnAllowlist: at most 150 ns.

#include <string>

#include "absl/strings/str_format.h"
#include "benchmark/benchmark.h"
#include "policy/engine/engine.h"

namespace bridgekeeper {
namespace {

std::string ConnectionName(int64_t i) { return absl::StrFormat("connection-%04d", i); }

AppData AppWithAllowlist(int64_t connections) {
  AppData data;
  data.policy.app = AppId("bench-app");
  data.policy.mode = Mode::kDataReadWrite;
  for (int64_t i = 0; i < connections; ++i) {
    data.policy.allowed_connection_ids.emplace(ConnectionName(i));
  }
  data.policy.connection_overrides[ConnectionId(ConnectionName(0))].read_only = true;
  return data;
}

ToolCall ReadCall(std::string_view connection) {
  ToolCall call;
  call.tool = "sqlkit__describe_table";
  call.connection = connection;
  return call;
}

void Measure(benchmark::State& state, const AppData& data, const ToolCall& call, Verdict want) {
  const auto policy = CompiledPolicy::Compile(data);
  const PolicyView view = PolicyView::Of(*policy);
  if (Decide(view, call, nullptr).verdict != want) {
    state.SkipWithError("another verdict than the benchmark is named for");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(Decide(view, call, nullptr));
  state.SetItemsProcessed(state.iterations());
}

void DecideAllowedOnAllowlist(benchmark::State& state) {
  const std::string connection = ConnectionName(state.range(0) / 2);
  Measure(state, AppWithAllowlist(state.range(0)), ReadCall(connection), Verdict::kAllow);
}
BENCHMARK(DecideAllowedOnAllowlist)->Arg(2)->Arg(10)->Arg(1000);

void DecideAllowedWithoutAllowlist(benchmark::State& state) {
  AppData data = AppWithAllowlist(0);
  Measure(state, data, ReadCall("prod-orders"), Verdict::kAllow);
}
BENCHMARK(DecideAllowedWithoutAllowlist);

void DecideAllowedForServerWithPin(benchmark::State& state) {
  const std::string pin(64, 'a');
  AppData data = AppWithAllowlist(10);
  data.catalog.push_back(
      {.key = {.app = data.policy.app, .server = ServerId("files"), .tool = ToolName("read_file")},
       .risk = Risk::kSafe,
       .needs_connection = NeedsConnection::kNo,
       .pin = pin});
  ToolCall call;
  call.tool = "read_file";
  call.server = "files";
  call.listed_by_server = true;
  call.definition_digest = pin;
  Measure(state, data, call, Verdict::kAllow);
}
BENCHMARK(DecideAllowedForServerWithPin);

void DecideDeniedByAllowlist(benchmark::State& state) {
  Measure(state, AppWithAllowlist(10), ReadCall("prod-orders"), Verdict::kDeny);
}
BENCHMARK(DecideDeniedByAllowlist);

void ReasonTextOfDenial(benchmark::State& state) {
  const auto policy = CompiledPolicy::Compile(AppWithAllowlist(10));
  const PolicyView view = PolicyView::Of(*policy);
  const ToolCall call = ReadCall("prod-orders");
  const Decision decision = Decide(view, call, nullptr);
  for (auto _ : state) benchmark::DoNotOptimize(ReasonText(view, call, decision));
}
BENCHMARK(ReasonTextOfDenial);

void CompilePolicy(benchmark::State& state) {
  const AppData data = AppWithAllowlist(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(CompiledPolicy::Compile(data));
}
BENCHMARK(CompilePolicy)->Arg(10)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void ListBuiltinTools(benchmark::State& state) {
  const auto policy = CompiledPolicy::Compile(AppWithAllowlist(10));
  std::vector<ToolToList> tools;
  for (const CatalogEntry& entry : BuiltinCatalog()) tools.push_back({entry.key.tool.value()});
  for (auto _ : state) {
    benchmark::DoNotOptimize(ListTools(PolicyView::Of(*policy), {}, tools));
  }
}
BENCHMARK(ListBuiltinTools)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bridgekeeper
