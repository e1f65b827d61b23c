// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The one place where errors of RocksDB and of the operating system become ours.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STATUS_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STATUS_H_

#include <string_view>

#include "absl/status/status.h"
#include "rocksdb/status.h"

namespace bridgekeeper::store {

// An error of a read or a write of the open store. The text names no file: it may
// leave the process.
//
//   kDataLoss          - what is stored is damaged.
//   kResourceExhausted - the disk is full.
//   kUnavailable       - the disk refuses; every other error of the disk.
//   kInternal          - a use of RocksDB that it does not take: our fault.
absl::Status FromRocks(const rocksdb::Status& status);

// An error of opening the files at `path`; the text is for the operator's terminal and
// log, with what to do.
//
//   kDataLoss    - a file is damaged or missing.
//   kUnavailable, kResourceExhausted, kInternal - as above.
absl::Status FromRocksOpen(const rocksdb::Status& status, std::string_view path);

// kDataLoss for the files at `path`, with what to do.
absl::Status DamagedFiles(std::string_view path, std::string_view what);

// An error of a system call on `path`, from errno; for the operator.
//
//   kResourceExhausted - no space, or no more files.
//   kUnavailable       - every other one.
absl::Status FromErrno(int error, std::string_view doing, std::string_view path);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_STATUS_H_
