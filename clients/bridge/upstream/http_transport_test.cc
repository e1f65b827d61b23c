// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Servers behind a URL that begin sessions (MCP 2025-03-26 to 2025-11-25).

#include "clients/bridge/upstream/http_transport.h"

#include "clients/bridge/upstream/http_transport_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// ---- the session era -------------------------------------------------------------------

TEST(HttpTransport, BeginsASessionAndEndsIt) {
  FakeHttpServer server;
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("7"), "7"), HasSubstr("done"));
  EXPECT_THAT(client.Ask(RequestOf("tools/list", "8"), "8"), HasSubstr(R"("name":"do")"));
  client.Stop();
  const auto begun = server.RequestsOf("initialize");
  ASSERT_THAT(begun, SizeIs(1));
  EXPECT_EQ(begun[0].Field("mcp-session-id"), "");
  EXPECT_EQ(begun[0].Field("accept"), "application/json, text/event-stream");
  EXPECT_EQ(begun[0].Field("accept-encoding"), "identity");
  const auto calls = server.RequestsOf("tools/call");
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].target, "/mcp");
  EXPECT_EQ(calls[0].Field("mcp-session-id"), "session-1");
  EXPECT_EQ(calls[0].Field("mcp-protocol-version"), "2025-11-25");
  EXPECT_EQ(calls[0].Field("host"), absl::StrFormat("127.0.0.1:%d", server.port()));
  const auto ended = server.RequestsOf("DELETE");
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].Field("mcp-session-id"), "session-1");
}

// A server may refuse what comes before it knows that its client has begun.
TEST(HttpTransport, SendsNothingBeforeTheServerHasTakenInitialized) {
  std::promise<void> turns_are_over;
  std::atomic<bool> is_taken = false;
  std::atomic<int> early = 0;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method == "notifications/initialized") {
      turns_are_over.get_future().wait_for(std::chrono::seconds(30));
      is_taken = true;
      reply.Status(202);
      return true;
    }
    if (request.rpc_method != "initialize" && !is_taken) ++early;
    return false;
  });
  UrlClient client(server);
  ASSERT_TRUE(server.WaitFor("notifications/initialized"));
  client.Send(CallOf("1"));
  // Turns of the client's thread, in which it could have sent the call.
  for (int turn = 0; turn < 200; ++turn) client.status();
  turns_are_over.set_value();
  EXPECT_THAT(client.Answer("1"), HasSubstr("done"));
  EXPECT_EQ(early, 0);
}

TEST(HttpTransport, ReadsAnAnswerThatIsAStream) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.BeginEvents();
    reply.Chunk(": a comment\n\nevent: message\nda");
    reply.Chunk(
        "ta: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"n\":1}}\n\n");
    reply.Event(absl::StrFormat(
        "{\"jsonrpc\":\"2.0\",\ndata: \"id\":%s,\r\ndata: \"result\":{\"x\":2}}", request.id));
    reply.EndEvents();
  }));
  UrlClient client(server);
  EXPECT_EQ(client.Ask(CallOf("\"a\""), "\"a\""), R"({"jsonrpc":"2.0","id":"a","result":{"x":2}})");
  EXPECT_THAT(client.frames(), Contains(HasSubstr("notifications/message")));
}

TEST(HttpTransport, PassesAQuestionOfTheServerAndItsAnswer) {
  FakeHttpServer server([](const FakeRequest& request, FakeReply& reply) {
    static Mutex mu;
    static FakeReply* waiting = nullptr;
    static std::string waiting_id;
    if (request.rpc_method == "tools/call") {
      {
        MutexLock lock(mu);
        waiting = &reply;
        waiting_id = request.id;
      }
      reply.BeginEvents();
      reply.Event(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
      // The answer comes on another connection.
      EXPECT_TRUE(support::WaitUntil([&] {
        MutexLock lock(mu);
        return waiting == nullptr;
      }));
      reply.EndEvents();
      return true;
    }
    if (request.rpc_method.empty() && request.body.find(R"("id":"q")") != std::string::npos) {
      MutexLock lock(mu);
      waiting->Event(
          absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{"got":true}})", waiting_id));
      waiting = nullptr;
      reply.Status(202);
      return true;
    }
    return false;
  });
  UrlClient client(server);
  client.Send(CallOf("1"));
  ASSERT_TRUE(client.WaitForFrame("elicitation/create"));
  client.Send(R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept"}})");
  EXPECT_THAT(client.Answer("1"), HasSubstr(R"("got":true)"));
}

