// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// McpEndpoint serves Streamable HTTP: POST, GET and DELETE, and the table of sessions.
// One endpoint has several paths, each with a front of its own, and serves both eras on
// each.
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
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/time/time.h"
#include "clients/bridge/http/event_store.h"
#include "clients/bridge/http/exchange.h"
#include "clients/bridge/http/patience.h"
#include "clients/bridge/http/session.h"
#include "clients/bridge/http/stateless.h"
#include "policy/base/clock.h"
#include "policy/base/strings.h"
#include "runtime/id_source.h"

namespace bridgekeeper::bridge {

// Most sessions; one more is refused with 503.
inline constexpr size_t kMaxSessions = 10'000;
// A session that nobody used for so long, and whose client is not connected, is ended.
inline constexpr absl::Duration kSessionIdleTimeout = absl::Minutes(30);

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
    // After this long without use a session may have to make room for a new one.
    absl::Duration spare_after = absl::Seconds(30);
    absl::Duration json_patience = kJsonPatience;
  };

  // What is named must outlive it.
  McpEndpoint(boost::asio::io_context& io, const Clock& clock, IdSource& ids, std::string version,
              Limits limits);
  ~McpEndpoint();

  // Serves `path`, whose clients talk to what `make_front` makes.
  void AddPath(std::string path, Session::MakeFront make_front);
  // Serves it no more: its sessions are gone for new requests (404) and end once those in
  // flight have ended; see EndRetired().
  void RemovePath(std::string_view path);
  // Ends what was retired and has no requests in flight; with `all`, the rest too.
  // Returns how many are left.
  size_t EndRetired(bool all);
  // Tells every client of `path` which servers there are.
  void OnServersChange(std::string_view path, const std::vector<std::shared_ptr<Server>>& servers);
  bool Serves(std::string_view path) const { return paths_.contains(path); }

  // Answers a request. REQUIRES: Serves(request.path)
  void OnRequest(const HttpRequest& request, const ExchangePtr& exchange);

  // The policy of some app has changed. Sessions are told a few at a time.
  void OnPolicyChange();

  // Ends every session.
  void EndAll();

  EndpointStats stats() const;

 private:
  struct Path {
    Session::MakeFront make_front;
    std::unique_ptr<Stateless> stateless;  // null: no client of that era has come yet
  };

  void Post(const HttpRequest& request, Path& path, const ExchangePtr& exchange);
  void Get(const HttpRequest& request, const ExchangePtr& exchange);
  void Delete(const HttpRequest& request, const ExchangePtr& exchange);
  // The session that a request names; null: it was answered. One that is retired is found
  // only where `begins_nothing`.
  Session* FindSession(const HttpRequest& request, std::string_view id_token, bool begins_nothing,
                       const ExchangePtr& exchange);
  Session* BeginSession(const HttpRequest& request, const Session::MakeFront& make_front,
                        std::string_view id_token, const ExchangePtr& exchange);
  // Ends the session that was not used for longest, where one may have to make room.
  void MakeRoom();
  void ArmSweep();
  void Sweep();
  void TellPolicyChange(std::deque<std::string> sessions);

  boost::asio::io_context& io_;
  const Clock& clock_;
  IdSource& ids_;
  const std::string version_;
  const Limits limits_;
  EventBudget budget_;
  StringMap<Path> paths_;
  std::vector<std::unique_ptr<Stateless>> retired_;
  StringMap<std::unique_ptr<Session>> sessions_;
  EndpointStats stats_;
  PatienceQueue patience_;
  boost::asio::steady_timer sweep_timer_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_MCP_ENDPOINT_H_
