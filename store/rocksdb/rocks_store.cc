// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/rocks_store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/check.h"
#include "policy/base/mutex.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/write_batch.h"
#include "store/api/commit_feed.h"
#include "store/api/commit_plan.h"
#include "store/rocksdb/backup.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/log_scan.h"
#include "store/rocksdb/rocks_db.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/store_meta.h"
#include "store/rocksdb/synced_mark.h"
#include "store/rocksdb/value_codec.h"

namespace bridgekeeper::store {
namespace {

// Commits that share a sync. More would only make the first of them wait longer.
constexpr size_t kMaxGroupCommits = 128;
constexpr size_t kMaxGroupMutations = 10'000;

// The longest sleep between looks at a condition that a wake-up cannot be lost for.
constexpr std::chrono::nanoseconds kLongWait = std::chrono::hours(1);

std::string_view AsStd(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// The key after every key that starts with `prefix`. REQUIRES: a byte is below 0xFF
std::string AfterPrefix(std::string prefix) {
  while (static_cast<uint8_t>(prefix.back()) == 0xFF) prefix.pop_back();
  ++prefix.back();
  return prefix;
}

// Drops request ids that are forgotten, when their files are rewritten.
class RequestsFilter : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "bridgekeeper.requests"; }

  bool Filter(int, const rocksdb::Slice& key, const rocksdb::Slice& value, std::string*,
              bool*) const override {
    const auto result = DecodeResult(AsStd(key), AsStd(value));
    // A damaged one stays, for whoever asks for it to be told.
    return result.ok() && result->time + kRequestIdAge <= absl::FromUnixNanos(newest_ns_);
  }

  void NoteTime(absl::Time time) {
    int64_t seen = newest_ns_;
    const int64_t now = absl::ToUnixNanos(time);
    while (seen < now && !newest_ns_.compare_exchange_weak(seen, now)) {
    }
  }

 private:
  std::atomic<int64_t> newest_ns_ = absl::ToUnixNanos(absl::InfinitePast());
};

// Whether the disk takes writes, as far as is known.
class WriteFault {
 public:
  void Set(const absl::Status& status) {
    MutexLock lock(mu_);
    code_ = status.code();
    message_ = std::string(status.message());
  }
  void Clear() { Set(absl::OkStatus()); }
  absl::Status Get() const {
    MutexLock lock(mu_);
    return {code_, message_};
  }

 private:
  mutable Mutex mu_;
  absl::StatusCode code_ ABSL_GUARDED_BY(mu_) = absl::StatusCode::kOk;
  std::string message_ ABSL_GUARDED_BY(mu_);
};

// Hears of what RocksDB does in the background.
class Listener : public rocksdb::EventListener {
 public:
  explicit Listener(WriteFault& fault) : fault_(fault) {}

  // A flush that finds no space stops the writes after it.
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* error) override {
    if (error->severity() >= rocksdb::Status::Severity::kHardError) fault_.Set(FromRocks(*error));
  }
  // Else it would answer Busy to the store's own Recover() for as long as it tries.
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo&) override {
    manifest_grew_ = true;
  }
  void OnCompactionCompleted(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    manifest_grew_ = true;
  }

  void OnMemTableSealed(const rocksdb::MemTableInfo&) override { memtable_emptied_ = true; }

  // Whether the MANIFEST may have grown since this was asked last.
  bool TakeManifestGrew() { return manifest_grew_.exchange(false); }
  // Whether a memtable may have been emptied since this was asked last.
  bool TakeMemtableEmptied() { return memtable_emptied_.exchange(false); }

 private:
  WriteFault& fault_;
  std::atomic<bool> manifest_grew_ = true;
  std::atomic<bool> memtable_emptied_ = true;
};

class RocksStore final : public PolicyStore {
 public:
  static absl::StatusOr<std::unique_ptr<PolicyStore>> Open(const RocksStoreOptions& options,
                                                           OpenReport& report);
  ~RocksStore() override;

