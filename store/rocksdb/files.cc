// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

absl::StatusOr<FileDescriptor> OpenFile(const std::string& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (file.get() < 0) return FromErrno(errno, "open", path);
  return file;
}

absl::Status WriteAll(const FileDescriptor& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FromErrno(errno, "write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status Sync(const FileDescriptor& file, const std::string& path) {
  if (::fsync(file.get()) != 0) return FromErrno(errno, "sync", path);
  return absl::OkStatus();
}

// Calls `use` with the content in pieces.
template <typename Use>
absl::Status ReadPieces(const std::string& path, Use use) {
  BK_ASSIGN_OR_RETURN(const FileDescriptor file, OpenFile(path, O_RDONLY));
  std::string piece(1 << 20, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FromErrno(errno, "read", path);
    if (got == 0) return absl::OkStatus();
    BK_RETURN_IF_ERROR(use(std::string_view(piece.data(), static_cast<size_t>(got))));
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

std::string InFolder(std::string_view folder, std::string_view name) {
  return absl::StrFormat("%s/%s", folder, name);
}

bool Exists(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}

absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (folder == nullptr) return FromErrno(errno, "list", path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return FromErrno(errno, "list", path);
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status MakeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno == EEXIST) return absl::AlreadyExistsError(absl::StrFormat("`%s` exists", path));
    return FromErrno(errno, "make", path);
  }
  const size_t slash = path.find_last_of('/');
  return SyncPath(slash == std::string::npos ? "." : path.substr(0, slash + 1));
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::string out;
  BK_RETURN_IF_ERROR(ReadPieces(path, [&](std::string_view piece) {
    out.append(piece);
    return absl::OkStatus();
  }));
  return out;
}

absl::Status WriteNewFile(const std::string& path, std::string_view content) {
  BK_ASSIGN_OR_RETURN(const FileDescriptor file, OpenFile(path, O_WRONLY | O_CREAT | O_EXCL));
  BK_RETURN_IF_ERROR(WriteAll(file, content, path));
  return Sync(file, path);
}

absl::Status TruncateFile(const std::string& path, uint64_t bytes) {
  BK_ASSIGN_OR_RETURN(const FileDescriptor file, OpenFile(path, O_WRONLY));
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    return FromErrno(errno, "cut", path);
  }
  return Sync(file, path);
}

absl::Status CopyFile(const std::string& from, const std::string& to) {
  BK_ASSIGN_OR_RETURN(const FileDescriptor out, OpenFile(to, O_WRONLY | O_CREAT | O_EXCL));
  BK_RETURN_IF_ERROR(
      ReadPieces(from, [&](std::string_view piece) { return WriteAll(out, piece, to); }));
  return Sync(out, to);
}

absl::Status SyncPath(const std::string& path) {
  BK_ASSIGN_OR_RETURN(const FileDescriptor file, OpenFile(path, O_RDONLY));
  return Sync(file, path);
}

absl::Status RenameWithin(const std::string& folder, const std::string& from,
                          const std::string& to) {
  const std::string old_path = InFolder(folder, from);
  if (::rename(old_path.c_str(), InFolder(folder, to).c_str()) != 0) {
    return FromErrno(errno, "rename", old_path);
  }
  return SyncPath(folder);
}

absl::Status RemoveFolder(const std::string& path) {
  BK_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(path));
  for (const std::string& name : names) {
    const std::string file = InFolder(path, name);
    if (::unlink(file.c_str()) != 0) return FromErrno(errno, "remove", file);
  }
  if (::rmdir(path.c_str()) != 0) return FromErrno(errno, "remove", path);
  return absl::OkStatus();
}

}  // namespace bridgekeeper::store
