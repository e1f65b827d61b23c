// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Credentials: what is sent to a server, and what it sends back of them.

#include <atomic>
#include <string>
#include <vector>

#include "clients/bridge/upstream/http_transport_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSecret = "s3cr/et-of-the-server";

std::function<void(HttpTransportOptions&)> Credentials() {
  return [](HttpTransportOptions& options) {
    options.fields = [] {
      return HttpFieldList{{"Authorization", "Bearer " + std::string(kSecret)},
                           {"X-Key", "other-k3y"}};
    };
  };
}

TEST(HttpTransport, SendsWhatTheConfigurationAddsAndLogsNoneOfIt) {
  FakeHttpServer server;
  UrlClient client(server, [](HttpTransportOptions& options) {
    options.fields = [] { return HttpFieldList{{"Authorization", "Bearer s3cret"}}; };
  });
  client.Ask(CallOf("1"));
  client.Stop();
  for (const FakeRequest& request : server.requests()) {
    EXPECT_EQ(request.Field("authorization"), "Bearer s3cret") << request.method;
  }
  for (const auto& event : client.log.events()) {
    for (const auto& [name, value] : event.fields) EXPECT_THAT(value, Not(HasSubstr("s3cret")));
  }
}

TEST(HttpTransport, ACredentialThatWasChangedIsTakenUpAndTheRequestCarriedOut) {
  std::atomic<int> token = 1;
  std::atomic<int> wanted = 1;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.Field("authorization") == absl::StrFormat("Bearer %d", wanted.load())) return false;
    reply.Status(401);
    return true;
  });
  UrlClient client(server, [&](HttpTransportOptions& options) {
    options.fields = [&] {
      return HttpFieldList{{"Authorization", absl::StrFormat("Bearer %d", token.load())}};
    };
  });
  client.Ask(CallOf("1"));
  wanted = 2;
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("HTTP 401"));
  token = 2;
  EXPECT_THAT(client.Ask(CallOf("3"), "3"), HasSubstr("done"));
}

// ---- what comes back ------------------------------------------------------------------------

struct EchoRow {
  std::string name;
  std::string method;  // that is answered so
  int status;
  std::string body;  // ID: of the request
  std::string want = "[masked]";
};
class EchoTest : public ::testing::TestWithParam<EchoRow> {};

INSTANTIATE_TEST_SUITE_P(
    Secrets, EchoTest,
    ::testing::ValuesIn(std::vector<EchoRow>{
        {"InTheMessageOfAnError", "tools/call", 200,
         R"({"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"bad token s3cr/et-of-the-server"}})",
         "bad token [masked]"},
        {"WithItsScheme", "tools/call", 200,
         R"({"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"got Bearer s3cr/et-of-the-server!"}})",
         "got [masked]!"},
        {"Escaped", "tools/call", 200,
         R"({"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"\u0073\u0033cr\/et-of-the-server"}})"},
        {"InTheDataOfAnError", "tools/call", 200,
         R"({"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no","data":{"headers":[{"authorization":"Bearer s3cr/et-of-the-server"},{"x-key":"other-k3y"}]}}})",
         R"({"headers":[{"authorization":"[masked]"},{"x-key":"[masked]"}]})"},
        {"AsANameInTheData", "tools/call", 200,
         R"({"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no","data":{"seen":{"s3cr/et-of-the-server":1}}}})",
         R"({"seen":"[masked]"})"},
        {"InAResultThatIsAnError", "tools/call", 200,
         R"({"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[{"type":"text","text":"sent: s3cr/et-of-the-server"}]}})",
         "sent: [masked]"},
        {"InTheBodyOfAnHttpError", "tools/call", 500,
         R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"for s3cr/et-of-the-server"}})",
         "for [masked]"},
        {"BehindALongText", "tools/call", 500,
         R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":")" + std::string(240, 'x') +
             R"(s3cr/et-of-the-server"}})",
         "xxx[masked]"},
        {"InAnAnswerThatIsNoMessage", "tools/call", 200,
         R"({"jsonrpc":"s3cr/et-of-the-server","id":ID,"result":{}})", "refused"},
    }),
    [](const auto& row) { return row.param.name; });

