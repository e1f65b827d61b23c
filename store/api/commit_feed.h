// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// CommitFeed hands a store's commits to its watchers (P4). A watcher is a position:
// it owns no queue, and each commit is held once, however many watch. What a watcher
// needs next comes from the newest commits, which the feed keeps in memory, or else
// from the store. So catching up and following are one path, and nothing can be lost,
// doubled or reordered where one becomes the other.
//
// Thread safety: all methods may be called at the same time. A store may hold its own
// lock when it calls Publish(), and must not when a watcher calls `fetch`.

#ifndef BRIDGEKEEPER_STORE_API_COMMIT_FEED_H_
#define BRIDGEKEEPER_STORE_API_COMMIT_FEED_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/base/mutex.h"
#include "policy/model/ids.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

struct CommitFeedOptions {
  // How much of the newest commits is kept in memory: both bounds hold, but the
  // newest commit is always kept. Defaults: what 100 watchers that follow closely
  // need, a few MB of usual records.
  size_t max_commits = 1024;
  size_t max_records = 20'000;
};

class CommitFeed {
 public:
  // Reads a commit that the feed no longer holds.
  //
  // Errors:
  //   kOutOfRange - the store does not keep it either.
  using Fetch = std::function<absl::StatusOr<std::shared_ptr<const CommitEvent>>(Revision)>;

  // `head`: the store's revision now; commits above it are published.
  CommitFeed(Revision head, const CommitFeedOptions& options, Fetch fetch);

  // REQUIRES: no watcher is left
  ~CommitFeed();

  CommitFeed(const CommitFeed&) = delete;
  CommitFeed& operator=(const CommitFeed&) = delete;

  // Adds the next commit and wakes the watchers.
  // REQUIRES: the event's revision is the one after the last
  void Publish(std::shared_ptr<const CommitEvent> event);

  // Starts a watch. The store has checked `options`.
  std::unique_ptr<Watcher> Watch(const WatchOptions& options);

 private:
  class FeedWatcher;

  // The event of `revision`, or null where it is no longer held.
  std::shared_ptr<const CommitEvent> Held(Revision revision) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Constant after construction.
  const CommitFeedOptions options_;
  const Fetch fetch_;

  Mutex mu_;
  int64_t head_ ABSL_GUARDED_BY(mu_);
  // Consecutive revisions, the last of them `head_`.
  std::deque<std::shared_ptr<const CommitEvent>> recent_ ABSL_GUARDED_BY(mu_);
  size_t recent_records_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<FeedWatcher*> watchers_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_API_COMMIT_FEED_H_
