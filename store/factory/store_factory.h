// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The one place that knows every kind of store. A new kind is one row in
// store_factory.cc.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_STORE_FACTORY_STORE_FACTORY_H_
#define BRIDGEKEEPER_STORE_FACTORY_STORE_FACTORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

struct StoreOptions {
  // One of StoreKinds().
  std::string kind = "rocksdb";
  // The incarnation of a store that is made: 32 lower-case hexadecimal digits, random.
  std::string new_incarnation;
  // Commits that stay readable, with the states that they replaced. At least 1.
  int64_t keep_revisions = 100'000;

  // rocksdb only. The folder, ours alone; and as store/rocksdb/rocks_store.h has them.
  std::string path;
  size_t block_cache_bytes = size_t{64} << 20;
  size_t write_buffer_bytes = size_t{32} << 20;
  bool verify_files = true;
};

struct OpenedStore {
  std::unique_ptr<PolicyStore> store;
  OpenReport report;
};

// The kinds, in the order in which help lists them.
std::vector<std::string_view> StoreKinds();

// Opens the store, or makes it where there is none.
//
// Errors:
//   kInvalidArgument    - the kind is not known, or an option is outside its range.
//   kFailedPrecondition - the data is not ours to open: who owns the folder, who else
//                         uses it, which version wrote it.
//   kDataLoss           - the data is damaged or not all there.
//   kUnavailable, kResourceExhausted - the system refuses.
// Each says what to do.
absl::StatusOr<OpenedStore> OpenStore(const StoreOptions& options);

// Makes a store in the empty folder `options.path` from what PolicyStore::Backup()
// wrote. The store has the incarnation `options.new_incarnation`.
//
// Errors: as OpenStore(), and
//   kUnimplemented - this kind has no backups.
//   kAlreadyExists - there is a store.
//   kNotFound      - `backup` is no backup.
absl::StatusOr<RevisionToken> RestoreStore(const std::string& backup, const StoreOptions& options);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_FACTORY_STORE_FACTORY_H_