TEST_P(EchoTest, IsMasked) {
  const EchoRow& row = GetParam();
  FakeHttpServer server(On(row.method, [&](const FakeRequest& request, FakeReply& reply) {
    std::string body = row.body;
    if (const size_t at = body.find("ID"); at != std::string::npos) body.replace(at, 2, request.id);
    reply.Json(body, row.status);
  }));
  UrlClient client(server, Credentials());
  EXPECT_THAT(client.Ask(CallOf("1")), AllOf(HasSubstr(row.want), Not(HasSubstr("of-the-server"))));
  client.Stop();
  EXPECT_EQ(server.RequestsOf("tools/call").at(0).Field("authorization"),
            "Bearer " + std::string(kSecret));
  for (const auto& event : client.log.events()) {
    for (const auto& [name, value] : event.fields) {
      EXPECT_THAT(value, Not(HasSubstr("of-the-server"))) << name;
    }
  }
}

TEST(Secrets, ThatARefusedBeginningShowsAreMaskedInTheLogAndInTheReason) {
  FakeHttpServer server([](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method.empty()) return false;
    reply.Json(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"not )" +
                   request.Field("authorization") + R"("}})",
               400);
    return true;
  });
  UrlClient client(server, Credentials());
  ASSERT_TRUE(support::WaitUntil([&] { return client.status().ends > 0; }));
  EXPECT_THAT(client.status().last_end,
              AllOf(HasSubstr("not [masked]"), Not(HasSubstr("of-the-server"))));
  client.Stop();
  for (const auto& event : client.log.events()) {
    for (const auto& [name, value] : event.fields) {
      EXPECT_THAT(value, Not(HasSubstr("of-the-server"))) << name;
    }
  }
}

TEST(Secrets, AreMaskedInWhatTheServerLogs) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.BeginEvents();
    reply.Event(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":")" +
                request.Field("authorization") + R"("}})");
    reply.Event(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{}})", request.id));
    reply.EndEvents();
  }));
  UrlClient client(server, Credentials());
  client.Ask(CallOf("1"));
  EXPECT_TRUE(client.WaitForFrame(R"("data":"[masked]")"));
}

// A message stays one, with the id that its client waits for.
TEST(Secrets, AValueThatIsAPartOfTheProtocolLosesNoAnswer) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.Json(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"error":{"code":-7,"message":"x"}})",
                               request.id));
  }));
  UrlClient client(server, [](HttpTransportOptions& options) {
    options.fields = [] {
      return HttpFieldList{{"X-A", "json"}, {"X-B", "code"}, {"X-C", "error"}, {"X-D", "name-it"}};
    };
  });
  EXPECT_THAT(client.Ask(CallOf("\"name-it\""), "\"name-it\""),
              AllOf(HasSubstr("-7"), HasSubstr("name-it")));
}

// What a tool answers is the agent's: its bytes pass.
TEST(Secrets, AResultIsNotTouched) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.Result(request, R"({"content":[{"type":"text","text":"other-k3y"}]})");
  }));
  UrlClient client(server, Credentials());
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("other-k3y"));
}

TEST(Secrets, TheOneBeforeStaysSecretOnceAnotherIsSent) {
  std::atomic<bool> is_new = false;
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    if (request.Field("authorization") == "Bearer the-first") return reply.Status(401);
    reply.Json(absl::StrFormat(
        R"({"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"the-first, then the-second"}})",
        request.id));
  }));
  UrlClient client(server, [&](HttpTransportOptions& options) {
    options.fields = [&] {
      return HttpFieldList{{"Authorization", is_new ? "Bearer the-second" : "Bearer the-first"}};
    };
  });
  client.Ask(CallOf("1"));
  is_new = true;
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("[masked], then [masked]"));
}

}  // namespace
}  // namespace bridgekeeper::bridge
