// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Connections, and what the bridge sends.

#include "clients/bridge/upstream/http_transport.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/upstream/http_session.h"
#include "clients/bridge/upstream/stdio_transport.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr double kLogBurst = 20;
constexpr double kLogLinesPerSecond = 2;
// Subscriptions that a new session is told of.
constexpr size_t kMaxSessionState = 10'000;
constexpr size_t kMaxStateLineBytes = 16 << 10;

constexpr std::string_view kDiscoverId = "bridgekeeper/discover";

// What a server of the other era, or one that does not know `initialize`, answers.
bool IsOfUnknownRequest(int status) { return status / 100 == 4 && status != 401 && status != 403; }

// Visible ASCII. Source: MCP 2025-11-25, transports, session management.
bool IsSessionId(std::string_view id) {
  return id.size() <= kMaxSessionIdBytes &&
         std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::string WithId(const Message& request, std::string_view id) {
  JsonEdits edits(request.document->root());
  edits.Replace(*request.document->root().Find("id"), JsonString(id));
  return std::move(edits).Apply();
}

class HttpTransport : public Transport {
 public:
  explicit HttpTransport(std::shared_ptr<HttpSession> session) : session_(std::move(session)) {}
  ~HttpTransport() override { session_->Abandon(); }

  void Start(Listener& listener) override { session_->Start(listener); }
  void Send(std::string_view message) override { session_->Send(message); }
  size_t queued_bytes() const override { return session_->queued_bytes(); }
  void Reconnect() override { session_->Reconnect(); }
  void Stop(std::function<void()> done) override { session_->Stop(std::move(done)); }

 private:
  const std::shared_ptr<HttpSession> session_;
};

}  // namespace

bool OnlyReads(std::string_view method) {
  constexpr std::string_view kReading[] = {
      "ping",           "tools/list",   "resources/list", "resources/templates/list",
      "resources/read", "prompts/list", "prompts/get",    "completion/complete",
      "server/discover"};
  return std::find(std::begin(kReading), std::end(kReading), method) != std::end(kReading);
}

absl::StatusOr<std::unique_ptr<Transport>> MakeHttpTransport(boost::asio::io_context& io,
                                                             HttpTransportOptions options,
                                                             const Clock& clock, IdSource& ids,
                                                             Logger& log) {
  auto http = UpstreamHttp::Create(io, options.url, options.ca_file, clock);
  if (!http.ok()) return http.status();
  return std::make_unique<HttpTransport>(
      std::make_shared<HttpSession>(io, std::move(options), *std::move(http), clock, ids, log));
}

HttpSession::HttpSession(boost::asio::io_context& io, HttpTransportOptions options,
                         std::shared_ptr<UpstreamHttp> http, const Clock& clock, IdSource& ids,
                         Logger& log)
    : io_(io),
      options_(std::move(options)),
      http_(std::move(http)),
      clock_(clock),
      ids_(ids),
      log_(log),
      log_budget_(kLogBurst, kLogLinesPerSecond),
      backoff_(kMinReconnectWait, kMaxReconnectWait, ids),
      connect_timer_(io),
      target_(options_.url.target),
      listen_timer_(io),
      tools_timer_(io) {}

void HttpSession::Spawn(Awaitable<void> work) {
  boost::asio::co_spawn(io_, std::move(work), boost::asio::detached);
}

void HttpSession::Say(std::string_view line, std::string_view cause) {
  if (listener_ != nullptr) listener_->OnFrame({Frame::Kind::kLine, line}, cause);
}

std::string HttpSession::TextOfError(const Message& answer) const {
  // Masked whole, before it is cut.
  return EscapeForPeople(mask_.Text(TextOf(answer.body->Find("message"))), 256);
}

HttpSession::Awaitable<void> HttpSession::Sleep(absl::Duration time,
                                                boost::asio::steady_timer& timer) {
  timer.expires_after(absl::ToChronoNanoseconds(time));
  boost::system::error_code cancelled;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
}

std::shared_ptr<UpstreamHttp::Cancel> HttpSession::NewCancel() {
  std::erase_if(cancels_, [](const auto& cancel) { return cancel.expired(); });
  auto cancel = std::make_shared<UpstreamHttp::Cancel>();
  cancels_.push_back(cancel);
  return cancel;
}

// ---- connections ---------------------------------------------------------------------------

