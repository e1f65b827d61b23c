// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/server_url.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "runtime/loopback_address.h"

namespace bridgekeeper::bridge {
namespace {

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

// What a path and a query may hold, `%` included.
bool IsTargetCharacter(char c) { return c > ' ' && c < 0x7f && c != '#' && c != '\\' && c != '"'; }

}  // namespace

absl::StatusOr<ServerUrl> ParseServerUrl(std::string_view text) {
  const auto refuse = [&](std::string_view want) {
    // Not shown: what stands before an `@` may be a password.
    const bool may_be_shown = text.find('@') == std::string_view::npos;
    return absl::InvalidArgumentError(absl::StrFormat(
        "got `%s`, want %s", may_be_shown ? EscapeForPeople(text, 128) : "...@...", want));
  };
  constexpr std::string_view kForm = "`https://HOST[:PORT]/PATH`";
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
  } else {
    return refuse(kForm);
  }
  const size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  url.target = rest.substr(slash);
  if (url.target.empty() || url.target[0] == '?') url.target.insert(0, "/");
  if (!std::all_of(url.target.begin(), url.target.end(), IsTargetCharacter)) return refuse(kForm);
  if (authority.find('@') != std::string_view::npos) {
    return refuse("a URL without a user name or a password: `headers` say where one is kept");
  }

  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return refuse(kForm);
    url.host = AsciiLower(authority.substr(1, end - 1));
    port = authority.substr(end + 1);
    if (!IsIpAddress(url.host)) return refuse(kForm);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    url.host = AsciiLower(authority.substr(0, colon));
    port = authority.substr(colon);
    if (url.host.empty() || !std::all_of(url.host.begin(), url.host.end(), IsHostCharacter)) {
      return refuse(kForm);
    }
  }
  url.port = url.tls ? 443 : 80;
  if (!port.empty()) {
    port.remove_prefix(1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (port.empty() || error != std::errc() || end != port.data() + port.size() || url.port == 0) {
      return refuse(kForm);
    }
  }
  if (!url.tls && url.host != "localhost" && !IsLoopbackIp(url.host)) {
    return refuse("https: only a loopback host is spoken to in the clear");
  }
  return url;
}

}  // namespace bridgekeeper::bridge
