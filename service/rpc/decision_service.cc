// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "service/rpc/services.h"
#include "service/rpc/watch_reactor.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class DecisionService final : public pb::DecisionService::CallbackService {
 public:
  DecisionService(RpcShared& shared, DecisionApi& api, WatchHub& hub, DecideStreams& streams)
      : shared_(shared), api_(api), hub_(hub), streams_(streams) {}

  // The hot path: a decision on what is in memory is answered by the thread that read
  // the request.
  Reactor* Decide(Context* context, const pb::DecideRequest* request,
                  pb::DecideResponse* response) override {
    UnaryCall call(shared_, Rpc::kDecide, context);
    if (!call.Begin()) return call.reactor();
    if (const std::optional<absl::Status> done = api_.TryDecide(*request, *response)) {
      call.Finish(*done);
    } else {
      call.OnWorker([this, request, response] { return api_.Decide(*request, *response); });
    }
    return call.reactor();
  }

  Reactor* DecideBatch(Context* context, const pb::DecideBatchRequest* request,
                       pb::DecideBatchResponse* response) override {
    return RunOnWorker(shared_, Rpc::kDecideBatch, context,
                       [this, request, response] { return api_.DecideBatch(*request, *response); });
  }

  grpc::ServerBidiReactor<pb::DecideStreamRequest, pb::DecideStreamResponse>* DecideStream(
      Context* context) override {
    return streams_.Start(shared_, api_, context);
  }

  Reactor* Explain(Context* context, const pb::ExplainRequest* request,
                   pb::ExplainResponse* response) override {
    return RunOnWorker(shared_, Rpc::kExplain, context,
                       [this, request, response] { return api_.Explain(*request, *response); });
  }

  Reactor* ListTools(Context* context, const pb::ListToolsRequest* request,
                     pb::ListToolsResponse* response) override {
    return RunOnWorker(shared_, Rpc::kListTools, context,
                       [this, request, response] { return api_.ListTools(*request, *response); });
  }

  grpc::ServerWriteReactor<pb::WatchPoliciesResponse>* WatchPolicies(
      Context* context, const pb::WatchPoliciesRequest* request) override {
    return StartWatch(shared_, hub_, context, *request);
  }

 private:
  RpcShared& shared_;
  DecisionApi& api_;
  WatchHub& hub_;
  DecideStreams& streams_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeDecisionService(RpcShared& shared, DecisionApi& api,
                                                   WatchHub& hub, DecideStreams& streams) {
  return std::make_unique<DecisionService>(shared, api, hub, streams);
}

}  // namespace bridgekeeper::service