void HttpSession::Start(Transport::Listener& listener) {
  listener_ = &listener;
  Spawn(Connect(shared_from_this(), run_));
}

absl::Status HttpSession::ReadFields() {
  if (options_.fields == nullptr) return absl::OkStatus();
  auto fields = options_.fields();
  if (!fields.ok()) return fields.status();
  fields_ = *std::move(fields);
  mask_.Add(fields_);
  return absl::OkStatus();
}

HttpSession::Awaitable<void> HttpSession::Connect(Self self, uint64_t run) {
  absl::Status status = self->ReadFields();
  if (status.ok()) status = co_await self->http_->Connect();
  if (self->IsOver(run) || self->listener_ == nullptr) co_return;
  if (!status.ok()) {
    self->Disconnect(std::string(status.message()));
    co_return;
  }
  self->has_begun_ = true;
  self->listener_->OnConnected();
}

void HttpSession::Disconnect(std::string how) {
  if (listener_ == nullptr) return;
  how = mask_.Text(how);
  log_.Error("the server cannot be spoken to", {{"server", options_.name}, {"why", how}});
  EndRun();
  const uint64_t run = run_;
  listener_->OnDisconnected(how);
  if (IsOver(run) || listener_ == nullptr) return;
  connect_timer_.expires_after(absl::ToChronoNanoseconds(backoff_.Next()));
  connect_timer_.async_wait([self = shared_from_this(), run](const boost::system::error_code& e) {
    if (!e && !self->IsOver(run)) self->Spawn(Connect(self, run));
  });
}

void HttpSession::EndRun() {
  ++run_;
  if (begun_at_ != absl::ZeroDuration() && clock_.SinceBoot() - begun_at_ >= kSteadyAfter) {
    backoff_.Reset();
  }
  begun_at_ = absl::ZeroDuration();
  has_begun_ = false;
  session_.clear();
  protocol_.clear();
  target_ = options_.url.target;
  session_state_.clear();
  is_held_ = true;
  begins_again_ = false;
  is_listening_ = false;
  tools_digest_.clear();
  look_at_tools_ = false;
  looked_at_ = -absl::InfiniteDuration();
  unkept_sessions_ = 0;
  errors_with_404_ = 0;
  for (const auto& [id, call] : calls_) call->is_gone = true;
  calls_.clear();
  queue_.clear();
  queued_bytes_ = 0;
  running_ = 0;
  notices_ = 0;
  for (const auto& cancel : std::exchange(cancels_, {})) {
    if (const auto alive = cancel.lock()) (*alive)();
  }
  http_->CloseIdle();
  connect_timer_.cancel();
  listen_timer_.cancel();
  tools_timer_.cancel();
}

void HttpSession::Reconnect() {
  boost::asio::post(io_, [self = shared_from_this(), run = run_] {
    if (!self->IsOver(run)) self->Disconnect("it was told to end");
  });
}

void HttpSession::Stop(std::function<void()> done) {
  listener_ = nullptr;
  const bool has_session = !session_.empty();
  HttpFieldList fields = SessionFields();
  std::string target = target_;
  EndRun();
  if (has_session) {
    return Spawn(
        EndSession(shared_from_this(), std::move(target), std::move(fields), std::move(done)));
  }
  boost::asio::post(io_, std::move(done));
}

void HttpSession::Abandon() {
  if (listener_ == nullptr) return;
  listener_ = nullptr;
  EndRun();
}

HttpSession::Awaitable<void> HttpSession::EndSession(Self self, std::string target,
                                                     HttpFieldList fields,
                                                     std::function<void()> done) {
  const auto cancel = std::make_shared<UpstreamHttp::Cancel>();
  boost::asio::steady_timer late(self->io_, absl::ToChronoNanoseconds(kEndSessionTimeout));
  late.async_wait([cancel](const boost::system::error_code& error) {
    if (!error) (*cancel)();
  });
  for (const auto& field : self->fields_) fields.push_back(field);
  UpstreamHttp::Request request;
  request.method = "DELETE";
  request.target = target;
  request.fields = std::move(fields);
  request.head_timeout = kEndSessionTimeout;
  // Whatever comes of it (405: the server ends its sessions by itself), we leave.
  const auto ended = co_await self->http_->Begin(request, cancel);
  if (ended.ok()) (*ended)->Close();
  late.cancel();
  self->http_->CloseIdle();
  done();
}

