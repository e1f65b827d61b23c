// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Session is one client of the era that begins with `initialize` (2025-03-26 to
// 2025-11-25): its streams, what may be sent again, and the front that it talks to.
//
// Each request has a stream of its own: the answer to its POST. It is answered as one
// JSON object where the answer is the first thing to say and comes within kJsonPatience;
// else as a stream of events. What is about no request goes to the stream that the
// client opened with GET, or waits for it. A client that loses a stream comes back with
// Last-Event-ID; a POST that is cut off goes on running.
//
// Thread safety: used by the thread that runs the io_context.
// Source: MCP 2025-03-26, 2025-06-18, 2025-11-25, transports, Streamable HTTP.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_SESSION_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_SESSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "clients/bridge/http/event_store.h"
#include "clients/bridge/http/exchange.h"
#include "clients/bridge/http/front.h"

namespace bridgekeeper::bridge {

// How long a request may take and still be answered as one JSON object.
inline constexpr absl::Duration kJsonPatience = absl::Seconds(2);
// How soon a client that lost a stream should come back.
inline constexpr absl::Duration kReconnectAfter = absl::Seconds(1);

// What a client takes, by its Accept.
struct Accepts {
  bool json = true;
  bool events = true;
};
Accepts AcceptsOf(const HttpRequest& request);

class Session : private Front::Listener {
 public:
  // `session` names the client in reports; empty: it has no session.
  using MakeFront =
      std::function<std::unique_ptr<Front>(Front::Listener& listener, std::string session)>;

  // `budget` must outlive it.
  Session(std::string id, std::string path, EventBudget& budget, const MakeFront& make_front);
  ~Session() override;

  const std::string& id() const { return id_; }
  // The endpoint that it was begun at.
  const std::string& path() const { return path_; }
  // What `initialize` agreed on; empty: it has not been answered.
  const std::string& version() const { return version_; }
  // `initialize` was answered with an error: the session is of no use.
  bool has_failed() const { return has_failed_; }
  // True where the client is connected, or waits for an answer.
  bool is_in_use() const;
  size_t streams() const { return streams_.size(); }

  // Requests of the client that are not answered yet.
  bool has_requests() const { return !by_request_.empty(); }

  // What it talks to is no longer served: it begins nothing more.
  bool is_retired = false;
  // When it was last used, for its owner.
  absl::Duration last_used = absl::ZeroDuration();

  // A message that was posted. A request is answered on `exchange`, anything else with
  // 202 before this returns. Returns the stream of a request, else 0.
  uint64_t Post(const Message& message, std::string_view line, const Accepts& accepts,
                ExchangePtr exchange);
  // The patience with the request of `stream` is over.
  void BeginEvents(uint64_t stream);
  // The client opens the stream of the session, or comes back to one.
  void Get(std::optional<std::string_view> last_event_id, ExchangePtr exchange);
  void OnPolicyChange() { front_->OnPolicyChange(); }
  void OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) {
    front_->OnServersChange(servers);
  }

 private:
  struct Stream {
    IdKey request;         // empty: the one opened with GET
    ExchangePtr exchange;  // null: the client is not there
    bool accepts_json = true;
    bool accepts_events = true;
    bool is_initialize = false;
    bool has_events = false;  // an event of it was given an id
  };

  // Front::Listener
  void ToClient(std::string_view line, const IdKey& related) override;

  void Answer(uint64_t number, std::string_view line);
  // There is no answer to a request that its client has cancelled.
  // Source: MCP 2025-11-25, cancellation.
  void EndCancelled(const Message& message);
  void OnInitialized(std::string_view line);
  // Sends an event on a stream that has begun, or keeps it.
  void SendEvent(uint64_t number, std::string_view line);
  void Begin(uint64_t number);
  void Attach(uint64_t number, ExchangePtr exchange);
  HttpFields Fields() const;

  const std::string id_;
  const std::string path_;
  std::string version_;
  bool has_failed_ = false;
  EventStore events_;
  // 0 is the stream opened with GET.
  std::map<uint64_t, Stream> streams_;
  absl::flat_hash_map<IdKey, uint64_t> by_request_;
  uint64_t last_stream_ = 0;
  uint64_t told_on_get_ = 0;  // the last event that was sent on a GET stream
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::unique_ptr<Front> front_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_SESSION_H_
