// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DataFolder is the folder that a store lives in: ours alone (mode 0700), held by one
// process at a time, and never taken for empty when it is not.
//
//   LOCK           held while the folder is open
//   db/            the store
//   db.new/        a store that is being created; nothing in it was acknowledged
//   db.restoring/  a store that is being restored from a backup
//
// Source: store/rocksdb/FORMAT.md, "The folder".

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_DATA_FOLDER_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_DATA_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/rocksdb/files.h"

namespace bridgekeeper::store {

// Parts of a store come into being under another name than `db`, which is given to
// them when they are complete.
inline constexpr char kStoreFolder[] = "db";
inline constexpr char kNewFolder[] = "db.new";
inline constexpr char kRestoringFolder[] = "db.restoring";

class DataFolder {
 public:
  // Opens and locks the folder at `path`; makes it where it does not exist (its parent
  // must).
  //
  // Errors:
  //   kFailedPrecondition - it is no folder, not ours, open to others, in use by
  //                         another process, or holds what is no store; the message
  //                         says what to do.
  //   kDataLoss           - it holds parts of a store whose rest is gone.
  //   kUnavailable, kResourceExhausted - the system refuses.
  static absl::StatusOr<DataFolder> Open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string store_path() const { return InFolder(path_, kStoreFolder); }

  // Whether there is a store. Where there is none the folder is empty but for what a
  // creation or a restore that was cut off has left.
  bool has_store() const { return Exists(store_path()); }
  bool has_broken_restore() const { return Exists(InFolder(path_, kRestoringFolder)); }

  // Makes the empty folder `name` (kNewFolder, kRestoringFolder) in it, and removes
  // what was there. Returns its path.
  absl::StatusOr<std::string> MakeAnew(const std::string& name) const;

  // Makes the finished `name` the store. REQUIRES: !has_store()
  absl::Status Finish(const std::string& name) const;

 private:
  DataFolder(std::string path, FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  FileDescriptor lock_;
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_DATA_FOLDER_H_
