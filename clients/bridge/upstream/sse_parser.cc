// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/sse_parser.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// Longest wait that a server may ask for.
constexpr int64_t kMaxRetryMs = 60'000;

}  // namespace

absl::Status SseParser::Feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (skip_lf_) {
      skip_lf_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (line_.size() + data_.size() > max_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("got an event of more than %d bytes", max_bytes_));
    }
    if (end == std::string_view::npos) return absl::OkStatus();
    skip_lf_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string_view line = line_;
    if (at_beginning_ && line.starts_with(kByteOrderMark)) {
      line.remove_prefix(kByteOrderMark.size());
    }
    at_beginning_ = false;
    TakeLine(line, on_event);
    line_.clear();
  }
  return absl::OkStatus();
}

void SseParser::TakeLine(std::string_view line, const OnEvent& on_event) {
  if (line.empty()) {
    if (has_id_) last_event_id_ = id_;
    if (has_data_ || has_id_) on_event(data_);
    data_.clear();
    has_data_ = false;
    has_id_ = false;
    return;
  }
  const size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (field == "id") {
    // It comes back in a header: what could end one, or is too long, is none.
    const bool is_fit =
        value.size() <= kMaxSseIdBytes &&
        std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 0x7f; });
    if (is_fit) {
      id_ = value;
      has_id_ = true;
    }
  } else if (field == "retry") {
    int64_t ms = 0;
    const bool is_digits =
        std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_digits && absl::SimpleAtoi(AsAbsl(value), &ms)) {
      retry_ = absl::Milliseconds(std::min(ms, kMaxRetryMs));
    }
  }
}

}  // namespace bridgekeeper::bridge
