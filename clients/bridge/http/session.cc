// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "policy/base/strings.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

constexpr uint64_t kGetStream = 0;

// The first revision whose clients read an event without data.
constexpr std::string_view kPrimingSince = "2025-11-25";

// An event without data that gives the client an id to come back with.
std::string PrimingEvent(const EventId& id) {
  return absl::StrFormat("id: %s\nretry: %d\ndata: \n\n", id.ToString(),
                         absl::ToInt64Milliseconds(kReconnectAfter));
}

// Who reads reports must not be able to go on with the session.
std::string NameInReports(std::string_view id) { return Sha256Hex(id).substr(0, 32); }

}  // namespace

Accepts AcceptsOf(const HttpRequest& request) {
  bool is_there = false;
  Accepts accepts{.json = false, .events = false};
  for (const auto& [name, value] : request.fields) {
    if (name != "accept") continue;
    is_there = true;
    const std::string text = AsciiLower(value);
    const bool any = text.find("*/*") != std::string::npos;
    accepts.json |= any || text.find("application/json") != std::string::npos ||
                    text.find("application/*") != std::string::npos;
    accepts.events |= any || text.find("text/event-stream") != std::string::npos ||
                      text.find("text/*") != std::string::npos;
  }
  return is_there ? accepts : Accepts();
}

Session::Session(std::string id, std::string path, EventBudget& budget, const MakeFront& make_front)
    : id_(std::move(id)),
      path_(std::move(path)),
      events_(budget),
      front_(make_front(*this, NameInReports(id_))) {}

Session::~Session() {
  // First, so that nothing that it says on its way out reaches a stream.
  front_.reset();
  for (auto& [number, stream] : std::exchange(streams_, {})) {
    if (stream.exchange == nullptr) continue;
    if (stream.exchange->is_stream()) {
      stream.exchange->EndEvents();
    } else {
      stream.exchange->Respond({.status = 404,
                                .content_type = "application/json",
                                .body = ErrorLine("", kInvalidRequest, "the session has ended"),
                                .fields = {}});
    }
  }
}

bool Session::is_in_use() const {
  return std::any_of(streams_.begin(), streams_.end(), [](const auto& stream) {
    return !stream.second.request.empty() || stream.second.exchange != nullptr;
  });
}

HttpFields Session::Fields() const { return {{"Mcp-Session-Id", id_}}; }

uint64_t Session::Post(const Message& message, std::string_view line, const Accepts& accepts,
                       ExchangePtr exchange) {
  if (message.kind != Message::Kind::kRequest) {
    exchange->Respond({.status = 202, .content_type = "", .body = "", .fields = {}});
    front_->FromClient(message, line);
    if (message.method == "notifications/cancelled") EndCancelled(message);
    return 0;
  }
  if (by_request_.contains(message.id)) {
    exchange->Respond(
        {.status = 400,
         .content_type = "application/json",
         .body = ErrorLine(message.id_token, kInvalidRequest, "`id`: got one that is in use"),
         .fields = {}});
    return 0;
  }
  const uint64_t number = ++last_stream_;
  by_request_[message.id] = number;
  streams_[number] = {.request = message.id,
                      .exchange = nullptr,
                      .accepts_json = accepts.json,
                      .accepts_events = accepts.events,
                      .is_initialize = message.method == "initialize",
                      .has_events = false};
  Attach(number, std::move(exchange));
  if (!accepts.json) Begin(number);
  front_->FromClient(message, line);
  return number;
}

void Session::Attach(uint64_t number, ExchangePtr exchange) {
  exchange->OnGone([this, alive = std::weak_ptr<const bool>(alive_), number,
                    gone = std::weak_ptr<Exchange>(exchange)] {
    if (alive.expired()) return;
    const auto found = streams_.find(number);
    // Another one may have taken its place.
    if (found == streams_.end() || found->second.exchange != gone.lock()) return;
    found->second.exchange = nullptr;
    if (number == kGetStream) streams_.erase(found);
  });
  streams_.at(number).exchange = std::move(exchange);
}

void Session::BeginEvents(uint64_t stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end() || !found->second.accepts_events) return;
  if (found->second.exchange != nullptr && !found->second.exchange->is_stream()) Begin(stream);
}

void Session::Begin(uint64_t number) {
  Stream& stream = streams_.at(number);
  stream.exchange->BeginEvents(Fields());
  // Before `initialize` is answered nobody knows what the client reads.
  if (version_ < kPrimingSince || version_.empty()) return;
  stream.has_events = true;
  stream.exchange->SendEvents(PrimingEvent(events_.Add(number, "")));
}

