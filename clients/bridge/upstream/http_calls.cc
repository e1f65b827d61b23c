// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A request and its answer.

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/use_awaitable.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/compact_json.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/upstream/http_session.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kToolsHaveChanged =
    "its tools have changed; the request was not carried out";
constexpr std::string_view kMayHaveRun = "; the request may have been carried out";
// How long a stream may take to end behind its answer; its connection is then used again.
constexpr absl::Duration kLastBytesTimeout = absl::Seconds(1);
// Shortest wait that a server may ask for before its stream is taken up again.
constexpr absl::Duration kMinAskedWait = absl::Milliseconds(100);

// A message as one line. REQUIRES: it was read.
std::string OneLine(std::string_view text) {
  if (text.find_first_of("\r\n") == std::string_view::npos) return std::string(text);
  return CompactJson(text).value_or(std::string(text));
}

std::string HttpStatusText(int status) {
  if (status == 401 || status == 403) {
    return absl::StrFormat(
        "it refuses the bridge with HTTP %d: look at the `headers` of its configuration", status);
  }
  return absl::StrFormat("it answers with HTTP %d", status);
}

}  // namespace

// ---- HTTP ------------------------------------------------------------------------------------

HttpFieldList HttpSession::SessionFields() const {
  HttpFieldList fields;
  if (!session_.empty()) fields.emplace_back("Mcp-Session-Id", session_);
  if (!protocol_.empty()) fields.emplace_back("MCP-Protocol-Version", protocol_);
  return fields;
}

absl::StatusOr<std::string> HttpSession::RedirectTarget(const HttpAnswerHead& head) const {
  const std::string_view location = head.Field("location");
  if (head.status != 307 && head.status != 308) {
    return absl::FailedPreconditionError(
        absl::StrFormat("it redirects with HTTP %d, which does not keep a POST", head.status));
  }
  // A path, but not the `//HOST` of another origin; ParseServerUrl() checks its characters.
  const bool is_path = location.starts_with('/') && !location.starts_with("//");
  const auto url =
      ParseServerUrl(is_path ? "https://h" + std::string(location) : std::string(location));
  if (!url.ok()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "it redirects to what is no URL of a server: %s", AsStd(url.status().message())));
  }
  if (!is_path && (url->tls != options_.url.tls || url->host != options_.url.host ||
                   url->port != options_.url.port)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "it redirects to another origin, `%s`, where the bridge does not follow: configure that "
        "URL if it is meant",
        EscapeForPeople(mask_.Text(location), 256)));
  }
  return url->target;
}

HttpSession::Awaitable<absl::StatusOr<HttpSession::ExchangePtr>> HttpSession::Post(
    Self self, std::string line, HttpFieldList fields, std::shared_ptr<UpstreamHttp::Cancel> cancel,
    bool repeatable, absl::Duration head_timeout) {
  fields.emplace_back("Accept", "application/json, text/event-stream");
  fields.emplace_back("Content-Type", "application/json");
  fields.emplace_back("User-Agent", "bridgekeeper/" + self->options_.version);
  for (const auto& field : self->fields_) fields.push_back(field);
  std::string target = self->target_;
  UpstreamHttp::Request request;
  request.method = "POST";
  request.fields = std::move(fields);
  request.body = line;
  request.head_timeout = head_timeout;
  bool is_permanent = true;
  for (int redirects = 0;;) {
    request.target = target;
    absl::StatusOr<ExchangePtr> begun = co_await self->http_->Begin(request, cancel);
    if (!begun.ok()) {
      if (begun.status().code() != absl::StatusCode::kAborted || !repeatable) {
        co_return begun.status();
      }
      // Most likely a connection that the server closed while we sent.
      repeatable = false;
      request.fresh = true;
      continue;
    }
    const HttpAnswerHead& head = (*begun)->head();
    if (head.status / 100 != 3) co_return *begun;
    auto next = self->RedirectTarget(head);
    (*begun)->Close();
    if (!next.ok()) co_return next.status();
    if (++redirects > kMaxRedirects) {
      co_return absl::FailedPreconditionError("it redirects without end");
    }
    target = *std::move(next);
    is_permanent = is_permanent && head.status == 308;
    if (is_permanent) self->target_ = target;
  }
}