// B187: a server that was restarted has lost the session.
TEST(HttpTransport, ASessionThatIsLostIsBegunAgainOnceAndTheRequestCarriedOut) {
  FakeHttpServer server;
  UrlClient client(server);
  client.Ask(CallOf("1"));
  server.sessions = 10;  // it knows `session-10` alone
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("done"));
  EXPECT_EQ(server.CountOf("initialize"), 2u);
  const auto calls = server.RequestsOf("tools/call");
  ASSERT_THAT(calls, SizeIs(3));
  EXPECT_EQ(calls[1].Field("mcp-session-id"), "session-1");  // 404
  EXPECT_EQ(calls[2].Field("mcp-session-id"), "session-11");
  EXPECT_TRUE(client.status().ready);
  EXPECT_EQ(client.status().ends, 0u);
}

// What was decided of the lost session's tools is not sent to others of the same names.
TEST(HttpTransport, ACallOfALostSessionIsNotSentToToolsThatHaveChanged) {
  std::atomic<bool> has_changed = false;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != "tools/list" || !has_changed) return false;
    reply.Result(request, R"({"tools":[{"name":"do","description":"something else"}]})");
    return true;
  });
  UrlClient client(server);
  client.Ask(CallOf("1"));
  has_changed = true;
  server.sessions = 10;
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("the request was not carried out"));
  EXPECT_TRUE(client.WaitForFrame(kChanged));
  EXPECT_EQ(server.RequestsOf("tools/call").size(), 2u);  // the second got a 404
  EXPECT_THAT(client.Ask(CallOf("3"), "3"), HasSubstr("done"));
}

TEST(HttpTransport, NoticesThatTheServerDoesNotTakeAreBounded) {
  std::atomic<size_t> notices = 0;
  // Nothing is ever answered.
  FakeHttpServer server(
      On("notifications/roots/list_changed", [&](const FakeRequest&, FakeReply&) { ++notices; }));
  UrlClient client(server);
  client.Ask(CallOf("1"));
  for (size_t i = 0; i < kMaxNotices + 10; ++i) {
    client.Send(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  }
  EXPECT_TRUE(support::WaitUntil([&] { return notices == kMaxNotices; }));
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("done"));
  EXPECT_EQ(notices, kMaxNotices);
}

TEST(HttpTransport, ManyRequestsOfALostSessionBeginOneSession) {
  FakeHttpServer server;
  UrlClient client(server);
  client.Ask(CallOf("1"));
  server.sessions = 10;
  for (int i = 100; i < 120; ++i) client.Send(CallOf(std::to_string(i)));
  for (int i = 100; i < 120; ++i) {
    EXPECT_THAT(client.Answer(std::to_string(i)), HasSubstr("done"));
  }
  EXPECT_EQ(server.CountOf("initialize"), 2u);
}

TEST(HttpTransport, AServerThatKeepsNoSessionIsAnErrorAndNoLoop) {
  std::atomic<int> calls = 0;
  FakeHttpServer server(On("tools/call", [&](const FakeRequest&, FakeReply& reply) {
    ++calls;
    reply.Status(404);
  }));
  UrlClient client(server);
  for (int i = 1; i <= kMaxUnkeptSessions; ++i) {
    const std::string id = std::to_string(i);
    EXPECT_THAT(client.Ask(CallOf(id), id), HasSubstr("lost its session"));
    EXPECT_EQ(calls, 2 * i);
  }
  EXPECT_TRUE(support::WaitUntil([&] { return client.status().ends == 1; }));
}

