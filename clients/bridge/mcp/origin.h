// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Where the tools of a server come from: the command that is started, or the address.
// It is a part of each tool's definition as it is pinned and reported, so that what was
// approved of one program is not approved of another one under the same name. It is
// never shown to clients.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_ORIGIN_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_ORIGIN_H_

#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::bridge {

// The member of a definition that holds it.
inline constexpr std::string_view kOriginKey = "bridgekeeper/origin";

// A JSON object: the program, the number of its arguments and the SHA-256 of all its
// words, which may hold secrets; the names of the variables that are configured for it,
// never a value; its folder and the SHA-256 of that, where one is configured. Needs a
// command of one word or more, and names that are valid UTF-8; `environment` in any order.
std::string OriginOfCommand(const std::vector<std::string>& command,
                            std::vector<std::string> environment, std::string_view folder);

// A JSON object: scheme, host and port of an address that ParseServerUrl() takes, and the
// SHA-256 of all of it: path and query may hold keys.
std::string OriginOfUrl(std::string_view url);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_ORIGIN_H_
