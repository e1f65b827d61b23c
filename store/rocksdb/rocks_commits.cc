// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "rocksdb/write_batch.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/rocks_store_impl.h"
#include "store/rocksdb/value_codec.h"

namespace bridgekeeper::store {
namespace {

// Commits that share a sync. More would only make the first of them wait longer.
constexpr size_t kMaxGroupCommits = 128;
constexpr size_t kMaxGroupMutations = 10'000;

// The longest sleep between looks at a condition that a wake-up cannot be lost for.
constexpr std::chrono::nanoseconds kLongWait = std::chrono::hours(1);

}  // namespace

// ---- commits -------------------------------------------------------------------
//
// Commits that wait at the same time are written together, as one batch with one sync,
// each a revision of its own. So none of them can be seen before it is synced, and the
// rate of commits is not that of syncs.

struct RocksStore::Pending {
  Pending(std::vector<Mutation> m, const CommitOptions& o) : mutations(std::move(m)), options(o) {}

  std::vector<Mutation> mutations;
  const CommitOptions& options;
  CommitResult result;
  // Kept as parts: see CommitFeed::FeedWatcher.
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string message;
  bool done = false;
  CondVar wake;

  void Fail(const absl::Status& status) {
    code = status.code();
    message = std::string(status.message());
  }
};

// What a leader is about to write.
struct RocksStore::Group {
  rocksdb::WriteBatch batch;
  Head head;
  std::vector<std::shared_ptr<CommitEvent>> events;
  // What the commits of this group have written before the next is planned.
  absl::flat_hash_map<RecordKey, const Record*> records;
  StringMap<CommitResult> requests;  // by encoded key

