// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/rocks_store_impl.h"
#include "store/rocksdb/value_codec.h"

namespace bridgekeeper::store {
namespace {

// The key after every key that starts with `prefix`. REQUIRES: a byte is below 0xFF
std::string AfterPrefix(std::string prefix) {
  while (static_cast<uint8_t>(prefix.back()) == 0xFF) prefix.pop_back();
  ++prefix.back();
  return prefix;
}

}  // namespace

// One consistent state of all column families, with the head that belongs to it.
class RocksStore::Snapshot {
 public:
  explicit Snapshot(const RocksStore& store)
      : db_(store.db()), meta_(store.family(Family::kMeta)), snapshot_(db_.GetSnapshot()) {
    options_.snapshot = snapshot_;
  }
  ~Snapshot() { db_.ReleaseSnapshot(snapshot_); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const rocksdb::ReadOptions& options() const { return options_; }

  absl::StatusOr<Head> ReadHead() const {
    rocksdb::PinnableSlice value;
    const std::string_view key = kHeadKey;
    BK_RETURN_IF_ERROR(FromRocks(db_.Get(options_, meta_, key, &value)));
    return DecodeHead(AsStd(value));
  }

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const meta_;
  const rocksdb::Snapshot* const snapshot_;
  rocksdb::ReadOptions options_;
};

absl::StatusOr<std::optional<Record>> RocksStore::Get(const RecordKey& key) const {
  if (!IsValidKey(key)) return std::nullopt;
  const std::string encoded = EncodeKey(key);
  rocksdb::PinnableSlice value;
  const rocksdb::Status read =
      db().Get(rocksdb::ReadOptions(), family(Family::kRecords), encoded, &value);
  if (read.IsNotFound()) return std::nullopt;
  BK_RETURN_IF_ERROR(FromRocks(read));
  BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, encoded, AsStd(value)));
  return std::optional<Record>(std::move(record));
}

absl::StatusOr<std::optional<Record>> RocksStore::GetAt(const RecordKey& key,
                                                        Revision revision) const {
  const Snapshot snapshot(*this);
  BK_ASSIGN_OR_RETURN(const Head head, snapshot.ReadHead());
  BK_RETURN_IF_ERROR(CheckReadable(revision, head.oldest, head.revision));
  if (!IsValidKey(key)) return std::nullopt;
  const std::unique_ptr<rocksdb::Iterator> it(
      db().NewIterator(snapshot.options(), family(Family::kHistory)));
  it->SeekForPrev(EncodeHistoryKey(key, revision));
  BK_RETURN_IF_ERROR(FromRocks(it->status()));
  if (!it->Valid() || !AsStd(it->key()).starts_with(EncodeKey(key))) return std::nullopt;
  BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, AsStd(it->key()), AsStd(it->value())));
  return std::optional<Record>(std::move(record));
}

absl::StatusOr<std::vector<Record>> RocksStore::History(const RecordKey& key,
                                                        std::optional<Revision> before,
                                                        size_t limit) const {
  std::vector<Record> out;
  if (!IsValidKey(key) || (before && before->value <= 0)) return out;
  const std::string prefix = EncodeKey(key);
  const std::string after_all = AfterPrefix(prefix);
  const rocksdb::Slice upper(after_all);
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(db().NewIterator(read, family(Family::kHistory)));
  if (before) {
    it->SeekForPrev(EncodeHistoryKey(key, Revision{before->value - 1}));
  } else {
    it->SeekToLast();
  }
  for (; it->Valid() && out.size() < limit && AsStd(it->key()).starts_with(prefix); it->Prev()) {
    BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, AsStd(it->key()), AsStd(it->value())));
    out.push_back(std::move(record));
  }
  BK_RETURN_IF_ERROR(FromRocks(it->status()));
  return out;
}

absl::StatusOr<std::vector<Record>> RocksStore::List(const ListOptions& options) const {
  std::vector<Record> out;
  if (options.app && !options.app->starts_with(options.app_prefix)) return out;
  const std::string prefix = options.app ? AppPrefix(options.kind, *options.app)
                                         : AppStartPrefix(options.kind, options.app_prefix);
  std::string first = prefix;
  if (options.after) {
    BK_RETURN_IF_ERROR(CheckListAfter(*options.after));
    // No key is the start of another, so this is the first after it.
    first = std::max(first, EncodeKey(*options.after) + '\0');
  }
  const std::string after_all = AfterPrefix(prefix);
  const rocksdb::Slice upper(after_all);
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &upper;
  read.total_order_seek = true;  // it goes from app to app
  const std::unique_ptr<rocksdb::Iterator> it(db().NewIterator(read, family(Family::kRecords)));
  for (it->Seek(first); it->Valid() && out.size() < options.limit; it->Next()) {
    const std::optional<RecordKey> key = DecodeKey(AsStd(it->key()));
    if (!key) return absl::DataLossError("a key is damaged in the store");
    BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(*key, AsStd(it->key()), AsStd(it->value())));
    if (record.value) out.push_back(std::move(record));
  }
  BK_RETURN_IF_ERROR(FromRocks(it->status()));
  return out;
}

