// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/base/strings.h"

#include <string>

#include "gtest/gtest.h"

namespace bridgekeeper {
namespace {

TEST(EscapeForPeople, NeverReturnsMoreThanItsLimit) {
  EXPECT_EQ(EscapeForPeople("abcdef", 6), "abcdef");
  EXPECT_EQ(EscapeForPeople("abcdefg", 6), "abc...");
  EXPECT_EQ(EscapeForPeople("abcdefg", 3), "...");
  EXPECT_EQ(EscapeForPeople("abcdefg", 2), "..");
  EXPECT_EQ(EscapeForPeople("abcdefg", 0), "");
}

TEST(EscapeForPeople, CutsBetweenCharactersAndEscapes) {
  EXPECT_EQ(EscapeForPeople("a\u00e9\u00e9\u00e9", 6), "a\u00e9...");
  EXPECT_EQ(EscapeForPeople("abc\x1b[2J", 9), "abc...");
}

}  // namespace
}  // namespace bridgekeeper
