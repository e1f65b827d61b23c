// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeIdSource counts: its ids are 0...01, 0...02 and so on.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_RUNTIME_TESTING_FAKE_ID_SOURCE_H_
#define BRIDGEKEEPER_RUNTIME_TESTING_FAKE_ID_SOURCE_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "runtime/id_source.h"

namespace bridgekeeper {

class FakeIdSource : public IdSource {
 public:
  void Fill(std::span<uint8_t> out) override {
    uint64_t n = ++count_;
    for (size_t i = out.size(); i-- > 0; n >>= 8) out[i] = static_cast<uint8_t>(n);
  }

 private:
  std::atomic<uint64_t> count_ = 0;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_TESTING_FAKE_ID_SOURCE_H_
