// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bridgekeeper::mysql {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Spellings(std::string_view text, const Reading& reading = {}) {
  const Tokens tokens = Tokenize(text, reading);
  std::vector<std::string> out;
  for (const Token& token : tokens.list) out.emplace_back(tokens.Spelling(token));
  if (!tokens.error.empty()) out.push_back("!" + std::to_string(tokens.error_position));
  return out;
}

TEST(MysqlTokens, AreCutWhereTheServersCutThem) {
  EXPECT_THAT(Spellings("a.b,c->>'$.x'"), ElementsAre("a", ".", "b", ",", "c", "->>", "'$.x'"));
  EXPECT_THAT(Spellings("'it''s' \"a\"\"b\" `c``d` 'e\\'f'"),
              ElementsAre("'it''s'", "\"a\"\"b\"", "`c``d`", "'e\\'f'"));
  EXPECT_THAT(Spellings("x'0F' X'' b'01' N'y' n'z' xy"),
              ElementsAre("x'0F'", "X''", "b'01'", "N'y'", "n'z'", "xy"));
  EXPECT_THAT(
      Spellings("1.5e-3 .5 1. 0xFf 0b01 1e5 1e+5 1e 2st 0X41"),
      ElementsAre("1.5e-3", ".5", "1.", "0xFf", "0b01", "1e5", "1e+5", "1e", "2st", "0X41"));
  EXPECT_THAT(Spellings("t.1a.2b logs.2024_01"),
              ElementsAre("t", ".", "1a", ".", "2b", "logs", ".", "2024_01"));
  EXPECT_THAT(Spellings("5--1 --\tx\n2 #y\r3\n4 --"), ElementsAre("5", "-", "-", "1", "2", "4"));
  EXPECT_THAT(Spellings("a/*b*/c/*/d*/e/**/f"), ElementsAre("a", "c", "e", "f"));
  EXPECT_THAT(Spellings("@a.b @`x y` @'q' @@global.`v` @@v:=?"),
              ElementsAre("@a.b", "@`x y`", "@'q'", "@@global.`v`", "@@v", ":=", "?"));
  EXPECT_THAT(Spellings("a<=>b<>c||d&&e!=f<<1"),
              ElementsAre("a", "<=>", "b", "<>", "c", "||", "d", "&&", "e", "!=", "f", "<<", "1"));
}

TEST(MysqlTokens, TellWhereTheTextStopsBeingMysql) {
  for (const auto& [text, position] : {std::pair<std::string, size_t>{"a 'b", 2},
                                       {"a \"b", 2},
                                       {"a `b", 2},
                                       {"a /*b", 2},
                                       {"a /*!b", 2},
                                       {"a \\G", 2},
                                       {"a 1.e(", 2},
                                       {"a 1.5b", 2},
                                       {"a 1e5b", 2},
                                       {"a x'4'", 2},
                                       {"a b'2'", 2},
                                       {"`a`.5", 3},
                                       {"a .5", 2},
                                       {"a :b", 2},
                                       {"a @", 2},
                                       {"a b\xC2\xA0", 2}}) {
    const Tokens tokens = Tokenize(text, {});
    EXPECT_FALSE(tokens.error.empty()) << text;
    EXPECT_EQ(tokens.error_position, position) << text;
  }
}

TEST(MysqlTokens, GoByTheMode) {
  EXPECT_THAT(Spellings("'a\\' 'b'", {.backslash_escapes = false}), ElementsAre("'a\\'", "'b'"));
  EXPECT_EQ(Tokenize("\"a\"", {}).list[0].kind, TokenKind::kString);
  const Tokens names = Tokenize("\"a\\\"\"", {.ansi_quotes = true});
  EXPECT_FALSE(names.error.empty()) << "a backslash escapes nothing in a name";
}

TEST(MysqlTokens, ExecutableCommentsAreWhatTheReadingSays) {
  const std::string text = "1 /*! a */ /*!50003 b */ /*M!100100c */ /*T! d */ 2";
  EXPECT_THAT(Spellings(text), ElementsAre("1", "a", "b", "c", "d", "2"));
  EXPECT_THAT(Spellings(text, {.versions = {Version::kComment, Version::kCode, Version::kComment}}),
              ElementsAre("1", "b", "d", "2"));
  EXPECT_THAT(Spellings("/*!100100 a*/", {.versions = {Version::kCodeFiveDigits}}),
              ElementsAre("0", "a"));
  EXPECT_THAT(Tokenize(text, {}).choices, ElementsAre(2, 2, 3, 2));
  EXPECT_THAT(Spellings("/*!5 a*/"), ElementsAre("!0"));
  EXPECT_THAT(Spellings("/*! /* */ */", {.versions = {Version::kComment}}), ElementsAre("!0"));
}

TEST(MysqlTokens, KeywordsBesideADotAreNames) {
  const Tokens tokens = Tokenize("select t.select select.t drop . drop", {});
  std::vector<bool> reserved;
  for (const Token& token : tokens.list) reserved.push_back(token.IsReservedWord());
  EXPECT_THAT(reserved,
              ElementsAre(true, false, false, false, false, false, false, true, false, true));
}

TEST(MysqlTokens, HintsAreKeptApart) {
  const Tokens tokens = Tokenize("select /*+ INDEX(t) */ 1", {});
  EXPECT_EQ(tokens.list.size(), 2u);
  ASSERT_EQ(tokens.hints.size(), 1u);
  EXPECT_EQ(tokens.Spelling(tokens.hints[0]), "/*+ INDEX(t) */");
  EXPECT_THAT(Tokenize("/* + */", {}).hints, IsEmpty());
}

TEST(MysqlTokens, NamesHaveNoQuotes) {
  const Tokens tokens = Tokenize("Ab `C``D` \"E\"\"F\"", {.ansi_quotes = true});
  std::vector<std::string> names;
  for (const Token& token : tokens.list) names.push_back(tokens.Name(token));
  EXPECT_THAT(names, ElementsAre("Ab", "C`D", "E\"F"));
  EXPECT_EQ(tokens.LowerName(tokens.list[1]), "c`d");
}

TEST(MysqlTokens, KeywordsAreFoundInAnyCase) {
  EXPECT_EQ(FindKeyword("select"), Keyword::kSelect);
  EXPECT_EQ(FindKeyword("ZZZ"), Keyword::kNone);
  EXPECT_EQ(FindKeyword(""), Keyword::kNone);
  EXPECT_TRUE(IsReserved(Keyword::kSelect));
  EXPECT_FALSE(IsReserved(Keyword::kOver));
}

}  // namespace
}  // namespace bridgekeeper::mysql
