// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What sees that an attack has reached the world around an engine.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_PROBES_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_PROBES_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {

// What stands where nobody should see it.
inline constexpr std::string_view kCanary = "canary-7f3a19";

// Listens on a port of the loopback address, and ends every connection at once.
class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }

  // Connections that others have made so far. Makes one of its own and waits for its end:
  // what came before it was counted.
  int Count();

 private:
  void Serve();

  UniqueFd socket_;
  UniqueFd stop_;
  int port_ = 0;
  std::atomic<int> accepted_ = 0;
  int own_ = 0;
  std::thread thread_;
};

// Names, sizes and digests of all that lies in a folder; of a file, its own.
std::string DigestOf(const std::string& path);

// Most memory that this process has had, in bytes.
int64_t PeakMemory();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_PROBES_H_
