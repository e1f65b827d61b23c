// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What an app costs that is in memory, and one that is not.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "service/core/app_cache.h"
#include "store/factory/store_factory.h"
#include "store/testing/samples.h"

namespace bridgekeeper::service {
namespace {

constexpr int kApps = 20'000;

std::string AppName(int i) { return absl::StrFormat("app-%07d", i); }

// A store with kApps policies; `kind` as the factory names it.
class FilledStore {
 public:
  explicit FilledStore(const std::string& kind) {
    RandomIdSource ids;
    folder_ = std::filesystem::temp_directory_path() / ("app_cache_bench." + ids.NewId());
    store::StoreOptions options{.kind = kind, .new_incarnation = ids.NewId(), .path = folder_};
    auto opened = store::OpenStore(options);
    if (!opened.ok()) return;
    store_ = std::move(opened->store);
    for (int i = 0; i < kApps; i += 1000) {
      std::vector<store::Mutation> mutations;
      for (int j = i; j < i + 1000; ++j) {
        mutations.push_back(store::Put(store::SamplePolicy(AppName(j))));
      }
      if (!store_->Commit(std::move(mutations), store::By()).ok()) store_.reset();
    }
  }
  ~FilledStore() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  store::PolicyStore* get() const { return store_.get(); }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<store::PolicyStore> store_;
};

void GetCached(benchmark::State& state) {
  static const FilledStore store("memory");
  static const RealClock clock;
  static Metrics metrics;
  static AppCache cache(*store.get(), {}, clock, metrics);
  const std::string app = AppName(0);
  for (auto _ : state) {
    auto got = cache.TryGet(app);
    benchmark::DoNotOptimize(got);
  }
}
BENCHMARK(GetCached)->Threads(1)->Threads(2);

void GetMissed(benchmark::State& state, const std::string& kind) {
  const FilledStore store(kind);
  if (store.get() == nullptr) return state.SkipWithError("no store");
  const RealClock clock;
  Metrics metrics;
  AppCache cache(*store.get(), {.max_apps = 100, .max_unknown_apps = 100}, clock, metrics);
  std::mt19937 random(1);
  std::uniform_int_distribution<int> any(0, kApps - 1);
  for (auto _ : state) {
    auto got = cache.Get(AppName(any(random)));
    benchmark::DoNotOptimize(got);
  }
}
BENCHMARK_CAPTURE(GetMissed, memory, "memory");
BENCHMARK_CAPTURE(GetMissed, rocksdb, "rocksdb");

void ReadApp(benchmark::State& state, const std::string& kind) {
  const FilledStore store(kind);
  if (store.get() == nullptr) return state.SkipWithError("no store");
  std::mt19937 random(1);
  std::uniform_int_distribution<int> any(0, kApps - 1);
  for (auto _ : state) {
    auto read = store.get()->ReadApp(AppId(AppName(any(random))));
    benchmark::DoNotOptimize(read);
  }
}
BENCHMARK_CAPTURE(ReadApp, memory, "memory");
BENCHMARK_CAPTURE(ReadApp, rocksdb, "rocksdb");

}  // namespace
}  // namespace bridgekeeper::service
