// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/exchange.h"

#include <algorithm>

namespace bridgekeeper::bridge {

std::optional<std::string_view> HttpRequest::Field(std::string_view lower_name) const {
  for (const auto& [name, value] : fields) {
    if (name == lower_name) return value;
  }
  return std::nullopt;
}

size_t HttpRequest::Count(std::string_view lower_name) const {
  return static_cast<size_t>(std::count_if(
      fields.begin(), fields.end(), [&](const auto& field) { return field.first == lower_name; }));
}

void Exchange::Respond(HttpResponse response) {
  if (ended_ || gone_ || is_stream_) return;
  response_ = std::move(response);
  ended_ = true;
  Changed();
}

void Exchange::BeginEvents(HttpFields fields) {
  if (ended_ || gone_ || is_stream_) return;
  is_stream_ = true;
  response_.fields = std::move(fields);
  Changed();
}

void Exchange::SendEvents(std::string_view bytes) {
  if (ended_ || gone_ || !is_stream_) return;
  queue_ += bytes;
  Changed();
}

void Exchange::EndEvents() {
  if (ended_ || gone_ || !is_stream_) return;
  ended_ = true;
  Changed();
}

void Exchange::SetGone() {
  if (gone_) return;
  const bool was_open = !ended_;
  gone_ = true;
  queue_ = {};
  on_change_ = nullptr;
  // Once: what it holds may hold this.
  const auto on_gone = std::exchange(on_gone_, nullptr);
  if (was_open && on_gone) on_gone();
}

std::string ServerSentEvent(std::string_view id, std::string_view data) {
  std::string out;
  out.reserve(id.size() + data.size() + 16);
  if (!id.empty()) {
    out += "id: ";
    out += id;
    out += '\n';
  }
  out += "data: ";
  out += data;
  out += "\n\n";
  return out;
}

}  // namespace bridgekeeper::bridge