// ---- beginning -------------------------------------------------------------------------------

HttpSession::Awaitable<void> HttpSession::Initialize(Self self, uint64_t run, std::string line) {
  std::string id_token(OutlineOf(line).id_token);
  if (self->era_ == Era::kStateless) {
    co_await Discover(self, run, id_token, "");
    co_return;
  }
  HttpAnswerHead head;
  HttpFieldList fields;
  const auto text = co_await Ask(self, line, std::move(fields), &head);
  if (self->IsOver(run)) co_return;
  std::string why(text.ok() ? "" : text.status().message());
  if (text.ok()) {
    const auto read = ReadMessage(*text);
    const Message& answer = std::get<Message>(read);  // Ask() has read it
    if (answer.kind == Message::Kind::kResult && head.status == 200) {
      if (!IsSessionId(head.Field("mcp-session-id"))) {
        self->Disconnect("its Mcp-Session-Id is too long, or not visible ASCII");
        co_return;
      }
      self->era_ = Era::kSession;
      self->TakeSession(head, answer);
      self->Say(*text, "");
      co_return;
    }
    why = absl::StrFormat("it refuses `initialize`: %s", self->TextOfError(answer));
  }
  if (text.ok() ? head.status != 401 && head.status != 403 : IsOfUnknownRequest(head.status)) {
    co_await Discover(self, run, id_token, std::move(why));
    co_return;
  }
  self->Disconnect(std::move(why));
}

HttpSession::Awaitable<void> HttpSession::Discover(Self self, uint64_t run, std::string id_token,
                                                   std::string why) {
  const std::string plain = RequestLine(kDiscoverId, "server/discover", "");
  const auto request = ReadMessage(plain);
  const Message& message = std::get<Message>(request);
  HttpFieldList fields = StatelessFields(message, self->header_tools_);
  std::string line = ToStateless(message, self->options_.version);
  const auto text = co_await Ask(self, std::move(line), std::move(fields), nullptr);
  if (self->IsOver(run)) co_return;
  if (text.ok()) {
    const auto read = ReadMessage(*text);
    const Message& answer = std::get<Message>(read);
    if (answer.kind == Message::Kind::kResult && answer.body->is_object()) {
      const auto result = InitializeResultOf(*answer.body);
      if (result.ok()) {
        self->era_ = Era::kStateless;
        const auto capabilities = answer.body->Find("capabilities");
        self->has_tools_ = Member(capabilities, "tools").has_value();
        self->log_.Info("the server speaks the stateless era", {{"server", self->options_.name}});
        self->Say(ResultLine(id_token, *result), "");
        co_return;
      }
      why = std::string(result.status().message());
    } else if (IsStatelessError(answer)) {
      why = absl::StrFormat("it refuses `server/discover`: %s", self->TextOfError(answer));
    }
  }
  // Of another era than it was, perhaps: both are tried again.
  self->era_ = Era::kUnknown;
  if (why.empty()) why = std::string(text.ok() ? "it does not begin" : text.status().message());
  self->Disconnect(std::move(why));
}

void HttpSession::TakeSession(const HttpAnswerHead& head, const Message& answer) {
  session_ = std::string(head.Field("mcp-session-id"));
  protocol_ = std::string(TextOf(answer.body->Find("protocolVersion")));
  // It stands in a header from now on; what is no version Upstream refuses.
  if (!std::all_of(protocol_.begin(), protocol_.end(),
                   [](char c) { return c > ' ' && c < 0x7f; })) {
    protocol_.clear();
  }
  has_tools_ = Member(answer.body->Find("capabilities"), "tools").has_value();
}

HttpSession::Awaitable<void> HttpSession::Initialized(Self self, uint64_t run, std::string line) {
  if (self->era_ == Era::kSession) {
    HttpFieldList fields = self->SessionFields();
    const auto cancel = self->NewCancel();
    const auto sent = co_await Post(self, line, std::move(fields), cancel,
                                    /*repeatable=*/true, kNoticeTimeout);
    if (self->IsOver(run)) co_return;
    if (!sent.ok()) {
      self->Disconnect(std::string(sent.status().message()));
      co_return;
    }
    (*sent)->Close();
    if ((*sent)->head().status / 100 != 2) {
      self->Disconnect(absl::StrFormat("it answers `notifications/initialized` with HTTP %d",
                                       (*sent)->head().status));
      co_return;
    }
  }
  // Before any call: a session that is lost is compared with it.
  if (self->has_tools_) {
    co_await ReadTools(self, run);
    if (self->IsOver(run)) co_return;
  }
  self->begun_at_ = self->clock_.SinceBoot();
  self->is_held_ = false;
  self->Spawn(Listen(self, run));
  self->Spawn(WatchTools(self, run));
  self->Pump();
}

