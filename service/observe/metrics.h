// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Everything that keeperd counts, each with one owner that counts it. The page that
// Prometheus reads is made from it by metrics_page.h, where names and help texts
// stand. Labels come from closed sets: never an app, a tool or a connection.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_OBSERVE_METRICS_H_
#define BRIDGEKEEPER_SERVICE_OBSERVE_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/guard/isolated.h"
#include "policy/model/enums.h"
#include "service/auth/rpc_table.h"
#include "service/observe/striped.h"

namespace bridgekeeper::service {

// How a decision was asked for.
enum class Transport : uint8_t { kUnary, kBatch, kStream, kBridge };
inline constexpr std::array<std::string_view, 4> kTransportNames = {"unary", "batch", "stream",
                                                                    "bridge"};

// How a write ended.
enum class WriteResult : uint8_t { kChanged, kUnchanged, kConflict, kRefused, kFailed };
inline constexpr std::array<std::string_view, 5> kWriteResultNames = {
    "changed", "unchanged", "conflict", "refused", "failed"};

// Why a request was turned away unread.
enum class Overload : uint8_t { kInFlight, kQueue, kWatches };
inline constexpr std::array<std::string_view, 3> kOverloadNames = {"in_flight", "queue", "watches"};

// Why a watch ended from our side.
enum class WatchCut : uint8_t { kSlow, kDrain, kStore };
inline constexpr std::array<std::string_view, 3> kWatchCutNames = {"slow", "drain", "store"};

// Codes of gRPC, 0 to 16.
inline constexpr size_t kStatusCodes = 17;

class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void CountDecision(Verdict verdict, ReasonCode reason, Transport transport) {
    decisions_.Add(DecisionIndex(verdict, reason, transport));
  }
  uint64_t decisions(Verdict verdict, ReasonCode reason, Transport transport) const {
    return decisions_.Sum(DecisionIndex(verdict, reason, transport));
  }

  void CountRpc(Rpc rpc, absl::StatusCode code, absl::Duration duration);
  uint64_t handled(Rpc rpc, size_t code) const {
    return handled_.Sum(static_cast<size_t>(rpc) * kStatusCodes + code);
  }
  const LatencyHistogram& handling(Rpc rpc) const { return handling_[static_cast<size_t>(rpc)]; }

  LatencyHistogram decision_duration;

  // By the values of the enums above.
  StripedCounters policy_writes{kWriteResultNames.size()};
  StripedCounters overload_rejections{kOverloadNames.size()};
  StripedCounters watch_cuts{kWatchCutNames.size()};
  // Payloads that were not judged for another reason than their text.
  StripedCounters judge_faults{std::size(kAllJudgeFaults)};

  // RPCs that were ended since their client took no data.
  std::atomic<uint64_t> stalled_rpcs = 0;

  StripedCounters cache_hits{1};
  StripedCounters cache_misses{1};
  StripedCounters cache_evictions{1};

  // Decisions that bridges reported; numbers that never came; numbers that came
  // twice; those that bridges say they dropped.
  std::atomic<uint64_t> reports_taken = 0;
  std::atomic<uint64_t> reports_lost = 0;
  std::atomic<uint64_t> reports_doubled = 0;
  std::atomic<uint64_t> reports_dropped = 0;

 private:
  static size_t DecisionIndex(Verdict verdict, ReasonCode reason, Transport transport);

  StripedCounters decisions_;
  StripedCounters handled_;
  std::unique_ptr<LatencyHistogram[]> handling_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_OBSERVE_METRICS_H_
