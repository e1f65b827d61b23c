// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeDesk judges payloads on threads of its own, so that the thread that serves all
// clients never waits for a judge. Clients take turns, and one begins a judgement only
// while fewer of its own run than threads are free: the first one gets half of them, the
// next half of the rest, so that a newcomer finds one that is free.
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_JUDGE_DESK_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_JUDGE_DESK_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "absl/time/time.h"
#include "clients/bridge/mcp/judging.h"
#include "policy/base/clock.h"
#include "policy/guard/judge.h"

namespace bridgekeeper::bridge {

class JudgeDesk {
 public:
  // Judgements at one time; a judge that hangs keeps its thread until its own deadline.
  // Eight are enough for three clients with payloads that take long and one more, and
  // what the judge behind them has of threads and processes is made for as many
  // (serving_judge.h).
  static constexpr size_t kThreads = 8;
  // How long a payload waits for a thread. With the judge's own deadline it is over before
  // a client gives up: the SDKs of MCP do after 60 s.
  static constexpr absl::Duration kMaxWait = absl::Seconds(30);

  // All must outlive it.
  JudgeDesk(boost::asio::io_context& io, const PayloadJudge& judge, const Clock& clock)
      : io_(io), judge_(judge), clock_(clock), threads_(kThreads) {}
  // Waits for the judgements that run; nobody hears of them.
  ~JudgeDesk();
  JudgeDesk(const JudgeDesk&) = delete;
  JudgeDesk& operator=(const JudgeDesk&) = delete;

  // The payload, asked for when its turn comes; nullopt: nobody wants to know any more.
  using Take = std::function<std::optional<PayloadToJudge>()>;
  // nullopt: there was no thread in time.
  using Done = std::function<void(std::optional<Judgement>)>;
  // Calls `take` and, where it gave a payload, `done` from the io_context, never from
  // within. `client` names who shares what one client may have of the threads.
  void Judge(const std::string& client, Take take, Done done);

 private:
  struct Waiting {
    Take take;
    Done done;
    absl::Duration latest;  // when it may begin
  };
  // One that has something waiting or running.
  struct Client {
    std::deque<Waiting> waiting;
    size_t running = 0;
  };

  // Begins what may begin, from the io_context.
  void BeginLater();
  void Begin();
  // Begins what waits longest, unless nobody wants it.
  void BeginOf(const std::string& name, Client& client);

  boost::asio::io_context& io_;
  const PayloadJudge& judge_;
  const Clock& clock_;
  std::map<std::string, Client> clients_;
  std::deque<std::string> turns_;  // of those with something waiting, the next first
  size_t running_ = 0;
  boost::asio::thread_pool threads_;
  // Ends what was posted once this is gone.
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_JUDGE_DESK_H_
