// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the server says by itself: that its lists have changed, and in the session era
// anything.

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/use_awaitable.hpp>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/compact_json.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/upstream/http_session.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

bool IsListChange(std::string_view method) {
  return method == kToolsChanged || method == "notifications/prompts/list_changed" ||
         method == "notifications/resources/list_changed";
}

std::string ListenRequest(uint64_t number) {
  std::string params;
  JsonObject object(params);
  object.Key("notifications");
  JsonObject wanted(params);
  wanted.Bool("toolsListChanged", true)
      .Bool("promptsListChanged", true)
      .Bool("resourcesListChanged", true);
  wanted.Close();
  object.Close();
  return RequestLine(absl::StrFormat("bridgekeeper/listen/%d", number), "subscriptions/listen",
                     params);
}

}  // namespace

HttpSession::Awaitable<absl::StatusOr<HttpSession::ExchangePtr>> HttpSession::BeginListening(
    Self self, std::string last_event_id, std::shared_ptr<UpstreamHttp::Cancel> cancel) {
  if (self->era_ == Era::kStateless) {
    const std::string plain = ListenRequest(++self->own_requests_);
    const auto read = ReadMessage(plain);
    const Message& request = std::get<Message>(read);
    HttpFieldList fields = StatelessFields(request, self->header_tools_);
    std::string line = ToStateless(request, self->options_.version);
    auto begun = co_await Post(self, std::move(line), std::move(fields), cancel,
                               /*repeatable=*/true, absl::InfiniteDuration());
    co_return begun;
  }
  HttpFieldList fields = self->SessionFields();
  fields.emplace_back("Accept", "text/event-stream");
  fields.emplace_back("User-Agent", "bridgekeeper/" + self->options_.version);
  if (!last_event_id.empty()) fields.emplace_back("Last-Event-ID", last_event_id);
  for (const auto& field : self->fields_) fields.push_back(field);
  const std::string target = self->target_;
  UpstreamHttp::Request request;
  request.method = "GET";
  request.target = target;
  request.fields = std::move(fields);
  auto begun = co_await self->http_->Begin(request, cancel);
  co_return begun;
}

HttpSession::Awaitable<void> HttpSession::Listen(Self self, uint64_t run) {
  clients::Backoff backoff(kMinResumeWait, kMaxResumeWait, self->ids_);
  std::string last_event_id;
  std::string of_session;  // the session that last_event_id is of
  int refusals = 0;
  while (!self->IsOver(run)) {
    const std::string session = self->session_;
    if (session != of_session) last_event_id.clear();
    const auto cancel = self->NewCancel();
    const auto begun = co_await BeginListening(self, last_event_id, cancel);
    if (self->IsOver(run)) {
      if (begun.ok()) (*begun)->Close();
      co_return;
    }
    absl::Duration wait = backoff.Next();
    const int status = begun.ok() ? (*begun)->head().status : 0;
    if (status == 200 && (*begun)->head().MediaType() == "text/event-stream") {
      const ExchangePtr exchange = *begun;
      // What changed while nobody listened, and is not said again.
      if (last_event_id.empty()) self->LookAtTools();
      refusals = 0;
      self->is_listening_ = true;
      SseParser parser;
      const OnData take = [&](std::string_view data) {
        backoff.Reset();
        if (!data.empty() && !self->IsOver(run)) self->TakeEvent(data);
      };
      const std::function<bool()> is_over = [&] { return self->IsOver(run); };
      const absl::Duration since = self->clock_.SinceBoot();
      const absl::Status ended = co_await ReadEvents(exchange, parser, take, is_over);
      exchange->Close();
      if (self->IsOver(run)) co_return;
      self->is_listening_ = false;
      if (self->clock_.SinceBoot() - since >= kMaxResumeWait) backoff.Reset();
      if (!ended.ok() && ended.code() == absl::StatusCode::kResourceExhausted) {
        self->log_.Error("the server says more at once than may be",
                         {{"server", self->options_.name}, {"why", std::string(ended.message())}});
      }
      if (!parser.last_event_id().empty()) {
        last_event_id = parser.last_event_id();
        of_session = session;
      }
      if (parser.retry()) wait = std::max(wait, *parser.retry());
    } else if (status != 0) {
      (*begun)->Close();
      if (status == 404 && self->era_ == Era::kSession && !session.empty()) {
        last_event_id.clear();
        if (session == self->session_) self->LoseSession();
      } else if (status == 405 || status == 404 || status == 501 ||
                 (status == 200 && self->era_ == Era::kStateless) ||
                 ++refusals >= kMaxListenRefusals) {
        // It says nothing by itself: WatchTools() looks.
        co_return;
      }
    } else if (begun.status().code() == absl::StatusCode::kUnavailable && self->calls_.empty()) {
      self->Disconnect(std::string(begun.status().message()));
      co_return;
    }
    co_await Sleep(wait, self->listen_timer_);
  }
}

