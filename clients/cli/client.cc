// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The one file of keeper that knows gRPC.

#include "clients/cli/client.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/unknown_field_set.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <utility>

#include "bridgekeeper/v1/catalog_service.grpc.pb.h"
#include "bridgekeeper/v1/connection_service.grpc.pb.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "bridgekeeper/v1/server_service.grpc.pb.h"
#include "clients/sdk/channel_grpc.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::cli {

struct Client::Rep {
  std::shared_ptr<clients::Channel> channel;
  absl::Duration timeout;
  std::unique_ptr<v1::DecisionService::Stub> decision;
  std::unique_ptr<v1::PolicyService::Stub> policy;
  std::unique_ptr<v1::CatalogService::Stub> catalog;
  std::unique_ptr<v1::ConnectionService::Stub> connection;
  std::unique_ptr<v1::ServerService::Stub> server;

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                const Request& request) {
    grpc::ClientContext context;
    BK_RETURN_IF_ERROR(clients::PrepareContext(*channel, timeout, context));
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (!status.ok()) return clients::FromGrpc(status, *channel);
    return response;
  }
};

Client::Client(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
Client::~Client() = default;

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const clients::ChannelOptions& options,
                                                       absl::Duration timeout) {
  auto rep = std::make_unique<Rep>();
  BK_ASSIGN_OR_RETURN(rep->channel, clients::Channel::Create(options));
  rep->timeout = timeout;
  const std::shared_ptr<grpc::Channel> channel = clients::GrpcChannel(*rep->channel);
  rep->decision = v1::DecisionService::NewStub(channel);
  rep->policy = v1::PolicyService::NewStub(channel);
  rep->catalog = v1::CatalogService::NewStub(channel);
  rep->connection = v1::ConnectionService::NewStub(channel);
  rep->server = v1::ServerService::NewStub(channel);
  return std::unique_ptr<Client>(new Client(std::move(rep)));
}

const std::string& Client::address() const { return rep_->channel->address(); }

absl::StatusOr<v1::DecideResponse> Client::Decide(const v1::DecideRequest& request) {
  return rep_->Call(*rep_->decision, &v1::DecisionService::Stub::Decide, request);
}
absl::StatusOr<v1::DecideBatchResponse> Client::DecideBatch(const v1::DecideBatchRequest& request) {
  return rep_->Call(*rep_->decision, &v1::DecisionService::Stub::DecideBatch, request);
}
absl::StatusOr<v1::ExplainResponse> Client::Explain(const v1::ExplainRequest& request) {
  return rep_->Call(*rep_->decision, &v1::DecisionService::Stub::Explain, request);
}
absl::StatusOr<v1::ListToolsResponse> Client::ListTools(const v1::ListToolsRequest& request) {
  return rep_->Call(*rep_->decision, &v1::DecisionService::Stub::ListTools, request);
}

absl::StatusOr<v1::GetPolicyResponse> Client::GetPolicy(const v1::GetPolicyRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::GetPolicy, request);
}
absl::StatusOr<v1::PutPolicyResponse> Client::PutPolicy(const v1::PutPolicyRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::PutPolicy, request);
}
absl::StatusOr<v1::BatchPutPoliciesResponse> Client::BatchPutPolicies(
    const v1::BatchPutPoliciesRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::BatchPutPolicies, request);
}
absl::StatusOr<v1::DeletePolicyResponse> Client::DeletePolicy(
    const v1::DeletePolicyRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::DeletePolicy, request);
}
absl::StatusOr<v1::ListPoliciesResponse> Client::ListPolicies(
    const v1::ListPoliciesRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::ListPolicies, request);
}
absl::StatusOr<v1::GetPolicyHistoryResponse> Client::GetPolicyHistory(
    const v1::GetPolicyHistoryRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::GetPolicyHistory, request);
}
absl::StatusOr<v1::RollbackPolicyResponse> Client::RollbackPolicy(
    const v1::RollbackPolicyRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::RollbackPolicy, request);
}
absl::StatusOr<v1::SuspendPoliciesResponse> Client::SuspendPolicies(
    const v1::SuspendPoliciesRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::SuspendPolicies, request);
}
absl::StatusOr<v1::ResumePoliciesResponse> Client::ResumePolicies(
    const v1::ResumePoliciesRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::ResumePolicies, request);
}
absl::StatusOr<v1::DiffPolicyResponse> Client::DiffPolicy(const v1::DiffPolicyRequest& request) {
  return rep_->Call(*rep_->policy, &v1::PolicyService::Stub::DiffPolicy, request);
}

