// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/reloader.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "clients/bridge/config/diff.h"
#include "clients/sdk/channel.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "runtime/guarded_file.h"

namespace bridgekeeper::bridge {
namespace {

// Those in use are not read again: that they have become somebody else's to change is
// said here.
absl::Status CheckCredentialFiles(const clients::ChannelOptions& options) {
  for (const std::string& file :
       {options.token_file, options.ca_file, options.cert_file, options.key_file}) {
    if (!file.empty()) BK_RETURN_IF_ERROR(CheckGuardedFile(file));
  }
  return absl::OkStatus();
}

// A server is never given what proves the bridge to keeperd, by whatever name of the file.
//
// Errors:
//   kInvalidArgument - a file of the configuration is the token or the key.
absl::Status CheckKeepsOwnCredentials(const BridgeConfig& config,
                                      const clients::ChannelOptions& keeper) {
  const auto check = [&](const std::string& file, std::string_view where) -> absl::Status {
    for (const std::string& own : {keeper.token_file, keeper.key_file}) {
      std::error_code error;  // one that is not there is for its reader to tell of
      if (own.empty() || file.empty() ||
          (own != file && !std::filesystem::equivalent(own, file, error))) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: got the file of the bridge's own credential for keeperd, want "
                          "another: a server is never given it",
                          where));
    }
    return absl::OkStatus();
  };
  for (const ServerConfig& server : config.servers) {
    for (const HeaderConfig& header : server.headers) {
      BK_RETURN_IF_ERROR(check(
          header.file, absl::StrFormat("servers.%s.headers.%s.file", server.name, header.name)));
    }
  }
  for (const ConnectionConfig& connection : config.connections) {
    BK_RETURN_IF_ERROR(check(connection.dsn_file,
                             absl::StrFormat("connections.%s.dsn_file", connection.id.value())));
  }
  return absl::OkStatus();
}

}  // namespace

void LogWarnings(const std::vector<Issue>& warnings, const ServeCommand& command, Logger& log) {
  for (const Issue& warning : warnings) {
    log.Warning(
        "the configuration is worth a look",
        {{"config", command.config_file}, {"why", FormatIssue(warning, command.config_file)}});
  }
}

absl::StatusOr<BridgeConfig> LoadServed(const ServeCommand& command, std::vector<Issue>* warnings,
                                        bool checks_places) {
  BK_ASSIGN_OR_RETURN(BridgeConfig config, LoadBridgeConfig(command.config_file, warnings));
  // All that is wrong at once; the first says of what kind it is.
  absl::Status worst;
  std::vector<std::string> lines;
  for (const absl::Status& status :
       {CheckIsServed(config), CheckKeepsOwnCredentials(config, TargetOf(command, config).channel),
        checks_places ? CheckPlaces(config) : absl::OkStatus()}) {
    worst.Update(status);
    for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipEmpty())) {
      lines.push_back(absl::StrFormat("%s: error: %s", command.config_file, AsStd(line)));
    }
  }
  if (!worst.ok()) return absl::Status(worst.code(), absl::StrJoin(lines, "\n"));
  if (command.announce == "dockit") config.announce = Announce::kDockit;
  if (command.announce == "sqlkit") config.announce = Announce::kSqlkit;
  return config;
}

KeeperLink::Target TargetOf(const ServeCommand& command, const BridgeConfig& config) {
  KeeperLink::Target target{.channel = command.keeper, .apps = AppsOf(config)};
  if (!config.keeper_addresses.empty()) target.channel.address = config.keeper_addresses[0];
  if (!config.keeper_token_file.empty()) target.channel.token_file = config.keeper_token_file;
  if (!config.keeper_ca_file.empty()) target.channel.ca_file = config.keeper_ca_file;
  return target;
}

void Reloader::Reload(Cause cause) {
  const absl::Status status = Apply(cause);
  if (status.ok()) return;
  ++counts_.failures;
  counts_.is_current = false;
  log_.Error("the configuration was not reloaded: the old one stays in force",
             {{"config", command_.config_file}, {"why", std::string(status.message())}});
}

absl::Status Reloader::Apply(Cause cause) {
  std::vector<Issue> warnings;
  BK_ASSIGN_OR_RETURN(const BridgeConfig wanted, LoadServed(command_, &warnings));
  const BridgeConfig next =
      cause == Cause::kSignal ? wanted : WithoutOpening(server_.config(), wanted);
  const std::vector<std::string> changes = DifferencesOf(server_.config(), next);
  const KeeperLink::Target target = TargetOf(command_, next);
  BK_RETURN_IF_ERROR(CheckCredentialFiles(target.channel));
  std::shared_ptr<KeeperLink::Prepared> keeper;
  if (!keeper_.Follows(target)) {
    BK_ASSIGN_OR_RETURN(keeper, keeper_.Prepare(target));
  } else if (cause == Cause::kSignal) {
    // Whether the token can be read; it is put in force once nothing else can fail.
    BK_RETURN_IF_ERROR(clients::Channel::Create(target.channel).status());
  }
  if (!changes.empty()) BK_RETURN_IF_ERROR(server_.Reload(next));
  std::set<std::pair<std::string, std::string>> servers;
  for (const ServerConfig& server : next.servers) servers.emplace(server.app.value(), server.name);
  keeper_.ForgetToolsBut(servers);
  const bool reads_token = keeper == nullptr && cause == Cause::kSignal;
  if (keeper != nullptr) keeper_.Switch(std::move(keeper));
  if (reads_token) {
    if (const absl::Status read = keeper_.ReloadToken(); !read.ok()) {
      // It was there a moment ago. The rest is in force: to say otherwise would be wrong.
      log_.Error("the token for keeperd stays what it was: its file cannot be read",
                 {{"why", std::string(read.message())}});
    }
  }

  std::vector<std::string> held = DifferencesOf(next, wanted);
  if (!changes.empty() || cause == Cause::kSignal || !counts_.is_current) {
    ++counts_.reloads;
    LogWarnings(warnings, command_, log_);
    const std::string_view because = cause == Cause::kSignal ? "SIGHUP" : "the file changed";
    if (changes.empty()) {
      log_.Info("the configuration was read again: nothing in it has changed",
                {{"config", command_.config_file}, {"because", because}});
    } else {
      log_.Info("the configuration was reloaded", {{"config", command_.config_file},
                                                   {"because", because},
                                                   {"changes", absl::StrJoin(changes, "; ")}});
    }
  }
  if (!held.empty() && held != held_) {
    log_.Warning("changes of the configuration that open something wait for SIGHUP",
                 {{"config", command_.config_file}, {"changes", absl::StrJoin(held, "; ")}});
  }
  counts_.is_current = held.empty();
  counts_.held = held.size();
  held_ = std::move(held);
  return absl::OkStatus();
}

}  // namespace bridgekeeper::bridge