TEST(HttpTransport, AnErrorOfOneRequestWith404EndsNoSession) {
  FakeHttpServer server(On("resources/read", [](const FakeRequest& request, FakeReply& reply) {
    reply.Json(absl::StrFormat(
                   R"({"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such thing"}})",
                   request.id),
               404);
  }));
  UrlClient client(server);
  EXPECT_THAT(client.Ask(RequestOf("resources/read")), HasSubstr("no such thing"));
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("done"));
  EXPECT_EQ(server.CountOf("initialize"), 1u);
}

TEST(HttpTransport, ALostSessionIsBegunAgainWhereItsErrorsNameTheRequest) {
  std::atomic<bool> was_restarted = false;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (!was_restarted || request.Field("mcp-session-id") != "session-1") return false;
    reply.Json(absl::StrFormat(
                   R"({"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"no session"}})",
                   request.id.empty() ? "null" : request.id),
               404);
    return true;
  });
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("done"));
  was_restarted = true;
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("no session"));
  EXPECT_THAT(client.Ask(CallOf("3"), "3"), HasSubstr("done"));
  EXPECT_EQ(server.CountOf("initialize"), 2u);
}

// The list is read before the first call: one that never comes holds nothing up for ever.
TEST(HttpTransport, AListThatNeverComesHoldsUpNoCallForEver) {
  FakeHttpServer server(On("tools/list", [](const FakeRequest&, FakeReply& reply) {
    reply.BeginEvents();
    reply.WaitGone();
  }));
  UrlClient client(server, [](HttpTransportOptions& options) {
    options.answer_timeout = absl::Milliseconds(200);
  });
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("done"));
}

// Between the list and the stream nobody would have told us.
TEST(HttpTransport, AListThatChangesBeforeAnybodyListensIsSeen) {
  std::atomic<bool> has_changed = false;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.method == "GET") {
      has_changed = true;
      reply.BeginEvents();
      reply.WaitGone();
      return true;
    }
    if (request.rpc_method != "tools/list" || !has_changed) return false;
    reply.Result(request, R"({"tools":[{"name":"do","description":"something else"}]})");
    return true;
  });
  UrlClient client(server);
  EXPECT_TRUE(client.WaitForFrame(kChanged));
}

TEST(HttpTransport, AServerThatSaysChangeWithEachListIsNotReadWithoutEnd) {
  std::atomic<int> lists = 0;
  std::atomic<FakeReply*> stream = nullptr;
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.method == "GET") {
      reply.BeginEvents();
      stream = &reply;
      reply.WaitGone();
      stream = nullptr;
      return true;
    }
    if (request.rpc_method != "tools/list") return false;
    ++lists;
    if (FakeReply* const listening = stream) listening->Event(kChanged);
    return false;
  });
  UrlClient client(server);
  for (int i = 1; i <= 20; ++i) {
    const std::string id = std::to_string(i);
    EXPECT_THAT(client.Ask(CallOf(id), id), HasSubstr("done"));
  }
  EXPECT_LE(lists, 3);
}

TEST(HttpTransport, WhatASessionHadIsTakenUpInTheNext) {
  FakeHttpServer server([](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != "resources/subscribe" || request.Field("mcp-session-id").empty()) {
      return false;
    }
    reply.Result(request, "{}");
    return true;
  });
  UrlClient client(server);
  client.Ask(
      R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"file:///a"}})");
  server.sessions = 10;
  client.Ask(CallOf("2"), "2");
  const auto subscribed = server.RequestsOf("resources/subscribe");
  ASSERT_THAT(subscribed, SizeIs(2));
  EXPECT_EQ(subscribed[1].Field("mcp-session-id"), "session-11");
}

// ---- what may have run is not sent again -------------------------------------------------

struct Broken {
  std::string name;
  std::function<void(const FakeRequest&, FakeReply&)> answer;
  std::string want;
};
class BrokenAnswerTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenAnswerTest, IsAnErrorAndTheCallIsSentOnce) {
  FakeHttpServer server(On("tools/call", GetParam().answer));
  UrlClient client(server);
  client.Ask(RequestOf("tools/list", "0"), "0");  // leaves a connection to be used again
  EXPECT_THAT(client.Ask(CallOf("1")), AllOf(HasSubstr(R"("error")"), HasSubstr(GetParam().want)));
  EXPECT_EQ(server.CountOf("tools/call"), 1u);
  // It is served as if nothing was.
  EXPECT_THAT(client.Ask(RequestOf("tools/list", "2"), "2"), HasSubstr(R"("name":"do")"));
}