absl::Status RocksStore::AppendApp(const AppId& app, const rocksdb::Snapshot* snapshot,
                                   std::vector<Record>& out) const {
  rocksdb::ReadOptions read;
  read.snapshot = snapshot;
  // An app that is no valid id has nothing of its own; it could be part of a key.
  const bool valid = IsValidId(app.value());
  if (valid) {
    const RecordKey key = RecordKey::Policy(app);
    const std::string encoded = EncodeKey(key);
    rocksdb::PinnableSlice value;
    const rocksdb::Status got = db().Get(read, family(Family::kRecords), encoded, &value);
    if (!got.IsNotFound()) {
      BK_RETURN_IF_ERROR(FromRocks(got));
      BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(key, encoded, AsStd(value)));
      if (record.value) out.push_back(std::move(record));
    }
  }
  // One iterator for all: it is one state, and made once.
  read.prefix_same_as_start = true;
  const std::unique_ptr<rocksdb::Iterator> it(db().NewIterator(read, family(Family::kRecords)));
  const auto append = [&](const std::string& prefix) {
    for (it->Seek(prefix); it->Valid() && AsStd(it->key()).starts_with(prefix); it->Next()) {
      const std::optional<RecordKey> key = DecodeKey(AsStd(it->key()));
      if (!key) return absl::DataLossError("a key is damaged in the store");
      BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(*key, AsStd(it->key()), AsStd(it->value())));
      if (record.value) out.push_back(std::move(record));
    }
    return FromRocks(it->status());
  };
  BK_RETURN_IF_ERROR(append(AppPrefix(RecordKind::kCatalogEntry, "")));
  if (!valid) return absl::OkStatus();
  BK_RETURN_IF_ERROR(append(AppPrefix(RecordKind::kCatalogEntry, app.value())));
  return append(AppPrefix(RecordKind::kConnection, app.value()));
}

absl::StatusOr<PolicyStore::AppSnapshot> RocksStore::ReadApp(const AppId& app) const {
  // A snapshot takes RocksDB's own lock twice and reads the head: a third of the whole.
  // Where nothing was written meanwhile it is not needed.
  AppSnapshot out{{incarnation_, Revision{0}}, {}};
  const uint64_t epoch = write_epoch_;
  if (epoch % 2 == 0) {
    out.token.revision = Revision{published_head_};
    const absl::Status read = AppendApp(app, nullptr, out.records);
    if (write_epoch_ == epoch) {
      BK_RETURN_IF_ERROR(read);
      return out;
    }
    out.records.clear();
  }
  const Snapshot snapshot(*this);
  BK_ASSIGN_OR_RETURN(const Head head, snapshot.ReadHead());
  out.token.revision = head.revision;
  BK_RETURN_IF_ERROR(AppendApp(app, snapshot.options().snapshot, out.records));
  return out;
}

absl::StatusOr<std::shared_ptr<const CommitEvent>> RocksStore::ReadCommit(Revision revision) const {
  const Snapshot snapshot(*this);
  BK_ASSIGN_OR_RETURN(const Head head, snapshot.ReadHead());
  // The commits are those above the oldest state.
  BK_RETURN_IF_ERROR(CheckReadable(Revision{revision.value - 1}, head.oldest, head.revision));
  rocksdb::PinnableSlice value;
  const std::string commit_key = EncodeCommitKey(revision);
  const rocksdb::Status read =
      db().Get(snapshot.options(), family(Family::kCommits), commit_key, &value);
  if (read.IsNotFound()) {
    return absl::DataLossError(
        absl::StrFormat("commit %d is missing in the store", revision.value));
  }
  BK_RETURN_IF_ERROR(FromRocks(read));
  BK_ASSIGN_OR_RETURN(const std::vector<CommitChange> changes,
                      DecodeCommit(revision, AsStd(value)));

  std::vector<std::string> encoded;
  encoded.reserve(changes.size());
  for (const CommitChange& change : changes) {
    encoded.push_back(EncodeHistoryKey(change.key, revision));
  }
  const std::vector<rocksdb::Slice> keys(encoded.begin(), encoded.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> reads(keys.size());
  db().MultiGet(snapshot.options(), family(Family::kHistory), keys.size(), keys.data(),
                values.data(), reads.data());
  auto event = std::make_shared<CommitEvent>();
  event->revision = revision;
  event->records.reserve(changes.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (reads[i].IsNotFound()) {
      return absl::DataLossError(absl::StrFormat("%s of commit %d is missing in the store",
                                                 Describe(changes[i].key), revision.value));
    }
    BK_RETURN_IF_ERROR(FromRocks(reads[i]));
    BK_ASSIGN_OR_RETURN(Record record, DecodeRecord(changes[i].key, encoded[i], AsStd(values[i])));
    event->records.push_back(std::move(record));
  }
  return event;
}

}  // namespace bridgekeeper::store