  std::string_view name() const override { return "rocksdb"; }
  RevisionToken Token() const override { return {incarnation_, Revision{published_head_}}; }
  absl::StatusOr<CommitResult> Commit(std::vector<Mutation> mutations,
                                      const CommitOptions& options) override;
  absl::StatusOr<std::optional<Record>> Get(const RecordKey& key) const override;
  absl::StatusOr<std::optional<Record>> GetAt(const RecordKey& key,
                                              Revision revision) const override;
  absl::StatusOr<std::vector<Record>> List(const ListOptions& options) const override;
  absl::StatusOr<std::vector<Record>> History(const RecordKey& key, std::optional<Revision> before,
                                              size_t limit) const override;
  absl::StatusOr<AppSnapshot> ReadApp(const AppId& app) const override;
  int64_t PolicyCount() const override { return published_policies_; }
  absl::StatusOr<std::unique_ptr<Watcher>> Watch(const WatchOptions& options) override;
  absl::StatusOr<BackupResult> Backup(const std::string& path) override;
  absl::Status WriteHealth() const override;

 private:
  struct Pending;
  struct Group;
  class Snapshot;

  RocksStore(RocksStoreOptions options, DataFolder folder, SyncedMark mark)
      : options_(std::move(options)),
        folder_(std::move(folder)),
        listener_(std::make_shared<Listener>(write_fault_)),
        mark_(std::move(mark)) {}

  // Opens the database and reads where it stands.
  absl::Status Start();

  // Commits everything of `pending`, which has a leader alone.
  void CommitTogether(std::span<Pending* const> pending) ABSL_LOCKS_EXCLUDED(commit_mu_);
  absl::Status Plan(Pending& pending, Group& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mu_);
  absl::StatusOr<std::optional<CommitResult>> Remembered(const std::string& request_key,
                                                         absl::Time now, const Group& group) const;
  absl::StatusOr<std::vector<std::optional<Record>>> ReadCurrent(
      std::span<const Mutation> mutations, const Group& group) const;
  absl::Status AddToBatch(CommitPlan plan, Group& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mu_);
  absl::Status DropOldestCommit(Group& group);
  absl::Status Write(Group& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mu_);
  absl::Status Recover() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mu_);
  absl::Status Touch() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mu_);
  absl::Status UpdateMark() ABSL_EXCLUSIVE_LOCKS_REQUIRED(commit_mu_);

  // Appends what decides the calls of `app`, as `snapshot` has it (null: as it is).
  absl::Status AppendApp(const AppId& app, const rocksdb::Snapshot* snapshot,
                         std::vector<Record>& out) const;
  absl::StatusOr<std::shared_ptr<const CommitEvent>> ReadCommit(Revision revision) const;

  rocksdb::DB& db() const { return db_->db(); }
  rocksdb::ColumnFamilyHandle* family(Family family) const { return db_->family(family); }

  // Constant after Start().
  const RocksStoreOptions options_;
  const DataFolder folder_;
  std::string incarnation_;
  RequestsFilter requests_filter_;
  mutable WriteFault write_fault_;
  const std::shared_ptr<Listener> listener_;
  std::unique_ptr<RocksDb> db_;
  std::unique_ptr<CommitFeed> feed_;

  // Odd while a batch is being written and until what it changed is published, so that
  // a reader can tell that nothing changed while it read.
  std::atomic<uint64_t> write_epoch_ = 0;
  // What readers see of head_.
  std::atomic<int64_t> published_head_ = 0;
  std::atomic<int64_t> published_policies_ = 0;

  // The queue of commits; the one in front leads.
  Mutex queue_mu_;
  std::deque<Pending*> queue_ ABSL_GUARDED_BY(queue_mu_);

  // Held by the leader. Before the feed's lock.
  mutable Mutex commit_mu_;
  Head head_ ABSL_GUARDED_BY(commit_mu_);
  SyncedMark mark_ ABSL_GUARDED_BY(commit_mu_);
  Synced synced_ ABSL_GUARDED_BY(commit_mu_);
};

// ---- opening -------------------------------------------------------------------

