// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/id_source.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <algorithm>

#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

void ReadKernelRandom(std::span<uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    // With no flags it fails only for a bad address or a kernel older than 3.17.
    BK_CHECK(got > 0);
    out = out.subspan(static_cast<size_t>(got));
  }
}

}  // namespace

std::string IdSource::NewId() {
  std::array<uint8_t, 16> bytes;
  Fill(bytes);
  return HexEncode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void RandomIdSource::Fill(std::span<uint8_t> out) {
  MutexLock lock(mu_);
  while (!out.empty()) {
    if (used_ == buffer_.size()) {
      ReadKernelRandom(buffer_);
      used_ = 0;
    }
    const size_t n = std::min(out.size(), buffer_.size() - used_);
    std::copy_n(buffer_.begin() + static_cast<ptrdiff_t>(used_), n, out.begin());
    // What was handed out is not kept: a later leak of this buffer tells no token.
    explicit_bzero(buffer_.data() + used_, n);
    used_ += n;
    out = out.subspan(n);
  }
}

}  // namespace bridgekeeper
