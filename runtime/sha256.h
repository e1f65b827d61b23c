// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), of OpenSSL.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_RUNTIME_SHA256_H_
#define BRIDGEKEEPER_RUNTIME_SHA256_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace bridgekeeper {

std::array<uint8_t, 32> Sha256(std::string_view bytes);

// The digest as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// The code that proves `bytes` to whoever has `key`, as 64 lower-case hexadecimal digits.
std::string HmacSha256Hex(std::string_view key, std::string_view bytes);

// Compares in a time that depends on the lengths only.
bool EqualInConstantTime(std::string_view a, std::string_view b);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_SHA256_H_
