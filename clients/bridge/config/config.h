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
//       headers:                  sent with each request to the `url`
//         NAME: {env: VARIABLE | file: PATH, scheme: Bearer}
//       ca: PATH                  the authorities of the `url`'s certificate; those of the
//                                 system by default
//       catalog: data-studio      the built-in catalogue covers its tools
//       connection: ID            the connection it is fixed to, or
//       connection_arg: ARGUMENT  the argument of its tools that names one
//       prefix: NAME              what its tools begin with at /mcp; NAME by default
//   connections:                  databases that the bridge serves itself
//     ID:
//       app: APP
//       name: TEXT
//       type: postgres
//       dsn_file: PATH            or dsn_env: VARIABLE; where its credential is. Every
//                                 relative PATH is below the folder of this file
//       writes: allowed           the tools that write may run; left out: they may not
//       limits: {max_rows: 1000, max_bytes: 1048576, timeout: 60s}
//       role_risks: [owner]       what its role may be besides a reader
//       safe_functions: [public.add_tax(numeric)]
//                                 count as harmless, as those of the connection's record do
//                                Those of an app are the tools of a server `databases`
//                                (`databases.APP` where several apps have some).
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
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/model/enums.h"
#include "policy/model/ids.h"
#include "policy/model/issue.h"
#include "policy/model/policy.h"

namespace bridgekeeper::bridge {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:9120";
inline constexpr std::string_view kDefaultSeparator = "__";
// The server whose tools are the bridge's own databases.
inline constexpr std::string_view kDatabasesServer = "databases";
// Most servers, and most connections.
inline constexpr size_t kMaxServers = 256;
// Longest name of a tool. Source: MCP 2025-11-25, tools.
inline constexpr size_t kMaxToolNameBytes = 128;
// Longest name that a common client takes once it has put its own prefix before it.
// Source: Claude Code and VS Code send models names of at most 64 characters.
inline constexpr size_t kClientNameBytes = 64;
// What a client that names this bridge `bridgekeeper` puts before a tool's name, as Claude
// Code does. Source: its names of tools are mcp__SERVER__TOOL.
inline constexpr std::string_view kClientPrefix = "mcp__bridgekeeper__";
// Longest prefix of a server with its separator: leaves a tool 64 bytes.
inline constexpr size_t kMaxPrefixBytes = 64;
inline constexpr size_t kMaxSeparatorBytes = 8;
inline constexpr size_t kMaxCommandWords = 256;
inline constexpr size_t kMaxVariables = 256;
inline constexpr size_t kMaxUids = 64;
inline constexpr size_t kMaxHeaders = 16;
// Longest name of a header, and longest value: of a credential, most often.
inline constexpr size_t kMaxHeaderNameBytes = 128;
inline constexpr size_t kMaxHeaderValueBytes = 8 << 10;

// A variable of a server's environment.
struct EnvironmentVariable {
  std::string name;
  std::optional<std::string> value;  // nullopt: the value that ours has
  friend bool operator==(const EnvironmentVariable&, const EnvironmentVariable&) = default;
};

// A header of the requests to a server; its value never stands in the configuration.
struct HeaderConfig {
  std::string name;
  std::string variable;  // of our environment that holds the value; exactly one of the two
  std::string file;
  std::string scheme;  // what stands before the value and a space; empty: nothing
  friend bool operator==(const HeaderConfig&, const HeaderConfig&) = default;
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

struct ServerConfig {
  std::string name;
  AppId app;
  // One of these three is there.
  std::vector<std::string> command;
  std::string url;
  std::vector<ConnectionConfig> connections;  // databases of the bridge's own
  std::vector<EnvironmentVariable> environment;
  std::string working_directory;
  std::vector<HeaderConfig> headers;  // only with url
  std::string ca_file;                // only with url
  bool builtin_catalog = false;
  std::optional<ConnectionId> connection;
  std::string connection_argument;
  // What the server's tools begin with at /mcp, the separator included; empty only
  // where it is the one server.
  std::string prefix;
  friend bool operator==(const ServerConfig&, const ServerConfig&) = default;
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
  // In the order of the file; behind them one an app that has `connections`.
  std::vector<ServerConfig> servers;
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

// Reads a configuration from a file, and looks at the files it names, but for those of
// connections. A relative path of one is below the folder of `file`.
//
// Errors:
//   kFailedPrecondition - the file, or one it names, may be written by its group or by
//                         others, or belongs to neither us nor root.
//   kNotFound           - there is no such file.
//   kInvalidArgument    - the configuration has errors; the message has one a line, as
//                         FILE:LINE:COLUMN: error: ...
//   kInternal           - anything else that the system says.
//
// What is valid and yet worth a look is added to `warnings`, unless that is null.
absl::StatusOr<BridgeConfig> LoadBridgeConfig(const std::string& file,
                                              std::vector<Issue>* warnings = nullptr);

// Looks at the files and variables that connections and servers have their credentials and
// environment from.
//
// Errors:
//   kInvalidArgument - one is not there, or of no use; the message has one a line, as
//                      `connections.ID.dsn_file: ...`, and never a value.
absl::Status CheckPlaces(const BridgeConfig& config);

// The fields that a server's `headers` stand for, as they are now: names and values.
//
// Errors:
//   kInvalidArgument    - a variable is not there; a value is empty, too long, or no text
//                         that a header may hold. The message never has the value.
//   kFailedPrecondition,
//   kNotFound           - as ReadGuardedFile().
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadHeaders(
    const ServerConfig& server);

// Every app that a configuration names, each once.
std::vector<AppId> AppsOf(const BridgeConfig& config);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_CONFIG_H_
