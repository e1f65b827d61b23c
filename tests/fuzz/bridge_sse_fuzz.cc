// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The parser of server-sent events. The first byte says how the rest is cut; however it
// is, the events are the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clients/bridge/upstream/sse_parser.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

constexpr size_t kLimit = 256;

struct Outcome {
  std::vector<std::string> events;
  std::string last_event_id;
  bool ok = true;
};

Outcome Parse(std::string_view bytes, size_t step) {
  Outcome outcome;
  SseParser parser(kLimit);
  while (!bytes.empty() && outcome.ok) {
    const std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    outcome.ok = parser
                     .Feed(piece,
                           [&](std::string_view data) {
                             BK_CHECK(data.size() <= kLimit);
                             outcome.events.emplace_back(data);
                           })
                     .ok();
  }
  outcome.last_event_id = parser.last_event_id();
  for (const char c : outcome.last_event_id) BK_CHECK(c >= ' ' && c < 0x7f);
  return outcome;
}

}  // namespace
}  // namespace bridgekeeper::bridge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bridgekeeper::bridge::Outcome;
  using bridgekeeper::bridge::Parse;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = Parse(bytes, bytes.size() + 1);
  const Outcome pieces = Parse(bytes, data[0] % 16 + 1);
  BK_CHECK(whole.ok == pieces.ok);
  BK_CHECK(whole.events == pieces.events);
  BK_CHECK(whole.last_event_id == pieces.last_event_id);
  return 0;
}
