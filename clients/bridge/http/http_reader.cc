// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/http_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/http/error.hpp>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

HttpRefusal TooLarge(int status, std::string_view what, size_t limit) {
  return {status, absl::StrFormat("want a %s of at most %d bytes", what, limit)};
}

}  // namespace

void SetLimits(HttpRequestParser& parser) {
  parser.header_limit(kMaxHttpHeadBytes);
  parser.body_limit(kMaxHttpBodyBytes);
}

HttpRequest HeadOf(const HttpRequestParser& parser) {
  const auto& head = parser.get();
  HttpRequest request;
  request.method = std::string(View(head.method_string()));
  const std::string_view target = View(head.target());
  const size_t question = std::min(target.find('?'), target.size());
  request.path = std::string(target.substr(0, question));
  if (question < target.size()) request.query = std::string(target.substr(question + 1));
  for (const auto& field : head) {
    request.fields.emplace_back(AsciiLower(View(field.name_string())), View(field.value()));
  }
  return request;
}

std::optional<HttpRefusal> CheckHead(const HttpListenerRules& rules,
                                     const HttpRequestParser& parser, const HttpRequest& head) {
  std::vector<HttpField> fields;
  fields.reserve(head.fields.size());
  for (const auto& [name, value] : head.fields) fields.push_back({name, value});
  if (auto refusal = CheckHttpRequest(rules, {head.method, fields})) return refusal;
  if (parser.get().version() != 11) return HttpRefusal{505, "want HTTP/1.1"};
  return std::nullopt;
}

std::optional<HttpRefusal> RefusalOf(const boost::system::error_code& error) {
  if (error == http::error::body_limit) return TooLarge(413, "body", kMaxHttpBodyBytes);
  if (error == http::error::header_limit) return TooLarge(431, "head", kMaxHttpHeadBytes);
  // The client said something that is no HTTP, rather than nothing more.
  if (error.category() == make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return HttpRefusal{400, "want a request of HTTP/1.1"};
  }
  return std::nullopt;
}

}  // namespace bridgekeeper::bridge