HttpSession::Awaitable<absl::StatusOr<std::string>> HttpSession::ReadBody(ExchangePtr exchange,
                                                                          size_t max_bytes) {
  std::string body;
  while (true) {
    auto bytes = co_await exchange->ReadSome();
    if (!bytes.ok()) co_return bytes.status();
    if (bytes->empty()) co_return body;
    if (body.size() + bytes->size() > max_bytes) {
      exchange->Close();
      co_return absl::ResourceExhaustedError(
          absl::StrFormat("its answer is larger than %d bytes", max_bytes));
    }
    body += *bytes;
  }
}

HttpSession::Awaitable<std::string> HttpSession::ReadErrorBody(ExchangePtr exchange) {
  std::string body;
  if (exchange->head().MediaType() == "application/json") {
    auto read = co_await ReadBody(exchange, kMaxErrorBodyBytes);
    if (read.ok()) body = *std::move(read);
  }
  exchange->Close();
  co_return body;
}

HttpSession::Awaitable<absl::Status> HttpSession::ReadEvents(ExchangePtr exchange,
                                                             SseParser& parser, OnData on_data,
                                                             std::function<bool()> is_enough) {
  while (!is_enough()) {
    auto bytes = co_await exchange->ReadSome();
    if (is_enough()) break;
    if (!bytes.ok()) co_return bytes.status();
    if (bytes->empty()) co_return absl::OkStatus();
    if (absl::Status status = parser.Feed(*bytes, on_data); !status.ok()) {
      exchange->Close();
      co_return status;
    }
  }
  co_return absl::OkStatus();
}

HttpSession::Awaitable<void> HttpSession::ReadToItsEnd(Self self, ExchangePtr exchange) {
  boost::asio::steady_timer late(self->io_, absl::ToChronoNanoseconds(kLastBytesTimeout));
  late.async_wait([exchange](const boost::system::error_code& error) {
    if (!error) exchange->Close();
  });
  for (size_t bytes = 0; bytes < kMaxErrorBodyBytes;) {
    const auto more = co_await exchange->ReadSome();
    if (!more.ok() || more->empty()) break;
    bytes += more->size();
  }
  late.cancel();
  exchange->Close();
}

HttpSession::Awaitable<absl::StatusOr<std::string>> HttpSession::Ask(Self self, std::string line,
                                                                     HttpFieldList fields,
                                                                     HttpAnswerHead* head) {
  const auto cancel = self->NewCancel();
  const absl::Duration until = self->clock_.SinceBoot() + self->options_.answer_timeout;
  boost::asio::steady_timer timer(self->io_,
                                  absl::ToChronoNanoseconds(self->options_.answer_timeout));
  timer.async_wait([cancel](const boost::system::error_code& error) {
    if (!error) (*cancel)();
  });
  auto answer = co_await AskUntilCancelled(self, std::move(line), std::move(fields), head, cancel);
  timer.cancel();
  if (!answer.ok() && self->clock_.SinceBoot() >= until) {
    co_return absl::DeadlineExceededError("it does not answer in time");
  }
  co_return answer;
}

HttpSession::Awaitable<absl::StatusOr<std::string>> HttpSession::AskUntilCancelled(
    Self self, std::string line, HttpFieldList fields, HttpAnswerHead* head,
    std::shared_ptr<UpstreamHttp::Cancel> cancel) {
  const auto request = ReadMessage(line);
  const Message& asked = std::get<Message>(request);
  const bool repeatable = OnlyReads(asked.method);
  const auto begun =
      co_await Post(self, line, std::move(fields), cancel, repeatable, absl::InfiniteDuration());
  if (!begun.ok()) co_return begun.status();
  const ExchangePtr exchange = *begun;
  const int status = exchange->head().status;
  if (head != nullptr) *head = exchange->head();
  std::string found;
  const OnData take = [&](std::string_view text) {
    const auto read = ReadMessage(text);
    const Message* message = std::get_if<Message>(&read);
    if (message == nullptr || !found.empty()) return;
    const bool is_answer =
        message->kind == Message::Kind::kResult || message->kind == Message::Kind::kError;
    // An error of HTTP may have no id.
    if (is_answer && (message->id == asked.id || (status != 200 && message->id_token.empty()))) {
      found = OneLine(text);
    }
  };
  const std::string type = exchange->head().MediaType();
  absl::Status ended;
  if (type == "application/json") {
    const size_t max_bytes = status == 200 ? kMaxLineBytes : kMaxErrorBodyBytes;
    const auto body = co_await ReadBody(exchange, max_bytes);
    ended = body.status();
    if (body.ok()) take(*body);
  } else if (type == "text/event-stream" && status == 200) {
    SseParser parser;
    const std::function<bool()> is_enough = [&] { return !found.empty(); };
    ended = co_await ReadEvents(exchange, parser, take, is_enough);
  }
  exchange->Close();
  if (!found.empty()) co_return found;
  if (status != 200) co_return absl::FailedPreconditionError(HttpStatusText(status));
  if (!ended.ok()) co_return ended;
  co_return absl::DataLossError("its answer is no message that can be read");
}

