// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/effects_view.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

// Bytes of a line that are shown before and after a place.
constexpr size_t kBefore = 60;
constexpr size_t kAfter = 40;

bool Continues(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

size_t Characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
}

void PrintPlace(std::string_view text, size_t position, std::ostream& out) {
  const std::string_view before = text.substr(0, position);
  size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  size_t end = std::min(text.find('\n', position), text.size());
  const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const bool cut_before = position - begin > kBefore;
  const bool cut_after = end - position > kAfter;
  if (cut_before) begin = position - kBefore;
  if (cut_after) end = position + kAfter;
  while (begin < position && Continues(text[begin])) ++begin;
  while (end > position && end < text.size() && Continues(text[end])) --end;

  const std::string left = absl::StrFormat("  %4d | %s%s", line, cut_before ? "..." : "",
                                           EscapeForPeople(text.substr(begin, position - begin)));
  out << left << EscapeForPeople(text.substr(position, end - position)) << (cut_after ? "..." : "")
      << '\n';
  out << std::string(Characters(left), ' ') << "^\n";
}

}  // namespace

void PrintEffects(std::string_view text, std::span<const Effect> effects, std::ostream& out) {
  for (const Effect& effect : effects) {
    out << absl::StrFormat("%s %s%s%s: %s", Name(effect.risk), EscapeForPeople(effect.kind),
                           effect.object.empty() ? "" : " ", EscapeForPeople(effect.object),
                           EscapeForPeople(effect.why));
    const bool shown = effect.position && *effect.position < text.size();
    if (effect.position && !shown) out << absl::StrFormat(" (at byte %d)", *effect.position);
    out << '\n';
    if (shown) PrintPlace(text, *effect.position, out);
  }
}

}  // namespace bridgekeeper::cli
