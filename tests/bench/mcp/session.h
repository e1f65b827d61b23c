// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Programs that are talked to in lines over their standard streams, and MCP servers
// among them.

#ifndef BRIDGEKEEPER_TESTS_BENCH_MCP_SESSION_H_
#define BRIDGEKEEPER_TESTS_BENCH_MCP_SESSION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/process.h"
#include "tests/bench/loadgen/load.h"

namespace bridgekeeper::bench {

// A program that answers lines with lines. Its last words on standard error are kept
// for messages.
class LineProgram {
 public:
  // Starts `command` (program and arguments) with our environment.
  static absl::StatusOr<std::unique_ptr<LineProgram>> Start(std::vector<std::string> command);

  absl::Status Write(std::string_view text);

  // Ends the program's standard input. REQUIRES: no Write() is under way or follows
  void CloseInput() { child_.stdin_fd().Reset(); }

  pid_t pid() const { return child_.pid(); }

  // The next line, without its newline. Waits for 30 seconds at most.
  absl::StatusOr<std::string> ReadLine();

 private:
  explicit LineProgram(ChildProcess child) : child_(std::move(child)) {}
  absl::Status Wait(int fd, short events);

  ChildProcess child_;
  std::string input_;
  size_t begin_ = 0;    // of the line that is coming in
  size_t scanned_ = 0;  // no newline before this
  std::string errors_;
  bool errors_open_ = true;
};

// A client's side of an MCP server that has the tool `echo`.
class McpSession {
 public:
  // Starts `command` and greets the server.
  static absl::StatusOr<std::unique_ptr<McpSession>> Start(std::vector<std::string> command);

  // One request and its answer, the whole line.
  absl::StatusOr<std::string> Ask(std::string_view method, std::string_view params);

  // Waits until the server says that its list of tools changed; at once where it has
  // said so since the last wait.
  absl::Status WaitForListChange();

  // Calls the tool once; whether it was run, not denied.
  absl::StatusOr<bool> CallOnce();

  // Calls the tool, `in_flight` calls at a time, for `length`.
  absl::StatusOr<Measurement> Call(int in_flight, std::chrono::duration<double> length);

 private:
  using Begun = std::unordered_map<int64_t, std::chrono::steady_clock::time_point>;

  explicit McpSession(std::unique_ptr<LineProgram> program) : program_(std::move(program)) {}
  absl::Status Send(Begun& begun);
  // The next line; counts it where it says that the list changed.
  absl::StatusOr<std::string> Next();

  const std::unique_ptr<LineProgram> program_;
  int64_t next_id_ = 1;
  int list_changes_ = 0;  // said, and not waited for yet
};

}  // namespace bridgekeeper::bench

#endif  // BRIDGEKEEPER_TESTS_BENCH_MCP_SESSION_H_
