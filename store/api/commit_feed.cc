// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/api/commit_feed.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/check.h"

namespace bridgekeeper::store {

class CommitFeed::FeedWatcher : public Watcher {
 public:
  FeedWatcher(CommitFeed& feed, const WatchOptions& options)
      : feed_(feed), max_queued_(static_cast<int64_t>(options.max_queued)) {
    MutexLock lock(feed_.mu_);
    last_ = options.after.value;
    started_at_ = feed_.head_;
    feed_.watchers_.push_back(this);
  }

  ~FeedWatcher() override {
    MutexLock lock(feed_.mu_);
    std::erase(feed_.watchers_, this);
  }

  absl::StatusOr<std::optional<CommitEvent>> Next(absl::Duration timeout) override {
    std::shared_ptr<const CommitEvent> event;
    int64_t next = 0;
    {
      MutexLock lock(feed_.mu_);
      wake_.WaitFor(feed_.mu_, absl::ToChronoNanoseconds(timeout), [this] {
        feed_.mu_.AssertHeld();
        return cancelled_ || end_ != absl::StatusCode::kOk || feed_.head_ > last_;
      });
      if (cancelled_) return absl::CancelledError("the watch was cancelled");
      if (end_ == absl::StatusCode::kOk && Lag() > max_queued_)
        end_ = absl::StatusCode::kResourceExhausted;
      if (end_ != absl::StatusCode::kOk) return End();
      if (feed_.head_ == last_) return std::nullopt;
      next = last_ + 1;
      event = feed_.Held(Revision{next});
    }
    if (event == nullptr) {
      absl::StatusOr<std::shared_ptr<const CommitEvent>> fetched = feed_.fetch_(Revision{next});
      if (!fetched.ok()) {
        MutexLock lock(feed_.mu_);
        // The store has let go of what this watcher has not read yet: it is cut.
        end_ = absl::IsOutOfRange(fetched.status()) ? absl::StatusCode::kResourceExhausted
                                                    : fetched.status().code();
        end_message_ = std::string(fetched.status().message());
        return End();
      }
      event = *std::move(fetched);
    }
    BK_CHECK(event->revision.value == next);
    MutexLock lock(feed_.mu_);
    last_ = next;
    return *event;
  }

  void Cancel() override {
    MutexLock lock(feed_.mu_);
    cancelled_ = true;
    wake_.NotifyAll();
  }

 private:
  friend class CommitFeed;

  // Commits made since Watch() that were not delivered yet.
  int64_t Lag() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(feed_.mu_) {
    return feed_.head_ - std::max(last_, started_at_);
  }

  absl::Status End() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(feed_.mu_) {
    if (end_ != absl::StatusCode::kResourceExhausted) return {end_, end_message_};
    return absl::ResourceExhaustedError(absl::StrFormat(
        "this watch was cut, being more than %d commits behind: watch again after revision %d",
        max_queued_, last_));
  }

  // Constant after construction.
  CommitFeed& feed_;
  const int64_t max_queued_;

  CondVar wake_;
  int64_t last_ ABSL_GUARDED_BY(feed_.mu_) = 0;  // delivered
  int64_t started_at_ ABSL_GUARDED_BY(feed_.mu_) = 0;
  bool cancelled_ ABSL_GUARDED_BY(feed_.mu_) = false;
  // How the watch ended; kept as parts, for a status that crosses threads is one that
  // ThreadSanitizer reports through Abseil's uninstrumented code.
  absl::StatusCode end_ ABSL_GUARDED_BY(feed_.mu_) = absl::StatusCode::kOk;
  std::string end_message_ ABSL_GUARDED_BY(feed_.mu_);
};

CommitFeed::CommitFeed(Revision head, const CommitFeedOptions& options, Fetch fetch)
    : options_(options), fetch_(std::move(fetch)), head_(head.value) {}

CommitFeed::~CommitFeed() {
  MutexLock lock(mu_);
  BK_CHECK(watchers_.empty());
}

void CommitFeed::Publish(std::shared_ptr<const CommitEvent> event) {
  MutexLock lock(mu_);
  BK_CHECK(event->revision.value == head_ + 1);
  head_ = event->revision.value;
  recent_records_ += event->records.size();
  recent_.push_back(std::move(event));
  while (recent_.size() > 1 &&
         (recent_.size() > options_.max_commits || recent_records_ > options_.max_records)) {
    recent_records_ -= recent_.front()->records.size();
    recent_.pop_front();
  }
  for (FeedWatcher* watcher : watchers_) watcher->wake_.NotifyAll();
}

std::unique_ptr<Watcher> CommitFeed::Watch(const WatchOptions& options) {
  return std::make_unique<FeedWatcher>(*this, options);
}

std::shared_ptr<const CommitEvent> CommitFeed::Held(Revision revision) const {
  const int64_t from_end = head_ - revision.value;
  if (from_end < 0 || from_end >= static_cast<int64_t>(recent_.size())) return nullptr;
  return recent_[recent_.size() - 1 - static_cast<size_t>(from_end)];
}

}  // namespace bridgekeeper::store
