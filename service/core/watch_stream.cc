// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/watch_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"

namespace bridgekeeper::service {

WatchMessage WatchStream::MessageOf(const Event& event) const {
  WatchMessage message;
  message.token = {incarnation_, event->revision};
  message.owner = event;
  for (const store::Record& record : event->records) {
    if (Concerns(record.key)) message.changes.push_back(&record);
  }
  return message;
}

bool WatchStream::Disarm() { return std::exchange(waiting_, false); }

WatchStream::Taken WatchStream::Take(absl::Duration now) {
  MutexLock lock(mu_);
  if (end_code_ != absl::StatusCode::kOk) {
    return {std::nullopt, absl::Status(end_code_, end_message_)};
  }
  Taken taken;
  if (!initial_.empty()) {
    taken.message = std::move(initial_.front());
    initial_.pop_front();
  } else if (!queue_.empty()) {
    taken.message = MessageOf(queue_.front());
    queue_.pop_front();
    sent_ = taken.message->token.revision;
  } else if (heartbeat_) {
    sent_ = std::max(sent_, *heartbeat_);
    taken.message.emplace();
    taken.message->token = {incarnation_, sent_};
  } else {
    waiting_ = true;
    return taken;
  }
  // Whatever was sent tells that we live.
  heartbeat_.reset();
  sent_at_ = now;
  return taken;
}

bool WatchStream::Push(const Event& event, Metrics& metrics) {
  MutexLock lock(mu_);
  if (end_code_ != absl::StatusCode::kOk) return false;
  if (started_ && event->revision <= sent_) return false;
  if (queue_.size() >= max_queued_) {
    metrics.watch_cuts.Add(static_cast<size_t>(WatchCut::kSlow));
    return EndLocked(
        absl::StatusCode::kResourceExhausted,
        absl::StrFormat("this watch is too slow: %d commits were waiting for it; watch again and "
                        "resume after the last token received",
                        max_queued_));
  }
  queue_.push_back(event);
  return Disarm();
}

void WatchStream::Start(std::deque<WatchMessage> initial, Revision after) {
  MutexLock lock(mu_);
  if (end_code_ != absl::StatusCode::kOk) return;
  started_ = true;
  sent_ = after;
  initial_ = std::move(initial);
  std::erase_if(queue_, [&](const Event& event) { return event->revision <= after; });
}

std::vector<WatchStream::Event> WatchStream::TakePushed(Revision through) {
  MutexLock lock(mu_);
  std::vector<Event> out;
  while (!queue_.empty() && queue_.front()->revision <= through) {
    out.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return out;
}

bool WatchStream::Tick(absl::Duration now, absl::Duration interval, Revision through) {
  MutexLock lock(mu_);
  if (!started_ || end_code_ != absl::StatusCode::kOk) return false;
  if (!initial_.empty() || !queue_.empty() || now - sent_at_ < interval) return false;
  heartbeat_ = through;
  return Disarm();
}

bool WatchStream::End(absl::StatusCode code, std::string message) {
  MutexLock lock(mu_);
  if (end_code_ != absl::StatusCode::kOk) return false;
  return EndLocked(code, std::move(message));
}

bool WatchStream::EndLocked(absl::StatusCode code, std::string message) {
  end_code_ = code;
  end_message_ = std::move(message);
  initial_.clear();
  queue_.clear();
  heartbeat_.reset();
  return Disarm();
}

}  // namespace bridgekeeper::service
