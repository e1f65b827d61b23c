// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicyApi is PolicyService without a transport: one method an RPC, messages in and
// out, a status for the caller. What the RPCs promise stands in
// proto/bridgekeeper/v1/policy_service.proto.
//
// Thread safety: all methods may be called at the same time. All of them may wait.

#ifndef BRIDGEKEEPER_SERVICE_RPC_POLICY_API_H_
#define BRIDGEKEEPER_SERVICE_RPC_POLICY_API_H_

#include <functional>

#include "absl/status/status.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "service/core/policy_core.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class PolicyApi {
 public:
  // Both must outlive it.
  PolicyApi(PolicyCore& core, const store::PolicyStore& store) : core_(core), store_(store) {}

  absl::Status GetPolicy(const v1::GetPolicyRequest& request, v1::GetPolicyResponse& response);
  absl::Status PutPolicy(const v1::PutPolicyRequest& request, v1::PutPolicyResponse& response);
  absl::Status BatchPutPolicies(const v1::BatchPutPoliciesRequest& request,
                                v1::BatchPutPoliciesResponse& response);
  absl::Status DeletePolicy(const v1::DeletePolicyRequest& request,
                            v1::DeletePolicyResponse& response);
  absl::Status ListPolicies(const v1::ListPoliciesRequest& request,
                            v1::ListPoliciesResponse& response);
  absl::Status GetPolicyHistory(const v1::GetPolicyHistoryRequest& request,
                                v1::GetPolicyHistoryResponse& response);
  absl::Status RollbackPolicy(const v1::RollbackPolicyRequest& request,
                              v1::RollbackPolicyResponse& response);
  // `cancelled` says whether the caller is gone: with `all` they take a while.
  absl::Status SuspendPolicies(const v1::SuspendPoliciesRequest& request,
                               v1::SuspendPoliciesResponse& response,
                               const std::function<bool()>& cancelled);
  absl::Status ResumePolicies(const v1::ResumePoliciesRequest& request,
                              v1::ResumePoliciesResponse& response,
                              const std::function<bool()>& cancelled);
  absl::Status DiffPolicy(const v1::DiffPolicyRequest& request, v1::DiffPolicyResponse& response);

 private:
  PolicyCore& core_;
  const store::PolicyStore& store_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_POLICY_API_H_
