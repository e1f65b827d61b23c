// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/tool_list.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/origin.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Page = UpstreamToolList::Page;

Page Add(UpstreamToolList& list, const std::string& result) {
  const auto document = JsonDocument::Parse(result);
  EXPECT_THAT(document, IsOk()) << result;
  return list.AddPage(document->root());
}

std::vector<std::string> Names(const UpstreamToolList& list) {
  std::vector<std::string> names;
  for (const UpstreamTool& tool : list.tools()) names.push_back(tool.name);
  return names;
}

// The only tool of a list with this one tool.
UpstreamTool Tool(const std::string& json) {
  UpstreamToolList list;
  EXPECT_EQ(Add(list, R"({"tools":[)" + json + "]}"), Page::kLast);
  EXPECT_THAT(list.tools(), SizeIs(1));
  return list.tools().empty() ? UpstreamTool{} : list.tools()[0];
}

// ---- gathering ---------------------------------------------------------------

// The member nextCursor.
TEST(UpstreamToolList, GathersThePages) {
  UpstreamToolList list;
  EXPECT_EQ(Add(list, R"({"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"2"})"),
            Page::kMore);
  EXPECT_EQ(list.cursor(), "2");
  EXPECT_EQ(Add(list, R"({"tools":[],"nextCursor":"3"})"), Page::kMore);
  EXPECT_EQ(Add(list, R"({"tools":[{"name":"b","inputSchema":{}}]})"), Page::kLast);
  EXPECT_THAT(Names(list), ElementsAre("a", "b"));
}

// A cursor that does not advance.
TEST(UpstreamToolList, EndsWhereACursorIsGivenTwice) {
  UpstreamToolList list;
  EXPECT_EQ(Add(list, R"({"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"x"})"),
            Page::kMore);
  EXPECT_EQ(Add(list, R"({"tools":[{"name":"b","inputSchema":{}}],"nextCursor":"y"})"),
            Page::kMore);
  EXPECT_EQ(Add(list, R"({"tools":[{"name":"c","inputSchema":{}}],"nextCursor":"x"})"),
            Page::kRepeatedCursor);
  EXPECT_THAT(Names(list), ElementsAre("a", "b", "c"));
}

TEST(UpstreamToolList, EndsAfterTooManyPages) {
  UpstreamToolList list;
  Page page = Page::kMore;
  int pages = 0;
  while (page == Page::kMore) {
    page = Add(list, absl::StrFormat(R"({"tools":[],"nextCursor":"%d"})", pages++));
    ASSERT_LE(pages, kMaxListPages);
  }
  EXPECT_EQ(page, Page::kTooLarge);
  EXPECT_EQ(pages, kMaxListPages);
}

TEST(UpstreamToolList, EndsAfterTooManyTools) {
  std::string tools;
  for (size_t i = 0; i < kMaxTools + 1; ++i) {
    tools += absl::StrFormat(R"(%s{"name":"t%d","inputSchema":{}})", i == 0 ? "" : ",", i);
  }
  UpstreamToolList list;
  EXPECT_EQ(Add(list, R"({"tools":[)" + tools + "]}"), Page::kTooLarge);
  EXPECT_THAT(list.tools(), SizeIs(kMaxTools));
}

TEST(UpstreamToolList, EndsAfterTooManyBytes) {
  const std::string filler(3 << 20, 'x');
  UpstreamToolList list;
  Page page = Page::kMore;
  for (int i = 0; page == Page::kMore; ++i) {
    ASSERT_LT(i, 10);
    page = Add(list, absl::StrFormat(
                         R"({"tools":[{"name":"t%d","inputSchema":{"x":"%s"}}],"nextCursor":"%d"})",
                         i, filler, i));
  }
  EXPECT_EQ(page, Page::kTooLarge);
  EXPECT_THAT(list.tools(), SizeIs(5));
}

TEST(UpstreamToolList, ResultWithoutToolsIsMalformed) {
  for (const char* result : {"{}", R"({"tools":null})", R"({"tools":{}})", "[]", "null"}) {
    UpstreamToolList list;
    EXPECT_EQ(Add(list, result), Page::kMalformed) << result;
  }
}

