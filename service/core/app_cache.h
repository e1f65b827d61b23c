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
// A read takes some 20 us where the disk's blocks are in memory, less than handing it
// to another thread; but a slow disk must not hold up the threads that serve what is
// in memory. So TryGet() reads on the spot as long as reads have been quick lately, and
// one at a time: a disk that hangs takes one thread with it, not all.
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
#include "absl/time/time.h"
#include "policy/base/clock.h"
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
  // How long Get() waits for a read of the app that another thread makes. Reads take
  // microseconds; a store that takes longer hangs, and must not take every thread that
  // asks for the app with it.
  absl::Duration max_wait = absl::Seconds(5);
};

class AppCache {
 public:
  // All must outlive it.
  AppCache(const store::PolicyStore& store, const AppCacheOptions& options, const Clock& clock,
           Metrics& metrics);
  ~AppCache();

  AppCache(const AppCache&) = delete;
  AppCache& operator=(const AppCache&) = delete;

  // The state of `app` if it is in memory, or if reading it is likely to be quick.
  // nullopt: Get() it on a thread that may wait.
  //
  // Errors: those of PolicyStore::ReadApp.
  std::optional<absl::StatusOr<AppState>> TryGet(std::string_view app);

  // The state of `app`, read from the store where it is not in memory.
  //
  // Errors: those of PolicyStore::ReadApp, and
  //   kUnavailable - another thread reads it, and has not come back within max_wait.
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

  // Whose turn it is to read an app.
  enum class Turn { kMine, kAnothers };

  Shard& ShardOf(std::string_view app);
  bool IsFresh(const Cached& cached) const {
    return cached.read_at.value >= all_apps_revision_.load(std::memory_order_acquire);
  }
  const Cached* FindFresh(Shard& shard, std::string_view app)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu);
  // Joins the load of `app` that is under way, or begins one.
  Turn JoinFlight(Shard& shard, std::string_view app, std::shared_ptr<Flight>& flight)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mu);
  absl::StatusOr<store::PolicyStore::AppSnapshot> Read(const AppId& app);
  absl::StatusOr<AppState> Load(Shard& shard, std::string_view app, Flight& flight);
  absl::StatusOr<AppState> Await(Shard& shard, const Flight& flight);

  // Constant after construction.
  const store::PolicyStore& store_;
  const absl::Duration max_wait_;
  const Clock& clock_;
  Metrics& metrics_;
  std::vector<std::unique_ptr<Shard>> shards_;

  // Running average of what a read takes, in nanoseconds. Two reads that end together
  // may lose one of their samples; it is an estimate.
  std::atomic<int64_t> read_nanos_ = 0;
  // A read of TryGet() is under way.
  std::atomic<bool> reading_on_the_spot_ = false;

  // States read below this revision are stale, whatever their app.
  std::atomic<int64_t> all_apps_revision_ = 0;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_APP_CACHE_H_
