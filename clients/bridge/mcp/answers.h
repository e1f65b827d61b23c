// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The messages that the bridge writes itself, each one line without its end,
// which AppendLine() adds.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_ANSWERS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_ANSWERS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::bridge {

// Appends `line` and its end.
void AppendLine(std::string_view line, std::string& out);

// What a client is told of a denial, besides the reason in words.
struct DenialData {
  ReasonCode reason = ReasonCode::kUnspecified;
  Risk effective_risk = Risk::kDestructive;
  std::string_view app;
  std::string_view server;
  std::string_view tool;        // empty: no tool was called
  std::string_view connection;  // empty: none was checked
  int64_t policy_revision = 0;
  int64_t catalog_revision = 0;
  std::string_view decision_id;
};

// As an object: snake_case keys, bare enum names.
std::string DenialJson(const DenialData& denial);

// A JSON-RPC error. `id_token` is written as it is; empty: null. `data` is JSON;
// empty: none.
std::string ErrorLine(std::string_view id_token, int code, std::string_view message,
                      std::string_view data = {});

// An answer with `result`, which is JSON.
std::string ResultLine(std::string_view id_token, std::string_view result);

// What the shape of a tool's result depends on.
struct ResultShape {
  bool stateless = false;           // 2026-07-28: `resultType` is written
  bool structured_content = false;  // the data are repeated as `structuredContent`
};

// A tool's result that says why the call did not run: isError, `text`, and `data` (a
// JSON object) as _meta[`meta_key`].
std::string ToolErrorLine(std::string_view id_token, std::string_view text,
                          std::string_view meta_key, std::string_view data,
                          const ResultShape& shape);

// A notification. `params` is a JSON object; empty: none.
std::string NotificationLine(std::string_view method, std::string_view params = {});

// A request of the bridge's own. `params` is a JSON object; empty: none.
std::string RequestLine(std::string_view id, std::string_view method, std::string_view params);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_ANSWERS_H_
