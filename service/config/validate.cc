// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/config/validate.h"

#include <arpa/inet.h>

#include <charconv>
#include <system_error>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::service {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

bool IsLoopback(const std::string& host) {
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6;
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool IsIpLiteral(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

std::optional<Address> ParseAddress(std::string_view text) {
  Address out;
  if (text.substr(0, kUnixPrefix.size()) == kUnixPrefix) {
    out.unix_path = std::string(text.substr(kUnixPrefix.size()));
    out.loopback = true;
    if (out.unix_path.empty()) return std::nullopt;
    return out;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return std::nullopt;
  }
  std::string_view host = text.substr(0, colon);
  if (host == "localhost") {
    host = "127.0.0.1";
  } else if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // an IPv6 address without brackets
  }
  out.host = std::string(host);
  if (!IsIpLiteral(out.host)) return std::nullopt;
  out.loopback = IsLoopback(out.host);
  return out;
}

void Validate(const Options& options, std::vector<std::string>& problems) {
  struct Listener {
    std::string_view key;
    const std::string& text;
    bool may_be_unix;
  };
  const Listener listeners[] = {{"grpc_address", options.grpc_address, true},
                                {"http_address", options.http_address, false},
                                {"metrics_address", options.metrics_address, false}};
  for (const Listener& listener : listeners) {
    const std::optional<Address> address = ParseAddress(listener.text);
    const bool is_unix = address && !address->unix_path.empty();
    if (!address || (is_unix && !listener.may_be_unix)) {
      problems.push_back(absl::StrFormat("`%s`: got `%s`, want IP:PORT, localhost:PORT%s",
                                         listener.key, EscapeForPeople(listener.text, 128),
                                         listener.may_be_unix ? " or unix:PATH" : ""));
      continue;
    }
    if (options.dev && !address->loopback) {
      problems.push_back(absl::StrFormat(
          "`%s`: got `%s`, want a loopback address: with --dev nobody proves who they are",
          listener.key, listener.text));
    }
    for (const Listener& other : listeners) {
      if (&other == &listener) break;
      if (other.text == listener.text && address->port != 0) {
        problems.push_back(absl::StrFormat("`%s` and `%s`: both are `%s`", other.key, listener.key,
                                           listener.text));
      }
    }
  }
  if (!options.dev && options.data_dir.empty()) {
    problems.push_back(
        "neither --dev nor --data-dir is given: `keeperd --dev` tries it out with data in "
        "memory, `--data-dir DIR` keeps the data");
  } else if (!options.dev) {
    problems.push_back(
        "--dev is missing: this version has no identities yet, so it serves on loopback only, "
        "with --dev");
  }
}

}  // namespace bridgekeeper::service
