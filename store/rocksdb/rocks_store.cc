// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/rocks_store.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "policy/base/mutex.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "store/rocksdb/backup.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/files.h"
#include "store/rocksdb/log_scan.h"
#include "store/rocksdb/rocks_db.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/rocks_store_impl.h"
#include "store/rocksdb/store_meta.h"
#include "store/rocksdb/synced_mark.h"

namespace bridgekeeper::store {
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
  if (!mark) {
    return DamagedFiles(path, absl::StrFormat("`%s` is missing, which says how much was "
                                              "acknowledged: a log may be missing too",
                                              kMarkFile));
  }
  const Synced& synced = *mark;
  BK_ASSIGN_OR_RETURN(const std::vector<IncompleteEnd> torn,
                      CheckManifest(path, {synced.manifest_number, synced.manifest_bytes}));
  // RocksDB reads no further than this without it, whatever it is asked for.
  BK_RETURN_IF_ERROR(CutIncompleteEnds(path, torn));
  for (const IncompleteEnd& end : torn) {
    report.notes.push_back(absl::StrFormat(
        "dropped %d bytes at the end of `%s`: a change of files that a crash cut off", end.bytes,
        end.file));
  }
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

  // It is whole. Up to here no write was touched.
  BK_RETURN_IF_ERROR(CutIncompleteEnds(path, ends));
  for (const IncompleteEnd& end : ends) {
    ++report.dropped_records;
    report.dropped_bytes += end.bytes;
    report.notes.push_back(absl::StrFormat(
        "dropped %d bytes at the end of log `%s`: a write that a crash cut off and that was never "
        "acknowledged",
        end.bytes, end.file));
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

// ---- watches and backups -------------------------------------------------------

absl::StatusOr<std::unique_ptr<Watcher>> RocksStore::Watch(const WatchOptions& options) {
  // Under the lock no commit comes between the check and the start.
  MutexLock lock(commit_mu_);
  BK_RETURN_IF_ERROR(CheckWatch(options, head_.oldest, head_.revision));
  return feed_->Watch(options);
}

absl::StatusOr<PolicyStore::BackupResult> RocksStore::Backup(const std::string& path) {
  return WriteBackup(*db_, path, options_);
}

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
