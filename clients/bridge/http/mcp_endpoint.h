// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// McpEndpoint serves Streamable HTTP: POST, GET and DELETE, and the table of sessions.
// One endpoint has several paths, each with a front of its own.
//
//   202  a notification or an answer was taken in      400  a message or header is wrong
//   404  there is no such session                      405  another method
//   406  the client takes neither JSON nor events      503  too many sessions
//
// Thread safety: used by the thread that runs the io_context.
// Source: MCP 2025-03-26 to 2025-11-25, transports, Streamable HTTP.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_MCP_ENDPOINT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_MCP_ENDPOINT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/time/time.h"
#include "clients/bridge/http/event_store.h"
#include "clients/bridge/http/exchange.h"
#include "clients/bridge/http/session.h"
#include "policy/base/clock.h"
#include "policy/base/strings.h"
#include "runtime/id_source.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// Most sessions; one more is refused with 503.
inline constexpr size_t kMaxSessions = 10'000;
// A session that nobody used for so long, and whose client is not connected, is ended.
inline constexpr absl::Duration kSessionIdleTimeout = absl::Minutes(30);

// Codes of MCP for what is wrong with a request over HTTP. Source: MCP 2026-07-28, basic
// protocol, error codes.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedVersion = -32022;

// An answer with a JSON-RPC error. `id_token` empty: null.
HttpResponse JsonRpcError(int status, std::string_view id_token, int code, std::string_view message,
                          std::string_view data = {});

struct EndpointStats {
  size_t sessions = 0;  // now
  uint64_t sessions_begun = 0;
  uint64_t sessions_expired = 0;
  uint64_t sessions_refused = 0;  // there were too many
  uint64_t messages = 0;          // posted, and read
  uint64_t rejected = 0;          // posted, and not read
};

class McpEndpoint {
 public:
  struct Limits {
    size_t max_sessions = kMaxSessions;
    absl::Duration idle_timeout = kSessionIdleTimeout;
  };

  // What is named must outlive it.
  McpEndpoint(boost::asio::io_context& io, const Clock& clock, IdSource& ids, Logger& log,
              Limits limits);
  ~McpEndpoint();

  // Answers a request to the path `request.path`, whose clients talk to what `make_front`
  // makes.
  void OnRequest(const HttpRequest& request, const Session::MakeFront& make_front,
                 const ExchangePtr& exchange);

  // The policy of some app has changed. Sessions are told a few at a time.
  void OnPolicyChange();

  // Ends every session.
  void EndAll();

  EndpointStats stats() const;

 private:
  void Post(const HttpRequest& request, const Session::MakeFront& make_front,
            const ExchangePtr& exchange);
  void Get(const HttpRequest& request, const ExchangePtr& exchange);
  void Delete(const HttpRequest& request, const ExchangePtr& exchange);
  // The session that a request names; null: it was answered.
  Session* FindSession(const HttpRequest& request, std::string_view id_token,
                       const ExchangePtr& exchange);
  Session* BeginSession(const HttpRequest& request, const Session::MakeFront& make_front,
                        std::string_view id_token, const ExchangePtr& exchange);
  void AwaitAnswer(const Session& session, uint64_t stream);
  void ArmPatience();
  void ArmSweep();
  void Sweep();
  void TellPolicyChange(std::deque<std::string> sessions);

  struct Patience {
    absl::Duration until;
    std::string session;
    uint64_t stream;
  };

  boost::asio::io_context& io_;
  const Clock& clock_;
  IdSource& ids_;
  Logger& log_;
  const Limits limits_;
  EventBudget budget_;
  StringMap<std::unique_ptr<Session>> sessions_;
  EndpointStats stats_;
  std::deque<Patience> patience_;  // the earliest first
  bool patience_is_armed_ = false;
  boost::asio::steady_timer patience_timer_;
  boost::asio::steady_timer sweep_timer_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_MCP_ENDPOINT_H_
