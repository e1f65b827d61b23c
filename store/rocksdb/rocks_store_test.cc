// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/rocks_store.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "policy/base/status_macros.h"
#include "policy/testing/status_matchers.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/rocks_db.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/rocks_test_util.h"
#include "store/testing/samples.h"
#include "store/testing/store_conformance.h"

namespace bridgekeeper::store {
namespace {

class RocksHarness : public StoreHarness {
 public:
  explicit RocksHarness(RocksStoreOptions options) : options_(std::move(options)) {}
  ~RocksHarness() override {
    store_.reset();
    std::filesystem::remove_all(options_.path);
  }

  absl::Status Open() {
    OpenReport report;
    BK_ASSIGN_OR_RETURN(store_, OpenRocksStore(options_, report));
    return absl::OkStatus();
  }

  PolicyStore& store() override { return *store_; }

  absl::Status Reopen() override {
    store_.reset();
    return Open();
  }

  absl::Status Damage(const RecordKey& key) override {
    store_.reset();
    BK_RETURN_IF_ERROR(FlipBit(key));
    return Open();
  }

  absl::StatusOr<std::unique_ptr<StoreHarness>> Restore(const std::string& backup) override {
    const RocksStoreOptions options = TestOptions(NewPath());
    BK_RETURN_IF_ERROR(RestoreRocksBackup(backup, options).status());
    auto restored = std::make_unique<RocksHarness>(options);
    BK_RETURN_IF_ERROR(restored->Open());
    return restored;
  }

 private:
  absl::Status FlipBit(const RecordKey& key) {
    BK_ASSIGN_OR_RETURN(const std::unique_ptr<RocksDb> db,
                        RocksDb::Open(options_.path + "/db", RocksDb::Mode::kReadWrite, options_));
    rocksdb::ColumnFamilyHandle* const records = db->family(Family::kRecords);
    std::string value;
    BK_RETURN_IF_ERROR(
        FromRocks(db->db().Get(rocksdb::ReadOptions(), records, EncodeKey(key), &value)));
    value.back() = static_cast<char>(value.back() ^ 1);
    return FromRocks(db->db().Put(SyncedWrite(), records, EncodeKey(key), value));
  }

  const RocksStoreOptions options_;
  std::unique_ptr<PolicyStore> store_;
};

absl::StatusOr<std::unique_ptr<StoreHarness>> MakeHarness(const HarnessOptions& options) {
  RocksStoreOptions rocks = TestOptions(NewPath());
  rocks.keep_revisions = options.keep_revisions;
  auto harness = std::make_unique<RocksHarness>(rocks);
  BK_RETURN_IF_ERROR(harness->Open());
  return harness;
}

INSTANTIATE_TEST_SUITE_P(RocksDb, StoreConformanceTest,
                         testing::Values(Conforms({.name = "rocksdb", .make = MakeHarness})),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace bridgekeeper::store
