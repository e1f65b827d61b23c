// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/change_feed.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::service {
namespace {

// Commits that may wait for this thread. It does no I/O, so only a machine without
// time for it lets them pile up.
constexpr size_t kMaxQueued = 100'000;

// Pause before a store whose watch failed is watched again.
constexpr std::chrono::milliseconds kRetryPause{200};

// Heartbeats are looked after this often in an interval.
constexpr int kTicksPerInterval = 4;

}  // namespace

absl::StatusOr<std::unique_ptr<ChangeFeed>> ChangeFeed::Start(store::PolicyStore& store,
                                                              Revision after, AppCache& cache,
                                                              WatchHub& hub, Logger& log) {
  std::unique_ptr<ChangeFeed> feed(new ChangeFeed(store, after, cache, hub, log));
  BK_RETURN_IF_ERROR(feed->Watch());
  feed->thread_ = std::jthread([raw = feed.get()](std::stop_token stop) { raw->Run(stop); });
  pthread_setname_np(feed->thread_.native_handle(), "change-feed");
  return feed;
}

ChangeFeed::~ChangeFeed() {
  thread_.request_stop();
  MutexLock lock(mu_);
  if (watcher_ != nullptr) watcher_->Cancel();
  stopped_.NotifyAll();
}

absl::Status ChangeFeed::Watch() {
  BK_ASSIGN_OR_RETURN(auto watcher, store_.Watch({.after = at_, .max_queued = kMaxQueued}));
  MutexLock lock(mu_);
  watcher_ = std::move(watcher);
  return absl::OkStatus();
}

void ChangeFeed::Run(std::stop_token stop) {
  const absl::Duration tick = hub_.heartbeat_interval() / kTicksPerInterval;
  while (!stop.stop_requested()) {
    store::Watcher* watcher = nullptr;
    {
      MutexLock lock(mu_);
      watcher = watcher_.get();
    }
    auto next = watcher->Next(tick);
    if (stop.stop_requested()) return;
    if (!next.ok()) {
      Recover(next.status(), stop);
    } else if (next->has_value()) {
      auto event = std::make_shared<const store::CommitEvent>(**std::move(next));
      for (const store::Record& record : event->records) {
        cache_.Invalidate(record.key, event->revision);
      }
      at_ = event->revision;
      hub_.Publish(std::move(event));
    }
    hub_.Tick();
  }
}

// A watch that was cut goes on where it was. Where that is impossible, everything is
// read anew: the cache from the store, the watches from a snapshot.
void ChangeFeed::Recover(const absl::Status& status, std::stop_token stop) {
  log_.Warning("the watch of the store ended, watching again",
               {{"error", AsStd(status.message())}, {"after", at_.value}});
  if (status.code() != absl::StatusCode::kResourceExhausted || !Watch().ok()) {
    at_ = store_.Token().revision;
    cache_.InvalidateAll(at_);
    hub_.Skip(at_);
    while (!stop.stop_requested() && !Watch().ok()) {
      MutexLock lock(mu_);
      if (!stop.stop_requested()) stopped_.WaitFor(mu_, kRetryPause);
    }
  }
}

}  // namespace bridgekeeper::service
