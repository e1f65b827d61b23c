// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/guarded_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {
namespace {

absl::StatusOr<UniqueFd> OpenGuarded(const std::string& path) {
  // Non-blocking: a pipe that nobody writes would hold us up.
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    const int error = errno;
    const std::string message = absl::StrFormat("`%s`: %s", path, strerror(error));
    return error == ENOENT ? absl::NotFoundError(message) : absl::InternalError(message);
  }
  struct stat status;
  if (fstat(fd.get(), &status) != 0) {
    return absl::InternalError(absl::StrFormat("`%s`: %s", path, strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrFormat("`%s`: want a regular file", path));
  }
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return absl::FailedPreconditionError(
        absl::StrFormat("`%s`: got a file of user %d, want one of ours (%d) or of root", path,
                        status.st_uid, geteuid()));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrFormat("`%s`: got mode %04o, want one that neither group nor others may write "
                        "(chmod go-w)",
                        path, status.st_mode & 07777));
  }
  return fd;
}

}  // namespace

absl::StatusOr<std::string> ReadGuardedFile(const std::string& path, size_t max_bytes) {
  BK_ASSIGN_OR_RETURN(const UniqueFd fd, OpenGuarded(path));
  std::string text;
  char buffer[16 << 10];
  while (true) {
    const ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::InternalError(absl::StrFormat("`%s`: %s", path, strerror(errno)));
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("`%s`: got more than %d bytes", path, max_bytes));
    }
  }
}

absl::Status CheckGuardedFile(const std::string& path) { return OpenGuarded(path).status(); }

}  // namespace bridgekeeper
