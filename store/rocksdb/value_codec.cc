// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/value_codec.h"

#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/storage.pb.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "store/rocksdb/crc32c.h"
#include "store/rocksdb/key_codec.h"

namespace bridgekeeper::store {
namespace {

absl::Status Damaged(std::string_view what, std::string_view why) {
  return absl::DataLossError(absl::StrFormat(
      "%s is damaged in the store: %s; restore the store from a backup", what, why));
}

uint32_t Checksum(std::string_view key, std::string_view payload) {
  return ExtendCrc32c(ExtendCrc32c(0, key), payload);
}

absl::Status Damaged(std::string_view what, const absl::Status& why) {
  return Damaged(what, AsStd(why.message()));
}

// The error is as Unseal() has it.
template <typename Message>
absl::StatusOr<Message> ParseSealed(std::string_view key, std::string_view value) {
  BK_ASSIGN_OR_RETURN(const std::string_view payload, Unseal(key, value));
  Message message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return absl::DataLossError("it cannot be parsed");
  }
  return message;
}

v1::StoredRecord ToProto(const Record& record) {
  v1::StoredRecord out;
  out.mutable_meta()->set_revision(record.revision.value);
  *out.mutable_meta()->mutable_time() = convert::ToProto(record.time);
  out.mutable_meta()->set_author(record.author);
  out.mutable_meta()->set_reason(record.reason);
  if (!record.value) return out;
  struct Visitor {
    v1::StoredRecord& out;
    void operator()(const McpPolicy& v) const { *out.mutable_policy() = convert::ToProto(v); }
    void operator()(const CatalogEntry& v) const {
      *out.mutable_catalog_entry() = convert::ToProto(v);
    }
    void operator()(const ConnectionRecord& v) const {
      *out.mutable_connection() = convert::ToProto(v);
    }
  };
  std::visit(Visitor{out}, *record.value);
  return out;
}

absl::StatusOr<std::optional<RecordValue>> ValueOf(const v1::StoredRecord& stored) {
  switch (stored.value_case()) {
    case v1::StoredRecord::kPolicy: {
      BK_ASSIGN_OR_RETURN(McpPolicy value, convert::FromProto(stored.policy()));
      return std::optional<RecordValue>(std::move(value));
    }
    case v1::StoredRecord::kCatalogEntry: {
      BK_ASSIGN_OR_RETURN(CatalogEntry value, convert::FromProto(stored.catalog_entry()));
      return std::optional<RecordValue>(std::move(value));
    }
    case v1::StoredRecord::kConnection: {
      BK_ASSIGN_OR_RETURN(ConnectionRecord value, convert::FromProto(stored.connection()));
      return std::optional<RecordValue>(std::move(value));
    }
    case v1::StoredRecord::VALUE_NOT_SET:
      break;
  }
  return std::optional<RecordValue>();
}

}  // namespace

std::string Seal(std::string_view key, std::string_view payload) {
  std::string out(1, kValueVersion);
  out.reserve(kSealBytes + payload.size());
  const uint32_t checksum = Checksum(key, payload);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((checksum >> shift) & 0xFF);
  out.append(payload);
  return out;
}

absl::StatusOr<std::string_view> Unseal(std::string_view key, std::string_view value) {
  if (value.size() < kSealBytes) return absl::DataLossError("it is cut short");
  if (value[0] != kValueVersion) return absl::DataLossError("its version is not known");
  uint32_t stored = 0;
  for (size_t i = 0; i < 4; ++i) stored |= uint32_t{static_cast<uint8_t>(value[1 + i])} << (8 * i);
  const std::string_view payload = value.substr(kSealBytes);
  if (stored != Checksum(key, payload)) return absl::DataLossError("its checksum does not match");
  return payload;
}

absl::StatusOr<std::string> EncodeRecord(const Record& record) {
  const v1::StoredRecord stored = ToProto(record);
  if (record.value) {
    const absl::StatusOr<std::optional<RecordValue>> read = ValueOf(stored);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: %s", Describe(record.key), read.status().message()));
    }
    if (*read != record.value) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s holds what its message cannot", Describe(record.key)));
    }
  }
  std::string out;
  if (!stored.SerializeToString(&out)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s cannot be serialized", Describe(record.key)));
  }
  return out;
}