absl::Status CheckOptions(const RocksStoreOptions& options) {
  if (options.path.empty()) return absl::InvalidArgumentError("path: got none");
  if (!IsIncarnation(options.new_incarnation)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("new_incarnation: got `%s`, want 32 lower-case hexadecimal digits",
                        EscapeForPeople(options.new_incarnation, 64)));
  }
  if (options.keep_revisions < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("keep_revisions: got %d, want at least 1", options.keep_revisions));
  }
  constexpr size_t kLeast = 1 << 20;
  if (options.block_cache_bytes < kLeast || options.write_buffer_bytes < kLeast) {
    return absl::InvalidArgumentError(
        absl::StrFormat("block_cache_bytes, write_buffer_bytes: got %d, %d, want at least %d",
                        options.block_cache_bytes, options.write_buffer_bytes, kLeast));
  }
  return absl::OkStatus();
}

absl::Status CreateStore(const DataFolder& folder, const RocksStoreOptions& options) {
  BK_ASSIGN_OR_RETURN(const std::string path, folder.MakeAnew(kNewFolder));
  {
    BK_ASSIGN_OR_RETURN(const std::unique_ptr<RocksDb> db,
                        RocksDb::Open(path, RocksDb::Mode::kCreate, options));
    BK_RETURN_IF_ERROR(WriteMeta(*db, {options.new_incarnation, Head{}}));
  }
  BK_RETURN_IF_ERROR(SyncedMark::Create(path, Synced{}));
  return folder.Finish(kNewFolder);
}

absl::StatusOr<std::unique_ptr<PolicyStore>> RocksStore::Open(const RocksStoreOptions& options,
                                                              OpenReport& report) {
  BK_RETURN_IF_ERROR(CheckOptions(options));
  BK_ASSIGN_OR_RETURN(DataFolder folder, DataFolder::Open(options.path));
  if (!folder.has_store()) {
    if (folder.has_broken_restore()) {
      return absl::FailedPreconditionError(absl::StrFormat(
          "a restore into `%s` was cut off: run `keeperd restore` again, or remove `%s/%s` for an "
          "empty store",
          options.path, options.path, kRestoringFolder));
    }
    BK_RETURN_IF_ERROR(CreateStore(folder, options));
    report.created = true;
    report.notes.push_back(absl::StrFormat("made an empty store in `%s`", options.path));
  }

  const std::string path = folder.store_path();
  BK_ASSIGN_OR_RETURN(const std::vector<IncompleteEnd> ends, ScanWals(path));
  BK_ASSIGN_OR_RETURN(const std::optional<Synced> mark, SyncedMark::Read(path));
  const Synced synced = mark.value_or(Synced{});
  BK_RETURN_IF_ERROR(CheckManifest(path, {synced.manifest_number, synced.manifest_bytes}));
  BK_ASSIGN_OR_RETURN(
      const StoreMeta meta,
      CheckStore(path,
                 ends.empty() ? RocksDb::Mode::kReadOnly : RocksDb::Mode::kReadOnlyToIncompleteEnd,
                 options));
  if (meta.head.revision < synced.revision) {
    return DamagedFiles(path, absl::StrFormat("it ends at revision %d, and revision %d was "
                                              "acknowledged: a log is not all there",
                                              meta.head.revision.value, synced.revision.value));
  }

  // It is whole. Up to here nothing was changed.
  BK_RETURN_IF_ERROR(CutIncompleteEnds(path, ends));
  for (const IncompleteEnd& end : ends) {
    ++report.dropped_records;
    report.dropped_bytes += end.bytes;
    report.notes.push_back(absl::StrFormat(
        "dropped %d bytes at the end of log `%s`: a write that a crash cut off and that was never "
        "acknowledged",
        end.bytes, end.file));
  }
  if (!mark) {
    report.notes.push_back(
        absl::StrFormat("`%s` was missing: cannot tell whether the newest writes are all there",
                        InFolder(path, kMarkFile)));
  }
  BK_ASSIGN_OR_RETURN(SyncedMark open_mark, SyncedMark::Open(path));
  // Its constructor is private.
  std::unique_ptr<RocksStore> store(
      new RocksStore(options, std::move(folder), std::move(open_mark)));
  BK_RETURN_IF_ERROR(store->Start());
  return std::unique_ptr<PolicyStore>(std::move(store));
}

