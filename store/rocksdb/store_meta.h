// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a store says of itself, in column family `meta`: format, incarnation, head.
//
// Thread safety: free functions without state.
// Source: store/rocksdb/FORMAT.md, "Meta".

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_STORE_META_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_STORE_META_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/api/store.h"
#include "store/rocksdb/rocks_db.h"
#include "store/rocksdb/value_codec.h"

namespace bridgekeeper::store {

// The format that this build reads and writes.
inline constexpr std::string_view kStoreFormat = "1";

struct StoreMeta {
  std::string incarnation;
  Head head;

  RevisionToken token() const { return {incarnation, head.revision}; }
};

// Writes all of it, synced.
absl::Status WriteMeta(const RocksDb& db, const StoreMeta& meta);

// Reads all of it. `path` is for messages.
//
// Errors:
//   kFailedPrecondition - the format is not ours.
//   kDataLoss           - a part is missing or damaged.
absl::StatusOr<StoreMeta> ReadMeta(const RocksDb& db, const std::string& path);

// Checks the RocksDB folder `path` without changing a file in it, every byte where
// options.verify_files is set, and reads its meta.
//
// Errors: as OpenRocksStore().
// REQUIRES: `mode` is one of the read-only ones
absl::StatusOr<StoreMeta> CheckStore(const std::string& path, RocksDb::Mode mode,
                                     const RocksStoreOptions& options);

// True for 32 lower-case hexadecimal digits.
bool IsIncarnation(std::string_view text);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_STORE_META_H_
