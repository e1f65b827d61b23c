// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/json_text.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

TEST(JsonObject, WritesMembersOfEveryKind) {
  std::string out = "before:";
  JsonObject object(out);
  object.String("text", "a\"b\n").Integer("number", -7).Bool("flag", true).Raw("raw", "[1]");
  object.Key("inner");
  JsonObject(out).Close();
  object.Close();
  EXPECT_EQ(out,
            "before:{\"text\":\"a\\\"b\\n\",\"number\":-7,\"flag\":true,\"raw\":[1],\"inner\":{}}");
}

class JsonEditsTest : public ::testing::Test {
 protected:
  // Parses `text`, lets `change` note edits of the root, and applies them.
  template <typename Change>
  static std::string Edited(const std::string& text, Change change) {
    const auto document = JsonDocument::Parse(text);
    EXPECT_THAT(document, IsOk());
    JsonEdits edits(document->root());
    change(edits, document->root());
    return std::move(edits).Apply();
  }
};

TEST_F(JsonEditsTest, WithoutEditsTheTextStays) {
  EXPECT_EQ(Edited(" { \"a\" : 1.0e2 } ", [](JsonEdits&, JsonValue) {}), "{ \"a\" : 1.0e2 }");
}

TEST_F(JsonEditsTest, EveryOtherByteStays) {
  EXPECT_EQ(Edited("{ \"\\u0061\" : 1.0 , \"b\":\t[ 2 ],\"c\":{ \"d\": \"x\\u00e9\" } }",
                   [](JsonEdits& edits, JsonValue root) {
                     edits.SetMember(*root.Find("c"), "e", "true");
                     edits.AppendToString(*root.Find("c")->Find("d"), "\n\"end\"");
                     edits.Replace(*root.Find("b"), "null");
                   }),
            "{ \"\\u0061\" : 1.0 , \"b\":\tnull,\"c\":{ \"d\": \"x\\u00e9\\n\\\"end\\\"\" "
            ",\"e\":true} }");
}

TEST_F(JsonEditsTest, AddsSeveralMembersToAnEmptyObject) {
  EXPECT_EQ(Edited("{}",
                   [](JsonEdits& edits, JsonValue root) {
                     edits.AddMember(root, "a", "1");
                     edits.AddMember(root, "b", "2");
                   }),
            "{\"a\":1,\"b\":2}");
}

TEST_F(JsonEditsTest, EditsInsideAValueThatStandsInAnother) {
  const std::string text = "[0, {\"a\": 1}]";
  const auto document = JsonDocument::Parse(text);
  ASSERT_THAT(document, IsOk());
  const JsonValue second = *++document->root().begin();
  JsonEdits edits(second);
  edits.SetMember(second, "a", "2");
  EXPECT_EQ(std::move(edits).Apply(), "{\"a\": 2}");
}

}  // namespace
}  // namespace bridgekeeper::bridge
