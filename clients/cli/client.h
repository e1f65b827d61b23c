// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Client makes the calls of keeper's commands, one method for each RPC. A call is
// made once: nothing is retried, so that a write is never made twice.
//
// Errors of all methods: what the server answered, or what stopped the call, in
// words for people (clients/sdk, FromGrpc).

#ifndef BRIDGEKEEPER_CLIENTS_CLI_CLIENT_H_
#define BRIDGEKEEPER_CLIENTS_CLI_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/sdk/channel.h"

namespace bridgekeeper::v1 {
class BackupRequest;
class BackupResponse;
class BatchPutPoliciesRequest;
class BatchPutPoliciesResponse;
class DecideBatchRequest;
class DecideBatchResponse;
class DecideRequest;
class DecideResponse;
class DeleteCatalogEntryRequest;
class DeleteCatalogEntryResponse;
class DeleteConnectionRequest;
class DeleteConnectionResponse;
class DeletePolicyRequest;
class DeletePolicyResponse;
class DiffPolicyRequest;
class DiffPolicyResponse;
class ExplainRequest;
class ExplainResponse;
class GetCatalogEntryRequest;
class GetCatalogEntryResponse;
class GetConnectionRequest;
class GetConnectionResponse;
class GetPolicyHistoryRequest;
class GetPolicyHistoryResponse;
class GetPolicyRequest;
class GetPolicyResponse;
class GetServerInfoRequest;
class GetServerInfoResponse;
class ListCatalogEntriesRequest;
class ListCatalogEntriesResponse;
class ListConnectionsRequest;
class ListConnectionsResponse;
class ListPoliciesRequest;
class ListPoliciesResponse;
class ListReportedToolsRequest;
class ListReportedToolsResponse;
class ListToolsRequest;
class ListToolsResponse;
class PutCatalogEntriesRequest;
class PutCatalogEntriesResponse;
class PutConnectionRequest;
class PutConnectionResponse;
class PutPolicyRequest;
class PutPolicyResponse;
class ResumePoliciesRequest;
class ResumePoliciesResponse;
class RollbackPolicyRequest;
class RollbackPolicyResponse;
class SuspendPoliciesRequest;
class SuspendPoliciesResponse;
}  // namespace bridgekeeper::v1

namespace bridgekeeper::cli {

class Client {
 public:
  // Makes a client; connects at the first call. Each call may take `timeout`.
  //
  // Errors: as Channel::Create().
  static absl::StatusOr<std::unique_ptr<Client>> Create(const clients::ChannelOptions& options,
                                                        absl::Duration timeout);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const std::string& address() const;

  absl::StatusOr<v1::DecideResponse> Decide(const v1::DecideRequest& request);
  absl::StatusOr<v1::DecideBatchResponse> DecideBatch(const v1::DecideBatchRequest& request);
  absl::StatusOr<v1::ExplainResponse> Explain(const v1::ExplainRequest& request);
  absl::StatusOr<v1::ListToolsResponse> ListTools(const v1::ListToolsRequest& request);

  absl::StatusOr<v1::GetPolicyResponse> GetPolicy(const v1::GetPolicyRequest& request);
  absl::StatusOr<v1::PutPolicyResponse> PutPolicy(const v1::PutPolicyRequest& request);
  absl::StatusOr<v1::BatchPutPoliciesResponse> BatchPutPolicies(
      const v1::BatchPutPoliciesRequest& request);
  absl::StatusOr<v1::DeletePolicyResponse> DeletePolicy(const v1::DeletePolicyRequest& request);
  absl::StatusOr<v1::ListPoliciesResponse> ListPolicies(const v1::ListPoliciesRequest& request);
  absl::StatusOr<v1::GetPolicyHistoryResponse> GetPolicyHistory(
      const v1::GetPolicyHistoryRequest& request);
  absl::StatusOr<v1::RollbackPolicyResponse> RollbackPolicy(
      const v1::RollbackPolicyRequest& request);
  absl::StatusOr<v1::SuspendPoliciesResponse> SuspendPolicies(
      const v1::SuspendPoliciesRequest& request);
  absl::StatusOr<v1::ResumePoliciesResponse> ResumePolicies(
      const v1::ResumePoliciesRequest& request);
  absl::StatusOr<v1::DiffPolicyResponse> DiffPolicy(const v1::DiffPolicyRequest& request);

  absl::StatusOr<v1::GetCatalogEntryResponse> GetCatalogEntry(
      const v1::GetCatalogEntryRequest& request);
  absl::StatusOr<v1::PutCatalogEntriesResponse> PutCatalogEntries(
      const v1::PutCatalogEntriesRequest& request);
  absl::StatusOr<v1::DeleteCatalogEntryResponse> DeleteCatalogEntry(
      const v1::DeleteCatalogEntryRequest& request);
  absl::StatusOr<v1::ListCatalogEntriesResponse> ListCatalogEntries(
      const v1::ListCatalogEntriesRequest& request);
  absl::StatusOr<v1::ListReportedToolsResponse> ListReportedTools(
      const v1::ListReportedToolsRequest& request);

  absl::StatusOr<v1::GetConnectionResponse> GetConnection(const v1::GetConnectionRequest& request);
  absl::StatusOr<v1::PutConnectionResponse> PutConnection(const v1::PutConnectionRequest& request);
  absl::StatusOr<v1::DeleteConnectionResponse> DeleteConnection(
      const v1::DeleteConnectionRequest& request);
  absl::StatusOr<v1::ListConnectionsResponse> ListConnections(
      const v1::ListConnectionsRequest& request);

  absl::StatusOr<v1::GetServerInfoResponse> GetServerInfo(const v1::GetServerInfoRequest& request);
  absl::StatusOr<v1::BackupResponse> Backup(const v1::BackupRequest& request);

  // OK where the server says that it is ready (grpc.health.v1, the whole server).
  //
  // Errors:
  //   kFailedPrecondition - it lives and is not ready.
  absl::Status CheckHealth();

 private:
  struct Rep;
  explicit Client(std::unique_ptr<Rep> rep);
  const std::unique_ptr<Rep> rep_;
};

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_CLIENT_H_
