// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The gRPC services, each bound to what it does.

#ifndef BRIDGEKEEPER_SERVICE_RPC_SERVICES_H_
#define BRIDGEKEEPER_SERVICE_RPC_SERVICES_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "service/core/watch_hub.h"
#include "service/rpc/bridge_api.h"
#include "service/rpc/catalog_api.h"
#include "service/rpc/connection_api.h"
#include "service/rpc/decide_stream.h"
#include "service/rpc/decision_api.h"
#include "service/rpc/policy_api.h"
#include "service/rpc/server_api.h"
#include "service/rpc/unary_call.h"

namespace bridgekeeper::service {

// Everything handed in outlives the service.
std::unique_ptr<grpc::Service> MakeDecisionService(RpcShared& shared, DecisionApi& api,
                                                   WatchHub& hub, DecideStreams& streams);
std::unique_ptr<grpc::Service> MakePolicyService(RpcShared& shared, PolicyApi& api);
std::unique_ptr<grpc::Service> MakeCatalogService(RpcShared& shared, CatalogApi& api);
std::unique_ptr<grpc::Service> MakeConnectionService(RpcShared& shared, ConnectionApi& api);
std::unique_ptr<grpc::Service> MakeBridgeService(RpcShared& shared, BridgeApi& api);
std::unique_ptr<grpc::Service> MakeServerService(RpcShared& shared, ServerApi& api);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_SERVICES_H_
