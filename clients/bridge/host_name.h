// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What both programs of the bridge tell keeperd of where they run.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HOST_NAME_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HOST_NAME_H_

#include <unistd.h>

#include <array>
#include <string>

#include "absl/time/time.h"

namespace bridgekeeper::bridge {

// How long the last decisions may take to reach keeperd when the bridge ends.
inline constexpr absl::Duration kFlushTimeout = absl::Milliseconds(500);

inline std::string HostName() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HOST_NAME_H_
