// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The address of an MCP server that speaks Streamable HTTP.
//
// Source: RFC 3986 section 3; MCP 2025-11-25, transports, Streamable HTTP.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_SERVER_URL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_SERVER_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bridgekeeper::bridge {

inline constexpr size_t kMaxUrlBytes = 2048;

struct ServerUrl {
  bool tls = true;
  std::string host;    // lower case; an IPv6 address without its brackets
  uint16_t port = 0;   // the scheme's own where the text names none
  std::string target;  // path and query; "/" where there is none
  friend bool operator==(const ServerUrl&, const ServerUrl&) = default;
};

// Reads `https://HOST[:PORT][/PATH][?QUERY]`, or the same with `http` and a loopback
// host: what is said in the clear to another host can be read and changed on the way.
//
// Errors:
//   kInvalidArgument - another form, a user name, a fragment; the message says what was
//                      got and wanted.
absl::StatusOr<ServerUrl> ParseServerUrl(std::string_view text);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_SERVER_URL_H_
