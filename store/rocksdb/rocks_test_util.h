// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_TEST_UTIL_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_TEST_UTIL_H_

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/testing/status_matchers.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/testing/faulty_file_system.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {

// A path that no test of this process has used.
inline std::string NewPath() {
  static std::atomic<int> made = 0;
  const char* tmp = std::getenv("TEST_TMPDIR");
  return absl::StrFormat("%s/store-%d-%d", tmp != nullptr ? tmp : "/tmp", ::getpid(), ++made);
}

// The system, but that syncs reach no disk: a test opens hundreds of stores.
inline rocksdb::Env* UnsyncedEnv() {
  static const std::shared_ptr<FaultyFileSystem> disk = std::make_shared<FaultyFileSystem>(0);
  static const std::unique_ptr<rocksdb::Env> env = NewFaultyEnv(disk);
  return env.get();
}

// Options with an incarnation of their own and little memory.
inline RocksStoreOptions TestOptions(const std::string& path) {
  static std::atomic<int> made = 0;
  return {.path = path,
          .new_incarnation = absl::StrFormat("%032x", ++made),
          .block_cache_bytes = 1 << 20,
          .write_buffer_bytes = 1 << 20,
          .env = UnsyncedEnv()};
}

// Opens a store that must open.
inline std::unique_ptr<PolicyStore> MustOpen(const RocksStoreOptions& options,
                                             OpenReport* report = nullptr) {
  OpenReport unread;
  auto store = OpenRocksStore(options, report != nullptr ? *report : unread);
  EXPECT_THAT(store, IsOk());
  return store.ok() ? *std::move(store) : nullptr;
}

inline absl::Status OpenError(const RocksStoreOptions& options) {
  OpenReport unread;
  return OpenRocksStore(options, unread).status();
}

// The store as a process that is killed now would leave it. The store may be open, as
// long as it compacts nothing meanwhile.
inline std::string CopyAsKilled(const std::string& path) {
  std::string copy = NewPath();
  // A log that is out of use may be deleted while it is copied: then once more.
  std::error_code error;
  for (int tries = 0; tries < 20; ++tries) {
    error.clear();
    std::filesystem::remove_all(copy);
    std::filesystem::copy(path, copy, std::filesystem::copy_options::recursive, error);
    if (!error) break;
  }
  EXPECT_FALSE(error) << error.message();
  std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
  return copy;
}

inline std::string FileContent(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void SetFileContent(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  ASSERT_TRUE(out.good()) << path;
}

// The files of a folder by their path in it.
inline std::map<std::string, std::string> FolderContent(const std::string& path) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (!entry.is_regular_file()) continue;
    out[std::filesystem::relative(entry.path(), path)] = FileContent(entry.path());
  }
  return out;
}

// Paths of the files in `path`/db whose names end so, sorted.
inline std::vector<std::string> FilesThatEnd(const std::string& path, const std::string& suffix,
                                             const std::string& prefix = "") {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(path + "/db")) {
    const std::string name = entry.path().filename();
    if (name.ends_with(suffix) && name.starts_with(prefix)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_ROCKS_TEST_UTIL_H_
