// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/upstream.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

constexpr double kLogBurst = 20;
constexpr double kLogLinesPerSecond = 2;

// Our own request; every other id that we give is a number.
constexpr std::string_view kInitializeId = "bridgekeeper/initialize";

std::string InitializeRequest(std::string_view version) {
  std::string client;
  JsonObject info(client);
  info.String("name", "bridgekeeper").String("version", version);
  info.Close();
  // What a client of ours cannot do it refuses itself, when it is asked.
  std::string params;
  JsonObject object(params);
  object.String("protocolVersion", kSessionVersions[0]).Key("capabilities");
  JsonObject capabilities(params);
  capabilities.Key("roots");
  JsonObject roots(params);
  roots.Bool("listChanged", true);
  roots.Close();
  capabilities.Key("sampling");
  JsonObject(params).Close();
  capabilities.Key("elicitation");
  JsonObject(params).Close();
  capabilities.Close();
  object.Raw("clientInfo", client);
  object.Close();
  return RequestLine(kInitializeId, "initialize", params);
}

}  // namespace

Upstream::Upstream(boost::asio::io_context& io, std::string name, std::string version,
                   std::unique_ptr<Transport> transport, const Clock& clock, Logger& log)
    : io_(io),
      name_(std::move(name)),
      version_(std::move(version)),
      transport_(std::move(transport)),
      clock_(clock),
      log_(log),
      log_budget_(kLogBurst, kLogLinesPerSecond),
      timer_(io) {}

Upstream::~Upstream() = default;

Upstream::ClientId Upstream::Attach(Client& client, bool is_shared) {
  clients_[++last_client_] = {.client = &client, .is_shared = is_shared, .in_flight = {}};
  return last_client_;
}

void Upstream::Detach(ClientId id) {
  const auto found = clients_.find(id);
  BK_CHECK(found != clients_.end());
  if (!found->second.in_flight.empty()) NoteCancelled(id);
  for (const uint64_t key : std::set<uint64_t>(found->second.in_flight)) {
    std::string params;
    JsonObject object(params);
    object.Integer("requestId", static_cast<int64_t>(key)).String("reason", "the client is gone");
    object.Close();
    if (state_ == State::kReady) {
      transport_->Send(NotificationLine("notifications/cancelled", params));
    }
    EndRequest(key);
  }
  for (auto it = server_requests_.begin(); it != server_requests_.end();) {
    const auto request = it++;
    if (request->second != id) continue;
    server_requests_.erase(request);
  }
  for (auto it = subscribers_.begin(); it != subscribers_.end();) {
    const auto uri = it++;
    if (uri->second.erase(id) > 0 && uri->second.empty()) subscribers_.erase(uri);
  }
  clients_.erase(found);
}

void Upstream::Stop(std::function<void()> done) {
  stopping_ = true;
  timer_.cancel();
  OnDisconnected("the bridge ends it");
  transport_->Stop(std::move(done));
}

Upstream::Status Upstream::status() const {
  Status status = status_;
  status.ready = state_ == State::kReady;
  return status;
}

// ---- the connection ----------------------------------------------------------------

void Upstream::OnConnected() {
  if (stopping_) return;
  ++status_.starts;
  state_ = State::kInitializing;
  initialize_deadline_ = clock_.SinceBoot() + kInitializeTimeout;
  ArmTimer();
  transport_->Send(InitializeRequest(version_));
}

void Upstream::OnDisconnected(std::string_view how) {
  ++status_.ends;
  status_.last_end = std::string(how);
  state_ = State::kAway;
  initialize_deadline_ = absl::InfiniteDuration();
  const std::string why =
      absl::StrFormat("the MCP server `%s` behind the bridge has ended: %s", name_, how);
  RefuseWaiting(absl::InfiniteDuration(), why);
  for (const auto& [key, request] : std::exchange(requests_, {})) Fail(request, why);
  for (auto& [id, attached] : clients_) {
    attached.in_flight.clear();
    attached.subscriptions = 0;
  }
  server_requests_.clear();
  cancelled_until_.clear();
  subscribers_.clear();
  ForgetList();
}

void Upstream::ForgetList() {
  list_pages_.clear();
  list_bytes_ = 0;
  ++list_generation_;
}

