// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// StopSignal tells a thread that waits in poll(2) to give up what it does.
//
// Thread safety: all methods may be called at the same time.
// Source: eventfd(2).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_STOP_SIGNAL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_STOP_SIGNAL_H_

#include <sys/eventfd.h>

#include <atomic>

#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {

class StopSignal {
 public:
  StopSignal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // False: no descriptor was left; who waits would not be told.
  bool ok() const { return static_cast<bool>(fd_); }

  void Raise() {
    raised_ = true;
    eventfd_write(fd_.get(), 1);
  }
  bool raised() const { return raised_; }

  // Readable from Raise() on.
  int fd() const { return fd_.get(); }

 private:
  const UniqueFd fd_;
  std::atomic<bool> raised_ = false;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_STOP_SIGNAL_H_
