// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The parts of HttpTransport (http_transport.h): one object, whose methods stand in
// http_transport.cc (connections, what the bridge sends), http_calls.cc (a request and
// its answer) and http_listening.cc (what the server says by itself).
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_SESSION_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/status/statusor.h"
#include "clients/bridge/mcp/message.h"
#include "clients/bridge/upstream/eras.h"
#include "clients/bridge/upstream/http_client.h"
#include "clients/bridge/upstream/http_transport.h"
#include "clients/bridge/upstream/secret_mask.h"
#include "clients/bridge/upstream/sse_parser.h"
#include "clients/sdk/backoff.h"
#include "runtime/token_bucket.h"

namespace bridgekeeper::bridge {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Self = std::shared_ptr<HttpSession>;

  HttpSession(boost::asio::io_context& io, HttpTransportOptions options,
              std::shared_ptr<UpstreamHttp> http, const Clock& clock, IdSource& ids, Logger& log);

  void Start(Transport::Listener& listener);
  void Send(std::string_view message);
  size_t queued_bytes() const { return queued_bytes_; }
  void Reconnect();
  void Stop(std::function<void()> done);
  // Nobody listens any more.
  void Abandon();

 private:
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  enum class Era : uint8_t { kUnknown, kSession, kStateless };

  // A request of Upstream's.
  struct Call {
    std::string id_token;
    IdKey id;
    std::string method;
    std::string line;
    std::string session;        // the one that it was sent in
    std::string tools;          // the digest of the tools that it was decided about
    bool of_stateless = false;  // of a client of that era
    bool was_repeated = false;  // sent again, for whatever reason
    bool was_answered = false;
    bool is_gone = false;  // cancelled, or the connection has ended: nobody waits
    std::string refusal;   // why an answer of the server was not taken
    std::shared_ptr<UpstreamHttp::Cancel> cancel;
  };
  using CallPtr = std::shared_ptr<Call>;
  using ExchangePtr = std::shared_ptr<HttpExchange>;
  using OnData = std::function<void(std::string_view)>;

  // http_transport.cc: connections
  static Awaitable<void> Connect(Self self, uint64_t run);
  static Awaitable<void> Initialize(Self self, uint64_t run, std::string line);
  static Awaitable<void> Discover(Self self, uint64_t run, std::string id_token, std::string why);
  static Awaitable<void> Initialized(Self self, uint64_t run, std::string line);
  static Awaitable<void> BeginAgain(Self self, uint64_t run);
  static Awaitable<void> EndSession(Self self, std::string target, HttpFieldList fields,
                                    std::function<void()> done);
  void TakeSession(const HttpAnswerHead& head, const Message& answer);
  void LoseSession();
  void Disconnect(std::string how);
  void EndRun();
  bool IsOver(uint64_t run) const { return run != run_; }
  absl::Status ReadFields();

  // http_transport.cc: sending
  void SendRequest(const Message& message, std::string_view line);
  void SendNotification(const Message& message, std::string_view line);
  void CancelCall(const Message& message, std::string_view line);
  // Sends what has no answer; false: too much of that is on its way. `cancelled`: the call
  // whose stream ends with it.
  bool Notify(std::string_view line, const CallPtr& cancelled);
  static Awaitable<void> SendNotice(Self self, uint64_t run, std::string line, CallPtr cancelled);
  void Remember(const Message& request, std::string_view line);