// One bad tool does not spoil the list, and no name is routed at
// random.
TEST(UpstreamToolList, DropsBadToolsAndKeepsTheRest) {
  UpstreamToolList list;
  EXPECT_EQ(Add(list, R"({"tools":[
      {"name":"good","inputSchema":{"type":"object"}},
      {"name":"null_schema","inputSchema":null},
      {"name":"no_schema"},
      {"name":"array_schema","inputSchema":[]},
      {"name":"get/user info","inputSchema":{}},
      {"name":"","inputSchema":{}},
      {"name":7,"inputSchema":{}},
      {"inputSchema":{}},
      {"name":"bad_description","description":7,"inputSchema":{}},
      {"name":"bad_annotations","annotations":[],"inputSchema":{}},
      "text",
      {"name":"good","inputSchema":{},"description":"the second"},
      {"name":"also_good","inputSchema":{}}]})"),
            Page::kLast);
  EXPECT_THAT(Names(list), ElementsAre("good", "also_good"));
  EXPECT_EQ(list.Find("good")->json, R"({"name":"good","inputSchema":{"type":"object"}})");
  EXPECT_THAT(list.dropped(), SizeIs(11));
  EXPECT_THAT(list.dropped(),
              ::testing::Contains(Field(&DroppedTool::why, "`inputSchema`: want an object")));
  EXPECT_EQ(list.dropped().back().why, "the server lists another tool of this name");
}

TEST(UpstreamToolList, FindsByName) {
  UpstreamToolList list;
  Add(list, R"({"tools":[{"name":"a","inputSchema":{}}]})");
  EXPECT_NE(list.Find("a"), nullptr);
  EXPECT_EQ(list.Find("A"), nullptr);
}

TEST(UpstreamToolList, ReadsWhatDecidingNeeds) {
  const UpstreamTool tool = Tool(
      R"({"name":"a","inputSchema":{},"outputSchema":{},"annotations":{"readOnlyHint":true}})");
  EXPECT_TRUE(tool.read_only_hint);
  EXPECT_TRUE(tool.has_output_schema);
  const UpstreamTool plain = Tool(
      R"({"name":"a","inputSchema":{},"outputSchema":null,"annotations":{"readOnlyHint":"true"}})");
  EXPECT_FALSE(plain.read_only_hint) << "a hint is a boolean";
  EXPECT_FALSE(plain.has_output_schema);
}

// ---- digests -----------------------------------------------------------------

// Every member counts; how it is written does not.
TEST(UpstreamToolList, DigestCoversEveryMember) {
  const std::string base = Tool(R"({"name":"a","inputSchema":{"type":"object"}})").digest;
  EXPECT_EQ(base.size(), 64u);
  EXPECT_EQ(Tool("{ \"inputSchema\" : {\"type\":\"\\u006fbject\"},\t\"name\":\"a\" }").digest,
            base);
  for (const char* changed : {R"({"name":"b","inputSchema":{"type":"object"}})",
                              R"({"name":"a","inputSchema":{"type":"object","x":1}})",
                              R"({"name":"a","inputSchema":{"type":"object"},"description":""})",
                              R"({"name":"a","inputSchema":{"type":"object"},"outputSchema":{}})",
                              R"({"name":"a","inputSchema":{"type":"object"},"annotations":{}})",
                              R"({"name":"a","inputSchema":{"type":"object"},"title":"A"})",
                              R"({"name":"a","inputSchema":{"type":"object"},"unknown":1})"}) {
    EXPECT_NE(Tool(changed).digest, base) << changed;
  }
}

// Characters that nobody sees are part of the pin.
TEST(UpstreamToolList, DigestCoversInvisibleCharacters) {
  EXPECT_NE(Tool("{\"name\":\"a\",\"inputSchema\":{},\"description\":\"x\u200B\"}").digest,
            Tool(R"({"name":"a","inputSchema":{},"description":"x"})").digest);
}

