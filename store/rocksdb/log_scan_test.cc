// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Logs here are written by RocksDB's own rules, so that each case is what a crash or a
// bad disk makes of a log. rocks_open_test.cc does the same to logs of RocksDB itself.

#include "store/rocksdb/log_scan.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "policy/testing/status_matchers.h"
#include "store/rocksdb/crc32c.h"
#include "store/rocksdb/files.h"

namespace bridgekeeper::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr size_t kBlock = 32768;

void AppendFragment(char type, std::string_view data, std::string& log) {
  std::string body(1, type);
  body.append(data);
  const uint32_t checksum = MaskCrc32c(ExtendCrc32c(0, body));
  for (int shift = 0; shift < 32; shift += 8) log += static_cast<char>((checksum >> shift) & 0xFF);
  log += static_cast<char>(data.size() & 0xFF);
  log += static_cast<char>(data.size() >> 8);
  log += body;
}

// Appends `data` as RocksDB does: in fragments that never cross a block.
void AppendRecord(std::string_view data, std::string& log) {
  bool first = true;
  do {
    size_t left = kBlock - log.size() % kBlock;
    if (left < 7) {
      log.append(left, '\0');
      left = kBlock;
    }
    const size_t length = std::min(data.size(), left - 7);
    const bool last = length == data.size();
    AppendFragment(first ? (last ? 1 : 2) : (last ? 4 : 3), data.substr(0, length), log);
    data.remove_prefix(length);
    first = false;
  } while (!data.empty());
}

// Not compressible to zeros: every 16 bytes hold something.
std::string Content(size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) out += static_cast<char>('a' + i % 26);
  return out;
}

struct Log {
  std::string bytes;
  std::vector<size_t> ends;  // of each record
};

Log MakeLog(const std::vector<size_t>& sizes) {
  Log log;
  for (const size_t size : sizes) {
    AppendRecord(Content(size), log.bytes);
    log.ends.push_back(log.bytes.size());
  }
  return log;
}