// ---- calls -------------------------------------------------------------------------------------

void HttpSession::Pump() {
  while (!is_held_ && running_ < kMaxCallsAtOnce && !queue_.empty()) {
    const CallPtr call = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    Spawn(RunCall(shared_from_this(), run_, call));
  }
}

HttpSession::Awaitable<void> HttpSession::RunCall(Self self, uint64_t run, CallPtr call) {
  bool again = true;
  while (again) again = co_await TryCall(self, run, call);
  if (self->IsOver(run)) co_return;
  --self->running_;
  self->Pump();
}

// True: it is to be sent again.
HttpSession::Awaitable<bool> HttpSession::TryCall(Self self, uint64_t run, CallPtr call) {
  if (call->is_gone) co_return false;
  const auto read = ReadMessage(call->line);
  const Message& request = std::get<Message>(read);
  const bool is_stateless = self->era_ == Era::kStateless;
  std::string line =
      is_stateless ? ToStateless(request, self->options_.version) : ToSession(request, call->line);
  HttpFieldList fields =
      is_stateless ? StatelessFields(request, self->header_tools_) : self->SessionFields();
  call->session = self->session_;
  // One that came before the list was known is sent to what the list is now.
  if (call->tools.empty()) call->tools = self->tools_digest_;
  call->cancel = self->NewCancel();
  const bool repeatable = OnlyReads(call->method);
  const auto begun = co_await Post(self, std::move(line), std::move(fields), call->cancel,
                                   repeatable, absl::InfiniteDuration());
  if (self->IsOver(run) || call->is_gone) {
    if (begun.ok()) (*begun)->Close();
    co_return false;
  }
  if (!begun.ok()) {
    std::string why(begun.status().message());
    if (begun.status().code() == absl::StatusCode::kUnavailable) {
      self->FailCall(call, why);
      // With nothing left that shows it to be there, it is begun with anew.
      if (!self->IsOver(run) && self->calls_.empty() && !self->is_listening_) {
        self->Disconnect(std::move(why));
      }
      co_return false;
    }
    if (begun.status().code() != absl::StatusCode::kFailedPrecondition) why += kMayHaveRun;
    self->FailCall(call, why);
    co_return false;
  }
  const ExchangePtr exchange = *begun;
  const int status = exchange->head().status;
  const std::string type = exchange->head().MediaType();
  if (status == 404 && !call->session.empty()) {
    const std::string body = co_await ReadErrorBody(exchange);
    if (self->IsOver(run) || call->is_gone) co_return false;
    const auto refusal = ReadMessage(body);
    const Message* answer = std::get_if<Message>(&refusal);
    if (answer != nullptr && answer->kind == Message::Kind::kError && answer->id == call->id &&
        (call->was_repeated || ++self->errors_with_404_ < kMaxErrorsWith404)) {
      // Of this request alone, it seems: a lost session's should have no id.
      self->TakeAnswer(call, *answer, OneLine(body));
      co_return false;
    }
    if (call->was_repeated) {
      self->FailCall(call, "it has lost its session once more; the request was not carried out");
      if (!self->IsOver(run) && ++self->unkept_sessions_ >= kMaxUnkeptSessions) {
        self->Disconnect("it does not keep a session");
      }
      co_return false;
    }
    // The server has not read the request: it may be sent in a new session.
    call->was_repeated = true;
    self->queue_.push_front(call);
    if (call->session == self->session_) self->LoseSession();
    co_return false;
  }
  if (status != 200) {
    const bool again = co_await TakeRefusal(self, run, call, exchange);
    co_return again;
  }
  self->unkept_sessions_ = 0;
  self->errors_with_404_ = 0;
  if (type == "text/event-stream") {
    co_await FollowStream(self, run, call, exchange);
    co_return false;
  }
  if (type != "application/json") {
    exchange->Close();
    self->FailCall(call, absl::StrFormat("its answer is `%s`, no JSON and no stream%s",
                                         EscapeForPeople(self->mask_.Text(type), 64), kMayHaveRun));
    co_return false;
  }
  const auto body = co_await ReadBody(exchange, kMaxLineBytes);
  if (self->IsOver(run) || call->is_gone) co_return false;
  if (!body.ok()) {
    self->FailCall(call, std::string(body.status().message()) + std::string(kMayHaveRun));
    co_return false;
  }
  self->TakeMessage(call, *body);
  if (call->was_answered || self->IsOver(run)) co_return false;
  self->FailCall(call, call->refusal.empty()
                           ? "its answer is not one to this request"
                           : absl::StrFormat("its answer was refused: %s", call->refusal));
  co_return false;
}