void Upstream::OnInitialized(const Message& message) {
  if (state_ != State::kInitializing) return;
  initialize_deadline_ = absl::InfiniteDuration();
  const bool is_result = message.kind == Message::Kind::kResult && message.body->is_object();
  const std::string_view version =
      is_result ? TextOf(message.body->Find("protocolVersion")) : std::string_view();
  if (std::find(std::begin(kSessionVersions), std::end(kSessionVersions), version) ==
      std::end(kSessionVersions)) {
    log_.Error("the server does not begin a session",
               {{"server", name_}, {"answer", message.body->raw().substr(0, 512)}});
    transport_->Reconnect();
    return;
  }
  initialize_result_ = std::string(message.body->raw());
  state_ = State::kReady;
  transport_->Send(NotificationLine("notifications/initialized"));
  log_.Info("the server is ready",
            {{"server", name_}, {"protocol_version", version}, {"starts", status_.starts}});
  // What was listed before says nothing of what this one lists. A client that still waits
  // to begin has seen no list.
  std::set<ClientId> begin_now;
  for (const Waiting& waiting : waiting_) {
    if (waiting.is_initialize) begin_now.insert(waiting.client);
  }
  ResumeWaiting();
  TellAll(NotificationLine("notifications/tools/list_changed"), begin_now);
}

// ---- messages of clients -------------------------------------------------------------

void Upstream::Send(ClientId client, std::string_view line) {
  auto read = ReadMessage(line);
  const Message* message = std::get_if<Message>(&read);
  if (message == nullptr) {
    // A core forwards only what it has read itself.
    if (TakeLogToken()) log_.Error("a message of the bridge cannot be read", {{"server", name_}});
    return;
  }
  switch (message->kind) {
    case Message::Kind::kRequest:
      return SendRequest(client, *message, line);
    case Message::Kind::kNotification:
      return SendNotification(client, *message, line);
    case Message::Kind::kResult:
    case Message::Kind::kError: {
      const auto asked = server_requests_.find(message->id);
      if (asked == server_requests_.end() || asked->second != client) return;
      server_requests_.erase(asked);
      if (HasRoom()) transport_->Send(line);
      return;
    }
  }
}

void Upstream::SendRequest(ClientId client, const Message& message, std::string_view line) {
  switch (state_) {
    case State::kAway:
      return Tell(client, ErrorLine(message.id_token, kInternalError,
                                    absl::StrFormat("the MCP server `%s` is not running: %s", name_,
                                                    status_.last_end)));
    case State::kConnecting:
    case State::kInitializing:
      return Wait(client, message, line);
    case State::kReady:
      break;
  }
  if (message.method == "initialize") return AnswerInitialize(client, message);
  if (message.method == "resources/unsubscribe" && AnswerUnsubscribe(client, message)) return;
  if (transport_->queued_bytes() > kMaxUpstreamQueue) {
    return Tell(client, ErrorLine(message.id_token, kOverloaded,
                                  absl::StrFormat("the MCP server `%s` does not read", name_)));
  }
  Request request{.client = client,
                  .id_token = std::string(message.id_token),
                  .id = message.id,
                  .progress_token = "",
                  .list_cursor = std::nullopt};
  if (message.method == "tools/list") {
    if (!list_pages_.empty() && clock_.SinceBoot() - list_read_at_ > kMaxListAge) ForgetList();
    request.list_cursor = std::string(TextOf(message.Param("cursor")));
    request.list_generation = list_generation_;
    if (const auto page = list_pages_.find(*request.list_cursor); page != list_pages_.end()) {
      return Tell(client, ResultLine(message.id_token, page->second));
    }
  }
  if (message.method == "resources/subscribe") {
    request.subscribed = std::string(TextOf(message.Param("uri")));
    if (!Subscribe(client, *request.subscribed)) {
      return Tell(client, ErrorLine(message.id_token, kOverloaded,
                                    absl::StrFormat("want a URI of at most %d bytes, and at most "
                                                    "%d subscriptions",
                                                    kMaxUriBytes, kMaxSubscriptions)));
    }
  }

  const uint64_t key = ++last_request_;
  const std::string token = std::to_string(key);
  JsonEdits edits(message.document->root());
  edits.Replace(*message.document->root().Find("id"), token);
  if (const auto progress = message.Meta("progressToken")) {
    request.progress_token = progress->raw();
    edits.Replace(*progress, token);
  }
  clients_.at(client).in_flight.insert(key);
  requests_[key] = std::move(request);
  transport_->Send(std::move(edits).Apply());
}

