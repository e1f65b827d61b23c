// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Upstream is one MCP server with many clients: the bridge's sessions share the one
// connection that a Transport makes. Each client sees a server of its own:
//
//   ids          a request goes out with an id of ours, its answer comes back with the
//                client's own; the same for progress tokens. Every other byte stays.
//   initialize   is said once to the server and answered from what it said then
//   tools/list   is answered from memory while the server says nothing of a change
//   cancelled    reaches the client's own request only
//   the server's requests and messages go to the client whose request caused them.
//                Where the transport cannot tell (stdio), that is the one client with
//                requests in flight; with several, a request is refused: what is asked of
//                one user must not reach another one.
//   changes of lists go to all, updates of a resource to those who subscribed to it
//
// A server that ends answers what is in flight with errors; while it is away requests
// are refused at once, while it starts they wait for at most kReadyWait, and
// `initialize` for as long as the server itself may take.
//
// Thread safety: used by the thread that runs the io_context.
// Source: MCP 2025-06-18 and 2025-11-25: lifecycle, cancellation, progress, tools.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_UPSTREAM_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_UPSTREAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "clients/bridge/mcp/message.h"
#include "clients/bridge/upstream/transport.h"
#include "policy/base/clock.h"
#include "policy/base/strings.h"
#include "runtime/log.h"
#include "runtime/token_bucket.h"

namespace bridgekeeper::bridge {

// How long a server may take to answer `initialize`.
inline constexpr absl::Duration kInitializeTimeout = absl::Seconds(30);
// How long a request waits for a server that is starting.
inline constexpr absl::Duration kReadyWait = absl::Seconds(10);
// Bytes of requests that wait for it.
inline constexpr size_t kMaxWaitingBytes = 8 << 20;
// Bytes that may wait to be sent to a server; with more, requests are refused.
inline constexpr size_t kMaxUpstreamQueue = 32 << 20;
// Bytes of its list of tools that are kept, and for how long: a server may change its tools
// and not say so.
inline constexpr size_t kMaxKeptListBytes = 16 << 20;
inline constexpr absl::Duration kMaxListAge = absl::Seconds(30);
// Resources that one client is subscribed to, and the longest URI of one.
inline constexpr size_t kMaxSubscriptions = 1'000;
inline constexpr size_t kMaxUriBytes = 8 << 10;
// How long a server may go on with what was cancelled, until what it says of no request may
// be about another one again.
inline constexpr absl::Duration kCancelGrace = absl::Seconds(30);

// Revisions of MCP that begin with `initialize`, the newest first.
inline constexpr std::string_view kSessionVersions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};