void HttpSession::LoseSession() {
  if (begins_again_ || session_.empty()) return;
  begins_again_ = true;
  is_held_ = true;
  log_.Warning("the server has lost its session", {{"server", options_.name}});
  Spawn(BeginAgain(shared_from_this(), run_));
}

HttpSession::Awaitable<void> HttpSession::BeginAgain(Self self, uint64_t run) {
  HttpAnswerHead head;
  HttpFieldList fields;
  const auto text = co_await Ask(self, self->initialize_line_, std::move(fields), &head);
  if (self->IsOver(run)) co_return;
  const std::string protocol = self->protocol_;
  bool is_begun = false;
  if (text.ok()) {
    const auto read = ReadMessage(*text);
    const Message& answer = std::get<Message>(read);
    is_begun = answer.kind == Message::Kind::kResult && IsSessionId(head.Field("mcp-session-id")) &&
               TextOf(answer.body->Find("protocolVersion")) == protocol;
    if (is_begun) self->TakeSession(head, answer);
  }
  if (!is_begun) {
    self->Disconnect("it has lost its session, and begins no other like it");
    co_return;
  }
  fields = self->SessionFields();
  const auto cancel = self->NewCancel();
  const auto sent = co_await Post(self, self->initialized_line_, std::move(fields), cancel,
                                  /*repeatable=*/true, kNoticeTimeout);
  if (self->IsOver(run)) co_return;
  if (!sent.ok() || (*sent)->head().status / 100 != 2) {
    self->Disconnect("it has lost its session, and does not begin another");
    co_return;
  }
  (*sent)->Close();
  const auto state = self->session_state_;
  for (const auto& [about, line] : state) {
    const auto read = ReadMessage(line);
    const std::string id = absl::StrFormat("bridgekeeper/again/%d", ++self->own_requests_);
    // A subscription that the server no longer takes is one to nothing.
    std::string again = WithId(std::get<Message>(read), id);
    fields = self->SessionFields();
    const auto answered = co_await Ask(self, std::move(again), std::move(fields), nullptr);
    if (self->IsOver(run)) co_return;
    if (!answered.ok() && self->TakeLogToken()) {
      self->log_.Warning("the server does not take up what its lost session had",
                         {{"server", self->options_.name},
                          {"why", self->mask_.Text(AsStd(answered.status().message()))}});
    }
  }
  // What waits was decided about the tools of the lost session.
  if (self->has_tools_) {
    const std::string before = self->tools_digest_;
    const bool is_read = co_await ReadTools(self, run);
    if (self->IsOver(run)) co_return;
    self->FailWaitingCalls(is_read ? self->tools_digest_ : "");
    if (self->IsOver(run)) co_return;
    if (!is_read || self->tools_digest_ != before) {
      self->Say(NotificationLine(kToolsChanged), "");
      if (self->IsOver(run)) co_return;
    }
    if (!is_read) self->LookAtTools();
  }
  self->begins_again_ = false;
  self->is_held_ = false;
  self->log_.Info("the server has a session again", {{"server", self->options_.name}});
  self->Pump();
}

// ---- sending -----------------------------------------------------------------------------------

void HttpSession::Send(std::string_view line) {
  if (!has_begun_) return;
  auto read = ReadMessage(line);
  const Message* message = std::get_if<Message>(&read);
  // INVARIANT: Upstream sends only what it has read, or written, itself.
  BK_CHECK(message != nullptr);
  switch (message->kind) {
    case Message::Kind::kRequest:
      return SendRequest(*message, line);
    case Message::Kind::kNotification:
      return SendNotification(*message, line);
    case Message::Kind::kResult:
    case Message::Kind::kError:
      // In the stateless era no server asks.
      if (era_ == Era::kSession) Notify(line, nullptr);
      return;
  }
}

