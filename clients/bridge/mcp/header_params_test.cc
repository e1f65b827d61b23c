// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/header_params.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<HeaderParam> ParamsOf(const std::string& schema) {
  const auto document = JsonDocument::Parse(schema);
  EXPECT_THAT(document, IsOk());
  const auto params = HeaderParamsOf(document->root());
  EXPECT_THAT(params, IsOk());
  return params.ok() ? *params : std::vector<HeaderParam>();
}

TEST(HeaderParams, AreFoundBelowProperties) {
  EXPECT_THAT(
      ParamsOf(
          R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
              "q":{"type":"string"},"where":{"type":"object","properties":{
              "n":{"type":"integer","x-mcp-header":"N"}}}}})"),
      ElementsAre(HeaderParam{"Mcp-Param-Region", {"region"}},
                  HeaderParam{"Mcp-Param-N", {"where", "n"}}));
  EXPECT_THAT(ParamsOf(R"({"type":"object"})"), IsEmpty());
  EXPECT_THAT(ParamsOf("true"), IsEmpty());
  EXPECT_THAT(ParamsOf(R"({"properties":{"x-mcp-header":{"type":"string"}}})"), IsEmpty());
}

struct BadSchema {
  std::string name;
  std::string properties;
};
class BadSchemaTest : public ::testing::TestWithParam<BadSchema> {};

TEST_P(BadSchemaTest, IsRefused) {
  const std::string schema = "{" + GetParam().properties + "}";
  const auto document = JsonDocument::Parse(schema);
  ASSERT_THAT(document, IsOk());
  EXPECT_THAT(HeaderParamsOf(document->root()), StatusIs(absl::StatusCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(
    HeaderParams, BadSchemaTest,
    ::testing::Values(
        BadSchema{"Empty", R"("properties":{"a":{"type":"string","x-mcp-header":""}})"},
        BadSchema{"NoText", R"("properties":{"a":{"type":"string","x-mcp-header":1}})"},
        BadSchema{"LineEndInTheName",
                  R"("properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}})"},
        BadSchema{"SpaceInTheName", R"("properties":{"a":{"type":"string","x-mcp-header":"A B"}})"},
        BadSchema{"Number", R"("properties":{"a":{"type":"number","x-mcp-header":"A"}})"},
        BadSchema{"Object", R"("properties":{"a":{"type":"object","x-mcp-header":"A"}})"},
        BadSchema{"NoType", R"("properties":{"a":{"x-mcp-header":"A"}})"},
        BadSchema{"TwiceInAnotherCase",
                  R"("properties":{"a":{"type":"string","x-mcp-header":"A"},
                     "b":{"type":"string","x-mcp-header":"a"}})"},
        BadSchema{"InsideItems",
                  R"("properties":{"a":{"type":"array","items":{"properties":{
                     "b":{"type":"string","x-mcp-header":"B"}}}}})"},
        BadSchema{"InsideAnyOf",
                  R"("anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}])"},
        BadSchema{"AtTheRoot", R"("x-mcp-header":"A")"}),
    [](const auto& row) { return row.param.name; });

TEST(HeaderParams, ValuesAreWrittenAsTheRevisionHasIt) {
  const std::string text =
      R"({"s":"us-west1","i":42,"n":-7,"b":true,"z":null,"f":1.5,"big":9007199254740992,"o":{"p":"x"}})";
  const auto document = JsonDocument::Parse(text);
  ASSERT_THAT(document, IsOk());
  const auto value = [&](std::vector<std::string> path) {
    return HeaderParamValue(document->root(), {"H", std::move(path)});
  };
  EXPECT_EQ(value({"s"}), "us-west1");
  EXPECT_EQ(value({"i"}), "42");
  EXPECT_EQ(value({"n"}), "-7");
  EXPECT_EQ(value({"b"}), "true");
  EXPECT_EQ(value({"o", "p"}), "x");
  for (const char* name : {"z", "f", "big", "o", "absent"}) {
    EXPECT_EQ(value({name}), std::nullopt) << name;
  }
}

TEST(HeaderParams, WhatAHeaderCannotHoldIsEncoded) {
  for (const auto& [value, want] : std::vector<std::pair<std::string, std::string>>{
           {"us-west1", "us-west1"},
           {"Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
           {" padded ", "=?base64?IHBhZGRlZCA=?="},
           {"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
           {"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="}}) {
    EXPECT_EQ(EncodeHeaderValue(value), want);
    EXPECT_EQ(DecodeHeaderValue(want), value);
  }
  EXPECT_EQ(DecodeHeaderValue(EncodeHeaderValue("")), "");
}

TEST(HeaderParams, WholeNumbersAgreeByValue) {
  EXPECT_TRUE(HeaderParamAgrees("42", "42"));
  EXPECT_TRUE(HeaderParamAgrees("42.0", "42"));
  EXPECT_TRUE(HeaderParamAgrees("a", "a"));
  for (const char* header : {"42.1", "42.", "042", "4", "", "42 "}) {
    EXPECT_FALSE(HeaderParamAgrees(header, "42")) << header;
  }
  EXPECT_FALSE(HeaderParamAgrees("a.0", "a"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