absl::Status RocksStore::Start() {
  const std::string path = folder_.store_path();
  BK_ASSIGN_OR_RETURN(db_, RocksDb::Open(path, RocksDb::Mode::kReadWrite, options_,
                                         {&requests_filter_, listener_}));
  BK_ASSIGN_OR_RETURN(StoreMeta meta, ReadMeta(*db_, path));
  incarnation_ = std::move(meta.incarnation);
  published_head_ = meta.head.revision.value;
  published_policies_ = meta.head.policies;
  feed_ = std::make_unique<CommitFeed>(meta.head.revision, CommitFeedOptions{},
                                       [this](Revision r) { return ReadCommit(r); });
  MutexLock lock(commit_mu_);
  head_ = meta.head;
  return UpdateMark();
}

absl::Status RocksStore::UpdateMark() {
  if (listener_->TakeManifestGrew()) {
    BK_ASSIGN_OR_RETURN(const Manifest manifest, CurrentManifest(*db_));
    synced_.manifest_number = manifest.number;
    synced_.manifest_bytes = manifest.bytes;
  }
  synced_.revision = head_.revision;
  mark_.Set(synced_);
  return absl::OkStatus();
}

RocksStore::~RocksStore() {
  feed_.reset();
  db_.reset();
}

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

// ---- reads ---------------------------------------------------------------------

// One consistent state of all column families, with the head that belongs to it.
class RocksStore::Snapshot {
 public:
  explicit Snapshot(const RocksStore& store)
      : db_(store.db()), meta_(store.family(Family::kMeta)), snapshot_(db_.GetSnapshot()) {
    options_.snapshot = snapshot_;
  }
  ~Snapshot() { db_.ReleaseSnapshot(snapshot_); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const rocksdb::ReadOptions& options() const { return options_; }

  absl::StatusOr<Head> ReadHead() const {
    rocksdb::PinnableSlice value;
    const std::string_view key = kHeadKey;
    BK_RETURN_IF_ERROR(FromRocks(db_.Get(options_, meta_, key, &value)));
    return DecodeHead(AsStd(value));
  }

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const meta_;
  const rocksdb::Snapshot* const snapshot_;
  rocksdb::ReadOptions options_;
};

absl::StatusOr<std::optional<Record>> RocksStore::Get(const RecordKey& key) const {
  if (!IsValidKey(key)) return std::nullopt;
  const std::string encoded = EncodeKey(key);
  rocksdb::PinnableSlice value;
  const rocksdb::Status read =
      db().Get(rocksdb::ReadOptions(), family(Family::kRecords), encoded, &value);
  if (read.IsNotFound()) return std::nullopt;
  BK_RETURN_IF_ERROR(FromRocks(read));
  BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, encoded, AsStd(value)));
  return std::optional<Record>(std::move(record));
}

absl::StatusOr<std::optional<Record>> RocksStore::GetAt(const RecordKey& key,
                                                        Revision revision) const {
  const Snapshot snapshot(*this);
  BK_ASSIGN_OR_RETURN(const Head head, snapshot.ReadHead());
  BK_RETURN_IF_ERROR(CheckReadable(revision, head.oldest, head.revision));
  if (!IsValidKey(key)) return std::nullopt;
  const std::unique_ptr<rocksdb::Iterator> it(
      db().NewIterator(snapshot.options(), family(Family::kHistory)));
  it->SeekForPrev(EncodeHistoryKey(key, revision));
  BK_RETURN_IF_ERROR(FromRocks(it->status()));
  if (!it->Valid() || !AsStd(it->key()).starts_with(EncodeKey(key))) return std::nullopt;
  BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, AsStd(it->key()), AsStd(it->value())));
  return std::optional<Record>(std::move(record));
}

