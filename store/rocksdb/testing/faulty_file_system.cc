// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/testing/faulty_file_system.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "policy/base/check.h"
#include "rocksdb/system_clock.h"

namespace bridgekeeper::store {
namespace {

constexpr uint64_t kSectorBytes = 512;

std::string Content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void SetContent(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  BK_CHECK(out.good());
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

class ImpatientClock : public rocksdb::SystemClockWrapper {
 public:
  ImpatientClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "ImpatientClock"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, 1000));
  }
};

class FaultyEnv : public rocksdb::EnvWrapper {
 public:
  explicit FaultyEnv(const std::shared_ptr<FaultyFileSystem>& disk)
      : EnvWrapper(rocksdb::NewCompositeEnv(disk)) {
    file_system_ = disk;
    system_clock_ = std::make_shared<ImpatientClock>();
  }
  const char* Name() const override { return "FaultyEnv"; }
};

}  // namespace

// Passes everything on, and tells what happened.
class FaultyFileSystem::File : public rocksdb::FSWritableFileWrapper {
 public:
  File(FaultyFileSystem& fs, std::string name, std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileWrapper(file.get()),
        fs_(fs),
        name_(std::move(name)),
        file_(std::move(file)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    MutexLock lock(fs_.change_mu_);
    uint64_t allowed = 0;
    const rocksdb::IOStatus fault = fs_.Fault(name_, data.size(), &allowed, false);
    if (allowed > 0) {
      const rocksdb::IOStatus written =
          file_->Append(rocksdb::Slice(data.data(), allowed), options, debug);
      if (!written.ok()) return written;
      fs_.NoteWritten(name_, allowed);
    }
    return fault;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&,
                           rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  // Noted and not done: what is forgotten is decided here, and tests are in a hurry.
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    uint64_t allowed = 0;
    rocksdb::IOStatus fault = fs_.Fault(name_, 0, &allowed, true);
    if (fault.ok()) fs_.NoteSynced(name_);
    return fault;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }

 private:
  FaultyFileSystem& fs_;
  const std::string name_;
  const std::unique_ptr<rocksdb::FSWritableFile> file_;
};

class FaultyFileSystem::Folder : public rocksdb::FSDirectoryWrapper {
 public:
  Folder(FaultyFileSystem& fs, std::string name, std::unique_ptr<rocksdb::FSDirectory> folder)
      : FSDirectoryWrapper(std::move(folder)), fs_(fs), name_(std::move(name)) {}

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    rocksdb::IOStatus fault = fs_.ChangeFault(name_);
    if (fault.ok()) fs_.NoteFolderSynced(name_);
    return fault;
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options,
                                        rocksdb::IODebugContext* debug,
                                        const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, debug);
  }

 private:
  FaultyFileSystem& fs_;
  const std::string name_;
};

FaultyFileSystem::FaultyFileSystem(uint64_t seed)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), random_(seed) {}

void FaultyFileSystem::Break(DiskFault fault) {
  MutexLock lock(mu_);
  fault_ = std::move(fault);
}

void FaultyFileSystem::Heal() {
  MutexLock lock(mu_);
  fault_.reset();
}

rocksdb::IOStatus FaultyFileSystem::Fault(const std::string& name, uint64_t bytes,
                                          uint64_t* allowed, bool is_sync) {
  MutexLock lock(mu_);
  *allowed = bytes;
  if (!fault_ || !name.ends_with(fault_->suffix) || (fault_->only_syncs && !is_sync)) return {};
  if (!is_sync && bytes > 0 && bytes <= fault_->room) {
    if (fault_->room != DiskFault::kAnyRoom) fault_->room -= bytes;
    return {};
  }
  *allowed = std::min(bytes, fault_->room);
  fault_->room = 0;
  const std::string context = "While changing file: " + name;
  switch (fault_->kind) {
    case DiskFault::Kind::kDiskFull: {
      rocksdb::IOStatus full = rocksdb::IOStatus::NoSpace(context, "No space left on device");
      full.SetRetryable(true);
      return full;
    }
    case DiskFault::Kind::kReadOnly:
      return rocksdb::IOStatus::IOError(context, "Read-only file system");
    case DiskFault::Kind::kPowerCut:
      return rocksdb::IOStatus::IOError(context, "Input/output error");
  }
  return {};
}

rocksdb::IOStatus FaultyFileSystem::ChangeFault(const std::string& name) {
  {
    MutexLock lock(mu_);
    if (fault_ && fault_->kind == DiskFault::Kind::kDiskFull) return {};
  }
  uint64_t allowed = 0;
  return Fault(name, 0, &allowed, false);
}

void FaultyFileSystem::NoteWritten(const std::string& name, uint64_t bytes) {
  MutexLock lock(mu_);
  files_[name].written += bytes;
}

void FaultyFileSystem::NoteSynced(const std::string& name) {
  MutexLock lock(mu_);
  State& state = files_[name];
  state.synced = state.written;
}

void FaultyFileSystem::NoteFolderSynced(const std::string& folder) {
  MutexLock lock(mu_);
  for (auto& [name, state] : files_) {
    if (FolderOf(name) != folder) continue;
    state.name_synced = true;
    state.replaced.reset();
  }
}

rocksdb::IOStatus FaultyFileSystem::NewWritableFile(const std::string& name,
                                                    const rocksdb::FileOptions& options,
                                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                    rocksdb::IODebugContext* debug) {
  MutexLock changing(change_mu_);
  if (rocksdb::IOStatus fault = ChangeFault(name); !fault.ok()) return fault;
  std::unique_ptr<rocksdb::FSWritableFile> made;
  const rocksdb::IOStatus opened = FileSystemWrapper::NewWritableFile(name, options, &made, debug);
  if (!opened.ok()) return opened;
  {
    MutexLock lock(mu_);
    files_[name] = State{};
  }
  *file = std::make_unique<File>(*this, name, std::move(made));
  return opened;
}

