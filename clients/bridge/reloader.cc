// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/reloader.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/config/diff.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {

absl::StatusOr<BridgeConfig> LoadServed(const ServeCommand& command) {
  BK_ASSIGN_OR_RETURN(BridgeConfig config, LoadBridgeConfig(command.config_file));
  if (const absl::Status served = CheckIsServed(config); !served.ok()) {
    return absl::Status(served.code(), absl::StrFormat("%s: error: %s", command.config_file,
                                                       AsStd(served.message())));
  }
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
  BK_ASSIGN_OR_RETURN(const BridgeConfig wanted, LoadServed(command_));
  const BridgeConfig next =
      cause == Cause::kSignal ? wanted : WithoutOpening(server_.config(), wanted);
  const std::vector<std::string> changes = DifferencesOf(server_.config(), next);
  const KeeperLink::Target target = TargetOf(command_, next);
  BK_RETURN_IF_ERROR(CheckCredentialFiles(target.channel));
  std::shared_ptr<KeeperLink::Prepared> keeper;
  if (!keeper_.Follows(target)) {
    BK_ASSIGN_OR_RETURN(keeper, keeper_.Prepare(target));
  } else if (cause == Cause::kSignal) {
    BK_RETURN_IF_ERROR(keeper_.ReloadToken());
  }
  if (!changes.empty()) BK_RETURN_IF_ERROR(server_.Reload(next));
  if (keeper != nullptr) keeper_.Switch(std::move(keeper));

  std::vector<std::string> held = DifferencesOf(next, wanted);
  if (!changes.empty() || cause == Cause::kSignal || !counts_.is_current) {
    ++counts_.reloads;
    log_.Info("the configuration was reloaded",
              {{"config", command_.config_file},
               {"because", cause == Cause::kSignal ? "SIGHUP" : "the file changed"},
               {"changes", changes.empty() ? "none" : absl::StrJoin(changes, "; ")}});
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
