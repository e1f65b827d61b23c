// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Cuts the power under concurrent writes, again and again, on a disk that forgets what
// was not synced.
//
//   store_power_cut_test [--rounds=20] [--seed=N]

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "policy/testing/status_matchers.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/testing/faulty_file_system.h"
#include "tests/robustness/arguments.h"
#include "tests/robustness/store_workload.h"

namespace bridgekeeper::store {
namespace {

Arguments arguments;

TEST(StorePowerCut, LosesNothingThatWasAcknowledged) {
  std::printf("%d rounds, --seed=%llu\n", arguments.rounds,
              static_cast<unsigned long long>(arguments.seed));
  std::mt19937_64 random(arguments.seed);
  const auto disk = std::make_shared<FaultyFileSystem>(arguments.seed);
  const std::unique_ptr<rocksdb::Env> env = NewFaultyEnv(disk);
  const RocksStoreOptions options{.path = TemporaryPath("power-cut"),
                                  .new_incarnation = std::string(32, 'a'),
                                  .keep_revisions = 1'000'000,
                                  .block_cache_bytes = 1 << 20,
                                  .write_buffer_bytes = 1 << 20,
                                  .env = env.get()};
  std::vector<Acknowledged> acknowledged;
  int64_t dropped = 0;
  for (int round = 1; round <= arguments.rounds; ++round) {
    SCOPED_TRACE(round);
    const size_t before = acknowledged.size();
    // How many commits are acknowledged before the cut: from none, so that opening is
    // cut too, to a few hundred, so that tables are written.
    const size_t until = random() % 4 == 0 ? 0 : random() % 300;
    OpenReport report;
    auto store = OpenRocksStore(options, report);
    ASSERT_THAT(store, IsOk());
    dropped += report.dropped_records;
    Mutex mu;
    std::atomic<bool> cut = false;
    const auto acknowledge = [&](const Acknowledged& ack) {
      MutexLock lock(mu);
      acknowledged.push_back(ack);
      if (acknowledged.size() - before >= until && !cut.exchange(true)) {
        // The other writers are anywhere in their commits.
        disk->Break({.kind = DiskFault::Kind::kPowerCut, .room = random() % 2000});
      }
    };
    RunWriters(**store, arguments.seed, static_cast<uint32_t>(round), acknowledge,
               [] { return false; });
    store->reset();
    disk->ForgetUnsynced();
    disk->Heal();

    OpenReport after;
    auto reopened = OpenRocksStore(options, after);
    ASSERT_THAT(reopened, IsOk());
    dropped += after.dropped_records;
    ASSERT_THAT(CheckStoreKeptItsWord(**reopened, acknowledged, round), testing::IsEmpty());
    EXPECT_EQ((*reopened)->Token().incarnation, options.new_incarnation);
  }
  std::printf("%zu commits acknowledged, %lld incomplete records dropped\n", acknowledged.size(),
              static_cast<long long>(dropped));
}

}  // namespace
}  // namespace bridgekeeper::store

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  bridgekeeper::store::arguments = bridgekeeper::store::ParseArguments(argc, argv);
  return RUN_ALL_TESTS();
}
