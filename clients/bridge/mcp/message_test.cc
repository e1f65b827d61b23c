// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/message.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::HasSubstr;

// ---- what is refused ---------------------------------------------------------

struct RefusalCase {
  std::string name;
  std::string line;
  int code;
  std::string id_token;  // empty: none could be made out
};

class RefusalTest : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(RefusalTest, IsRefused) {
  const auto read = ReadMessage(GetParam().line);
  const Refusal* refusal = std::get_if<Refusal>(&read);
  ASSERT_NE(refusal, nullptr) << "it was read";
  EXPECT_EQ(refusal->code, GetParam().code) << refusal->message;
  EXPECT_EQ(refusal->id_token, GetParam().id_token) << refusal->message;
}

std::string Call(std::string_view arguments) {
  return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":)" +
         std::string(arguments) + "}}";
}

std::vector<RefusalCase> RefusalCases() {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  return {
      // Not JSON, or not one object.
      {"NotJson", "Server listening on port 3000", kParseError, ""},
      {"CutShort", R"({"jsonrpc":"2.0","id":7,"method":"ping")", kParseError, "7"},
      {"TextBehind", R"({"jsonrpc":"2.0","id":7,"method":"ping"} x)", kParseError, "7"},
      {"Number", "7", kInvalidRequest, ""},
      {"EmptyBatch", "[]", kInvalidRequest, ""},
      {"BatchOfANumber", "[1]", kInvalidRequest, ""},
      {"BatchOfRequests",
       R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])",
       kInvalidRequest, ""},

      // Two readers could read it differently (what is judged is what runs).
      {"TwinKeys", R"({"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"})",
       kInvalidRequest, "7"},
      {"KeyThatEndsEarlyForSome",
       R"({"jsonrpc":"2.0","id":7,"method":"ping","method\u0000":"tools/call"})", kInvalidRequest,
       "7"},
      {"NameThatEndsEarlyForSome",
       R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name\u0000":"b"}})",
       kInvalidRequest, "7"},
      {"ArgumentThatEndsEarlyForSome", Call(R"({"sql":"SELECT 1","sql\u0000x":"DROP TABLE t"})"),
       kInvalidRequest, "7"},
      {"KeyThatEndsEarlyForSomeDeepInside", Call(R"({"a":[{"b":{"c\u0000":1}}]})"), kInvalidRequest,
       "7"},
      {"TaskByCapital",
       R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","Task":{}}})",
       kInvalidRequest, "7"},
      {"MetaByCapital", R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"_Meta":{}}})",
       kInvalidRequest, "7"},
      {"ResultByCapital", R"({"jsonrpc":"2.0","id":7,"method":"ping","Result":{}})",
       kInvalidRequest, "7"},
      {"IdThatDoublesDoNotKeep", R"({"jsonrpc":"2.0","id":9007199254740992,"method":"ping"})",
       kInvalidRequest, ""},
      {"IdBelowWhatDoublesKeep", R"({"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"})",
       kInvalidRequest, ""},
      {"IdThatEndsEarlyForSome", R"({"jsonrpc":"2.0","id":"a\u0000b","method":"ping"})",
       kInvalidRequest, ""},
      {"TwinKeysByEscape", R"({"jsonrpc":"2.0","id":7,"method":"ping","\u006dethod":"x"})",
       kInvalidRequest, "7"},
      {"TwinKeysDeepInArguments", Call(R"({"a":[{"b":{"c":1,"c":2}}]})"), kInvalidRequest, "7"},
      {"TwinIds", R"({"jsonrpc":"2.0","id":7,"id":8,"method":"ping"})", kInvalidRequest, ""},
      {"ByteOrderMark",
       "\xEF\xBB\xBF"
       R"({"jsonrpc":"2.0","id":7,"method":"ping"})",
       kInvalidRequest, "7"},
      {"InvalidUtf8", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"x\":\"\xC0\xAF\"}",
       kInvalidRequest, "7"},
      {"LoneSurrogate", R"({"jsonrpc":"2.0","id":7,"method":"ping","x":"\ud800"})", kInvalidRequest,
       "7"},
      {"LoneLowSurrogate", R"({"jsonrpc":"2.0","id":7,"method":"ping","x":"\udc00"})",
       kInvalidRequest, "7"},
      {"SurrogatesInTheWrongOrder",
       R"({"jsonrpc":"2.0","id":7,"method":"ping","x":"\udc00\ud800"})", kInvalidRequest, "7"},
      {"SurrogateBeforeALetter", R"({"jsonrpc":"2.0","id":7,"method":"ping","x":"\ud800\u0061"})",
       kInvalidRequest, "7"},
      {"LoneSurrogateInAKey", Call(R"({"\ud800":1})"), kInvalidRequest, "7"},
      {"SurrogateAsUtf8",
       "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"x\":\"\xED\xA0\x80\"}", kInvalidRequest,
       "7"},
      {"Utf16LittleEndian", std::string("\xFF\xFE{\0\"\0", 6), kParseError, ""},
      {"Utf16BigEndian", std::string("\xFE\xFF\0{\0\"", 6), kParseError, ""},
      {"Utf16WithoutAMark", std::string("{\0}\0", 4), kParseError, ""},
      {"ZeroByte", std::string(R"({"jsonrpc":"2.0","id":7,"method":"ping"})") + '\0', kParseError,
       "7"},
      {"RawControlCharacterInAString",
       "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"x\":\"\x01\"}", kInvalidRequest, "7"},
      // What tolerant readers take.
      {"Comment", R"({"jsonrpc":"2.0","id":7,/* x */"method":"ping"})", kParseError, "7"},
      {"CommaAtTheEnd", R"({"jsonrpc":"2.0","id":7,"method":"ping",})", kParseError, "7"},
      {"SingleQuotes", R"({'jsonrpc':'2.0','id':7,'method':'ping'})", kParseError, ""},
      {"KeyWithoutQuotes", R"({jsonrpc:"2.0","id":7,"method":"ping"})", kParseError, ""},
      {"LeadingZero", Call(R"({"n":01})"), kInvalidRequest, "7"},
      {"LeadingPlus", Call(R"({"n":+1})"), kInvalidRequest, "7"},
      {"NoDigitBeforeThePoint", Call(R"({"n":.5})"), kInvalidRequest, "7"},
      {"NoDigitBehindThePoint", Call(R"({"n":1.})"), kInvalidRequest, "7"},
      {"Hexadecimal", Call(R"({"n":0x10})"), kInvalidRequest, "7"},
      {"NotANumber", Call(R"({"n":NaN})"), kInvalidRequest, "7"},
      {"Infinity", Call(R"({"n":-Infinity})"), kInvalidRequest, "7"},
      {"TwinKeysDeepInMeta",
       R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"a":{"b":1,"b":2}}}})",
       kInvalidRequest, "7"},
      {"TooDeep", Call(R"({"a":)" + deep + "}"), kInvalidRequest, "7"},
      {"EnvelopeTwinsByCase", R"({"jsonrpc":"2.0","id":7,"method":"ping","X":1,"x":2})",
       kInvalidRequest, "7"},
      {"ParamsTwinsByCase",
       R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"Cursor":1,"cursor":2}})",
       kInvalidRequest, "7"},
      {"ArgumentTwinsByCase", Call(R"({"sql":"SELECT 1","SQL":"DROP TABLE t"})"), kInvalidRequest,
       "7"},
      {"ArgumentTwinsByLongS", Call(R"({"sql":"SELECT 1","ſql":"DROP TABLE t"})"), kInvalidRequest,
       "7"},
      {"ArgumentTwinsByKelvinSign", Call("{\"kind\":1,\"\u212Aind\":2}"), kInvalidRequest, "7"},
      {"ArgumentTwinsByGreekSigma", Call("{\"\u03C3\":1,\"\u03C2\":2}"), kInvalidRequest, "7"},
      {"RefTwinsByCase",
       R"({"jsonrpc":"2.0","id":7,"method":"completion/complete",)"
       R"("params":{"ref":{"type":"ref/prompt","Type":"ref/resource"}}})",
       kInvalidRequest, "7"},
      {"NotificationsTwinsByCase",
       R"({"jsonrpc":"2.0","id":7,"method":"subscriptions/listen",)"
       R"("params":{"notifications":{"taskIds":[],"TaskIds":["t"]}}})",
       kInvalidRequest, "7"},
      {"CapitalMethod", R"({"jsonrpc":"2.0","id":7,"method":"ping","Method":"tools/call"})",
       kInvalidRequest, "7"},
      {"CapitalMethodAlone", R"({"jsonrpc":"2.0","id":7,"METHOD":"tools/call"})", kInvalidRequest,
       "7"},
      {"CapitalId", R"({"jsonrpc":"2.0","method":"notifications/x","ID":7})", kInvalidRequest, ""},
      {"CapitalParams", R"({"jsonrpc":"2.0","id":7,"method":"ping","Params":{}})", kInvalidRequest,
       "7"},
      {"LongSInParams", R"({"jsonrpc":"2.0","id":7,"method":"ping","paramſ":{}})", kInvalidRequest,
       "7"},
      {"CapitalNameInParams",
       R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","Name":"b"}})",
       kInvalidRequest, "7"},
      {"LongSInArguments",
       R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","argumentſ":{}}})",
       kInvalidRequest, "7"},
      {"CapitalMethodInParams",
       R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"Method":"x"}})", kInvalidRequest, "7"},

      // Envelopes.
      {"NoMethod", R"({"jsonrpc":"2.0","id":"x"})", kInvalidRequest, "\"x\""},
      {"WrongVersion", R"({"jsonrpc":"1.0","id":7,"method":"ping"})", kInvalidRequest, "7"},
      {"NumericVersion", R"({"jsonrpc":2.0,"id":7,"method":"ping"})", kInvalidRequest, "7"},
      {"NoVersion", R"({"id":7,"method":"ping"})", kInvalidRequest, "7"},
      {"ArrayParams", R"({"jsonrpc":"2.0","id":7,"method":"ping","params":[]})", kInvalidRequest,
       "7"},
      {"NullParams", R"({"jsonrpc":"2.0","id":7,"method":"ping","params":null})", kInvalidRequest,
       "7"},
      {"NumericMethod", R"({"jsonrpc":"2.0","id":7,"method":1})", kInvalidRequest, "7"},
      {"NullId", R"({"jsonrpc":"2.0","id":null,"method":"ping"})", kInvalidRequest, ""},
      {"FractionId", R"({"jsonrpc":"2.0","id":7.0,"method":"ping"})", kInvalidRequest, ""},
      {"ExponentId", R"({"jsonrpc":"2.0","id":7e0,"method":"ping"})", kInvalidRequest, ""},
      {"HugeId", R"({"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"})", kInvalidRequest,
       ""},
      {"LongId", R"({"jsonrpc":"2.0","id":")" + std::string(2000, 'x') + R"(","method":"ping"})",
       kInvalidRequest, ""},
      {"ObjectId", R"({"jsonrpc":"2.0","id":{},"method":"ping"})", kInvalidRequest, ""},
      {"MethodAndResult", R"({"jsonrpc":"2.0","id":7,"method":"ping","result":{}})",
       kInvalidRequest, "7"},
      {"MethodAndError", R"({"jsonrpc":"2.0","id":7,"method":"ping","error":{}})", kInvalidRequest,
       "7"},
      {"ResultAndError", R"({"jsonrpc":"2.0","id":7,"result":{},"error":{}})", kInvalidRequest,
       "7"},
      {"ErrorThatIsNoObject", R"({"jsonrpc":"2.0","id":7,"error":"x"})", kInvalidRequest, "7"},
      {"ResultWithoutId", R"({"jsonrpc":"2.0","result":{}})", kInvalidRequest, ""},
      {"ResultWithNullId", R"({"jsonrpc":"2.0","id":null,"result":{}})", kInvalidRequest, ""},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, RefusalTest, ::testing::ValuesIn(RefusalCases()),
                         [](const auto& test) { return test.param.name; });

