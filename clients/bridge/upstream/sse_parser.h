// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SseParser cuts a byte stream into server-sent events. Lines end in LF, CR or CR LF; a
// byte order mark at the beginning, comments and unknown fields are skipped; an event
// without data is told where it has an id, since it moves the place to come back to.
// What is longer than the limit ends the stream: it is of no use from there on.
//
// Thread safety: used by one thread at a time.
// Source: WHATWG HTML, section 9.2.6, interpreting an event stream.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_SSE_PARSER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_SSE_PARSER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace bridgekeeper::bridge {

// Longest line, and most data of one event.
inline constexpr size_t kMaxSseEventBytes = 16 << 20;
// Longest id that is kept; a longer one counts as none.
inline constexpr size_t kMaxSseIdBytes = 1024;

class SseParser {
 public:
  // `data`: the event's lines, joined by LF. Empty where the event only has an id.
  using OnEvent = std::function<void(std::string_view data)>;

  explicit SseParser(size_t max_event_bytes = kMaxSseEventBytes) : max_bytes_(max_event_bytes) {}

  // Takes in the next bytes of the stream.
  //
  // Errors:
  //   kResourceExhausted - an event is longer than the limit.
  absl::Status Feed(std::string_view bytes, const OnEvent& on_event);

  // The id of the last event that had one; it holds until another comes.
  const std::string& last_event_id() const { return last_event_id_; }
  // How long the server wants us to wait before we come back, where it said so.
  std::optional<absl::Duration> retry() const { return retry_; }

 private:
  void TakeLine(std::string_view line, const OnEvent& on_event);

  const size_t max_bytes_;
  std::string line_;  // what is there of the line that is being read
  std::string data_;
  bool has_data_ = false;
  bool has_id_ = false;
  bool at_beginning_ = true;
  bool skip_lf_ = false;  // the last byte was a CR
  std::string id_;
  std::string last_event_id_;
  std::optional<absl::Duration> retry_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_SSE_PARSER_H_
