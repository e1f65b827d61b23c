// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The command line of keeper-bridge.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_OPTIONS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "clients/bridge/mcp/core.h"
#include "clients/sdk/channel.h"

namespace bridgekeeper::bridge {

// Exit codes of keeper-bridge.
enum class ExitCode : int {
  kOk = 0,           // the client ended the session, or we were told to stop
  kServerEnded = 1,  // the MCP server ended by itself
  kUsage = 2,        // flags, configuration, addresses, credentials
  kNotStarted = 3,   // the MCP server could not be started

  // Of `query` and `check`.
  kFailed = 1,  // the database did not do it; a connection would be refused
  kDenied = 3,  // the policy does not let it pass, as with `keeper decide`
};

// `keeper-bridge stdio`.
struct StdioCommand {
  CoreOptions core;
  std::string metrics_address;  // empty: none
  clients::ChannelOptions keeper;
  std::vector<std::string> command;  // the MCP server and its arguments
};

// `keeper-bridge serve`.
struct ServeCommand {
  std::string config_file;
  std::string announce;  // as --announce has it; empty: as the file says
  bool check_only = false;
  bool reload_on_change = false;
  clients::ChannelOptions keeper;  // as the environment says; the file comes first
};

// How `query` and `check` print.
enum class OutputFormat : uint8_t { kTable, kJson, kCsv };

// `keeper-bridge query`.
struct QueryCommand {
  std::string config_file;
  std::string connection;
  bool write = false;
  OutputFormat output = OutputFormat::kTable;
  std::optional<std::string> sql;  // nullopt: it is on standard input
  clients::ChannelOptions keeper;  // as ServeCommand's
};

// `keeper-bridge check`.
struct CheckCommand {
  std::string config_file;
  std::string connection;  // empty: all of the configuration
  OutputFormat output = OutputFormat::kTable;
};

// What to print instead of running: help on standard output, an error on standard
// error.
struct Printout {
  std::string text;
  ExitCode code = ExitCode::kOk;
};

// Longest time that --policy-wait may name.
inline constexpr absl::Duration kMaxPolicyWait = absl::Hours(1);

using Command = std::variant<StdioCommand, ServeCommand, QueryCommand, CheckCommand, Printout>;

// Reads the arguments after the program's name, and the environment.
Command ParseArguments(const std::vector<std::string>& arguments, const clients::GetEnv& get_env);

// The environment of the MCP server: `ours` without what is for us alone. Each is
// "NAME=VALUE".
std::vector<std::string> ServerEnvironment();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_OPTIONS_H_