// ---- what is read ------------------------------------------------------------

struct ReadCase {
  std::string name;
  std::string line;
  Message::Kind kind;
  std::string id_token;
  IdKey id;
};

class ReadTest : public ::testing::TestWithParam<ReadCase> {};

TEST_P(ReadTest, IsRead) {
  const auto read = ReadMessage(GetParam().line);
  const Message* message = std::get_if<Message>(&read);
  ASSERT_NE(message, nullptr) << std::get<Refusal>(read).message;
  EXPECT_EQ(message->kind, GetParam().kind);
  EXPECT_EQ(message->id_token, GetParam().id_token);
  EXPECT_EQ(message->id, GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ReadTest,
    ::testing::ValuesIn(std::vector<ReadCase>{
        // Ids keep their token, and 7 is not "7".
        {"NumberId", R"({"jsonrpc":"2.0","id":7,"method":"ping"})", Message::Kind::kRequest, "7",
         "n7"},
        {"TextId", R"({"jsonrpc":"2.0","id":"7","method":"ping"})", Message::Kind::kRequest,
         "\"7\"", "s7"},
        {"ZeroId", R"({"jsonrpc":"2.0","id":0,"method":"ping"})", Message::Kind::kRequest, "0",
         "n0"},
        {"NegativeId", R"({"jsonrpc":"2.0","id":-1,"method":"ping"})", Message::Kind::kRequest,
         "-1", "n-1"},
        {"EmptyTextId", R"({"jsonrpc":"2.0","id":"","method":"ping"})", Message::Kind::kRequest,
         "\"\"", "s"},
        {"EscapedId", R"({"jsonrpc":"2.0","id":"\u0061bc-1","method":"ping"})",
         Message::Kind::kRequest, "\"\\u0061bc-1\"", "sabc-1"},
        {"LargestId", R"({"jsonrpc":"2.0","id":9007199254740991,"method":"ping"})",
         Message::Kind::kRequest, "9007199254740991", "n9007199254740991"},
        {"SmallestId", R"({"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"})",
         Message::Kind::kRequest, "-9007199254740991", "n-9007199254740991"},
        {"Notification", R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
         Message::Kind::kNotification, "", ""},
        {"Result", R"({"jsonrpc":"2.0","id":7,"result":null})", Message::Kind::kResult, "7", "n7"},
        {"Error", R"({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}})",
         Message::Kind::kError, "7", "n7"},
        {"ErrorWithoutAnId", R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})",
         Message::Kind::kError, "", ""},
        {"UnknownMembers", R"({"trace":{"Id":1,"id":2},"jsonrpc":"2.0","id":7,"method":"ping"})",
         Message::Kind::kRequest, "7", "n7"},
        {"TwinsByCaseBelowTheArguments",
         R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"arguments":{"a":{"X":1,"x":2}}}})",
         Message::Kind::kRequest, "7", "n7"},
        {"AsDeepAsMayBe",
         // The envelope, params and arguments are three levels of the 128.
         Call(R"({"a":)" + std::string(125, '[') + std::string(125, ']') + "}"),
         Message::Kind::kRequest, "7", "n7"},
        {"NumbersOfEveryForm", Call(R"({"n":[9007199254740993,-0,1E+2,1e400,0.10]})"),
         Message::Kind::kRequest, "7", "n7"},
        {"ArgumentThatFoldsToAReservedKey",
         R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"arguments":{"Name":1}}})",
         Message::Kind::kRequest, "7", "n7"},
        {"ArgumentsThatAreNoObject",
         R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"arguments":[1]}})",
         Message::Kind::kRequest, "7", "n7"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ReadMessage, ShowsParametersAndTheirMeta) {
  const auto read = ReadMessage(
      R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"n","_meta":{"k":[1]}}})");
  const Message& message = std::get<Message>(read);
  EXPECT_EQ(message.Param("name")->string(), "n");
  EXPECT_EQ(message.Meta("k")->raw(), "[1]");
  EXPECT_FALSE(message.Param("other"));
  EXPECT_FALSE(message.Meta("other"));
}

