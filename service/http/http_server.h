// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// HttpServer answers GET and HEAD on one address with what a handler says. It keeps
// the rules of every listener of ours (runtime/http_listener_rules.h), reads no
// bodies, and bounds connections, header bytes and time.
//
// Thread safety: owns one thread, on which the handler is called; the destructor ends
// and joins it.

#ifndef BRIDGEKEEPER_SERVICE_HTTP_HTTP_SERVER_H_
#define BRIDGEKEEPER_SERVICE_HTTP_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/http_listener_rules.h"

namespace bridgekeeper::service {

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Answers a request for `path` (without the query) and `query` (without the `?`).
using HttpHandler = std::function<HttpResponse(std::string_view path, std::string_view query)>;

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an IP literal
  uint16_t port = 0;               // 0: any
  HttpListenerRules rules;
  size_t max_connections = 64;
  // How long a connection may take to send a request, and to take the answer.
  absl::Duration timeout = absl::Seconds(10);
};

class HttpServer {
 public:
  // Errors:
  //   kUnavailable - cannot listen; the message names the address.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                           HttpHandler handler);
  ~HttpServer();

  // The port that was bound.
  int port() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_HTTP_HTTP_SERVER_H_