absl::StatusOr<std::vector<Record>> RocksStore::History(const RecordKey& key,
                                                        std::optional<Revision> before,
                                                        size_t limit) const {
  std::vector<Record> out;
  if (!IsValidKey(key) || (before && before->value <= 0)) return out;
  const std::string prefix = EncodeKey(key);
  const std::string after_all = AfterPrefix(prefix);
  const rocksdb::Slice upper(after_all);
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(db().NewIterator(read, family(Family::kHistory)));
  if (before) {
    it->SeekForPrev(EncodeHistoryKey(key, Revision{before->value - 1}));
  } else {
    it->SeekToLast();
  }
  for (; it->Valid() && out.size() < limit && AsStd(it->key()).starts_with(prefix); it->Prev()) {
    BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, AsStd(it->key()), AsStd(it->value())));
    out.push_back(std::move(record));
  }
  BK_RETURN_IF_ERROR(FromRocks(it->status()));
  return out;
}

absl::StatusOr<std::vector<Record>> RocksStore::List(const ListOptions& options) const {
  std::vector<Record> out;
  if (options.app && !options.app->starts_with(options.app_prefix)) return out;
  const std::string prefix = options.app ? AppPrefix(options.kind, *options.app)
                                         : AppStartPrefix(options.kind, options.app_prefix);
  std::string first = prefix;
  if (options.after) {
    BK_RETURN_IF_ERROR(CheckListAfter(*options.after));
    // No key is the start of another, so this is the first after it.
    first = std::max(first, EncodeKey(*options.after) + '\0');
  }
  const std::string after_all = AfterPrefix(prefix);
  const rocksdb::Slice upper(after_all);
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &upper;
  read.total_order_seek = true;  // it goes from app to app
  const std::unique_ptr<rocksdb::Iterator> it(db().NewIterator(read, family(Family::kRecords)));
  for (it->Seek(first); it->Valid() && out.size() < options.limit; it->Next()) {
    const std::optional<RecordKey> key = DecodeKey(AsStd(it->key()));
    if (!key) return absl::DataLossError("a key is damaged in the store");
    BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(*key, AsStd(it->key()), AsStd(it->value())));
    if (record.value) out.push_back(std::move(record));
  }
  BK_RETURN_IF_ERROR(FromRocks(it->status()));
  return out;
}

absl::Status RocksStore::AppendApp(const AppId& app, const rocksdb::Snapshot* snapshot,
                                   std::vector<Record>& out) const {
  rocksdb::ReadOptions read;
  read.snapshot = snapshot;
  // An app that is no valid id has nothing of its own; it could be part of a key.
  const bool valid = IsValidId(app.value());
  if (valid) {
    const RecordKey key = RecordKey::Policy(app);
    const std::string encoded = EncodeKey(key);
    rocksdb::PinnableSlice value;
    const rocksdb::Status got = db().Get(read, family(Family::kRecords), encoded, &value);
    if (!got.IsNotFound()) {
      BK_RETURN_IF_ERROR(FromRocks(got));
      BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, encoded, AsStd(value)));
      if (record.value) out.push_back(std::move(record));
    }
  }
  // One iterator for all: it is one state, and made once.
  read.prefix_same_as_start = true;
  const std::unique_ptr<rocksdb::Iterator> it(db().NewIterator(read, family(Family::kRecords)));
  const auto append = [&](const std::string& prefix) {
    for (it->Seek(prefix); it->Valid() && AsStd(it->key()).starts_with(prefix); it->Next()) {
      const std::optional<RecordKey> key = DecodeKey(AsStd(it->key()));
      if (!key) return absl::DataLossError("a key is damaged in the store");
      BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(*key, AsStd(it->key()), AsStd(it->value())));
      if (record.value) out.push_back(std::move(record));
    }
    return FromRocks(it->status());
  };
  BK_RETURN_IF_ERROR(append(AppPrefix(RecordKind::kCatalogEntry, "")));
  if (!valid) return absl::OkStatus();
  BK_RETURN_IF_ERROR(append(AppPrefix(RecordKind::kCatalogEntry, app.value())));
  return append(AppPrefix(RecordKind::kConnection, app.value()));
}