// B224: what was approved of one command is not approved of another one.
TEST(UpstreamToolList, DigestCoversWhereTheToolsComeFrom) {
  const auto digest = [](const std::string& origin) {
    UpstreamToolList list(std::make_shared<const std::string>(origin));
    // The server's own word about its origin is no origin.
    const auto page = JsonDocument::Parse(
        R"({"tools":[{"name":"a","inputSchema":{},"bridgekeeper/origin":{"command":"good"}}]})");
    EXPECT_EQ(list.AddPage(page->root()), UpstreamToolList::Page::kLast);
    const std::string definition = list.Definition(list.tools().at(0));
    EXPECT_THAT(definition, HasSubstr(origin));
    EXPECT_THAT(list.tools().at(0).json, Not(HasSubstr(origin))) << "no client is shown it";
    return list.tools().at(0).digest;
  };
  const std::string base = digest(OriginOfCommand({"npx", "notes"}, {"A", "B"}, ""));
  EXPECT_EQ(digest(OriginOfCommand({"npx", "notes"}, {"B", "A"}, "")), base);
  for (const std::string& other :
       {OriginOfCommand({"npx", "other"}, {"A", "B"}, ""),
        OriginOfCommand({"sh", "notes"}, {"A", "B"}, ""),
        OriginOfCommand({"npx", "notes", ""}, {"A", "B"}, ""),
        OriginOfCommand({"npx", "notes"}, {"A"}, ""),
        OriginOfCommand({"npx", "notes"}, {"A", "B"}, "/work"), OriginOfUrl("https://h/mcp"),
        OriginOfUrl("https://h/mcp?key=1"), OriginOfUrl("https://i/mcp")}) {
    EXPECT_NE(digest(other), base) << other;
  }
  EXPECT_NE(digest(OriginOfUrl("https://h/mcp?key=1")), digest(OriginOfUrl("https://h/mcp?key=2")));
}

// What is added to a definition may take it over the limits of a message.
TEST(UpstreamToolList, TakesAToolThatAWholeMessageIsFullOf) {
  std::string values = "0";
  for (int i = 0; i < 999'980; ++i) values += ",0";
  const auto page =
      JsonDocument::Parse(R"({"tools":[{"name":"a","inputSchema":{},"x":[)" + values + "]}]}");
  ASSERT_THAT(page, IsOk());
  UpstreamToolList list(std::make_shared<const std::string>(
      OriginOfCommand({"npx"}, {"A", "B", "C", "D", "E"}, "/w")));
  EXPECT_EQ(list.AddPage(page->root()), UpstreamToolList::Page::kLast);
  EXPECT_THAT(list.tools(), SizeIs(1));
}

TEST(Origin, HoldsNoSecret) {
  EXPECT_THAT(OriginOfCommand({"npx", "--token=s3cret"}, {"A"}, ""), Not(HasSubstr("s3cret")));
  for (const char* url : {"https://h/mcp?key=s3cret", "https://h/s3cret/mcp", "https://h?s3cret"}) {
    EXPECT_THAT(OriginOfUrl(url), AllOf(HasSubstr("\"https://h\""), Not(HasSubstr("s3cret"))));
  }
}

TEST(Origin, OfAnyBytesIsJson) {
  const std::string origin = OriginOfCommand({"caf\xe9", "\xff"}, {"A"}, "/\xe9");
  EXPECT_THAT(JsonDocument::Parse(origin), IsOk());
  EXPECT_NE(OriginOfCommand({"caf\\xe9", "\xff"}, {"A"}, "/\xe9"), origin);
  EXPECT_NE(OriginOfCommand({"caf\xe9", "\xff"}, {"A"}, "/\\xe9"), origin);
}

// ---- showing -----------------------------------------------------------------

// All four hints are written, everything else is kept.
TEST(AnnotatedTool, WritesAllFourHintsAndKeepsTheRest) {
  const UpstreamTool tool = Tool(
      R"({"name":"a","inputSchema":{},"annotations":{"title":"T","readOnlyHint":false,"fifth":[1]}})");
  EXPECT_EQ(AnnotatedTool(tool, AnnotationsFor(Risk::kSafe), ""),
            R"({"name":"a","inputSchema":{},"annotations":{"title":"T","readOnlyHint":true,)"
            R"("fifth":[1],"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}})");
}

