// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FaultyFileSystem is the file system until a test makes its disk full, read-only, or
// cuts the power: then what was not synced is forgotten, in part and at random, as a
// disk may. A killed process shows no missing fsync, for the system keeps what it
// wrote; this does. Its syncs reach no disk.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_TESTING_FAULTY_FILE_SYSTEM_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_TESTING_FAULTY_FILE_SYSTEM_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "policy/base/mutex.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace bridgekeeper::store {

struct DiskFault {
  enum class Kind {
    kDiskFull,  // as ENOSPC; names need no space
    kReadOnly,  // as EROFS
    kPowerCut,  // as EIO
  };
  Kind kind = Kind::kDiskFull;
  // Bytes that are still written; the write that goes beyond is done in part and fails.
  uint64_t room = 0;
  // Only files whose names end so.
  std::string suffix;
  // Only syncs fail; what is written arrives.
  bool only_syncs = false;

  static constexpr uint64_t kAnyRoom = std::numeric_limits<uint64_t>::max();
};

class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(uint64_t seed);

  const char* Name() const override { return "FaultyFileSystem"; }

  // From now on what writes fails, until Heal().
  void Break(DiskFault fault);
  void Heal();

  // Calls `look` while no file changes: what it sees is what a process that is killed
  // at that moment leaves.
  template <typename Look>
  void WhileNothingChanges(Look look) {
    MutexLock lock(change_mu_);
    look();
  }

  // Makes the files what a disk holds that lost power: of the bytes of a file that were
  // not synced some beginning is left, and sectors of it may be zeros; names that were
  // not synced are the old ones or the new ones. No database may be open on it.
  void ForgetUnsynced();

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* folder,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options,
                                 uint64_t* free, rocksdb::IODebugContext* debug) override;

 private:
  class File;
  class Folder;
  struct State {
    uint64_t written = 0;
    uint64_t synced = 0;
    bool name_synced = false;
    std::optional<std::string> replaced;  // what the name stood for before a rename
  };

  // The error of a change of `name`, or OK. `bytes`: how many it writes; *allowed: how
  // many of them are written all the same.
  rocksdb::IOStatus Fault(const std::string& name, uint64_t bytes, uint64_t* allowed, bool is_sync);
  rocksdb::IOStatus ChangeFault(const std::string& name);
  void NoteWritten(const std::string& name, uint64_t bytes);
  void NoteSynced(const std::string& name);
  void NoteFolderSynced(const std::string& folder);

  // Held while a file or a name changes. Before mu_.
  Mutex change_mu_;

  Mutex mu_;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mu_);
  std::optional<DiskFault> fault_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, State> files_ ABSL_GUARDED_BY(mu_);
};

// An Env on `disk`. It sleeps a millisecond at most: RocksDB waits a second after each
// error of the disk, and tests are in a hurry.
std::unique_ptr<rocksdb::Env> NewFaultyEnv(const std::shared_ptr<FaultyFileSystem>& disk);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_TESTING_FAULTY_FILE_SYSTEM_H_
