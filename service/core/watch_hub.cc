// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/watch_hub.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/status_macros.h"
#include "service/core/record_size.h"

namespace bridgekeeper::service {
namespace {

using store::Record;
using store::RecordKey;

// A message of a snapshot holds about this much, far below the 4 MiB that a receiver
// takes by default; one record alone may be larger.
constexpr size_t kSnapshotChunkBytes = 512 << 10;

constexpr char kEndedMessage[] = "the server is stopping; watch again";

// Cuts the records of a snapshot into messages; at least one.
std::deque<WatchMessage> SnapshotMessages(std::map<RecordKey, Record> records,
                                          const store::RevisionToken& token) {
  auto owned = std::make_shared<std::vector<Record>>();
  owned->reserve(records.size());
  for (auto& [key, record] : records) owned->push_back(std::move(record));

  std::deque<WatchMessage> messages;
  size_t bytes = 0;
  const auto begin_message = [&] {
    WatchMessage& message = messages.emplace_back();
    message.token = token;
    message.snapshot = true;
    message.owner = owned;
    bytes = 0;
  };
  begin_message();
  for (const Record& record : *owned) {
    const size_t size = ApproximateBytes(record);
    if (bytes > 0 && bytes + size > kSnapshotChunkBytes) begin_message();
    messages.back().changes.push_back(&record);
    bytes += size;
  }
  messages.front().snapshot_begin = true;
  messages.back().snapshot_end = true;
  return messages;
}

void Apply(const Record& record, std::map<RecordKey, Record>& records) {
  if (record.value) {
    records.insert_or_assign(record.key, record);
  } else {
    records.erase(record.key);
  }
}

}  // namespace

WatchHub::WatchHub(store::PolicyStore& store, const WatchHubOptions& options, Revision start,
                   const Clock& clock, Metrics& metrics)
    : store_(store),
      options_(options),
      clock_(clock),
      metrics_(metrics),
      incarnation_(store.Token().incarnation),
      published_(start) {}

void WatchHub::Ring(const Streams& streams) {
  for (const auto& stream : streams) stream->Ring();
}

absl::StatusOr<std::shared_ptr<WatchStream>> WatchHub::Open(const WatchRequest& request,
                                                            std::function<void()> ring) {
  auto stream = std::make_shared<WatchStream>(request.apps, incarnation_, options_.max_queued,
                                              std::move(ring));
  // First registered, then read: what is committed in between is in the queue.
  BK_ASSIGN_OR_RETURN(const Revision published, Register(stream));
  if (absl::Status status = Begin(*stream, request, published); !status.ok()) {
    Close(stream);
    return status;
  }
  return stream;
}

absl::StatusOr<Revision> WatchHub::Register(const std::shared_ptr<WatchStream>& stream) {
  MutexLock lock(mu_);
  if (ended_) return absl::UnavailableError(kEndedMessage);
  if (streams_.size() >= options_.max_watches) {
    metrics_.overload_rejections.Add(static_cast<size_t>(Overload::kWatches));
    return absl::ResourceExhaustedError(absl::StrFormat("got %d watches, want at most %d",
                                                        streams_.size() + 1, options_.max_watches));
  }
  streams_.push_back(stream);
  for (const std::string& app : stream->apps()) by_app_[app].push_back(stream.get());
  return published_;
}

void WatchHub::Close(const std::shared_ptr<WatchStream>& stream) {
  MutexLock lock(mu_);
  std::erase(streams_, stream);
  for (const std::string& app : stream->apps()) {
    const auto it = by_app_.find(app);
    if (it == by_app_.end()) continue;
    std::erase(it->second, stream.get());
    if (it->second.empty()) by_app_.erase(it);
  }
}

absl::Status WatchHub::Begin(WatchStream& stream, const WatchRequest& request, Revision published) {
  if (request.resume_after && request.resume_after->incarnation == incarnation_) {
    auto initial = CatchUp(stream, *request.resume_after, published);
    if (initial) {
      const Revision after = std::max(request.resume_after->revision, published);
      stream.Start(*std::move(initial), after);
      return absl::OkStatus();
    }
  }
  return SendSnapshot(stream);
}

// The messages that bring a receiver from `after` to `through`, or nullopt where only
// a snapshot can.
std::optional<std::deque<WatchMessage>> WatchHub::CatchUp(const WatchStream& stream,
                                                          const store::RevisionToken& after,
                                                          Revision through) {
  std::deque<WatchMessage> messages;
  // A receiver ahead of us is one that another process of this store served; one
  // ahead of the store itself holds what never was.
  if (after.revision > store_.Token().revision || after.revision.value < 0) return std::nullopt;
  if (through.value - after.revision.value > options_.max_catch_up) return std::nullopt;

  if (after.revision < through) {
    auto watcher = store_.Watch({.after = after.revision});
    if (!watcher.ok()) return std::nullopt;
    Revision at = after.revision;
    while (at < through) {
      auto next = (*watcher)->Next(options_.max_feed_lag);
      if (!next.ok() || !next->has_value()) return std::nullopt;
      auto event = std::make_shared<const store::CommitEvent>(**std::move(next));
      at = event->revision;
      WatchMessage message;
      for (const Record& record : event->records) {
        if (stream.Concerns(record.key)) message.changes.push_back(&record);
      }
      if (message.changes.empty()) continue;
      message.token = {incarnation_, at};
      message.owner = std::move(event);
      messages.push_back(std::move(message));
    }
  }
  // The last message says how far the receiver has come, and is the first where
  // nothing that concerns it was missed.
  messages.emplace_back().token = {incarnation_, std::max(after.revision, through)};
  return messages;
}

absl::Status WatchHub::SendSnapshot(WatchStream& stream) {
  // Each app is read at a revision of its own, none below the one before.
  std::map<RecordKey, Record> records;
  StringMap<Revision> read_at;
  Revision newest;
  for (const std::string& app : stream.apps()) {
    BK_ASSIGN_OR_RETURN(auto snapshot, store_.ReadApp(AppId(app)));
    newest = snapshot.token.revision;
    read_at[app] = newest;
    // What counts for every app comes with each read; the last read has it newest.
    std::erase_if(records, [](const auto& item) { return item.first.app.empty(); });
    for (Record& record : snapshot.records) {
      if (record.value) records.insert_or_assign(record.key, std::move(record));
    }
  }
  // The commits between make them one state, that of the last read.
  if (!WaitUntilPublished(newest)) {
    return absl::UnavailableError("the store's watch is behind; watch again");
  }
  for (const Event& event : stream.TakePushed(newest)) {
    for (const Record& record : event->records) {
      const auto it = read_at.find(record.key.app);
      if (it != read_at.end() && event->revision > it->second) Apply(record, records);
    }
  }
  std::deque<WatchMessage> messages = SnapshotMessages(std::move(records), {incarnation_, newest});
  stream.Start(std::move(messages), newest);
  return absl::OkStatus();
}

bool WatchHub::WaitUntilPublished(Revision revision) {
  MutexLock lock(mu_);
  const absl::Duration deadline = clock_.SinceBoot() + options_.max_feed_lag;
  while (published_ < revision && !ended_) {
    const absl::Duration left = deadline - clock_.SinceBoot();
    if (left <= absl::ZeroDuration()) return false;
    moved_.WaitFor(mu_, absl::ToChronoNanoseconds(left));
  }
  return published_ >= revision;
}

void WatchHub::Publish(std::shared_ptr<const store::CommitEvent> event) {
  const bool for_all = std::any_of(event->records.begin(), event->records.end(),
                                   [](const Record& record) { return record.key.app.empty(); });
  Streams ring;
  {
    MutexLock lock(mu_);
    published_ = event->revision;
    absl::flat_hash_set<const WatchStream*> concerned;
    for (const Record& record : event->records) {
      const auto it = by_app_.find(record.key.app);
      if (it != by_app_.end()) concerned.insert(it->second.begin(), it->second.end());
    }
    if (for_all || !concerned.empty()) {
      for (const auto& stream : streams_) {
        if (!for_all && !concerned.contains(stream.get())) continue;
        if (stream->Push(event, metrics_)) ring.push_back(stream);
      }
    }
    moved_.NotifyAll();
  }
  Ring(ring);
}

void WatchHub::Skip(Revision revision) {
  Streams ring;
  {
    MutexLock lock(mu_);
    published_ = revision;
    for (const auto& stream : streams_) {
      metrics_.watch_cuts.Add(static_cast<size_t>(WatchCut::kStore));
      if (stream->End(absl::StatusCode::kUnavailable,
                      "a commit could not be read from the store; watch again")) {
        ring.push_back(stream);
      }
    }
    moved_.NotifyAll();
  }
  Ring(ring);
}

void WatchHub::Tick() {
  const absl::Duration now = clock_.SinceBoot();
  Streams ring;
  {
    MutexLock lock(mu_);
    for (const auto& stream : streams_) {
      if (stream->Tick(now, options_.heartbeat_interval, published_)) ring.push_back(stream);
    }
  }
  Ring(ring);
}

void WatchHub::EndAll() {
  Streams ring;
  {
    MutexLock lock(mu_);
    ended_ = true;
    for (const auto& stream : streams_) {
      metrics_.watch_cuts.Add(static_cast<size_t>(WatchCut::kDrain));
      if (stream->End(absl::StatusCode::kUnavailable, kEndedMessage)) ring.push_back(stream);
    }
    moved_.NotifyAll();
  }
  Ring(ring);
}

size_t WatchHub::size() const {
  MutexLock lock(mu_);
  return streams_.size();
}

}  // namespace bridgekeeper::service
