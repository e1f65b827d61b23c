// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/synced_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "policy/base/status_macros.h"
#include "store/rocksdb/crc32c.h"
#include "store/rocksdb/rocks_status.h"

namespace bridgekeeper::store {
namespace {

// Two copies in sectors of their own, written in turn: one is whole at any moment.
constexpr size_t kSlotBytes = 512;
constexpr size_t kSlots = 2;
// Version 1, the revision big-endian, the CRC-32C of both big-endian.
constexpr size_t kContentBytes = 1 + 8 + 4;
constexpr char kVersion = 1;

std::string EncodeSlot(Revision revision) {
  std::string out(1, kVersion);
  const auto value = static_cast<uint64_t>(revision.value);
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFF);
  const uint32_t checksum = ExtendCrc32c(0, out);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((checksum >> shift) & 0xFF);
  return out;
}

std::optional<Revision> DecodeSlot(std::string_view bytes) {
  if (bytes.size() < kContentBytes) return std::nullopt;
  bytes = bytes.substr(0, kContentBytes);
  uint64_t value = 0;
  for (size_t i = 1; i <= 8; ++i) value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  const Revision revision{static_cast<int64_t>(value)};
  if (revision.value < 0 || EncodeSlot(revision) != bytes) return std::nullopt;
  return revision;
}

}  // namespace

absl::Status SyncedMark::Create(const std::string& path, Revision revision) {
  std::string content = EncodeSlot(revision);
  content.resize(kSlotBytes, '\0');
  content += content;
  return WriteNewFile(path + "/" + kMarkFile, content);
}

absl::StatusOr<SyncedMark> SyncedMark::Open(const std::string& path) {
  const std::string file_path = path + "/" + kMarkFile;
  std::optional<Revision> newest;
  size_t newest_slot = 0;
  if (Exists(file_path)) {
    BK_ASSIGN_OR_RETURN(const std::string content, ReadFile(file_path));
    for (size_t slot = 0; slot < kSlots && slot * kSlotBytes < content.size(); ++slot) {
      const auto revision = DecodeSlot(std::string_view(content).substr(slot * kSlotBytes));
      if (revision && (!newest || *newest < *revision)) {
        newest = revision;
        newest_slot = slot;
      }
    }
    if (!newest) {
      return DamagedFiles(path, "`SYNCED`, which says what was acknowledged, cannot be read");
    }
  } else {
    BK_RETURN_IF_ERROR(Create(path, Revision{0}));
  }
  FileDescriptor file(::open(file_path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return FromErrno(errno, "open", file_path);
  return SyncedMark(std::move(file), newest, 1 - newest_slot);
}

void SyncedMark::Set(Revision revision) {
  const std::string content = EncodeSlot(revision);
  const size_t slot = std::exchange(next_slot_, 1 - next_slot_);
  // The result does not matter, as the header says; the compiler wants to see it.
  [[maybe_unused]] const ssize_t written =
      ::pwrite(file_.get(), content.data(), content.size(), static_cast<off_t>(slot * kSlotBytes));
}

}  // namespace bridgekeeper::store
