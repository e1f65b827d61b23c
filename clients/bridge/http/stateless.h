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
// The headers that repeat what a body says must agree with it (-32020); which arguments
// of a tool they repeat, its schema says. A client that
// leaves before its answer has cancelled its request. The servers behind are of the era
// before: what they ask of a client in the middle of a call is refused, since this era
// has no way to pass it on.
//
// Thread safety: used by the thread that runs the io_context.
// Source: MCP 2026-07-28: basic protocol, versioning, Streamable HTTP, subscriptions.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_STATELESS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_STATELESS_H_

#include <cstdint>
#include <functional>
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
#include "clients/bridge/upstream/eras.h"
#include "policy/base/clock.h"

namespace bridgekeeper::bridge {

// How long a client may keep a list. Calls are decided whatever it keeps.
inline constexpr absl::Duration kListTtl = absl::Seconds(10);
// Pages of a list that are read to know the tools.
inline constexpr size_t kMaxToolPages = 1000;
// How often they are read again because they changed meanwhile, before the calls that wait
// go by what was read last: a server that says so after each page does not keep them.
inline constexpr int kMaxRereadings = 3;

// An answer with a JSON-RPC error. `id_token` empty: null.
HttpResponse JsonRpcError(int status, std::string_view id_token, int code, std::string_view message,
                          std::string_view data = {});

// The data of kUnsupportedVersion: what is supported, and what was asked for.
std::string SupportedVersions(std::string_view requested);

// True where a request is one of this era.
bool IsStateless(const HttpRequest& request, const Message& message);

class Stateless : private Front::Listener {
 public:
  // `clock` must outlive it.
  Stateless(boost::asio::io_context& io, const Clock& clock, std::string version,
            absl::Duration json_patience, const Session::MakeFront& make_front);
  ~Stateless() override;

  // A message that was posted.
  void Post(const HttpRequest& request, const Message& message, const Accepts& accepts,
            const ExchangePtr& exchange);
  void OnPolicyChange() {
    ForgetTools();
    front_->OnPolicyChange();
  }
  void OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) {
    ForgetTools();
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

  // A call that came before the tools were known.
  struct HeldCall {
    HttpFields params;
    std::string line;
    Accepts accepts;
    ExchangePtr exchange;
  };

  // The arguments of one server's tools that headers repeat.
  struct Tools {
    HeaderTools marked;
    bool is_known = false;
    uint64_t reading = 0;  // names the request for a page that is under way; 0: none is
    size_t pages = 0;      // asked for in this reading
    // What is being read may be from before a change; how often it was read again.
    bool changed_meanwhile = false;
    int rereadings = 0;
    std::vector<HeldCall> held;
  };

  // Front::Listener
  void ToClient(std::string_view line, const IdKey& related) override;

  void Discover(const Message& message, const ExchangePtr& exchange) const;
  void Listen(const Message& message, const ExchangePtr& exchange);
  // `params`: the headers Mcp-Param-*, names in lower case.
  void CallTool(HttpFields params, const Message& message, const Accepts& accepts,
                const ExchangePtr& exchange);
  // Forgets the calls that wait for this server's list and whose client is gone.
  void DropGone(const std::string& prefix);
  // A call of a server with these tools.
  void CheckCall(const Tools& tools, const HttpFields& params, const Message& message,
                 const Accepts& accepts, const ExchangePtr& exchange);
  void BeginReading(const std::string& prefix, Tools& tools);
  void ReadPage(const std::string& prefix, Tools& tools, std::string_view cursor);
  // `id`: of the request that is answered, less kToolsIdPrefix.
  void TakePage(std::string_view id, std::string_view line);
  void FinishReading(Tools& tools, bool is_known);
  // A list that was read is not the list of now.
  void ForgetTools();
  void Forward(const Message& message, const Accepts& accepts, const ExchangePtr& exchange);
  void Answer(const IdKey& id, std::string_view line);
  void TellListeners(const Message& message);
  void Say(std::string_view line);

  const std::string version_;
  std::map<IdKey, Asked> asked_;
  std::map<uint64_t, Listening> listening_;
  uint64_t last_id_ = 0;
  // By the prefix of the server's names: a call waits for its own server alone.
  std::map<std::string, Tools, std::less<>> tools_;
  size_t held_bytes_ = 0;  // of all that wait, at most kMaxHeldBytes
  PatienceQueue patience_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::unique_ptr<Front> front_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_STATELESS_H_
