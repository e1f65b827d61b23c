// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/model/ids.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

bool IsIdByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == ':' || c == '@' || c == '/' || c == '-';
}

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
