// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// RocksDb is an open RocksDB database with our column families and options, and
// nothing of what they mean.
//
// Thread safety: as rocksdb::DB.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_DB_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_DB_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "store/rocksdb/log_scan.h"
#include "store/rocksdb/rocks_store.h"

namespace bridgekeeper::store {

// Persistent: the names in kFamilyNames. Do not rename.
enum class Family : uint8_t { kMeta, kRecords, kHistory, kCommits, kRequests };
inline constexpr std::array<const char*, 5> kFamilyNames = {
    "default",  // meta; RocksDB wants one of this name
    "records", "history", "commits", "requests"};

// What the store hangs into RocksDB; all must outlive the RocksDb.
struct RocksHooks {
  const rocksdb::CompactionFilter* requests_filter = nullptr;
  std::shared_ptr<rocksdb::EventListener> listener;
};

class RocksDb {
 public:
  enum class Mode {
    kCreate,                   // makes it; the folder must hold none
    kReadOnly,                 // changes no file
    kReadOnlyToIncompleteEnd,  // the same, for logs whose end ScanWals() has found
    kReadWrite,
  };

  // Opens the RocksDB folder `path`.
  //
  // Errors:
  //   kFailedPrecondition - it has a column family that this build does not know.
  //   kDataLoss, kUnavailable, kResourceExhausted - as FromRocksOpen() has them.
  static absl::StatusOr<std::unique_ptr<RocksDb>> Open(const std::string& path, Mode mode,
                                                       const RocksStoreOptions& options,
                                                       const RocksHooks& hooks = {});
  ~RocksDb();
  RocksDb(const RocksDb&) = delete;
  RocksDb& operator=(const RocksDb&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Family family) const {
    return families_[static_cast<size_t>(family)];
  }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }

 private:
  RocksDb(std::unique_ptr<rocksdb::DB> db, std::vector<rocksdb::ColumnFamilyHandle*> families)
      : db_(std::move(db)), families_(std::move(families)) {}

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // in the order of Family
};

// The MANIFEST of an open database, as far as it is synced.
struct Manifest {
  uint64_t number = 0;
  uint64_t bytes = 0;
};
absl::StatusOr<Manifest> CurrentManifest(const RocksDb& db);

// Checks without opening that the RocksDB folder `path` has at least `least` of its
// MANIFEST. RocksDB takes a MANIFEST that is cut for an older one, forgets the files
// that were named after the cut, and deletes them. Returns the record at its end that a
// crash left incomplete, if there is one: RocksDB refuses a MANIFEST that has one.
//
// Errors:
//   kDataLoss - it has less, or an older MANIFEST.
//   kUnavailable, kResourceExhausted - a file cannot be read.
absl::StatusOr<std::vector<IncompleteEnd>> CheckManifest(const std::string& path,
                                                         const Manifest& least);

// How every write of ours is made: synced before it is answered, said and not left to
// a default.
rocksdb::WriteOptions SyncedWrite();

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_DB_H_
