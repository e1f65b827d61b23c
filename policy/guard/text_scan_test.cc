// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/text_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;

constexpr TextLimits kSmall = {.max_bytes = 64, .max_tokens = 8};

struct Case {
  std::string_view name;
  std::string text;
  std::string message;  // empty: passes
};

class TextScanTest : public testing::TestWithParam<Case> {};

TEST_P(TextScanTest, Bounds) {
  const auto problem = ScanText(GetParam().text, kSmall);
  if (GetParam().message.empty()) {
    EXPECT_FALSE(problem.has_value()) << problem->message;
    return;
  }
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->error, Judgement::Error::kUnreadable);
  EXPECT_EQ(problem->risk, Risk::kDestructive);
  EXPECT_THAT(problem->message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Table, TextScanTest,
    testing::Values(
        Case{"EmptyPasses", "", ""}, Case{"PlainPasses", "SELECT a, b FROM t", ""},
        Case{"AsLargeAsAllowedPasses", std::string(64, 'a'), ""},
        Case{"OneByteTooMany", std::string(65, 'a'),
             "got a statement of 65 bytes, want at most 64"},
        Case{"NulByte", std::string("SELECT 1\0; DROP", 15), "got a NUL byte at byte 8"},
        Case{"LoneContinuationByte", "SELECT '\x80'", "got invalid UTF-8 at byte 8"},
        Case{"OverlongForm", "SELECT '\xC0\xA7'", "got invalid UTF-8 at byte 8"},
        Case{"SurrogateInUtf8", "'\xED\xA0\x80'", "got invalid UTF-8 at byte 1"},
        Case{"CutCharacter", "SELECT '\xC3", "got invalid UTF-8 at byte 8"},
        Case{"AsManyTokensAsAllowed", "1+1+1+1+", ""},
        Case{"OneTokenTooMany", "1+1+1+1+1", "got a statement of 9 tokens, want at most 8"},
        Case{"QuotesHideNoTokens", "'1+1+1+1'", "got a statement of 9 tokens, want at most 8"},
        Case{"CharactersAboveAsciiAreWords", "\xC3\xA9\xC3\xA9 \xC3\xA9", ""}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace bridgekeeper
