// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// BridgeRegistry knows the bridges of the last hour and takes in what they decided:
// each report counts its decisions up, so that a decision that was lost on the way, or
// came twice, shows.
//
// Bounded: the bridge that was heard of longest ago makes room for a new one.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_CORE_BRIDGE_REGISTRY_H_
#define BRIDGEKEEPER_SERVICE_CORE_BRIDGE_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "policy/model/enums.h"
#include "service/observe/metrics.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

// What is known of a bridge, as it told.
struct BridgeInfo {
  std::string name;
  std::vector<std::string> apps;
  std::string version;
  store::RevisionToken token;
  absl::Duration policy_age;
  int64_t decisions = 0;
  int64_t denials = 0;
  int64_t dropped_reports = 0;
  std::vector<std::string> features;
  absl::Time last_seen;
};

// What is counted of one reported decision.
struct ReportedDecision {
  int64_t sequence = 0;  // from 1 within a run
  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;
};

struct BridgeRegistryOptions {
  absl::Duration max_age = absl::Hours(1);
  size_t max_bridges = 10'000;
  // Runs of one bridge whose numbers are remembered: a bridge that was restarted may
  // still send what it spooled before.
  size_t max_runs = 4;
};

class BridgeRegistry {
 public:
  // Both must outlive it.
  BridgeRegistry(const BridgeRegistryOptions& options, const Clock& clock, Metrics& metrics)
      : options_(options), clock_(clock), metrics_(metrics) {}

  // Takes what a bridge tells of itself; last_seen is not read.
  void Heartbeat(BridgeInfo info);

  // Takes decisions in, in order. Numbers that were taken before are counted as
  // doubled, numbers that are left out as lost, less those that the bridge says it
  // dropped. Returns the highest number taken in so far.
  int64_t Report(const std::string& bridge, const std::string& run,
                 std::span<const ReportedDecision> decisions, int64_t dropped);

  // Bridges by name above `after`, heard of within max_age; at most `limit`.
  std::vector<BridgeInfo> List(const std::string& after, size_t limit) const;

  // Bridges heard of within max_age.
  size_t size() const;

 private:
  struct Run {
    std::string mark;
    int64_t highest = 0;
    int64_t dropped = 0;
  };
  struct Bridge {
    BridgeInfo info;
    absl::Duration heard_at;
    std::deque<Run> runs;  // the latest last
  };

  Bridge& Touch(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Run& RunOf(Bridge& bridge, const std::string& mark) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool IsRecent(const Bridge& bridge, absl::Duration now) const {
    return now - bridge.heard_at <= options_.max_age;
  }

  const BridgeRegistryOptions options_;
  const Clock& clock_;
  Metrics& metrics_;

  mutable Mutex mu_;
  std::map<std::string, Bridge> bridges_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_BRIDGE_REGISTRY_H_
