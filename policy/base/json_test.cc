// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/base/json.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

JsonDocument Parse(std::string_view text) {
  auto document = JsonDocument::Parse(text);
  EXPECT_THAT(document, IsOk()) << text;
  return *std::move(document);
}

std::string Nested(int depth, std::string_view open, std::string_view inner,
                   std::string_view close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += inner;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

struct Row {
  const char* name;
  std::string_view text;
};

std::string RowName(const ::testing::TestParamInfo<Row>& info) { return info.param.name; }

// --- What RFC 8259 takes -----------------------------------------------------

class JsonAccepts : public ::testing::TestWithParam<Row> {};

TEST_P(JsonAccepts, Text) { EXPECT_THAT(JsonDocument::Parse(GetParam().text), IsOk()); }

INSTANTIATE_TEST_SUITE_P(
    Table, JsonAccepts,
    ::testing::Values(
        Row{"Null", "null"}, Row{"True", "true"}, Row{"False", "false"}, Row{"Zero", "0"},
        Row{"MinusZero", "-0"}, Row{"Integer", "1234567890"}, Row{"NegativeInteger", "-17"},
        Row{"Fraction", "0.5"}, Row{"FractionWithLeadingZeros", "1.0001"}, Row{"Exponent", "1e5"},
        Row{"CapitalExponent", "1E5"}, Row{"PlusExponent", "1e+5"}, Row{"MinusExponent", "1.5e-05"},
        Row{"HugeExponent", "1e999999"}, Row{"HugeInteger", "123456789012345678901234567890"},
        Row{"EmptyString", "\"\""}, Row{"EmptyArray", "[]"}, Row{"EmptyObject", "{}"},
        Row{"SpaceInsideEmpty", "[ \t\r\n]"}, Row{"SpaceAround", " \t\r\n{ } \n"},
        Row{"Array", "[1,2,3]"}, Row{"ArrayOfAllKinds", "[null,true,1,\"a\",[],{}]"},
        Row{"Object", "{\"a\":1,\"b\":2}"}, Row{"EmptyName", "{\"\":0}"},
        Row{"NestedEmpty", "[[],{},[[]]]"}, Row{"SpaceBetweenTokens", "{ \"a\" : [ 1 , 2 ] }"},
        Row{"EveryEscape", R"("\"\\\/\b\f\n\r\t\u0041")"}, Row{"EscapedNul", R"("\u0000")"},
        Row{"SurrogatePair", R"("\ud83d\ude00")"}, Row{"CapitalHex", R"("\uABCD")"},
        Row{"Del", "\"\x7F\""}, Row{"RawLetters", "\"h\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\""},
        Row{"LineSeparatorInString", "\"\xE2\x80\xA8\""},
        Row{"NoncharacterInString", "\"\xEF\xBF\xBF\""},
        Row{"SameNameInOtherObjects", R"({"a":{"a":1},"b":{"a":2}})"},
        Row{"SameNameInSiblings", R"([{"a":1},{"a":2}])"},
        Row{"NamesThatDifferByCase", R"({"a":1,"A":2})"},
        Row{"NamesThatDifferByForm", "{\"\xC3\xA9\":1,\"e\xCC\x81\":2}"}),
    RowName);

// --- What it does not, and what two readers could read differently -----------

class JsonRefuses : public ::testing::TestWithParam<Row> {};

TEST_P(JsonRefuses, Text) {
  EXPECT_THAT(JsonDocument::Parse(GetParam().text), StatusIs(kInvalid, HasSubstr("JSON at byte")));
}

INSTANTIATE_TEST_SUITE_P(
    Values, JsonRefuses,
    ::testing::Values(Row{"Empty", ""}, Row{"SpaceAlone", " \n"}, Row{"Word", "nul"},
                      Row{"LongerWord", "nulll"}, Row{"CapitalWord", "True"}, Row{"NaN", "NaN"},
                      Row{"Infinity", "Infinity"}, Row{"MinusInfinity", "-Infinity"},
                      Row{"Bare", "abc"}, Row{"SingleQuotes", "'a'"}, Row{"Comment", "/* */ 1"},
                      Row{"LineComment", "1 // x"}, Row{"TwoValues", "1 2"},
                      Row{"TwoObjects", "{}{}"}, Row{"NulByte", std::string_view("\0", 1)},
                      Row{"NulAfterValue", std::string_view("1\0", 2)},
                      Row{"FormFeedAsSpace",
                          "\x0C"
                          "1"},
                      Row{"VerticalTabAsSpace",
                          "[1,\x0B"
                          "2]"},
                      Row{"NoBreakSpace",
                          "\xC2\xA0"
                          "1"},
                      Row{"LineSeparatorAsSpace",
                          "\xE2\x80\xA8"
                          "1"}),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    Numbers, JsonRefuses,
    ::testing::Values(Row{"LeadingZero", "01"}, Row{"LeadingZeroInArray", "[01]"},
                      Row{"MinusLeadingZero", "-012"}, Row{"Plus", "+1"}, Row{"MinusAlone", "-"},
                      Row{"DoubleMinus", "--1"}, Row{"DotFirst", ".5"}, Row{"DotLast", "1."},
                      Row{"DotBeforeExponent", "1.e5"}, Row{"ExponentAlone", "1e"},
                      Row{"ExponentSignAlone", "1e+"}, Row{"ExponentFirst", "e5"},
                      Row{"FractionalExponent", "1e5.5"}, Row{"Hexadecimal", "0x10"},
                      Row{"Underscore", "1_000"}, Row{"SpaceInside", "1 000"},
                      Row{"LetterAfter", "[1a]"}, Row{"FullWidthDigit", "\xEF\xBC\x91"}),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    Containers, JsonRefuses,
    ::testing::Values(Row{"OpenArray", "["}, Row{"OpenObject", "{"}, Row{"CloseAlone", "]"},
                      Row{"WrongClose", "[}"}, Row{"WrongCloseOfObject", "{]"},
                      Row{"TrailingComma", "[1,]"}, Row{"TrailingCommaInObject", "{\"a\":1,}"},
                      Row{"LeadingComma", "[,1]"}, Row{"DoubleComma", "[1,,2]"},
                      Row{"MissingComma", "[1 2]"},
                      Row{"MissingCommaBetweenMembers", "{\"a\":1 \"b\":2}"},
                      Row{"CommaAlone", "[,]"}, Row{"ColonInArray", "[1:2]"},
                      Row{"MissingColon", "{\"a\" 1}"}, Row{"DoubleColon", "{\"a\"::1}"},
                      Row{"MissingValue", "{\"a\":}"}, Row{"MissingName", "{:1}"},
                      Row{"NumberAsName", "{1:1}"}, Row{"BareName", "{a:1}"},
                      Row{"NullAsName", "{null:1}"}, Row{"NameAlone", "{\"a\"}"},
                      Row{"ValueAfterClose", "[1]]"}, Row{"CutInMiddle", "{\"a\":[1,"}),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    Strings, JsonRefuses,
    ::testing::Values(Row{"Unterminated", "\"abc"}, Row{"UnterminatedEscape", "\"abc\\"},
                      Row{"EscapedQuoteAtEnd", "\"abc\\\""}, Row{"RawLineFeed", "\"a\nb\""},
                      Row{"RawTab", "\"a\tb\""}, Row{"RawCarriageReturn", "\"a\rb\""},
                      Row{"RawNul", std::string_view("\"a\0b\"", 5)},
                      Row{"RawNulAfterEscape", std::string_view("\"\\n\0\"", 5)},
                      Row{"UnknownEscape", R"("\x41")"}, Row{"CapitalEscape", R"("\N")"},
                      Row{"EscapedSingleQuote", R"("\'")"}, Row{"ShortHex", R"("\u00a")"},
                      Row{"BadHex", R"("\u00G0")"}, Row{"HexWithSign", R"("\u+041")"},
                      Row{"CutHex", "\"\\u00"}, Row{"BracedHex", R"("\u{41}")"},
                      Row{"LoneHighSurrogate", R"("\ud83d")"},
                      Row{"LoneLowSurrogate", R"("\ude00")"},
                      Row{"HighSurrogateThenLetter", R"("\ud83dx")"},
                      Row{"HighSurrogateThenEscape", R"("\ud83d\n")"},
                      Row{"TwoHighSurrogates", R"("\ud83d\ud83d\ude00")"},
                      Row{"SurrogatesReversed", R"("\ude00\ud83d")"},
                      Row{"HighSurrogateThenNonSurrogate", R"("\ud83d\u0041")"},
                      Row{"LoneSurrogateInName", R"({"\ud800":1})"}),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    Encodings, JsonRefuses,
    ::testing::Values(Row{"ByteOrderMark", "\xEF\xBB\xBF{}"},
                      Row{"ByteOrderMarkInside",
                          "[\xEF\xBB\xBF"
                          "1]"},
                      Row{"Utf16", std::string_view("{\0}\0", 4)},
                      Row{"Utf16ByteOrderMark", std::string_view("\xFF\xFE{\0", 4)},
                      Row{"Latin1", "\"\xE9\""}, Row{"Overlong", "\"\xC0\xAF\""},
                      Row{"EncodedSurrogate", "\"\xED\xA0\x80\""},
                      Row{"CutSequence", "\"\xE2\x82\""}, Row{"InvalidInName", "{\"\xFF\":1}"},
                      Row{"InvalidOutsideStrings", "{}\xFF"}),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    NamesThatEndEarlyForSome, JsonRefuses,
    ::testing::Values(Row{"AtTheEnd", R"({"sql\u0000":1})"}, Row{"Inside", R"({"a\u0000b":1})"},
                      Row{"Alone", R"({"\u0000":1})"}, Row{"Deep", R"([{"a":{"b\u0000":1}}])"},
                      Row{"BesideTheNameThatItIsTakenFor", R"({"a":1,"a\u0000":2})"}),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    Twins, JsonRefuses,
    ::testing::Values(Row{"Twice", R"({"a":1,"a":2})"},
                      Row{"TwiceWithEqualValues", R"({"a":1,"a":1})"},
                      Row{"EscapedTwin", R"({"method":1,"m\u0065thod":2})"},
                      Row{"EscapedTwinFirst", R"({"\u0061":1,"a":2})"},
                      Row{"TwinByShortEscape", R"({"a\/b":1,"a/b":2})"},
                      Row{"TwinBySurrogatePair", "{\"\\ud83d\\ude00\":1,\"\xF0\x9F\x98\x80\":2}"},
                      Row{"EmptyTwins", R"({"":1,"":2})"},
                      Row{"Deep", R"([{"x":[{"a":1,"b":2,"a":3}]}])"},
                      Row{"TwinAfterContainer", R"({"a":{"b":1},"a":2})"},
                      Row{"TwinOfEnclosingNameIsFineButThisIsNot", R"({"a":{"a":1,"a":2}})"}),
    RowName);

TEST(Json, FindsTwinsAmongManyMembers) {
  for (const int count : {2, 11, 12, 13, 14, 100}) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += "\"k" + std::to_string(i) + "\":0,";
    EXPECT_THAT(JsonDocument::Parse(text + "\"other\":0}"), IsOk()) << count;
    EXPECT_THAT(JsonDocument::Parse(text + "\"k0\":0}"),
                StatusIs(kInvalid, HasSubstr("a second member `k0`")))
        << count;
    EXPECT_THAT(JsonDocument::Parse(text + "\"\\u006b1\":0}"),
                StatusIs(kInvalid, HasSubstr("`k1`")))
        << count;
  }
}

// --- Limits ------------------------------------------------------------------

TEST(Json, BoundsDepth) {
  JsonLimits limits;
  limits.max_depth = 3;
  EXPECT_THAT(JsonDocument::Parse("[[[1]]]", limits), IsOk());
  EXPECT_THAT(JsonDocument::Parse("[[[[1]]]]", limits),
              StatusIs(kExhausted, HasSubstr("deeper than 3")));
  EXPECT_THAT(JsonDocument::Parse(R"({"a":{"b":{"c":{}}}})", limits), StatusIs(kExhausted));
  EXPECT_THAT(JsonDocument::Parse("[[[]],[[]],[[1]]]", limits), IsOk());
  limits.max_depth = 0;
  EXPECT_THAT(JsonDocument::Parse("1", limits), IsOk());
  EXPECT_THAT(JsonDocument::Parse("[]", limits), StatusIs(kExhausted));
}

TEST(Json, StandardDepthIs128) {
  EXPECT_THAT(JsonDocument::Parse(Nested(128, "[", "", "]")), IsOk());
  EXPECT_THAT(JsonDocument::Parse(Nested(129, "[", "", "]")), StatusIs(kExhausted));
}

TEST(Json, BoundsValues) {
  JsonLimits limits;
  limits.max_values = 4;
  EXPECT_THAT(JsonDocument::Parse("[1,2,3]", limits), IsOk());
  EXPECT_THAT(JsonDocument::Parse("[1,2,3,4]", limits),
              StatusIs(kExhausted, HasSubstr("more than 4 values")));
  EXPECT_THAT(JsonDocument::Parse(R"({"a":1,"b":2,"c":3})", limits), IsOk());
  EXPECT_THAT(JsonDocument::Parse("[[],[],[],[]]", limits), StatusIs(kExhausted));
}

TEST(Json, DepthCostsNoStack) {
  JsonLimits limits;
  limits.max_depth = 2'000'000;
  limits.max_values = 2'000'000;
  const std::string text = Nested(1'000'000, "[", "7", "]");
  auto document = JsonDocument::Parse(text, limits);
  ASSERT_THAT(document, IsOk());
  EXPECT_EQ(CanonicalJson(document->root()), text);
  EXPECT_THAT(JsonDocument::Parse(std::string(1'000'000, '['), limits), StatusIs(kInvalid));
}

// --- Errors say where and what -----------------------------------------------

TEST(Json, ErrorsNamePlaceAndWant) {
  EXPECT_THAT(JsonDocument::Parse("{\"a\" 1}"),
              StatusIs(kInvalid, "JSON at byte 5: got `1`, want `:`"));
  EXPECT_THAT(JsonDocument::Parse("[1"),
              StatusIs(kInvalid, "JSON at byte 2: got the end of the text, want `,` or `]`"));
  EXPECT_THAT(JsonDocument::Parse("{\"a\":1,\"a\":2}"),
              StatusIs(kInvalid, "JSON at byte 7: got a second member `a` in one object"));
  EXPECT_THAT(JsonDocument::Parse("\"ab\\ud800\""),
              StatusIs(kInvalid, "JSON at byte 3: got a lone surrogate"));
  EXPECT_THAT(JsonDocument::Parse("\xEF\xBB\xBF{}"),
              StatusIs(kInvalid, "JSON at byte 0: got a byte order mark"));
  EXPECT_THAT(JsonDocument::Parse("[\"\xFF\"]"),
              StatusIs(kInvalid, "JSON at byte 2: got invalid UTF-8"));
}

TEST(Json, ErrorsEscapeWhatTheyQuote) {
  EXPECT_THAT(JsonDocument::Parse("[\x1B]"), StatusIs(kInvalid, HasSubstr("`\\u{001b}`")));
  EXPECT_THAT(JsonDocument::Parse("{\"\\u202e\":1,\"\\u202e\":1}"),
              StatusIs(kInvalid, HasSubstr("`\\u{202e}`")));
}

TEST(Json, ErrorQuotesAWholeCharacter) {
  EXPECT_THAT(JsonDocument::Parse("[\xC3\xA9]"), StatusIs(kInvalid, HasSubstr("got `\xC3\xA9`")));
}

// --- Reading -----------------------------------------------------------------

TEST(Json, KeepsTheBytesOfEachValue) {
  const std::string text = " { \"id\" : 1.50 , \"s\" : \"\\u0041b\", \"list\" : [ 1 , {} ] } ";
  const JsonDocument document = Parse(text);
  const JsonValue root = document.root();
  EXPECT_EQ(root.raw(), text.substr(1, text.size() - 2));
  EXPECT_EQ(root.offset(), 1u);
  EXPECT_EQ(root.Find("id")->raw(), "1.50");
  EXPECT_EQ(root.Find("id")->offset(), text.find("1.50"));
  EXPECT_EQ(root.Find("s")->raw(), "\"\\u0041b\"");
  EXPECT_EQ(root.Find("s")->string(), "Ab");
  EXPECT_EQ(root.Find("list")->raw(), "[ 1 , {} ]");
  EXPECT_EQ(root.Find("nothing"), std::nullopt);
}

TEST(Json, UnescapesEveryEscape) {
  const JsonDocument document = Parse(R"("\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00\u0000.")");
  EXPECT_EQ(document.root().string(),
            std::string("\"\\/\b\f\n\r\t\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\0.", 23 - 4));
}

TEST(Json, ReadsTheBordersOfEachEncodedLength) {
  const JsonDocument document =
      Parse(R"("\u007f\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff")");
  EXPECT_EQ(document.root().string(),
            "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
}

TEST(Json, ReadsIntegersExactly) {
  const JsonDocument document = Parse(
      "[0,-0,9223372036854775807,-9223372036854775808,9223372036854775808,1.0,1e2,"
      "9007199254740993]");
  std::vector<std::optional<int64_t>> numbers;
  for (const JsonValue value : document.root()) numbers.push_back(value.integer());
  EXPECT_THAT(numbers, ElementsAre(0, 0, INT64_MAX, INT64_MIN, std::nullopt, std::nullopt,
                                   std::nullopt, 9007199254740993));
}

TEST(Json, IteratesInTheOrderOfTheText) {
  const JsonDocument document = Parse(R"({"b":[1,[2,{"x":3}],4],"a":{},"c":null})");
  std::vector<std::string> names;
  for (const JsonValue member : document.root()) names.emplace_back(member.key());
  EXPECT_THAT(names, ElementsAre("b", "a", "c"));
  std::vector<std::string> elements;
  const JsonValue list = *document.root().Find("b");
  for (const JsonValue element : list) elements.emplace_back(element.raw());
  EXPECT_THAT(elements, ElementsAre("1", R"([2,{"x":3}])", "4"));
  EXPECT_EQ(document.root().size(), 3u);
  EXPECT_EQ(document.root().Find("a")->size(), 0u);
  EXPECT_EQ(document.root().Find("a")->begin(), document.root().Find("a")->end());
  EXPECT_EQ(document.root().Find("c")->begin(), document.root().Find("c")->end());
  EXPECT_EQ(document.root().key(), "");
}

TEST(Json, FindsMembersByTheirUnescapedNames) {
  const JsonDocument document = Parse(R"({"me\u0074hod":"x","plain":true})");
  ASSERT_TRUE(document.root().Find("method"));
  EXPECT_EQ(document.root().Find("method")->string(), "x");
  EXPECT_TRUE(document.root().Find("plain")->boolean());
  EXPECT_EQ(document.root().Find("me\\u0074hod"), std::nullopt);
  const JsonDocument list = Parse("[1]");
  EXPECT_EQ(list.root().Find("0"), std::nullopt);
}

TEST(Json, KindsAreTold) {
  const JsonDocument document = Parse(R"([null,false,1,"s",[],{}])");
  std::vector<JsonKind> kinds;
  for (const JsonValue value : document.root()) kinds.push_back(value.kind());
  EXPECT_THAT(kinds, ElementsAre(JsonKind::kNull, JsonKind::kBool, JsonKind::kNumber,
                                 JsonKind::kString, JsonKind::kArray, JsonKind::kObject));
}

TEST(Json, DocumentCanBeMoved) {
  const std::string text = R"({"escaped\n":"a\tb","plain":"c"})";
  std::vector<JsonDocument> documents;
  for (int i = 0; i < 10; ++i)
    documents.push_back(Parse(text));  // the vector moves them as it grows
  for (const JsonDocument& document : documents) {
    EXPECT_EQ(document.root().Find("escaped\n")->string(), "a\tb");
    EXPECT_EQ(document.root().Find("plain")->string(), "c");
  }
}

// --- Writing -----------------------------------------------------------------

TEST(Json, WritesOnlyNeededEscapes) {
  std::string out;
  AppendJsonString(std::string_view("\"\\/\b\f\n\r\t\0\x1F\x7F\xC3\xA9", 13), out);
  EXPECT_EQ(out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7F\xC3\xA9\"");
}

struct CanonicalRow {
  const char* name;
  std::string_view text, want;
};

class CanonicalJsonTest : public ::testing::TestWithParam<CanonicalRow> {};

TEST_P(CanonicalJsonTest, Writes) {
  const JsonDocument document = Parse(GetParam().text);
  EXPECT_EQ(CanonicalJson(document.root()), GetParam().want);
  // What is canonical stays as it is.
  const JsonDocument canonical = Parse(GetParam().want);
  EXPECT_EQ(CanonicalJson(canonical.root()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CanonicalJsonTest,
    ::testing::Values(
        CanonicalRow{"Scalars", " [ null , true , 1 ] ", "[null,true,1]"},
        CanonicalRow{"SortsMembers", R"({"b":1,"a":2,"B":3})", R"({"B":3,"a":2,"b":1})"},
        CanonicalRow{"SortsByUnescapedBytes", "{\"\\u007a\":1,\"\xC3\xA9\":2,\"y\":3}",
                     "{\"y\":3,\"z\":1,\"\xC3\xA9\":2}"},
        CanonicalRow{"SortsPrefixFirst", R"({"ab":1,"a":2,"":3})", R"({"":3,"a":2,"ab":1})"},
        CanonicalRow{"KeepsArrayOrder", "[3,1,2]", "[3,1,2]"},
        CanonicalRow{"KeepsNumberTokens", "[1.0,1,1e0,-0,0.10]", "[1.0,1,1e0,-0,0.10]"},
        CanonicalRow{"UnescapesWhatNeedsNone", R"("\u0041\/\u000a")", R"("A/\n")"},
        CanonicalRow{"SortsAtEveryDepth", R"([{"b":{"d":1,"c":[{"z":0,"y":0}]},"a":[]}])",
                     R"([{"a":[],"b":{"c":[{"y":0,"z":0}],"d":1}}])"},
        CanonicalRow{"Empty", "{ \"a\" : { } , \"b\" : [ ] }", R"({"a":{},"b":[]})"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace bridgekeeper
