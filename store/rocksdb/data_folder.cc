// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

constexpr char kLockFile[] = "LOCK";

// What every ext4 file system has in its root, so that a volume of its own can be the
// folder.
constexpr char kLostAndFound[] = "lost+found";

absl::Status CheckOurs(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return FromErrno(errno, "look at", path);
  if (!S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrFormat("`%s` is no folder", path));
  }
  if (info.st_uid != ::geteuid()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("`%s` belongs to user %d, want user %d: chown %d %s", path, info.st_uid,
                        ::geteuid(), ::geteuid(), path));
  }
  if ((info.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(
        absl::StrFormat("`%s` is open to other users (mode %04o), want 0700: chmod 700 %s", path,
                        info.st_mode & 07777, path));
  }
  return absl::OkStatus();
}

// Refuses a folder that has no store and is not empty either: a store would be made in
// it that is taken for the one that was there.
absl::Status CheckEmpty(const std::string& path) {
  BK_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(path));
  for (const std::string& name : names) {
    if (name == kLockFile || name == kLostAndFound || name == kNewFolder ||
        name == kRestoringFolder) {
      continue;
    }
    if (name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".sst") ||
        name.ends_with(".log")) {
      return DamagedFiles(path,
                          absl::StrFormat("it holds `%s` but no folder `%s`", name, kStoreFolder));
    }
    return absl::FailedPreconditionError(absl::StrFormat(
        "`%s` holds `%s` and no store: name an empty folder, or one that does not exist", path,
        name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DataFolder> DataFolder::Open(const std::string& path) {
  const absl::Status made = MakeFolder(path);
  if (!made.ok() && !absl::IsAlreadyExists(made)) return made;
  BK_RETURN_IF_ERROR(CheckOurs(path));

  const std::string lock_path = InFolder(path, kLockFile);
  FileDescriptor lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() < 0) return FromErrno(errno, "open", lock_path);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return FromErrno(errno, "lock", lock_path);
    return absl::FailedPreconditionError(absl::StrFormat(
        "`%s` is in use by another process: stop that one, or name another folder", path));
  }
  DataFolder folder(path, std::move(lock));
  if (!folder.has_store()) {
    BK_RETURN_IF_ERROR(CheckEmpty(path));
  } else if (!Exists(InFolder(folder.store_path(), "CURRENT"))) {
    return DamagedFiles(path, absl::StrFormat("`%s/CURRENT` is missing", kStoreFolder));
  }
  return folder;
}

absl::StatusOr<std::string> DataFolder::MakeAnew(const std::string& name) const {
  const std::string folder = InFolder(path_, name);
  if (Exists(folder)) BK_RETURN_IF_ERROR(RemoveFolder(folder));
  BK_RETURN_IF_ERROR(MakeFolder(folder));
  return folder;
}

absl::Status DataFolder::Finish(const std::string& name) const {
  BK_RETURN_IF_ERROR(SyncPath(InFolder(path_, name)));
  return RenameWithin(path_, name, kStoreFolder);
}

}  // namespace bridgekeeper::store
