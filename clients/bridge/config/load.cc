// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/config/config.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "runtime/guarded_file.h"

namespace bridgekeeper::bridge {

namespace {

// The files that `config` names are below `folder`, whoever reads it from where.
void MakePathsAbsolute(const std::filesystem::path& folder, BridgeConfig& config) {
  const auto make = [&](std::string& path) {
    if (!path.empty()) path = folder / path;
  };
  make(config.keeper_token_file);
  make(config.keeper_ca_file);
  for (ConnectionConfig& connection : config.connections) make(connection.dsn_file);
  for (ServerConfig& server : config.servers) {
    make(server.ca_file);
    for (HeaderConfig& header : server.headers) make(header.file);
    for (ConnectionConfig& connection : server.connections) make(connection.dsn_file);
  }
}

// A variable with nothing but white space is of no use.
bool IsSet(const std::string& variable) {
  const char* value = getenv(variable.c_str());
  return value != nullptr &&
         std::string_view(value).find_first_not_of(" \t\r\n") != std::string_view::npos;
}

}  // namespace

absl::Status CheckPlaces(const BridgeConfig& config) {
  std::vector<std::string> problems;
  for (const ConnectionConfig& connection : config.connections) {
    const std::string path = absl::StrFormat("connections.%s", connection.id.value());
    if (!connection.dsn_file.empty()) {
      const absl::Status file = CheckGuardedFile(connection.dsn_file);
      if (file.ok()) continue;
      problems.push_back(absl::StrFormat("%s.dsn_file: %s", path, AsStd(file.message())));
    } else if (!IsSet(connection.dsn_variable)) {
      problems.push_back(
          absl::StrFormat("%s.dsn_env: the environment has no variable `%s`, or an empty one", path,
                          connection.dsn_variable));
    }
  }
  for (const ServerConfig& server : config.servers) {
    if (const absl::Status headers = ReadHeaders(server).status(); !headers.ok()) {
      problems.emplace_back(headers.message());
    }
    for (const EnvironmentVariable& variable : server.environment) {
      if (variable.value || getenv(variable.name.c_str()) != nullptr) continue;
      problems.push_back(absl::StrFormat(
          "servers.%s.env.%s: got no value, and the bridge's own environment has no such variable",
          server.name, variable.name));
    }
  }
  if (problems.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
}

absl::StatusOr<BridgeConfig> LoadBridgeConfig(const std::string& file,
                                              std::vector<Issue>* warnings) {
  BK_ASSIGN_OR_RETURN(const std::string text, ReadGuardedFile(file, kMaxDocumentBytes));
  ParsedConfig parsed = ParseBridgeConfig(text);
  if (HasErrors(parsed.issues)) {
    std::string message;
    for (const Issue& issue : parsed.issues) message += FormatIssue(issue, file) + "\n";
    message.pop_back();
    return absl::InvalidArgumentError(message);
  }
  MakePathsAbsolute(std::filesystem::path(file).parent_path(), parsed.config);
  const BridgeConfig& config = parsed.config;
  for (const std::string& named : {config.keeper_token_file, config.keeper_ca_file}) {
    if (!named.empty()) BK_RETURN_IF_ERROR(CheckGuardedFile(named));
  }
  for (const ServerConfig& server : config.servers) {
    if (!server.ca_file.empty()) BK_RETURN_IF_ERROR(CheckGuardedFile(server.ca_file));
    for (const HeaderConfig& header : server.headers) {
      if (!header.file.empty()) BK_RETURN_IF_ERROR(CheckGuardedFile(header.file));
    }
  }
  // The rest are errors, and there is none.
  if (warnings != nullptr) *warnings = std::move(parsed.issues);
  return std::move(parsed.config);
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadHeaders(
    const ServerConfig& server) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const HeaderConfig& header : server.headers) {
    std::string value;
    if (header.file.empty()) {
      const char* ours = getenv(header.variable.c_str());
      value = ours == nullptr ? "" : ours;
    } else {
      BK_ASSIGN_OR_RETURN(value, ReadGuardedFile(header.file, kMaxHeaderValueBytes));
      while (value.ends_with('\n') || value.ends_with('\r')) value.pop_back();
    }
    const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
    const bool is_fit =
        std::all_of(value.begin(), value.end(), [&](char c) { return is_visible(c) || c == ' '; });
    if (value.empty() || value.size() > kMaxHeaderValueBytes || !is_fit ||
        !is_visible(value.front()) || !is_visible(value.back())) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "servers.%s.headers.%s: `%s` holds %d bytes, want 1 to %d of visible ASCII", server.name,
          header.name, header.file.empty() ? header.variable : header.file, value.size(),
          kMaxHeaderValueBytes));
    }
    if (!header.scheme.empty()) value = header.scheme + " " + value;
    fields.emplace_back(header.name, std::move(value));
  }
  return fields;
}

}  // namespace bridgekeeper::bridge
