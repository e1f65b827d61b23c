// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/config/config.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "runtime/guarded_file.h"

namespace bridgekeeper::bridge {

absl::StatusOr<BridgeConfig> LoadBridgeConfig(const std::string& file) {
  BK_ASSIGN_OR_RETURN(const std::string text, ReadGuardedFile(file, kMaxDocumentBytes));
  ParsedConfig parsed = ParseBridgeConfig(text);
  if (HasErrors(parsed.issues)) {
    std::string message;
    for (const Issue& issue : parsed.issues) message += FormatIssue(issue, file) + "\n";
    message.pop_back();
    return absl::InvalidArgumentError(message);
  }
  const BridgeConfig& config = parsed.config;
  for (const std::string& named : {config.keeper_token_file, config.keeper_ca_file}) {
    if (!named.empty()) BK_RETURN_IF_ERROR(CheckGuardedFile(named));
  }
  for (const ConnectionConfig& connection : config.connections) {
    if (!connection.dsn_file.empty()) BK_RETURN_IF_ERROR(CheckGuardedFile(connection.dsn_file));
  }
  return std::move(parsed.config);
}

}  // namespace bridgekeeper::bridge
