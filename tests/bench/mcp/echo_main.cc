// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// bk_mcp_echo is the smallest MCP server on standard input and output: one tool,
// `echo`, that answers at once. What it takes is next to nothing, so that the way to
// it can be measured.
//
//   bk_mcp_echo [TOOLS]   lists so many further tools, of 1 KiB each

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "policy/base/json.h"

namespace {

using bridgekeeper::JsonDocument;
using bridgekeeper::JsonValue;

constexpr std::string_view kInitialized =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
    R"("serverInfo":{"name":"bk_mcp_echo","version":"1"}})";
constexpr std::string_view kEcho =
    R"({"name":"echo","description":"Answers at once.",)"
    R"("inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},)"
    R"("annotations":{"readOnlyHint":true}})";
constexpr std::string_view kCalled = R"({"content":[{"type":"text","text":"hello"}]})";

std::string ListOf(int further) {
  std::string list = R"({"tools":[)";
  list += kEcho;
  for (int i = 0; i < further; ++i) {
    list += R"(,{"name":"tool_)" + std::to_string(i) + R"(","description":")" +
            std::string(900, 'x') + R"(","inputSchema":{"type":"object"}})";
  }
  return list + "]}";
}

std::string_view ResultOf(std::string_view method, std::string_view list) {
  if (method == "initialize") return kInitialized;
  if (method == "tools/list") return list;
  if (method == "tools/call") return kCalled;
  return "{}";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string list = ListOf(argc > 1 ? atoi(argv[1]) : 0);
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  std::string line;
  std::string answer;
  while (std::getline(std::cin, line)) {
    const auto document = JsonDocument::Parse(line);
    if (!document.ok()) continue;
    const std::optional<JsonValue> id = document->root().Find("id");
    const std::optional<JsonValue> method = document->root().Find("method");
    if (!id.has_value() || !method.has_value() || !method->is_string()) continue;
    answer.assign(R"({"jsonrpc":"2.0","id":)");
    answer.append(id->raw()).append(R"(,"result":)").append(ResultOf(method->string(), list));
    answer.append("}\n");
    std::cout.write(answer.data(), static_cast<std::streamsize>(answer.size())).flush();
  }
  return 0;
}