TEST(ReadMessage, ValuesStayValidWhenTheMessageMoves) {
  auto read = ReadMessage(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"b"}})");
  const Message moved = std::move(std::get<Message>(read));
  read = Refusal{};
  EXPECT_EQ(moved.Param("a")->string(), "b");
}

TEST(ReadMessage, TextOfTheMessageIsEscapedInTheReason) {
  const auto read = ReadMessage(
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\","
      "\"a\u202E\":1,\"A\u202E\":2}");
  EXPECT_EQ(std::get<Refusal>(read).message,
            "message: got two keys that are equal but for case, `a\\u{202e}`");
}

// What decides is bounded in all that costs time to look at.
TEST(ReadMessage, ObjectsThatDecideHaveABoundedNumberOfMembers) {
  const auto members = [](size_t count) {
    std::string text = R"({"k":0)";
    for (size_t i = 1; i < count; ++i) text += R"(,"K)" + std::to_string(i) + R"(":0)";
    return text + "}";
  };
  const auto read = [&](const std::string& before, size_t count, const std::string& after) {
    return ReadMessage(R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + before +
                       members(count) + after + "}");
  };
  for (const auto& [before, after] :
       {std::pair("", ""), std::pair(R"({"arguments":)", "}"), std::pair(R"({"ref":)", "}")}) {
    EXPECT_TRUE(std::holds_alternative<Message>(read(before, kMaxDecisiveKeys, after))) << before;
    const auto refused = read(before, kMaxDecisiveKeys + 1, after);
    ASSERT_TRUE(std::holds_alternative<Refusal>(refused)) << before;
    EXPECT_THAT(std::get<Refusal>(refused).message, HasSubstr("got 10001 members, want at most"));
  }
  // Data decides nothing.
  EXPECT_TRUE(std::holds_alternative<Message>(
      read(R"({"arguments":{"rows":)", kMaxDecisiveKeys + 1, "}}")));
}

