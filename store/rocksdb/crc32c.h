// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli): the checksum of our stored values, and the one that RocksDB
// keeps in its logs.
//
// Thread safety: free functions without state.
// Source: RFC 3720 appendix B.4 (polynomial and test vectors); RocksDB's log format
// (masking).

#ifndef BRIDGEKEEPER_STORE_ROCKSDB_CRC32C_H_
#define BRIDGEKEEPER_STORE_ROCKSDB_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace bridgekeeper::store {

// The checksum of what `crc` covers followed by `bytes`; 0 covers nothing.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);

// The form in which RocksDB stores a checksum, so that bytes which hold a checksum
// can be summed themselves.
uint32_t MaskCrc32c(uint32_t crc);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_ROCKSDB_CRC32C_H_
