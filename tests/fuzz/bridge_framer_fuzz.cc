// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The framer of the stdio bridge: the first byte says in which pieces the rest
// arrives. However it is cut, the frames are the same, no frame holds a line end or
// more than the limit, and no more than the limit and a piece is held.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/bridge/mcp/framer.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

constexpr size_t kLimit = 32;

std::vector<std::pair<Frame::Kind, std::string>> FramesOf(std::string_view stream, size_t piece) {
  LineFramer framer(kLimit);
  std::vector<std::pair<Frame::Kind, std::string>> frames;
  const auto take = [&](const Frame& frame) {
    const bool is_line =
        frame.kind == Frame::Kind::kLine || frame.kind == Frame::Kind::kBareCarriageReturn;
    BK_CHECK(frame.text.find('\n') == std::string_view::npos);
    BK_CHECK(!is_line || frame.text.size() <= kLimit);
    BK_CHECK(!is_line || (frame.text.find('\r') != std::string_view::npos) ==
                             (frame.kind == Frame::Kind::kBareCarriageReturn));
    // What is shown of a line that is too long depends on the pieces.
    frames.emplace_back(frame.kind, is_line ? std::string(frame.text) : std::string());
  };
  while (!stream.empty()) {
    const std::string_view bytes = stream.substr(0, piece);
    const auto room = framer.Prepare(bytes.size());
    std::copy(bytes.begin(), bytes.end(), room.begin());
    framer.Commit(bytes.size());
    while (const auto frame = framer.Next()) take(*frame);
    BK_CHECK(framer.buffered_bytes() <= std::max(kLimit + 1, kShownOfLongLineBytes) + piece);
    stream.remove_prefix(bytes.size());
  }
  if (const auto frame = framer.Finish()) take(*frame);
  return frames;
}

}  // namespace
}  // namespace bridgekeeper::bridge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bridgekeeper::bridge::FramesOf;
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t piece = data[0] % 64 + size_t{1};
  BK_CHECK(FramesOf(stream, piece) == FramesOf(stream, stream.size() + 1));
  return 0;
}