// ---- what is made out of the rest ---------------------------------------------

TEST(OutlineOf, FindsTheIdInTheBeginningOfALongLine) {
  const Outline outline =
      OutlineOf(R"({"jsonrpc":"2.0","id":"a\"b","method":"tools/call","params":{"x":"aaaaaaa)");
  EXPECT_EQ(outline.id_token, R"("a\"b")");
  EXPECT_EQ(outline.id, "sa\"b");
  EXPECT_TRUE(outline.has_method);
  EXPECT_FALSE(outline.complete);
}

TEST(OutlineOf, TakesNoIdFromInsideAValue) {
  EXPECT_EQ(OutlineOf(R"({"params":{"id":1},"text":"\"id\":2","method":"x"})").id_token, "");
  EXPECT_EQ(OutlineOf(R"({"params":{"id":1},"id":3})").id_token, "3");
}

TEST(OutlineOf, TakesNoIdThatIsCut) {
  EXPECT_EQ(OutlineOf(R"({"method":"x","id":12)").id_token, "");
  EXPECT_EQ(OutlineOf(R"({"method":"x","id":"ab)").id_token, "");
}

TEST(OutlineOf, SurvivesWhatIsNoJson) {
  for (const char* text : {"", "{", "{\"", "{\"a\"", "{\"a\":", "{\"a\":[", "{]", "\xEF\xBB\xBF",
                           "{\"a\\", "{\"id\":,", "[[[[", "{\"a\":}}}}"}) {
    EXPECT_EQ(OutlineOf(text).id_token, "") << text;
  }
}

TEST(IdAtEnd, FindsTheIdBehindALongResult) {
  EXPECT_EQ(IdAtEnd(R"(aaaa"}]},"jsonrpc":"2.0","id":42})"), "42");
  EXPECT_EQ(IdAtEnd(R"(aaaa"}]}, "id" : "x" } )"), "\"x\"");
}

TEST(IdAtEnd, TakesNoIdFromInsideTheResult) {
  EXPECT_EQ(IdAtEnd(R"(aaaa","id":42}]}})"), "");
  EXPECT_EQ(IdAtEnd(R"(aaaa","id":42,"jsonrpc":"2.0"})"), "");
  EXPECT_EQ(IdAtEnd("aaaa"), "");
}

}  // namespace
}  // namespace bridgekeeper::bridge
