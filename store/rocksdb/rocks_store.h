// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The store in an embedded RocksDB. It keeps every promise of store/api/store.h.
//
// A store that is damaged is not opened, and never taken for an empty one. What a
// crash left of a write that was not acknowledged is dropped and reported.
//
// Source: store/rocksdb/FORMAT.md.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STORE_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/api/store.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace bridgekeeper::store {

struct RocksStoreOptions {
  // The folder: ours alone, mode 0700. Made where it does not exist, but not its
  // parent.
  std::string path;

  // The incarnation of a store that is made by this call: 32 lower-case hexadecimal
  // digits, random. A store that exists keeps its own.
  std::string new_incarnation;

  // Commits that stay readable, with the states that they replaced. At least 1. A
  // watcher further behind needs a snapshot.
  int64_t keep_revisions = 100'000;

  // Memory: uncompressed blocks, indexes and filters; and writes that are not in files
  // yet, which also bounds what is replayed at the next start (twice this). At least
  // 1 MiB each.
  size_t block_cache_bytes = size_t{64} << 20;
  size_t write_buffer_bytes = size_t{32} << 20;

  // Reads every file once at start and compares it with the checksum that was noted
  // when it was written: about a second for each GB.
  bool verify_files = true;

  // What RocksDB reaches the disk through; null: the system. For tests.
  rocksdb::Env* env = nullptr;
};

// Opens the store, or makes it where the folder is empty.
//
// Errors:
//   kInvalidArgument    - an option is outside its range.
//   kFailedPrecondition - the folder is not ours alone, in use, holds something else,
//                         a restore into it was cut off, or a newer version wrote it.
//   kDataLoss           - the store is damaged or is not all there.
//   kUnavailable, kResourceExhausted - the disk refuses.
// Each says what to do.
absl::StatusOr<std::unique_ptr<PolicyStore>> OpenRocksStore(const RocksStoreOptions& options,
                                                            OpenReport& report);

// Makes a store in the empty folder `options.path` from the folder `backup` that
// PolicyStore::Backup() wrote. It has the backup's data and revision, and the
// incarnation `options.new_incarnation`.
//
// Errors: as OpenRocksStore(), and
//   kAlreadyExists - `options.path` has a store.
//   kNotFound      - `backup` is no backup.
//   kDataLoss      - the backup is damaged or not complete.
absl::StatusOr<RevisionToken> RestoreRocksBackup(const std::string& backup,
                                                 const RocksStoreOptions& options);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STORE_H_
