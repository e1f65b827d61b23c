// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/framer.h"

#include <algorithm>
#include <cstring>

namespace bridgekeeper::bridge {
namespace {

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

LineFramer::LineFramer(size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

std::span<char> LineFramer::Prepare(size_t wanted) {
  if (begin_ == end_) begin_ = scanned_ = end_ = 0;
  if (buffer_.size() - end_ < wanted && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < wanted) {
    // A long line doubles the room, so that its bytes are moved a few times only.
    buffer_.resize(std::max(end_ + wanted, std::min(2 * buffer_.size(), max_line_bytes_ + wanted)));
  }
  return std::span<char>(buffer_).subspan(end_);
}

void LineFramer::Commit(size_t n) { end_ += n; }

std::optional<Frame> LineFramer::Next() {
  if (skipping_) return SkipLongLine();
  while (true) {
    const char* from = buffer_.data() + scanned_;
    const void* found = scanned_ < end_ ? std::memchr(from, '\n', end_ - scanned_) : nullptr;
    if (found == nullptr) {
      scanned_ = end_;
      break;
    }
    const size_t line_end = scanned_ + static_cast<size_t>(static_cast<const char*>(found) - from);
    const auto frame = LineUpTo(line_end);
    if (frame && frame->kind == Frame::Kind::kTooLong) return frame;
    begin_ = scanned_ = line_end + 1;
    if (frame) return frame;
  }
  // One byte more than the limit may be the CR of a CR LF to come.
  if (end_ - begin_ <= max_line_bytes_ + 1) return std::nullopt;
  skipping_ = true;
  return Frame{Frame::Kind::kTooLong,
               {buffer_.data() + begin_, std::min(kShownOfLongLineBytes, end_ - begin_)}};
}

std::optional<Frame> LineFramer::Finish() {
  if (begin_ == end_) return std::nullopt;
  if (skipping_) return std::nullopt;  // it was told already
  const auto frame = LineUpTo(end_);
  begin_ = scanned_ = end_;
  return frame;
}

std::optional<Frame> LineFramer::LineUpTo(size_t line_end) {
  std::string_view line(buffer_.data() + begin_, line_end - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > max_line_bytes_) {
    skipping_ = true;
    return Frame{Frame::Kind::kTooLong, line.substr(0, kShownOfLongLineBytes)};
  }
  if (IsBlank(line)) return std::nullopt;
  const bool has_cr = line.find('\r') != std::string_view::npos;
  return Frame{has_cr ? Frame::Kind::kBareCarriageReturn : Frame::Kind::kLine, line};
}

std::optional<Frame> LineFramer::SkipLongLine() {
  const char* from = buffer_.data() + begin_;
  const void* found = begin_ < end_ ? std::memchr(from, '\n', end_ - begin_) : nullptr;
  if (found == nullptr) {
    // Only its last bytes are worth keeping.
    begin_ = scanned_ = end_ - std::min(kShownOfLongLineBytes, end_ - begin_);
    return std::nullopt;
  }
  const size_t line_end = begin_ + static_cast<size_t>(static_cast<const char*>(found) - from);
  const size_t shown = std::min(kShownOfLongLineBytes, line_end - begin_);
  const Frame frame{Frame::Kind::kEndOfTooLong, {buffer_.data() + line_end - shown, shown}};
  begin_ = scanned_ = line_end + 1;
  skipping_ = false;
  return frame;
}

}  // namespace bridgekeeper::bridge
