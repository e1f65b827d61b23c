// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// HttpTransport speaks Streamable HTTP to an MCP server behind a URL, of either era:
//
//   session era     `initialize` begins a session; each message is a POST, answered with
//                   JSON or a stream of events; a GET listens for what the server says by
//                   itself. A stream that is cut is taken up where it was
//                   (Last-Event-ID). A session that the server has lost (404) is begun
//                   again once, and what it refused for that is sent again.
//   stateless era   where the server refuses `initialize` and answers `server/discover`:
//                   each request carries all it needs (eras.h), and `subscriptions/listen`
//                   tells of changes. Ending a request's stream cancels it.
//
// A server that speaks both is spoken to in the session era, in which it can ask a client
// something in the middle of a call.
//
// A request that the server may have begun is never sent again, unless it only reads: its
// client gets an error that says so. A server that has no way to say that its tools
// changed is asked for its list every kToolsPoll.
//
// A redirect (307, 308) is followed within the server's own origin, never to another. What
// the configuration adds to each request (credentials) is sent nowhere else and is never
// logged; nothing that a client of the bridge sends in a header is passed on.
//
// Source: MCP 2025-03-26 to 2025-11-25, transports; MCP 2026-07-28, Streamable HTTP.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_TRANSPORT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_TRANSPORT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/bridge/config/server_url.h"
#include "clients/bridge/upstream/http_client.h"
#include "clients/bridge/upstream/transport.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// Requests that one server has at one time; more wait here.
inline constexpr size_t kMaxCallsAtOnce = 256;
// Messages without an answer that are on their way to one server; one more is dropped, and
// the log says so.
inline constexpr size_t kMaxNotices = 256;
// Longest id of a session.
inline constexpr size_t kMaxSessionIdBytes = 1024;
// Redirects of one request that are followed.
inline constexpr int kMaxRedirects = 3;
// Bytes of an error's body that are read.
inline constexpr size_t kMaxErrorBodyBytes = 64 << 10;
// How long a server may take for a whole answer that needs no work: to a notification,
// `initialize`, a page of its list; for all pages; and for the end of its session.
inline constexpr absl::Duration kNoticeTimeout = absl::Seconds(30);
inline constexpr absl::Duration kEndSessionTimeout = absl::Seconds(2);
// How long to wait before a connection is tried again.
inline constexpr absl::Duration kMinReconnectWait = absl::Milliseconds(500);
inline constexpr absl::Duration kMaxReconnectWait = absl::Seconds(30);
// The same for a stream that was cut, where the server asks for nothing else.
inline constexpr absl::Duration kMinResumeWait = absl::Milliseconds(500);
inline constexpr absl::Duration kMaxResumeWait = absl::Seconds(60);
// Refusals in a row after which a stream is not asked for again on this connection.
inline constexpr int kMaxListenRefusals = 5;
inline constexpr int kMaxResumeRefusals = 5;
// Calls in a row that two sessions were lost to, after which the server is left.
inline constexpr int kMaxUnkeptSessions = 3;
// After so many errors of single requests in a row that came with 404, the session is taken
// for lost: some servers name the request when they no longer know its session.
inline constexpr int kMaxErrorsWith404 = 2;
// How often the tools of a server that cannot tell of changes are looked at, and how often
// at most those of one that says that they change.
inline constexpr absl::Duration kToolsPoll = absl::Seconds(60);
inline constexpr absl::Duration kMinToolsWait = absl::Seconds(1);
// Pages and bytes of a list that are looked at.
inline constexpr int kMaxPolledPages = 256;
inline constexpr size_t kMaxPolledBytes = 16 << 20;

struct HttpTransportOptions {
  std::string name;  // of the server, in the log and in errors
  ServerUrl url;
  std::string ca_file;  // empty: the authorities of the system
  std::string version;  // the bridge's own
  // What is added to each request; read again for each connection, and where the server
  // wants a credential (401). Null: nothing.
  std::function<absl::StatusOr<HttpFieldList>()> fields;
  absl::Duration tools_poll = kToolsPoll;
  absl::Duration answer_timeout = kNoticeTimeout;  // for what we ask ourselves
};

// What is named must outlive the transport.
//
// Errors:
//   kInvalidArgument - the file with authorities holds none.
absl::StatusOr<std::unique_ptr<Transport>> MakeHttpTransport(boost::asio::io_context& io,
                                                             HttpTransportOptions options,
                                                             const Clock& clock, IdSource& ids,
                                                             Logger& log);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_TRANSPORT_H_
