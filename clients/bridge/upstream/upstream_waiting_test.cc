// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What waits for a server that is starting.

#include "clients/bridge/upstream/upstream.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A server that does what the test says, and whose queue is full for all but `initialize`.
class FakeTransport : public Transport {
 public:
  void Start(Listener& owner) override { listener = &owner; }
  void Send(std::string_view message) override { sent.emplace_back(message); }
  size_t queued_bytes() const override { return kMaxUpstreamQueue + 1; }
  void Reconnect() override {}
  void Stop(std::function<void()> done) override { done(); }

  Listener* listener = nullptr;
  std::vector<std::string> sent;
};

class UpstreamTest : public ::testing::Test, public Upstream::Client {
 protected:
  UpstreamTest() {
    auto transport = std::make_unique<FakeTransport>();
    transport_ = transport.get();
    upstream_ = std::make_unique<Upstream>(io_, "one", "0", std::move(transport), clock_, log_);
    upstream_->Start();
    client_ = upstream_->Attach(*this);
  }
  void OnServerFrame(const Frame& frame, const IdKey&) override { seen_.emplace_back(frame.text); }

  void Ask(std::string_view method, int id) {
    upstream_->Send(
        client_,
        absl::StrFormat(R"({"jsonrpc":"2.0","id":%d,"method":"%s","params":{}})", id, method));
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FakeLogger log_;
  FakeTransport* transport_ = nullptr;
  std::unique_ptr<Upstream> upstream_;
  Upstream::ClientId client_ = 0;
  std::vector<std::string> seen_;
};

TEST_F(UpstreamTest, WhatAClientSaidIsTakenUpInItsOrder) {
  Ask("initialize", 1);
  Ask("resources/list", 2);
  transport_->listener->OnConnected();
  ASSERT_THAT(transport_->sent, ElementsAre(HasSubstr(R"("method":"initialize")")));
  const std::string id = std::string(OutlineOf(transport_->sent[0]).id_token);
  transport_->listener->OnFrame(
      {Frame::Kind::kLine,
       absl::StrFormat(
           R"({"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}})",
           id)},
      "");
  io_.poll();
  EXPECT_THAT(seen_, ElementsAre(HasSubstr(R"("id":1,"result")"),
                                 AllOf(HasSubstr(R"("id":2,"error")"), HasSubstr("read"))));
}

TEST_F(UpstreamTest, ARequestBehindInitializeIsRefusedInItsOwnTime) {
  Ask("initialize", 1);
  Ask("resources/list", 2);
  clock_.Advance(kReadyWait - absl::Milliseconds(1));
  // It looks at its clock anew.
  transport_->listener->OnConnected();
  io_.run_one_for(std::chrono::seconds(5));
  EXPECT_THAT(seen_, IsEmpty());
  clock_.Advance(absl::Milliseconds(2));
  for (int i = 0; i < 10 && seen_.empty(); ++i) io_.run_one_for(std::chrono::seconds(5));
  EXPECT_THAT(seen_,
              ElementsAre(AllOf(HasSubstr(R"("id":2,"error")"), HasSubstr("is still starting"))));
}

}  // namespace
}  // namespace bridgekeeper::bridge
