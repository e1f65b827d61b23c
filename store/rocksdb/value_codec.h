// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The values of the store as bytes: serialized messages of
// proto/bridgekeeper/v1/storage.proto, each sealed with a checksum over its key and
// itself, so that neither a flipped bit nor a value under another key goes unseen
// (P11).
//
// Errors of every function that reads: kDataLoss - the bytes are not what was
// written; the message says what of.
//
// Thread safety: free functions without state.
// Source: store/rocksdb/FORMAT.md, "Values".

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_VALUE_CODEC_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_VALUE_CODEC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/model/ids.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

// First byte of every value. Persistent: a change of the encoding takes the next one.
inline constexpr char kValueVersion = 1;
// The version and the checksum.
inline constexpr size_t kSealBytes = 5;

// Returns `payload` with its seal for `key`.
std::string Seal(std::string_view key, std::string_view payload);

// Returns the payload of `value`, a view into it. The error says what is wrong and
// leaves to the caller what it is wrong with.
absl::StatusOr<std::string_view> Unseal(std::string_view key, std::string_view value);

// A record as the payload of a value.
//
// Errors: kInvalidArgument - the record could not be read back as it is; the message
// says why. What was stored can always be read.
absl::StatusOr<std::string> EncodeRecord(const Record& record);

// Reads the record of `key` from `value`, which stands under `encoded_key`.
absl::StatusOr<Record> DecodeRecord(const RecordKey& key, std::string_view encoded_key,
                                    std::string_view value);

struct CommitChange {
  RecordKey key;
  Revision previous;  // 0: the record had no change before
  friend bool operator==(const CommitChange&, const CommitChange&) = default;
};
std::string EncodeCommit(Revision revision, const std::vector<CommitChange>& changes);
absl::StatusOr<std::vector<CommitChange>> DecodeCommit(Revision revision, std::string_view value);

struct Head {
  Revision revision;
  Revision oldest;
  int64_t policies = 0;
  friend bool operator==(const Head&, const Head&) = default;
};
// The head stands under this key of column family `meta`.
inline constexpr std::string_view kHeadKey = "head";
std::string EncodeHead(const Head& head);
absl::StatusOr<Head> DecodeHead(std::string_view value);

struct RememberedResult {
  absl::Time time;
  CommitResult result;
  friend bool operator==(const RememberedResult&, const RememberedResult&) = default;
};
std::string EncodeResult(std::string_view key, const RememberedResult& result);
absl::StatusOr<RememberedResult> DecodeResult(std::string_view key, std::string_view value);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_VALUE_CODEC_H_
