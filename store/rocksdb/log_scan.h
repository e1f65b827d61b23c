// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// LogScan looks at a log of RocksDB before RocksDB does (the write-ahead logs, and the
// MANIFEST, which has the same form), to tell a record that a crash left incomplete
// from a record that was damaged later.
//
// RocksDB cannot: in the modes that open after a crash it takes a record whose length
// was damaged for the end of the log, and steps over zeroed blocks, and what was
// acknowledged after them is gone without a word. In the mode that forgives nothing it
// refuses what every crash may leave. So we cut the incomplete record off and open in
// that mode.
//
// The store syncs each record before it writes the next. So at most the last record is
// incomplete, and where another begins after a place that cannot be read, that place
// was readable once.
//
// Thread safety: free functions without state.
// Source: RocksDB's log format (blocks of 32 KiB, fragments with a 7-byte header), as
// version 7.8 writes it with neither recycling nor compression of logs.

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_LOG_SCAN_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_LOG_SCAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bridgekeeper::store {

struct LogScan {
  enum class End {
    kClean,       // after the last record there is nothing
    kIncomplete,  // the last record is not all there, as a crash leaves it
    kDamaged,     // what a crash cannot leave
  };
  End end = End::kClean;
  int64_t records = 0;      // complete ones
  uint64_t good_bytes = 0;  // where the last complete record ends
  uint64_t bad_at = 0;      // where reading failed; with kDamaged only
};

// Scans the content of a log.
LogScan ScanLog(std::string_view log);

// The end of a log that a crash left incomplete.
struct IncompleteEnd {
  std::string file;
  uint64_t good_bytes = 0;  // what stays
  uint64_t bytes = 0;       // what does not
};

// Scans the write-ahead logs of the RocksDB folder `path` and finds the record that a
// crash left incomplete, if there is one. Changes nothing.
//
// Errors:
//   kDataLoss - a log is damaged.
//   kUnavailable, kResourceExhausted - a log cannot be read.
absl::StatusOr<std::vector<IncompleteEnd>> ScanWals(const std::string& path);

// Cuts off what ScanWals() found. Errors: kUnavailable, kResourceExhausted.
absl::Status CutIncompleteEnds(const std::string& path, const std::vector<IncompleteEnd>& ends);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_LOG_SCAN_H_
