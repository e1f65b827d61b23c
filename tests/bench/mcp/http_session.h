// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A client's side of an MCP server that speaks Streamable HTTP. It handles bytes, so that
// its own cost is small and the same for each server: one connection that is kept for
// each call in flight.

#ifndef BRIDGEKEEPER_TESTS_BENCH_MCP_HTTP_SESSION_H_
#define BRIDGEKEEPER_TESTS_BENCH_MCP_HTTP_SESSION_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/unique_fd.h"
#include "tests/bench/loadgen/load.h"

namespace bridgekeeper::bench {

// Where a server listens, on 127.0.0.1.
struct HttpTarget {
  uint16_t port = 0;
  std::string path;
  pid_t pid = 0;  // of its process

  // "http://127.0.0.1:PORT/PATH#PID"
  //
  // Errors:
  //   kInvalidArgument - it is not of this form.
  static absl::StatusOr<HttpTarget> Parse(std::string_view text);
};

class HttpSession {
 public:
  // Greets the server and looks for the tool whose name ends in `echo`.
  static absl::StatusOr<std::unique_ptr<HttpSession>> Start(HttpTarget target);

  // Calls the tool, `in_flight` calls at a time, for `length`.
  absl::StatusOr<Measurement> Call(int in_flight, std::chrono::duration<double> length);

 private:
  // One connection and the call on it.
  struct Line {
    UniqueFd fd;
    std::string input;
    std::chrono::steady_clock::time_point begun;
  };

  explicit HttpSession(HttpTarget target) : target_(std::move(target)) {}
  absl::StatusOr<Line> Connect() const;
  std::string Post(std::string_view body) const;
  std::string NextCall();
  absl::StatusOr<std::string> Ask(Line& line, std::string_view body);
  static absl::Status Write(Line& line, std::string_view bytes);
  // Reads what is there; true: the answer is whole.
  static absl::StatusOr<bool> Read(Line& line);

  const HttpTarget target_;
  std::string session_;  // header lines
  std::string tool_;
  std::vector<Line> lines_;
  int64_t next_id_ = 1;
};

}  // namespace bridgekeeper::bench

#endif  // BRIDGEKEEPER_TESTS_BENCH_MCP_HTTP_SESSION_H_
