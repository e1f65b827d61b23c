// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/rocks_db.h"

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "store/rocksdb/files.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/log_scan.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

// RocksDB would make a log file of its own even in a folder that it opens read-only.
class NoLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// What the filters of `records` know beside whole keys: whether an app has records of a
// kind. Most have a policy and nothing else, and whoever reads an app asks for all.
class AppPrefixes : public rocksdb::SliceTransform {
 public:
  // Persistent: RocksDB notes it with the filters.
  const char* Name() const override { return "bridgekeeper.AppPrefixes"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    const std::string_view prefix = AppPrefixOf({key.data(), key.size()}).value_or("");
    return {prefix.data(), prefix.size()};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return AppPrefixOf({key.data(), key.size()}).has_value();
  }
};

bool IsReadOnly(RocksDb::Mode mode) {
  return mode == RocksDb::Mode::kReadOnly || mode == RocksDb::Mode::kReadOnlyToIncompleteEnd;
}

bool IsFamily(std::string_view name, Family family) {
  return name == kFamilyNames[static_cast<size_t>(family)];
}

rocksdb::DBOptions MakeDbOptions(RocksDb::Mode mode, const RocksStoreOptions& options,
                                 const RocksHooks& hooks) {
  rocksdb::DBOptions out;
  if (options.env != nullptr) out.env = options.env;
  out.create_if_missing = mode == RocksDb::Mode::kCreate;
  out.create_missing_column_families = mode == RocksDb::Mode::kCreate;
  out.error_if_exists = mode == RocksDb::Mode::kCreate;

  // Nothing damaged is opened. What a crash may leave is cut before, so the log is held
  // to the last byte; where it is not cut yet, reading ends there.
  out.paranoid_checks = true;
  out.wal_recovery_mode = mode == RocksDb::Mode::kReadOnlyToIncompleteEnd
                              ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                              : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  out.track_and_verify_wals_in_manifest = true;
  out.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  // Column families reach the disk together, so that a log is needed by all or none
  // (RocksStore::Recover() rests on that).
  out.atomic_flush = true;
  // Readers must not see what is not synced yet; these two would let them.
  out.unordered_write = false;
  out.enable_pipelined_write = false;

  // Bounds: memory of memtables, and logs to replay at the next start.
  out.db_write_buffer_size = options.write_buffer_bytes;
  out.max_total_wal_size = 2 * options.write_buffer_bytes;
  out.max_background_jobs = 2;
  // RocksDB starts this many threads for each column family at each open, whether or not
  // it has files: 160 at our start, thousands in a test, and each waits for its turn on a
  // busy machine. Beside CheckStore(), which reads every file, opening them costs nothing.
  out.max_file_opening_threads = 1;
  out.stats_dump_period_sec = 0;
  out.stats_persist_period_sec = 0;
  // The store resumes by itself, after it has made sure what the log holds.
  out.max_bgerror_resume_count = 0;
  if (hooks.listener != nullptr) out.listeners.push_back(hooks.listener);

  if (IsReadOnly(mode)) {
    out.info_log = std::make_shared<NoLog>();
  } else {
    out.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
    out.max_log_file_size = 4 << 20;
    out.keep_log_file_num = 4;
  }
  return out;
}

std::vector<rocksdb::ColumnFamilyDescriptor> MakeFamilies(const RocksStoreOptions& options,
                                                          const RocksHooks& hooks) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  // Indexes and filters count as cache, so the cache bounds the memory. In parts of a few
  // KB: those of a large table as a whole would not fit a shard of the cache, and each
  // read would read them again.
  table.cache_index_and_filter_blocks = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.pin_top_level_index_and_filter = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  // Ten bits a key: one lookup in a hundred of what is not there reads a block.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));

  std::vector<rocksdb::ColumnFamilyDescriptor> out;
  for (const char* name : kFamilyNames) {
    rocksdb::ColumnFamilyOptions family;
    family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    family.write_buffer_size = options.write_buffer_bytes;
    family.compression = rocksdb::kLZ4Compression;
    if (IsFamily(name, Family::kRecords)) {
      family.prefix_extractor = std::make_shared<AppPrefixes>();
      family.memtable_prefix_bloom_size_ratio = 0.1;
      family.memtable_whole_key_filtering = true;
    }
    if (IsFamily(name, Family::kRequests)) {
      family.compaction_filter = hooks.requests_filter;
      // Forgotten ids leave the disk although little is written beside them.
      family.periodic_compaction_seconds =
          static_cast<uint64_t>(absl::ToInt64Seconds(kRequestIdAge));
    }
    out.emplace_back(name, std::move(family));
  }
  return out;
}

