// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/backup.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "rocksdb/utilities/checkpoint.h"
#include "store/rocksdb/crc32c.h"
#include "store/rocksdb/files.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/store_meta.h"
#include "store/rocksdb/synced_mark.h"

namespace bridgekeeper::store {
namespace {

constexpr char kBackupFile[] = "BACKUP";

struct Description {
  std::string text;
  int64_t bytes = 0;
};

// What BACKUP must hold for the files in `folder`.
absl::StatusOr<Description> Describe(const std::string& folder, const RevisionToken& token) {
  Description out;
  out.text = absl::StrFormat("bridgekeeper backup, format %s\nincarnation %s\nrevision %d\n",
                             kStoreFormat, token.incarnation, token.revision.value);
  BK_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(folder));
  for (const std::string& name : names) {
    BK_ASSIGN_OR_RETURN(const std::string content, ReadFile(InFolder(folder, name)));
    out.text +=
        absl::StrFormat("file %s %d %08x\n", name, content.size(), ExtendCrc32c(0, content));
    out.bytes += static_cast<int64_t>(content.size());
  }
  return out;
}

absl::Status BrokenBackup(const std::string& path, std::string_view what) {
  return absl::DataLossError(absl::StrFormat(
      "the backup `%s` is damaged or not complete: %s; take an older one", path, what));
}

}  // namespace

absl::StatusOr<PolicyStore::BackupResult> WriteBackup(const RocksDb& db, const std::string& path,
                                                      const RocksStoreOptions& options) {
  BK_RETURN_IF_ERROR(MakeFolder(path));
  const std::string folder = InFolder(path, kStoreFolder);
  rocksdb::Checkpoint* made = nullptr;
  BK_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(&db.db(), &made)));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  BK_RETURN_IF_ERROR(FromRocks(checkpoint->CreateCheckpoint(folder)));

  // The store goes on while files are linked, so the backup itself says where it ends;
  // and a backup is not called one before it was opened.
  BK_ASSIGN_OR_RETURN(const StoreMeta meta, CheckStore(folder, RocksDb::Mode::kReadOnly, options));
  BK_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(folder));
  for (const std::string& name : names) BK_RETURN_IF_ERROR(SyncPath(InFolder(folder, name)));
  BK_RETURN_IF_ERROR(SyncPath(folder));
  BK_ASSIGN_OR_RETURN(const Description description, Describe(folder, meta.token()));
  BK_RETURN_IF_ERROR(WriteNewFile(InFolder(path, kBackupFile), description.text));
  BK_RETURN_IF_ERROR(SyncPath(path));
  return PolicyStore::BackupResult{meta.token(), description.bytes};
}

absl::StatusOr<RevisionToken> CopyBackup(const std::string& path, const DataFolder& folder,
                                         const RocksStoreOptions& options) {
  const std::string from = InFolder(path, kStoreFolder);
  if (!Exists(InFolder(path, kBackupFile))) {
    return absl::NotFoundError(
        absl::StrFormat("`%s` is no backup, or one that was not finished: it holds no file `%s`",
                        path, kBackupFile));
  }
  BK_ASSIGN_OR_RETURN(const std::string to, folder.MakeAnew(kRestoringFolder));
  BK_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(from));
  for (const std::string& name : names) {
    BK_RETURN_IF_ERROR(CopyFile(InFolder(from, name), InFolder(to, name)));
  }

  // What is checked is the copy, for that is what will be used.
  absl::StatusOr<StoreMeta> meta = CheckStore(to, RocksDb::Mode::kReadOnly, options);
  if (absl::IsDataLoss(meta.status())) return BrokenBackup(path, meta.status().ToString());
  BK_RETURN_IF_ERROR(meta.status());
  BK_ASSIGN_OR_RETURN(const Description copied, Describe(to, meta->token()));
  BK_ASSIGN_OR_RETURN(const std::string described, ReadFile(InFolder(path, kBackupFile)));
  if (copied.text != described) {
    return BrokenBackup(path,
                        absl::StrFormat("its files are not those that `%s` lists", kBackupFile));
  }
  meta->incarnation = options.new_incarnation;
  {
    BK_ASSIGN_OR_RETURN(const std::unique_ptr<RocksDb> db,
                        RocksDb::Open(to, RocksDb::Mode::kReadWrite, options));
    BK_RETURN_IF_ERROR(WriteMeta(*db, *meta));
  }
  BK_RETURN_IF_ERROR(SyncedMark::Create(to, {.revision = meta->head.revision}));
  BK_RETURN_IF_ERROR(folder.Finish(kRestoringFolder));
  return meta->token();
}

}  // namespace bridgekeeper::store
