// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/private_dir.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper {
namespace {

constexpr mode_t kPrivate = 0700;

absl::Status Refused(const std::string& path, const std::string& got, const char* want) {
  return absl::FailedPreconditionError(
      absl::StrFormat("folder `%s`: got %s, want %s", path, got, want));
}

absl::Status MakeDir(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) {
    return absl::InternalError(
        absl::StrFormat("make folder `%s`: %s", parent.string(), error.message()));
  }
  // umask only takes bits away. Another process may make it first: the check that
  // follows looks at what is there.
  if (mkdir(path.c_str(), kPrivate) != 0 && errno != EEXIST) {
    return absl::InternalError(absl::StrFormat(
        "make folder `%s`: %s", path, std::error_code(errno, std::generic_category()).message()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EnsurePrivateDir(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) BK_RETURN_IF_ERROR(MakeDir(path));
    if (lstat(path.c_str(), &found) != 0) {
      return absl::InternalError(
          absl::StrFormat("look at folder `%s`: %s", path,
                          std::error_code(errno, std::generic_category()).message()));
    }
  }
  if (S_ISLNK(found.st_mode)) return Refused(path, "a symbolic link", "a folder");
  if (!S_ISDIR(found.st_mode)) return Refused(path, "a file", "a folder");
  if (found.st_uid != geteuid()) {
    return Refused(path, absl::StrFormat("owner %d", found.st_uid), "ourselves as its owner");
  }
  const mode_t mode = found.st_mode & 07777;
  if (mode != kPrivate) return Refused(path, absl::StrFormat("mode %04o", mode), "mode 0700");
  return absl::OkStatus();
}

}  // namespace bridgekeeper
