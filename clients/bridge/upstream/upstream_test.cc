// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/upstream.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A server that says what a test says.
class FakeTransport : public Transport {
 public:
  void Start(Listener& to) override { listener = &to; }
  void Send(std::string_view message) override { sent.emplace_back(message); }
  size_t queued_bytes() const override { return queued; }
  void Reconnect() override {
    ++reconnects;
    listener->OnDisconnected("it was given up");
  }
  void Stop(std::function<void()> done) override { done(); }

  Listener* listener = nullptr;
  std::vector<std::string> sent;
  size_t queued = 0;
  int reconnects = 0;
};

class FakeClient : public Upstream::Client {
 public:
  void OnServerFrame(const Frame& frame, const IdKey&) override { frames.emplace_back(frame.text); }
  std::vector<std::string> frames;
};

TEST(Upstream, AServerThatNeverAnswersInitializeIsLoggedAndBegunWithAgain) {
  boost::asio::io_context io;
  FakeClock clock;
  FakeLogger log;
  auto owned = std::make_unique<FakeTransport>();
  FakeTransport& transport = *owned;
  Upstream upstream(io, "mute", "0.0.0", std::move(owned), clock, log);
  FakeClient client;
  const Upstream::ClientId id = upstream.Attach(client);
  upstream.Start();
  transport.listener->OnConnected();
  EXPECT_THAT(transport.sent, ElementsAre(HasSubstr("\"initialize\"")));

  // The timer runs on real time, from when the last request set it.
  clock.Advance(kInitializeTimeout - absl::Milliseconds(1));
  upstream.Send(id, R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
  io.poll();
  EXPECT_THAT(client.frames, IsEmpty()) << "it waits";
  EXPECT_THAT(log.events(), IsEmpty());
  clock.Advance(absl::Milliseconds(1));
  EXPECT_EQ(io.run_one_for(std::chrono::seconds(30)), 1u);
  const auto events = log.EventsOf("the server does not answer initialize");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].fields.at("server"), "mute");
  EXPECT_EQ(transport.reconnects, 1);
  io.poll();
  EXPECT_THAT(client.frames, ElementsAre(HasSubstr("\"id\":7,\"error\"")));
  upstream.Detach(id);
}

// An upstream whose server is ready.
class ReadyUpstreamTest : public ::testing::Test {
 protected:
  ReadyUpstreamTest() {
    upstream_.Start();
    transport_->listener->OnConnected();
    Say(R"({"jsonrpc":"2.0","id":"bridgekeeper/initialize","result":{"protocolVersion":"2025-11-25"}})");
    io_.poll();
    transport_->sent.clear();
  }

  void Say(std::string_view line) {
    transport_->listener->OnFrame({Frame::Kind::kLine, line}, "");
    Poll();
  }
  void Send(Upstream::ClientId client, std::string_view line) {
    upstream_.Send(client, line);
    Poll();
  }
  static std::string Call(int id) {
    return absl::StrFormat(
        R"({"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}})", id);
  }
  static std::string Cancel(int id) {
    return absl::StrFormat(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}})", id);
  }
  void Poll() {
    io_.restart();
    io_.poll();
  }

  static constexpr std::string_view kLog =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"secret"}})";
  static constexpr std::string_view kQuestion =
      R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"secret"}})";

  boost::asio::io_context io_;
  FakeClock clock_;
  FakeLogger log_;
  FakeTransport* transport_ = new FakeTransport;
  Upstream upstream_{io_, "one", "0.0.0", std::unique_ptr<Transport>(transport_), clock_, log_};
  FakeClient a_;
  FakeClient b_;
};

