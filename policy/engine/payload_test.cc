// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/engine/payload.h"

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::internal {
namespace {

using ::testing::Eq;
using ::testing::Optional;

using Form = PayloadTemplate::Form;

// The pieces of a template: arguments in angle brackets, the rest as it is.
std::string PiecesOf(std::string_view text) {
  const PayloadTemplate read(text);
  std::string out;
  for (const TemplatePiece& piece : read.pieces()) {
    out += piece.is_argument ? "<" + piece.text + ">" : "(" + piece.text + ")";
  }
  return out;
}

TEST(PayloadTemplate, ReadsArgumentsAndText) {  // clause C7
  EXPECT_EQ(PiecesOf("{sql}"), "<sql>");
  EXPECT_EQ(PiecesOf("GRANT {privilege} ON {object}"), "(GRANT )<privilege>( ON )<object>");
  EXPECT_EQ(PiecesOf("{a}{b}"), "<a><b>");
  EXPECT_EQ(PiecesOf("{a-b.c_D9}"), "<a-b.c_D9>");
  EXPECT_EQ(PiecesOf("SELECT 1"), "(SELECT 1)");
  EXPECT_EQ(PiecesOf(""), "");
}

TEST(PayloadTemplate, OtherBracesStandForThemselves) {
  EXPECT_EQ(PiecesOf("{x?}"), "({x?})");  // only in objects
  EXPECT_EQ(PiecesOf("{"), "({)");
  EXPECT_EQ(PiecesOf("a}"), "(a})");
  EXPECT_EQ(PiecesOf("{open"), "({open)");
  EXPECT_EQ(PiecesOf("{two words}"), "({two words})");
  EXPECT_EQ(PiecesOf("{{sql}}"), "({)<sql>(})");
  EXPECT_EQ(PiecesOf("{\"body\":{body}}"), "({\"body\":)<body>(})");
  EXPECT_EQ(PiecesOf("{s\xC3\xA9l}"), "({s\xC3\xA9l})");
}

TEST(PayloadTemplate, TellsOneArgumentFromText) {
  EXPECT_EQ(PayloadTemplate("{sql}").form(), Form::kArgument);
  for (const char* text : {"{sql} ", "{a}{b}", "sql", "[\"{a}\"]", "{\"a\":{b}}", "\"{a}\""}) {
    EXPECT_EQ(PayloadTemplate(text).form(), Form::kText) << text;
  }
  EXPECT_EQ(PayloadTemplate("").form(), Form::kNothing);
  EXPECT_EQ(PayloadTemplate("{}").form(), Form::kObject);
  EXPECT_EQ(PayloadTemplate(R"( {"a": "{b}"} )").form(), Form::kObject);
  EXPECT_TRUE(PayloadTemplate("x {a}").Takes("a"));
  EXPECT_FALSE(PayloadTemplate("x {a}").Takes("x "));
  EXPECT_FALSE(PayloadTemplate("x {a}").Takes("A"));
}

class PayloadTest : public ::testing::Test {
 protected:
  JsonValue Json(std::string_view text) {
    auto document = JsonDocument::Parse(text);
    EXPECT_TRUE(document.ok()) << document.status().message();
    documents_.push_back(*std::move(document));
    return documents_.back().root();
  }

  std::optional<std::string> Fill(std::string_view rule, std::string_view arguments) {
    const auto payload = FillTemplate(PayloadTemplate(rule), Json(arguments));
    if (!payload) return std::nullopt;
    return payload->object ? "object " + std::string(payload->object->raw()) : payload->text;
  }

 private:
  std::deque<JsonDocument> documents_;
};

TEST_F(PayloadTest, FillsTheTemplate) {
  EXPECT_THAT(Fill("{sql}", R"({"sql":"SELECT \"a\""})"), Optional(Eq("SELECT \"a\"")));
  EXPECT_THAT(Fill("{b}", R"({"b":{"a":1}})"), Optional(Eq("object {\"a\":1}")));
  EXPECT_THAT(Fill("GRANT {p} ON {o}", R"({"p":"ALL","o":"t"})"), Optional(Eq("GRANT ALL ON t")));
  EXPECT_THAT(Fill("{a}-{a}", R"({"a":"x"})"), Optional(Eq("x-x")));
  EXPECT_THAT(Fill("SELECT 1", "{}"), Optional(Eq("SELECT 1")));
  // What an argument holds is text, not a template.
  EXPECT_THAT(Fill("{a} {b}", R"({"a":"{b}","b":"x"})"), Optional(Eq("{b} x")));
}

