// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// UnaryCall is the way of every unary RPC: may the caller, is there room, do it (here
// or on a thread that may wait), count it, answer. Handlers say only what to do.

#ifndef BRIDGEKEEPER_SERVICE_RPC_UNARY_CALL_H_
#define BRIDGEKEEPER_SERVICE_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "service/auth/authorizer.h"
#include "service/auth/rpc_table.h"
#include "service/core/admission.h"
#include "service/core/worker_pool.h"
#include "service/observe/metrics.h"

namespace bridgekeeper::service {

// What all handlers share. All of it outlives the server.
struct RpcShared {
  const Authorizer& authorizer;
  Admission& admission;
  WorkerPool& workers;
  Metrics& metrics;
  Logger& log;
  IdSource& ids;
  const Clock& clock;
};

// Says in the trailer of a refusal for overload when to come back, in the way that
// gRPC clients with a retry policy read (gRFC A6, "Pushback").
void AddRetryHint(grpc::CallbackServerContext& context);

// Whether the caller may call `rpc` (see Authorizer::Check).
absl::Status CheckAccess(const RpcShared& shared, Rpc rpc,
                         const grpc::CallbackServerContext& context);

// Small, copied into the tasks that finish it.
class UnaryCall {
 public:
  UnaryCall(RpcShared& shared, Rpc rpc, grpc::CallbackServerContext* context)
      : shared_(&shared),
        context_(context),
        reactor_(context->DefaultReactor()),
        begin_(shared.clock.SinceBoot()),
        rpc_(rpc) {}

  // Answers a refusal and returns false where the call may not go on.
  [[nodiscard]] bool Begin();

  // Runs `handler` on a worker and answers what it returns.
  void OnWorker(std::function<absl::Status()> handler);

  void Finish(const absl::Status& status);

  // True where nobody waits for the answer any more.
  bool IsCancelled() const { return context_->IsCancelled(); }

  grpc::ServerUnaryReactor* reactor() const { return reactor_; }

 private:
  RpcShared* shared_;
  grpc::CallbackServerContext* context_;
  grpc::ServerUnaryReactor* reactor_;
  absl::Duration begin_;
  Rpc rpc_;
  bool entered_ = false;
};

// The whole way of an RPC that may wait.
inline grpc::ServerUnaryReactor* RunOnWorker(RpcShared& shared, Rpc rpc,
                                             grpc::CallbackServerContext* context,
                                             std::function<absl::Status()> handler) {
  UnaryCall call(shared, rpc, context);
  if (call.Begin()) call.OnWorker(std::move(handler));
  return call.reactor();
}

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_UNARY_CALL_H_