HttpSession::Awaitable<bool> HttpSession::TakeRefusal(Self self, uint64_t run, CallPtr call,
                                                      ExchangePtr exchange) {
  const int status = exchange->head().status;
  const std::string body = co_await ReadErrorBody(exchange);
  if (self->IsOver(run) || call->is_gone) co_return false;
  if (status == 401 && !call->was_repeated) {
    // The credential may have been changed, where it comes from a file.
    const HttpFieldList before = self->fields_;
    if (self->ReadFields().ok() && self->fields_ != before) {
      call->was_repeated = true;
      co_return true;
    }
  }
  std::string why = HttpStatusText(status);
  const auto read = ReadMessage(body);
  const Message* answer = std::get_if<Message>(&read);
  if (status != 401 && status != 403 && answer != nullptr &&
      answer->kind == Message::Kind::kError) {
    const auto code = answer->body->Find("code");
    const bool is_mismatch =
        status == 400 && code && code->is_number() && code->integer() == kHeaderMismatch;
    if (is_mismatch && self->era_ == Era::kStateless && !call->was_repeated &&
        call->method == "tools/call") {
      // Nothing was carried out. What was decided about is sent again only where it is
      // still the tool that the server has.
      call->was_repeated = true;
      const std::string before = self->tools_digest_;
      const bool is_read = co_await ReadTools(self, run);
      if (self->IsOver(run)) co_return false;
      if (is_read && self->tools_digest_ != before) {
        self->Say(NotificationLine(kToolsChanged), "");
        if (self->IsOver(run)) co_return false;
      }
      if (call->is_gone) co_return false;
      if (is_read && self->tools_digest_ == call->tools) co_return true;
      self->FailCall(call, kToolsHaveChanged);
      co_return false;
    }
    if (answer->id == call->id) {
      self->TakeAnswer(call, *answer, OneLine(body));
      co_return false;
    }
    why += ": " + self->TextOfError(*answer);
  }
  if (status / 100 != 4) why += kMayHaveRun;
  self->FailCall(call, why);
  co_return false;
}

HttpSession::Awaitable<void> HttpSession::FollowStream(Self self, uint64_t run, CallPtr call,
                                                       ExchangePtr exchange) {
  clients::Backoff backoff(kMinResumeWait, kMaxResumeWait, self->ids_);
  boost::asio::steady_timer timer(self->io_);
  std::string last_event_id;
  int refusals = 0;
  const std::function<bool()> is_over = [&] {
    return call->was_answered || call->is_gone || self->IsOver(run);
  };
  while (true) {
    SseParser parser;
    const OnData take = [&](std::string_view data) {
      backoff.Reset();
      if (!is_over() && !data.empty()) self->TakeMessage(call, data);
    };
    // Await in a statement of its own: g++ 12 ends what a condition awaits twice.
    absl::Status ended;
    if (exchange != nullptr) ended = co_await ReadEvents(exchange, parser, take, is_over);
    if (call->was_answered && !self->IsOver(run) && exchange != nullptr) {
      co_await ReadToItsEnd(self, exchange);
      co_return;
    }
    if (exchange != nullptr) exchange->Close();
    if (is_over()) co_return;
    if (ended.code() == absl::StatusCode::kResourceExhausted) {
      self->FailCall(call, std::string(ended.message()) + std::string(kMayHaveRun));
      co_return;
    }
    if (!parser.last_event_id().empty()) last_event_id = parser.last_event_id();
    if (self->era_ != Era::kSession || last_event_id.empty()) {
      self->FailCall(call, absl::StrFormat("its stream ended without an answer%s%s%s",
                                           call->refusal.empty() ? "" : ", one was refused: ",
                                           call->refusal, kMayHaveRun));
      co_return;
    }
    const absl::Duration wait =
        parser.retry() ? std::max(*parser.retry(), kMinAskedWait) : backoff.Next();
    co_await Sleep(wait, timer);
    if (is_over()) co_return;
    if (call->session != self->session_) {
      self->FailCall(call, "it has lost its session while it carried out the request");
      co_return;
    }
    const auto begun = co_await BeginListening(self, last_event_id, call->cancel);
    if (is_over()) {
      if (begun.ok()) (*begun)->Close();
      co_return;
    }
    const int status = begun.ok() ? (*begun)->head().status : 0;
    if (status == 200 && (*begun)->head().MediaType() == "text/event-stream") {
      refusals = 0;
      exchange = *begun;
      continue;
    }
    if (begun.ok()) (*begun)->Close();
    exchange = nullptr;
    if (status == 404) {
      self->FailCall(call, "it has lost its session while it carried out the request");
      self->LoseSession();
      co_return;
    }
    if (status / 100 == 4 || ++refusals >= kMaxResumeRefusals) {
      self->FailCall(
          call, absl::StrFormat("its stream was cut and cannot be taken up again%s", kMayHaveRun));
      co_return;
    }
  }
}

