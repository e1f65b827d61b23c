// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/observe/metrics.h"

#include "policy/base/check.h"

namespace bridgekeeper::service {
namespace {

constexpr size_t kReasons = static_cast<size_t>(ReasonCode::kEvaluationFault) + 1;
constexpr size_t kVerdicts = static_cast<size_t>(Verdict::kAllow) + 1;

}  // namespace

Metrics::Metrics()
    : decisions_(kTransportNames.size() * kVerdicts * kReasons),
      handled_(RpcTable().size() * kStatusCodes),
      handling_(std::make_unique<LatencyHistogram[]>(RpcTable().size())) {}

size_t Metrics::DecisionIndex(Verdict verdict, ReasonCode reason, Transport transport) {
  return (static_cast<size_t>(transport) * kVerdicts + static_cast<size_t>(verdict)) * kReasons +
         static_cast<size_t>(reason);
}

void Metrics::CountRpc(Rpc rpc, absl::StatusCode code, absl::Duration duration) {
  const auto number = static_cast<size_t>(code);
  BK_CHECK(number < kStatusCodes);
  handled_.Add(static_cast<size_t>(rpc) * kStatusCodes + number);
  handling_[static_cast<size_t>(rpc)].Record(duration);
}

}  // namespace bridgekeeper::service
