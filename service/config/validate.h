// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What options must be together, beyond each on its own, and addresses.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_SERVICE_CONFIG_VALIDATE_H_
#define BRIDGEKEEPER_SERVICE_CONFIG_VALIDATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/config/options.h"

namespace bridgekeeper::service {

struct Address {
  std::string host;       // an IP literal without brackets; empty for a Unix socket
  uint16_t port = 0;      // 0: any
  std::string unix_path;  // empty for TCP
  bool loopback = false;  // nobody outside this machine reaches it
};

// Reads `127.0.0.1:7420`, `[::1]:7420`, `localhost:7420` (127.0.0.1) or `unix:PATH`.
// Names other than localhost are not looked up.
std::optional<Address> ParseAddress(std::string_view text);

// Appends everything that is wrong with the options together.
void Validate(const Options& options, std::vector<std::string>& problems);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CONFIG_VALIDATE_H_
