// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SnapshotCell holds the current version of an immutable value: readers copy one
// pointer, writers swap it.
//
// Thread safety: all methods may be called at the same time.
// Source: std::atomic<std::shared_ptr> of libstdc++ 12 is reported by
// ThreadSanitizer, a pointer copy under a mutex is not.

#ifndef BRIDGEKEEPER_POLICY_BASE_SNAPSHOT_CELL_H_
#define BRIDGEKEEPER_POLICY_BASE_SNAPSHOT_CELL_H_

#include <memory>
#include <utility>

#include "policy/base/mutex.h"

namespace bridgekeeper {

template <typename T>
class SnapshotCell {
 public:
  SnapshotCell() = default;
  explicit SnapshotCell(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  // Returns the current value, or null where none was stored yet.
  std::shared_ptr<const T> Load() const {
    MutexLock lock(mu_);
    return value_;
  }

  void Store(std::shared_ptr<const T> value) {
    // The old value is destroyed outside the lock: it may be large.
    MutexLock lock(mu_);
    value_.swap(value);
  }

 private:
  mutable Mutex mu_;
  std::shared_ptr<const T> value_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_SNAPSHOT_CELL_H_