absl::StatusOr<v1::GetCatalogEntryResponse> Client::GetCatalogEntry(
    const v1::GetCatalogEntryRequest& request) {
  return rep_->Call(*rep_->catalog, &v1::CatalogService::Stub::GetCatalogEntry, request);
}
absl::StatusOr<v1::PutCatalogEntriesResponse> Client::PutCatalogEntries(
    const v1::PutCatalogEntriesRequest& request) {
  return rep_->Call(*rep_->catalog, &v1::CatalogService::Stub::PutCatalogEntries, request);
}
absl::StatusOr<v1::DeleteCatalogEntryResponse> Client::DeleteCatalogEntry(
    const v1::DeleteCatalogEntryRequest& request) {
  return rep_->Call(*rep_->catalog, &v1::CatalogService::Stub::DeleteCatalogEntry, request);
}
absl::StatusOr<v1::ListCatalogEntriesResponse> Client::ListCatalogEntries(
    const v1::ListCatalogEntriesRequest& request) {
  return rep_->Call(*rep_->catalog, &v1::CatalogService::Stub::ListCatalogEntries, request);
}
absl::StatusOr<v1::ListReportedToolsResponse> Client::ListReportedTools(
    const v1::ListReportedToolsRequest& request) {
  return rep_->Call(*rep_->catalog, &v1::CatalogService::Stub::ListReportedTools, request);
}

absl::StatusOr<v1::GetConnectionResponse> Client::GetConnection(
    const v1::GetConnectionRequest& request) {
  return rep_->Call(*rep_->connection, &v1::ConnectionService::Stub::GetConnection, request);
}
absl::StatusOr<v1::PutConnectionResponse> Client::PutConnection(
    const v1::PutConnectionRequest& request) {
  return rep_->Call(*rep_->connection, &v1::ConnectionService::Stub::PutConnection, request);
}
absl::StatusOr<v1::DeleteConnectionResponse> Client::DeleteConnection(
    const v1::DeleteConnectionRequest& request) {
  return rep_->Call(*rep_->connection, &v1::ConnectionService::Stub::DeleteConnection, request);
}
absl::StatusOr<v1::ListConnectionsResponse> Client::ListConnections(
    const v1::ListConnectionsRequest& request) {
  return rep_->Call(*rep_->connection, &v1::ConnectionService::Stub::ListConnections, request);
}

absl::StatusOr<v1::GetServerInfoResponse> Client::GetServerInfo(
    const v1::GetServerInfoRequest& request) {
  return rep_->Call(*rep_->server, &v1::ServerService::Stub::GetServerInfo, request);
}
absl::StatusOr<v1::BackupResponse> Client::Backup(const v1::BackupRequest& request) {
  return rep_->Call(*rep_->server, &v1::ServerService::Stub::Backup, request);
}

absl::Status Client::CheckHealth() {
  // grpc.health.v1 has no generated code here. Its request for the whole server is an
  // empty message; the status is field 1 of the answer.
  // Source: grpc/health/v1/health.proto.
  constexpr char kMethod[] = "/grpc.health.v1.Health/Check";
  constexpr int kStatusField = 1;
  constexpr uint64_t kServing = 1;

  using google::protobuf::Empty;
  grpc::TemplatedGenericStub<Empty, Empty> stub(clients::GrpcChannel(*rep_->channel));
  grpc::ClientContext context;
  BK_RETURN_IF_ERROR(clients::PrepareContext(*rep_->channel, rep_->timeout, context));
  grpc::CompletionQueue queue;
  Empty response;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(&context, kMethod, Empty(), &queue);
  call->StartCall();
  call->Finish(&response, &status, /*tag=*/nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);  // the call's deadline bounds this wait
  if (!status.ok()) return clients::FromGrpc(status, *rep_->channel);

  const google::protobuf::UnknownFieldSet& fields =
      response.GetReflection()->GetUnknownFields(response);
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() == kStatusField &&
        field.type() == google::protobuf::UnknownField::TYPE_VARINT && field.varint() == kServing) {
      return absl::OkStatus();
    }
  }
  return absl::FailedPreconditionError(
      "keeperd answers and is not ready to serve; its log says why");
}

}  // namespace bridgekeeper::cli