// The number in `MANIFEST-<number>`, which may have a slash in front.
std::optional<uint64_t> ManifestNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "MANIFEST-";
  if (name.starts_with('/')) name.remove_prefix(1);
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

absl::Status CheckFamilies(const std::string& path, const rocksdb::DBOptions& options) {
  std::vector<std::string> names;
  BK_RETURN_IF_ERROR(FromRocksOpen(rocksdb::DB::ListColumnFamilies(options, path, &names), path));
  for (const std::string& name : names) {
    if (std::find(kFamilyNames.begin(), kFamilyNames.end(), name) == kFamilyNames.end()) {
      return absl::FailedPreconditionError(absl::StrFormat(
          "the store at `%s` has the column family `%s`, which this version does not know: a newer "
          "version wrote it; start that one, or restore a backup that was made with this one",
          path, name));
    }
  }
  for (const char* name : kFamilyNames) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return DamagedFiles(path, absl::StrFormat("column family `%s` is missing", name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<RocksDb>> RocksDb::Open(const std::string& path, Mode mode,
                                                       const RocksStoreOptions& options,
                                                       const RocksHooks& hooks) {
  const rocksdb::DBOptions db_options = MakeDbOptions(mode, options, hooks);
  if (mode != Mode::kCreate) BK_RETURN_IF_ERROR(CheckFamilies(path, db_options));

  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  const std::vector<rocksdb::ColumnFamilyDescriptor> descriptors = MakeFamilies(options, hooks);
  const rocksdb::Status opened =
      IsReadOnly(mode) ? rocksdb::DB::OpenForReadOnly(db_options, path, descriptors, &families, &db)
                       : rocksdb::DB::Open(db_options, path, descriptors, &families, &db);
  BK_RETURN_IF_ERROR(FromRocksOpen(opened, path));
  return std::unique_ptr<RocksDb>(
      new RocksDb(std::unique_ptr<rocksdb::DB>(db), std::move(families)));
}

RocksDb::~RocksDb() {
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    // The handle is given back whatever is answered, and the database closes next.
    (void)db_->DestroyColumnFamilyHandle(family);
  }
}

absl::StatusOr<Manifest> CurrentManifest(const RocksDb& db) {
  std::vector<std::string> files;
  Manifest out;
  BK_RETURN_IF_ERROR(FromRocks(db.db().GetLiveFiles(files, &out.bytes, /*flush_memtable=*/false)));
  for (const std::string& file : files) {
    if (const auto number = ManifestNumber(file)) out.number = *number;
  }
  return out;
}

absl::StatusOr<std::vector<IncompleteEnd>> CheckManifest(const std::string& path,
                                                         const Manifest& least) {
  BK_ASSIGN_OR_RETURN(std::string name, ReadFile(InFolder(path, "CURRENT")));
  const std::optional<uint64_t> number =
      name.ends_with('\n') ? ManifestNumber(name.substr(0, name.size() - 1)) : std::nullopt;
  if (!number) return DamagedFiles(path, "`CURRENT` names no MANIFEST");
  name.pop_back();
  if (*number < least.number) {
    return DamagedFiles(path,
                        absl::StrFormat("`CURRENT` names `%s`, and a newer one was in use", name));
  }
  if (!Exists(InFolder(path, name))) {
    return DamagedFiles(path, absl::StrFormat("`%s` is missing", name));
  }
  BK_ASSIGN_OR_RETURN(const std::string content, ReadFile(InFolder(path, name)));
  const LogScan scan = ScanLog(content);
  if (*number == least.number && scan.good_bytes < least.bytes) {
    return DamagedFiles(
        path, absl::StrFormat("`%s` can be read up to byte %d, and was synced up to %d", name,
                              scan.good_bytes, least.bytes));
  }
  if (scan.end != LogScan::End::kIncomplete) return std::vector<IncompleteEnd>();
  return std::vector<IncompleteEnd>{{name, scan.good_bytes, content.size() - scan.good_bytes}};
}

rocksdb::WriteOptions SyncedWrite() {
  rocksdb::WriteOptions options;
  options.sync = true;
  return options;
}

}  // namespace bridgekeeper::store
