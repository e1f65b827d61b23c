// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Addresses that only this machine can reach.
//
// Thread safety: free functions without state.
// Source: RFC 1122 section 3.2.1.3 (127.0.0.0/8), RFC 4291 section 2.5.3 (::1).

#ifndef BRIDGEKEEPER_RUNTIME_LOOPBACK_ADDRESS_H_
#define BRIDGEKEEPER_RUNTIME_LOOPBACK_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bridgekeeper {

struct LoopbackAddress {
  std::string ip;     // an IP literal, IPv6 without brackets
  uint16_t port = 0;  // 0: any that is free
  friend bool operator==(const LoopbackAddress&, const LoopbackAddress&) = default;
};

// Reads `127.0.0.1:9120` or `[::1]:9120`. `why` says why it must be loopback, as in
// "a loopback address: the page has no password".
//
// Errors:
//   kInvalidArgument - another form, or an address that others can reach.
absl::StatusOr<LoopbackAddress> ParseLoopbackAddress(std::string_view text, std::string_view why);

bool IsIpAddress(std::string_view text);

// True for an IP literal of this machine alone; an IPv4 address inside an IPv6 one counts
// as what it is.
bool IsLoopbackIp(std::string_view text);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_LOOPBACK_ADDRESS_H_
