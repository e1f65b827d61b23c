// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The arguments that headers repeat, and when a list of tools is read to know them: with
// a front that answers when the test says so.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/http/stateless.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Servers `one__` and `two__`.
class FakeFront : public Front {
 public:
  explicit FakeFront(Front::Listener& listener) : client(listener) {}

  void FromClient(const Message& message, std::string_view) override {
    if (message.method == "tools/call") calls.emplace_back(TextOf(message.Param("name")));
  }
  std::optional<std::string> PrefixOf(std::string_view tool) const override {
    if (tool.starts_with("one__") || tool.starts_with("two__")) {
      return std::string(tool.substr(0, 5));
    }
    return std::nullopt;
  }
  void ListTools(std::string_view prefix, const Message& message, std::string_view) override {
    lists.emplace_back(prefix, std::string(message.id_token));
  }
  void OnPolicyChange() override {}
  void OnServersChange(const std::vector<std::shared_ptr<Server>>&) override {}

  // Answers the list that was asked for last: `do` has the argument `a`, and a header
  // repeats it where there is one.
  void AnswerList(bool has_header) const {
    client.ToClient(
        absl::StrFormat(
            R"({"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%sdo","inputSchema":{"type":"object","properties":{"a":{"type":"string"%s}}}}]}})",
            lists.back().second, lists.back().first, has_header ? R"(,"x-mcp-header":"A")" : ""),
        {});
  }
  void SayChanged() const {
    client.ToClient(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})", {});
  }

  Front::Listener& client;
  std::vector<std::pair<std::string, std::string>> lists;  // prefix and id of each asked for
  std::vector<std::string> calls;
};

class StatelessToolsTest : public ::testing::Test {
 protected:
  // A call with an argument that no header repeats.
  ExchangePtr CallWithoutHeader(const std::string& tool, std::string_view value = "x") {
    HttpRequest request;
    request.method = "POST";
    request.fields = {{"mcp-protocol-version", std::string(kStatelessVersion)},
                      {"mcp-method", "tools/call"},
                      {"mcp-name", tool}};
    request.body = absl::StrFormat(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":{"a":"%s"},"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{}}}})",
        tool, value, kStatelessVersion);
    auto exchange = std::make_shared<Exchange>();
    const auto read = ReadMessage(request.body);
    stateless_.Post(request, std::get<Message>(read), {}, exchange);
    return exchange;
  }
  static bool IsMismatch(const ExchangePtr& exchange) {
    return exchange->has_response() && exchange->response().status == 400 &&
           exchange->response().body.find("-32020") != std::string::npos;
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FakeFront* front_ = nullptr;
  Stateless stateless_{io_, clock_, "0", kJsonPatience,
                       [this](Front::Listener& listener, const std::string&) {
                         auto front = std::make_unique<FakeFront>(listener);
                         front_ = front.get();
                         return front;
                       }};
};

TEST_F(StatelessToolsTest, ACallWaitsForTheListOfItsOwnServerAlone) {
  const ExchangePtr hanging = CallWithoutHeader("one__do");
  const ExchangePtr call = CallWithoutHeader("two__do");
  ASSERT_THAT(front_->lists, SizeIs(2));
  EXPECT_EQ(front_->lists[0].first, "one__");
  EXPECT_EQ(front_->lists[1].first, "two__");
  front_->AnswerList(/*has_header=*/false);
  EXPECT_THAT(front_->calls, ElementsAre("two__do"));
  front_->SayChanged();
  CallWithoutHeader("two__do");
  front_->AnswerList(/*has_header=*/false);
  EXPECT_THAT(front_->calls, ElementsAre("two__do", "two__do"));
  EXPECT_FALSE(hanging->has_response());
}

TEST_F(StatelessToolsTest, AChangeWhileTheListIsReadIsNotLost) {
  const ExchangePtr call = CallWithoutHeader("one__do");
  front_->SayChanged();
  front_->AnswerList(/*has_header=*/true);  // the list of before
  EXPECT_FALSE(call->has_response());
  front_->AnswerList(/*has_header=*/false);
  EXPECT_FALSE(IsMismatch(call));
  EXPECT_THAT(front_->calls, ElementsAre("one__do"));
  // And the list that was read last is the one that is known.
  EXPECT_FALSE(IsMismatch(CallWithoutHeader("one__do")));
  EXPECT_THAT(front_->lists, SizeIs(2));
}

TEST_F(StatelessToolsTest, AChangeOfThePolicyIsOneOfTheTools) {
  CallWithoutHeader("one__do");
  front_->AnswerList(/*has_header=*/false);
  stateless_.OnPolicyChange();
  const ExchangePtr call = CallWithoutHeader("one__do");
  front_->AnswerList(/*has_header=*/true);
  EXPECT_TRUE(IsMismatch(call));
}

TEST_F(StatelessToolsTest, AServerWhoseListChangesForEverKeepsNoCall) {
  const ExchangePtr call = CallWithoutHeader("one__do");
  for (int i = 0; i <= kMaxRereadings; ++i) {
    EXPECT_THAT(front_->calls, IsEmpty());
    front_->SayChanged();
    front_->AnswerList(/*has_header=*/false);
  }
  EXPECT_THAT(front_->calls, ElementsAre("one__do"));
  EXPECT_THAT(front_->lists, SizeIs(1 + kMaxRereadings));
  CallWithoutHeader("one__do");
  EXPECT_THAT(front_->lists, SizeIs(2 + kMaxRereadings)) << "what was read last is not kept";
}

TEST_F(StatelessToolsTest, WhatWaitsIsBoundedAndGoesWithItsClient) {
  const std::string more(kMaxHeldBytes / 3, 'x');
  std::vector<ExchangePtr> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(CallWithoutHeader("one__do", more));
  ASSERT_TRUE(calls[2]->has_response());
  EXPECT_EQ(calls[2]->response().status, 503);
  EXPECT_FALSE(calls[0]->has_response());
  calls[0]->SetGone();
  const ExchangePtr next = CallWithoutHeader("one__do", more);
  EXPECT_FALSE(next->has_response());
  front_->AnswerList(/*has_header=*/false);
  EXPECT_THAT(front_->calls, SizeIs(2));
}

TEST_F(StatelessToolsTest, ACallOfNoServersToolIsForTheFrontToRefuse) {
  CallWithoutHeader("three__do");
  EXPECT_THAT(front_->lists, IsEmpty());
  EXPECT_THAT(front_->calls, ElementsAre("three__do"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
