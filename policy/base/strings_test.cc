// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/base/strings.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(StringMap, FindsByView) {
  StringMap<int> map;
  map["one"] = 1;
  EXPECT_TRUE(map.contains(std::string_view("one")));
  EXPECT_FALSE(map.contains(std::string_view("two")));
}

TEST(StringViews, CrossOverKeepsBytes) {
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(AsStd(AsAbsl(text)), text);
}

TEST(NearestName, SuggestsLikelySlips) {
  constexpr std::string_view kNames[] = {"mode", "read_only", "allowed_actions", "limits"};
  EXPECT_THAT(NearestName("mod", kNames), Optional(Eq("mode")));
  EXPECT_THAT(NearestName("READ_ONLY", kNames), Optional(Eq("read_only")));
  EXPECT_THAT(NearestName("readonly", kNames), Optional(Eq("read_only")));
  EXPECT_THAT(NearestName("allowed_acitons", kNames), Optional(Eq("allowed_actions")));
  EXPECT_THAT(NearestName("lmits", kNames), Optional(Eq("limits")));
}

TEST(NearestName, IsSilentWhereNothingIsNear) {
  constexpr std::string_view kNames[] = {"mode", "read_only", "x"};
  EXPECT_EQ(NearestName("colour", kNames), std::nullopt);
  EXPECT_EQ(NearestName("", kNames), std::nullopt);
  // A third of two letters is less than one slip.
  EXPECT_EQ(NearestName("md", kNames), std::nullopt);
  EXPECT_EQ(NearestName("y", kNames), std::nullopt);
  EXPECT_EQ(NearestName(std::string(1000, 'a'), kNames), std::nullopt);
  EXPECT_EQ(NearestName("mode", {}), std::nullopt);
}

TEST(NearestName, PrefersTheNearest) {
  constexpr std::string_view kNames[] = {"suspend_at", "suspended"};
  EXPECT_THAT(NearestName("suspendet", kNames), Optional(Eq("suspended")));
}

struct Utf8Row {
  const char* name;
  std::string_view text;
  std::optional<size_t> invalid_at;
};

class FirstInvalidUtf8Test : public ::testing::TestWithParam<Utf8Row> {};

TEST_P(FirstInvalidUtf8Test, Finds) {
  EXPECT_EQ(FirstInvalidUtf8(GetParam().text), GetParam().invalid_at);
}

INSTANTIATE_TEST_SUITE_P(
    Table, FirstInvalidUtf8Test,
    ::testing::Values(
        Utf8Row{"Empty", "", std::nullopt}, Utf8Row{"Ascii", "abc", std::nullopt},
        Utf8Row{"Nul", std::string_view("a\0b", 3), std::nullopt},
        Utf8Row{"TwoBytes", "\xC2\x80", std::nullopt},
        Utf8Row{"ThreeBytes", "\xE2\x82\xAC", std::nullopt},
        Utf8Row{"FourBytes", "\xF0\x9F\x98\x80", std::nullopt},
        Utf8Row{"LastCodePoint", "\xF4\x8F\xBF\xBF", std::nullopt},
        Utf8Row{"AboveTheLast", "a\xF4\x90\x80\x80", 1}, Utf8Row{"OverlongSlash", "\xC0\xAF", 0},
        Utf8Row{"OverlongTwoBytes", "\xC1\xBF", 0},
        Utf8Row{"OverlongThreeBytes", "\xE0\x80\xAF", 0},
        Utf8Row{"OverlongFourBytes", "\xF0\x80\x80\xAF", 0},
        Utf8Row{"Surrogate", "ab\xED\xA0\x80", 2}, Utf8Row{"LowSurrogate", "\xED\xBF\xBF", 0},
        Utf8Row{"BeforeTheSurrogates", "\xED\x9F\xBF", std::nullopt},
        Utf8Row{"LoneContinuation", "a\x80", 1}, Utf8Row{"CutTwo", "\xC3", 0},
        Utf8Row{"CutThree", "x\xE2\x82", 1}, Utf8Row{"CutFour", "\xF0\x9F\x98", 0},
        Utf8Row{"BadContinuation", "\xC3(", 0}, Utf8Row{"FiveBytes", "\xF8\x88\x80\x80\x80", 0},
        Utf8Row{"FE", "\xFE", 0}, Utf8Row{"FF", "abc\xFF", 3}),
    [](const auto& row) { return row.param.name; });

struct EscapeRow {
  const char* name;
  std::string_view text;
  std::string_view want;
};

class EscapeForPeopleTest : public ::testing::TestWithParam<EscapeRow> {};

