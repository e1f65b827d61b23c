// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The keys of the store as bytes. Encoded record keys compare as RecordKey does, and
// those of one app stand together.
//
// Thread safety: free functions without state.
// Source: store/rocksdb/FORMAT.md, "Keys".

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_KEY_CODEC_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_KEY_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/ids.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

// First byte of every key. Persistent: a change of the encoding takes the next one.
inline constexpr char kKeyVersion = 1;
inline constexpr size_t kRevisionBytes = 8;

// Column family `records`. REQUIRES: IsValidKey(key)
std::string EncodeKey(const RecordKey& key);
// nullopt where `bytes` is no key that EncodeKey() makes.
std::optional<RecordKey> DecodeKey(std::string_view bytes);

// What every key of this kind starts with, and every key of the kind and the app
// (which may be empty: for every app).
std::string KindPrefix(RecordKind kind);
std::string AppPrefix(RecordKind kind, std::string_view app);
// The AppPrefix() of a record key; nullopt where `bytes` has none.
std::optional<std::string_view> AppPrefixOf(std::string_view bytes);
// What every key of the kind starts with whose app starts with `start`.
std::string AppStartPrefix(RecordKind kind, std::string_view start);

// Column family `history`: the record's key, then the revision. REQUIRES: IsValidKey(key)
std::string EncodeHistoryKey(const RecordKey& key, Revision revision);

// Column family `commits`.
std::string EncodeCommitKey(Revision revision);

// Column family `requests`.
std::string EncodeRequestKey(std::string_view author, std::string_view request_id);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_KEY_CODEC_H_
