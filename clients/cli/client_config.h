// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What an MCP client's own files must hold so that it talks to a bridge, and asks its
// user before the calls that write: a server entry and a rule a tool.
//
// Thread safety: free functions without state.
// Source: the clients' documentation as of November 2026: code.claude.com/docs (mcp,
// permissions, settings), opencode.ai/docs (mcp-servers, permissions), cursor.com/docs
// (mcp, reference/permissions), developers.openai.com/codex (config-reference),
// code.visualstudio.com/docs (mcp-configuration, agent-tools), geminicli.com/docs
// (mcp-server, policy-engine).

#ifndef BRIDGEKEEPER_CLIENTS_CLI_CLIENT_CONFIG_H_
#define BRIDGEKEEPER_CLIENTS_CLI_CLIENT_CONFIG_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::cli {

enum class McpClient { kClaudeCode, kOpenCode, kCursor, kCodex, kVsCode, kGemini };

// "claude-code", "opencode", ...
std::span<const std::string_view> McpClientNames();
std::optional<McpClient> ParseMcpClient(std::string_view name);

struct ClientConfigInput {
  std::string name;                  // of the server entry: [a-z0-9-]
  std::string url;                   // of the bridge; empty: `command` is started instead
  std::vector<std::string> command;  // keeper-bridge stdio and what follows
  std::string keeper_address;        // KEEPER_ADDRESS of the command; empty: not set
  // The variable of the client's own environment that holds the token; empty: none is
  // sent. The token itself is never seen here.
  std::string token_variable;
  struct Tool {
    std::string name;  // as the bridge lists it
    bool asks = true;  // the user is asked before each call
  };
  std::vector<Tool> tools;
};

struct ClientConfig {
  struct File {
    std::string path;
    std::string text;
  };
  std::vector<File> files;
  std::vector<std::string> warnings;
};

ClientConfig MakeClientConfig(McpClient client, const ClientConfigInput& input);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_CLIENT_CONFIG_H_