void HttpSession::TakeEvent(std::string_view data) {
  const auto read = ReadMessage(data);
  const Message* message = std::get_if<Message>(&read);
  if (message == nullptr) {
    if (TakeLogToken()) {
      log_.Warning(
          "message of the server refused",
          {{"server", options_.name}, {"why", mask_.Text(std::get<Refusal>(read).message)}});
    }
    return;
  }
  const bool is_notification = message->kind == Message::Kind::kNotification;
  if (is_notification) NoteNotification(message->method);
  if (era_ == Era::kStateless) {
    if (is_notification && IsListChange(message->method))
      Say(NotificationLine(message->method), "");
    return;
  }
  // An answer here would be one to a request whose stream has another place.
  if (!is_notification && message->kind != Message::Kind::kRequest) return;
  const std::string text =
      is_notification ? mask_.Message(message->document->root()) : std::string(data);
  Say(CompactJson(text).value_or(text), "");
}

// ---- tools -------------------------------------------------------------------------------------

void HttpSession::NoteNotification(std::string_view method) {
  if (method == kToolsChanged) LookAtTools();
}

void HttpSession::LookAtTools() {
  look_at_tools_ = true;
  tools_timer_.cancel();
}

HeaderTools::OnDropped HttpSession::LogDropped() {
  return [this](std::string_view tool, std::string_view why) {
    if (!TakeLogToken()) return;
    log_.Warning("a tool is left out: what it wants in headers breaks the rules",
                 {{"server", options_.name}, {"tool", tool}, {"why", why}});
  };
}

HttpSession::Awaitable<void> HttpSession::WatchTools(Self self, uint64_t run) {
  clients::Backoff backoff(kMinToolsWait, std::max(kMinToolsWait, self->options_.tools_poll),
                           self->ids_);
  absl::Duration retry_at = -absl::InfiniteDuration();
  while (self->has_tools_) {
    const bool is_wanted =
        self->look_at_tools_ || self->tools_digest_.empty() || !self->is_listening_;
    const absl::Duration interval =
        self->look_at_tools_ ? kMinToolsWait : self->options_.tools_poll;
    const absl::Duration now = self->clock_.SinceBoot();
    const absl::Duration left = std::max(self->looked_at_ + interval, retry_at) - now;
    if (!is_wanted || self->is_held_ || left > absl::ZeroDuration()) {
      // LookAtTools() ends the wait.
      co_await Sleep(left > absl::ZeroDuration() ? left : interval, self->tools_timer_);
      if (self->IsOver(run)) co_return;
      continue;
    }
    self->look_at_tools_ = false;
    const std::string before = self->tools_digest_;
    const bool is_read = co_await ReadTools(self, run);
    if (self->IsOver(run)) co_return;
    if (!is_read) {
      self->look_at_tools_ = true;
      retry_at = self->clock_.SinceBoot() + backoff.Next();
      continue;
    }
    backoff.Reset();
    if (!before.empty() && self->tools_digest_ != before) {
      self->Say(NotificationLine(kToolsChanged), "");
      if (self->IsOver(run)) co_return;
    }
  }
}

// Reads the whole list into tools_digest_; false: it cannot be read.
HttpSession::Awaitable<bool> HttpSession::ReadTools(Self self, uint64_t run) {
  const absl::Duration until = self->clock_.SinceBoot() + self->options_.answer_timeout;
  self->looked_at_ = self->clock_.SinceBoot();
  std::vector<std::string> tools;  // the digest of each: their order says nothing
  size_t bytes = 0;
  HeaderTools header_tools;
  std::string cursor;
  for (int page = 0; page < kMaxPolledPages; ++page) {
    std::string params;
    if (!cursor.empty()) {
      JsonObject object(params);
      object.String("cursor", cursor);
      object.Close();
    }
    const std::string plain = RequestLine(
        absl::StrFormat("bridgekeeper/tools/%d", ++self->own_requests_), "tools/list", params);
    const auto request = ReadMessage(plain);
    const Message& message = std::get<Message>(request);
    const bool is_stateless = self->era_ == Era::kStateless;
    HttpFieldList fields =
        is_stateless ? StatelessFields(message, header_tools) : self->SessionFields();
    std::string line = is_stateless ? ToStateless(message, self->options_.version) : plain;
    const auto text = co_await Ask(self, std::move(line), std::move(fields), nullptr);
    if (self->IsOver(run) || !text.ok() || self->clock_.SinceBoot() > until) co_return false;
    const auto read = ReadMessage(*text);
    const Message& answer = std::get<Message>(read);
    if (answer.kind != Message::Kind::kResult) co_return false;
    const auto list = answer.body->Find("tools");
    if (!list || !list->is_array()) co_return false;
    bytes += list->raw().size();
    if (bytes > kMaxPolledBytes) co_return false;
    for (const JsonValue tool : *list) tools.push_back(Sha256Hex(CanonicalJson(tool)));
    if (is_stateless) {
      header_tools.TakePage(answer, *text, [](std::string_view, std::string_view) {});
    }
    const std::string_view next = TextOf(answer.body->Find("nextCursor"));
    if (next.empty() || next == cursor) {
      std::sort(tools.begin(), tools.end());
      self->tools_digest_ = Sha256Hex(absl::StrJoin(tools, ""));
      if (is_stateless) self->header_tools_ = std::move(header_tools);
      co_return true;
    }
    cursor = std::string(next);
  }
  co_return false;
}

}  // namespace bridgekeeper::bridge