  // http_calls.cc
  void Pump();
  static Awaitable<void> RunCall(Self self, uint64_t run, CallPtr call);
  static Awaitable<bool> TryCall(Self self, uint64_t run, CallPtr call);
  static Awaitable<bool> TakeRefusal(Self self, uint64_t run, CallPtr call, ExchangePtr exchange);
  static Awaitable<void> FollowStream(Self self, uint64_t run, CallPtr call, ExchangePtr exchange);
  void TakeMessage(const CallPtr& call, std::string_view text);
  void TakeAnswer(const CallPtr& call, const Message& answer, std::string_view line);
  void FailCall(const CallPtr& call, std::string_view why);
  // Those tool calls that were not sent and were decided about other tools than `digest`.
  void FailWaitingCalls(std::string_view digest);
  void EndCall(const CallPtr& call);
  // A request of our own: the message that answers it, within HttpTransportOptions::
  // answer_timeout.
  static Awaitable<absl::StatusOr<std::string>> Ask(Self self, std::string line,
                                                    HttpFieldList fields, HttpAnswerHead* head);
  static Awaitable<absl::StatusOr<std::string>> AskUntilCancelled(
      Self self, std::string line, HttpFieldList fields, HttpAnswerHead* head,
      std::shared_ptr<UpstreamHttp::Cancel> cancel);
  // Sends by POST; follows redirects. `repeatable`: once more where it may have been read.
  static Awaitable<absl::StatusOr<ExchangePtr>> Post(Self self, std::string line,
                                                     HttpFieldList fields,
                                                     std::shared_ptr<UpstreamHttp::Cancel> cancel,
                                                     bool repeatable, absl::Duration head_timeout);
  static Awaitable<absl::StatusOr<std::string>> ReadBody(ExchangePtr exchange, size_t max_bytes);
  // What an error says; empty: nothing in JSON. Closes the exchange.
  static Awaitable<std::string> ReadErrorBody(ExchangePtr exchange);
  // Reads events until the stream ends, or `is_enough`.
  static Awaitable<absl::Status> ReadEvents(ExchangePtr exchange, SseParser& parser, OnData on_data,
                                            std::function<bool()> is_enough);
  // Reads what is left behind an answer, so that the connection can be used again.
  static Awaitable<void> ReadToItsEnd(Self self, ExchangePtr exchange);
  absl::StatusOr<std::string> RedirectTarget(const HttpAnswerHead& head) const;
  HttpFieldList SessionFields() const;
  std::shared_ptr<UpstreamHttp::Cancel> NewCancel();

  // http_listening.cc
  static Awaitable<void> Listen(Self self, uint64_t run);
  static Awaitable<absl::StatusOr<ExchangePtr>> BeginListening(
      Self self, std::string last_event_id, std::shared_ptr<UpstreamHttp::Cancel> cancel);
  void TakeEvent(std::string_view data);
  static Awaitable<void> WatchTools(Self self, uint64_t run);
  // Reads the list of tools and remembers what it is; false: it cannot be read.
  static Awaitable<bool> ReadTools(Self self, uint64_t run);
  HeaderTools::OnDropped LogDropped();
  void LookAtTools();
  void NoteNotification(std::string_view method);

  static Awaitable<void> Sleep(absl::Duration time, boost::asio::steady_timer& timer);
  void Spawn(Awaitable<void> work);
  void Say(std::string_view line, std::string_view cause);
  // What an error of the server says, for people.
  std::string TextOfError(const Message& answer) const;
  bool TakeLogToken() { return log_budget_.Take(clock_.SinceBoot()); }

  boost::asio::io_context& io_;
  const HttpTransportOptions options_;
  const std::shared_ptr<UpstreamHttp> http_;
  const Clock& clock_;
  IdSource& ids_;
  Logger& log_;
  TokenBucket log_budget_;
  Transport::Listener* listener_ = nullptr;
  clients::Backoff backoff_;
  boost::asio::steady_timer connect_timer_;

  // What changes with each connection; `run_` numbers them, and what a former one left
  // behind ends when it sees another number.
  uint64_t run_ = 0;
  bool has_begun_ = false;  // the listener knows of it
  absl::Duration begun_at_ = absl::ZeroDuration();
  Era era_ = Era::kUnknown;  // outlives connections: a property of the server
  std::string target_;
  HttpFieldList fields_;  // of the configuration
  SecretMask mask_;       // of their values
  std::string session_;   // empty: the server has given none
  std::string protocol_;  // what `initialize` agreed on
  bool has_tools_ = false;
  std::string initialize_line_;
  std::string initialized_line_;
  // What a new session is told, by what it is about: subscriptions, the level of messages.
  std::map<std::string, std::string> session_state_;

  std::map<std::string, CallPtr> calls_;  // by the token of their id
  std::deque<CallPtr> queue_;             // that have yet to be sent
  size_t queued_bytes_ = 0;               // of calls_
  size_t running_ = 0;
  size_t notices_ = 0;   // on their way
  bool is_held_ = true;  // nothing is sent: the session is being begun
  bool begins_again_ = false;
  std::vector<std::weak_ptr<UpstreamHttp::Cancel>> cancels_;

  HeaderTools header_tools_;
  bool is_listening_ = false;
  boost::asio::steady_timer listen_timer_;
  boost::asio::steady_timer tools_timer_;
  bool look_at_tools_ = false;
  absl::Duration looked_at_ = -absl::InfiniteDuration();  // when its tools were read last
  int unkept_sessions_ = 0;
  int errors_with_404_ = 0;  // in a row
  std::string tools_digest_;
  uint64_t own_requests_ = 0;
};

inline constexpr std::string_view kToolsChanged = "notifications/tools/list_changed";

// Whether a request may be sent twice without harm.
bool OnlyReads(std::string_view method);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_SESSION_H_
