// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a bridge counts, as a Prometheus page. Labels come from closed sets only:
// never an app, a tool, a connection or a client.
//
// Thread safety: used on the bridge's thread, but for CountJudgeFault().

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_METRICS_METRICS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_METRICS_METRICS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/observer.h"
#include "clients/sdk/policy_source.h"
#include "policy/guard/isolated.h"
#include "policy/model/enums.h"

namespace bridgekeeper::bridge {

// Upper bounds of the buckets of deciding, in seconds.
inline constexpr std::array<double, 9> kDecisionBuckets = {5e-6, 1e-5, 2e-5, 5e-5, 1e-4,
                                                           2e-4, 1e-3, 1e-2, 1e-1};

// What Reporter counts, without naming it.
struct ReportCounts {
  int64_t reported = 0;
  int64_t dropped = 0;
  int64_t queued = 0;
};

// How the configuration was read again.
struct ReloadCounts {
  bool is_current = true;  // what is in force is what the file says
  uint64_t reloads = 0;    // that put it in force, whole or in part
  uint64_t failures = 0;   // that left the old one in force
  size_t held = 0;         // differences that wait for SIGHUP
};

// What a bridge on the network counts besides.
struct ServeCounts {
  size_t connections = 0;  // open
  uint64_t requests = 0;
  uint64_t requests_refused = 0;
  uint64_t clients_cut = 0;
  uint64_t clients_cut_for_room = 0;  // of these, because all together had too much unread
  size_t unread_bytes = 0;
  size_t sessions = 0;
  uint64_t sessions_begun = 0;
  uint64_t sessions_expired = 0;
  uint64_t sessions_refused = 0;
  size_t servers = 0;
  size_t servers_ready = 0;
  uint64_t server_starts = 0;
  uint64_t server_ends = 0;
  ReloadCounts reload;
};

// Its page, in the same format.
std::string ServePage(const ServeCounts& counts);

class BridgeMetrics : public BridgeObserver {
 public:
  BridgeMetrics();

  void OnDecision(const DecidedCall& call) override;
  void OnToolsListed(const UpstreamToolList& list) override;

  // Tools that all servers list together, where there are several.
  void SetTools(size_t tools) { tools_ = tools; }

  // From any thread (GuardOptions::on_fault).
  void CountJudgeFault(JudgeFault fault) { ++judge_faults_[static_cast<size_t>(fault)]; }

  // The page, in Prometheus' text format 0.0.4.
  std::string Page(const CoreStats& stats, size_t requests_in_flight,
                   const clients::PolicySourceStats& source, const ReportCounts& reports) const;

 private:
  std::array<uint64_t, 3> verdicts_ = {};
  std::array<uint64_t, 64> reasons_ = {};
  std::array<uint64_t, kDecisionBuckets.size() + 1> buckets_ = {};
  std::array<std::atomic<uint64_t>, std::size(kAllJudgeFaults)> judge_faults_ = {};
  double seconds_ = 0;
  size_t tools_ = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_METRICS_METRICS_H_