std::string Answered(const FakeRequest& request, std::string_view text = "x") {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{"content":[],"t":"%s"}})",
                         request.id, text);
}

INSTANTIATE_TEST_SUITE_P(
    HttpTransport, BrokenAnswerTest,
    ::testing::Values(
        Broken{"CutBeforeTheAnswer", [](const auto&, FakeReply& r) { r.Cut(); },
               "may have been carried out"},
        Broken{"CutInTheHead",
               [](const auto&, FakeReply& r) {
                 r.Raw("HTTP/1.1 200 OK\r\nContent-Ty");
                 r.Cut();
               },
               "may have been carried out"},
        Broken{"CutInTheBody",
               [](const auto& q, FakeReply& r) {
                 r.Raw(
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                     "500\r\n\r\n" +
                     Answered(q));
                 r.Cut();
               },
               "may have been carried out"},
        Broken{"CutInTheStream",
               [](const auto&, FakeReply& r) {
                 r.BeginEvents();
                 r.Chunk("data: {\"jsonrpc\"");
                 r.Cut();
               },
               "may have been carried out"},
        Broken{"StreamWithoutAnAnswer",
               [](const auto&, FakeReply& r) {
                 r.BeginEvents();
                 r.EndEvents();
               },
               "its stream ended without an answer"},
        Broken{"NoHttp",
               [](const auto&, FakeReply& r) {
                 r.Raw("SMTP ready\r\n\r\n");
                 r.Cut();
               },
               "is not HTTP that can be read"},
        Broken{"NoJson", [](const auto&, FakeReply& r) { r.Json("<html>"); },
               "its answer was refused"},
        Broken{"NeitherResultNorError",
               [](const auto& q, FakeReply& r) {
                 r.Json(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s})", q.id));
               },
               "its answer was refused"},
        Broken{"LoneSurrogate",
               [](const auto& q, FakeReply& r) { r.Json(Answered(q, R"(\ud800)")); },
               "its answer was refused"},
        Broken{"AnswerToAnother",
               [](const auto&, FakeReply& r) {
                 r.Json(R"({"jsonrpc":"2.0","id":999999,"result":{}})");
               },
               "is not one to this request"},
        Broken{"Html",
               [](const auto&, FakeReply& r) { r.Whole(200, "text/html", "<p>please log in</p>"); },
               "its answer is `text/html`"},
        Broken{"NoBody", [](const auto&, FakeReply& r) { r.Status(202); }, "HTTP 202"},
        Broken{"Compressed",
               [](const auto& q, FakeReply& r) {
                 r.Json(Answered(q), 200, {{"Content-Encoding", "gzip"}});
               },
               "encoded as `gzip`"},
        Broken{
            "OtherTransferEncoding",
            [](const auto&, FakeReply& r) {
              r.Raw(
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, "
                  "chunked\r\n\r\n0\r\n\r\n");
            },
            "transfer encoding"},
        Broken{"LengthAndChunks",
               [](const auto&, FakeReply& r) {
                 r.Raw(
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
               },
               "is not HTTP that can be read"},
        Broken{"HeadWithoutEnd",
               [](const auto&, FakeReply& r) {
                 r.Raw("HTTP/1.1 200 OK\r\n");
                 for (int i = 0; i < 200; ++i) r.Raw("X-Pad: " + std::string(1000, 'x') + "\r\n");
                 r.Cut();
               },
               "is not HTTP that can be read"},
        Broken{"DeepJson",
               [](const auto& q, FakeReply& r) {
                 r.Json(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":%s1%s})", q.id,
                                        std::string(300, '['), std::string(300, ']')));
               },
               "its answer was refused"},
        Broken{"Unauthorized", [](const auto&, FakeReply& r) { r.Status(401); },
               "HTTP 401: look at the `headers`"},
        Broken{"Forbidden", [](const auto&, FakeReply& r) { r.Status(403); },
               "HTTP 403: look at the `headers`"},
        Broken{"TooManyRequests", [](const auto&, FakeReply& r) { r.Status(429); }, "HTTP 429"},
        Broken{"BadGateway",
               [](const auto&, FakeReply& r) { r.Whole(502, "text/html", "<p>no</p>"); },
               "HTTP 502; the request may have been carried out"},
        Broken{
            "RefusedWithAReason",
            [](const auto&, FakeReply& r) {
              r.Json(
                  R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no \u001b[1m"}})",
                  400);
            },
            R"(HTTP 400: no \\u{001b}[1m)"},
        Broken{"RedirectToAnotherOrigin",
               [](const auto&, FakeReply& r) {
                 r.Status(307, {{"Location", "https://evil.example/mcp"}});
               },
               "redirects to another origin, `https://evil.example/mcp`"},
        Broken{"RedirectToAnotherPort",
               [](const auto&, FakeReply& r) {
                 r.Status(308, {{"Location", "http://127.0.0.1:1/mcp"}});
               },
               "redirects to another origin"},
        Broken{"RedirectInTheClear",
               [](const auto&, FakeReply& r) {
                 r.Status(307, {{"Location", "http://evil.example/mcp"}});
               },
               "got `http://evil.example/mcp`, want https"},
        Broken{"RedirectWithoutAScheme",
               [](const auto&, FakeReply& r) {
                 r.Status(307, {{"Location", "//evil.example/mcp"}});
               },
               "redirects to what is no URL"},
        Broken{"RedirectThatDropsThePost",
               [](const auto&, FakeReply& r) {
                 r.Status(302, {{"Location", "/other"}});
               },
               "HTTP 302, which does not keep a POST"}),
    [](const auto& row) { return row.param.name; });

