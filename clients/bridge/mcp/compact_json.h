// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes the white space between the tokens out of a JSON text, so that a message that
// came over HTTP is one line. Strings and numbers stay as they are.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_COMPACT_JSON_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_COMPACT_JSON_H_

#include <optional>
#include <string>
#include <string_view>

namespace bridgekeeper::bridge {

// Returns the text without its white space, or nullopt where there is none.
// REQUIRES: `json` is JSON. (In a text that is none, two tokens could become one.)
std::optional<std::string> CompactJson(std::string_view json);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_COMPACT_JSON_H_