absl::StatusOr<Record> DecodeRecord(const RecordKey& key, std::string_view encoded_key,
                                    std::string_view value) {
  // Describe() costs as much as the rest, and this is what a cache miss waits for: it
  // is called where something is wrong.
  absl::StatusOr<v1::StoredRecord> stored = ParseSealed<v1::StoredRecord>(encoded_key, value);
  if (!stored.ok()) return Damaged(Describe(key), stored.status());
  absl::StatusOr<std::optional<RecordValue>> content = ValueOf(*stored);
  if (!content.ok()) return Damaged(Describe(key), content.status());
  if (*content && KeyOf(**content) != key) return Damaged(Describe(key), "it is another record's");
  v1::ChangeMeta& meta = *stored->mutable_meta();
  if (meta.revision() < 1) return Damaged(Describe(key), "it has no revision");
  return Record{.key = key,
                .revision = Revision{meta.revision()},
                .time = convert::FromProto(meta.time()),
                .author = std::move(*meta.mutable_author()),
                .reason = std::move(*meta.mutable_reason()),
                .value = *std::move(content)};
}

std::string EncodeCommit(Revision revision, const std::vector<CommitChange>& changes) {
  v1::StoredCommit stored;
  stored.mutable_changes()->Reserve(static_cast<int>(changes.size()));
  for (const CommitChange& change : changes) {
    v1::StoredChange& out = *stored.add_changes();
    out.set_key(EncodeKey(change.key));
    out.set_previous(change.previous.value);
  }
  return Seal(EncodeCommitKey(revision), stored.SerializeAsString());
}

absl::StatusOr<std::vector<CommitChange>> DecodeCommit(Revision revision, std::string_view value) {
  const std::string what = absl::StrFormat("commit %d", revision.value);
  const auto stored = ParseSealed<v1::StoredCommit>(EncodeCommitKey(revision), value);
  if (!stored.ok()) return Damaged(what, stored.status());
  std::vector<CommitChange> out;
  out.reserve(static_cast<size_t>(stored->changes_size()));
  for (const v1::StoredChange& change : stored->changes()) {
    std::optional<RecordKey> key = DecodeKey(change.key());
    if (!key) return Damaged(what, "it names an invalid key");
    if (change.previous() < 0 || change.previous() >= revision.value) {
      return Damaged(what, "it names a previous revision that is none");
    }
    out.push_back({*std::move(key), Revision{change.previous()}});
  }
  if (out.empty()) return Damaged(what, "it changes nothing");
  return out;
}

std::string EncodeHead(const Head& head) {
  v1::StoredHead stored;
  stored.set_revision(head.revision.value);
  stored.set_oldest(head.oldest.value);
  stored.set_policies(head.policies);
  return Seal(kHeadKey, stored.SerializeAsString());
}

absl::StatusOr<Head> DecodeHead(std::string_view value) {
  constexpr std::string_view kWhat = "the head";
  const auto stored = ParseSealed<v1::StoredHead>(kHeadKey, value);
  if (!stored.ok()) return Damaged(kWhat, stored.status());
  if (stored->oldest() < 0 || stored->oldest() > stored->revision() || stored->policies() < 0) {
    return Damaged(kWhat, "its numbers do not fit together");
  }
  return Head{Revision{stored->revision()}, Revision{stored->oldest()}, stored->policies()};
}

std::string EncodeResult(std::string_view key, const RememberedResult& result) {
  v1::StoredResult stored;
  *stored.mutable_time() = convert::ToProto(result.time);
  stored.set_revision(result.result.revision.value);
  stored.set_changed(static_cast<int64_t>(result.result.changed));
  stored.mutable_records()->Reserve(static_cast<int>(result.result.records.size()));
  for (const Revision revision : result.result.records) stored.add_records(revision.value);
  return Seal(key, stored.SerializeAsString());
}

absl::StatusOr<RememberedResult> DecodeResult(std::string_view key, std::string_view value) {
  constexpr std::string_view kWhat = "the result of a request id";
  const auto stored = ParseSealed<v1::StoredResult>(key, value);
  if (!stored.ok()) return Damaged(kWhat, stored.status());
  if (stored->changed() < 0 || stored->changed() > stored->records_size()) {
    return Damaged(kWhat, "its numbers do not fit together");
  }
  RememberedResult out;
  out.time = convert::FromProto(stored->time());
  out.result.revision = Revision{stored->revision()};
  out.result.changed = static_cast<size_t>(stored->changed());
  out.result.records.reserve(static_cast<size_t>(stored->records_size()));
  for (const int64_t revision : stored->records()) out.result.records.push_back(Revision{revision});
  return out;
}

}  // namespace bridgekeeper::store
