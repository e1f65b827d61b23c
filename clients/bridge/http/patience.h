// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PatienceQueue calls back when the patience with a request is over: every one after
// the same time, so that the first in is the first out.
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_PATIENCE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_PATIENCE_H_

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/time/time.h"
#include "policy/base/clock.h"

namespace bridgekeeper::bridge {

class PatienceQueue {
 public:
  // `clock` must outlive it.
  PatienceQueue(boost::asio::io_context& io, const Clock& clock, absl::Duration patience)
      : clock_(clock), patience_(patience), timer_(io) {}

  // Calls `over` in time, unless this is gone by then.
  void Await(std::function<void()> over) {
    waiting_.emplace_back(clock_.SinceBoot() + patience_, std::move(over));
    Arm();
  }

 private:
  void Arm() {
    if (armed_ || waiting_.empty()) return;
    armed_ = true;
    timer_.expires_after(absl::ToChronoNanoseconds(waiting_.front().first - clock_.SinceBoot()));
    timer_.async_wait(
        [this, alive = std::weak_ptr<const bool>(alive_)](const boost::system::error_code& error) {
          if (error || alive.expired()) return;
          armed_ = false;
          const absl::Duration now = clock_.SinceBoot();
          while (!waiting_.empty() && waiting_.front().first <= now) {
            const std::function<void()> over = std::move(waiting_.front().second);
            waiting_.pop_front();
            over();
          }
          Arm();
        });
  }

  const Clock& clock_;
  const absl::Duration patience_;
  std::deque<std::pair<absl::Duration, std::function<void()>>> waiting_;
  bool armed_ = false;
  boost::asio::steady_timer timer_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_PATIENCE_H_