TEST(LogScan, ReadsWholeLogsOfAllShapes) {
  for (const std::vector<size_t>& sizes :
       std::vector<std::vector<size_t>>{{},
                                        {1},
                                        {100, 200, 300},
                                        {0, 5},
                                        {40'000},
                                        {100, 200'000, 7},
                                        {32'761},
                                        {32'761, 9},
                                        // Leave 6 bytes, 7 bytes and 8 bytes of the first block.
                                        {32'755, 9},
                                        {32'754, 9},
                                        {32'753, 9}}) {
    const Log log = MakeLog(sizes);
    const LogScan scan = ScanLog(log.bytes);
    EXPECT_EQ(scan.end, LogScan::End::kClean);
    EXPECT_EQ(scan.records, static_cast<int64_t>(sizes.size()));
    EXPECT_EQ(scan.good_bytes, log.bytes.size());
  }
}

TEST(LogScan, ALogCutAnywhereEndsInAnIncompleteRecordOrCleanly) {
  const Log log = MakeLog({300, 40'000, 500});
  for (size_t length = 0; length < log.bytes.size(); length += 43) {
    const LogScan scan = ScanLog(std::string_view(log.bytes).substr(0, length));
    size_t complete = 0;
    while (complete < log.ends.size() && log.ends[complete] <= length) ++complete;
    const size_t good = complete == 0 ? 0 : log.ends[complete - 1];
    ASSERT_EQ(scan.records, static_cast<int64_t>(complete)) << length;
    ASSERT_EQ(scan.good_bytes, good) << length;
    ASSERT_EQ(scan.end, good == length ? LogScan::End::kClean : LogScan::End::kIncomplete)
        << length;
  }
}

TEST(LogScan, AFlippedBitBeforeTheLastRecordIsDamage) {
  const Log log = MakeLog({300, 40'000, 500});
  for (size_t at = 0; at < log.ends[1]; at += 101) {
    std::string flipped = log.bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const LogScan scan = ScanLog(flipped);
    ASSERT_EQ(scan.end, LogScan::End::kDamaged) << at;
  }
}

TEST(LogScan, AFlippedBitInTheLastRecordIsDamageUnlessItMakesItLonger) {
  const Log log = MakeLog({300, 500});
  for (size_t at = log.ends[0]; at < log.bytes.size(); ++at) {
    std::string flipped = log.bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
    const LogScan scan = ScanLog(flipped);
    // A longer length looks like an end that is missing; SyncedMark finds that.
    const bool longer = at == log.ends[0] + 5;
    ASSERT_EQ(scan.end, longer ? LogScan::End::kIncomplete : LogScan::End::kDamaged) << at;
  }
}

TEST(LogScan, ALastRecordWithASectorOfZerosIsIncomplete) {
  const Log log = MakeLog({300, 5000});
  const size_t begin = log.ends[0];
  for (size_t sector = 512; sector < log.bytes.size(); sector += 512) {
    std::string torn = log.bytes;
    const size_t end = std::min(sector + 512, torn.size());
    std::fill(torn.begin() + static_cast<long>(sector), torn.begin() + static_cast<long>(end),
              '\0');
    const LogScan scan = ScanLog(torn);
    ASSERT_EQ(scan.end, LogScan::End::kIncomplete) << sector;
    ASSERT_EQ(scan.good_bytes, begin);
  }
}

TEST(LogScan, ALastRecordWhoseFirstBytesDidNotArriveIsIncomplete) {
  for (size_t lost = 1; lost < 16; ++lost) {
    const Log log = MakeLog({512 - lost - 7, 300});
    ASSERT_EQ(log.ends[0], 512 - lost);
    std::string torn = log.bytes;
    std::fill_n(torn.begin() + static_cast<long>(log.ends[0]), lost, '\0');
    const LogScan scan = ScanLog(torn);
    ASSERT_EQ(scan.end, LogScan::End::kIncomplete) << lost;
    ASSERT_EQ(scan.good_bytes, log.ends[0]) << lost;
    if (lost > 3) continue;
    // What is left of the checksum tells a byte that was damaged.
    torn[log.ends[0] + 100] ^= 0x40;
    ASSERT_EQ(ScanLog(torn).end, LogScan::End::kDamaged) << lost;
  }
}

TEST(LogScan, ALastRecordWhoseHeaderArrivedInPartIsIncomplete) {
  for (size_t arrived = 1; arrived < 7; ++arrived) {
    const Log log = MakeLog({512 - arrived - 7, 300});
    std::string torn = log.bytes;
    std::fill(torn.begin() + 512, torn.end(), '\0');
    const LogScan scan = ScanLog(torn);
    ASSERT_EQ(scan.end, LogScan::End::kIncomplete) << arrived;
    ASSERT_EQ(scan.good_bytes, log.ends[0]) << arrived;
  }
}

TEST(LogScan, ALastRecordWhoseLastBytesDidNotArriveIsIncomplete) {
  for (size_t lost = 1; lost < 16; ++lost) {
    const Log log = MakeLog({100, 512 + lost - 107 - 7});
    ASSERT_EQ(log.bytes.size(), 512 + lost);
    ASSERT_NE(log.bytes.back(), '\0');
    std::string torn = log.bytes;
    std::fill(torn.begin() + 512, torn.end(), '\0');
    const LogScan scan = ScanLog(torn);
    ASSERT_EQ(scan.end, LogScan::End::kIncomplete) << lost;
    ASSERT_EQ(scan.good_bytes, log.ends[0]) << lost;
  }
}

TEST(LogScan, ALastRecordWhoseMiddleBlocksAreMissingIsIncomplete) {
  const Log log = MakeLog({300, 200'000});
  std::string torn = log.bytes;
  std::fill(torn.begin() + kBlock, torn.begin() + 3 * kBlock, '\0');
  const LogScan scan = ScanLog(torn);
  EXPECT_EQ(scan.end, LogScan::End::kIncomplete);
  EXPECT_EQ(scan.good_bytes, log.ends[0]);
}

TEST(LogScan, ZeroedBlocksBeforeTheLastRecordAreDamage) {
  const Log log = MakeLog({300, 200'000, 50});
  std::string zeroed = log.bytes;
  std::fill(zeroed.begin() + kBlock, zeroed.begin() + 3 * kBlock, '\0');
  EXPECT_EQ(ScanLog(zeroed).end, LogScan::End::kDamaged);

  // Even where whole records were in them, and RocksDB would step over it.
  const Log small = MakeLog(std::vector<size_t>(2000, 100));
  zeroed = small.bytes;
  std::fill(zeroed.begin() + kBlock, zeroed.begin() + 2 * kBlock, '\0');
  EXPECT_EQ(ScanLog(zeroed).end, LogScan::End::kDamaged);
}

TEST(LogScan, ZerosAfterTheLastRecordAreIncomplete) {
  const Log log = MakeLog({300});
  for (const size_t zeros : {1, 6, 7, 100, 100'000}) {
    const LogScan scan = ScanLog(log.bytes + std::string(zeros, '\0'));
    EXPECT_EQ(scan.end, LogScan::End::kIncomplete) << zeros;
    EXPECT_EQ(scan.good_bytes, log.bytes.size()) << zeros;
  }
}

TEST(LogScan, AFragmentInTheWrongPlaceIsDamage) {
  std::string log;
  AppendRecord("one", log);
  AppendFragment(4, "the end of no record", log);
  EXPECT_EQ(ScanLog(log).end, LogScan::End::kDamaged);
  log.clear();
  AppendFragment(2, "a beginning", log);
  AppendFragment(1, "a whole record inside", log);
  EXPECT_EQ(ScanLog(log).end, LogScan::End::kDamaged);
}

// ---- folders of logs -----------------------------------------------------------

class WalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* tmp = std::getenv("TEST_TMPDIR");
    path_ = std::string(tmp != nullptr ? tmp : "/tmp") + "/log-scan";
    std::filesystem::remove_all(path_);
    ASSERT_THAT(MakeFolder(path_), IsOk());
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  void Write(const std::string& name, std::string_view bytes) {
    ASSERT_THAT(WriteNewFile(path_ + "/" + name, bytes), IsOk());
  }
  uint64_t Size(const std::string& name) { return std::filesystem::file_size(path_ + "/" + name); }

  std::string path_;
};

TEST_F(WalsTest, CutsTheIncompleteRecordOfTheNewestLog) {
  const Log log = MakeLog({300, 500});
  Write("000004.log", log.bytes);
  Write("000009.log", log.bytes.substr(0, log.bytes.size() - 1));
  Write("LOG", "no log of writes");
  const auto ends = ScanWals(path_);
  ASSERT_THAT(ends, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ((*ends)[0].file, "000009.log");
  EXPECT_EQ((*ends)[0].good_bytes, log.ends[0]);
  EXPECT_EQ((*ends)[0].bytes, log.bytes.size() - 1 - log.ends[0]);
  EXPECT_EQ(Size("000009.log"), log.bytes.size() - 1);

  ASSERT_THAT(CutIncompleteEnds(path_, *ends), IsOk());
  EXPECT_EQ(Size("000009.log"), log.ends[0]);
  EXPECT_EQ(Size("000004.log"), log.bytes.size());
  EXPECT_THAT(ScanWals(path_), IsOkAndHolds(IsEmpty()));
}

TEST_F(WalsTest, FindsItInTheLogBeforeOnesThatHoldNoRecordYet) {
  const Log log = MakeLog({300, 500});
  Write("000009.log", log.bytes.substr(0, log.bytes.size() - 1));
  Write("000010.log", "");
  const auto ends = ScanWals(path_);
  ASSERT_THAT(ends, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ((*ends)[0].file, "000009.log");
  EXPECT_EQ((*ends)[0].good_bytes, log.ends[0]);
}

TEST_F(WalsTest, LeavesALogBeforeTheNewestRecordToRocksDb) {
  const Log log = MakeLog({300, 500});
  Write("999999.log", log.bytes.substr(0, log.bytes.size() - 1));
  Write("1000000.log", log.bytes);
  EXPECT_THAT(ScanWals(path_), IsOkAndHolds(IsEmpty()));
}

TEST_F(WalsTest, RefusesADamagedLog) {
  const Log log = MakeLog({300, 500});
  std::string damaged = log.bytes;
  damaged[10] ^= 1;
  Write("000009.log", damaged);
  EXPECT_THAT(ScanWals(path_),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("log `000009.log` cannot be read from byte 0 on")));
}

}  // namespace
}  // namespace bridgekeeper::store
