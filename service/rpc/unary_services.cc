// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The services whose RPCs are all unary and may all wait. One file, since what they
// do stands in the ..._api.cc files and the generated headers are slow to compile.

#include "bridgekeeper/v1/bridge_service.grpc.pb.h"
#include "bridgekeeper/v1/catalog_service.grpc.pb.h"
#include "bridgekeeper/v1/connection_service.grpc.pb.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "bridgekeeper/v1/server_service.grpc.pb.h"
#include "service/rpc/services.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

// Runs `(api->*method)(request, response)` on a worker.
template <typename Api, typename Request, typename Response>
Reactor* Run(RpcShared& shared, Rpc rpc, Context* context, Api& api,
             absl::Status (Api::*method)(const Request&, Response&), const Request* request,
             Response* response) {
  return RunOnWorker(shared, rpc, context, [&api, method, request, response] {
    return (api.*method)(*request, *response);
  });
}

class PolicyService final : public pb::PolicyService::CallbackService {
 public:
  PolicyService(RpcShared& shared, PolicyApi& api) : shared_(shared), api_(api) {}

  Reactor* GetPolicy(Context* context, const pb::GetPolicyRequest* request,
                     pb::GetPolicyResponse* response) override {
    return Run(shared_, Rpc::kGetPolicy, context, api_, &PolicyApi::GetPolicy, request, response);
  }
  Reactor* PutPolicy(Context* context, const pb::PutPolicyRequest* request,
                     pb::PutPolicyResponse* response) override {
    return Run(shared_, Rpc::kPutPolicy, context, api_, &PolicyApi::PutPolicy, request, response);
  }
  Reactor* BatchPutPolicies(Context* context, const pb::BatchPutPoliciesRequest* request,
                            pb::BatchPutPoliciesResponse* response) override {
    return Run(shared_, Rpc::kBatchPutPolicies, context, api_, &PolicyApi::BatchPutPolicies,
               request, response);
  }
  Reactor* DeletePolicy(Context* context, const pb::DeletePolicyRequest* request,
                        pb::DeletePolicyResponse* response) override {
    return Run(shared_, Rpc::kDeletePolicy, context, api_, &PolicyApi::DeletePolicy, request,
               response);
  }
  Reactor* ListPolicies(Context* context, const pb::ListPoliciesRequest* request,
                        pb::ListPoliciesResponse* response) override {
    return Run(shared_, Rpc::kListPolicies, context, api_, &PolicyApi::ListPolicies, request,
               response);
  }
  Reactor* GetPolicyHistory(Context* context, const pb::GetPolicyHistoryRequest* request,
                            pb::GetPolicyHistoryResponse* response) override {
    return Run(shared_, Rpc::kGetPolicyHistory, context, api_, &PolicyApi::GetPolicyHistory,
               request, response);
  }
  Reactor* RollbackPolicy(Context* context, const pb::RollbackPolicyRequest* request,
                          pb::RollbackPolicyResponse* response) override {
    return Run(shared_, Rpc::kRollbackPolicy, context, api_, &PolicyApi::RollbackPolicy, request,
               response);
  }
  Reactor* SuspendPolicies(Context* context, const pb::SuspendPoliciesRequest* request,
                           pb::SuspendPoliciesResponse* response) override {
    return RunOnWorker(shared_, Rpc::kSuspendPolicies, context, [this, context, request, response] {
      return api_.SuspendPolicies(*request, *response,
                                  [context] { return context->IsCancelled(); });
    });
  }
  Reactor* ResumePolicies(Context* context, const pb::ResumePoliciesRequest* request,
                          pb::ResumePoliciesResponse* response) override {
    return RunOnWorker(shared_, Rpc::kResumePolicies, context, [this, context, request, response] {
      return api_.ResumePolicies(*request, *response, [context] { return context->IsCancelled(); });
    });
  }
  Reactor* DiffPolicy(Context* context, const pb::DiffPolicyRequest* request,
                      pb::DiffPolicyResponse* response) override {
    return Run(shared_, Rpc::kDiffPolicy, context, api_, &PolicyApi::DiffPolicy, request, response);
  }

 private:
  RpcShared& shared_;
  PolicyApi& api_;
};

class CatalogService final : public pb::CatalogService::CallbackService {
 public:
  CatalogService(RpcShared& shared, CatalogApi& api) : shared_(shared), api_(api) {}

