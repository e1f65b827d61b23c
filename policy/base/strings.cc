// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/base/strings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "absl/strings/str_format.h"

#include "policy/base/ascii.h"

namespace bridgekeeper {
namespace {

// Optimal string alignment distance: one insertion, deletion, substitution or
// swap of neighbours costs 1.
size_t Distance(std::string_view a, std::string_view b) {
  const size_t columns = b.size() + 1;
  std::vector<size_t> before(columns), previous(columns), current(columns);
  for (size_t j = 0; j < columns; ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j < columns; ++j) {
      const bool same = ToAsciiLower(a[i - 1]) == ToAsciiLower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && ToAsciiLower(a[i - 1]) == ToAsciiLower(b[j - 2]) &&
          ToAsciiLower(a[i - 2]) == ToAsciiLower(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

struct CodePoint {
  uint32_t value;
  size_t length;  // 0: the byte at this position starts no valid sequence
};

CodePoint Decode(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(at);
  if (first < 0x80) return {first, 1};
  size_t length = 0;
  uint32_t value = 0;
  uint32_t smallest = 0;
  if ((first & 0xE0) == 0xC0) {
    length = 2, value = first & 0x1Fu, smallest = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3, value = first & 0x0Fu, smallest = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4, value = first & 0x07u, smallest = 0x10000;
  } else {
    return {0, 0};
  }
  if (at + length > text.size()) return {0, 0};
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {0, 0};
    value = (value << 6) | (byte(at + i) & 0x3Fu);
  }
  if (value < smallest || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {0, 0};
  return {value, length};
}

bool NeedsEscape(uint32_t c) {
  struct Block {
    uint32_t first, last;
  };
  constexpr Block kBlocks[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x061C, 0x061C},
      {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}, {0xE0100, 0xE01EF},
  };
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [c](const Block& block) { return c >= block.first && c <= block.last; });
}

}  // namespace

std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> candidates) {
  // The cost of Distance is the product of the lengths, so an over-long name
  // gets no hint.
  constexpr size_t kLongestName = 64;
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  std::optional<std::string_view> best;
  size_t best_distance = std::min<size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const size_t distance = Distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::optional<size_t> FirstInvalidUtf8(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  for (size_t i = 0; i < text.size();) {
    // Nearly all text is ASCII: eight bytes at a time.
    uint64_t word;
    if (text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & kHighBits) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const CodePoint point = Decode(text, i);
    if (point.length == 0) return i;
    i += point.length;
  }
  return std::nullopt;
}

std::string EscapeForPeople(std::string_view text, size_t max_bytes) {
  // Nearly all text is of this kind, and a bridge escapes a dozen of them a call.
  const bool is_plain =
      text.size() <= max_bytes &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
  if (is_plain) return std::string(text);
  constexpr std::string_view kCut = "...";
  std::string out;
  size_t cut_at = 0;  // the longest whole prefix of `out` that leaves room for kCut
  for (size_t i = 0; i < text.size();) {
    if (out.size() + kCut.size() <= max_bytes) cut_at = out.size();
    const CodePoint point = Decode(text, i);
    if (point.length == 0) {
      out += absl::StrFormat("\\x%02x", static_cast<uint8_t>(text[i]));
      i += 1;
    } else {
      if (NeedsEscape(point.value)) {
        out += absl::StrFormat("\\u{%04x}", point.value);
      } else {
        out += text.substr(i, point.length);
      }
      i += point.length;
    }
    if (out.size() > max_bytes) {
      out.resize(cut_at);
      out += kCut.substr(0, max_bytes - cut_at);
      break;
    }
  }
  return out;
}

void AppendQuotedForPeople(std::string_view text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = Decode(text, i);
    if (point.length == 0) {
      out += "\\ufffd";
      i += 1;
      continue;
    }
    if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += text[i];
    } else if (NeedsEscape(point.value) && point.value <= 0xFFFF) {
      out += absl::StrFormat("\\u%04x", point.value);
    } else {
      out += text.substr(i, point.length);
    }
    i += point.length;
  }
  out += '"';
}

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), ToAsciiLower);
  return out;
}

std::string HexEncode(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xF];
  }
  return out;
}

}  // namespace bridgekeeper
