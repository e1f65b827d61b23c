// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Bytes from a disk: nothing that is read back crashes, and what is read is what would
// be written. The first byte chooses what the rest is; the checksum is put on here, for
// no input would find it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/check.h"
#include "store/api/store.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/log_scan.h"
#include "store/rocksdb/value_codec.h"

namespace bridgekeeper::store {
namespace {

const std::vector<RecordKey>& Keys() {
  static const auto* keys = new std::vector<RecordKey>{
      {RecordKind::kPolicy, "a", "", ""},
      {RecordKind::kCatalogEntry, "a", "s", "t"},
      {RecordKind::kCatalogEntry, "", "", "t"},
      {RecordKind::kConnection, "a", "", "c"},
  };
  return *keys;
}

void FuzzRecord(std::string_view payload) {
  for (const RecordKey& key : Keys()) {
    const std::string encoded = EncodeKey(key);
    const auto record = DecodeRecord(key, encoded, Seal(encoded, payload));
    if (!record.ok()) {
      BK_CHECK(record.status().code() == absl::StatusCode::kDataLoss);
      continue;
    }
    BK_CHECK(record->key == key);
    // Times outside what a message holds come back as the nearest; all else as it was.
    const auto again = EncodeRecord(*record);
    BK_CHECK(again.ok());
    const auto reread = DecodeRecord(key, encoded, Seal(encoded, *again));
    BK_CHECK(reread.ok());
    BK_CHECK(reread->value == record->value);
    BK_CHECK(reread->revision == record->revision);
  }
}

void FuzzUnsealed(std::string_view value) {
  for (const RecordKey& key : Keys()) {
    // Nobody guesses a checksum; what matters is that nothing is read past the end.
    const auto record = DecodeRecord(key, EncodeKey(key), value);
    BK_CHECK(record.ok() || record.status().code() == absl::StatusCode::kDataLoss);
  }
}

void FuzzOthers(std::string_view payload) {
  const Revision revision{1000};
  if (const auto commit = DecodeCommit(revision, Seal(EncodeCommitKey(revision), payload));
      commit.ok()) {
    BK_CHECK(*DecodeCommit(revision, EncodeCommit(revision, *commit)) == *commit);
  }
  if (const auto head = DecodeHead(Seal(kHeadKey, payload)); head.ok()) {
    BK_CHECK(*DecodeHead(EncodeHead(*head)) == *head);
  }
  if (const auto result = DecodeResult("key", Seal("key", payload)); result.ok()) {
    BK_CHECK(DecodeResult("key", EncodeResult("key", *result))->result == result->result);
  }
}

void FuzzKey(std::string_view bytes) {
  if (const auto key = DecodeKey(bytes)) BK_CHECK(EncodeKey(*key) == bytes);
  if (const auto prefix = AppPrefixOf(bytes)) BK_CHECK(bytes.starts_with(*prefix));
}

void FuzzLog(std::string_view log) {
  const LogScan scan = ScanLog(log);
  BK_CHECK(scan.good_bytes <= log.size());
  // What is left when the rest is cut off is a whole log of the same records.
  const LogScan good = ScanLog(log.substr(0, scan.good_bytes));
  BK_CHECK(good.end == LogScan::End::kClean);
  BK_CHECK(good.records == scan.records);
}

}  // namespace
}  // namespace bridgekeeper::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace store = bridgekeeper::store;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'r':
      store::FuzzRecord(rest);
      break;
    case 'u':
      store::FuzzUnsealed(rest);
      break;
    case 'o':
      store::FuzzOthers(rest);
      break;
    case 'k':
      store::FuzzKey(rest);
      break;
    case 'l':
      store::FuzzLog(rest);
      break;
    default:
      break;
  }
  return 0;
}
