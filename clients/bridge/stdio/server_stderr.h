// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ServerStderr takes what a server writes to its standard error into our log: line
// by line, escaped, cut, and bounded in rate. It always reads on, so that a server
// never waits for its own log.
//
// Thread safety: everything happens on the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_SERVER_STDERR_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_SERVER_STDERR_H_

#include <array>
#include <cstdint>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "policy/base/clock.h"
#include "runtime/log.h"
#include "runtime/token_bucket.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {

// Lines of a server that are logged: so many at once, then so many a second.
inline constexpr double kServerLogBurst = 100;
inline constexpr double kServerLogLinesPerSecond = 20;

class ServerStderr {
 public:
  // `server` names it in the log. `clock` and `log` must outlive it.
  ServerStderr(boost::asio::io_context& io, UniqueFd fd, std::string server, const Clock& clock,
               Logger& log);

  void Start() { Read(); }
  void Close();

 private:
  void Read();
  void Take(std::string_view bytes);
  void EndLine();

  boost::asio::posix::stream_descriptor descriptor_;
  const std::string server_;
  const Clock& clock_;
  Logger& log_;
  TokenBucket budget_;
  std::array<char, 16 << 10> buffer_;
  std::string line_;       // what is kept of the line that is being read
  uint64_t left_out_ = 0;  // lines since the last one that was logged
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_SERVER_STDERR_H_