rocksdb::IOStatus FaultyFileSystem::ReopenWritableFile(
    const std::string& name, const rocksdb::FileOptions& options,
    std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) {
  if (rocksdb::IOStatus fault = ChangeFault(name); !fault.ok()) return fault;
  std::unique_ptr<rocksdb::FSWritableFile> made;
  const rocksdb::IOStatus opened =
      FileSystemWrapper::ReopenWritableFile(name, options, &made, debug);
  if (opened.ok()) *file = std::make_unique<File>(*this, name, std::move(made));
  return opened;
}

rocksdb::IOStatus FaultyFileSystem::NewDirectory(const std::string& name,
                                                 const rocksdb::IOOptions& options,
                                                 std::unique_ptr<rocksdb::FSDirectory>* folder,
                                                 rocksdb::IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> made;
  const rocksdb::IOStatus opened = FileSystemWrapper::NewDirectory(name, options, &made, debug);
  if (opened.ok()) {
    *folder = std::make_unique<Folder>(*this, WithoutTrailingSlash(name), std::move(made));
  }
  return opened;
}

rocksdb::IOStatus FaultyFileSystem::RenameFile(const std::string& from, const std::string& to,
                                               const rocksdb::IOOptions& options,
                                               rocksdb::IODebugContext* debug) {
  MutexLock changing(change_mu_);
  if (rocksdb::IOStatus fault = ChangeFault(to); !fault.ok()) return fault;
  std::optional<std::string> replaced;
  if (std::filesystem::exists(to)) replaced = Content(to);
  const rocksdb::IOStatus renamed = FileSystemWrapper::RenameFile(from, to, options, debug);
  if (!renamed.ok()) return renamed;
  MutexLock lock(mu_);
  State state = std::move(files_[from]);
  files_.erase(from);
  const auto before = files_.find(to);
  const bool older = before != files_.end() && !before->second.name_synced;
  state.replaced = older ? std::move(before->second.replaced) : std::move(replaced);
  state.name_synced = false;
  files_[to] = std::move(state);
  return renamed;
}

rocksdb::IOStatus FaultyFileSystem::LinkFile(const std::string& from, const std::string& to,
                                             const rocksdb::IOOptions& options,
                                             rocksdb::IODebugContext* debug) {
  MutexLock changing(change_mu_);
  if (rocksdb::IOStatus fault = ChangeFault(to); !fault.ok()) return fault;
  const rocksdb::IOStatus linked = FileSystemWrapper::LinkFile(from, to, options, debug);
  if (!linked.ok()) return linked;
  MutexLock lock(mu_);
  files_[to] = files_[from];
  files_[to].name_synced = false;
  return linked;
}

rocksdb::IOStatus FaultyFileSystem::DeleteFile(const std::string& name,
                                               const rocksdb::IOOptions& options,
                                               rocksdb::IODebugContext* debug) {
  MutexLock changing(change_mu_);
  if (rocksdb::IOStatus fault = ChangeFault(name); !fault.ok()) return fault;
  const rocksdb::IOStatus deleted = FileSystemWrapper::DeleteFile(name, options, debug);
  if (!deleted.ok()) return deleted;
  MutexLock lock(mu_);
  files_.erase(name);
  return deleted;
}

rocksdb::IOStatus FaultyFileSystem::GetFreeSpace(const std::string& path,
                                                 const rocksdb::IOOptions& options, uint64_t* free,
                                                 rocksdb::IODebugContext* debug) {
  const rocksdb::IOStatus got = FileSystemWrapper::GetFreeSpace(path, options, free, debug);
  MutexLock lock(mu_);
  if (fault_ && fault_->kind == DiskFault::Kind::kDiskFull) *free = 0;
  return got;
}

std::unique_ptr<rocksdb::Env> NewFaultyEnv(const std::shared_ptr<FaultyFileSystem>& disk) {
  return std::make_unique<FaultyEnv>(disk);
}

void FaultyFileSystem::ForgetUnsynced() {
  MutexLock lock(mu_);
  const auto coin = [this] {
    mu_.AssertHeld();
    return random_() % 2 == 0;
  };
  for (const auto& [name, state] : files_) {
    if (!std::filesystem::exists(name)) continue;
    if (!state.name_synced && coin()) {
      if (state.replaced) {
        SetContent(name, *state.replaced);
      } else {
        std::filesystem::remove(name);
      }
      continue;
    }
    if (state.synced >= state.written) continue;
    std::string content = Content(name);
    const uint64_t unsynced = state.written - state.synced;
    // Nothing, some or all of it; whole more often than by chance.
    const uint64_t kept = coin() ? random_() % (unsynced + 1) : (coin() ? unsynced : 0);
    content.resize(std::min<uint64_t>(content.size(), state.synced + kept));
    if (coin() && content.size() > state.synced) {
      // A sector that did not arrive although later ones did.
      const uint64_t at = state.synced + random_() % (content.size() - state.synced);
      const uint64_t begin = std::max(state.synced, at / kSectorBytes * kSectorBytes);
      const uint64_t end =
          std::min<uint64_t>(content.size(), (at / kSectorBytes + 1) * kSectorBytes);
      std::fill(content.begin() + static_cast<std::ptrdiff_t>(begin),
                content.begin() + static_cast<std::ptrdiff_t>(end), '\0');
    }
    SetContent(name, content);
  }
  files_.clear();
}

}  // namespace bridgekeeper::store