TEST(HttpTransport, ARedirectWithinTheOriginIsFollowed) {
  FakeHttpServer server([](const FakeRequest& request, FakeReply& reply) {
    if (request.target != "/mcp") return false;
    reply.Status(307, {{"Location", "/mcp/"}});
    return true;
  });
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("done"));
}

TEST(HttpTransport, ARedirectWithoutEndIsAnError) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.Status(307, {{"Location", request.target + "x"}});
  }));
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("redirects without end"));
  EXPECT_EQ(server.CountOf("tools/call"), size_t{kMaxRedirects} + 1);
}

TEST(HttpTransport, OnlyWhatReadsIsAskedAgainOnAFreshConnection) {
  std::atomic<int> lists = 0;
  FakeHttpServer server(On("prompts/list", [&](const FakeRequest& request, FakeReply& reply) {
    if (++lists == 1) return reply.Cut();
    reply.Result(request, R"({"prompts":[]})");
  }));
  UrlClient client(server);
  EXPECT_THAT(client.Ask(RequestOf("prompts/list")), HasSubstr(R"("prompts":[])"));
  const auto asked = server.RequestsOf("prompts/list");
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_NE(asked[0].connection, asked[1].connection);
}

TEST(HttpTransport, AConnectionIsUsedAgain) {
  FakeHttpServer server;
  UrlClient client(server);
  for (int i = 1; i <= 5; ++i) client.Ask(CallOf(std::to_string(i)), std::to_string(i));
  const auto calls = server.RequestsOf("tools/call");
  ASSERT_THAT(calls, SizeIs(5));
  EXPECT_EQ(calls[2].connection, calls[3].connection);
  EXPECT_EQ(calls[3].connection, calls[4].connection);
}

TEST(HttpTransport, AConnectionThatTheServerClosedIsNotUsedAgain) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    reply.Result(request, "{}");
    reply.Cut();  // without a word of it in the answer
  }));
  UrlClient client(server);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(client.Ask(CallOf(std::to_string(i)), std::to_string(i)), HasSubstr("result"));
    // The end of the connection is there before the next call.
    client.Ask(RequestOf("tools/list", std::to_string(100 + i)), std::to_string(100 + i));
  }
  EXPECT_EQ(server.CountOf("tools/call"), 3u);
}

