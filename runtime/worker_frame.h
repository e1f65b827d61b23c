// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// How a message goes through the pipe between a WorkerPool and its worker: four bytes of
// size, the least significant first, then the message.

#ifndef BRIDGEKEEPER_RUNTIME_WORKER_FRAME_H_
#define BRIDGEKEEPER_RUNTIME_WORKER_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bridgekeeper {

inline constexpr size_t kWorkerHeaderBytes = 4;

// REQUIRES: message.size() <= kMaxWorkerMessageBytes
inline std::string FrameOf(std::string_view message) {
  std::string frame;
  frame.reserve(kWorkerHeaderBytes + message.size());
  const auto size = static_cast<uint32_t>(message.size());
  for (size_t i = 0; i < kWorkerHeaderBytes; ++i) frame += static_cast<char>(size >> (8 * i));
  frame += message;
  return frame;
}

// The size of the message behind a header. REQUIRES: kWorkerHeaderBytes bytes
inline size_t MessageSizeOf(std::string_view header) {
  uint32_t size = 0;
  for (size_t i = 0; i < kWorkerHeaderBytes; ++i) {
    size |= static_cast<uint32_t>(static_cast<unsigned char>(header[i])) << (8 * i);
  }
  return size;
}

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_WORKER_FRAME_H_
