// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The configuration of `keeper-bridge serve`: YAML or JSON, every problem reported
// at once with its place.
//
//   app: billing-agent            the app whose policy holds, where a server names none
//   keeper:                       where keeperd is; what is left out comes from the
//     addresses: [ADDRESS]        environment (KEEPER_ADDRESS, KEEPER_CA, ...)
//     token_file: PATH
//     ca: PATH
//   listen: 127.0.0.1:9120        a loopback IP:PORT
//   separator: "__"               between a server's prefix and a tool's name
//   announce: sqlkit              dockit or sqlkit: write that app's port file
//   servers:
//     NAME:
//       app: APP
//       command: [PROGRAM, ARGUMENT...]   or url: https://HOST/PATH
//       env: {NAME: VALUE}        a variable without a value is handed on from ours
//       cwd: FOLDER
//       catalog: data-studio      the built-in catalogue covers its tools
//       connection: ID            the connection it is fixed to, or
//       connection_arg: ARGUMENT  the argument of its tools that names one
//       prefix: NAME              what its tools begin with at /mcp; NAME by default
//   connections:                  databases that the bridge serves itself
//     ID: {app, name, type, dsn_file | dsn_env, writes, limits, safe_functions,
//          role_risks}
//   data_studio:                  serve POST /tools and POST /invoke
//     max_risk: SAFE              calls above it are refused
//     uids: [1000]                callers besides the bridge's own user
//
// Thread safety: free functions without state.
// Source: design of the bridge's configuration; MCP 2025-11-25, tools, names.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_CONFIG_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_CONFIG_H_

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/model/enums.h"
#include "policy/model/ids.h"
#include "policy/model/issue.h"
#include "policy/model/policy.h"

namespace bridgekeeper::bridge {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:9120";
inline constexpr std::string_view kDefaultSeparator = "__";
// Most servers, and most connections.
inline constexpr size_t kMaxServers = 256;
// Longest name of a tool. Source: MCP 2025-11-25, tools.
inline constexpr size_t kMaxToolNameBytes = 128;
// Longest name that a common client takes once it has put its own prefix before it.
// Source: Claude Code and VS Code send models names of at most 64 characters.
inline constexpr size_t kClientNameBytes = 64;
// Longest prefix of a server with its separator: leaves a tool 64 bytes.
inline constexpr size_t kMaxPrefixBytes = 64;
inline constexpr size_t kMaxSeparatorBytes = 8;
inline constexpr size_t kMaxCommandWords = 256;
inline constexpr size_t kMaxVariables = 256;
inline constexpr size_t kMaxUids = 64;

// A variable of a server's environment.
struct EnvironmentVariable {
  std::string name;
  std::optional<std::string> value;  // nullopt: the value that ours has
  friend bool operator==(const EnvironmentVariable&, const EnvironmentVariable&) = default;
};

struct ServerConfig {
  std::string name;
  AppId app;
  std::vector<std::string> command;  // empty iff url is not
  std::string url;
  std::vector<EnvironmentVariable> environment;
  std::string working_directory;
  bool builtin_catalog = false;
  std::optional<ConnectionId> connection;
  std::string connection_argument;
  // What the server's tools begin with at /mcp, the separator included; empty only
  // where it is the one server.
  std::string prefix;
  friend bool operator==(const ServerConfig&, const ServerConfig&) = default;
};

// A database that the bridge serves itself.
struct ConnectionConfig {
  ConnectionId id;
  AppId app;
  std::string name;
  std::string type;
  std::string dsn_file;  // exactly one of the two
  std::string dsn_variable;
  bool writes = false;
  Limits limits;
  std::vector<std::string> safe_functions;
  std::vector<std::string> role_risks;
  friend bool operator==(const ConnectionConfig&, const ConnectionConfig&) = default;
};

// Whose port file is written.
enum class Announce { kNone, kDockit, kSqlkit };

struct DataStudioConfig {
  Risk max_risk = Risk::kSafe;
  std::vector<uid_t> uids;  // besides the bridge's own
  friend bool operator==(const DataStudioConfig&, const DataStudioConfig&) = default;
};

struct BridgeConfig {
  // Empty: as the environment says.
  std::vector<std::string> keeper_addresses;
  std::string keeper_token_file;
  std::string keeper_ca_file;
  std::string listen{kDefaultListen};
  std::string separator{kDefaultSeparator};
  Announce announce = Announce::kNone;
  std::vector<ServerConfig> servers;          // in the order of the file
  std::vector<ConnectionConfig> connections;  // in the order of the file
  std::optional<DataStudioConfig> data_studio;
  friend bool operator==(const BridgeConfig&, const BridgeConfig&) = default;
};

struct ParsedConfig {
  BridgeConfig config;        // of no use where an issue is an error
  std::vector<Issue> issues;  // by line and column
};

// Reads a configuration from text. No file is looked at.
ParsedConfig ParseBridgeConfig(std::string_view text);

// Reads a configuration from a file, and looks at the files it names.
//
// Errors:
//   kFailedPrecondition - the file, or one it names, may be written by its group or by
//                         others, or belongs to neither us nor root.
//   kNotFound           - there is no such file.
//   kInvalidArgument    - the configuration has errors; the message has one a line, as
//                         FILE:LINE:COLUMN: error: ...
//   kInternal           - anything else that the system says.
absl::StatusOr<BridgeConfig> LoadBridgeConfig(const std::string& file);

// Every app that a configuration names, each once.
std::vector<AppId> AppsOf(const BridgeConfig& config);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_CONFIG_H_
