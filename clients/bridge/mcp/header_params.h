// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a request of 2026-07-28 says twice: its headers repeat parts of its body, and a
// tool may name arguments (`x-mcp-header` in its input schema) that a header repeats.
//
// Thread safety: free functions and values without shared state.
// Source: MCP 2026-07-28, Streamable HTTP, request metadata.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_HEADER_PARAMS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_HEADER_PARAMS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/base/json.h"

namespace bridgekeeper::bridge {

// Most arguments of one tool that headers repeat, and the longest name of one.
inline constexpr size_t kMaxHeaderParams = 64;
inline constexpr size_t kMaxHeaderParamBytes = 128;

// One argument that a header repeats.
struct HeaderParam {
  std::string header;             // "Mcp-Param-Region"
  std::vector<std::string> path;  // of the argument: {"where", "region"}
  friend bool operator==(const HeaderParam&, const HeaderParam&) = default;
};

// The arguments that headers repeat, in the order of the schema. A schema that is no
// object has none.
//
// Errors:
//   kInvalidArgument - the schema marks one in a way that it must not: the tool must not
//                      be shown to a client that speaks HTTP.
absl::StatusOr<std::vector<HeaderParam>> HeaderParamsOf(const std::optional<JsonValue>& schema);

// The value of `param` in a call's arguments as its header repeats it, not encoded;
// nullopt: there is none, and so no header.
std::optional<std::string> HeaderParamValue(const std::optional<JsonValue>& arguments,
                                            const HeaderParam& param);

// True where a header says what the body has: the same text, or the same whole number.
bool HeaderParamAgrees(std::string_view header, std::string_view body);

// A value as a header may hold it: as it is, or as =?base64?...?=.
std::string EncodeHeaderValue(std::string_view value);
// The other way; nullopt: it is ill-formed.
std::optional<std::string> DecodeHeaderValue(std::string_view value);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_HEADER_PARAMS_H_
