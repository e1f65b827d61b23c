// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SandboxTransport is the databases of one app as an MCP server inside the bridge: it
// answers `initialize`, `tools/list` and `tools/call`, and obeys a cancellation. What
// it is sent was decided before; `connection_id` says on which database it runs.
//
// Each call runs on a thread of a pool of its own, so that no database holds up the
// bridge. At most kMaxCallsOfConnection run on one database and kMaxSandboxCalls on all.
// What is sent beyond that waits for its turn, at most kMaxSandboxWait and kMaxWaitingCalls
// at once; what waits longer, and more calls, end with OVERLOADED and have not run.
//
// Thread safety: as Transport's.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SANDBOX_TRANSPORT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SANDBOX_TRANSPORT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/upstream/transport.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

inline constexpr size_t kMaxSandboxCalls = 16;
inline constexpr size_t kMaxCallsOfConnection = 8;
inline constexpr size_t kMaxWaitingCalls = 64;
inline constexpr absl::Duration kMaxSandboxWait = absl::Seconds(5);
// Where the reason of a call that failed stands in the `_meta` of its result: {code,
// message}, with UNKNOWN_EFFECT also {risk}.
inline constexpr std::string_view kErrorMetaKey = "bridgekeeper/error";

struct SandboxConnection {
  ConnectionConfig config;
  std::unique_ptr<Backend> backend;
};

// `app` is the one whose policy lowers the limits and says which connections are listed.
// What is named must outlive the transport.
std::unique_ptr<Transport> MakeSandboxTransport(boost::asio::io_context& io, AppId app,
                                                std::string version,
                                                std::vector<SandboxConnection> connections,
                                                clients::PolicySource& policies,
                                                absl::Duration max_wait = kMaxSandboxWait);

// The limits of a call: the lowest that the connection, its policy and the back end's
// own defaults name.
RunLimits LimitsOf(const ConnectionConfig& connection, const Limits* policy);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_SANDBOX_TRANSPORT_H_