TEST_F(PayloadTest, FillsNothingWhereAnArgumentIsMissing) {
  EXPECT_EQ(Fill("{sql}", "{}"), std::nullopt);
  EXPECT_EQ(Fill("{sql}", R"({"SQL":"x"})"), std::nullopt);
  for (const char* value : {"1", "null", "true", "[\"x\"]"}) {
    EXPECT_EQ(Fill("{sql}", std::string("{\"sql\":") + value + "}"), std::nullopt) << value;
    EXPECT_EQ(Fill("x {sql}", std::string("{\"sql\":") + value + "}"), std::nullopt) << value;
  }
  EXPECT_EQ(Fill("x {sql}", R"({"sql":{}})"), std::nullopt);
}

TEST_F(PayloadTest, FillsAnObjectWithValuesAsTheyAre) {  // clause C8
  const char* find = R"({"find": "{c}", "filter": "{f}", "limit": "{n?}", "tag": ["x", "{t?}"]})";
  EXPECT_THAT(Fill(find, R"({"c":"users","f":{"a": [1.0]}})"),
              Optional(Eq(R"(object {"find":"users","filter":{"a": [1.0]},"tag":["x"]})")));
  EXPECT_THAT(Fill(find, R"({"c":"u","f":{},"n":10,"t":null})"),
              Optional(Eq(R"(object {"find":"u","filter":{},"limit":10,"tag":["x"]})")));
  // What an argument holds is a value, never a piece of the object.
  EXPECT_THAT(Fill(find, R"({"c":"u\",\"drop\":\"x","f":"{n?}"})"),
              Optional(Eq(R"(object {"find":"u\",\"drop\":\"x","filter":"{n?}","tag":["x"]})")));
  EXPECT_THAT(Fill(R"({"a":"{b?}"})", "{}"), Optional(Eq("object {}")));
  EXPECT_THAT(Fill(R"({"a":{"b":[true,null,-0.50]}})", "{}"),
              Optional(Eq(R"(object {"a":{"b":[true,null,-0.50]}})")));
}

TEST_F(PayloadTest, FillsNoObjectWhereAnArgumentIsMissing) {
  EXPECT_EQ(Fill(R"({"a":"{b}"})", "{}"), std::nullopt);
  EXPECT_EQ(Fill(R"({"a":"{b}"})", R"({"b":null})"), std::nullopt);
  EXPECT_EQ(Fill(R"({"a":"x{b}"})", "{}"), std::nullopt);
  EXPECT_EQ(Fill(R"({"a":"x{b}"})", R"({"b":1})"), std::nullopt);
  EXPECT_EQ(Fill(R"({"a":"/{b}"})", R"({"b":{}})"), std::nullopt);
  EXPECT_EQ(Fill(R"({"a":"/{b?}"})", R"({"b":7})"), std::nullopt);
}

