// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bridgekeeper::sqlite {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Spellings(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  std::vector<std::string> out;
  for (const Token& token : tokens.list) out.emplace_back(tokens.Spelling(token));
  if (!tokens.error.empty()) out.push_back("!" + std::to_string(tokens.error_position));
  return out;
}

TEST(SqliteTokens, AreCutWhereSqliteCutsThem) {
  EXPECT_THAT(Spellings("a.b,c->>'$.x'"), ElementsAre("a", ".", "b", ",", "c", "->>", "'$.x'"));
  EXPECT_THAT(Spellings("'it''s' \"a\"\"b\" `c``d` [e]]"),
              ElementsAre("'it''s'", "\"a\"\"b\"", "`c``d`", "[e]", "!25"));
  EXPECT_THAT(Spellings("x'0F' X'' xy"), ElementsAre("x'0F'", "X''", "xy"));
  EXPECT_THAT(Spellings("1.5e-3 .5 1. 0xFf 1_000 1e 2"),
              ElementsAre("1.5e-3", ".5", "1.", "0xFf", "1_000", "!24"));
  EXPECT_THAT(Spellings("$a::b(c;') ?1 :x @y"), ElementsAre("$a::b(c;')", "?1", ":x", "@y"));
  EXPECT_THAT(Spellings("a--b\rc\nd/*e*/f/*/g*/h/*i"), ElementsAre("a", "d", "f", "h"));
  EXPECT_THAT(Spellings("a<=b<>c==d||e!=f<<1"),
              ElementsAre("a", "<=", "b", "<>", "c", "==", "d", "||", "e", "!=", "f", "<<", "1"));
  EXPECT_THAT(Spellings("a/*"), ElementsAre("a", "/", "*"));
  EXPECT_THAT(Spellings(" \va"), ElementsAre("a"));
  EXPECT_THAT(Spellings("\va"), ElementsAre("!0"));
}

TEST(SqliteTokens, NamesHaveNoQuotesAndAreLowerCase) {
  const Tokens tokens = Tokenize("Ab 'It''s' \"A\"\"B\" `C``D` [E F]");
  std::vector<std::string> names;
  for (const Token& token : tokens.list) names.push_back(tokens.Name(token));
  EXPECT_THAT(names, ElementsAre("ab", "it's", "a\"b", "c`d", "e f"));
}

TEST(SqliteTokens, KeywordsAreFoundInAnyCase) {
  EXPECT_EQ(FindKeyword("select"), Keyword::kSelect);
  EXPECT_EQ(FindKeyword("ZZZ"), Keyword::kNone);
  EXPECT_EQ(FindKeyword("current_timestamps"), Keyword::kNone);
  EXPECT_EQ(FindKeyword(""), Keyword::kNone);
  EXPECT_TRUE(IsReserved(Keyword::kSelect));
  EXPECT_FALSE(IsReserved(Keyword::kReplace));
}

}  // namespace
}  // namespace bridgekeeper::sqlite
