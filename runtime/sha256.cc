// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper {

std::array<uint8_t, 32> Sha256(std::string_view bytes) {
  // Fetched once: EVP_sha256() has the library look for a provider at every digest, which
  // takes longer than the digest of a call's arguments. Never freed.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  std::array<uint8_t, 32> digest;
  unsigned int length = 0;
  // Fails only without memory or without a default provider.
  BK_CHECK(algorithm != nullptr);
  BK_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, algorithm, nullptr) == 1);
  BK_CHECK(length == digest.size());
  return digest;
}

std::string Sha256Hex(std::string_view bytes) {
  const std::array<uint8_t, 32> digest = Sha256(bytes);
  return HexEncode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string HmacSha256Hex(std::string_view key, std::string_view bytes) {
  std::array<uint8_t, 32> code;
  unsigned int length = 0;
  BK_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), code.data(),
                &length) != nullptr);
  BK_CHECK(length == code.size());
  return HexEncode({reinterpret_cast<const char*>(code.data()), code.size()});
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace bridgekeeper
