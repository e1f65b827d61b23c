// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/stdio/server_stderr.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>

namespace bridgekeeper::bridge {

using boost::system::error_code;

ServerStderr::ServerStderr(boost::asio::io_context& io, UniqueFd fd, std::string server,
                           const Clock& clock, Logger& log)
    : descriptor_(io, fd.Release()),
      server_(std::move(server)),
      clock_(clock),
      log_(log),
      budget_(kServerLogBurst, kServerLogLinesPerSecond) {}

void ServerStderr::Read() {
  descriptor_.async_read_some(boost::asio::buffer(buffer_),
                              [this](const error_code& error, size_t n) {
                                if (!descriptor_.is_open()) return;
                                Take({buffer_.data(), n});
                                if (!error) return Read();
                                if (!line_.empty()) EndLine();
                                Close();
                              });
}

void ServerStderr::Take(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    // What is beyond the longest field would be cut anyway.
    line_ += piece.substr(0, kMaxLogFieldBytes - std::min(line_.size(), kMaxLogFieldBytes));
    if (end == std::string_view::npos) return;
    EndLine();
    bytes.remove_prefix(end + 1);
  }
}

void ServerStderr::EndLine() {
  if (line_.ends_with('\r')) line_.pop_back();
  if (!line_.empty()) {
    if (!budget_.Take(clock_.SinceBoot())) {
      ++left_out_;
    } else if (const uint64_t left_out = std::exchange(left_out_, 0); left_out > 0) {
      log_.Info("the server says",
                {{"server", server_}, {"text", line_}, {"lines_left_out", left_out}});
    } else {
      log_.Info("the server says", {{"server", server_}, {"text", line_}});
    }
  }
  line_.clear();
}

void ServerStderr::Close() {
  error_code ignored;
  descriptor_.close(ignored);
}

}  // namespace bridgekeeper::bridge
