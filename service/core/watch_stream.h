// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WatchStream is one watch of some apps, from WatchHub's side a bounded queue of
// commits, from the sender's side a row of messages. The sender takes a message when
// it can send one, and is rung when there is one again: no thread waits for a slow
// receiver.
//
// Thread safety: all methods may be called at the same time; messages are taken by
// one sender.
// Lock order: WatchHub's lock before a stream's.

#ifndef BRIDGEKEEPER_SERVICE_CORE_WATCH_STREAM_H_
#define BRIDGEKEEPER_SERVICE_CORE_WATCH_STREAM_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "service/observe/metrics.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

using AppSet = absl::flat_hash_set<std::string, StringHash, std::equal_to<>>;

// One message of a watch. A heartbeat has no changes.
struct WatchMessage {
  store::RevisionToken token;  // what the receiver has after applying it
  bool snapshot = false;
  bool snapshot_begin = false;
  bool snapshot_end = false;
  // Point into `owner`, in the order of the commit.
  std::vector<const store::Record*> changes;
  std::shared_ptr<const void> owner;
};

class WatchStream {
 public:
  using Event = std::shared_ptr<const store::CommitEvent>;

  // `ring` is called, without a lock and from any thread, when Take() answered
  // "nothing yet" and there is something now.
  WatchStream(AppSet apps, std::string incarnation, size_t max_queued, std::function<void()> ring)
      : apps_(std::move(apps)),
        incarnation_(std::move(incarnation)),
        max_queued_(max_queued),
        ring_(std::move(ring)) {}

  struct Taken {
    std::optional<WatchMessage> message;
    // Set where the watch has ended; nothing follows.
    std::optional<absl::Status> end;
  };
  // The next message, the end, or neither: then `ring` will be called.
  // REQUIRES: WatchHub::Open() has returned
  Taken Take(absl::Duration now);

  const AppSet& apps() const { return apps_; }

  // True where a receiver of this stream needs `record`.
  bool Concerns(const store::RecordKey& key) const {
    return key.app.empty() || apps_.contains(key.app);
  }

  // ---- For WatchHub. Where one returns true, the stream must be rung after all locks
  // are released.

  // Adds a commit that concerns this stream. Where the queue is full the watch ends.
  [[nodiscard]] bool Push(const Event& event, Metrics& metrics);

  // Begins to send: first `initial`, then every commit above `after` that was or will
  // be pushed.
  void Start(std::deque<WatchMessage> initial, Revision after);

  // Takes what was pushed so far and is not above `through`, before Start().
  std::vector<Event> TakePushed(Revision through);

  // Asks for a heartbeat at `through` where nothing was sent for `interval`.
  [[nodiscard]] bool Tick(absl::Duration now, absl::Duration interval, Revision through);

  // Ends the watch; what was not sent is dropped.
  [[nodiscard]] bool End(absl::StatusCode code, std::string message);

  void Ring() const { ring_(); }

 private:
  WatchMessage MessageOf(const Event& event) const;
  bool EndLocked(absl::StatusCode code, std::string message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool Disarm() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Constant after construction.
  const AppSet apps_;
  const std::string incarnation_;
  const size_t max_queued_;
  const std::function<void()> ring_;

  Mutex mu_;
  bool started_ ABSL_GUARDED_BY(mu_) = false;
  // Take() found nothing: the next change rings.
  bool waiting_ ABSL_GUARDED_BY(mu_) = false;
  // A Status is not shared between threads: code and text are.
  absl::StatusCode end_code_ ABSL_GUARDED_BY(mu_) = absl::StatusCode::kOk;
  std::string end_message_ ABSL_GUARDED_BY(mu_);
  std::deque<WatchMessage> initial_ ABSL_GUARDED_BY(mu_);
  std::deque<Event> queue_ ABSL_GUARDED_BY(mu_);
  // What the receiver has when it has applied everything that was taken.
  Revision sent_ ABSL_GUARDED_BY(mu_);
  absl::Duration sent_at_ ABSL_GUARDED_BY(mu_);
  std::optional<Revision> heartbeat_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_WATCH_STREAM_H_
