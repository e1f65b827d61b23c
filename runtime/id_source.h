// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// IdSource makes what must not be guessed or repeated: decision ids, marks of a run,
// incarnations, nonces, tokens.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_RUNTIME_ID_SOURCE_H_
#define BRIDGEKEEPER_RUNTIME_ID_SOURCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "policy/base/mutex.h"

namespace bridgekeeper {

class IdSource {
 public:
  virtual ~IdSource() = default;

  // Fills `out` with unpredictable bytes.
  virtual void Fill(std::span<uint8_t> out) = 0;

  // Returns 32 lower-case hexadecimal digits (128 bits).
  std::string NewId();
};

// The kernel's random numbers (getrandom(2)), read a page at a time: an id costs a
// copy, not a system call.
class RandomIdSource : public IdSource {
 public:
  void Fill(std::span<uint8_t> out) override;

 private:
  Mutex mu_;
  std::array<uint8_t, 4096> buffer_ ABSL_GUARDED_BY(mu_) = {};
  size_t used_ ABSL_GUARDED_BY(mu_) = buffer_.size();
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_ID_SOURCE_H_
