// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The few operations on files that the store does itself. What is written is on the
// disk when a function returns.
//
// Errors: as FromErrno() has them, unless said otherwise.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_FILES_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bridgekeeper::store {

// An open descriptor that closes itself.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  int get() const { return fd_; }

 private:
  int fd_;
};

// `folder`/`name`.
std::string InFolder(std::string_view folder, std::string_view name);

bool Exists(const std::string& path);

// Names in a folder, sorted, without `.` and `..`.
absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path);

// Makes a folder of mode 0700. Errors: kAlreadyExists.
absl::Status MakeFolder(const std::string& path);

absl::StatusOr<std::string> ReadFile(const std::string& path);

// Makes the file, which must not exist, with mode 0600.
absl::Status WriteNewFile(const std::string& path, std::string_view content);

absl::Status TruncateFile(const std::string& path, uint64_t bytes);

// Copies a file; `to` must not exist.
absl::Status CopyFile(const std::string& from, const std::string& to);

// Writes what the system holds back of a file or of a folder's names.
absl::Status SyncPath(const std::string& path);

// Renames within one folder and syncs the folder.
absl::Status RenameWithin(const std::string& folder, const std::string& from,
                          const std::string& to);

// Removes a folder and the files in it. Folders in it are an error.
absl::Status RemoveFolder(const std::string& path);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_FILES_H_
