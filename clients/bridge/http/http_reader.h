// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What HttpServer makes of the bytes of a request, without the socket that they come from:
// what is read, what is refused, and why.
//
// Thread safety: free functions without state.
// Source: RFC 9110, RFC 9112.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_READER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_READER_H_

#include <cstddef>
#include <optional>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include "clients/bridge/http/exchange.h"
#include "runtime/http_listener_rules.h"

namespace bridgekeeper::bridge {

// Largest head and body of a request.
inline constexpr size_t kMaxHttpHeadBytes = 16 << 10;
inline constexpr size_t kMaxHttpBodyBytes = 16 << 20;

using HttpRequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// Sets the limits, before anything is read.
void SetLimits(HttpRequestParser& parser);

// What has been read of the head.
HttpRequest HeadOf(const HttpRequestParser& parser);

// Why a request is refused by its head (`head`, made by HeadOf()), or nullopt where its
// body may be read.
std::optional<HttpRefusal> CheckHead(const HttpListenerRules& rules,
                                     const HttpRequestParser& parser, const HttpRequest& head);

// What the client is told where reading its request ended with `error`; nullopt: nothing,
// it has left or is too slow.
std::optional<HttpRefusal> RefusalOf(const boost::system::error_code& error);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_READER_H_
