// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/judge_desk.h"

#include <utility>

#include <boost/asio/post.hpp>

namespace bridgekeeper::bridge {

JudgeDesk::~JudgeDesk() {
  threads_.stop();  // what waits is not begun
  threads_.join();
}

void JudgeDesk::Judge(const std::string& client, Take take, Done done) {
  Client& known = clients_[client];
  if (known.waiting.empty()) turns_.push_back(client);
  known.waiting.push_back(
      {.take = std::move(take), .done = std::move(done), .latest = clock_.SinceBoot() + kMaxWait});
  BeginLater();
}

void JudgeDesk::BeginLater() {
  boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_)] {
    if (!alive.expired()) Begin();
  });
}

void JudgeDesk::Begin() {
  // Until a whole round of them has begun nothing.
  for (size_t stuck = 0; stuck < turns_.size();) {
    const std::string name = std::move(turns_.front());
    turns_.pop_front();
    Client& client = clients_[name];
    const bool may_begin = client.running < kThreads - running_;
    stuck = may_begin ? 0 : stuck + 1;
    if (may_begin) BeginOf(name, client);
    if (!client.waiting.empty()) {
      turns_.push_back(name);
    } else if (client.running == 0) {
      clients_.erase(name);
    }
  }
}

void JudgeDesk::BeginOf(const std::string& name, Client& client) {
  const Waiting next = std::move(client.waiting.front());
  client.waiting.pop_front();
  std::optional<PayloadToJudge> payload = next.take();
  if (!payload) return;
  if (clock_.SinceBoot() > next.latest) {
    boost::asio::post(io_, [done = next.done] { done(std::nullopt); });
    return;
  }
  ++client.running;
  ++running_;
  boost::asio::post(threads_, [this, alive = std::weak_ptr<const bool>(alive_), name,
                               payload = *std::move(payload), done = next.done] {
    boost::asio::post(
        io_, [this, alive, name, done, judgement = bridge::Judge(judge_, payload)]() mutable {
          // The io_context may go on without this.
          if (alive.expired()) return;
          --running_;
          const auto known = clients_.find(name);
          if (--known->second.running == 0 && known->second.waiting.empty()) clients_.erase(known);
          Begin();
          done(std::move(judgement));
        });
  });
}

}  // namespace bridgekeeper::bridge
