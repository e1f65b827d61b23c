// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ClockMap is a map from string with a fixed number of places. When it is full, the
// next value takes the place of one that was not found since the hand last passed it
// (the clock algorithm: close to least-recently-used, and a hit writes one flag).
//
// Thread safety: none; its owner locks.

#ifndef BRIDGEKEEPER_SERVICE_CORE_CLOCK_MAP_H_
#define BRIDGEKEEPER_SERVICE_CORE_CLOCK_MAP_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/base/strings.h"

namespace bridgekeeper::service {

template <typename V>
class ClockMap {
 public:
  // REQUIRES: capacity >= 1
  explicit ClockMap(size_t capacity) : capacity_(capacity) {}

  size_t size() const { return index_.size(); }

  // The value under `key`, or null. Counts as a use.
  V* Find(std::string_view key) {
    const auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    Place& place = places_[it->second];
    place.used = true;
    return &place.value;
  }

  // Puts `value` under `key`, replacing what is there. Returns true where another
  // key's value had to go; `out` then holds it, so that it is destroyed by the caller
  // outside its lock.
  bool Put(std::string_view key, V value, V& out) {
    if (V* found = Find(key)) {
      std::swap(*found, value);
      out = std::move(value);
      return false;
    }
    bool evicted = false;
    uint32_t at = 0;
    if (!free_.empty()) {
      at = free_.back();
      free_.pop_back();
    } else if (places_.size() < capacity_) {
      at = static_cast<uint32_t>(places_.size());
      places_.emplace_back();
    } else {
      at = NextVictim();
      index_.erase(places_[at].key);
      out = std::move(places_[at].value);
      evicted = true;
    }
    // Not yet used: a key that is asked once must not outlive those asked often.
    places_[at] = Place{std::string(key), std::move(value), false};
    index_.emplace(std::string(key), at);
    return evicted;
  }

  // Takes the value under `key` out. Returns false where there is none.
  bool Take(std::string_view key, V& out) {
    const auto it = index_.find(key);
    if (it == index_.end()) return false;
    out = std::move(places_[it->second].value);
    places_[it->second] = Place{};
    free_.push_back(it->second);
    index_.erase(it);
    return true;
  }

 private:
  struct Place {
    std::string key;
    V value{};
    bool used = false;
  };

  // REQUIRES: every place is taken
  uint32_t NextVictim() {
    while (true) {
      const size_t at = hand_;
      hand_ = (hand_ + 1) % places_.size();
      if (!places_[at].used) return static_cast<uint32_t>(at);
      places_[at].used = false;
    }
  }

  const size_t capacity_;
  StringMap<uint32_t> index_;
  std::deque<Place> places_;
  std::vector<uint32_t> free_;
  size_t hand_ = 0;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_CLOCK_MAP_H_
