// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// UniqueFd owns a file descriptor and closes it.

#ifndef BRIDGEKEEPER_RUNTIME_UNIQUE_FD_H_
#define BRIDGEKEEPER_RUNTIME_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace bridgekeeper {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { Reset(); }

  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = other.Release();
    }
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;

  // The descriptor, or -1 where there is none.
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  // Hands the descriptor over: the caller closes it.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }

  void Reset() {
    // An error of close(2) leaves the descriptor closed on Linux.
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_UNIQUE_FD_H_
