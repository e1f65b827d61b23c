// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/stall_guard.h"

#include <pthread.h>

#include <utility>
#include <vector>

namespace bridgekeeper::service {

StallGuard::StallGuard(absl::Duration timeout, const Clock& clock, Metrics& metrics)
    : timeout_(timeout), clock_(clock), metrics_(metrics), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "stall-guard");
}

StallGuard::~StallGuard() {
  MutexLock lock(mu_);
  closing_ = true;
  changed_.NotifyAll();
}

void StallGuard::Add(const std::shared_ptr<Stallable>& rpc) {
  MutexLock lock(mu_);
  rpcs_.emplace(rpc.get(), rpc);
}

void StallGuard::Remove(Stallable* rpc) {
  std::shared_ptr<Stallable> gone;  // destroyed after the lock is released
  MutexLock lock(mu_);
  const auto it = rpcs_.find(rpc);
  if (it == rpcs_.end()) return;
  gone = std::move(it->second);
  rpcs_.erase(it);
}

void StallGuard::Run() {
  std::vector<std::shared_ptr<Stallable>> rpcs;
  while (true) {
    {
      MutexLock lock(mu_);
      if (!closing_) changed_.WaitFor(mu_, absl::ToChronoNanoseconds(timeout_ / 4));
      if (closing_) return;
      for (const auto& [key, rpc] : rpcs_) rpcs.push_back(rpc);
    }
    const absl::Duration before = clock_.SinceBoot() - timeout_;
    for (const auto& rpc : rpcs) {
      if (rpc->CutIfStalled(before)) ++metrics_.stalled_rpcs;
    }
    rpcs.clear();
  }
}

}  // namespace bridgekeeper::service
