// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/query_output.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

constexpr char kAnswer[] =
    R"({"columns":["id","name","data"],"columnTypes":["bigint","text","bytea"],"rows":[)"
    R"({"id":1,"name":"d\u00e9j\u00e0, \"vu\"","data":{"$base64":"AP8="}},)"
    R"({"id":"9007199254740993","name":"","data":null}],"rowCount":2,"executionTimeMs":3,)"
    R"("truncated":true,"truncatedBy":"rows"})";

std::string Rendered(std::string_view answer, OutputFormat format) {
  const auto output = RenderAnswer(answer, format);
  EXPECT_THAT(output, IsOk());
  return output.ok() ? output->text : "";
}

TEST(QueryOutput, IsATableThatSaysWhatCutIt) {
  EXPECT_EQ(Rendered(kAnswer, OutputFormat::kTable),
            "id                name        data\n"
            "----------------  ----------  ----\n"
            "1                 d\u00e9j\u00e0, \"vu\"  AP8=\n"
            "9007199254740993              NULL\n"
            "(2 rows, truncated by rows)\n");
  EXPECT_EQ(RenderAnswer(kAnswer, OutputFormat::kCsv)->truncated_by, "rows");
}

TEST(QueryOutput, IsCsvThatTellsNullFromEmpty) {
  EXPECT_EQ(Rendered(kAnswer, OutputFormat::kCsv),
            "id,name,data\n1,\"d\u00e9j\u00e0, \"\"vu\"\"\",AP8=\n9007199254740993,\"\",\n");
  EXPECT_EQ(Rendered(R"({"columns":["a"],"rows":[{"a":"x\ny"},{"a":true}]})", OutputFormat::kCsv),
            "a\n\"x\ny\"\ntrue\n");
}

TEST(QueryOutput, IsTheAnswerItselfAsJson) {
  EXPECT_EQ(Rendered(kAnswer, OutputFormat::kJson), std::string(kAnswer) + "\n");
}

TEST(QueryOutput, NothingInATableReachesTheTerminalAsAControl) {
  EXPECT_EQ(Rendered(R"({"columns":["a\u001b[2J"],"rows":[{"a":"\u001b]0;x\u0007\n"}]})",
                     OutputFormat::kTable)
                .find('\x1b'),
            std::string::npos);
}

TEST(QueryOutput, ATextOfSeveralLinesIsOneCellThatCanBeRead) {
  EXPECT_EQ(Rendered(R"({"columns":["sql"],"rows":[{"sql":"SELECT a,\n\tb\r\n"},{"sql":"\n"}]})",
                     OutputFormat::kTable),
            "sql\n"
            "------------------\n"
            "SELECT a,\\n\\tb\\r\\n\n"
            "\\n\n"
            "(2 rows)\n");
}

TEST(QueryOutput, AChangeSaysHowManyRows) {
  EXPECT_EQ(Rendered(R"({"columns":[],"rows":[],"rowCount":0,"rowsAffected":1,"truncated":false})",
                     OutputFormat::kTable),
            "1 row affected\n");
}

TEST(QueryOutput, RefusesWhatIsNoAnswer) {
  for (const char* answer : {"", "[]", "{}", R"({"columns":[],"rows":{}})",
                             R"({"columns":["a"],"rows":[{"a":1,"b":2}]})"}) {
    EXPECT_THAT(RenderAnswer(answer, OutputFormat::kTable), StatusIs(absl::StatusCode::kInternal))
        << answer;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
