// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/safe_function.h"

#include <algorithm>
#include <utility>

#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

// Takes one name from the front of `text`; nullopt: none stands there.
std::optional<SafeFunction::Part> TakeName(std::string_view& text) {
  SafeFunction::Part part;
  if (!text.starts_with('"')) {
    const size_t end = std::min(text.find_first_of(".(\""), text.size());
    part.text = text.substr(0, end);
    text.remove_prefix(end);
  } else {
    part.quoted = true;
    while (text.starts_with('"')) {
      const size_t end = text.find('"', 1);
      if (end == text.npos) return std::nullopt;
      part.text += text.substr(1, end - 1);
      text.remove_prefix(end + 1);
      if (text.starts_with('"')) part.text += '"';
    }
  }
  if (part.text.empty()) return std::nullopt;
  return part;
}

// The number of types in `(numeric(10, 2), text)`; nullopt: no such list.
std::optional<size_t> CountTypes(std::string_view list) {
  if (list.size() < 2 || !list.ends_with(')')) return std::nullopt;
  const std::string_view types = list.substr(1, list.size() - 2);
  if (types.find_first_not_of(' ') == types.npos) return 0;
  size_t count = 1;
  int depth = 0;
  for (const char c : types) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return std::nullopt;
    if (c == ',' && depth == 0) ++count;
  }
  return depth == 0 ? std::optional(count) : std::nullopt;
}

}  // namespace

std::string SafeFunction::Part::Folded() const { return quoted ? text : AsciiLower(text); }

std::optional<SafeFunction> ParseSafeFunction(std::string_view entry) {
  SafeFunction out;
  while (true) {
    std::optional<SafeFunction::Part> part = TakeName(entry);
    if (!part) return std::nullopt;
    if (!entry.starts_with('.')) {
      out.name = *std::move(part);
      break;
    }
    entry.remove_prefix(1);
    out.qualifiers.push_back(*std::move(part));
  }
  if (entry.empty()) return out;
  if (!entry.starts_with('(')) return std::nullopt;
  out.arguments = CountTypes(entry);
  if (!out.arguments) return std::nullopt;
  return out;
}

}  // namespace bridgekeeper
