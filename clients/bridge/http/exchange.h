// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// One HTTP request and its answer, without the library that reads and writes them.
//
// Thread safety: used by the thread that runs the io_context.
// Source: RFC 9110; WHATWG HTML, server-sent events, section 9.2.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_EXCHANGE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_EXCHANGE_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace bridgekeeper::bridge {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string path;   // without the query
  std::string query;  // without the `?`
  HttpFields fields;  // names in lower case, in the order in which they came
  std::string body;
  // The user whose process sent this.
  std::function<absl::StatusOr<uid_t>()> peer_uid;

  // The value of the field `lower_name`; nullopt where there is none. Of several the
  // first; Count() tells.
  std::optional<std::string_view> Field(std::string_view lower_name) const;
  size_t Count(std::string_view lower_name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;  // empty: there is no body
  std::string body;
  HttpFields fields;
};

// The answer to one request: a response, or a stream of server-sent events. What is
// given after an end, or once the client is gone, is dropped.
class Exchange {
 public:
  // Bytes of events that may wait for the client to read; with more it is cut off.
  static constexpr size_t kMaxQueuedBytes = 32 << 20;

  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // ---- for who answers

  void Respond(HttpResponse response);
  // Begins a stream. `fields` are sent with the head.
  void BeginEvents(HttpFields fields);
  // Sends bytes of the stream: whole events or comments.
  void SendEvents(std::string_view bytes);
  void EndEvents();

  bool is_open() const { return !gone_ && !ended_; }
  bool is_stream() const { return is_stream_; }
  // Called once, when the client leaves before the answer has ended; not from within a
  // method of this.
  void OnGone(std::function<void()> on_gone) { on_gone_ = std::move(on_gone); }

  // ---- for who writes the answer

  bool has_response() const { return ended_ && !is_stream_; }
  HttpResponse& response() { return response_; }
  HttpFields& stream_fields() { return response_.fields; }
  // The bytes that wait.
  std::string TakeBytes() { return std::exchange(queue_, {}); }
  bool has_bytes() const { return !queue_.empty(); }
  bool has_ended() const { return ended_; }
  // Of an answer that the client has not been sent yet, or of events.
  size_t unread_bytes() const { return queue_.size() + response_.body.size(); }
  bool has_too_much() const { return queue_.size() > kMaxQueuedBytes; }
  // Called whenever one of these has changed.
  void OnChange(std::function<void()> on_change) { on_change_ = std::move(on_change); }
  void SetGone();

 private:
  void Changed() {
    if (on_change_) on_change_();
  }

  HttpResponse response_;
  std::string queue_;
  bool is_stream_ = false;
  bool ended_ = false;
  bool gone_ = false;
  std::function<void()> on_change_;
  std::function<void()> on_gone_;
};

using ExchangePtr = std::shared_ptr<Exchange>;

// An event of a stream. `id` empty: it has none.
std::string ServerSentEvent(std::string_view id, std::string_view data);

// A comment, which keeps what stands between us and the client from cutting it.
inline constexpr std::string_view kKeepAliveComment = ": keep-alive\n\n";

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_EXCHANGE_H_