  Reactor* GetCatalogEntry(Context* context, const pb::GetCatalogEntryRequest* request,
                           pb::GetCatalogEntryResponse* response) override {
    return Run(shared_, Rpc::kGetCatalogEntry, context, api_, &CatalogApi::GetCatalogEntry, request,
               response);
  }
  Reactor* PutCatalogEntries(Context* context, const pb::PutCatalogEntriesRequest* request,
                             pb::PutCatalogEntriesResponse* response) override {
    return Run(shared_, Rpc::kPutCatalogEntries, context, api_, &CatalogApi::PutCatalogEntries,
               request, response);
  }
  Reactor* DeleteCatalogEntry(Context* context, const pb::DeleteCatalogEntryRequest* request,
                              pb::DeleteCatalogEntryResponse* response) override {
    return Run(shared_, Rpc::kDeleteCatalogEntry, context, api_, &CatalogApi::DeleteCatalogEntry,
               request, response);
  }
  Reactor* ListCatalogEntries(Context* context, const pb::ListCatalogEntriesRequest* request,
                              pb::ListCatalogEntriesResponse* response) override {
    return Run(shared_, Rpc::kListCatalogEntries, context, api_, &CatalogApi::ListCatalogEntries,
               request, response);
  }
  Reactor* ListReportedTools(Context* context, const pb::ListReportedToolsRequest* request,
                             pb::ListReportedToolsResponse* response) override {
    return Run(shared_, Rpc::kListReportedTools, context, api_, &CatalogApi::ListReportedTools,
               request, response);
  }

 private:
  RpcShared& shared_;
  CatalogApi& api_;
};

class ConnectionService final : public pb::ConnectionService::CallbackService {
 public:
  ConnectionService(RpcShared& shared, ConnectionApi& api) : shared_(shared), api_(api) {}

  Reactor* GetConnection(Context* context, const pb::GetConnectionRequest* request,
                         pb::GetConnectionResponse* response) override {
    return Run(shared_, Rpc::kGetConnection, context, api_, &ConnectionApi::GetConnection, request,
               response);
  }
  Reactor* PutConnection(Context* context, const pb::PutConnectionRequest* request,
                         pb::PutConnectionResponse* response) override {
    return Run(shared_, Rpc::kPutConnection, context, api_, &ConnectionApi::PutConnection, request,
               response);
  }
  Reactor* DeleteConnection(Context* context, const pb::DeleteConnectionRequest* request,
                            pb::DeleteConnectionResponse* response) override {
    return Run(shared_, Rpc::kDeleteConnection, context, api_, &ConnectionApi::DeleteConnection,
               request, response);
  }
  Reactor* ListConnections(Context* context, const pb::ListConnectionsRequest* request,
                           pb::ListConnectionsResponse* response) override {
    return Run(shared_, Rpc::kListConnections, context, api_, &ConnectionApi::ListConnections,
               request, response);
  }

 private:
  RpcShared& shared_;
  ConnectionApi& api_;
};

class BridgeService final : public pb::BridgeService::CallbackService {
 public:
  BridgeService(RpcShared& shared, BridgeApi& api) : shared_(shared), api_(api) {}

  Reactor* ReportTools(Context* context, const pb::ReportToolsRequest* request,
                       pb::ReportToolsResponse* response) override {
    return Run(shared_, Rpc::kReportTools, context, api_, &BridgeApi::ReportTools, request,
               response);
  }
  Reactor* ReportDecisions(Context* context, const pb::ReportDecisionsRequest* request,
                           pb::ReportDecisionsResponse* response) override {
    return Run(shared_, Rpc::kReportDecisions, context, api_, &BridgeApi::ReportDecisions, request,
               response);
  }
  Reactor* Heartbeat(Context* context, const pb::HeartbeatRequest* request,
                     pb::HeartbeatResponse* response) override {
    return Run(shared_, Rpc::kHeartbeat, context, api_, &BridgeApi::Heartbeat, request, response);
  }
  Reactor* ListBridges(Context* context, const pb::ListBridgesRequest* request,
                       pb::ListBridgesResponse* response) override {
    return Run(shared_, Rpc::kListBridges, context, api_, &BridgeApi::ListBridges, request,
               response);
  }

 private:
  RpcShared& shared_;
  BridgeApi& api_;
};

class ServerService final : public pb::ServerService::CallbackService {
 public:
  ServerService(RpcShared& shared, ServerApi& api) : shared_(shared), api_(api) {}

  Reactor* GetServerInfo(Context* context, const pb::GetServerInfoRequest* request,
                         pb::GetServerInfoResponse* response) override {
    return Run(shared_, Rpc::kGetServerInfo, context, api_, &ServerApi::GetServerInfo, request,
               response);
  }
  Reactor* Backup(Context* context, const pb::BackupRequest* request,
                  pb::BackupResponse* response) override {
    return Run(shared_, Rpc::kBackup, context, api_, &ServerApi::Backup, request, response);
  }

 private:
  RpcShared& shared_;
  ServerApi& api_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakePolicyService(RpcShared& shared, PolicyApi& api) {
  return std::make_unique<PolicyService>(shared, api);
}
std::unique_ptr<grpc::Service> MakeCatalogService(RpcShared& shared, CatalogApi& api) {
  return std::make_unique<CatalogService>(shared, api);
}
std::unique_ptr<grpc::Service> MakeConnectionService(RpcShared& shared, ConnectionApi& api) {
  return std::make_unique<ConnectionService>(shared, api);
}
std::unique_ptr<grpc::Service> MakeBridgeService(RpcShared& shared, BridgeApi& api) {
  return std::make_unique<BridgeService>(shared, api);
}
std::unique_ptr<grpc::Service> MakeServerService(RpcShared& shared, ServerApi& api) {
  return std::make_unique<ServerService>(shared, api);
}

}  // namespace bridgekeeper::service
