// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/crc32c.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace bridgekeeper::store {
namespace {

// RFC 3720, appendix B.4, and the check value of the CRC catalogues.
TEST(Crc32c, GivesTheKnownAnswers) {
  EXPECT_EQ(ExtendCrc32c(0, ""), 0u);
  EXPECT_EQ(ExtendCrc32c(0, "123456789"), 0xE3069283u);
  EXPECT_EQ(ExtendCrc32c(0, std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(ExtendCrc32c(0, std::string(32, '\xFF')), 0x62A8AB43u);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(ExtendCrc32c(0, rising), 0x46DD794Eu);
}

TEST(Crc32c, IsTheSameInPiecesOfAnyLength) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37);
  const std::string_view view = text;
  const uint32_t whole = ExtendCrc32c(0, view);
  for (size_t cut = 0; cut <= view.size(); ++cut) {
    EXPECT_EQ(ExtendCrc32c(ExtendCrc32c(0, view.substr(0, cut)), view.substr(cut)), whole) << cut;
  }
}

}  // namespace
}  // namespace bridgekeeper::store
