// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Transport is one MCP server as its messages: a command that speaks stdio, a URL
// that speaks Streamable HTTP, or a back end inside the bridge. It connects by itself,
// and again when a connection has ended; what is said over it is Upstream's affair.
//
// A back end inside the bridge is a Transport that answers `initialize`, `tools/list`
// and `tools/call` itself, obeys `notifications/cancelled`, and says
// `notifications/tools/list_changed` when its tools change.
//
// Thread safety: used by the thread that runs the io_context. No method calls the
// listener before it has returned.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_TRANSPORT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_TRANSPORT_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "clients/bridge/mcp/framer.h"

namespace bridgekeeper::bridge {

class Transport {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;

    // A connection stands, on which nothing was said yet.
    virtual void OnConnected() = 0;

    // The server said something. `cause`: the id, as it was written, of the request
    // that it said this about; empty where the transport cannot tell.
    virtual void OnFrame(const Frame& frame, std::string_view cause) = 0;

    // The connection has ended, or could not be made; `how` says so in a few words, as
    // in "exit code 1". Comes once after each OnConnected(), and alone where a
    // connection could not be made. The transport tries again until it is stopped.
    virtual void OnDisconnected(std::string_view how) = 0;
  };

  virtual ~Transport() = default;

  // Begins to connect. To be called once. `listener` must outlive the transport.
  virtual void Start(Listener& listener) = 0;

  // Sends one message, without an end of line. Dropped where no connection stands.
  virtual void Send(std::string_view message) = 0;

  // Bytes that wait to be sent.
  virtual size_t queued_bytes() const = 0;

  // Ends the connection that stands; then connects again as after any other end.
  virtual void Reconnect() = 0;

  // Ends it for good: `done` is called once nothing of the server is left. The listener
  // hears nothing more. To be called once. Once `done` has returned, and what was posted
  // before has run, it may be destroyed.
  virtual void Stop(std::function<void()> done) = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_TRANSPORT_H_
