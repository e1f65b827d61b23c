// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The class behind rocks_store.h, for the files that define it: opening, watches and
// backups in rocks_store.cc, commits in rocks_commits.cc, reads in rocks_reads.cc.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STORE_IMPL_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STORE_IMPL_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/base/mutex.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/snapshot.h"
#include "store/api/commit_feed.h"
#include "store/api/commit_plan.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/rocks_db.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/store_meta.h"
#include "store/rocksdb/synced_mark.h"
#include "store/rocksdb/value_codec.h"

namespace bridgekeeper::store {

inline std::string_view AsStd(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

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

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STORE_IMPL_H_
