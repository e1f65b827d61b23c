// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// BridgeApi is BridgeService without a transport: one method an RPC, messages in and
// out, a status for the caller. What the RPCs promise stands in
// proto/bridgekeeper/v1/bridge_service.proto.
//
// Thread safety: all methods may be called at the same time. None does I/O.

#ifndef BRIDGEKEEPER_SERVICE_RPC_BRIDGE_API_H_
#define BRIDGEKEEPER_SERVICE_RPC_BRIDGE_API_H_

#include "absl/status/status.h"
#include "bridgekeeper/v1/bridge_service.pb.h"
#include "service/core/bridge_registry.h"
#include "service/core/reported_tools.h"

namespace bridgekeeper::service {

// Time to the next heartbeat of a bridge at the latest.
inline constexpr absl::Duration kBridgeHeartbeatInterval = absl::Seconds(10);

class BridgeApi {
 public:
  // Both must outlive it.
  BridgeApi(BridgeRegistry& bridges, ReportedTools& reported)
      : bridges_(bridges), reported_(reported) {}

  absl::Status ReportTools(const v1::ReportToolsRequest& request,
                           v1::ReportToolsResponse& response);
  absl::Status ReportDecisions(const v1::ReportDecisionsRequest& request,
                               v1::ReportDecisionsResponse& response);
  absl::Status Heartbeat(const v1::HeartbeatRequest& request, v1::HeartbeatResponse& response);
  absl::Status ListBridges(const v1::ListBridgesRequest& request,
                           v1::ListBridgesResponse& response);

 private:
  BridgeRegistry& bridges_;
  ReportedTools& reported_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_BRIDGE_API_H_