class Upstream : private Transport::Listener {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    // The server says something to this client. `related`: the client's request that it
    // is about, as IdKey; empty: none, or not known. Never called from within Send().
    virtual void OnServerFrame(const Frame& frame, const IdKey& related) = 0;
  };
  using ClientId = uint64_t;

  struct Status {
    bool ready = false;
    uint64_t starts = 0;   // connections that stood
    uint64_t ends = 0;     // of these, ended; and attempts that failed
    std::string last_end;  // how the last of them ended
  };

  // `name` names the server in the log and in errors. What is named must outlive it.
  Upstream(boost::asio::io_context& io, std::string name, std::string version,
           std::unique_ptr<Transport> transport, const Clock& clock, Logger& log);
  ~Upstream() override;

  void Start() { transport_->Start(*this); }

  // `client` must outlive its attachment. `is_shared`: it stands for several that know
  // nothing of each other; what is about one request of theirs is told of that one alone.
  ClientId Attach(Client& client, bool is_shared = false);
  // What the client has in flight is cancelled.
  void Detach(ClientId id);

  // A message of a client: one that ReadMessage() reads, without an end of line.
  void Send(ClientId client, std::string_view line);

  // Ends the server; `done` is called once nothing of it is left.
  void Stop(std::function<void()> done);

  const std::string& name() const { return name_; }
  Status status() const;
  // What the server's `initialize` answered; empty: it has not yet.
  const std::string& initialize_result() const { return initialize_result_; }

 private:
  enum class State : uint8_t { kConnecting, kInitializing, kReady, kAway };

  struct Attached {
    Client* client;
    bool is_shared = false;
    std::set<uint64_t> in_flight;  // keys of requests_, the latest last
    size_t subscriptions = 0;
  };

  // A request of a client that the server has not answered yet.
  struct Request {
    ClientId client;
    std::string id_token;  // the client's
    IdKey id;
    std::string progress_token;              // the client's, as it was written; empty: none
    std::optional<std::string> list_cursor;  // of tools/list
    std::optional<std::string> subscribed;   // the URI of resources/subscribe
    uint64_t list_generation = 0;
  };

  struct Waiting {
    ClientId client;
    std::string line;
    bool is_initialize;
    absl::Duration deadline;
  };

  // Transport::Listener
  void OnConnected() override;
  void OnFrame(const Frame& frame, std::string_view cause) override;
  void OnDisconnected(std::string_view how) override;

  // Messages of clients.
  void SendRequest(ClientId client, const Message& message, std::string_view line);
  void SendNotification(ClientId client, const Message& message, std::string_view line);
  void AnswerInitialize(ClientId client, const Message& message);
  bool AnswerUnsubscribe(ClientId client, const Message& message);
  void Wait(ClientId client, const Message& message, std::string_view line);
  void ResumeWaiting();
  void RefuseWaiting(absl::Duration up_to, std::string_view why);
  void ArmTimer();
  void OnTimer();

  // Messages of the server.
  void OnMessage(const Message& message, std::string_view line, std::string_view cause);
  void OnAnswer(const Message& message);
  void OnInitialized(const Message& message);
  void OnRequest(const Message& message, std::string_view line, std::string_view cause);
  void OnNotification(const Message& message, std::string_view line, std::string_view cause);
  void OnProgress(const Message& message);
  // Returns whether the frame says what it is: a request, or an answer with its id.
  bool RefuseFrame(const Frame& frame, std::string_view why);
  void RefuseAnswer(std::string_view id_token, std::string_view why);

  // The client that something without a cause is about, and its latest request.
  struct Cause {
    ClientId client = 0;  // 0: none, or more than one
    IdKey related;
  };
  Cause CauseOf(std::string_view cause_token) const;

  // Says something to a client, once we are back in the event loop.
  void Tell(ClientId client, std::string line, IdKey related = {});
  void TellNow(ClientId client, std::string_view line, const IdKey& related);
  void TellAll(std::string_view line, const std::set<ClientId>& except = {});
  void Fail(const Request& request, std::string_view why);
  void EndRequest(uint64_t key);
  void ForgetList();
  void NoteCancelled(ClientId client);
  bool Subscribe(ClientId client, const std::string& uri);
  void Unsubscribe(ClientId client, std::string_view uri);
  // Whether a message without an answer may be sent, or is dropped.
  bool HasRoom();
  bool TakeLogToken() { return log_budget_.Take(clock_.SinceBoot()); }

  boost::asio::io_context& io_;
  const std::string name_;
  const std::string version_;
  const std::unique_ptr<Transport> transport_;
  const Clock& clock_;
  Logger& log_;
  TokenBucket log_budget_;

  State state_ = State::kConnecting;
  bool stopping_ = false;
  Status status_;
  std::string initialize_result_;

  std::map<ClientId, Attached> clients_;
  ClientId last_client_ = 0;
  std::map<uint64_t, Request> requests_;
  uint64_t last_request_ = 0;
  absl::flat_hash_map<IdKey, ClientId> server_requests_;  // that a client has to answer
  // Until when the server may still speak of what a client has cancelled.
  std::map<ClientId, absl::Duration> cancelled_until_;
  StringMap<std::set<ClientId>> subscribers_;  // by the resource's URI

  std::vector<Waiting> waiting_;  // in the order in which they came
  size_t waiting_bytes_ = 0;
  absl::Duration initialize_deadline_ = absl::InfiniteDuration();
  boost::asio::steady_timer timer_;
  absl::Duration armed_ = absl::InfiniteDuration();  // when it fires at the latest

  bool long_line_was_answered_ = false;

  StringMap<std::string> list_pages_;  // results of tools/list by cursor
  size_t list_bytes_ = 0;
  absl::Duration list_read_at_ = absl::ZeroDuration();  // when its first page was kept
  uint64_t list_generation_ = 0;

  // Ends what was posted once this is gone.
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_UPSTREAM_H_
