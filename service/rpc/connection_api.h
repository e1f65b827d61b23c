// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ConnectionApi is ConnectionService without a transport: one method an RPC, messages
// in and out, a status for the caller. What the RPCs promise stands in
// proto/bridgekeeper/v1/connection_service.proto.
//
// Thread safety: all methods may be called at the same time. All of them may wait.

#ifndef BRIDGEKEEPER_SERVICE_RPC_CONNECTION_API_H_
#define BRIDGEKEEPER_SERVICE_RPC_CONNECTION_API_H_

#include "absl/status/status.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "service/core/connection_core.h"

namespace bridgekeeper::service {

class ConnectionApi {
 public:
  // `core` must outlive it.
  explicit ConnectionApi(ConnectionCore& core) : core_(core) {}

  absl::Status GetConnection(const v1::GetConnectionRequest& request,
                             v1::GetConnectionResponse& response);
  absl::Status PutConnection(const v1::PutConnectionRequest& request,
                             v1::PutConnectionResponse& response);
  absl::Status DeleteConnection(const v1::DeleteConnectionRequest& request,
                                v1::DeleteConnectionResponse& response);
  absl::Status ListConnections(const v1::ListConnectionsRequest& request,
                               v1::ListConnectionsResponse& response);

 private:
  ConnectionCore& core_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_CONNECTION_API_H_
