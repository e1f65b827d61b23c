// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The server's side of WatchPolicies: writes what a WatchStream holds, one message at
// a time, and sleeps without a thread while there is nothing.

#ifndef BRIDGEKEEPER_SERVICE_RPC_WATCH_REACTOR_H_
#define BRIDGEKEEPER_SERVICE_RPC_WATCH_REACTOR_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "bridgekeeper/v1/decision_service.pb.h"
#include "service/core/watch_hub.h"
#include "service/rpc/unary_call.h"

namespace bridgekeeper::service {

// The reactor lives until the RPC is over. `request` is read before this returns.
grpc::ServerWriteReactor<v1::WatchPoliciesResponse>* StartWatch(
    RpcShared& shared, WatchHub& hub, grpc::CallbackServerContext* context,
    const v1::WatchPoliciesRequest& request);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_WATCH_REACTOR_H_
