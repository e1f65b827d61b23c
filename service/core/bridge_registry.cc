// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/bridge_registry.h"

#include <algorithm>
#include <utility>

namespace bridgekeeper::service {

BridgeRegistry::Bridge& BridgeRegistry::Touch(const std::string& name) {
  const absl::Duration now = clock_.SinceBoot();
  if (bridges_.size() >= options_.max_bridges && !bridges_.contains(name)) {
    std::erase_if(bridges_, [&](const auto& item) { return !IsRecent(item.second, now); });
    if (bridges_.size() >= options_.max_bridges) {
      bridges_.erase(std::min_element(
          bridges_.begin(), bridges_.end(),
          [](const auto& a, const auto& b) { return a.second.heard_at < b.second.heard_at; }));
    }
  }
  Bridge& bridge = bridges_[name];
  bridge.info.name = name;
  bridge.info.last_seen = clock_.Now();
  bridge.heard_at = now;
  return bridge;
}

BridgeRegistry::Run& BridgeRegistry::RunOf(Bridge& bridge, const std::string& mark) {
  for (Run& run : bridge.runs) {
    if (run.mark == mark) return run;
  }
  if (bridge.runs.size() >= options_.max_runs) bridge.runs.pop_front();
  bridge.runs.push_back({.mark = mark});
  return bridge.runs.back();
}

void BridgeRegistry::Heartbeat(BridgeInfo info) {
  MutexLock lock(mu_);
  Bridge& bridge = Touch(info.name);
  info.last_seen = bridge.info.last_seen;
  bridge.info = std::move(info);
}

int64_t BridgeRegistry::Report(const std::string& bridge, const std::string& run,
                               std::span<const ReportedDecision> decisions, int64_t dropped) {
  int64_t taken = 0;
  int64_t doubled = 0;
  int64_t missing = 0;
  int64_t newly_dropped = 0;
  int64_t highest = 0;
  {
    MutexLock lock(mu_);
    Run& state = RunOf(Touch(bridge), run);
    for (const ReportedDecision& decision : decisions) {
      if (decision.sequence <= state.highest) {
        ++doubled;
        continue;
      }
      missing += decision.sequence - state.highest - 1;
      state.highest = decision.sequence;
      ++taken;
      metrics_.CountDecision(decision.verdict, decision.reason, Transport::kBridge);
    }
    newly_dropped = std::max<int64_t>(0, dropped - state.dropped);
    state.dropped += newly_dropped;
    highest = state.highest;
  }
  metrics_.reports_taken += static_cast<uint64_t>(taken);
  metrics_.reports_doubled += static_cast<uint64_t>(doubled);
  metrics_.reports_dropped += static_cast<uint64_t>(newly_dropped);
  metrics_.reports_lost += static_cast<uint64_t>(std::max<int64_t>(0, missing - newly_dropped));
  return highest;
}

std::vector<BridgeInfo> BridgeRegistry::List(const std::string& after, size_t limit) const {
  std::vector<BridgeInfo> out;
  MutexLock lock(mu_);
  const absl::Duration now = clock_.SinceBoot();
  for (auto it = bridges_.upper_bound(after); it != bridges_.end() && out.size() < limit; ++it) {
    if (IsRecent(it->second, now)) out.push_back(it->second.info);
  }
  return out;
}

size_t BridgeRegistry::size() const {
  MutexLock lock(mu_);
  const absl::Duration now = clock_.SinceBoot();
  return static_cast<size_t>(std::count_if(bridges_.begin(), bridges_.end(), [&](const auto& item) {
    return IsRecent(item.second, now);
  }));
}

}  // namespace bridgekeeper::service
