// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/wait.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
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
  // By hand: a stream throws where the process ends between open(2) and read(2).
  const int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 1024> buffer;
  const ssize_t n = read(file, buffer.data(), buffer.size());
  close(file);
  const std::string_view text(buffer.data(), n < 0 ? 0 : static_cast<size_t>(n));
  const size_t name_end = text.rfind(") ");
  return name_end != std::string_view::npos && name_end + 2 < text.size() &&
         text[name_end + 2] != 'Z';
}

}  // namespace bridgekeeper::support
