// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ChangeFeed is the one watcher that this process has of its store. Each commit first
// invalidates the cache, then goes to the watches, so that whoever hears of a commit
// and asks for a decision gets one made on it.
//
// Thread safety: owns one thread; the destructor ends and joins it.

#ifndef BRIDGEKEEPER_SERVICE_CORE_CHANGE_FEED_H_
#define BRIDGEKEEPER_SERVICE_CORE_CHANGE_FEED_H_

#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "policy/base/mutex.h"
#include "runtime/log.h"
#include "service/core/app_cache.h"
#include "service/core/watch_hub.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class ChangeFeed {
 public:
  // Starts to watch from the revision that `hub` was made at. All must outlive it.
  //
  // Errors: those of PolicyStore::Watch.
  static absl::StatusOr<std::unique_ptr<ChangeFeed>> Start(store::PolicyStore& store,
                                                           Revision after, AppCache& cache,
                                                           WatchHub& hub, Logger& log);
  ~ChangeFeed();

  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

 private:
  ChangeFeed(store::PolicyStore& store, Revision after, AppCache& cache, WatchHub& hub, Logger& log)
      : store_(store), cache_(cache), hub_(hub), log_(log), at_(after) {}

  absl::Status Watch();
  void Run(std::stop_token stop);
  void Recover(const absl::Status& status, std::stop_token stop);

  // Constant after construction.
  store::PolicyStore& store_;
  AppCache& cache_;
  WatchHub& hub_;
  Logger& log_;

  // Used by the thread alone, once it runs.
  Revision at_;

  Mutex mu_;
  // Replaced by the thread, cancelled by the destructor.
  std::unique_ptr<store::Watcher> watcher_ ABSL_GUARDED_BY(mu_);
  CondVar stopped_;

  std::jthread thread_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_CHANGE_FEED_H_