void Upstream::AnswerInitialize(ClientId client, const Message& message) {
  const auto document = JsonDocument::Parse(initialize_result_);
  BK_CHECK(document.ok());
  const std::string_view wanted = TextOf(message.Param("protocolVersion"));
  const bool is_known = std::find(std::begin(kSessionVersions), std::end(kSessionVersions),
                                  wanted) != std::end(kSessionVersions);
  JsonEdits edits(document->root());
  edits.SetMember(document->root(), "protocolVersion",
                  JsonString(is_known ? wanted : kSessionVersions[0]));
  Tell(client, ResultLine(message.id_token, std::move(edits).Apply()), message.id);
}

bool Upstream::Subscribe(ClientId client, const std::string& uri) {
  Attached& attached = clients_.at(client);
  if (uri.size() > kMaxUriBytes || attached.subscriptions >= kMaxSubscriptions) return false;
  if (subscribers_[uri].insert(client).second) ++attached.subscriptions;
  return true;
}

void Upstream::Unsubscribe(ClientId client, std::string_view uri) {
  const auto found = subscribers_.find(uri);
  if (found == subscribers_.end() || found->second.erase(client) == 0) return;
  --clients_.at(client).subscriptions;
  if (found->second.empty()) subscribers_.erase(found);
}

bool Upstream::AnswerUnsubscribe(ClientId client, const Message& message) {
  const std::string_view uri = TextOf(message.Param("uri"));
  const auto found = subscribers_.find(uri);
  if (found == subscribers_.end() || !found->second.contains(client)) return false;
  const bool is_last = found->second.size() == 1;
  Unsubscribe(client, uri);
  if (is_last) return false;  // the server is told
  Tell(client, ResultLine(message.id_token, "{}"), message.id);
  return true;
}

void Upstream::SendNotification(ClientId client, const Message& message, std::string_view line) {
  if (state_ != State::kReady) return;
  if (message.method == "notifications/initialized") return;  // said once, by us
  if (!HasRoom()) return;
  if (message.method != "notifications/cancelled") return transport_->Send(line);
  const auto token = message.Param("requestId");
  const auto id = token ? KeyOfId(*token) : std::nullopt;
  if (!id) return;
  for (const uint64_t key : clients_.at(client).in_flight) {
    if (requests_.at(key).id != *id) continue;
    JsonEdits edits(message.document->root());
    edits.Replace(*token, std::to_string(key));
    transport_->Send(std::move(edits).Apply());
    NoteCancelled(client);
    return EndRequest(key);
  }
}

bool Upstream::HasRoom() {
  if (transport_->queued_bytes() <= kMaxUpstreamQueue) return true;
  if (TakeLogToken()) {
    log_.Warning("the server does not read: a message to it is dropped", {{"server", name_}});
  }
  return false;
}

void Upstream::NoteCancelled(ClientId client) {
  const absl::Duration now = clock_.SinceBoot();
  std::erase_if(cancelled_until_, [&](const auto& one) { return one.second <= now; });
  cancelled_until_[client] = now + kCancelGrace;
}

void Upstream::Wait(ClientId client, const Message& message, std::string_view line) {
  if (waiting_bytes_ + line.size() > kMaxWaitingBytes) {
    return Tell(client,
                ErrorLine(message.id_token, kOverloaded,
                          absl::StrFormat("too much waits for the MCP server `%s`", name_)));
  }
  waiting_bytes_ += line.size();
  // A client that begins waits as long as its server may take to begin.
  const bool is_initialize = message.method == "initialize";
  const absl::Duration deadline =
      clock_.SinceBoot() + (is_initialize ? kInitializeTimeout : kReadyWait);
  waiting_.push_back({.client = client,
                      .line = std::string(line),
                      .is_initialize = is_initialize,
                      .deadline = deadline});
  if (deadline < armed_) ArmTimer();
}

void Upstream::ResumeWaiting() {
  waiting_bytes_ = 0;
  for (const Waiting& waiting : std::exchange(waiting_, {})) {
    if (clients_.contains(waiting.client)) Send(waiting.client, waiting.line);
  }
}

void Upstream::RefuseWaiting(absl::Duration up_to, std::string_view why) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.deadline > up_to) return false;
    waiting_bytes_ -= waiting.line.size();
    Tell(waiting.client, ErrorLine(OutlineOf(waiting.line).id_token, kInternalError, why));
    return true;
  });
}

