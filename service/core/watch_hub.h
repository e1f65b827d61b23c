// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WatchHub fans the commits of the store out to the watches of apps. The store is
// watched once, by core/change_feed.h, however many watch here.
//
// What a watch promises:
//   - First everything that decides the calls of its apps, as one state of the store
//     (a snapshot), or nothing where it resumes after a revision of this incarnation
//     whose successors can still be read.
//   - Then every later commit that concerns one of its apps, once, whole, in order.
//     Entries that count for every app concern every watch. A commit that concerns
//     none of its apps moves the token of the next heartbeat, and nothing else.
//   - A message at least every heartbeat interval.
//   - A receiver that is too slow is cut with kResourceExhausted, never buffered
//     without end.
//
// Thread safety: all methods may be called at the same time; Publish() and Tick() come
// from one thread.

#ifndef BRIDGEKEEPER_SERVICE_CORE_WATCH_HUB_H_
#define BRIDGEKEEPER_SERVICE_CORE_WATCH_HUB_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "service/core/watch_stream.h"
#include "service/observe/metrics.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

struct WatchHubOptions {
  // Time to the next message of a watch at the latest. Well under the shortest
  // max_staleness (10 s), so that one lost heartbeat makes no copy stale.
  absl::Duration heartbeat_interval = absl::Seconds(3);
  // Commits that may wait for one receiver. They are shared, so a place costs a
  // pointer. [1, 1'000'000].
  size_t max_queued = 1024;
  // Watches at one time.
  size_t max_watches = 10'000;
  // A watch that resumes further back than this many commits gets a snapshot.
  int64_t max_catch_up = 1000;
  // Longest time that the start of a watch waits for the store's own watch.
  absl::Duration max_feed_lag = absl::Seconds(10);
};

struct WatchRequest {
  AppSet apps;
  std::optional<store::RevisionToken> resume_after;
};

class WatchHub {
 public:
  // Commits above `start`, a revision of the store, will be published. All must outlive
  // it.
  WatchHub(store::PolicyStore& store, const WatchHubOptions& options, Revision start,
           const Clock& clock, Metrics& metrics);

  // Starts a watch. Reads the store: to be called on a thread that may wait.
  //
  // Errors:
  //   kResourceExhausted - max_watches is reached, or commits came faster than the
  //                        snapshot could be read.
  //   kUnavailable       - the store's watch is behind, or the hub was ended.
  //   and those of PolicyStore::ReadApp.
  absl::StatusOr<std::shared_ptr<WatchStream>> Open(const WatchRequest& request,
                                                    std::function<void()> ring);

  // Forgets a stream that Open() returned. Its ring is not called by calls that begin
  // after this returned.
  void Close(const std::shared_ptr<WatchStream>& stream);

  // Hands a commit on. Revisions rise.
  void Publish(std::shared_ptr<const store::CommitEvent> event);

  // Says that commits up to `revision` will never be published: every watch ends, so
  // that nobody misses them unknowingly.
  void Skip(Revision revision);

  // Sends heartbeats where they are due. To be called a few times an interval.
  void Tick();

  // Ends all watches with kUnavailable, and refuses new ones.
  void EndAll();

  size_t size() const;
  absl::Duration heartbeat_interval() const { return options_.heartbeat_interval; }

 private:
  using Event = WatchStream::Event;
  using Streams = std::vector<std::shared_ptr<WatchStream>>;

  absl::StatusOr<Revision> Register(const std::shared_ptr<WatchStream>& stream);
  absl::Status Begin(WatchStream& stream, const WatchRequest& request, Revision published);
  std::optional<std::deque<WatchMessage>> CatchUp(const WatchStream& stream,
                                                  const store::RevisionToken& after,
                                                  Revision through);
  absl::Status SendSnapshot(WatchStream& stream);
  bool WaitUntilPublished(Revision revision);
  static void Ring(const Streams& streams);

  // Constant after construction.
  store::PolicyStore& store_;
  const WatchHubOptions options_;
  const Clock& clock_;
  Metrics& metrics_;
  const std::string incarnation_;

  mutable Mutex mu_;
  CondVar moved_;
  Revision published_ ABSL_GUARDED_BY(mu_);
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  Streams streams_ ABSL_GUARDED_BY(mu_);
  StringMap<std::vector<WatchStream*>> by_app_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_WATCH_HUB_H_