  bool empty() const { return batch.Count() == 0; }
};

absl::StatusOr<CommitResult> RocksStore::Commit(std::vector<Mutation> mutations,
                                                const CommitOptions& options) {
  BK_RETURN_IF_ERROR(CheckCommit(mutations, options));
  Pending mine(std::move(mutations), options);
  std::vector<Pending*> led;
  {
    MutexLock lock(queue_mu_);
    queue_.push_back(&mine);
    while (!mine.done && queue_.front() != &mine) {
      mine.wake.WaitFor(queue_mu_, kLongWait);
    }
    if (!mine.done) {
      // Retention drops commits that are written, so no group is longer than what is
      // kept.
      const size_t most = std::min(kMaxGroupCommits, static_cast<size_t>(options_.keep_revisions));
      size_t sum = 0;
      for (Pending* pending : queue_) {
        sum += pending->mutations.size();
        if (!led.empty() && (led.size() == most || sum > kMaxGroupMutations)) break;
        led.push_back(pending);
      }
    }
  }
  if (!led.empty()) {
    CommitTogether(led);
    MutexLock lock(queue_mu_);
    for (Pending* pending : led) {
      queue_.pop_front();
      pending->done = true;
      if (pending != &mine) pending->wake.NotifyOne();
    }
    if (!queue_.empty()) queue_.front()->wake.NotifyOne();
  }
  if (mine.code != absl::StatusCode::kOk) return absl::Status(mine.code, mine.message);
  return std::move(mine.result);
}

void RocksStore::CommitTogether(std::span<Pending* const> pending) {
  MutexLock lock(commit_mu_);
  Group group;
  group.head = head_;
  size_t first_write = pending.size();
  for (size_t i = 0; i < pending.size(); ++i) {
    if (const absl::Status planned = Plan(*pending[i], group); !planned.ok()) {
      pending[i]->Fail(planned);
    }
    if (!group.empty()) first_write = std::min(first_write, i);
  }
  if (group.empty()) return;
  ++write_epoch_;
  const absl::Status written = Write(group);
  if (written.ok()) {
    head_ = group.head;
    published_policies_ = head_.policies;
    published_head_ = head_.revision.value;
  }
  ++write_epoch_;
  if (!written.ok()) {
    // Whatever was planned on top of what is not written does not hold either.
    for (Pending* failed : pending.subspan(first_write)) failed->Fail(written);
    return;
  }
  // The commits are done whatever becomes of the mark.
  UpdateMark().IgnoreError();
  for (std::shared_ptr<CommitEvent>& event : group.events) feed_->Publish(std::move(event));
}

absl::Status RocksStore::Plan(Pending& pending, Group& group) {
  const CommitOptions& options = pending.options;
  std::string request_key;
  if (!options.request_id.empty()) {
    request_key = EncodeRequestKey(options.author, options.request_id);
    BK_ASSIGN_OR_RETURN(std::optional<CommitResult> known,
                        Remembered(request_key, options.time, group));
    if (known) {
      pending.result = *std::move(known);
      return absl::OkStatus();
    }
  }
  BK_ASSIGN_OR_RETURN(const auto current, ReadCurrent(pending.mutations, group));
  BK_ASSIGN_OR_RETURN(CommitPlan plan, PlanCommit(std::move(pending.mutations), current, options,
                                                  group.head.revision));
  CommitResult result = std::move(plan.result);

  // From here on the batch grows; a commit that cannot be added must leave it as it was.
  group.batch.SetSavePoint();
  const Head before = group.head;
  absl::Status added;
  if (!request_key.empty()) {
    const std::string value = EncodeResult(request_key, {options.time, result});
    added = FromRocks(group.batch.Put(family(Family::kRequests), request_key, value));
  }
  if (added.ok() && !plan.changes.empty()) added = AddToBatch(std::move(plan), group);
  if (!added.ok()) {
    group.head = before;
    BK_RETURN_IF_ERROR(FromRocks(group.batch.RollbackToSavePoint()));
    return added;
  }
  if (!request_key.empty()) {
    requests_filter_.NoteTime(options.time);
    group.requests.insert_or_assign(request_key, result);
  }
  pending.result = std::move(result);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<CommitResult>> RocksStore::Remembered(const std::string& request_key,
                                                                   absl::Time now,
                                                                   const Group& group) const {
  if (const auto found = group.requests.find(request_key); found != group.requests.end()) {
    return found->second;
  }
  std::string value;
  const rocksdb::Status read =
      db().Get(rocksdb::ReadOptions(), family(Family::kRequests), request_key, &value);
  if (read.IsNotFound()) return std::nullopt;
  BK_RETURN_IF_ERROR(FromRocks(read));
  BK_ASSIGN_OR_RETURN(RememberedResult remembered, DecodeResult(request_key, value));
  if (remembered.time <= now - kRequestIdAge) return std::nullopt;
  return std::move(remembered.result);
}

absl::StatusOr<std::vector<std::optional<Record>>> RocksStore::ReadCurrent(
    std::span<const Mutation> mutations, const Group& group) const {
  std::vector<std::optional<Record>> out(mutations.size());
  std::vector<size_t> asked;  // of the database
  std::vector<std::string> encoded;
  for (size_t i = 0; i < mutations.size(); ++i) {
    const auto written = group.records.find(mutations[i].key);
    if (written != group.records.end()) {
      out[i] = *written->second;
    } else {
      asked.push_back(i);
      encoded.push_back(EncodeKey(mutations[i].key));
    }
  }
  const std::vector<rocksdb::Slice> keys(encoded.begin(), encoded.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> read(keys.size());
  db().MultiGet(rocksdb::ReadOptions(), family(Family::kRecords), keys.size(), keys.data(),
                values.data(), read.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (read[i].IsNotFound()) continue;
    BK_RETURN_IF_ERROR(FromRocks(read[i]));
    BK_ASSIGN_OR_RETURN(out[asked[i]],
                        DecodeRecord(mutations[asked[i]].key, encoded[i], AsStd(values[i])));
  }
  return out;
}

absl::Status RocksStore::AddToBatch(CommitPlan plan, Group& group) {
  const Revision revision = plan.changes.front().record.revision;
  auto event = std::make_shared<CommitEvent>();
  event->revision = revision;
  event->records.reserve(plan.changes.size());
  std::vector<CommitChange> changes;
  changes.reserve(plan.changes.size());

  rocksdb::Status put;
  for (PlannedChange& change : plan.changes) {
    const RecordKey& key = change.record.key;
    BK_ASSIGN_OR_RETURN(const std::string payload, EncodeRecord(change.record));
    const std::string record_key = EncodeKey(key);
    const std::string history_key = EncodeHistoryKey(key, revision);
    put = group.batch.Put(family(Family::kRecords), record_key, Seal(record_key, payload));
    if (put.ok()) {
      put = group.batch.Put(family(Family::kHistory), history_key, Seal(history_key, payload));
    }
    BK_RETURN_IF_ERROR(FromRocks(put));
    changes.push_back({key, change.previous});
    event->records.push_back(std::move(change.record));
  }
  put = group.batch.Put(family(Family::kCommits), EncodeCommitKey(revision),
                        EncodeCommit(revision, changes));
  BK_RETURN_IF_ERROR(FromRocks(put));

  group.head.revision = revision;
  group.head.policies += plan.policies_added;
  // Two for one, where fewer are kept than before: it catches up without a long commit.
  for (int i = 0; i < 2 && revision.value - group.head.oldest.value > options_.keep_revisions;
       ++i) {
    BK_RETURN_IF_ERROR(DropOldestCommit(group));
  }
  BK_RETURN_IF_ERROR(
      FromRocks(group.batch.Put(family(Family::kMeta), kHeadKey, EncodeHead(group.head))));

  for (const Record& record : event->records) group.records.insert_or_assign(record.key, &record);
  group.events.push_back(std::move(event));
  return absl::OkStatus();
}

absl::Status RocksStore::DropOldestCommit(Group& group) {
  const Revision dropped{group.head.oldest.value + 1};
  const std::string commit_key = EncodeCommitKey(dropped);
  std::string value;
  const rocksdb::Status read =
      db().Get(rocksdb::ReadOptions(), family(Family::kCommits), commit_key, &value);
  // What this commit replaced can no longer be asked for. Where its list is damaged or
  // missing the replaced states stay as garbage: nobody reads them.
  if (!read.IsNotFound()) BK_RETURN_IF_ERROR(FromRocks(read));
  if (const auto changes = DecodeCommit(dropped, value); changes.ok()) {
    for (const CommitChange& change : *changes) {
      if (change.previous.value == 0) continue;
      BK_RETURN_IF_ERROR(FromRocks(group.batch.Delete(
          family(Family::kHistory), EncodeHistoryKey(change.key, change.previous))));
    }
  }
  group.head.oldest = dropped;
  return FromRocks(group.batch.Delete(family(Family::kCommits), commit_key));
}

absl::Status RocksStore::Write(Group& group) {
  absl::Status written = write_fault_.Get();
  if (!written.ok()) written = Recover();
  if (written.ok() && listener_->TakeMemtableEmptied()) written = Touch();
  if (written.ok()) written = FromRocks(db().Write(SyncedWrite(), &group.batch));
  if (!written.ok()) write_fault_.Set(written);
  return written;
}

// A failed write, and what comes after.
//
// The batch that failed may be in the log all the same, whole or in part, and RocksDB
// gives its sequence numbers to the next one: both in one log would mix at the next
// start. So that log must be out of use before anything else is written. Resume() sees
// to it by flushing the memtables, but only those that hold something; where all are
// empty it does nothing, and the log cannot be left any more. So no write is tried
// while a memtable may be empty: Touch() puts into each column family a change that
// goes by the log. All are flushed at once (atomic_flush), so that the log is out of
// use for all or for none.
//
// Until then a crash finds the failed batch as the last in the log and takes it whole
// or not at all; it was not acknowledged, so both are right.
absl::Status RocksStore::Touch() const {
  rocksdb::WriteBatch touch;
  rocksdb::Status write;
  for (rocksdb::ColumnFamilyHandle* handle : db_->families()) {
    // No key of ours is empty.
    if (write.ok()) write = touch.Delete(handle, rocksdb::Slice());
  }
  rocksdb::WriteOptions past_the_log;
  past_the_log.disableWAL = true;
  if (write.ok()) write = db().Write(past_the_log, &touch);
  return FromRocks(write);
}

absl::Status RocksStore::Recover() const {
  const rocksdb::Status resumed = db().Resume();
  absl::Status recovered = FromRocks(resumed);
  if (resumed.severity() >= rocksdb::Status::Severity::kFatalError) {
    // After such an error RocksDB does not trust its files until they are opened anew.
    recovered = absl::Status(
        recovered.code(), absl::StrFormat("%s; restart the server when the disk takes writes again",
                                          recovered.message()));
  }
  // What failed may have begun with emptying the memtables: then it was the new log that
  // it was written to.
  if (recovered.ok()) recovered = Touch();
  if (recovered.ok()) {
    recovered = FromRocks(db().Flush(rocksdb::FlushOptions(), db_->families()));
  }
  if (recovered.ok()) {
    write_fault_.Clear();
  } else {
    write_fault_.Set(recovered);
  }
  return recovered;
}

absl::Status RocksStore::WriteHealth() const {
  if (write_fault_.Get().ok()) return absl::OkStatus();
  // Whoever asks wants to know about now.
  MutexLock lock(commit_mu_);
  return write_fault_.Get().ok() ? absl::OkStatus() : Recover();
}

}  // namespace bridgekeeper::store