TEST_P(EscapeForPeopleTest, Writes) {
  EXPECT_EQ(EscapeForPeople(GetParam().text), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, EscapeForPeopleTest,
    ::testing::Values(EscapeRow{"KeepsPlainText", "plain text, 100%", "plain text, 100%"},
                      EscapeRow{"KeepsLetters", "h\xC3\xA9llo \xE4\xB8\xAD",
                                "h\xC3\xA9llo \xE4\xB8\xAD"},
                      EscapeRow{"KeepsEmoji", "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
                      EscapeRow{"LineFeed", "a\nb", "a\\u{000a}b"},
                      EscapeRow{"Tab", "a\tb", "a\\u{0009}b"},
                      EscapeRow{"Nul", std::string_view("\0", 1), "\\u{0000}"},
                      EscapeRow{"TerminalEscape", "\x1B[2J", "\\u{001b}[2J"},
                      EscapeRow{"Del", "\x7F", "\\u{007f}"},
                      EscapeRow{"C1ControlSequence",
                                "\xC2\x9B"
                                "2J",
                                "\\u{009b}2J"},
                      EscapeRow{"SoftHyphen",
                                "a\xC2\xAD"
                                "b",
                                "a\\u{00ad}b"},
                      EscapeRow{"ArabicLetterMark", "\xD8\x9C", "\\u{061c}"},
                      EscapeRow{"RightToLeftOverride",
                                "\xE2\x80\xAE"
                                "gpj",
                                "\\u{202e}gpj"},
                      EscapeRow{"Isolate", "\xE2\x81\xA6", "\\u{2066}"},
                      EscapeRow{"ZeroWidthSpace",
                                "a\xE2\x80\x8B"
                                "b",
                                "a\\u{200b}b"},
                      EscapeRow{"WordJoiner", "\xE2\x81\xA0", "\\u{2060}"},
                      EscapeRow{"InvisibleTimes", "\xE2\x81\xA2", "\\u{2062}"},
                      EscapeRow{"LineSeparator", "\xE2\x80\xA8", "\\u{2028}"},
                      EscapeRow{"ByteOrderMark", "\xEF\xBB\xBF", "\\u{feff}"},
                      EscapeRow{"TagLetters", "\xF3\xA0\x81\xA1", "\\u{e0061}"},
                      EscapeRow{"SupplementaryVariationSelector", "\xF3\xA0\x84\x80", "\\u{e0100}"},
                      EscapeRow{"InvalidByte", "a\xFF", "a\\xff"},
                      EscapeRow{"CutSequence", "\xE2\x82", "\\xe2\\x82"}),
    [](const auto& row) { return row.param.name; });

TEST(EscapeForPeople, IsNeverLongerThanAsked) {
  EXPECT_EQ(EscapeForPeople("abcdef", 6), "abcdef");
  EXPECT_EQ(EscapeForPeople("abcdefg", 6), "abc...");
  // Neither a character nor an escape is cut in two.
  EXPECT_EQ(EscapeForPeople("ab\xE2\x82\xAC"
                            "def",
                            7),
            "ab...");
  EXPECT_EQ(EscapeForPeople("ab\n\n\n", 12), "ab...");
  EXPECT_EQ(EscapeForPeople("abcdefg", 2), "..");
  EXPECT_EQ(EscapeForPeople("abc", 0), "");
  for (size_t max = 0; max < 40; ++max) {
    EXPECT_LE(EscapeForPeople("a\nb\xE2\x82\xAC\xFF"
                              "cdefghijklmnopqrstuvw",
                              max)
                  .size(),
              max);
  }
}

TEST(AppendQuotedForPeople, WritesWhatReadsBack) {
  std::string out = "x: ";
  AppendQuotedForPeople("a\"b\\c\n\xE2\x80\xAE\xF3\xA0\x81\xA1\xFF", out);
  EXPECT_EQ(out, "x: \"a\\\"b\\\\c\\u000a\\u202e\xF3\xA0\x81\xA1\\ufffd\"");
}

TEST(AsciiLower, LeavesOtherLettersAlone) {
  EXPECT_EQ(AsciiLower("PROD-Es_1"), "prod-es_1");
  EXPECT_EQ(AsciiLower("\xC3\x89[@Z{`"), "\xC3\x89[@z{`");
}

TEST(HexEncode, WritesLowerCaseDigits) {
  EXPECT_EQ(HexEncode(std::string_view("\x00\x7F\xFF\xA0", 4)), "007fffa0");
  EXPECT_EQ(HexEncode(""), "");
}

}  // namespace
}  // namespace bridgekeeper
