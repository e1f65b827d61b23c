// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/event_store.h"

#include <charconv>

namespace bridgekeeper::bridge {
namespace {

// What an event takes besides its text.
constexpr size_t kEventOverhead = 64;

bool ParseNumber(std::string_view text, uint64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string EventId::ToString() const {
  return std::to_string(stream) + "-" + std::to_string(number);
}

std::optional<EventId> EventId::Parse(std::string_view text) {
  const size_t dash = text.find('-');
  EventId id;
  if (dash == std::string_view::npos || !ParseNumber(text.substr(0, dash), id.stream) ||
      !ParseNumber(text.substr(dash + 1), id.number)) {
    return std::nullopt;
  }
  return id;
}

EventStore::~EventStore() { budget_.used_ -= bytes_; }

EventId EventStore::Add(uint64_t stream, std::string_view data) {
  const EventId id{stream, ++last_};
  events_.push_back({id, std::string(data)});
  bytes_ += data.size() + kEventOverhead;
  budget_.used_ += data.size() + kEventOverhead;
  while (!events_.empty() &&
         (events_.size() > kMaxSessionEvents || bytes_ > kMaxSessionEventBytes ||
          budget_.used_ > kMaxAllEventBytes)) {
    DropOldest();
  }
  return id;
}

void EventStore::DropOldest() {
  const size_t bytes = events_.front().data.size() + kEventOverhead;
  bytes_ -= bytes;
  budget_.used_ -= bytes;
  events_.pop_front();
}

std::vector<StoredEvent> EventStore::After(const EventId& id) const {
  std::vector<StoredEvent> events;
  for (const StoredEvent& event : events_) {
    if (event.id.stream == id.stream && event.id.number > id.number && !event.data.empty()) {
      events.push_back(event);
    }
  }
  return events;
}

}  // namespace bridgekeeper::bridge
