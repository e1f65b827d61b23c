// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/stdio/pipes.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

namespace bridgekeeper::bridge {

using boost::system::error_code;

// ---- LineReader ----------------------------------------------------------------

LineReader::LineReader(boost::asio::io_context& io, UniqueFd fd, OnFrame on_frame, OnBatch on_batch,
                       OnEnd on_end)
    : descriptor_(io, fd.Release()),
      on_frame_(std::move(on_frame)),
      on_batch_(std::move(on_batch)),
      on_end_(std::move(on_end)) {}

void LineReader::Read() {
  if (reading_ || is_closed()) return;
  reading_ = true;
  const std::span<char> room = framer_.Prepare(kReadBytes);
  descriptor_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                              [this](const error_code& error, size_t n) {
                                reading_ = false;
                                if (is_closed()) return;
                                if (error) at_end_ = true;
                                framer_.Commit(n);
                                Drain();
                              });
}

void LineReader::Drain() {
  while (!paused_ && !is_closed()) {
    const auto frame = framer_.Next();
    if (!frame) {
      if (at_end_) return End();
      on_batch_();
      return Read();
    }
    on_frame_(*frame);
  }
  on_batch_();
}

void LineReader::Resume() {
  if (!std::exchange(paused_, false) || reading_ || is_closed()) return;
  // Not from within whatever called us: it may be an OnFrame of ours.
  boost::asio::post(descriptor_.get_executor(), [this] {
    if (!reading_) Drain();
  });
}

void LineReader::End() {
  if (const auto frame = framer_.Finish()) on_frame_(*frame);
  on_batch_();
  if (is_closed()) return;
  Close();
  on_end_();
}

void LineReader::Close() {
  error_code ignored;
  descriptor_.close(ignored);
}

// ---- LineWriter ----------------------------------------------------------------

LineWriter::LineWriter(boost::asio::io_context& io, UniqueFd fd, size_t low_bytes,
                       OnDrained on_drained, OnGone on_gone)
    : descriptor_(io, fd.Release()),
      low_bytes_(low_bytes),
      on_drained_(std::move(on_drained)),
      on_gone_(std::move(on_gone)) {
  error_code ignored;  // of a descriptor that is closed; the first write tells
  descriptor_.non_blocking(true, ignored);
}

void LineWriter::Write(std::string& bytes) {
  if (is_closed() || closing_) {
    bytes.clear();
    return;
  }
  if (bytes.empty()) return;
  const size_t written = writing_.empty() ? WriteNow(bytes) : 0;
  if (written < bytes.size()) {
    queue_.append(bytes, written);
    if (writing_.empty()) WriteSome();
  }
  bytes.clear();
}

size_t LineWriter::WriteNow(std::string_view bytes) {
  // Nearly always all fits into the pipe: no need to come back for it. An error is met
  // again, and told, by what comes back.
  const ssize_t n = ::write(descriptor_.native_handle(), bytes.data(), bytes.size());
  return n > 0 ? static_cast<size_t>(n) : 0;
}

void LineWriter::WriteSome() {
  if (writing_.empty()) {
    writing_.swap(queue_);
    written_ = 0;
  }
  descriptor_.async_write_some(
      boost::asio::buffer(writing_.data() + written_, writing_.size() - written_),
      [this](const error_code& error, size_t n) {
        if (is_closed()) return;
        if (error) return Gone();
        const bool was_above = queued_bytes() > low_bytes_;
        written_ += n;
        const bool is_above = queued_bytes() > low_bytes_;
        if (written_ == writing_.size()) {
          writing_.clear();
          written_ = 0;
        }
        if (queued_bytes() > 0) {
          WriteSome();
        } else if (closing_) {
          Close();
        }
        if (was_above && !is_above) on_drained_();
      });
}

void LineWriter::Gone() {
  Close();
  on_gone_();
}

void LineWriter::CloseWhenDrained() {
  closing_ = true;
  if (queued_bytes() == 0) Close();
}

void LineWriter::Close() {
  error_code ignored;
  descriptor_.close(ignored);
  queue_.clear();
  writing_.clear();
  written_ = 0;
}

void LineWriter::WatchOtherSide() {
  descriptor_.async_wait(
      boost::asio::posix::stream_descriptor::wait_error, [this](const error_code& error) {
        // Not every kind of descriptor can be watched (a file cannot).
        if (error || is_closed()) return;
        pollfd state = {.fd = descriptor_.native_handle(), .events = 0, .revents = 0};
        const bool is_gone =
            poll(&state, 1, 0) == 1 && (state.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
        if (is_gone) return Gone();
        WatchOtherSide();
      });
}

}  // namespace bridgekeeper::bridge
