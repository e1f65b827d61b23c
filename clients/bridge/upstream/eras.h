// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the bridge says to a server and hears from it is of the session era
// (Upstream); these turn it into what a server of 2026-07-28 says, and back:
//
//   requests      carry version, client and capabilities in `_meta`, and headers that
//                 repeat method, name and marked arguments
//   initialize    is answered from what `server/discover` said
//   tools         whose marked arguments break the rules are left out of lists
//   an answer that asks for input passes to a client of that era, which has said that it
//                 can be asked; to any other it is an error
//
// Thread safety: values without shared state.
// Source: MCP 2026-07-28: versioning, Streamable HTTP, discovery.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_ERAS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_ERAS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/bridge/mcp/header_params.h"
#include "clients/bridge/mcp/message.h"
#include "clients/bridge/upstream/http_client.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {

// Tools whose marked arguments are remembered.
inline constexpr size_t kMaxHeaderTools = 10'000;

// The arguments of a server's tools that headers repeat.
class HeaderTools {
 public:
  using OnDropped = std::function<void(std::string_view tool, std::string_view why)>;

  // Takes in a page of tools/list and returns it as it may be shown: `line`, less the
  // tools that must not be.
  std::string TakePage(const Message& answer, std::string_view line, const OnDropped& on_dropped);
  // Null: none, or the tool was not listed.
  const std::vector<HeaderParam>* Find(std::string_view tool) const;

 private:
  StringMap<std::vector<HeaderParam>> tools_;
};

// A request for a server of the stateless era. `version` is the bridge's own.
std::string ToStateless(const Message& request, std::string_view version);
// The headers that repeat what a request says.
HttpFieldList StatelessFields(const Message& request, const HeaderTools& tools);

// A request for a server of the session era, without what only the other has: a server of
// both would take it for one of the other.
std::string ToSession(const Message& request, std::string_view line);

// True where an answer is an error that only a server of the stateless era gives.
bool IsStatelessError(const Message& answer);

// The result of `initialize` that stands for what `server/discover` said.
//
// Errors:
//   kFailedPrecondition - the server does not speak 2026-07-28; the message says what.
absl::StatusOr<std::string> InitializeResultOf(JsonValue discovered);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_ERAS_H_