absl::StatusOr<PolicyStore::AppSnapshot> RocksStore::ReadApp(const AppId& app) const {
  // A snapshot takes RocksDB's own lock twice and reads the head: a third of the whole.
  // Where nothing was written meanwhile it is not needed.
  AppSnapshot out{{incarnation_, Revision{0}}, {}};
  const uint64_t epoch = write_epoch_;
  if (epoch % 2 == 0) {
    out.token.revision = Revision{published_head_};
    const absl::Status read = AppendApp(app, nullptr, out.records);
    if (write_epoch_ == epoch) {
      BK_RETURN_IF_ERROR(read);
      return out;
    }
    out.records.clear();
  }
  const Snapshot snapshot(*this);
  BK_ASSIGN_OR_RETURN(const Head head, snapshot.ReadHead());
  out.token.revision = head.revision;
  BK_RETURN_IF_ERROR(AppendApp(app, snapshot.options().snapshot, out.records));
  return out;
}

// ---- watches and backups -------------------------------------------------------

absl::StatusOr<std::unique_ptr<Watcher>> RocksStore::Watch(const WatchOptions& options) {
  // Under the lock no commit comes between the check and the start.
  MutexLock lock(commit_mu_);
  BK_RETURN_IF_ERROR(CheckWatch(options, head_.oldest, head_.revision));
  return feed_->Watch(options);
}

absl::StatusOr<std::shared_ptr<const CommitEvent>> RocksStore::ReadCommit(Revision revision) const {
  const Snapshot snapshot(*this);
  BK_ASSIGN_OR_RETURN(const Head head, snapshot.ReadHead());
  // The commits are those above the oldest state.
  BK_RETURN_IF_ERROR(CheckReadable(Revision{revision.value - 1}, head.oldest, head.revision));
  rocksdb::PinnableSlice value;
  const std::string commit_key = EncodeCommitKey(revision);
  const rocksdb::Status read =
      db().Get(snapshot.options(), family(Family::kCommits), commit_key, &value);
  if (read.IsNotFound()) {
    return absl::DataLossError(
        absl::StrFormat("commit %d is missing in the store", revision.value));
  }
  BK_RETURN_IF_ERROR(FromRocks(read));
  BK_ASSIGN_OR_RETURN(const std::vector<CommitChange> changes,
                      DecodeCommit(revision, AsStd(value)));

  std::vector<std::string> encoded;
  encoded.reserve(changes.size());
  for (const CommitChange& change : changes) {
    encoded.push_back(EncodeHistoryKey(change.key, revision));
  }
  const std::vector<rocksdb::Slice> keys(encoded.begin(), encoded.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> reads(keys.size());
  db().MultiGet(snapshot.options(), family(Family::kHistory), keys.size(), keys.data(),
                values.data(), reads.data());
  auto event = std::make_shared<CommitEvent>();
  event->revision = revision;
  event->records.reserve(changes.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (reads[i].IsNotFound()) {
      return absl::DataLossError(absl::StrFormat("%s of commit %d is missing in the store",
                                                 Describe(changes[i].key), revision.value));
    }
    BK_RETURN_IF_ERROR(FromRocks(reads[i]));
    BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(changes[i].key, encoded[i], AsStd(values[i])));
    event->records.push_back(std::move(record));
  }
  return event;
}

absl::StatusOr<PolicyStore::BackupResult> RocksStore::Backup(const std::string& path) {
  return WriteBackup(*db_, path, options_);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyStore>> OpenRocksStore(const RocksStoreOptions& options,
                                                            OpenReport& report) {
  return RocksStore::Open(options, report);
}

absl::StatusOr<RevisionToken> RestoreRocksBackup(const std::string& backup,
                                                 const RocksStoreOptions& options) {
  BK_RETURN_IF_ERROR(CheckOptions(options));
  BK_ASSIGN_OR_RETURN(const DataFolder folder, DataFolder::Open(options.path));
  if (folder.has_store()) {
    return absl::AlreadyExistsError(
        absl::StrFormat("`%s` has a store: name a folder that does not exist", options.path));
  }
  return CopyBackup(backup, folder, options);
}

}  // namespace bridgekeeper::store
