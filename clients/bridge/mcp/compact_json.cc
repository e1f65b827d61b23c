// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/compact_json.h"

#include "policy/base/ascii.h"

namespace bridgekeeper::bridge {
namespace {

// Behind the string that begins at `begin`.
size_t EndOfString(std::string_view json, size_t begin) {
  size_t i = begin + 1;
  while (i < json.size() && json[i] != '"') i += json[i] == '\\' ? 2 : 1;
  return i < json.size() ? i + 1 : json.size();
}

}  // namespace

std::optional<std::string> CompactJson(std::string_view json) {
  std::string out;
  size_t kept = 0;  // everything before is in `out`
  bool has_space = false;
  for (size_t i = 0; i < json.size();) {
    if (json[i] == '"') {
      i = EndOfString(json, i);
    } else if (IsJsonSpace(json[i])) {
      if (!has_space) out.reserve(json.size());
      has_space = true;
      out.append(json, kept, i - kept);
      kept = ++i;
    } else {
      ++i;
    }
  }
  if (!has_space) return std::nullopt;
  out.append(json, kept);
  return out;
}

}  // namespace bridgekeeper::bridge
