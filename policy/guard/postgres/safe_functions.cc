// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/safe_functions.h"

#include <algorithm>

namespace bridgekeeper::postgres {
namespace {

// Reads one SQL identifier from the front of `text`: quoted as it stands, plain
// without case.
std::string TakeIdentifier(std::string_view& text) {
  std::string out;
  if (!text.starts_with('"')) {
    const size_t end = std::min(text.find_first_of(".("), text.size());
    out = AsciiLower(text.substr(0, end));
    text.remove_prefix(end);
    return out;
  }
  text.remove_prefix(1);
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '"') {
      if (!text.starts_with('"')) break;
      text.remove_prefix(1);  // two stand for one
    }
    out += c;
  }
  return out;
}

// The number of types in `numeric(10, 2), text`.
size_t CountTypes(std::string_view types) {
  if (types.find_first_not_of(' ') == std::string_view::npos) return 0;
  size_t count = 1;
  int depth = 0;
  for (const char c : types) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) ++count;
  }
  return count;
}

}  // namespace

SafeFunctions::SafeFunctions(const std::set<std::string>& entries) {
  for (const std::string& entry : entries) {
    std::string_view text = entry;
    std::string schema = TakeIdentifier(text);
    if (!text.starts_with('.')) continue;
    text.remove_prefix(1);
    std::string name = TakeIdentifier(text);
    if (!text.starts_with('(') || !text.ends_with(')')) continue;
    entries_[std::move(name)].push_back(
        {std::move(schema), CountTypes(text.substr(1, text.size() - 2))});
  }
}

bool SafeFunctions::Cover(std::string_view schema, std::string_view name,
                          std::optional<size_t> arguments) const {
  const auto found = entries_.find(name);
  return found != entries_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](const Entry& entry) {
           return entry.arguments == arguments && (schema.empty() || entry.schema == schema);
         });
}

}  // namespace bridgekeeper::postgres
