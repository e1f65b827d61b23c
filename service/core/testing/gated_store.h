// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// GatedStore is another store whose reads of apps a test can count, hold and fail.
//
// Thread safety: all methods may be called at the same time; the hooks are set before.

#ifndef BRIDGEKEEPER_SERVICE_CORE_TESTING_GATED_STORE_H_
#define BRIDGEKEEPER_SERVICE_CORE_TESTING_GATED_STORE_H_

#include <atomic>
#include <functional>
#include <utility>

#include "store/testing/faulty_store.h"

namespace bridgekeeper::service {

class GatedStore : public store::FaultyStore {
 public:
  using FaultyStore::FaultyStore;

  // Called with the number of the read (from 1), before it and after it.
  std::function<void(int)> before_read;
  std::function<void(int)> after_read;

  int reads() const { return reads_; }

  absl::StatusOr<AppSnapshot> ReadApp(const AppId& app) const override {
    const int number = ++reads_;
    if (before_read) before_read(number);
    auto snapshot = FaultyStore::ReadApp(app);
    if (after_read) after_read(number);
    return snapshot;
  }

 private:
  mutable std::atomic<int> reads_ = 0;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_TESTING_GATED_STORE_H_