void Session::Get(std::optional<std::string_view> last_event_id, ExchangePtr exchange) {
  const auto last = last_event_id ? EventId::Parse(*last_event_id) : std::nullopt;
  // An id that is not one of this session begins afresh.
  const bool resumes = last && events_.Knows(*last);
  const uint64_t number = resumes ? last->stream : kGetStream;
  const auto found = streams_.find(number);
  if (found != streams_.end() && found->second.exchange != nullptr) {
    // The one that was there is dead, or soon will be.
    const ExchangePtr old = std::exchange(found->second.exchange, nullptr);
    if (!old->is_stream()) {
      old->Respond({.status = 409, .content_type = "", .body = "", .fields = {}});
    } else {
      old->EndEvents();
    }
  }
  const bool is_live = number == kGetStream || found != streams_.end();
  if (is_live) {
    streams_[number].accepts_json = false;
    Attach(number, exchange);
  }
  exchange->BeginEvents(Fields());
  const EventId after = resumes ? *last : EventId{kGetStream, told_on_get_};
  for (const StoredEvent& event : events_.After(after)) {
    exchange->SendEvents(ServerSentEvent(event.id.ToString(), event.data));
    if (number == kGetStream) told_on_get_ = std::max(told_on_get_, event.id.number);
  }
  if (!is_live) return exchange->EndEvents();
  // A comment, so that the client sees at once that the stream stands.
  exchange->SendEvents(kKeepAliveComment);
}

void Session::ToClient(std::string_view line, const IdKey& related) {
  const Outline outline = OutlineOf(line);
  if (!outline.has_method) {
    const auto found = by_request_.find(outline.id);
    if (found != by_request_.end()) Answer(found->second, line);
    return;
  }
  const auto found = by_request_.find(related);
  const uint64_t number = found == by_request_.end() ? kGetStream : found->second;
  if (number == kGetStream) return SendEvent(number, line);
  Stream& stream = streams_.at(number);
  if (!stream.accepts_events) return SendEvent(kGetStream, line);
  if (stream.exchange != nullptr && !stream.exchange->is_stream()) Begin(number);
  SendEvent(number, line);
}

void Session::Answer(uint64_t number, std::string_view line) {
  Stream& stream = streams_.at(number);
  if (stream.is_initialize) OnInitialized(line);
  if (stream.exchange != nullptr && !stream.exchange->is_stream()) {
    stream.exchange->Respond({.status = 200,
                              .content_type = "application/json",
                              .body = std::string(line),
                              .fields = has_failed_ ? HttpFields() : Fields()});
  } else if (stream.exchange != nullptr || stream.has_events) {
    SendEvent(number, line);
    if (stream.exchange != nullptr) stream.exchange->EndEvents();
  }
  // Else the client has left, and has nothing to come back with.
  by_request_.erase(stream.request);
  streams_.erase(number);
}

void Session::EndCancelled(const Message& message) {
  const auto token = message.Param("requestId");
  const auto id = token ? KeyOfId(*token) : std::nullopt;
  const auto found = id ? by_request_.find(*id) : by_request_.end();
  if (found == by_request_.end()) return;
  Stream& stream = streams_.at(found->second);
  if (stream.is_initialize) return;  // cannot be cancelled
  if (stream.exchange != nullptr) {
    if (!stream.exchange->is_stream() && stream.accepts_events) Begin(found->second);
    if (stream.exchange->is_stream()) {
      stream.exchange->EndEvents();
    } else {
      stream.exchange->Respond({.status = 202, .content_type = "", .body = "", .fields = {}});
    }
  }
  streams_.erase(found->second);
  by_request_.erase(found);
}

void Session::OnInitialized(std::string_view line) {
  const auto read = ReadMessage(line);
  const Message* message = std::get_if<Message>(&read);
  const auto version = message != nullptr && message->kind == Message::Kind::kResult
                           ? message->body->Find("protocolVersion")
                           : std::nullopt;
  if (version && version->is_string()) {
    version_ = version->string();
  } else {
    has_failed_ = true;
  }
}

void Session::SendEvent(uint64_t number, std::string_view line) {
  const EventId id = events_.Add(number, line);
  const auto found = streams_.find(number);
  if (found == streams_.end()) return;
  found->second.has_events = true;
  if (found->second.exchange == nullptr) return;
  found->second.exchange->SendEvents(ServerSentEvent(id.ToString(), line));
  if (number == kGetStream) told_on_get_ = id.number;
}

}  // namespace bridgekeeper::bridge