TEST_F(ReadyUpstreamTest, WhatIsAboutOneOfSeveralRequestsOfASharedClientIsToldToNobody) {
  const auto shared = upstream_.Attach(a_, /*is_shared=*/true);
  Send(shared, Call(1));
  Say(kLog);
  EXPECT_THAT(a_.frames, SizeIs(1)) << "there is one request that it can be about";
  Send(shared, Call(2));
  Say(kLog);
  Say(kQuestion);
  EXPECT_THAT(a_.frames, SizeIs(1));
  EXPECT_THAT(transport_->sent.back(), HasSubstr("there is not exactly one client"));
}

TEST_F(ReadyUpstreamTest, WhatMayBeAboutACancelledRequestIsToldToNobodyElse) {
  const auto a = upstream_.Attach(a_);
  const auto b = upstream_.Attach(b_);
  Send(a, Call(1));
  Send(a, Cancel(1));
  Send(b, Call(1));
  Say(kLog);
  Say(kQuestion);
  EXPECT_THAT(b_.frames, IsEmpty());
  clock_.Advance(kCancelGrace);
  Say(kLog);
  EXPECT_THAT(b_.frames, SizeIs(1));
}

TEST_F(ReadyUpstreamTest, WhatMayBeAboutAClientThatIsGoneIsToldToNobodyElse) {
  const auto a = upstream_.Attach(a_);
  const auto b = upstream_.Attach(b_);
  Send(a, Call(1));
  upstream_.Detach(a);
  Send(b, Call(1));
  Say(kLog);
  EXPECT_THAT(b_.frames, IsEmpty());
}

TEST_F(ReadyUpstreamTest, AClientHearsOfItsNextCallAfterItHasCancelledOne) {
  const auto a = upstream_.Attach(a_);
  Send(a, Call(1));
  Send(a, Cancel(1));
  Send(a, Call(2));
  Say(kLog);
  EXPECT_THAT(a_.frames, SizeIs(1));
}

TEST_F(ReadyUpstreamTest, WhatNeedsNoAnswerIsDroppedWhereTheServerDoesNotRead) {
  const auto a = upstream_.Attach(a_);
  transport_->queued = kMaxUpstreamQueue + 1;
  Send(a, R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  EXPECT_THAT(transport_->sent, IsEmpty());
  EXPECT_THAT(log_.EventsOf("the server does not read: a message to it is dropped"), SizeIs(1));
}

TEST_F(ReadyUpstreamTest, SubscriptionsAreBoundedAndARefusedOneIsForgotten) {
  const auto a = upstream_.Attach(a_);
  const auto subscribe = [](int id, std::string_view uri) {
    return absl::StrFormat(
        R"({"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"%s"}})", id,
        uri);
  };
  const std::string updated =
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:refused"}})";
  Send(a, subscribe(1, std::string(kMaxUriBytes + 1, 'x')));
  EXPECT_THAT(a_.frames, ElementsAre(HasSubstr("want a URI of at most")));
  Send(a, subscribe(2, "x:refused"));
  Say(updated);
  EXPECT_THAT(a_.frames, SizeIs(2)) << "the server may be quicker with the news";
  Say(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})");
  Say(updated);
  EXPECT_THAT(a_.frames, SizeIs(3)) << "the refusal alone";
  transport_->sent.clear();
  for (size_t i = 0; i < kMaxSubscriptions + 5; ++i) {
    Send(a, subscribe(10 + static_cast<int>(i), absl::StrFormat("x:%d", i)));
  }
  EXPECT_THAT(transport_->sent, SizeIs(kMaxSubscriptions));
  upstream_.Detach(a);
}

// A server may change its tools and not say so.
TEST_F(ReadyUpstreamTest, AnOldListIsReadAgain) {
  const auto a = upstream_.Attach(a_);
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  Send(a, list);
  Say(R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
  Send(a, list);
  EXPECT_THAT(transport_->sent, SizeIs(1)) << "the second is answered from what was kept";
  clock_.Advance(kMaxListAge + absl::Milliseconds(1));
  Send(a, list);
  EXPECT_THAT(transport_->sent, SizeIs(2));
}

}  // namespace
}  // namespace bridgekeeper::bridge
