// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// UnaryCall is the way of every unary RPC: may the caller, is there room, do it (here
// or on a thread that may wait), count it, answer. Handlers say only what to do.

#ifndef BRIDGEKEEPER_SERVICE_RPC_UNARY_CALL_H_
#define BRIDGEKEEPER_SERVICE_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "service/auth/authorizer.h"
#include "service/auth/rpc_table.h"
#include "service/core/admission.h"
#include "service/core/worker_pool.h"
#include "service/observe/metrics.h"
#include "service/rpc/stall_guard.h"

namespace bridgekeeper::service {

// What all handlers share. All of it outlives the server.
struct RpcShared {
  const Authorizer& authorizer;
  Admission& admission;
  WorkerPool& workers;
  StallGuard& stalls;
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

// The reactor of a call whose answer may be large: the call keeps its place in flight
// until its client has the answer, and is cut where that takes none of it.
class HeldReactor : public grpc::ServerUnaryReactor, public StallGuard::Stallable {
 public:
  static HeldReactor* Make(RpcShared& shared, grpc::CallbackServerContext* context);

  void NoteEntered() { entered_ = true; }
  // To be called before Finish().
  void NoteFinish(absl::Duration now);

  bool CutIfStalled(absl::Duration before) override;
  void OnDone() override;

 private:
  HeldReactor(RpcShared& shared, grpc::CallbackServerContext* context)
      : shared_(shared), context_(context) {}

  RpcShared& shared_;
  bool entered_ = false;  // set before Finish(), read after

  Mutex mu_;
  grpc::CallbackServerContext* context_ ABSL_GUARDED_BY(mu_);  // null: the call is over
  std::optional<absl::Duration> finished_at_ ABSL_GUARDED_BY(mu_);
};

// Small, copied into the tasks that finish it.
class UnaryCall {
 public:
  // For a small answer: it costs least, and the place in flight is free at once.
  UnaryCall(RpcShared& shared, Rpc rpc, grpc::CallbackServerContext* context)
      : UnaryCall(shared, rpc, context, nullptr, context->DefaultReactor()) {}

  // For an answer that may be large.
  static UnaryCall Held(RpcShared& shared, Rpc rpc, grpc::CallbackServerContext* context) {
    HeldReactor* const held = HeldReactor::Make(shared, context);
    return UnaryCall(shared, rpc, context, held, held);
  }

  // Answers a refusal and returns false where the call may not go on.
  [[nodiscard]] bool Begin();

  // Runs `handler` on a worker and answers what it returns.
  void OnWorker(std::function<absl::Status()> handler);

  void Finish(const absl::Status& status);

  // True where nobody waits for the answer any more.
  bool IsCancelled() const { return context_->IsCancelled(); }

  grpc::ServerUnaryReactor* reactor() const { return reactor_; }

 private:
  UnaryCall(RpcShared& shared, Rpc rpc, grpc::CallbackServerContext* context, HeldReactor* held,
            grpc::ServerUnaryReactor* reactor)
      : shared_(&shared),
        context_(context),
        held_(held),
        reactor_(reactor),
        begin_(shared.clock.SinceBoot()),
        rpc_(rpc) {}

  RpcShared* shared_;
  grpc::CallbackServerContext* context_;
  HeldReactor* held_;  // the reactor too, or null
  grpc::ServerUnaryReactor* reactor_;
  absl::Duration begin_;
  Rpc rpc_;
  bool entered_ = false;
};

// The whole way of an RPC that may wait.
inline grpc::ServerUnaryReactor* RunOnWorker(RpcShared& shared, Rpc rpc,
                                             grpc::CallbackServerContext* context,
                                             std::function<absl::Status()> handler) {
  UnaryCall call = UnaryCall::Held(shared, rpc, context);
  grpc::ServerUnaryReactor* const reactor = call.reactor();
  if (call.Begin()) call.OnWorker(std::move(handler));
  return reactor;
}

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_UNARY_CALL_H_
