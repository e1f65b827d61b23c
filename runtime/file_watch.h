// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FileWatch says when a file may have changed: written in place, replaced by a rename,
// its mode changed, or, where it is a symbolic link, pointed elsewhere. It looks at the
// folders of the file and of what it points to. A folder that is removed is not followed.
//
// Thread safety: used by one thread at a time.

#ifndef BRIDGEKEEPER_RUNTIME_FILE_WATCH_H_
#define BRIDGEKEEPER_RUNTIME_FILE_WATCH_H_

#include <sys/stat.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {

class FileWatch {
 public:
  // Watches `path`, which need not exist; its folder must.
  //
  // Errors:
  //   kNotFound          - there is no such folder.
  //   kResourceExhausted - the user has too many watches.
  //   kInternal          - anything else that the system says.
  static absl::StatusOr<FileWatch> Create(std::string path);

  // Readable when something has happened.
  int fd() const { return fd_.get(); }

  // Takes in what has happened; returns whether the file may have changed since the last
  // call. Never waits.
  bool Drain();

 private:
  FileWatch(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  absl::Status WatchFolders();

  std::string path_;
  UniqueFd fd_;
  std::optional<struct stat> seen_;  // nullopt: there was none
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_FILE_WATCH_H_
