// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// HttpServer listens on one loopback address and hands each request that may be read
// to a handler. Every listener rule (runtime/http_listener_rules.h) is checked before a
// body is read; a request's head, body, time and the number of connections are bounded,
// and a client that does not read is cut off.
//
// Thread safety: used by the thread that runs the io_context.
// Source: RFC 9110, RFC 9112; MCP 2025-11-25 and 2026-07-28, transports.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_SERVER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/bridge/http/exchange.h"
#include "runtime/http_listener_rules.h"
#include "runtime/loopback_address.h"

namespace bridgekeeper::bridge {

// Bytes of bodies above kFreeBodyBytes that are being read or answered at one time.
inline constexpr size_t kMaxHttpBodiesBytes = 256 << 20;
inline constexpr size_t kFreeBodyBytes = 64 << 10;

// Bytes of answers of all clients that wait to be read. Eight clients that read nothing may
// have what one may (Exchange::kMaxQueuedBytes); a host's clients read what they ask for.
inline constexpr size_t kMaxUnreadBytes = 256 << 20;

struct HttpServerOptions {
  LoopbackAddress address;
  HttpListenerRules rules;
  size_t max_connections = 12'000;
  // With more, the clients that have left most unread are cut off.
  size_t max_unread_bytes = kMaxUnreadBytes;
  // How long a connection may stay without a request, a client may take to send a head
  // and a body, and to take in what is written.
  absl::Duration idle_timeout = absl::Seconds(75);
  absl::Duration head_timeout = absl::Seconds(10);
  absl::Duration body_timeout = absl::Seconds(30);
  absl::Duration write_timeout = absl::Seconds(30);
  // How often a comment is sent in a stream where nothing else is. Source: proxies cut
  // what is silent for 60 s, some for 30 s.
  absl::Duration keep_alive = absl::Seconds(15);
};

struct HttpServerStats {
  size_t connections = 0;     // open now
  uint64_t requests = 0;      // read whole
  uint64_t refused = 0;       // refused before they were read whole
  uint64_t cut = 0;           // clients that were cut off: too slow, or not reading
  uint64_t cut_for_room = 0;  // of these, for max_unread_bytes
  size_t unread_bytes = 0;    // now
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Answers, now or later.
  virtual void OnRequest(HttpRequest request, ExchangePtr exchange) = 0;

  // The body for a request to `path` that is refused with `status` before it was read;
  // `message` says why. `status` of the answer is not looked at.
  virtual HttpResponse OnRefused(std::string_view path, int status, std::string message) = 0;
};

class HttpServer {
 public:
  // `handler` must outlive the server, and the server the run of the io_context.
  //
  // Errors:
  //   kUnavailable - cannot listen; the message names the address.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Create(boost::asio::io_context& io,
                                                            HttpServerOptions options,
                                                            HttpHandler& handler);
  ~HttpServer();

  uint16_t port() const;
  // IP:PORT, or [IP]:PORT.
  std::string address() const;
  HttpServerStats stats() const;

  // Accepts no more, and closes each connection once its answer has been written.
  void Drain();
  // Closes everything.
  void Close();

 private:
  class Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_SERVER_H_
