// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The two ends of a pipe in the bridge's event loop. LineReader reads frames as long
// as it is not paused; LineWriter writes what it is given as the other side takes
// it. Neither ever waits.
//
// Thread safety: everything happens on the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_PIPES_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_PIPES_H_

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "clients/bridge/mcp/framer.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {

// Bytes asked for in one read.
inline constexpr size_t kReadBytes = 64 << 10;

class LineReader {
 public:
  using OnFrame = std::function<void(const Frame&)>;
  // All frames that have arrived were handed out, for now.
  using OnBatch = std::function<void()>;
  // The stream has ended: after its last frame.
  using OnEnd = std::function<void()>;

  LineReader(boost::asio::io_context& io, UniqueFd fd, OnFrame on_frame, OnBatch on_batch,
             OnEnd on_end);

  void Start() { Read(); }

  // Stops handing out frames, at once and from within OnFrame too; what is in the
  // pipe stays there, and its writer is held up in the end.
  void Pause() { paused_ = true; }
  void Resume();

  // Reads no more. OnEnd is not called after this.
  void Close();
  bool is_closed() const { return !descriptor_.is_open(); }

 private:
  void Read();
  void Drain();
  void End();

  boost::asio::posix::stream_descriptor descriptor_;
  const OnFrame on_frame_;
  const OnBatch on_batch_;
  const OnEnd on_end_;
  LineFramer framer_;
  bool paused_ = false;
  bool reading_ = false;
  bool at_end_ = false;
};

class LineWriter {
 public:
  // Called when what was queued falls to `low_bytes` after having been above it.
  using OnDrained = std::function<void()>;
  // The other side is gone: nothing more can be written.
  using OnGone = std::function<void()>;

  LineWriter(boost::asio::io_context& io, UniqueFd fd, size_t low_bytes, OnDrained on_drained,
             OnGone on_gone);

  // Writes `bytes`, and queues what the other side does not take at once; leaves it
  // empty. After the other side is gone: drops them.
  void Write(std::string& bytes);

  size_t queued_bytes() const { return queue_.size() + writing_.size() - written_; }

  // Closes once what is queued was written, or at once.
  void CloseWhenDrained();
  void Close();
  bool is_closed() const { return !descriptor_.is_open(); }

  // Calls OnGone also where nothing is being written.
  void WatchOtherSide();

 private:
  // Returns how many bytes were taken.
  size_t WriteNow(std::string_view bytes);
  void WriteSome();
  void Gone();

  boost::asio::posix::stream_descriptor descriptor_;
  const size_t low_bytes_;
  const OnDrained on_drained_;
  const OnGone on_gone_;
  std::string queue_;    // what comes after writing_
  std::string writing_;  // being written, from written_ on
  size_t written_ = 0;
  bool closing_ = false;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_PIPES_H_
