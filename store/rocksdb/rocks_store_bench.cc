// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the RocksDB store costs. BK_BENCH_APPS sets how many apps are stored (10,000;
// the figures of the README are of 1,000,000); the store is made once, in the folder
// TMPDIR, which should be on the disk that is measured.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "store/rocksdb/rocks_store.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

constexpr int kBatch = 10'000;

int Apps() {
  static const int apps = [] {
    const char* text = std::getenv("BK_BENCH_APPS");
    return text != nullptr ? std::atoi(text) : 10'000;
  }();
  return apps;
}

std::string AppName(int i) { return absl::StrFormat("team-%d/app-%d", i % 1000, i); }

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Resident memory in MiB.
double Resident() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

template <typename T>
T Must(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
    std::abort();
  }
  return *std::move(value);
}

// The store of Apps() policies, loaded by batches when it is first asked for.
class LoadedStore {
 public:
  static LoadedStore& Get() {
    static LoadedStore loaded;
    return loaded;
  }
  ~LoadedStore() {
    store_.reset();
    std::filesystem::remove_all(options_.path);
  }

  PolicyStore& store() { return *store_; }
  double load_seconds() const { return load_seconds_; }
  double load_resident() const { return load_resident_; }

  // Closes the store and opens it again; returns the seconds that opening took.
  double Reopen() {
    store_.reset();
    const double begin = Now();
    OpenReport report;
    store_ = Must(OpenRocksStore(options_, report));
    return Now() - begin;
  }

 private:
  LoadedStore() {
    const char* tmp = std::getenv("TMPDIR");
    options_.path = absl::StrFormat("%s/store-bench-%d", tmp != nullptr ? tmp : "/tmp", ::getpid());
    options_.new_incarnation = std::string(32, 'a');
    OpenReport report;
    store_ = Must(OpenRocksStore(options_, report));
    const double begin = Now();
    for (int i = 0; i < Apps();) {
      std::vector<Mutation> batch;
      for (int j = 0; j < kBatch && i < Apps(); ++j, ++i) {
        batch.push_back(Put(SamplePolicy(AppName(i))));
      }
      Must(store_->Commit(std::move(batch), By()));
    }
    load_seconds_ = Now() - begin;
    load_resident_ = Resident();
  }

  RocksStoreOptions options_;
  std::unique_ptr<PolicyStore> store_;
  double load_seconds_ = 0;
  double load_resident_ = 0;
};

// Loading Apps() policies by batches of 10,000: once, at the first use.
void Load(benchmark::State& state) {
  for (auto _ : state) {
    state.SetIterationTime(LoadedStore::Get().load_seconds());
  }
  state.counters["apps"] = Apps();
  state.counters["apps/s"] = Apps() / LoadedStore::Get().load_seconds();
  state.counters["rss_MiB"] = LoadedStore::Get().load_resident();
}
BENCHMARK(Load)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

void Open(benchmark::State& state) {
  LoadedStore& loaded = LoadedStore::Get();
  for (auto _ : state) state.SetIterationTime(loaded.Reopen());
  state.counters["rss_MiB"] = Resident();
}
BENCHMARK(Open)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

void GetUniform(benchmark::State& state) {
  PolicyStore& store = LoadedStore::Get().store();
  std::minstd_rand random(static_cast<uint32_t>(state.thread_index() + 1));
  for (auto _ : state) {
    const auto record =
        store.Get(PolicyKey(AppName(static_cast<int>(random() % static_cast<uint32_t>(Apps())))));
    if (!record.ok() || !*record) state.SkipWithError("not found");
  }
}
BENCHMARK(GetUniform)->Threads(1)->Threads(2)->UseRealTime();

void ReadAppUniform(benchmark::State& state) {
  PolicyStore& store = LoadedStore::Get().store();
  std::minstd_rand random(static_cast<uint32_t>(state.thread_index() + 1));
  for (auto _ : state) {
    const auto app =
        store.ReadApp(AppId(AppName(static_cast<int>(random() % static_cast<uint32_t>(Apps())))));
    if (!app.ok() || app->records.size() != 1) state.SkipWithError("not found");
  }
  state.counters["rss_MiB"] = Resident();
}
BENCHMARK(ReadAppUniform)->Threads(1)->Threads(2)->UseRealTime();

void ReadAppHot(benchmark::State& state) {
  PolicyStore& store = LoadedStore::Get().store();
  const AppId app(AppName(7));
  for (auto _ : state) {
    if (!store.ReadApp(app).ok()) state.SkipWithError("not found");
  }
}
BENCHMARK(ReadAppHot)->UseRealTime();

// Durable commits of one policy each; from several threads they share syncs.
void Commit(benchmark::State& state) {
  PolicyStore& store = LoadedStore::Get().store();
  static std::atomic<int64_t> next = 0;
  for (auto _ : state) {
    McpPolicy policy = SamplePolicy(absl::StrFormat("writer-%d", state.thread_index()));
    policy.suspend_reason = absl::StrFormat("%d", ++next);
    const auto result = store.Commit({Put(std::move(policy))}, By());
    if (!result.ok()) state.SkipWithError("commit failed");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Commit)->Threads(1)->Threads(16)->Threads(64)->UseRealTime()->Unit(
    benchmark::kMicrosecond);

}  // namespace
}  // namespace bridgekeeper::store
