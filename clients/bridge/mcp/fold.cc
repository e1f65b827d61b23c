// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/fold.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace bridgekeeper::bridge {
namespace {

struct Run {
  uint32_t first;
  uint32_t last;
  uint32_t stride;
  int32_t distance;
};

constexpr Run kRuns[] = {
#include "clients/bridge/mcp/fold_table.inc"
};

void AppendUtf8(char32_t c, std::string& out) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

// Reads the character at `at`, which moves behind it.
char32_t NextCharacter(std::string_view text, size_t& at) {
  const auto lead = static_cast<uint8_t>(text[at++]);
  if (lead < 0x80) return lead;
  const int trail_bytes = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t c = lead & (0x3Fu >> trail_bytes);
  for (int i = 0; i < trail_bytes && at < text.size(); ++i) {
    c = (c << 6) | (static_cast<uint8_t>(text[at++]) & 0x3Fu);
  }
  return c;
}

}  // namespace

char32_t SimpleFold(char32_t c) {
  const Run* run = std::lower_bound(std::begin(kRuns), std::end(kRuns), c,
                                    [](const Run& r, char32_t value) { return r.last < value; });
  if (run == std::end(kRuns) || c < run->first || (c - run->first) % run->stride != 0) return c;
  return static_cast<char32_t>(static_cast<int64_t>(c) + run->distance);
}

std::string SimpleFold(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) AppendUtf8(SimpleFold(NextCharacter(text, at)), out);
  return out;
}

}  // namespace bridgekeeper::bridge
