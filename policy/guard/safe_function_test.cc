// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/safe_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bridgekeeper {
namespace {

// The entry as it was read: parts in brackets where quoted, then the number of types.
std::string Read(std::string_view entry) {
  const auto function = ParseSafeFunction(entry);
  if (!function) return "none";
  std::string out;
  const auto show = [](const SafeFunction::Part& part) {
    return part.quoted ? "[" + part.text + "]" : part.text;
  };
  for (const SafeFunction::Part& part : function->qualifiers) out += show(part) + " . ";
  out += show(function->name);
  if (function->arguments) out += " / " + std::to_string(*function->arguments);
  return out;
}

struct Row {
  const char* name;
  std::string_view entry;
  const char* read;
};

class ParseSafeFunctionTest : public testing::TestWithParam<Row> {};

TEST_P(ParseSafeFunctionTest, Reads) { EXPECT_EQ(Read(GetParam().entry), GetParam().read); }

constexpr Row kRows[] = {
    {"NameAlone", "F", "F"},
    {"NameWithSchema", "public.f", "public . f"},
    {"DatabaseAndSchema", "db.dbo.f(int)", "db . dbo . f / 1"},
    {"NoTypes", "public.f()", "public . f / 0"},
    {"OnlySpaces", "public.f(  )", "public . f / 0"},
    {"CommaInAType", "public.f(numeric(10, 2), text)", "public . f / 2"},
    {"QuotedKeepsCaseAndDots", "\"Odd.schema\".\"F\"(int)", "[Odd.schema] . [F] / 1"},
    {"TwoQuotesAreOne", "public.\"a\"\"b\"(int)", "public . [a\"b] / 1"},
    {"Empty", "", "none"},
    {"NoName", "public.(int)", "none"},
    {"NoSchemaBeforeTheDot", ".f(int)", "none"},
    {"EmptyQuotes", "public.\"\"(int)", "none"},
    {"QuoteWithoutEnd", "public.\"f(int)", "none"},
    {"QuoteWithinAName", "public.f\"g\"(int)", "none"},
    {"NoEndOfTheTypes", "public.f(int", "none"},
    {"TextAfterTheTypes", "public.f(int) ", "none"},
    {"TooManyEnds", "public.f(int))", "none"},
    {"TypesTwice", "public.f(int)(int)", "none"},
    {"TypeWithoutEnd", "public.f(numeric(10, 2)", "none"},
};

INSTANTIATE_TEST_SUITE_P(Table, ParseSafeFunctionTest, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SafeFunctionPart, OnlyPlainNamesIgnoreCase) {
  EXPECT_EQ((SafeFunction::Part{"Ab", false}.Folded()), "ab");
  EXPECT_EQ((SafeFunction::Part{"Ab", true}.Folded()), "Ab");
}

}  // namespace
}  // namespace bridgekeeper
