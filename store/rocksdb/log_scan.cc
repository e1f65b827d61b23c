// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/log_scan.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "store/rocksdb/crc32c.h"
#include "store/rocksdb/files.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;  // checksum 4, length 2, type 1
constexpr size_t kChecksumBytes = 4;
// What a disk writes whole or not at all.
constexpr size_t kSectorBytes = 512;

enum FragmentType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct Fragment {
  uint8_t type;
  size_t end;  // offset after it
};

uint8_t ByteAt(std::string_view log, size_t at) { return static_cast<uint8_t>(log[at]); }

size_t BlockEnd(std::string_view log, size_t at) {
  return std::min(log.size(), (at / kBlockBytes + 1) * kBlockBytes);
}

// The length that the header at `at` claims. REQUIRES: the header is there
size_t ClaimedEnd(std::string_view log, size_t at) {
  return at + kHeaderBytes + (ByteAt(log, at + 4) | (size_t{ByteAt(log, at + 5)} << 8));
}

// Whether the checksum of the fragment from `at` to `end` is right from its byte `first` on.
bool ChecksumMatches(std::string_view log, size_t at, size_t end, size_t first) {
  const uint32_t checksum = MaskCrc32c(ExtendCrc32c(0, log.substr(at + 6, end - at - 6)));
  for (size_t i = first; i < kChecksumBytes; ++i) {
    if (ByteAt(log, at + i) != ((checksum >> (8 * i)) & 0xff)) return false;
  }
  return true;
}

// The fragment at `at`, or nullopt where there is none that is whole and right.
std::optional<Fragment> FragmentAt(std::string_view log, size_t at) {
  if (at + kHeaderBytes > BlockEnd(log, at)) return std::nullopt;
  const uint8_t type = ByteAt(log, at + 6);
  const size_t end = ClaimedEnd(log, at);
  if (type < kFull || type > kLast || end > BlockEnd(log, at)) return std::nullopt;
  if (!ChecksumMatches(log, at, end, 0)) return std::nullopt;
  return Fragment{type, end};
}

bool AllZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

// Steps over the zeros at the end of a block that are too short for a header.
size_t SkipBlockTrailer(std::string_view log, size_t at) {
  const size_t block_end = (at / kBlockBytes + 1) * kBlockBytes;
  if (block_end - at >= kHeaderBytes) return at;
  const size_t next = std::min(log.size(), block_end);
  return AllZero(log.substr(at, next - at)) ? next : at;
}

// Whether a record begins anywhere after `at`.
bool RecordBeginsAfter(std::string_view log, size_t at) {
  size_t position = at + 1;
  while (position + kHeaderBytes <= log.size()) {
    const std::optional<Fragment> fragment = FragmentAt(log, position);
    if (!fragment) {
      ++position;
      continue;
    }
    if (fragment->type == kFull || fragment->type == kFirst) return true;
    // The rest of the record that cannot be read.
    position = SkipBlockTrailer(log, fragment->end);
  }
  return false;
}

// Whether what stands at `at` is a fragment that did not reach the disk as a whole:
// its end is missing, or a sector of it reads as zeros, which is what space reads as
// that was given to the file and not written. A fragment that is all there and whose
// checksum is wrong was not left by a crash.
bool LooksUnfinished(std::string_view log, size_t at) {
  if (at + kHeaderBytes > BlockEnd(log, at)) return true;
  const size_t claimed = ClaimedEnd(log, at);
  if (claimed > log.size()) return true;
  if (AllZero(log.substr(at, kHeaderBytes))) return true;
  // The header's second sector may be the one: then what it claims says nothing.
  const size_t sector = (at / kSectorBytes + 1) * kSectorBytes;
  if (sector < at + kHeaderBytes && AllZero(log.substr(sector, kSectorBytes))) return true;
  for (size_t from = at; from < claimed;) {
    const size_t to = std::min(claimed, (from / kSectorBytes + 1) * kSectorBytes);
    const size_t bytes = to - from;
    if (AllZero(log.substr(from, bytes))) {
      // Fewer zeros may well be content: a number, the end of a block.
      constexpr size_t kFewestZeros = 16;
      if (bytes >= kFewestZeros) return true;
      // Not where the checksum begins, if the rest of it is right.
      if (from == at && ChecksumMatches(log, at, claimed, std::min(bytes, kChecksumBytes))) {
        return true;
      }
      // Nor where the log ends: a commit ends with its head's last number, whose last byte
      // is none (FORMAT.md).
      if (to == log.size()) return true;
    }
    from = to;
  }
  return false;
}

bool IsWalName(std::string_view name) {
  return name.size() > 4 && name.ends_with(".log") &&
         std::all_of(name.begin(), name.end() - 4, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

LogScan ScanLog(std::string_view log) {
  LogScan scan;
  size_t at = 0;
  bool in_record = false;
  while (true) {
    at = SkipBlockTrailer(log, at);
    if (at == log.size()) {
      if (in_record) scan.end = LogScan::End::kIncomplete;
      return scan;
    }
    const std::optional<Fragment> fragment = FragmentAt(log, at);
    const bool begins = fragment && (fragment->type == kFull || fragment->type == kFirst);
    if (!fragment || begins == in_record) break;
    at = fragment->end;
    in_record = fragment->type == kFirst || fragment->type == kMiddle;
    if (!in_record) {
      ++scan.records;
      scan.good_bytes = at;
    }
  }
  scan.bad_at = at;
  // A good fragment in the wrong place was put there by nobody who died.
  const bool misplaced = FragmentAt(log, at).has_value();
  const bool crashed = !misplaced && LooksUnfinished(log, at) && !RecordBeginsAfter(log, at);
  scan.end = crashed ? LogScan::End::kIncomplete : LogScan::End::kDamaged;
  return scan;
}

absl::StatusOr<std::vector<IncompleteEnd>> ScanWals(const std::string& path) {
  BK_ASSIGN_OR_RETURN(std::vector<std::string> names, ListFolder(path));
  std::erase_if(names, [](const std::string& name) { return !IsWalName(name); });
  // Numbers of at least six digits with leading zeros: longer is greater.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  });

  std::vector<IncompleteEnd> ends;
  bool newest = true;
  for (const std::string& name : names) {
    BK_ASSIGN_OR_RETURN(const std::string log, ReadFile(InFolder(path, name)));
    const LogScan scan = ScanLog(log);
    if (scan.end == LogScan::End::kDamaged) {
      return DamagedFiles(
          path, absl::StrFormat("log `%s` cannot be read from byte %d on", name, scan.bad_at));
    }
    // What a log before the newest record lacks is for RocksDB to judge: it knows which
    // logs are still needed.
    if (newest && scan.end == LogScan::End::kIncomplete) {
      ends.push_back({name, scan.good_bytes, log.size() - scan.good_bytes});
    }
    if (scan.records > 0) newest = false;
  }
  return ends;
}

absl::Status CutIncompleteEnds(const std::string& path, const std::vector<IncompleteEnd>& ends) {
  for (const IncompleteEnd& end : ends) {
    BK_RETURN_IF_ERROR(TruncateFile(InFolder(path, end.file), end.good_bytes));
  }
  return absl::OkStatus();
}

}  // namespace bridgekeeper::store
