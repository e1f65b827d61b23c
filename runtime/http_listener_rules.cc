// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/http_listener_rules.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

constexpr size_t kMaxQuotedBytes = 128;

std::string Quote(std::string_view text) { return EscapeForPeople(text, kMaxQuotedBytes); }

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<std::string_view> Values(const HttpRequestHead& head, std::string_view lower_name) {
  std::vector<std::string_view> values;
  for (const HttpField& field : head.fields) {
    if (field.name.size() == lower_name.size() && AsciiLower(field.name) == lower_name) {
      values.push_back(field.value);
    }
  }
  return values;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsAsciiDigit);
}

// The host of `HOST`, `HOST:PORT`, `[V6]` or `[V6]:PORT`; nullopt for anything else.
// The brackets stay.
std::optional<std::string_view> HostOf(std::string_view authority) {
  size_t end;
  if (!authority.empty() && authority.front() == '[') {
    end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    ++end;
  } else {
    end = std::min(authority.find(':'), authority.size());
  }
  const std::string_view rest = authority.substr(end);
  const bool has_good_port =
      rest.size() >= 2 && rest.size() <= 6 && rest[0] == ':' && AllDigits(rest.substr(1));
  if (end == 0 || (!rest.empty() && !has_good_port)) return std::nullopt;
  return authority.substr(0, end);
}

bool IsIpLiteral(std::string_view host) {
  in6_addr address;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &address) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

// An embedded NUL would end the text early for a function that takes a C string.
bool HasNul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// "application/json" and "application/json; charset=utf-8" name `application/json`.
std::optional<std::string> MediaTypeOf(std::string_view content_type) {
  std::string text = AsciiLower(content_type);
  const size_t semicolon = text.find(';');
  std::string type = text.substr(0, semicolon);
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  if (semicolon == std::string::npos) return type;
  std::string parameter = text.substr(semicolon + 1);
  parameter.erase(0, parameter.find_first_not_of(" \t"));
  if (parameter != "charset=utf-8" && parameter != "charset=\"utf-8\"") return std::nullopt;
  return type;
}

}  // namespace

std::optional<HttpRefusal> CheckHttpRequest(const HttpListenerRules& rules,
                                            const HttpRequestHead& head) {
  const std::vector<std::string_view> hosts = Values(head, "host");
  if (hosts.size() != 1) {
    return HttpRefusal{400, absl::StrFormat("got %d Host headers, want 1", hosts.size())};
  }
  const std::string authority = AsciiLower(hosts[0]);
  const std::optional<std::string_view> host = HostOf(authority);
  if (!host || HasNul(*host) ||
      (*host != "localhost" && !IsIpLiteral(*host) && !Contains(rules.host_names, *host))) {
    return HttpRefusal{
        403, absl::StrFormat("Host: got `%s`, want `localhost`, an IP literal or a configured name",
                             Quote(hosts[0]))};
  }

  const std::vector<std::string_view> origins = Values(head, "origin");
  if (!origins.empty()) {
    const std::string own = (rules.tls ? "https://" : "http://") + authority;
    if (origins.size() != 1 ||
        (AsciiLower(origins[0]) != own && !Contains(rules.origins, origins[0]))) {
      return HttpRefusal{403,
                         absl::StrFormat("Origin: got `%s`, want none, `%s` or a configured one",
                                         Quote(origins[0]), Quote(own))};
    }
  }

  const std::vector<std::string_view> lengths = Values(head, "content-length");
  const std::vector<std::string_view> codings = Values(head, "transfer-encoding");
  const bool is_chunked = codings.size() == 1 && AsciiLower(codings[0]) == "chunked";
  if (!codings.empty() && !is_chunked) {
    return HttpRefusal{
        400, absl::StrFormat("Transfer-Encoding: got `%s`, want `chunked`", Quote(codings[0]))};
  }
  if (lengths.size() + codings.size() > 1) {
    return HttpRefusal{400, "got more than one Content-Length or Transfer-Encoding, want one"};
  }
  if (!lengths.empty() && !AllDigits(lengths[0])) {
    return HttpRefusal{400,
                       absl::StrFormat("Content-Length: got `%s`, want digits", Quote(lengths[0]))};
  }
  if (!Values(head, "content-encoding").empty()) {
    return HttpRefusal{415, "got a Content-Encoding, want none"};
  }

  const bool is_post = head.method == "POST";
  const bool has_body = is_chunked || (!lengths.empty() &&
                                       lengths[0].find_first_not_of('0') != std::string_view::npos);
  if (is_post && lengths.empty() && !is_chunked) {
    return HttpRefusal{400,
                       "got neither Content-Length nor `Transfer-Encoding: chunked`, want one"};
  }
  if (!is_post && !has_body) return std::nullopt;

  const std::vector<std::string_view> types = Values(head, "content-type");
  const std::optional<std::string> type =
      types.size() == 1 ? MediaTypeOf(types[0]) : std::optional<std::string>();
  if (!type || !Contains(rules.media_types, *type)) {
    std::string want;
    for (const std::string& media_type : rules.media_types) {
      want += (want.empty() ? "`" : " or `") + media_type + "`";
    }
    return HttpRefusal{415, absl::StrFormat("Content-Type: got `%s`, want %s",
                                            types.empty() ? std::string() : Quote(types[0]),
                                            want.empty() ? "no body" : want)};
  }
  return std::nullopt;
}

}  // namespace bridgekeeper
