// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/watch_reactor.h"

#include <memory>
#include <optional>
#include <utility>

#include "policy/base/mutex.h"
#include "proto/convert/convert.h"
#include "service/rpc/decision_api.h"
#include "service/rpc/grpc_status.h"
#include "service/rpc/record_messages.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

// States: opening (a worker reads the snapshot) -> idle <-> writing -> finished. Only
// the thread that moves it to `writing` or `finished` calls gRPC, so no two calls
// meet, and none comes after Finish().
//
// Its own owner until OnDone(); whoever rings holds a weak pointer, so that a ring
// that comes late finds nothing.
class WatchReactor : public grpc::ServerWriteReactor<pb::WatchPoliciesResponse>,
                     public StallGuard::Stallable {
 public:
  WatchReactor(RpcShared& shared, WatchHub& hub, grpc::CallbackServerContext* context)
      : shared_(shared), hub_(hub), context_(context), begin_(shared.clock.SinceBoot()) {}

  void Start(std::shared_ptr<WatchReactor> self, const pb::WatchPoliciesRequest& request) {
    self_ = std::move(self);
    shared_.stalls.Add(self_);
    absl::Status status = CheckAccess(shared_, Rpc::kWatchPolicies, *context_);
    absl::StatusOr<WatchRequest> read = DecisionApi::ReadWatch(request);
    if (status.ok()) status = read.status();
    if (!status.ok()) return FinishWith(std::move(status));
    const bool queued =
        shared_.workers.Submit([keep = self_, watch = *std::move(read)] { keep->Open(watch); });
    if (queued) return;
    shared_.admission.CountRefusal(Overload::kQueue);
    AddRetryHint(*context_);
    FinishWith(absl::ResourceExhaustedError("overloaded: too many requests wait; try again"));
  }

  void OnWriteDone(bool ok) override {
    {
      MutexLock lock(mu_);
      if (!ok) cancelled_ = true;
      state_ = State::kIdle;
    }
    Pump();
  }

  void OnCancel() override {
    {
      MutexLock lock(mu_);
      cancelled_ = true;
    }
    Pump();
  }

  bool CutIfStalled(absl::Duration before) override {
    MutexLock lock(mu_);
    if (state_ != State::kWriting || done_ || write_begin_ >= before) return false;
    write_begin_ = absl::InfiniteDuration();  // counted once
    context_->TryCancel();
    return true;
  }

  void OnDone() override {
    std::shared_ptr<WatchStream> stream;
    {
      MutexLock lock(mu_);
      done_ = true;
      stream = std::move(stream_);
    }
    if (stream != nullptr) hub_.Close(stream);
    shared_.stalls.Remove(this);
    self_.reset();
  }

 private:
  enum class State { kOpening, kIdle, kWriting, kFinished };

  void Open(const WatchRequest& request) {
    auto stream = hub_.Open(request, [weak = std::weak_ptr<WatchReactor>(self_)] {
      if (const auto reactor = weak.lock()) reactor->Pump();
    });
    {
      MutexLock lock(mu_);
      if (stream.ok()) {
        stream_ = *std::move(stream);
        state_ = State::kIdle;
      }
    }
    if (!stream.ok()) return FinishWith(std::move(stream).status());
    Pump();
  }

  // Writes the next message if no write is under way and there is one.
  void Pump() {
    absl::Status end;
    {
      MutexLock lock(mu_);
      if (state_ != State::kIdle) return;
      if (cancelled_) {
        end = absl::CancelledError("the caller is gone");
      } else {
        WatchStream::Taken taken = stream_->Take(shared_.clock.SinceBoot());
        if (taken.message) {
          Write(*taken.message);
          state_ = State::kWriting;
          write_begin_ = shared_.clock.SinceBoot();
        } else if (taken.end) {
          end = *std::move(taken.end);
        } else {
          return;  // we will be rung
        }
      }
    }
    if (end.ok()) {
      StartWrite(&response_);
    } else {
      FinishWith(std::move(end));
    }
  }

  void Write(const WatchMessage& message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    response_.Clear();
    ToMessage(message, response_);
    if (std::exchange(first_, false)) {
      *response_.mutable_heartbeat_interval() = convert::ToProto(hub_.heartbeat_interval());
    }
  }

  void FinishWith(absl::Status status) {
    {
      MutexLock lock(mu_);
      if (state_ == State::kFinished) return;
      state_ = State::kFinished;
    }
    shared_.metrics.CountRpc(Rpc::kWatchPolicies, status.code(),
                             shared_.clock.SinceBoot() - begin_);
    Finish(ToGrpcStatus(status, Rpc::kWatchPolicies, shared_.log, shared_.ids));
  }

  RpcShared& shared_;
  WatchHub& hub_;
  grpc::CallbackServerContext* const context_;
  const absl::Duration begin_;

  // Set before the first and reset after the last call from gRPC.
  std::shared_ptr<WatchReactor> self_;

  Mutex mu_;
  State state_ ABSL_GUARDED_BY(mu_) = State::kOpening;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
  bool first_ ABSL_GUARDED_BY(mu_) = true;
  bool done_ ABSL_GUARDED_BY(mu_) = false;  // the context is gone
  absl::Duration write_begin_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<WatchStream> stream_ ABSL_GUARDED_BY(mu_);
  // Written while idle, read by gRPC while writing.
  pb::WatchPoliciesResponse response_;
};

}  // namespace

grpc::ServerWriteReactor<pb::WatchPoliciesResponse>* StartWatch(
    RpcShared& shared, WatchHub& hub, grpc::CallbackServerContext* context,
    const pb::WatchPoliciesRequest& request) {
  auto reactor = std::make_shared<WatchReactor>(shared, hub, context);
  reactor->Start(reactor, request);
  return reactor.get();
}

}  // namespace bridgekeeper::service
