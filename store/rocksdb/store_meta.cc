// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/store_meta.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kIncarnationKey = "incarnation";

absl::StatusOr<std::string> ReadKey(const RocksDb& db, std::string_view key,
                                    const std::string& path) {
  std::string value;
  const rocksdb::Status read =
      db.db().Get(rocksdb::ReadOptions(), db.family(Family::kMeta), key, &value);
  if (read.IsNotFound()) return DamagedFiles(path, absl::StrFormat("its `%s` is missing", key));
  BK_RETURN_IF_ERROR(FromRocksOpen(read, path));
  return value;
}

}  // namespace

absl::Status WriteMeta(const RocksDb& db, const StoreMeta& meta) {
  rocksdb::ColumnFamilyHandle* const family = db.family(Family::kMeta);
  rocksdb::WriteBatch batch;
  // The format is not sealed: whoever comes after us must read it before it knows how
  // our values are sealed.
  rocksdb::Status put = batch.Put(family, kFormatKey, kStoreFormat);
  if (put.ok()) {
    put = batch.Put(family, kIncarnationKey, Seal(kIncarnationKey, meta.incarnation));
  }
  if (put.ok()) put = batch.Put(family, kHeadKey, EncodeHead(meta.head));
  if (put.ok()) put = db.db().Write(SyncedWrite(), &batch);
  return FromRocks(put);
}

absl::StatusOr<StoreMeta> ReadMeta(const RocksDb& db, const std::string& path) {
  BK_ASSIGN_OR_RETURN(const std::string format, ReadKey(db, kFormatKey, path));
  if (format != kStoreFormat) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the store at `%s` has format `%s`, want `%s`: another version wrote it; "
                        "start that one, or "
                        "restore a backup that was made with this one",
                        path, EscapeForPeople(format, 32), kStoreFormat));
  }
  BK_ASSIGN_OR_RETURN(const std::string sealed, ReadKey(db, kIncarnationKey, path));
  const absl::StatusOr<std::string_view> incarnation = Unseal(kIncarnationKey, sealed);
  if (!incarnation.ok() || !IsIncarnation(*incarnation)) {
    return DamagedFiles(path, "its incarnation cannot be read");
  }
  BK_ASSIGN_OR_RETURN(const std::string encoded, ReadKey(db, kHeadKey, path));
  const absl::StatusOr<Head> head = DecodeHead(encoded);
  if (!head.ok()) return DamagedFiles(path, AsStd(head.status().message()));
  return StoreMeta{std::string(*incarnation), *head};
}

absl::StatusOr<StoreMeta> CheckStore(const std::string& path, RocksDb::Mode mode,
                                     const RocksStoreOptions& options) {
  BK_ASSIGN_OR_RETURN(const std::unique_ptr<RocksDb> db, RocksDb::Open(path, mode, options));
  if (options.verify_files) {
    rocksdb::ReadOptions sequential;
    sequential.readahead_size = 2 << 20;
    BK_RETURN_IF_ERROR(FromRocksOpen(db->db().VerifyFileChecksums(sequential), path));
  }
  return ReadMeta(*db, path);
}

bool IsIncarnation(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace bridgekeeper::store
