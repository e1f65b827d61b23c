// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DecisionApi is DecisionService without a transport, but for the watch: one method
// an RPC, messages in and out, a status for the caller. What the RPCs promise stands
// in proto/bridgekeeper/v1/decision_service.proto.
//
// A decision on an app that is in memory or quickly read, with no payload or a short one
// to judge, takes no longer than handing it to another thread would: the Try... methods
// answer such a call on the spot and leave the rest to a thread that may wait.
//
// Thread safety: all methods may be called at the same time. Those that do not begin
// with Try may wait.

#ifndef BRIDGEKEEPER_SERVICE_RPC_DECISION_API_H_
#define BRIDGEKEEPER_SERVICE_RPC_DECISION_API_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "service/core/decision_core.h"
#include "service/core/watch_hub.h"

namespace bridgekeeper::service {

class DecisionApi {
 public:
  // `core` must outlive it.
  explicit DecisionApi(DecisionCore& core) : core_(core) {}

  // Answers where no waiting is needed; nullopt: call Decide().
  std::optional<absl::Status> TryDecide(const v1::DecideRequest& request,
                                        v1::DecideResponse& response);
  absl::Status Decide(const v1::DecideRequest& request, v1::DecideResponse& response);

  absl::Status DecideBatch(const v1::DecideBatchRequest& request,
                           v1::DecideBatchResponse& response);

  // One call of a stream: a malformed one is answered, not an error.
  std::optional<absl::Status> TryDecideItem(const v1::DecideStreamRequest& request,
                                            v1::DecideStreamResponse& response);
  absl::Status DecideItem(const v1::DecideStreamRequest& request,
                          v1::DecideStreamResponse& response);

  absl::Status Explain(const v1::ExplainRequest& request, v1::ExplainResponse& response);
  absl::Status ListTools(const v1::ListToolsRequest& request, v1::ListToolsResponse& response);

  // Reads what is to be watched.
  //
  // Errors: kInvalidArgument, kResourceExhausted as proto/convert/convert.h lists them.
  static absl::StatusOr<WatchRequest> ReadWatch(const v1::WatchPoliciesRequest& request);

 private:
  void Answer(const DecisionOutcome& outcome, const ToolCall& call, v1::Decision& out);
  void AnswerMalformed(const absl::Status& status, Transport transport, v1::Decision& out);

  DecisionCore& core_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_DECISION_API_H_