TEST(HttpTransport, AnswersOfOneMegabyteAreWhole) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    const std::string answer = Answered(request, std::string(1 << 20, 'x'));
    if (request.body.find("stream") == std::string::npos) return reply.Json(answer);
    reply.BeginEvents();
    const std::string event = "data: " + answer + "\n\n";
    for (size_t at = 0; at < event.size(); at += 3000) reply.Chunk(event.substr(at, 3000));
    reply.EndEvents();
  }));
  UrlClient client(server);
  EXPECT_GT(client.Ask(CallOf("1")).size(), size_t{1} << 20);
  EXPECT_GT(client.Ask(CallOf("2", "stream"), "2").size(), size_t{1} << 20);
}

TEST(HttpTransport, AnAnswerAboveTheLimitIsRefusedAndTheNextServed) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest& request, FakeReply& reply) {
    const std::string answer = Answered(request, std::string(kMaxLineBytes + 1, 'x'));
    if (request.body.find("stream") == std::string::npos) return reply.Json(answer);
    reply.BeginEvents();
    reply.Chunk("data: " + answer + "\n\n");
    reply.EndEvents();
  }));
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("larger than 16777216 bytes"));
  EXPECT_THAT(client.Ask(CallOf("2", "stream"), "2"), HasSubstr("more than 16777216 bytes"));
  EXPECT_THAT(client.Ask(RequestOf("tools/list", "3"), "3"), HasSubstr(R"("name":"do")"));
}

// ---- streams that are cut -----------------------------------------------------------------

// B199: what came after the cut comes once.
TEST(HttpTransport, AStreamThatIsCutIsTakenUpWhereItWas) {
  std::promise<std::string> call_id;  // the two connections have a thread each
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method == "tools/call") {
      call_id.set_value(request.id);
      reply.BeginEvents();
      reply.Chunk("retry: 100\nid: e1\ndata:\n\n");
      reply.Event(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}})", "e2");
      reply.Cut();
      return true;
    }
    if (request.method == "GET" && request.Field("last-event-id") == "e2") {
      reply.BeginEvents();
      reply.Event(absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{"late":true}})",
                                  call_id.get_future().get()),
                  "e3");
      reply.EndEvents();
      return true;
    }
    return false;
  });
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr(R"("late":true)"));
  EXPECT_EQ(server.CountOf("tools/call"), 1u);
}

TEST(HttpTransport, AStreamThatCannotBeTakenUpIsAnError) {
  FakeHttpServer server(On("tools/call", [](const FakeRequest&, FakeReply& reply) {
    reply.BeginEvents();
    reply.Event(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}})", "e1");
    reply.Cut();
  }));
  UrlClient client(server);
  EXPECT_THAT(client.Ask(CallOf("1")),
              AllOf(HasSubstr("cannot be taken up again"), HasSubstr("may have been carried out")));
  EXPECT_EQ(server.CountOf("tools/call"), 1u);
}

// ---- cancelling ----------------------------------------------------------------------------

// B161.
TEST(HttpTransport, ACancellationReachesTheServerAndEndsTheStream) {
  std::atomic<bool> is_gone = false;
  FakeHttpServer server(On("tools/call", [&](const FakeRequest&, FakeReply& reply) {
    reply.BeginEvents();
    is_gone = reply.WaitGone();
    reply.Cut();
  }));
  UrlClient client(server);
  client.Send(CallOf("5"));
  ASSERT_TRUE(server.WaitFor("tools/call"));
  client.Send(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"r"}})");
  ASSERT_TRUE(server.WaitFor("notifications/cancelled"));
  EXPECT_TRUE(support::WaitUntil([&] { return is_gone.load(); }));
  const FakeRequest cancelled = server.RequestsOf("notifications/cancelled")[0];
  const FakeRequest call = server.RequestsOf("tools/call")[0];
  EXPECT_THAT(cancelled.body, HasSubstr(absl::StrFormat(R"("requestId":%s)", call.id)));
  EXPECT_THAT(client.Ask(RequestOf("tools/list", "6"), "6"), HasSubstr("tools"));
}

// ---- servers that are away -------------------------------------------------------------------