void HttpSession::TakeMessage(const CallPtr& call, std::string_view text) {
  const auto read = ReadMessage(text);
  if (const Refusal* refusal = std::get_if<Refusal>(&read)) {
    call->refusal = mask_.Text(refusal->message);
    if (TakeLogToken()) {
      log_.Warning("message of the server refused",
                   {{"server", options_.name}, {"why", call->refusal}});
    }
    return;
  }
  const Message& message = std::get<Message>(read);
  const std::string line = OneLine(text);
  switch (message.kind) {
    case Message::Kind::kResult:
    case Message::Kind::kError:
      if (message.id == call->id) return TakeAnswer(call, message, line);
      break;
    case Message::Kind::kRequest:
      // Only in the session era.
      if (era_ == Era::kSession) return Say(line, call->id_token);
      break;
    case Message::Kind::kNotification:
      NoteNotification(message.method);
      return Say(OneLine(mask_.Message(message.document->root())), call->id_token);
  }
  if (TakeLogToken()) {
    log_.Warning("message of the server that belongs to nothing", {{"server", options_.name}});
  }
}

void HttpSession::TakeAnswer(const CallPtr& call, const Message& answer, std::string_view line) {
  std::string text(line);
  if (answer.kind == Message::Kind::kError || IsTrue(answer.body->Find("isError"))) {
    text = OneLine(mask_.Message(answer.document->root()));
  }
  if (era_ == Era::kStateless && answer.kind == Message::Kind::kResult) {
    if (TextOf(answer.body->Find("resultType")) == "input_required" && !call->of_stateless) {
      text = ErrorLine(call->id_token, kInternalError,
                       absl::StrFormat("the MCP server `%s` asks for input in its answer, which a "
                                       "client of this era cannot give",
                                       options_.name));
    } else if (call->method == "tools/list") {
      text = header_tools_.TakePage(answer, line, LogDropped());
    }
  }
  EndCall(call);
  Say(text, call->id_token);
}

void HttpSession::FailCall(const CallPtr& call, std::string_view why) {
  if (call->was_answered || call->is_gone) return;
  EndCall(call);
  Say(ErrorLine(call->id_token, kInternalError,
                absl::StrFormat("the MCP server `%s`: %s", options_.name, mask_.Text(why))),
      call->id_token);
}

void HttpSession::FailWaitingCalls(std::string_view digest) {
  std::vector<CallPtr> calls;
  const auto is_of_others = [&](const CallPtr& call) {
    return call->method == "tools/call" && (digest.empty() || call->tools != digest);
  };
  std::copy_if(queue_.begin(), queue_.end(), std::back_inserter(calls), is_of_others);
  std::erase_if(queue_, is_of_others);
  for (const CallPtr& call : calls) FailCall(call, kToolsHaveChanged);
}

void HttpSession::EndCall(const CallPtr& call) {
  call->was_answered = true;
  const auto found = calls_.find(call->id_token);
  if (found == calls_.end() || found->second != call) return;
  queued_bytes_ -= call->line.size();
  calls_.erase(found);
}

}  // namespace bridgekeeper::bridge
