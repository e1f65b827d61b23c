// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SyncedMark is a small file beside RocksDB's own that says what is known to be synced:
// a revision, and a length of the MANIFEST. It is written after the sync and not synced
// itself: after a crash of the process it is exact or nearly, after one of the machine
// it may be behind, and it is never ahead. So a store that opens below it has lost what
// it had acknowledged: a log was deleted or cut where a record ends, a MANIFEST was cut
// or put back. RocksDB itself takes such a store for one that is all there.
//
// Thread safety: none; the store calls it under its commit lock.
// Source: store/rocksdb/FORMAT.md, "The mark".

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_SYNCED_MARK_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_SYNCED_MARK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policy/model/ids.h"
#include "store/rocksdb/files.h"

namespace bridgekeeper::store {

inline constexpr char kMarkFile[] = "SYNCED";

struct Synced {
  Revision revision;
  uint64_t manifest_number = 0;  // of the file MANIFEST-<number>
  uint64_t manifest_bytes = 0;
  friend bool operator==(const Synced&, const Synced&) = default;
};

class SyncedMark {
 public:
  // Makes the file in the RocksDB folder `path`, synced, with `synced` in it.
  static absl::Status Create(const std::string& path, const Synced& synced);

  // What it says; nullopt where the file is missing. Changes nothing.
  //
  // Errors:
  //   kDataLoss - neither of its two copies can be read.
  static absl::StatusOr<std::optional<Synced>> Read(const std::string& path);

  // Opens it to be written. Errors: those of Read(); kDataLoss - it is missing.
  static absl::StatusOr<SyncedMark> Open(const std::string& path);

  // Notes what is synced. An error is not reported: what the mark then says is still
  // true.
  void Set(const Synced& synced);

 private:
  explicit SyncedMark(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
  size_t next_slot_ = 0;
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_SYNCED_MARK_H_
