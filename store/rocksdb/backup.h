// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Backups: a folder of mode 0700 with
//
//   db/     the files of the store at one moment
//   BACKUP  its token, and name, size and CRC-32C of each file; written last
//
// A folder without BACKUP, or that BACKUP does not describe to the byte, is no backup.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_BACKUP_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_BACKUP_H_

#include <string>

#include "absl/status/statusor.h"
#include "store/api/store.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/rocks_db.h"

namespace bridgekeeper::store {

// Writes a backup of `db` into the new folder `path`, while `db` is in use.
//
// Errors: as PolicyStore::Backup(); the folder is left as it is then.
absl::StatusOr<PolicyStore::BackupResult> WriteBackup(const RocksDb& db, const std::string& path,
                                                      const RocksStoreOptions& options);

// Makes the store in `folder` from the backup `path`, with options.new_incarnation.
//
// Errors: as RestoreRocksBackup(). REQUIRES: !folder.has_store()
absl::StatusOr<RevisionToken> CopyBackup(const std::string& path, const DataFolder& folder,
                                         const RocksStoreOptions& options);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_BACKUP_H_