TEST(HttpTransport, AServerThatIsAwayIsFoundWhenItComes) {
  uint16_t port = 0;
  {
    FakeHttpServer gone;
    port = gone.port();
  }
  UrlClient client(absl::StrFormat("http://127.0.0.1:%d/mcp", port));
  ASSERT_TRUE(support::WaitUntil([&] { return client.status().ends > 0; }));
  EXPECT_THAT(client.Ask(CallOf("1")), HasSubstr("is not running: it cannot be reached"));
  FakeHttpServer server(nullptr, port);
  ASSERT_TRUE(client.WaitReady());
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr("done"));
}

TEST(HttpTransport, AServerThatGoesIsMissedAndBegunWithAnew) {
  auto server = std::make_unique<FakeHttpServer>();
  const uint16_t port = server->port();
  UrlClient client(*server);
  client.Ask(CallOf("1"));
  server = nullptr;
  EXPECT_THAT(client.Ask(CallOf("2"), "2"), HasSubstr(R"("error")"));
  ASSERT_TRUE(client.WaitReady(false));
  server = std::make_unique<FakeHttpServer>(nullptr, port);
  ASSERT_TRUE(client.WaitReady());
  EXPECT_THAT(client.Ask(CallOf("3"), "3"), HasSubstr("done"));
}

TEST(HttpTransport, AServerThatRefusesTheBridgeSaysSo) {
  FakeHttpServer server(On("initialize", [](const FakeRequest&, FakeReply& reply) {
    reply.Status(401, {{"WWW-Authenticate", "Bearer"}});
  }));
  UrlClient client(server);
  ASSERT_TRUE(support::WaitUntil([&] { return client.status().ends > 0; }));
  EXPECT_THAT(client.status().last_end, HasSubstr("HTTP 401: look at the `headers`"));
  EXPECT_EQ(server.CountOf("server/discover"), 0u);
}

// ---- what the server says by itself -------------------------------------------------------------

TEST(HttpTransport, HearsOfChangesOnAStreamThatComesAgain) {
  std::atomic<int> gets = 0;
  FakeHttpServer server(On("GET", [&](const FakeRequest& request, FakeReply& reply) {
    reply.BeginEvents();
    if (++gets == 1) {
      reply.Event(kChanged, "c1");
      return reply.Cut();
    }
    EXPECT_EQ(request.Field("last-event-id"), "c1");
    reply.Event(R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})", "c2");
    reply.WaitGone();
    reply.Cut();
  }));
  UrlClient client(server);
  EXPECT_TRUE(client.WaitForFrame("prompts/list_changed"));
  EXPECT_THAT(client.frames(), Contains(std::string(kChanged)));
  EXPECT_EQ(server.RequestsOf("GET")[0].Field("mcp-session-id"), "session-1");
}

TEST(HttpTransport, LooksAtTheToolsOfAServerThatCannotTellOfChanges) {
  std::atomic<bool> has_changed = false;
  FakeHttpServer server(On("tools/list", [&](const FakeRequest& request, FakeReply& reply) {
    reply.Result(request, has_changed ? R"({"tools":[{"name":"new"}]})" : R"({"tools":[]})");
  }));
  UrlClient client(
      server, [](HttpTransportOptions& options) { options.tools_poll = absl::Milliseconds(20); });
  EXPECT_THAT(client.Ask(RequestOf("tools/list")), HasSubstr(R"("tools":[])"));
  const auto told = [&] {
    size_t count = 0;
    for (const std::string& frame : client.frames()) count += frame == kChanged ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(server.WaitFor("tools/list", 5));
  const size_t before = told();  // that it has begun
  has_changed = true;
  EXPECT_TRUE(support::WaitUntil([&] { return told() == before + 1; }));
  EXPECT_THAT(client.Ask(RequestOf("tools/list", "2"), "2"), HasSubstr(R"("name":"new")"));
  ASSERT_TRUE(server.WaitFor("tools/list", server.CountOf("tools/list") + 5));
  EXPECT_EQ(told(), before + 1);
}

}  // namespace
}  // namespace bridgekeeper::bridge