void HttpSession::SendRequest(const Message& message, std::string_view line) {
  if (message.method == "initialize") {
    initialize_line_ = std::string(line);
    return Spawn(Initialize(shared_from_this(), run_, initialize_line_));
  }
  if (message.method == "ping" && era_ == Era::kStateless) {
    boost::asio::post(
        io_, [self = shared_from_this(), run = run_, token = std::string(message.id_token)] {
          if (!self->IsOver(run)) self->Say(ResultLine(token, "{}"), token);
        });
    return;
  }
  Remember(message, line);
  auto call = std::make_shared<Call>();
  call->id_token = std::string(message.id_token);
  call->id = message.id;
  call->method = std::string(message.method);
  call->line = std::string(line);
  call->tools = tools_digest_;
  call->of_stateless = message.Meta(kMetaVersion).has_value();
  queued_bytes_ += call->line.size();
  calls_[call->id_token] = call;
  queue_.push_back(std::move(call));
  Pump();
}

void HttpSession::Remember(const Message& request, std::string_view line) {
  const std::string about = "resource " + std::string(TextOf(request.Param("uri")));
  if (request.method == "resources/unsubscribe") {
    session_state_.erase(about);
  } else if (session_state_.size() >= kMaxSessionState || line.size() > kMaxStateLineBytes) {
    return;
  } else if (request.method == "resources/subscribe") {
    session_state_[about] = std::string(line);
  } else if (request.method == "logging/setLevel") {
    session_state_["level"] = std::string(line);
  }
}

void HttpSession::SendNotification(const Message& message, std::string_view line) {
  if (message.method == "notifications/initialized") {
    initialized_line_ = std::string(line);
    return Spawn(Initialized(shared_from_this(), run_, initialized_line_));
  }
  if (message.method == "notifications/cancelled") return CancelCall(message, line);
  // The stateless era has no notification that a client sends over HTTP.
  if (era_ == Era::kSession) Notify(line, nullptr);
}

void HttpSession::CancelCall(const Message& message, std::string_view line) {
  const auto token = message.Param("requestId");
  const auto found = token ? calls_.find(std::string(token->raw())) : calls_.end();
  if (found == calls_.end()) return;
  const CallPtr call = found->second;
  EndCall(call);
  call->is_gone = true;
  const auto queued = std::find(queue_.begin(), queue_.end(), call);
  if (queued != queue_.end()) {
    queue_.erase(queued);  // the server has not heard of it
    return;
  }
  if (era_ == Era::kSession && Notify(line, call)) return;
  // Ending its stream is what cancels it.
  if (call->cancel != nullptr) (*call->cancel)();
}

bool HttpSession::Notify(std::string_view line, const CallPtr& cancelled) {
  if (notices_ >= kMaxNotices) {
    if (TakeLogToken()) {
      log_.Warning("the server does not take messages as fast as they come: one is dropped",
                   {{"server", options_.name}});
    }
    return false;
  }
  ++notices_;
  Spawn(SendNotice(shared_from_this(), run_, std::string(line), cancelled));
  return true;
}

HttpSession::Awaitable<void> HttpSession::SendNotice(Self self, uint64_t run, std::string line,
                                                     CallPtr cancelled) {
  const std::string session = self->session_;
  HttpFieldList fields = self->SessionFields();
  const auto cancel = self->NewCancel();
  const auto sent = co_await Post(self, std::move(line), std::move(fields), cancel,
                                  /*repeatable=*/false, kNoticeTimeout);
  // The server has been told, or cannot be: what it still says is of no use.
  if (cancelled != nullptr && cancelled->cancel != nullptr) (*cancelled->cancel)();
  if (sent.ok()) (*sent)->Close();
  if (self->IsOver(run)) co_return;
  --self->notices_;
  const int status = sent.ok() ? (*sent)->head().status : 0;
  if (status / 100 == 2) co_return;
  if (status == 404 && !session.empty() && session == self->session_) {
    self->LoseSession();
    co_return;
  }
  if (self->TakeLogToken()) {
    self->log_.Warning(
        "the server does not take a message",
        {{"server", self->options_.name},
         {"status", status},
         {"why", sent.ok() ? "" : self->mask_.Text(AsStd(sent.status().message()))}});
  }
}

}  // namespace bridgekeeper::bridge
