// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// StdioBridge stands between a client on our standard streams and one MCP server
// that it starts: BridgeCore with its pipes, its clock and its server.
//
// How it ends:
//   the client closes our standard input   what is in flight is answered (at most
//                                          kAnswerGrace), the server's input is closed
//   the client is gone                     the server is stopped at once
//   SIGTERM, SIGINT, SIGHUP                what is in flight is answered with an error,
//                                          the server is stopped; a second signal kills
//   the server ends                        what is in flight is answered with an error
// In each case the server's whole process group is gone when Run() returns: its input
// is closed, after kCloseGrace it gets SIGTERM, after kStopGrace more SIGKILL.
//
// A side that does not read holds up only what is for it: reading from the other side
// stops when kMaxQueuedBytes wait, which is what a pipe would do.
//
// Source: MCP 2025-11-25, lifecycle, shutdown of stdio: close the input, wait,
// SIGTERM, SIGKILL. The official SDKs' clients wait 2 s before their own SIGTERM, so
// the graces end within that.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_STDIO_BRIDGE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_STDIO_BRIDGE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/bridge/mcp/core.h"
#include "runtime/process.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {

// Bytes that wait for one side before the other is no longer read.
inline constexpr size_t kMaxQueuedBytes = 32 << 20;
// How long a client that closed our input is given its last answers. It may be a shell
// that piped its requests in and waits for what comes out, so it is given what clients
// wait for a call (data-studio's gives up after 30 s). The others lose nothing by it: the
// wait ends with the last answer, at once where the client is gone (its end of our output
// is closed), and with the SIGTERM that an SDK's client sends 2 s after it closed our
// input.
inline constexpr absl::Duration kAnswerGrace = absl::Seconds(30);
// How long a server whose input was closed has to end by itself.
inline constexpr absl::Duration kCloseGrace = absl::Milliseconds(500);
// How long a server has to end after SIGTERM.
inline constexpr absl::Duration kStopGrace = absl::Seconds(1);
// How long the last output of a server that has ended is read, and the last answers
// are written to the client.
inline constexpr absl::Duration kDrainGrace = absl::Milliseconds(500);

enum class BridgeEnd {
  kClient,  // the client ended the session
  kSignal,  // we were told to stop
  kServer,  // the server ended by itself
};

struct StdioOptions {
  CoreOptions core;
  ProcessSpec server;
  UniqueFd client_in;   // the client's messages; standard input
  UniqueFd client_out;  // our messages; standard output
  // Where metrics are served, HOST:PORT; empty: nowhere. See metrics_server.h.
  std::string metrics_address;
  // Makes what is served there, on the bridge's thread.
  std::function<std::string(const CoreStats& stats, size_t requests_in_flight)> metrics_page;
  bool handle_signals = true;
};

class StdioBridge {
 public:
  // Starts the server. What `parts` names must outlive the bridge.
  //
  // Errors: those of ChildProcess::Spawn; kInvalidArgument and kUnavailable for the
  // metrics address.
  static absl::StatusOr<std::unique_ptr<StdioBridge>> Create(StdioOptions options, CoreParts parts);

  ~StdioBridge();

  // Serves until an end. To be called once.
  BridgeEnd Run();

  // Ends Run() as a signal does. May be called from any thread.
  void Stop();

  // Where metrics are served, HOST:PORT with the port that was taken; empty: nowhere.
  std::string metrics_address() const;

  pid_t server_pid() const;

 private:
  class Loop;
  explicit StdioBridge(std::unique_ptr<Loop> loop);
  const std::unique_ptr<Loop> loop_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_STDIO_STDIO_BRIDGE_H_