void Upstream::ArmTimer() {
  absl::Duration next = initialize_deadline_;
  for (const Waiting& waiting : waiting_) next = std::min(next, waiting.deadline);
  armed_ = next;
  if (next == absl::InfiniteDuration() || stopping_) return;
  timer_.expires_after(absl::ToChronoNanoseconds(next - clock_.SinceBoot()));
  timer_.async_wait(
      [this, alive = std::weak_ptr<const bool>(alive_)](const boost::system::error_code& error) {
        if (!error && !alive.expired()) OnTimer();
      });
}

void Upstream::OnTimer() {
  const absl::Duration now = clock_.SinceBoot();
  if (initialize_deadline_ <= now) {
    initialize_deadline_ = absl::InfiniteDuration();
    log_.Error("the server does not answer initialize",
               {{"server", name_}, {"after", kInitializeTimeout}});
    transport_->Reconnect();
  }
  RefuseWaiting(now, absl::StrFormat("the MCP server `%s` is still starting", name_));
  ArmTimer();
}

// ---- messages of the server ------------------------------------------------------------

void Upstream::OnFrame(const Frame& frame, std::string_view cause) {
  constexpr std::string_view kTooLong = "it is longer than a message may be";
  switch (frame.kind) {
    case Frame::Kind::kLine: {
      auto read = ReadMessage(frame.text);
      if (const Refusal* refusal = std::get_if<Refusal>(&read)) {
        RefuseFrame(frame, refusal->message);
      } else {
        OnMessage(std::get<Message>(read), frame.text, cause);
      }
      return;
    }
    case Frame::Kind::kBareCarriageReturn:
      RefuseFrame(frame, "it has a raw carriage return inside");
      return;
    case Frame::Kind::kTooLong:
      long_line_was_answered_ = RefuseFrame(frame, kTooLong);
      return;
    case Frame::Kind::kEndOfTooLong:
      // Not a message of its own, but many servers write the id last.
      if (!long_line_was_answered_) RefuseAnswer(IdAtEnd(frame.text), kTooLong);
      return;
  }
}

bool Upstream::RefuseFrame(const Frame& frame, std::string_view why) {
  if (TakeLogToken()) {
    log_.Warning("message of the server refused",
                 {{"server", name_}, {"why", why}, {"text", frame.text.substr(0, 256)}});
  }
  const Outline outline = OutlineOf(frame.text);
  const bool has_id = !outline.id_token.empty();
  if (!outline.has_method) {
    RefuseAnswer(outline.id_token, why);
  } else if (has_id) {
    transport_->Send(ErrorLine(outline.id_token, kInvalidRequest, why));
  }
  return has_id || outline.has_method;
}

void Upstream::RefuseAnswer(std::string_view id_token, std::string_view why) {
  uint64_t key = 0;
  if (!absl::SimpleAtoi(AsAbsl(id_token), &key)) return;
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  const Request request = std::move(found->second);
  clients_.at(request.client).in_flight.erase(key);
  requests_.erase(found);
  Fail(request, absl::StrFormat("the server's answer was refused: %s", why));
}

void Upstream::OnMessage(const Message& message, std::string_view line, std::string_view cause) {
  switch (message.kind) {
    case Message::Kind::kRequest:
      return OnRequest(message, line, cause);
    case Message::Kind::kNotification:
      return OnNotification(message, line, cause);
    case Message::Kind::kResult:
    case Message::Kind::kError:
      return OnAnswer(message);
  }
}

void Upstream::OnAnswer(const Message& message) {
  const auto id = message.document->root().Find("id");
  if (id && id->is_string() && id->string() == kInitializeId) return OnInitialized(message);
  uint64_t key = 0;
  const auto found =
      absl::SimpleAtoi(AsAbsl(message.id_token), &key) ? requests_.find(key) : requests_.end();
  if (found == requests_.end()) {
    // Also what comes after a cancellation.
    if (TakeLogToken()) log_.Warning("answer of the server to no request", {{"server", name_}});
    return;
  }
  const Request request = std::move(found->second);
  clients_.at(request.client).in_flight.erase(key);
  requests_.erase(found);
  if (request.subscribed && message.kind == Message::Kind::kError) {
    Unsubscribe(request.client, *request.subscribed);
  }
  if (request.list_cursor && request.list_generation == list_generation_ &&
      message.kind == Message::Kind::kResult) {
    if (list_pages_.empty()) list_read_at_ = clock_.SinceBoot();
    list_bytes_ += message.body->raw().size();
    if (list_bytes_ <= kMaxKeptListBytes) {
      list_pages_[*request.list_cursor] = std::string(message.body->raw());
    }
  }
  JsonEdits edits(message.document->root());
  edits.Replace(*id, request.id_token);
  TellNow(request.client, std::move(edits).Apply(), request.id);
}

