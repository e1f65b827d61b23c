// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlserver/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace bridgekeeper::sqlserver {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Spellings(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  std::vector<std::string> out;
  for (const Token& token : tokens.list) {
    if (token.kind != TokenKind::kEnd) out.emplace_back(tokens.Spelling(token));
  }
  if (!tokens.error.empty()) out.push_back("error");
  return out;
}

TEST(SqlServerTokens, AreCutWhereTheServerCutsThem) {
  EXPECT_THAT(Spellings("a.b[c]\"d\"'e'N'f'"),
              ElementsAre("a", ".", "b", "[c]", "\"d\"", "'e'", "N'f'"));
  EXPECT_THAT(Spellings("1.5e3+.5-0x1F*$1.50"),
              ElementsAre("1.5e3", "+", ".5", "-", "0x1F", "*", "$1.50"));
  EXPECT_THAT(Spellings("@a @@b #c ##d $e a$b#c@d"),
              ElementsAre("@a", "@@b", "#c", "##d", "$e", "a$b#c@d"));
  EXPECT_THAT(Spellings("a!<b!>c<>d!=e>=f::g||h"),
              ElementsAre("a", "!<", "b", "!>", "c", "<>", "d", "!=", "e", ">=", "f", "::", "g",
                          "||", "h"));
  EXPECT_THAT(Spellings("[a]]b]''''\"\"\"\""), ElementsAre("[a]]b]", "''''", "\"\"\"\""));
  EXPECT_THAT(Spellings("a--b\nc/*d/*e*/f*/g"), ElementsAre("a", "c", "g"));
  EXPECT_THAT(Spellings("0xA\\\nB 'a\\\nb'"), ElementsAre("0xA\\\nB", "'a\\\nb'"));
}

TEST(SqlServerTokens, GoEndsABatchOnlyAloneOnItsLine) {
  const auto goes = [](std::string_view text) {
    int count = 0;
    for (const Token& token : Tokenize(text).list) count += token.kind == TokenKind::kGo ? 1 : 0;
    return count;
  };
  for (const char* text : {"GO", "a\nGO", "a\n go\t\nb", "a\r\nGo\r\nb", "a\nGO 3\nb", "a\nGO;\nb",
                           "a\nGO -- x\nb", "a\nGO /* x */\nb", "a\n/* x */ GO\nb", "a\rGO\rb"}) {
    EXPECT_EQ(goes(text), 1) << text;
  }
  for (const char* text : {"a GO", "a\nGO b", "a\nGOTO", "a\n[GO]", "a AS GO\nb", "a\nx.\ngo.b"}) {
    EXPECT_EQ(goes(text), 0) << text;
  }
}

TEST(SqlServerTokens, NamesComeWithoutQuotesInLowerCase) {
  const Tokens tokens = Tokenize("[A]]B] \"C\"\"D\" Ef N'G''H'");
  ASSERT_EQ(tokens.list.size(), 5u);
  EXPECT_EQ(tokens.Name(tokens.list[0]), "a]b");
  EXPECT_EQ(tokens.Name(tokens.list[1]), "c\"d");
  EXPECT_EQ(tokens.Name(tokens.list[2]), "ef");
  EXPECT_EQ(tokens.Name(tokens.list[3]), "g'h");
}

TEST(SqlServerTokens, FoldedNamesEqualWhatTheServerMayTakeThemFor) {
  for (const auto& [name, folded] :
       {std::pair<std::string, std::string>{"sql_logins", "sql_logins"},
        {"ｓｑｌ_ｌｏｇｉｎｓ", "sql_logins"},
        {"sql\u200b_log\u00adins ", "sql_logins"},
        {"sql_lógins", "sql_l*gins"},
        {"ＳＱＬ", "sql"},
        {"a\x01z", "az"},
        {"名前", "名前"},
        {"", ""}}) {
    EXPECT_EQ(FoldName(name), folded) << name;
  }
}

}  // namespace
}  // namespace bridgekeeper::sqlserver
