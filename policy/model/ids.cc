// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/model/ids.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

// A table: ids are checked on every decision.
constexpr auto kIdBytes = [] {
  std::array<bool, 256> allowed = {};
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789._:@/-")) {
    allowed[static_cast<uint8_t>(c)] = true;
  }
  return allowed;
}();

bool IsIdByte(char c) { return kIdBytes[static_cast<uint8_t>(c)]; }

}  // namespace

bool IsValidId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), IsIdByte);
}

// MCP's set is a subset of ours.
bool IsValidToolName(std::string_view name) { return IsValidId(name); }

std::string DescribeInvalidId(std::string_view id) {
  if (id.empty() || id.size() > kMaxIdBytes) {
    return absl::StrFormat("got %d bytes, want 1 to %d", id.size(), kMaxIdBytes);
  }
  return absl::StrFormat("got `%s`, want only [A-Za-z0-9._:@/-]", EscapeForPeople(id));
}

}  // namespace bridgekeeper