void Upstream::OnRequest(const Message& message, std::string_view line, std::string_view cause) {
  if (message.method == "ping") {
    transport_->Send(ResultLine(message.id_token, "{}"));
    return;
  }
  const Cause about = CauseOf(cause);
  if (about.client == 0 || server_requests_.contains(message.id)) {
    transport_->Send(ErrorLine(message.id_token, kInternalError,
                               "there is not exactly one client that this could be asked of"));
    return;
  }
  server_requests_[message.id] = about.client;
  TellNow(about.client, line, about.related);
}

void Upstream::OnNotification(const Message& message, std::string_view line,
                              std::string_view cause) {
  const std::string_view method = message.method;
  if (method == "notifications/progress") return OnProgress(message);
  if (method == "notifications/tools/list_changed") {
    ForgetList();
    return TellAll(line);
  }
  if (method == "notifications/resources/list_changed" ||
      method == "notifications/prompts/list_changed") {
    return TellAll(line);
  }
  if (method == "notifications/resources/updated") {
    const auto found = subscribers_.find(TextOf(message.Param("uri")));
    if (found == subscribers_.end()) return;
    for (const ClientId client : std::set<ClientId>(found->second)) TellNow(client, line, {});
    return;
  }
  if (method == "notifications/cancelled") {
    const auto token = message.Param("requestId");
    const auto id = token ? KeyOfId(*token) : std::nullopt;
    const auto asked = id ? server_requests_.find(*id) : server_requests_.end();
    if (asked == server_requests_.end()) return;
    const ClientId client = asked->second;
    server_requests_.erase(asked);
    return TellNow(client, line, {});
  }
  // What is about nobody's request is shown to nobody: it may hold another user's data.
  const Cause about = CauseOf(cause);
  if (about.client != 0) TellNow(about.client, line, about.related);
}

void Upstream::OnProgress(const Message& message) {
  const auto token = message.Param("progressToken");
  uint64_t key = 0;
  const auto found =
      token && absl::SimpleAtoi(AsAbsl(token->raw()), &key) ? requests_.find(key) : requests_.end();
  if (found == requests_.end() || found->second.progress_token.empty()) return;
  JsonEdits edits(message.document->root());
  edits.Replace(*token, found->second.progress_token);
  TellNow(found->second.client, std::move(edits).Apply(), IdKey(found->second.id));
}

Upstream::Cause Upstream::CauseOf(std::string_view cause_token) const {
  uint64_t key = 0;
  if (absl::SimpleAtoi(AsAbsl(cause_token), &key)) {
    const auto found = requests_.find(key);
    if (found != requests_.end()) return {found->second.client, found->second.id};
  }
  Cause cause;
  for (const auto& [id, attached] : clients_) {
    if (attached.in_flight.empty()) continue;
    if (cause.client != 0 || (attached.is_shared && attached.in_flight.size() > 1)) return {};
    cause = {id, requests_.at(*attached.in_flight.rbegin()).id};
  }
  if (cause.client == 0) return {};
  // It may be about what somebody has cancelled.
  const absl::Duration now = clock_.SinceBoot();
  for (const auto& [id, until] : cancelled_until_) {
    if (until > now && (id != cause.client || clients_.at(id).is_shared)) return {};
  }
  return cause;
}

// ---- saying things to clients ------------------------------------------------------------

void Upstream::Tell(ClientId client, std::string line, IdKey related) {
  boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_), client,
                          line = std::move(line), related = std::move(related)] {
    if (!alive.expired()) TellNow(client, line, related);
  });
}

void Upstream::TellNow(ClientId client, std::string_view line, const IdKey& related) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  found->second.client->OnServerFrame({Frame::Kind::kLine, line}, related);
}

void Upstream::TellAll(std::string_view line, const std::set<ClientId>& except) {
  // A client may detach itself or another one when it is told.
  std::vector<ClientId> ids;
  for (const auto& [id, attached] : clients_) {
    if (!except.contains(id)) ids.push_back(id);
  }
  for (const ClientId id : ids) TellNow(id, line, {});
}

void Upstream::Fail(const Request& request, std::string_view why) {
  Tell(request.client, ErrorLine(request.id_token, kInternalError, why), request.id);
}

void Upstream::EndRequest(uint64_t key) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  clients_.at(found->second.client).in_flight.erase(key);
  requests_.erase(found);
}

}  // namespace bridgekeeper::bridge
