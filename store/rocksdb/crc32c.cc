// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace bridgekeeper::store {
namespace {

using Table = std::array<uint32_t, 256>;

// Slicing by eight: table k holds the checksum of a byte followed by k zero bytes.
constexpr std::array<Table, 8> kTables = [] {
  constexpr uint32_t kReversedPolynomial = 0x82F63B78;
  std::array<Table, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}();

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  crc = ~crc;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
  }
  for (; left > 0; --left, ++at) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(*at)) & 0xFF];
  }
  return ~crc;
}

uint32_t MaskCrc32c(uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8; }

}  // namespace bridgekeeper::store
