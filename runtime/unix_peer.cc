// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/unix_peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {
namespace {

constexpr size_t kMaxShownPathBytes = 512;

std::string Shown(std::string_view path) { return EscapeForPeople(path, kMaxShownPathBytes); }

absl::Status SystemError(std::string_view what, std::string_view path, int error) {
  const std::string message =
      absl::StrFormat("%s `%s`: %s", what, Shown(path), std::generic_category().message(error));
  const bool is_absent = error == ENOENT || error == ECONNREFUSED;
  return is_absent ? absl::UnavailableError(message) : absl::FailedPreconditionError(message);
}

absl::Status CheckOwner(std::string_view what, std::string_view path, uid_t owner, uid_t user) {
  if (owner == 0 || owner == user) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("%s `%s`: got the user %d, want 0 or %d", what, Shown(path), owner, user));
}

// The folder and those above it: whoever may write to one may put a socket of their
// own at the path. Above the folder itself the sticky bit is enough, as in /tmp: it
// keeps others from renaming what is ours.
absl::Status CheckFolders(const std::string& real_path, uid_t user) {
  std::string folder = real_path;
  bool is_nearest = true;
  do {
    folder.resize(folder.rfind('/'));
    const std::string path = folder.empty() ? "/" : folder;
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) return SystemError("look at the folder", path, errno);
    BK_RETURN_IF_ERROR(CheckOwner("the owner of the folder", path, info.st_uid, user));
    // A link's own mode says nothing; that of what it leads to does.
    if (S_ISLNK(info.st_mode) && stat(path.c_str(), &info) != 0) {
      return SystemError("look at the folder", path, errno);
    }
    const bool may_be_written = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool is_sticky = (info.st_mode & S_ISVTX) != 0;
    if (may_be_written && (is_nearest || !is_sticky)) {
      return absl::FailedPreconditionError(
          absl::StrFormat("the folder `%s`: got mode %04o, want none that lets others write",
                          Shown(path), info.st_mode & 07777u));
    }
    is_nearest = false;
  } while (!folder.empty());
  return absl::OkStatus();
}

absl::Status CheckListener(const std::string& path, uid_t user) {
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof address.sun_path) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the socket `%s`: got a path of %d bytes, want at most %d", Shown(path),
                        path.size(), sizeof address.sun_path - 1));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  // Non-blocking: a listener whose queue is full must not hold us up.
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return SystemError("make a socket for", path, errno);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EAGAIN) return absl::UnavailableError("the socket's listener does not accept");
    return SystemError("connect to", path, errno);
  }
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return SystemError("ask who listens on", path, errno);
  }
  return CheckOwner("the listener of the socket", path, peer.uid, user);
}

}  // namespace

UnixPeer::UnixPeer(std::string path, uid_t user) : path_(std::move(path)), user_(user) {}

absl::Status UnixPeer::Check() const {
  struct FreeText {
    void operator()(char* text) const { free(text); }
  };
  const std::unique_ptr<char, FreeText> real(realpath(path_.c_str(), nullptr));
  if (real == nullptr) return SystemError("look at the socket", path_, errno);
  const std::string path = real.get();
  BK_RETURN_IF_ERROR(CheckFolders(path, user_));
  // The path is used as it is written: who may turn a link on it leads us elsewhere.
  if (path != path_ && path_.starts_with('/')) BK_RETURN_IF_ERROR(CheckFolders(path_, user_));
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return SystemError("look at the socket", path, errno);
  if (!S_ISSOCK(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrFormat("`%s`: got no socket, want the one that keeperd listens on", Shown(path)));
  }
  BK_RETURN_IF_ERROR(CheckOwner("the owner of the socket", path, info.st_uid, user_));
  const Identity identity = {
      .device = info.st_dev,
      .inode = info.st_ino,
      .changed_ns = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec};
  {
    MutexLock lock(mu_);
    if (identity == proven_) return absl::OkStatus();
  }
  BK_RETURN_IF_ERROR(CheckListener(path, user_));
  MutexLock lock(mu_);
  proven_ = identity;
  return absl::OkStatus();
}

}  // namespace bridgekeeper
