// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/unix_peer.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
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

// Links on one way. Source: path_resolution(7).
constexpr int kMaxLinks = 40;

absl::Status CheckFolder(const std::string& folder, const struct stat& info, bool is_nearest,
                         uid_t user) {
  BK_RETURN_IF_ERROR(CheckOwner("the owner of the folder", folder, info.st_uid, user));
  const bool may_be_written = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool is_sticky = (info.st_mode & S_ISVTX) != 0;
  if (!may_be_written || (is_sticky && !is_nearest)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("the folder `%s`: got mode %04o, want none that lets others write",
                      Shown(folder), info.st_mode & 07777u));
}

// The names of `path`, the last one first: what is still to be walked.
void PushNames(std::string_view path, std::vector<std::string>& rest) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    if (!name.empty() && name != ".") names.emplace_back(name);
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  rest.insert(rest.end(), names.rbegin(), names.rend());
}

absl::StatusOr<std::string> ReadLink(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  if (size < 0) return SystemError("read the link", path, errno);
  return std::string(target.data(), static_cast<size_t>(size));
}

// Walks to the socket as the system does, and checks every folder that it passes, those
// of links and of what they lead to too: whoever may write to one may put a socket or a
// link of their own there. On the way the sticky bit is enough, as in /tmp: it keeps
// others from renaming what is ours. Where a link or the socket itself stands it is not:
// once that is gone, anybody may make it again. Returns the path without links.
absl::StatusOr<std::string> CheckWay(const std::string& start, uid_t user) {
  std::vector<std::string> rest;
  PushNames(start, rest);
  if (!start.starts_with('/')) {
    std::array<char, PATH_MAX> here;
    if (getcwd(here.data(), here.size()) == nullptr) {
      return SystemError("find the folder of", start, errno);
    }
    PushNames(here.data(), rest);
  }
  std::string at;  // empty: the root
  int links = 0;
  while (!rest.empty()) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    struct stat folder;
    const std::string folder_path = at.empty() ? "/" : at;
    if (lstat(folder_path.c_str(), &folder) != 0) {
      return SystemError("look at the folder", folder_path, errno);
    }
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + '/' + name;
    struct stat info;
    if (lstat(next.c_str(), &info) != 0) return SystemError("look at the socket", next, errno);
    const bool is_link = S_ISLNK(info.st_mode);
    BK_RETURN_IF_ERROR(CheckFolder(folder_path, folder, is_link || rest.empty(), user));
    if (!is_link) {
      at = next;
      continue;
    }
    BK_RETURN_IF_ERROR(CheckOwner("the owner of the link", next, info.st_uid, user));
    if (++links > kMaxLinks) return SystemError("look at the socket", start, ELOOP);
    BK_ASSIGN_OR_RETURN(const std::string target, ReadLink(next));
    if (target.starts_with('/')) at.clear();
    PushNames(target, rest);
  }
  return at.empty() ? "/" : at;
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
  BK_ASSIGN_OR_RETURN(const std::string path, CheckWay(path_, user_));
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
