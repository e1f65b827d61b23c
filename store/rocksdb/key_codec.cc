// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/key_codec.h"

#include "policy/base/check.h"

namespace bridgekeeper::store {
namespace {

// Ends each id: below every byte that an id may have, so "a" sorts before "ab".
constexpr char kEnd = '\0';

void AppendId(std::string_view id, std::string& out) {
  out.append(id);
  out += kEnd;
}

void AppendRevision(Revision revision, std::string& out) {
  const auto value = static_cast<uint64_t>(revision.value);
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFF);
}

// Takes the next id off the front of `bytes`.
std::optional<std::string> TakeId(std::string_view& bytes) {
  const size_t end = bytes.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  std::string id(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return id;
}

}  // namespace

std::string EncodeKey(const RecordKey& key) {
  BK_CHECK(IsValidKey(key));
  std::string out = AppPrefix(key.kind, key.app);
  AppendId(key.server, out);
  AppendId(key.id, out);
  return out;
}

std::optional<RecordKey> DecodeKey(std::string_view bytes) {
  if (bytes.size() < 2 || bytes[0] != kKeyVersion) return std::nullopt;
  RecordKey key;
  key.kind = static_cast<RecordKind>(bytes[1]);
  bytes.remove_prefix(2);
  for (std::string* id : {&key.app, &key.server, &key.id}) {
    std::optional<std::string> taken = TakeId(bytes);
    if (!taken) return std::nullopt;
    *id = *std::move(taken);
  }
  if (!bytes.empty() || !IsValidKey(key)) return std::nullopt;
  return key;
}

std::string KindPrefix(RecordKind kind) { return {kKeyVersion, static_cast<char>(kind)}; }

std::string AppPrefix(RecordKind kind, std::string_view app) {
  std::string out = KindPrefix(kind);
  AppendId(app, out);
  return out;
}

std::optional<std::string_view> AppPrefixOf(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != kKeyVersion) return std::nullopt;
  const size_t end = bytes.find(kEnd, 2);
  if (end == std::string_view::npos) return std::nullopt;
  return bytes.substr(0, end + 1);
}

std::string AppStartPrefix(RecordKind kind, std::string_view start) {
  std::string out = KindPrefix(kind);
  out.append(start);
  return out;
}

std::string EncodeHistoryKey(const RecordKey& key, Revision revision) {
  std::string out = EncodeKey(key);
  AppendRevision(revision, out);
  return out;
}

std::string EncodeCommitKey(Revision revision) {
  std::string out(1, kKeyVersion);
  AppendRevision(revision, out);
  return out;
}

std::string EncodeRequestKey(std::string_view author, std::string_view request_id) {
  // The length keeps ("ab", "c") and ("a", "bc") apart; an author may hold any byte.
  std::string out(1, kKeyVersion);
  out += static_cast<char>((author.size() >> 8) & 0xFF);
  out += static_cast<char>(author.size() & 0xFF);
  out.append(author);
  out.append(request_id);
  return out;
}

}  // namespace bridgekeeper::store
