// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/fold.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

struct Case {
  std::string name;
  std::string text;
  std::string folded;
};

class FoldTest : public ::testing::TestWithParam<Case> {};

TEST_P(FoldTest, Holds) { EXPECT_EQ(SimpleFold(GetParam().text), GetParam().folded); }

// Source: CaseFolding.txt of Unicode 14, status C and S.
INSTANTIATE_TEST_SUITE_P(
    Table, FoldTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"Empty", "", ""},
        {"AsciiLetters", "aZ09_-[@`{", "az09_-[@`{"},
        {"LongSIsS", "argument\u017F", "arguments"},
        {"KelvinSignIsK", "\u212A", "k"},
        {"MicroSignIsGreekMu", "\u00B5", "\u03BC"},
        {"LatinWithDiacritics", "\u00C0\u00D6\u00D8\u00DE", "\u00E0\u00F6\u00F8\u00FE"},
        {"MultiplicationSignIsNoLetter", "\u00D7", "\u00D7"},
        {"AlternatingCapitals", "\u0100\u0101\u0102\u0103", "\u0101\u0101\u0103\u0103"},
        {"FinalSigmaIsSigma", "\u03A3\u03C2\u03C3", "\u03C3\u03C3\u03C3"},
        {"SharpSKeepsOneLetter", "\u1E9E\u00DF", "\u00DF\u00DF"},
        {"LigatureIsNotTakenApart", "\uFB01", "\uFB01"},
        {"DottedCapitalIStays", "\u0130", "\u0130"},
        {"DotlessIStays", "\u0131", "\u0131"},
        {"GreekTitleCaseIsSmallWithIota", "\u1F88", "\u1F80"},
        {"AngstromSign", "\u212B", "\u00E5"},
        {"CherokeeSmallIsCapital", "\uAB70\u13F8", "\u13A0\u13F0"},
        {"FullWidth", "\uFF21", "\uFF41"},
        {"DeseretOutsideTheBasicPlane", "\U00010400", "\U00010428"},
        {"Adlam", "\U0001E900", "\U0001E922"},
        {"NotALetter", "\u2603\U0001F600", "\u2603\U0001F600"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Fold, OnlyTheLongSAndTheKelvinSignFoldIntoAscii) {
  std::set<char32_t> found;
  for (char32_t c = 0x80; c < 0x110000; ++c) {
    if (SimpleFold(c) < 0x80) found.insert(c);
  }
  EXPECT_EQ(found, (std::set<char32_t>{0x017F, 0x212A}));
}

TEST(Fold, FoldingTwiceChangesNothingMore) {
  int changed = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    const char32_t folded = SimpleFold(c);
    if (folded != c) ++changed;
    ASSERT_EQ(SimpleFold(folded), folded) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(changed, 1454);
}

}  // namespace
}  // namespace bridgekeeper::bridge
