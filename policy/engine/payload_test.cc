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

// The pieces of a template: arguments in angle brackets, the rest as it is.
std::string PiecesOf(std::string_view text) {
  const PayloadTemplate read(text);
  std::string out;
  for (const PayloadTemplate::Piece& piece : read.pieces()) {
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
  EXPECT_EQ(PiecesOf("{}"), "({})");
  EXPECT_EQ(PiecesOf("{"), "({)");
  EXPECT_EQ(PiecesOf("a}"), "(a})");
  EXPECT_EQ(PiecesOf("{open"), "({open)");
  EXPECT_EQ(PiecesOf("{two words}"), "({two words})");
  EXPECT_EQ(PiecesOf("{{sql}}"), "({)<sql>(})");
  EXPECT_EQ(PiecesOf("{\"body\":{body}}"), "({\"body\":)<body>(})");
  EXPECT_EQ(PiecesOf("{s\xC3\xA9l}"), "({s\xC3\xA9l})");
}

TEST(PayloadTemplate, TellsOneArgumentFromText) {
  EXPECT_TRUE(PayloadTemplate("{sql}").is_one_argument());
  EXPECT_FALSE(PayloadTemplate("{sql} ").is_one_argument());
  EXPECT_FALSE(PayloadTemplate("{a}{b}").is_one_argument());
  EXPECT_FALSE(PayloadTemplate("sql").is_one_argument());
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
