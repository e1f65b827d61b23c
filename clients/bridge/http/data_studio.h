// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DataStudio serves POST /tools and POST /invoke, as the desktop apps of data-studio do,
// so that its npm client finds this bridge in their place. It decides nothing: every call
// goes through a Link to its server.
//
// Every answer is HTTP 200 with JSON, since the client reads only `status` of the body:
//   200 `data` holds what the tool said   400 the request or the tool failed
//   403 denied, with the reason           404 there is no such tool
//   504 the tool did not answer in time
//
// The caller's process must belong to our own user or to a configured one. There is no
// token, so calls above `max_risk` are refused, and nothing is asked of anybody: what
// would be an ASK is denied.
//
// A tool has its server's own name; where two servers have it, each is told with its
// server's prefix, which is always understood. `get_schema` means `sqlkit__get_schema`
// where the bridge stands in for sqlkit.
//
// Thread safety: used by the thread that runs the io_context.
// Source: the wire format of @geek-fun/data-studio-mcp 0.1.12.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_DATA_STUDIO_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_DATA_STUDIO_H_

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "absl/time/time.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/http/exchange.h"
#include "clients/bridge/http/link.h"

namespace bridgekeeper::bridge {

// How long a call may take. Source: the client gives up after 30 s.
inline constexpr absl::Duration kInvokeTimeout = absl::Seconds(25);
// How long the lists of all servers may take. Source: the client gives up after 5 s.
inline constexpr absl::Duration kToolsTimeout = absl::Seconds(4);

class DataStudio {
 public:
  // What is named must outlive it.
  DataStudio(boost::asio::io_context& io, std::vector<std::shared_ptr<Server>> servers,
             DataStudioConfig config, Announce announce);
  ~DataStudio();

  void Tools(const HttpRequest& request, const ExchangePtr& exchange);
  void Invoke(const HttpRequest& request, const ExchangePtr& exchange);

  void OnPolicyChange();

  // Requests that are not answered yet.
  bool has_requests() const;

  // An answer as /invoke gives it.
  static HttpResponse Answer(int status, std::string_view message);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_DATA_STUDIO_H_
