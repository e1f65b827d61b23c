// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// StallGuard ends RPCs whose client takes no data. What such a client does not read waits
// in our memory and holds a place in flight, for as long as it likes: its connection is
// alive, so keepalive does not notice.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_RPC_STALL_GUARD_H_
#define BRIDGEKEEPER_SERVICE_RPC_STALL_GUARD_H_

#include <memory>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "service/observe/metrics.h"

namespace bridgekeeper::service {

class StallGuard {
 public:
  // An RPC that can stall.
  class Stallable {
   public:
    virtual ~Stallable() = default;

    // Cancels the RPC where its client has taken nothing of what was written before
    // `before`, a time since boot; returns true where it did. Called without a lock of the
    // guard, maybe after Remove().
    virtual bool CutIfStalled(absl::Duration before) = 0;
  };

  // Cuts what is stalled for `timeout`, at most a quarter of it later. `clock` and
  // `metrics` must outlive it.
  StallGuard(absl::Duration timeout, const Clock& clock, Metrics& metrics);
  // REQUIRES: every RPC was removed
  ~StallGuard();

  void Add(const std::shared_ptr<Stallable>& rpc);

  // Gives up the guard's share of `rpc`.
  void Remove(Stallable* rpc);

 private:
  void Run();

  const absl::Duration timeout_;
  const Clock& clock_;
  Metrics& metrics_;

  Mutex mu_;
  CondVar changed_;
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  absl::flat_hash_map<Stallable*, std::shared_ptr<Stallable>> rpcs_ ABSL_GUARDED_BY(mu_);

  std::jthread thread_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_STALL_GUARD_H_
