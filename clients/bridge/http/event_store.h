// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The events that were sent to one session, for a client that comes back with
// Last-Event-ID. Bounded: the oldest are forgotten first.
//
// Thread safety: used by one thread.
// Source: MCP 2025-11-25, transports, resumability and redelivery.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_EVENT_STORE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_EVENT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::bridge {

// What is kept of one session, and of all sessions together.
inline constexpr size_t kMaxSessionEvents = 256;
inline constexpr size_t kMaxSessionEventBytes = 4 << 20;
inline constexpr size_t kMaxAllEventBytes = 128 << 20;

// Names an event: its stream, and its place among all events of the session.
struct EventId {
  uint64_t stream = 0;
  uint64_t number = 0;

  std::string ToString() const;
  // nullopt: not one of ours.
  static std::optional<EventId> Parse(std::string_view text);
  friend bool operator==(const EventId&, const EventId&) = default;
};

struct StoredEvent {
  EventId id;
  std::string data;  // empty: it only gives the client an id to come back with
};

// Bytes that all sessions keep.
class EventBudget {
 public:
  size_t used() const { return used_; }

 private:
  friend class EventStore;
  size_t used_ = 0;
};

class EventStore {
 public:
  // `budget` must outlive it.
  explicit EventStore(EventBudget& budget) : budget_(budget) {}
  ~EventStore();
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;

  // Keeps an event, and returns its id.
  EventId Add(uint64_t stream, std::string_view data);

  // True where the event was given out by this session, kept or not.
  bool Knows(const EventId& id) const { return id.number <= last_ && id.number > 0; }

  // What was kept of a stream after an event, in order.
  std::vector<StoredEvent> After(const EventId& id) const;

  size_t size() const { return events_.size(); }

 private:
  void DropOldest();

  EventBudget& budget_;
  std::deque<StoredEvent> events_;
  size_t bytes_ = 0;
  uint64_t last_ = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_EVENT_STORE_H_
