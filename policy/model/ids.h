// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Identifiers with different meanings are different types, so that two strings
// cannot be swapped. An id is compared byte for byte.
//
// Source: policy/spec.md, clauses I1 to I3.

#ifndef BRIDGEKEEPER_POLICY_MODEL_IDS_H_
#define BRIDGEKEEPER_POLICY_MODEL_IDS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bridgekeeper {

// Longest app, connection, server or tool id, in bytes. The shortest has 1.
inline constexpr size_t kMaxIdBytes = 128;

// True where `id` is 1 to 128 bytes of [A-Za-z0-9._:@/-]: an app, connection or
// server id.
bool IsValidId(std::string_view id);

// True where `name` is 1 to 128 bytes of [A-Za-z0-9_.-], MCP's own set for tool
// names (MCP 2025-11-25, server/tools, "Tool Names"), or of the set of IsValidId.
bool IsValidToolName(std::string_view name);

// Says what is wrong with an id in words: "got 300 bytes, want 1 to 128", "got
// `a b`, want only [A-Za-z0-9._:@/-]". REQUIRES: !IsValidId(id)
std::string DescribeInvalidId(std::string_view id);

template <typename Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string value) : value_(std::move(value)) {}
  explicit Id(std::string_view value) : value_(value) {}
  explicit Id(const char* value) : value_(value) {}

  const std::string& value() const { return value_; }
  bool empty() const { return value_.empty(); }

  friend auto operator<=>(const Id&, const Id&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const Id& id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  std::string value_;
};

using AppId = Id<struct AppTag>;
using ConnectionId = Id<struct ConnectionTag>;
using ServerId = Id<struct ServerTag>;
using ToolName = Id<struct ToolTag>;

// A revision counts commits: 1 for the first; 0 means "none yet".
struct Revision {
  int64_t value = 0;
  friend auto operator<=>(const Revision&, const Revision&) = default;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_MODEL_IDS_H_
