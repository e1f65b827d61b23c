// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/loopback_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

// inet_pton reads up to a NUL.
bool Parse(int family, std::string_view text, void* address) {
  return text.find('\0') == std::string_view::npos &&
         inet_pton(family, std::string(text).c_str(), address) == 1;
}

bool IsLoopbackV4(uint32_t network_order) { return (ntohl(network_order) >> 24) == 127; }

}  // namespace

bool IsIpAddress(std::string_view text) {
  in6_addr address;
  return Parse(AF_INET, text, &address) || Parse(AF_INET6, text, &address);
}

bool IsLoopbackIp(std::string_view text) {
  in_addr v4;
  if (Parse(AF_INET, text, &v4)) return IsLoopbackV4(v4.s_addr);
  in6_addr v6;
  if (!Parse(AF_INET6, text, &v6)) return false;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return IsLoopbackV4(v6.s6_addr32[3]);
  return IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::StatusOr<LoopbackAddress> ParseLoopbackAddress(std::string_view text, std::string_view why) {
  const auto refuse = [&](std::string_view want) {
    return absl::InvalidArgumentError(
        absl::StrFormat("got `%s`, want %s", EscapeForPeople(text, 128), want));
  };
  constexpr std::string_view kForm = "IP:PORT, such as `127.0.0.1:9121` or `[::1]:9121`";
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(kForm);
  LoopbackAddress address{.ip = std::string(text.substr(0, colon))};
  if (address.ip.size() > 2 && address.ip.front() == '[' && address.ip.back() == ']') {
    address.ip = address.ip.substr(1, address.ip.size() - 2);
  } else if (address.ip.find(':') != std::string::npos) {
    return refuse(kForm);
  }
  const std::string_view port = text.substr(colon + 1);
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (failed != std::errc() || end != port.data() + port.size() || !IsIpAddress(address.ip)) {
    return refuse(kForm);
  }
  if (!IsLoopbackIp(address.ip)) return refuse(why);
  return address;
}

}  // namespace bridgekeeper
