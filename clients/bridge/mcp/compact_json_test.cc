// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/compact_json.h"

#include <optional>

#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

TEST(CompactJson, TakesOutWhatIsBetweenTokens) {
  EXPECT_EQ(CompactJson("{ \"a\" :\t[ 1 , 2 ]\r\n}"), "{\"a\":[1,2]}");
  EXPECT_EQ(CompactJson(" true "), "true");
}

TEST(CompactJson, LeavesStringsAlone) {
  EXPECT_EQ(CompactJson(R"({"a b": " \" c \\", "d":1})"), R"({"a b":" \" c \\","d":1})");
  EXPECT_EQ(CompactJson(R"({"a":" \\"})"), std::nullopt);
}

TEST(CompactJson, LeavesATextWithoutSpaceAsItIs) {
  EXPECT_EQ(CompactJson(R"({"a":[1,2.50,"x y"]})"), std::nullopt);
}

}  // namespace
}  // namespace bridgekeeper::bridge