TEST(AnnotatedTool, AddsAnnotationsWhereThereAreNone) {
  EXPECT_EQ(AnnotatedTool(Tool(R"({"name":"a","inputSchema":{}})"),
                          AnnotationsFor(Risk::kDestructive), ""),
            R"({"name":"a","inputSchema":{},"annotations":{"readOnlyHint":false,)"
            R"("destructiveHint":true,"idempotentHint":false,"openWorldHint":true}})");
  EXPECT_EQ(AnnotatedTool(Tool(R"({"name":"a","inputSchema":{},"annotations":{}})"),
                          AnnotationsFor(Risk::kElevated), ""),
            R"({"name":"a","inputSchema":{},"annotations":{"readOnlyHint":false,)"
            R"("destructiveHint":false,"idempotentHint":false,"openWorldHint":true}})");
}

// Schemas keep their bytes.
TEST(AnnotatedTool, KeepsTheBytesOfSchemas) {
  const std::string schema =
      R"({ "$defs":{"é":{"minimum":1.0e0}}, "anyOf":[ {"$ref":"#\/$defs\/\u00e9"} ],)"
      R"("additionalProperties" : false })";
  const UpstreamTool tool = Tool(R"({"inputSchema":)" + schema + R"(,"name":"a"})");
  EXPECT_EQ(AnnotatedTool(tool, AnnotationsFor(Risk::kSafe), "").find(schema),
            std::string_view(R"({"inputSchema":)").size());
}

TEST(AnnotatedTool, PutsTheNoticeBehindTheDescription) {
  const auto described = [](const std::string& members, std::string_view notice) {
    const std::string json = AnnotatedTool(Tool(R"({"name":"a","inputSchema":{})" + members + "}"),
                                           AnnotationsFor(Risk::kSafe), notice);
    const auto document = JsonDocument::Parse(json);
    EXPECT_THAT(document, IsOk());
    const auto description = document->root().Find("description");
    return description ? std::string(description->string()) : "none";
  };
  EXPECT_EQ(described(R"(,"description":"Reads \"it\"."  )", "[notice \"x\"]"),
            "Reads \"it\".\n\n[notice \"x\"]");
  EXPECT_EQ(described(R"(,"description":"")", "[notice]"), "[notice]");
  EXPECT_EQ(described("", "[notice]"), "[notice]");
  EXPECT_EQ(described("", ""), "none");
}

// An emoji is kept.
TEST(AnnotatedTool, KeepsCharactersOfTheDescription) {
  const UpstreamTool tool = Tool(R"({"name":"a","inputSchema":{},"description":"\ud83d\ude00 😀"})");
  EXPECT_NE(AnnotatedTool(tool, AnnotationsFor(Risk::kSafe), "n").find(R"(\ud83d\ude00 😀\n\nn")"),
            std::string::npos);
}

TEST(UpstreamToolList, ResultHasTheShownToolsAndTheOtherMembersOfTheFirstPage) {
  UpstreamToolList list;
  Add(list, R"({"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}}],"ttlMs":5,)"
            R"("_meta":{"x":[1]},"resultType":"complete","nextCursor":"2"})");
  Add(list, R"({"tools":[{"name":"c","inputSchema":{}}],"ttlMs":9})");
  ToolListing listing;
  listing.shown = {{.index = 2, .annotations = AnnotationsFor(Risk::kSafe)}};
  EXPECT_EQ(list.ResultFor(listing),
            R"({"tools":[{"name":"c","inputSchema":{},"annotations":{"readOnlyHint":true,)"
            R"("destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}],"ttlMs":5,)"
            R"("_meta":{"x":[1]},"resultType":"complete"})");
  EXPECT_EQ(list.ResultFor({}),
            R"({"tools":[],"ttlMs":5,"_meta":{"x":[1]},"resultType":"complete"})");
}

}  // namespace
}  // namespace bridgekeeper::bridge
