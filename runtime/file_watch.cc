// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper {
namespace {

constexpr uint32_t kEvents =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_ONLYDIR;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<struct stat> StatusOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool IsSame(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool IsSame(const std::optional<struct stat>& a, const std::optional<struct stat>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mode == b->st_mode && a->st_uid == b->st_uid && IsSame(a->st_mtim, b->st_mtim) &&
         IsSame(a->st_ctim, b->st_ctim);
}

}  // namespace

absl::StatusOr<FileWatch> FileWatch::Create(std::string path) {
  UniqueFd fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return absl::ResourceExhaustedError(absl::StrFormat("inotify: %s", strerror(errno)));
  FileWatch watch(std::move(path), std::move(fd));
  BK_RETURN_IF_ERROR(watch.WatchFolders());
  watch.seen_ = StatusOf(watch.path_);
  return watch;
}

absl::Status FileWatch::WatchFolders() {
  const auto add = [&](const std::string& folder) -> absl::Status {
    // A folder that is watched already stays watched once.
    if (inotify_add_watch(fd_.get(), folder.c_str(), kEvents) >= 0) return absl::OkStatus();
    const std::string message = absl::StrFormat("`%s`: %s", folder, strerror(errno));
    if (errno == ENOENT || errno == ENOTDIR) return absl::NotFoundError(message);
    return errno == ENOSPC ? absl::ResourceExhaustedError(message) : absl::InternalError(message);
  };
  BK_RETURN_IF_ERROR(add(FolderOf(path_)));
  char* target = realpath(path_.c_str(), nullptr);
  if (target == nullptr) return absl::OkStatus();
  const std::string folder = FolderOf(target);
  free(target);
  return add(folder);
}

bool FileWatch::Drain() {
  bool is_named = false;
  alignas(inotify_event) char buffer[16 << 10];
  while (true) {
    const ssize_t n = read(fd_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      if ((event->mask & IN_Q_OVERFLOW) != 0) is_named = true;
      // Two writes may leave the same times and size behind: an event of this name counts.
      if (event->len > 0 && NameOf(path_) == event->name) is_named = true;
    }
  }
  // What it points to may have been replaced. A folder that is gone is not followed.
  const absl::Status ignored = WatchFolders();
  std::optional<struct stat> now = StatusOf(path_);
  const bool is_same = IsSame(seen_, now);
  seen_ = now;
  return is_named || !is_same;
}

}  // namespace bridgekeeper
