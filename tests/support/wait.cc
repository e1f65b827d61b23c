// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/wait.h"

#include <pthread.h>
#include <time.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace bridgekeeper::support {

bool WaitUntil(const std::function<bool()>& condition, absl::Duration deadline) {
  const auto end = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(deadline);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

absl::Duration CpuTimeOf(std::thread::native_handle_type thread) {
  clockid_t clock;
  timespec used = {};
  if (pthread_getcpuclockid(thread, &clock) != 0) return absl::InfiniteDuration();
  if (clock_gettime(clock, &used) != 0) return absl::InfiniteDuration();
  return absl::DurationFromTimespec(used);
}

bool IsRunning(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

}  // namespace bridgekeeper::support
