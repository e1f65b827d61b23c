// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/rocks_status.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/str_format.h"

namespace bridgekeeper::store {
namespace {

// The system's own words: RocksDB writes "What it did: FILE: words".
std::string_view Reason(const rocksdb::Status& status) {
  const char* state = status.getState();
  std::string_view text = state != nullptr ? state : "no reason was given";
  const size_t colon = text.rfind(": ");
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

}  // namespace

absl::Status FromRocks(const rocksdb::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.IsCorruption()) {
    return absl::DataLossError(
        "a file of the store is damaged; stop the server and restore the store from a backup");
  }
  if (status.IsNoSpace() || status.subcode() == rocksdb::Status::kSpaceLimit) {
    return absl::ResourceExhaustedError("the disk of the store is full");
  }
  if (status.IsIOError() || status.IsIOFenced()) {
    return absl::UnavailableError(absl::StrFormat("the disk of the store: %s", Reason(status)));
  }
  if (status.IsBusy() || status.IsTimedOut() || status.IsTryAgain() || status.IsIncomplete() ||
      status.IsShutdownInProgress() || status.IsAborted()) {
    return absl::UnavailableError(absl::StrFormat("the store is busy: %s", status.ToString()));
  }
  return absl::InternalError(absl::StrFormat("RocksDB: %s", status.ToString()));
}

absl::Status FromRocksOpen(const rocksdb::Status& status, std::string_view path) {
  if (status.ok()) return absl::OkStatus();
  // A file that the MANIFEST names and that is not there is an IOError to RocksDB.
  if (status.IsCorruption() || status.IsPathNotFound()) {
    return DamagedFiles(path, status.ToString());
  }
  const absl::Status translated = FromRocks(status);
  return absl::Status(translated.code(), absl::StrFormat("open `%s`: %s", path, status.ToString()));
}

absl::Status DamagedFiles(std::string_view path, std::string_view what) {
  return absl::DataLossError(
      absl::StrFormat("the store at `%s` is damaged: %s. Keep a copy of the folder, check the "
                      "disk, and restore the "
                      "last backup: keeperd restore --from BACKUP --data-dir NEW",
                      path, what));
}

absl::Status FromErrno(int error, std::string_view doing, std::string_view path) {
  const std::string text =
      absl::StrFormat("%s `%s`: %s", doing, path, std::generic_category().message(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(text);
    default:
      return absl::UnavailableError(text);
  }
}

}  // namespace bridgekeeper::store
