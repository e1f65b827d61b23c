// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "clients/sdk/channel_grpc.h"
#include "clients/sdk/decision_client.h"
#include "clients/sdk/decision_messages.h"

namespace bridgekeeper::clients {
namespace {

// By ifs: the code comes from the wire, and whatever else it may be is a fault.
ReasonCode ReasonOf(const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return ReasonCode::kInvalidRequest;
  if (absl::IsResourceExhausted(status)) return ReasonCode::kOverloaded;
  if (absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status)) {
    return ReasonCode::kNotAuthorized;
  }
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
      absl::IsCancelled(status) || absl::IsUnimplemented(status)) {
    return ReasonCode::kPdpUnreachable;
  }
  return ReasonCode::kEvaluationFault;
}

class RemoteDecisionClient : public DecisionClient {
 public:
  RemoteDecisionClient(std::shared_ptr<Channel> channel, absl::Duration timeout, FailureMode mode)
      : channel_(std::move(channel)),
        timeout_(timeout),
        mode_(mode),
        stub_(v1::DecisionService::NewStub(GrpcChannel(*channel_))) {}

  absl::StatusOr<Answer> Decide(const Question& question) override {
    v1::DecideRequest request;
    *request.mutable_call() = ToProto(question);
    v1::DecideResponse response;
    grpc::ClientContext context;
    absl::Status failure = PrepareContext(*channel_, timeout_, context);
    if (failure.ok()) {
      failure = FromGrpc(stub_->Decide(&context, request, &response), *channel_);
    }
    if (!failure.ok()) {
      const ReasonCode reason = ReasonOf(failure);
      return Failed(mode_, reason, std::move(failure));
    }
    if (!response.has_decision()) {
      return Failed(mode_, ReasonCode::kEvaluationFault,
                    absl::InternalError("keeperd answered without a decision"));
    }
    return FromProto(response.decision());
  }

 private:
  const std::shared_ptr<Channel> channel_;
  const absl::Duration timeout_;
  const FailureMode mode_;
  const std::unique_ptr<v1::DecisionService::Stub> stub_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DecisionClient>> MakeRemoteDecisionClient(
    std::shared_ptr<Channel> channel, absl::Duration timeout, FailureMode failure_mode) {
  if (timeout < absl::Milliseconds(1) || timeout > absl::Hours(1)) {
    return absl::InvalidArgumentError(absl::StrFormat("decision `timeout`: got %s, want 1ms to 1h",
                                                      absl::FormatDuration(timeout)));
  }
  return std::make_unique<RemoteDecisionClient>(std::move(channel), timeout, failure_mode);
}

}  // namespace bridgekeeper::clients