TEST_F(PayloadTest, PathArgumentsStayOneSegment) {
  const char* path = R"({"path":"/{i?}/_doc/{id?}?x={x?}"})";
  const auto of = [&](std::string_view arguments) {
    return Fill(path, arguments).value_or("none");
  };
  EXPECT_EQ(of(R"({"i":"a-b_c.d~1","id":"7","x":"y"})"),
            R"(object {"path":"/a-b_c.d~1/_doc/7?x=y"})");
  EXPECT_EQ(of(R"({"i":"a/_doc/1?op=x#y","id":"%2f ;\\","x":"1&z=2"})"),
            R"(object {"path":"/a%2F_doc%2F1%3Fop%3Dx%23y/_doc/%252f%20%3B%5C?x=1%26z%3D2"})");
  EXPECT_EQ(of(R"({"i":"\u00e9*,","id":"7","x":""})"),
            R"(object {"path":"/%C3%A9%2A%2C/_doc/7?x="})");
  // What is left out of the last segment would be its query as well.
  EXPECT_EQ(of("{}"), "none");
  EXPECT_EQ(of(R"({"i":"a","id":"7"})"), "none");
  const auto plain = [&](std::string_view arguments) {
    return Fill(R"({"path":"/{i?}/_doc/{id?}"})", arguments).value_or("none");
  };
  EXPECT_EQ(plain("{}"), R"(object {"path":"/_doc"})");
  EXPECT_EQ(plain(R"({"i":""})"), R"(object {"path":"//_doc"})");
}

TEST_F(PayloadTest, ReadsJsonTextInStrings) {
  const char* item = R"({"Item":"{item:json}","Keys":"{keys:json?}"})";
  const auto of = [&](std::string_view arguments) {
    return Fill(item, arguments).value_or("none");
  };
  EXPECT_EQ(of(R"({"item":"{\"a\": {\"S\": \"x\"}}"})"), R"(object {"Item":{"a": {"S": "x"}}})");
  EXPECT_EQ(of(R"({"item":{"a":1},"keys":" [true] "})"),
            R"(object {"Item":{"a":1},"Keys":[true]})");
  for (const char* text : {R"("")", R"("{")", R"("{},\"x\":{}")", R"("{\"a\":1,\"a\":2}")"}) {
    EXPECT_EQ(of(std::string("{\"item\":") + text + "}"), "none") << text;
  }
  EXPECT_TRUE(PayloadTemplate(item).Takes("keys"));
  EXPECT_FALSE(PayloadTemplate(item).Takes("keys:json?"));
}

TEST_F(PayloadTest, DeepArgumentsFillAnObject) {
  const std::string deep = std::string(120, '[') + std::string(120, ']');
  const auto filled = Fill(R"({"a":[[[["{b}"]]]]})", "{\"b\":" + deep + "}");
  ASSERT_TRUE(filled.has_value());
  EXPECT_EQ(filled->size(), std::string("object {\"a\":[[[[]]]]}").size() + deep.size());
}

TEST_F(PayloadTest, NamesTheFirstUnknownArgument) {
  CatalogEntry entry;
  entry.connection_argument = "connection_id";
  entry.payload_rule = PayloadRule{.payload = "{sql}", .harmless_arguments = {"limit"}};
  const PayloadTemplate rule("{sql}");
  EXPECT_EQ(FirstUnknownArgument(entry, rule, Json(R"({"sql":1,"limit":2,"connection_id":3})")),
            std::nullopt);
  EXPECT_THAT(FirstUnknownArgument(entry, rule, Json(R"({"sql":1,"odd":2,"Sql":3})")),
              Optional(Eq("odd")));
  EXPECT_THAT(FirstUnknownArgument(entry, rule, Json(R"({"Limit":1})")), Optional(Eq("Limit")));
  // An entry that names no connection argument does not take the empty name for it.
  entry.connection_argument.clear();
  EXPECT_THAT(FirstUnknownArgument(entry, rule, Json(R"({"":1})")), Optional(Eq("")));
}

TEST_F(PayloadTest, ComparesPayloadsByWhatTheyAre) {
  const auto of = [&](std::string_view text) { return *PayloadOf(Json(text)); };
  EXPECT_TRUE(SamePayload(of("\"a\""), of("\"\\u0061\"")));
  EXPECT_FALSE(SamePayload(of("\"a\""), of("\"a \"")));
  EXPECT_TRUE(SamePayload(of(R"({"a":1,"b":[]})"), of(R"( {"b":[ ],"a":1} )")));
  EXPECT_FALSE(SamePayload(of(R"({"a":1})"), of(R"({"a":1.0})")));
  EXPECT_FALSE(SamePayload(of("{}"), of("\"{}\"")));
  EXPECT_FALSE(SamePayload(of("{}"), of("\"\"")));
  EXPECT_EQ(PayloadOf(Json("[]")), std::nullopt);
  EXPECT_EQ(PayloadOf(Json("7")), std::nullopt);
}

}  // namespace
}  // namespace bridgekeeper::internal
