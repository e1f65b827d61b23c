// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// AppCache keeps apps in memory as compiled policies, so that a decision copies one
// pointer and reads no disk. Apps that are not in memory are read through it; both
// known and unknown apps are bounded, each on their own, so that asking for apps that
// do not exist drives nobody out.
//
// What it promises:
//   - Get() never answers a state older than the last Invalidate() of that app that
//     returned before Get() was called. A writer calls Invalidate() after its commit
//     and before it answers (core/record_writer.h), so a write that was answered is
//     what the next decision is made on.
//   - A load that was under way while its app was invalidated is made again: a cached
//     state never outlives an invalidation that raced it.
//   - However many ask for an app that is not in memory, one of them reads it.
//
// Thread safety: all methods may be called at the same time.
// Lock order: a shard's lock is the only one, and is held for no I/O.

#ifndef BRIDGEKEEPER_SERVICE_CORE_APP_CACHE_H_
#define BRIDGEKEEPER_SERVICE_CORE_APP_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "policy/engine/engine.h"
#include "service/core/clock_map.h"
#include "service/observe/metrics.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

// What is known of one app. Shares ownership of the policy.
struct AppState {
  std::shared_ptr<const CompiledPolicy> policy;  // null: the app has none

  PolicyView view() const {
    if (policy != nullptr) return PolicyView::Of(*policy);
    return {PolicyView::State::kUnknownApp, nullptr, absl::ZeroDuration(), std::nullopt};
  }
};

// Makes records of one app (and those for every app) ready for deciding.
AppState CompileApp(std::vector<store::Record> records);

struct AppCacheOptions {
  // Apps with a policy, and apps without one, that are kept. [1, 10'000'000].
  size_t max_apps = 10'000;
  size_t max_unknown_apps = 10'000;
};

class AppCache {
 public:
  // `store` and `metrics` must outlive it.
  AppCache(const store::PolicyStore& store, const AppCacheOptions& options, Metrics& metrics);
  ~AppCache();

  AppCache(const AppCache&) = delete;
  AppCache& operator=(const AppCache&) = delete;

  // The state of `app` if it is in memory. No I/O.
  std::optional<AppState> Peek(std::string_view app);

  // The state of `app`, read from the store where it is not in memory.
  //
  // Errors: those of PolicyStore::ReadApp.
  absl::StatusOr<AppState> Get(std::string_view app);

  // Forgets every state of the record's app, or of every app where the record counts
  // for all, that is older than `revision`.
  void Invalidate(const store::RecordKey& key, Revision revision);

  // Forgets every state older than `revision`.
  void InvalidateAll(Revision revision);

  struct Size {
    size_t apps = 0;
    size_t unknown_apps = 0;
  };
  Size size() const;

 private:
  struct Cached {
    AppState state;
    Revision read_at;  // state of the store that was read
  };

  // One load that others wait for.
  struct Flight {
    Revision min_revision;  // the result must be at least this new
    bool done = false;
    // A Status is not shared between threads (ThreadSanitizer cannot see its
    // reference count).
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string message;
    AppState state;
  };

  struct Shard {
    Shard(size_t max_apps, size_t max_unknown_apps) : known(max_apps), unknown(max_unknown_apps) {}
    mutable Mutex mu;
    CondVar landed;
    ClockMap<Cached> known ABSL_GUARDED_BY(mu);
    ClockMap<Cached> unknown ABSL_GUARDED_BY(mu);
    StringMap<std::shared_ptr<Flight>> flights ABSL_GUARDED_BY(mu);
  };

  Shard& ShardOf(std::string_view app);
  bool IsFresh(const Cached& cached) const {
    return cached.read_at.value >= all_apps_revision_.load(std::memory_order_acquire);
  }
  const Cached* FindFresh(Shard& shard, std::string_view app)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu);
  absl::StatusOr<AppState> Load(Shard& shard, std::string_view app, Flight& flight);
  absl::StatusOr<AppState> Await(Shard& shard, const Flight& flight);

  // Constant after construction.
  const store::PolicyStore& store_;
  Metrics& metrics_;
  std::vector<std::unique_ptr<Shard>> shards_;

  // States read below this revision are stale, whatever their app.
  std::atomic<int64_t> all_apps_revision_ = 0;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_APP_CACHE_H_
