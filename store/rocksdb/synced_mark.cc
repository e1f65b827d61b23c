// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/synced_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "store/rocksdb/crc32c.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

// Two copies in sectors of their own, written in turn: one is whole at any moment.
constexpr size_t kSlotBytes = 512;
constexpr size_t kSlots = 2;
// Version 1, three numbers of 8 bytes, the CRC-32C of all that; big-endian.
constexpr size_t kContentBytes = 1 + 3 * 8 + 4;
constexpr char kVersion = 1;

void AppendBigEndian(uint64_t value, int bytes, std::string& out) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
}

std::string EncodeSlot(const Synced& synced) {
  std::string out(1, kVersion);
  AppendBigEndian(static_cast<uint64_t>(synced.revision.value), 8, out);
  AppendBigEndian(synced.manifest_number, 8, out);
  AppendBigEndian(synced.manifest_bytes, 8, out);
  AppendBigEndian(ExtendCrc32c(0, out), 4, out);
  return out;
}

std::optional<Synced> DecodeSlot(std::string_view bytes) {
  if (bytes.size() < kContentBytes) return std::nullopt;
  bytes = bytes.substr(0, kContentBytes);
  const auto number = [&](size_t at) {
    uint64_t value = 0;
    for (const char c : bytes.substr(at, 8)) value = (value << 8) | static_cast<uint8_t>(c);
    return value;
  };
  const Synced synced{Revision{static_cast<int64_t>(number(1))}, number(9), number(17)};
  if (synced.revision.value < 0 || EncodeSlot(synced) != bytes) return std::nullopt;
  return synced;
}

// Whether `a` says more than `b`. Neither number ever goes back.
bool Newer(const Synced& a, const Synced& b) {
  return std::tie(a.revision, a.manifest_number, a.manifest_bytes) >
         std::tie(b.revision, b.manifest_number, b.manifest_bytes);
}

}  // namespace

absl::Status SyncedMark::Create(const std::string& path, const Synced& synced) {
  std::string content = EncodeSlot(synced);
  content.resize(kSlotBytes, '\0');
  content += content;
  return WriteNewFile(InFolder(path, kMarkFile), content);
}

absl::StatusOr<std::optional<Synced>> SyncedMark::Read(const std::string& path) {
  const std::string file = InFolder(path, kMarkFile);
  if (!Exists(file)) return std::optional<Synced>();
  BK_ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
  std::optional<Synced> newest;
  for (size_t slot = 0; slot < kSlots && slot * kSlotBytes < content.size(); ++slot) {
    const auto synced = DecodeSlot(std::string_view(content).substr(slot * kSlotBytes));
    if (synced && (!newest || Newer(*synced, *newest))) newest = synced;
  }
  if (!newest) {
    return DamagedFiles(path, "`SYNCED`, which says what was acknowledged, cannot be read");
  }
  return newest;
}

absl::StatusOr<SyncedMark> SyncedMark::Open(const std::string& path) {
  BK_ASSIGN_OR_RETURN(const std::optional<Synced> now, Read(path));
  if (!now)
    return absl::DataLossError(absl::StrFormat("`%s` is missing", InFolder(path, kMarkFile)));
  const std::string file_path = InFolder(path, kMarkFile);
  FileDescriptor file(::open(file_path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return FromErrno(errno, "open", file_path);
  SyncedMark mark(std::move(file));
  // Both copies say the same, or one was damaged: now it is not.
  for (size_t slot = 0; slot < kSlots; ++slot) mark.Set(*now);
  return mark;
}

void SyncedMark::Set(const Synced& synced) {
  const std::string content = EncodeSlot(synced);
  const size_t slot = std::exchange(next_slot_, 1 - next_slot_);
  // The result does not matter, as the header says; the compiler wants to see it.
  [[maybe_unused]] const ssize_t written =
      ::pwrite(file_.get(), content.data(), content.size(), static_cast<off_t>(slot * kSlotBytes));
}

}  // namespace bridgekeeper::store
