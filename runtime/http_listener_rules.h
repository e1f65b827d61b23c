// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What every HTTP listener of ours asks of a request before it reads its body. The
// rules stop pages of other sites (DNS rebinding, cross-site posts) and requests
// that two readers could cut at different places.
//
//   403  Host is not `localhost`, an IP literal or a configured name
//   403  Origin is there and is neither this listener's own nor a configured one
//   415  the body's media type is not one that the listener reads, or has a
//        parameter other than charset=utf-8
//   415  there is a Content-Encoding
//   400  no or two Hosts; not exactly one of Content-Length and `chunked` on a body
//
// Thread safety: free functions without state.
// Source: RFC 9110 sections 7.2 and 8.3, RFC 9112 section 6.3, RFC 6454; MCP
// 2025-11-25 and 2026-07-28, Streamable HTTP, security.

#ifndef BRIDGEKEEPER_RUNTIME_HTTP_LISTENER_RULES_H_
#define BRIDGEKEEPER_RUNTIME_HTTP_LISTENER_RULES_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper {

struct HttpField {
  std::string_view name;   // any case
  std::string_view value;  // without the white space around it
};

struct HttpRequestHead {
  std::string_view method;
  // In the order in which they came; a name may occur twice.
  std::span<const HttpField> fields;
};

struct HttpListenerRules {
  // Accepted in Host besides `localhost` and IP literals. Lower case, no port.
  std::vector<std::string> host_names;
  // Accepted in Origin besides the listener's own, as a browser sends them:
  // "https://console.example:8443".
  std::vector<std::string> origins;
  // Media types of bodies that the listener reads, lower case, without parameters.
  // Empty: it reads none.
  std::vector<std::string> media_types;
  // The listener speaks TLS: its own origin begins with https.
  bool tls = false;
};

struct HttpRefusal {
  int status = 400;     // 400, 403 or 415
  std::string message;  // lower case, text of the request escaped
};

// Returns why a request is refused, or nullopt where it may be read.
std::optional<HttpRefusal> CheckHttpRequest(const HttpListenerRules& rules,
                                            const HttpRequestHead& head);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_HTTP_LISTENER_RULES_H_
