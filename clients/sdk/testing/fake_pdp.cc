// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/testing/fake_pdp.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/time.h>

#include <chrono>
#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/bridge_service.grpc.pb.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "policy/base/check.h"
#include "policy/base/mutex.h"

namespace bridgekeeper::clients {
namespace {

// How soon a handler sees that its client has gone.
constexpr auto kLook = std::chrono::milliseconds(5);

grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

class WatchImpl : public FakePdp::Watch {
 public:
  WatchImpl(const v1::WatchPoliciesRequest& request, std::string authorization)
      : request_(request), authorization_(std::move(authorization)) {}

  const v1::WatchPoliciesRequest& request() const override { return request_; }
  std::string authorization() const override { return authorization_; }

  void Send(const v1::WatchPoliciesResponse& message) override {
    MutexLock lock(mu_);
    queue_.push_back(message);
    changed_.NotifyAll();
  }

  void End(const absl::Status& status) override {
    MutexLock lock(mu_);
    if (!end_.has_value()) end_ = ToGrpc(status);
    changed_.NotifyAll();
  }

  bool WaitForEnd(absl::Duration timeout) override {
    MutexLock lock(mu_);
    return changed_.WaitFor(mu_, absl::ToChronoNanoseconds(timeout), [this] {
      mu_.AssertHeld();
      return over_;
    });
  }

  grpc::Status Serve(grpc::ServerContext& context,
                     grpc::ServerWriter<v1::WatchPoliciesResponse>& writer) {
    grpc::Status status = grpc::Status::CANCELLED;
    mu_.Lock();
    while (!context.IsCancelled()) {
      if (!queue_.empty()) {
        const v1::WatchPoliciesResponse message = std::move(queue_.front());
        queue_.pop_front();
        mu_.Unlock();
        writer.Write(message);
        mu_.Lock();
      } else if (end_.has_value()) {
        status = *end_;
        break;
      } else {
        changed_.WaitFor(mu_, kLook);
      }
    }
    over_ = true;
    changed_.NotifyAll();
    mu_.Unlock();
    return status;
  }

 private:
  const v1::WatchPoliciesRequest request_;
  const std::string authorization_;
  Mutex mu_;
  CondVar changed_;
  std::deque<v1::WatchPoliciesResponse> queue_ ABSL_GUARDED_BY(mu_);
  std::optional<grpc::Status> end_ ABSL_GUARDED_BY(mu_);
  bool over_ ABSL_GUARDED_BY(mu_) = false;
};

// A unary call's answer, which a test may change while the server runs.
template <typename Request, typename Response>
class Answer {
 public:
  void Set(FakePdp::Handler<Request, Response> handler) {
    MutexLock lock(mu_);
    handler_ = std::move(handler);
  }
  grpc::Status Get(const Request& request, Response& response) {
    FakePdp::Handler<Request, Response> handler;
    {
      MutexLock lock(mu_);
      handler = handler_;
    }
    if (!handler) return {grpc::StatusCode::UNIMPLEMENTED, "the test has no answer"};
    return ToGrpc(handler(request, response));
  }

 private:
  Mutex mu_;
  FakePdp::Handler<Request, Response> handler_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

struct FakePdp::Rep : public v1::DecisionService::Service, public v1::BridgeService::Service {
  grpc::Status Decide(grpc::ServerContext*, const v1::DecideRequest* request,
                      v1::DecideResponse* response) override {
    return decide.Get(*request, *response);
  }
  grpc::Status ReportTools(grpc::ServerContext*, const v1::ReportToolsRequest* request,
                           v1::ReportToolsResponse* response) override {
    return report_tools.Get(*request, *response);
  }
  grpc::Status ReportDecisions(grpc::ServerContext*, const v1::ReportDecisionsRequest* request,
                               v1::ReportDecisionsResponse* response) override {
    return report_decisions.Get(*request, *response);
  }
  grpc::Status Heartbeat(grpc::ServerContext*, const v1::HeartbeatRequest* request,
                         v1::HeartbeatResponse* response) override {
    return heartbeat.Get(*request, *response);
  }
  grpc::Status WatchPolicies(grpc::ServerContext* context, const v1::WatchPoliciesRequest* request,
                             grpc::ServerWriter<v1::WatchPoliciesResponse>* writer) override {
    const auto& metadata = context->client_metadata();
    const auto header = metadata.find("authorization");
    auto watch = std::make_shared<WatchImpl>(
        *request, header == metadata.end()
                      ? std::string()
                      : std::string(header->second.data(), header->second.size()));
    {
      MutexLock lock(mu);
      begun.push_back(watch);
      changed.NotifyAll();
    }
    return watch->Serve(*context, *writer);
  }

  Answer<v1::DecideRequest, v1::DecideResponse> decide;
  Answer<v1::ReportToolsRequest, v1::ReportToolsResponse> report_tools;
  Answer<v1::ReportDecisionsRequest, v1::ReportDecisionsResponse> report_decisions;
  Answer<v1::HeartbeatRequest, v1::HeartbeatResponse> heartbeat;

  Mutex mu;
  CondVar changed;
  std::deque<std::shared_ptr<WatchImpl>> begun ABSL_GUARDED_BY(mu);  // not taken yet

  std::string given;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

FakePdp::FakePdp(const std::string& address) : rep_(std::make_unique<Rep>()) {
  rep_->given = address;
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &rep_->port);
  builder.RegisterService(static_cast<v1::DecisionService::Service*>(rep_.get()));
  builder.RegisterService(static_cast<v1::BridgeService::Service*>(rep_.get()));
  rep_->server = builder.BuildAndStart();
  BK_CHECK(rep_->server != nullptr);
}

FakePdp::~FakePdp() {
  // No grace: the watches that are open are cancelled.
  rep_->server->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
}

std::string FakePdp::address() const {
  return rep_->given.starts_with("unix:") ? rep_->given
                                          : absl::StrFormat("127.0.0.1:%d", rep_->port);
}

std::shared_ptr<FakePdp::Watch> FakePdp::NextWatch(absl::Duration timeout) {
  MutexLock lock(rep_->mu);
  const bool begun = rep_->changed.WaitFor(rep_->mu, absl::ToChronoNanoseconds(timeout), [this] {
    rep_->mu.AssertHeld();
    return !rep_->begun.empty();
  });
  if (!begun) return nullptr;
  std::shared_ptr<Watch> watch = std::move(rep_->begun.front());
  rep_->begun.pop_front();
  return watch;
}

void FakePdp::OnDecide(Handler<v1::DecideRequest, v1::DecideResponse> handler) {
  rep_->decide.Set(std::move(handler));
}
void FakePdp::OnReportTools(Handler<v1::ReportToolsRequest, v1::ReportToolsResponse> handler) {
  rep_->report_tools.Set(std::move(handler));
}
void FakePdp::OnReportDecisions(
    Handler<v1::ReportDecisionsRequest, v1::ReportDecisionsResponse> handler) {
  rep_->report_decisions.Set(std::move(handler));
}
void FakePdp::OnHeartbeat(Handler<v1::HeartbeatRequest, v1::HeartbeatResponse> handler) {
  rep_->heartbeat.Set(std::move(handler));
}

}  // namespace bridgekeeper::clients
