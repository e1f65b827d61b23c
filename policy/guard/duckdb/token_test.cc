// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bridgekeeper::duckdb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Cut(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  if (!tokens.error.empty()) return {"error: " + tokens.error};
  std::vector<std::string> raw;
  for (size_t i = 0; i < tokens.tokens.size(); ++i) raw.emplace_back(tokens.raw(i));
  return raw;
}

TEST(DuckdbToken, CutsWordsNumbersAndSymbols) {
  EXPECT_THAT(Cut("INSERT INTO t(a) VALUES (1, .5, 1_000, 0x1f, 1e-5)"),
              ElementsAre("INSERT", "INTO", "t", "(", "a", ")", "VALUES", "(", "1", ",", ".5", ",",
                          "1_000", ",", "0x1f", ",", "1e-5", ")"));
  EXPECT_THAT(Cut(" \t\r\n\f\v"), IsEmpty());
}

TEST(DuckdbToken, QuotesEndWhereDuckdbEndsThem) {
  EXPECT_THAT(Cut("'it''s' \"a\"\"b\""), ElementsAre("'it''s'", "\"a\"\"b\""));
  EXPECT_THAT(Cut("'a\\' b"), ElementsAre("'a\\'", "b"));
  EXPECT_THAT(Cut("E'a\\' b' c"), ElementsAre("E'a\\' b'", "c"));
  EXPECT_THAT(Cut("$$ ; $a$ $$ $a$ $$ $a$"), ElementsAre("$$ ; $a$ $$", "$a$ $$ $a$"));
  EXPECT_THAT(Cut("'größe; --'"), ElementsAre("'größe; --'"));
}

TEST(DuckdbToken, CommentsEndWhereDuckdbEndsThem) {
  EXPECT_THAT(Cut("-- x\ra"), ElementsAre("a"));
  EXPECT_THAT(Cut("-- x\na"), ElementsAre("a"));
  EXPECT_THAT(Cut("/* a /* b */ c */ d"), ElementsAre("d"));
  EXPECT_THAT(Cut("/* ü */ a -- ü"), ElementsAre("a"));
  EXPECT_THAT(Cut("1--2\n3"), ElementsAre("1", "3"));
}

TEST(DuckdbToken, ParametersAreOneToken) {
  EXPECT_THAT(Cut("? $1 $name"), ElementsAre("?", "$1", "$name"));
}

TEST(DuckdbToken, WhatIsNotCertainIsAnError) {
  for (const char* text : {"'a", "\"a", "E'a\\'", "$$a", "$a$a$$", "/* a", "/* /* */", "$", "x'ab'",
                           "U&'a'", "U&\"a\"", "N'a'", "1a", "1e", "1_", "größe",
                           "a\xC2\xA0"
                           "b",
                           "\x01"}) {
    EXPECT_FALSE(Tokenize(text).error.empty()) << text;
  }
}

TEST(DuckdbToken, NamesAreReadWithoutTheirQuotes) {
  const Tokens tokens = Tokenize("Name \"Na\"\"me\" 'it''s'");
  EXPECT_EQ(tokens.Value(0), "name");
  EXPECT_EQ(tokens.Value(1), "Na\"me");
  EXPECT_EQ(tokens.Value(2), "it's");
  EXPECT_TRUE(tokens.IsWord(0, "name"));
  EXPECT_FALSE(tokens.IsWord(1, "name"));
  EXPECT_FALSE(tokens.IsWord(7, "name"));
}

}  // namespace
}  // namespace bridgekeeper::duckdb
