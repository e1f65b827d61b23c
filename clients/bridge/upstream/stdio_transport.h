// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// StdioTransport runs a command that speaks MCP on its standard streams. A command
// that ends is started again: after kMinRestartWait, then after twice that, up to
// kMaxRestartWait; one that ran for kSteadyAfter begins at the shortest wait again.
//
// However it ends, its whole process group is gone before the next one starts: the
// input is closed, after kCloseGrace comes SIGTERM, after kStopGrace more SIGKILL.
//
// Source: MCP 2025-11-25, lifecycle, shutdown of stdio.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_STDIO_TRANSPORT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_STDIO_TRANSPORT_H_

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "absl/time/time.h"
#include "clients/bridge/upstream/transport.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "runtime/process.h"

namespace bridgekeeper::bridge {

inline constexpr absl::Duration kMinRestartWait = absl::Milliseconds(200);
inline constexpr absl::Duration kMaxRestartWait = absl::Seconds(30);
inline constexpr absl::Duration kSteadyAfter = absl::Seconds(60);

// `name` names the server in the log. What is named must outlive the transport.
std::unique_ptr<Transport> MakeStdioTransport(boost::asio::io_context& io, std::string name,
                                              ProcessSpec spec, const Clock& clock, IdSource& ids,
                                              Logger& log);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_STDIO_TRANSPORT_H_
