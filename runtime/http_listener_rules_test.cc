// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/http_listener_rules.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace bridgekeeper {
namespace {

constexpr int kAccepted = 0;

struct Case {
  std::string name;
  std::string method;
  std::vector<HttpField> fields;
  int status;  // kAccepted or the refusal's
};

class HttpListenerRulesTest : public ::testing::TestWithParam<Case> {};

TEST_P(HttpListenerRulesTest, Holds) {
  const HttpListenerRules rules = {
      .host_names = {"keeper.example"},
      .origins = {"https://console.example:8443"},
      .media_types = {"application/json", "application/proto"},
  };
  const auto refusal = CheckHttpRequest(rules, {GetParam().method, GetParam().fields});
  EXPECT_EQ(refusal ? refusal->status : kAccepted, GetParam().status)
      << (refusal ? refusal->message : "accepted");
}

std::vector<Case> Cases() {
  const HttpField host = {"Host", "localhost:7421"};
  const HttpField json = {"Content-Type", "application/json"};
  const HttpField length = {"Content-Length", "2"};
  return {
      // Host (DNS rebinding).
      {"LocalhostWithPort", "GET", {host}, kAccepted},
      {"LocalhostWithoutPort", "GET", {{"Host", "localhost"}}, kAccepted},
      {"HostNameInAnyCase", "GET", {{"hOST", "LocalHost:1"}}, kAccepted},
      {"IPv4Literal", "GET", {{"Host", "127.0.0.1:7421"}}, kAccepted},
      {"IPv6Literal", "GET", {{"Host", "[::1]:7421"}}, kAccepted},
      {"IPv6LiteralWithoutPort", "GET", {{"Host", "[::1]"}}, kAccepted},
      {"ConfiguredName", "GET", {{"Host", "keeper.example:443"}}, kAccepted},
      {"ForeignName", "GET", {{"Host", "evil.example:7421"}}, 403},
      {"ForeignNameThatBeginsLikeOurs", "GET", {{"Host", "localhost.evil.example"}}, 403},
      {"ForeignNameThatEndsLikeOurs", "GET", {{"Host", "evil.keeper.example"}}, 403},
      {"TrailingDot", "GET", {{"Host", "localhost."}}, 403},
      {"OctalAddress", "GET", {{"Host", "0177.0.0.1"}}, 403},
      {"ShortAddress", "GET", {{"Host", "127.1"}}, 403},
      {"UnbracketedIPv6", "GET", {{"Host", "::1"}}, 403},
      {"EmptyHost", "GET", {{"Host", ""}}, 403},
      {"OnlyAPort", "GET", {{"Host", ":7421"}}, 403},
      {"UserInfo", "GET", {{"Host", "evil@localhost"}}, 403},
      {"PortOfLetters", "GET", {{"Host", "localhost:x"}}, 403},
      {"UnclosedBracket", "GET", {{"Host", "[::1"}}, 403},
      {"NulInHost", "GET", {{"Host", std::string_view("127.0.0.1\0.evil.example", 23)}}, 403},
      {"NoHost", "GET", {}, 400},
      {"TwoHosts", "GET", {host, {"Host", "evil.example"}}, 400},

      // Origin (another port; null).
      {"OwnOrigin", "GET", {host, {"Origin", "http://localhost:7421"}}, kAccepted},
      {"ConfiguredOrigin", "GET", {host, {"Origin", "https://console.example:8443"}}, kAccepted},
      {"OtherPort", "GET", {host, {"Origin", "http://localhost:8080"}}, 403},
      {"OtherScheme", "GET", {host, {"Origin", "https://localhost:7421"}}, 403},
      {"ForeignOrigin", "GET", {host, {"Origin", "http://evil.example"}}, 403},
      {"NullOrigin", "GET", {host, {"Origin", "null"}}, 403},
      {"EmptyOrigin", "GET", {host, {"Origin", ""}}, 403},
      {"TwoOrigins",
       "GET",
       {host, {"Origin", "http://localhost:7421"}, {"Origin", "http://evil.example"}},
       403},

      // Media type (a cross-site post that needs no preflight).
      {"JsonBody", "POST", {host, json, length}, kAccepted},
      {"JsonBodyInChunks", "POST", {host, json, {"Transfer-Encoding", "chunked"}}, kAccepted},
      {"Utf8Charset",
       "POST",
       {host, {"Content-Type", "application/json; charset=UTF-8"}, length},
       kAccepted},
      {"QuotedUtf8Charset",
       "POST",
       {host, {"Content-Type", "application/json;charset=\"utf-8\""}, length},
       kAccepted},
      {"OtherCharset",
       "POST",
       {host, {"Content-Type", "application/json; charset=utf-16"}, length},
       415},
      {"OtherParameter", "POST", {host, {"Content-Type", "application/json; a=b"}, length}, 415},
      {"TextPlain", "POST", {host, {"Content-Type", "text/plain"}, length}, 415},
      {"TextPlainThatMentionsJson",
       "POST",
       {host, {"Content-Type", "text/plain; application/json"}, length},
       415},
      {"TypeThatBeginsLikeJson",
       "POST",
       {host, {"Content-Type", "application/jsonx"}, length},
       415},
      {"NoType", "POST", {host, length}, 415},
      {"TwoTypes", "POST", {host, json, {"Content-Type", "text/plain"}, length}, 415},
      {"EmptyPostWithoutType", "POST", {host, {"Content-Length", "0"}}, 415},
      {"BodyOfAGetNeedsATypeToo", "GET", {host, length}, 415},
      {"EmptyBodyOfADelete", "DELETE", {host, {"Content-Length", "0"}}, kAccepted},

      // Encodings and lengths.
      {"Gzip", "POST", {host, json, length, {"Content-Encoding", "gzip"}}, 415},
      {"Identity", "POST", {host, json, length, {"Content-Encoding", "identity"}}, 415},
      {"NoLength", "POST", {host, json}, 400},
      {"TwoLengths", "POST", {host, json, length, length}, 400},
      {"LengthAndChunked", "POST", {host, json, length, {"Transfer-Encoding", "chunked"}}, 400},
      {"ChunkedTwice",
       "POST",
       {host, json, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
       400},
      {"GzipThenChunked", "POST", {host, json, {"Transfer-Encoding", "gzip, chunked"}}, 400},
      {"NegativeLength", "POST", {host, json, {"Content-Length", "-1"}}, 400},
      {"LengthList", "POST", {host, json, {"Content-Length", "2, 2"}}, 400},
      {"EmptyLength", "POST", {host, json, {"Content-Length", ""}}, 400},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, HttpListenerRulesTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(HttpListenerRules, OwnOriginOfATlsListenerIsHttps) {
  const HttpListenerRules rules = {.tls = true};
  const HttpField host = {"Host", "localhost:7421"};
  const HttpField https[] = {host, {"Origin", "https://localhost:7421"}};
  const HttpField http[] = {host, {"Origin", "http://localhost:7421"}};
  EXPECT_FALSE(CheckHttpRequest(rules, {"GET", https}));
  EXPECT_TRUE(CheckHttpRequest(rules, {"GET", http}));
}

TEST(HttpListenerRules, TextOfTheRequestIsEscapedAndCut) {
  const std::string name = "\x1b[2J" + std::string(10'000, 'a');
  const HttpField host[] = {{"Host", name}};
  const auto refusal = CheckHttpRequest({}, {"GET", host});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->message.find('\x1b'), std::string::npos);
  EXPECT_LT(refusal->message.size(), 400u);
}

}  // namespace
}  // namespace bridgekeeper
