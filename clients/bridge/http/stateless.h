// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Stateless serves the clients of one path that carry all they need in each request
// (2026-07-28). They share one front: each request goes out with an id of ours, and
// nothing of one is remembered for the next.
//
//   server/discover        answered here
//   subscriptions/listen   answered here: a stream of changes of lists
//   tools, prompts, resources, completion   as the front has them
//   everything else        -32601 with 404
//
// The headers that repeat what a body says must agree with it (-32020). A client that
// leaves before its answer has cancelled its request. The servers behind are of the era
// before: what they ask of a client in the middle of a call is refused, since this era
// has no way to pass it on.
//
// Thread safety: used by the thread that runs the io_context.
// Source: MCP 2026-07-28: basic protocol, versioning, Streamable HTTP, subscriptions.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_STATELESS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_STATELESS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "absl/time/time.h"
#include "clients/bridge/http/exchange.h"
#include "clients/bridge/http/front.h"
#include "clients/bridge/http/patience.h"
#include "clients/bridge/http/session.h"
#include "policy/base/clock.h"

namespace bridgekeeper::bridge {

inline constexpr std::string_view kStatelessVersion = "2026-07-28";
// How long a client may keep a list. Calls are decided whatever it keeps.
inline constexpr absl::Duration kListTtl = absl::Seconds(10);

// Codes of MCP for what is wrong with a request over HTTP. Source: MCP 2026-07-28, basic
// protocol, error codes.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedVersion = -32022;

// An answer with a JSON-RPC error. `id_token` empty: null.
HttpResponse JsonRpcError(int status, std::string_view id_token, int code, std::string_view message,
                          std::string_view data = {});

// The data of kUnsupportedVersion: what is supported, and what was asked for.
std::string SupportedVersions(std::string_view requested);

// True where a request is one of this era.
bool IsStateless(const HttpRequest& request, const Message& message);

// The value of a header that may be written as =?base64?...?=; nullopt: it is ill-formed.
std::optional<std::string> DecodeHeaderValue(std::string_view value);

class Stateless : private Front::Listener {
 public:
  // `clock` must outlive it.
  Stateless(boost::asio::io_context& io, const Clock& clock, std::string version,
            const Session::MakeFront& make_front);
  ~Stateless() override;

  // A message that was posted.
  void Post(const HttpRequest& request, const Message& message, const Accepts& accepts,
            const ExchangePtr& exchange);
  void OnPolicyChange() { front_->OnPolicyChange(); }
  void OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) {
    front_->OnServersChange(servers);
  }
  // Requests that are not answered yet; a stream of changes is none.
  bool has_requests() const { return !asked_.empty(); }

 private:
  struct Asked {
    std::string id_token;  // the client's
    ExchangePtr exchange;
    bool accepts_events = true;
    bool is_cacheable = false;
  };
  struct Listening {
    std::string id_token;
    ExchangePtr exchange;
    bool tools = false;
    bool prompts = false;
    bool resources = false;
  };

  // Front::Listener
  void ToClient(std::string_view line, const IdKey& related) override;

  void Discover(const Message& message, const ExchangePtr& exchange) const;
  void Listen(const Message& message, const ExchangePtr& exchange);
  void Forward(const Message& message, const Accepts& accepts, const ExchangePtr& exchange);
  void Answer(const IdKey& id, std::string_view line);
  void TellListeners(const Message& message);
  void Say(std::string_view line);

  const std::string version_;
  std::map<IdKey, Asked> asked_;
  std::map<uint64_t, Listening> listening_;
  uint64_t last_id_ = 0;
  PatienceQueue patience_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::unique_ptr<Front> front_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_STATELESS_H_
