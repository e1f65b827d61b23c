// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The server's side of DecideStream: reads, decides and writes at the same time, each
// in order. Answers that wait to be written are bounded; when they are many, nothing
// is read. A stream has a place in flight (service/core/admission.h) while a request of
// it is decided or an answer waits to be written; one that is only open has none.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_RPC_DECIDE_STREAM_H_
#define BRIDGEKEEPER_SERVICE_RPC_DECIDE_STREAM_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "policy/base/mutex.h"
#include "service/rpc/decision_api.h"
#include "service/rpc/unary_call.h"

namespace bridgekeeper::service {

class DecideStream;

// Streams that may be open at one time, of all clients: as many as watches.
inline constexpr size_t kMaxDecideStreams = 10'000;

// All streams that are open. Outlives the server.
class DecideStreams {
 public:
  // Starts the reactor of one RPC; it is gone when the RPC is over.
  grpc::ServerBidiReactor<v1::DecideStreamRequest, v1::DecideStreamResponse>* Start(
      RpcShared& shared, DecisionApi& api, grpc::CallbackServerContext* context);

  // Ends every stream after what it is deciding now, and each one that starts later.
  void Drain();

 private:
  friend class DecideStream;

  // `stream` is over. Destroys it, unless Drain() holds it too.
  void Forget(DecideStream* stream);

  Mutex mu_;
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  absl::flat_hash_map<DecideStream*, std::shared_ptr<DecideStream>> open_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_DECIDE_STREAM_H_
